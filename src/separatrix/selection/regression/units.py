"""Options in the units of the target: C and epsilon as multiples of the standard deviation s of y.

    epsilon s and C s give y = m + s z the fit that epsilon and C give z:      w = s w_z,  b = m + s b_z

as 1/2 ||w||^2 + C sum max(0, |y - w.x - b| - epsilon) is s^2 times the objective of z, if C and epsilon grow with s. A
squared loss grows with s^2 as the penalty does, so that C stays. The weight of a norm ||w||_1 beside squared losses
grows with s, and an epsilon that is compared with squares with s^2. Defaults are meant for targets of unit scale; in
this way they fit prices and thicknesses as well.
"""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from separatrix.data.encode import encode_numbers
from separatrix.data.folds import shuffled_folds
from separatrix.estimators.registry import SparseSVR, StochasticRegressor
from separatrix.rows import Vector
from separatrix.selection.grid_errors import Grid, GridErrors, grid_errors
from separatrix.selection.regression.tube import compares_squares
from separatrix.solvers.online.schedule import Decay
from separatrix.solvers.online.stochastic import suited_rate

INNER_FOLDS = 3


class InUnits(RegressorMixin, BaseEstimator):
    """A regressor whose C and epsilon are multiples of the standard deviation of the target.

    Parameters
    ----------
    estimator : regressor
        Unfitted, with options for a target of standard deviation 1.
    grid : function of rows, or None
        Returns the values of each option, for these rows and such a target; those that err least in cross-validation
        within the training rows are used.
    random_state : int
        Of the folds.

    Attributes
    ----------
    model_ : regressor
        The estimator with its options in the units of the target, fitted to all rows.
    certificate_
        Of that model.

    Examples
    --------
    >>> from sklearn.svm import SVR
    >>> X, y = np.arange(6.0)[:, None], 1000 * np.arange(6.0)
    >>> model = InUnits(SVR(kernel="linear", C=1.0, epsilon=0.1)).fit(X, y).model_
    >>> round(model.C), round(model.epsilon), round(np.std(y))
    (1708, 171, 1708)
    """

    def __init__(self, estimator: Any, grid: Callable[[Any], Grid] | None = None, *, random_state: int = 0):
        self.estimator = estimator
        self.grid = grid
        self.random_state = random_state

    def chosen(self, X: Any, y: Vector) -> tuple[Any, GridErrors | None]:
        """The estimator with options for these rows, unfitted, and the errors of all that were tried, if any.

        Errors are in the units of y.
        """
        model = in_units(self.estimator, X, y)
        if self.grid is None or y.size < 2 * INNER_FOLDS:
            return model, None
        spread = spread_of(y)
        grid = grid_in_units(self.estimator, self.grid(X), spread)
        folds = shuffled_folds(y.size, INNER_FOLDS, 1, self.random_state)
        loss = lambda model, rows, index: float(np.mean(np.abs(model.predict(rows) - y[index]))) / spread  # noqa: E731
        found = grid_errors(model, X, y, folds, grid, loss=loss)
        model.set_params(**found.setting(found.best))
        return model, GridErrors(found.options, found.errors * spread)

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the options, and fit with them to all rows."""
        numbers = np.asarray(y, dtype=np.float64)
        self.model_ = self.chosen(X, numbers)[0].fit(X, numbers)
        if hasattr(self.model_, "certificate_"):
            self.certificate_ = self.model_.certificate_
        return self

    def predict(self, X: Any) -> Vector:
        """Predict by the model with the chosen options."""
        check_is_fitted(self)
        return self.model_.predict(X)


def in_units(estimator: Any, X: Any, y: Vector) -> Any:
    """A clone of an estimator with its options, meant for a target of standard deviation 1, in the units of y."""
    model, spread = clone(estimator), spread_of(y)
    if isinstance(model, StochasticRegressor):
        return with_steps_in_units(model, X, y)
    return model.set_params(**{name: getattr(model, name) * spread**power for name, power in powers(model).items()})


def grid_in_units(estimator: Any, grid: Grid, spread: float) -> Mapping[str, tuple[Any, ...]]:
    """The values of a grid in the units of a target with this standard deviation."""
    scaled = powers(estimator)
    return {name: tuple(value * spread ** scaled.get(name, 0) for value in values) for name, values in grid.items()}


def powers(estimator: Any) -> dict[str, int]:
    """The options of a regressor that grow with its target, and with which power of its spread.

    >>> from sklearn.svm import SVR, LinearSVR
    >>> powers(SVR()), powers(LinearSVR(loss="squared_epsilon_insensitive")), powers(SparseSVR())
    ({'C': 1, 'epsilon': 1}, {'epsilon': 1}, {'epsilon': 2, 'l1': 1})
    """
    known = estimator.get_params(deep=False)
    squared = "squared" in str(known.get("loss", ""))
    grow = {"C": 0 if squared else 1, "epsilon": 2 if compares_squares(estimator) else 1}
    grow |= {"l1": 1} if isinstance(estimator, SparseSVR) else {}
    return {name: power for name, power in grow.items() if name in known and power}


def with_steps_in_units(model: StochasticRegressor, X: Any, y: Vector) -> StochasticRegressor:
    """Stochastic steps from the mean of y, as long as y is spread: the loss has slopes of 1 whatever the units."""
    problem, spread = encode_numbers(X, y, fit_intercept=model.fit_intercept).problem, spread_of(y)
    start = np.append(np.zeros(problem.n_features), y.mean()) if model.fit_intercept else None
    wanted: dict[str, Any] = {"epsilon": model.epsilon * spread, "start": start}
    if model.learning_rate == "auto":
        loss = model._losses()[model.loss]
        rate = suited_rate(problem, loss, model.l2, model.batch_size)
        wanted["learning_rate"] = Decay(rate.c * spread, rate.power, rate.delay)
    return model.set_params(**wanted)


def spread_of(y: Vector) -> float:
    """The standard deviation of a target; 1 for one that is constant, as the training rows of a fold may have it."""
    return float(np.std(y)) or 1.0
