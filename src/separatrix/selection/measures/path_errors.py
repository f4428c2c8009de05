"""The errors along a regularization path: of the rows that it was fitted to, and of rows that were left out.

    e(value) = the mean over folds of the error on the fold, after a fit for this value to the other folds

The fits of each fold are a path of their own. Two values are named: that of the least error, and the simplest within
one standard error of it (Breiman, Friedman, Olshen and Stone, 1984).
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.errors import OptionError
from separatrix.rows import Vector
from separatrix.selection.cross_validate import first_line
from separatrix.selection.differences import loss_interval
from separatrix.selection.prepared_folds import Split
from separatrix.selection.regularization_path import RegularizationPath, path_models

SIMPLEST = {"C": "smallest", "ridge": "largest", "l1": "largest", "epsilon": "largest"}  # which values make it so


@dataclass(frozen=True, eq=False)
class PathErrors:
    """A path with its errors.

    Attributes
    ----------
    path : RegularizationPath
        The models, by ascending values, fitted to all rows.
    train : ndarray
        The error of each model on the rows that it was fitted to.
    errors : ndarray of shape (n_values, n_folds)
        The error of each fold.
    mean, low, high : ndarray
        Their means, and 95 % intervals.
    notes : tuple of str
        How the rows were divided.
    """

    path: RegularizationPath
    train: Vector
    errors: Vector
    mean: Vector
    low: Vector
    high: Vector
    notes: tuple[str, ...]

    @property
    def best(self) -> int:
        """The place of the least error; of several that of the simplest model."""
        least = np.flatnonzero(self.mean <= self.mean.min() * (1.0 + 1e-12))
        return int(self.simplest_of(least))

    @property
    def within_one_standard_error(self) -> int:
        """The place of the simplest model whose error is at most one standard error above the least."""
        errors = self.errors[self.best]
        standard_error = float(errors.std(ddof=1)) / np.sqrt(errors.size)
        return int(self.simplest_of(np.flatnonzero(self.mean <= self.mean[self.best] + standard_error)))

    def simplest_of(self, places: np.ndarray) -> int:
        """Of some places, that of the simplest model; the first where the option does not tell."""
        return places[-1] if SIMPLEST.get(self.path.option) == "largest" else places[0]


def path_errors(estimator: Any, path: RegularizationPath, rows: tuple[Any, Any], split: Split[Any]) -> PathErrors:
    """Measure a path on its own rows and, by fits of the same values to folds, on rows that were left out.

    >>> from separatrix import LeastSquaresClassifier, regularization_path
    >>> from separatrix.selection.prepared_folds import split_data
    >>> X, y = np.array([[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]]), np.array([0, 0, 0, 1, 1, 1])
    >>> split = split_data(X, y, cv=3, repeats=1, preparation="none", sample=None, random_state=0)
    >>> model = LeastSquaresClassifier()
    >>> found = path_errors(model, regularization_path(model, X, y, ridge=[0.0, 1.0]), (X, y), split)
    >>> found.train.tolist(), found.errors.shape
    ([0.0, 0.0], (2, 3))
    """
    data, option, values = split.data, path.option, path.values
    errors = np.empty((values.size, len(data.folds)))
    for k, fold in enumerate(data.folds):
        models = path_models(estimator, data.rows(k)[0], data.y[fold.train], option, values)
        for place, value in enumerate(values):
            errors[place, k] = next_error(models, data, k, f"{option} = {value:g}")
    rates = getattr(data, "classes", None) is not None
    n, bounds = (data.y.size, (0.0, 1.0)) if rates else (None, (0.0, np.inf))
    low, high = np.transpose([loss_interval(each, n, data.test_train_ratio, bounds) for each in errors])
    return PathErrors(path, path.errors(*rows), errors, errors.mean(axis=1), low, high, tuple(split.notes))


def next_error(models: Iterator[Any], data: Any, k: int, what: str) -> float:
    """The error of the next model of a path on the rows that fold k leaves out."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those of the path itself are told
            return data.judge(k).judge(next(models), data.rows(k)[1]).loss
    except Exception as problem:
        raise OptionError(f"No error for {what} in fold {k + 1}. {first_line(problem)}") from problem
