"""Options chosen by cross-validation within training rows, so that a comparison with other methods stays honest.

    for each setting of a grid:   e(setting) = the mean over folds of the error rate on the fold

The setting with the least error is used; of several the first, so that a grid begins with its simplest models. Where
this is done anew within the training rows of every fold of a comparison, no test row has a part in it (Stone, 1974;
Varma and Simon, 2006).
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from separatrix.data.folds import Fold, stratified_folds, usable_folds
from separatrix.selection.grid_errors import Grid, GridErrors, Loss, grid_errors
from separatrix.selection.measures.judging import class_loss
from separatrix.selection.measures.metrics import ERROR, Metric

INNER_FOLDS = 3


def tuned(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    folds: Sequence[Fold],
    grid: Grid,
    loss: Loss | None = None,
) -> tuple[Any, GridErrors]:
    """Choose the setting of a grid that errs least on folds.

    Parameters
    ----------
    estimator : classifier
        Unfitted; it is cloned.
    X, y : rows and labels
        The training rows.
    folds : sequence of Fold
        How they are divided.
    grid : mapping of option to values
        All combinations are tried, those of the first option outermost.
    loss : function of a model, test rows and their numbers, or None
        What is to be least; None: the error rate.

    Returns
    -------
    classifier, GridErrors
        Unfitted, with the options of that setting; and the errors of all.

    Examples
    --------
    >>> from separatrix import KernelSVM
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]] * 3), np.array([0, 1, 1, 0] * 3)
    >>> folds = stratified_folds(y, n_folds=3, repeats=1, seed=0)
    >>> tuned(KernelSVM(), X, y, folds, {"C": [1.0, 100.0], "gamma": [1e-6, 1.0]})[0]
    KernelSVM(gamma=1.0)
    """
    found = grid_errors(estimator, X, y, folds, grid, loss=loss)
    return clone(estimator).set_params(**found.setting(found.best)), found


class Tuned(ClassifierMixin, BaseEstimator):
    """A classifier that chooses its options within the rows that it is fitted to.

    Parameters
    ----------
    estimator : classifier
        Unfitted.
    grid : function of rows
        Returns the values of each option, for these rows.
    random_state : int
        Of the folds.
    metric : Metric
        What the options are chosen by, if it depends on predicted classes alone; else the error rate.

    Attributes
    ----------
    model_ : classifier
        The estimator with the chosen options, fitted to all rows.
    classes_, certificate_
        Of that model.

    Examples
    --------
    >>> from separatrix import KernelSVM
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]] * 3), np.array([0, 1, 1, 0] * 3)
    >>> Tuned(KernelSVM(), lambda X: {"gamma": (1e-6, 1.0)}).fit(X, y).model_
    KernelSVM(gamma=1.0)
    """

    def __init__(self, estimator: Any, grid: Callable[[Any], Grid], *, random_state: int = 0, metric: Metric = ERROR):
        self.estimator = estimator
        self.grid = grid
        self.random_state = random_state
        self.metric = metric

    def chosen(self, X: Any, y: np.ndarray) -> tuple[Any, GridErrors | None]:
        """The estimator with the options that are chosen for these rows, unfitted, and the errors of all options."""
        classes, codes = np.unique(y, return_inverse=True)
        if np.bincount(codes).min() < 2:  # a class that no fold could be tested with
            return clone(self.estimator), None
        folds = stratified_folds(codes, usable_folds(codes, classes, INNER_FOLDS), 1, self.random_state)
        loss = class_loss(codes, classes, self.metric) if self.metric.by_predictions else None
        return tuned(self.estimator, X, y, folds, self.grid(X), loss)

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the options, and fit with them to all rows."""
        labels = np.asarray(y)
        self.model_ = self.chosen(X, labels)[0].fit(X, labels)
        self.classes_, self.certificate_ = self.model_.classes_, self.model_.certificate_
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict by the model with the chosen options."""
        check_is_fitted(self)
        return self.model_.predict(X)

    def decision_function(self, X: Any) -> np.ndarray:
        """Score by the model with the chosen options."""
        check_is_fitted(self)
        return self.model_.decision_function(X)


def n_fits(grid: Grid) -> int:
    """How many fits choose a setting of a grid, with the last one to all rows."""
    return INNER_FOLDS * n_settings(grid) + 1


def n_settings(grid: Grid) -> int:
    """How many combinations of values a grid has."""
    return prod(map(len, grid.values()))
