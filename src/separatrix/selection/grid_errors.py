"""The cross-validated error of all combinations of options, along one of them by a regularization path.

    for each combination of the other options and each fold:   for C in ascending order: fit, from the C before it

Combinations and folds are independent of each other, so that each has a core to itself.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from threading import Lock
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from separatrix.data.folds import Fold
from separatrix.errors import OptionError
from separatrix.rows import Vector
from separatrix.selection.prepared_folds import some_rows
from separatrix.selection.regularization_path import path_models
from separatrix.threads import parallel_map

Grid = Mapping[str, Sequence[Any]]
PATH_OPTIONS = ("C", "ridge")


@dataclass(frozen=True, eq=False)
class GridErrors:
    """Error rates of every combination of options on every fold.

    Attributes
    ----------
    options : mapping of option to its values
        As they were given.
    errors : ndarray of shape (n_values of each option..., n_folds)
        The error rates.
    """

    options: Grid
    errors: Vector

    @property
    def mean(self) -> Vector:
        """The mean over the folds, without the last digits, which are rounding."""
        return np.round(self.errors.mean(axis=-1), 12)

    @property
    def standard_error(self) -> Vector:
        """The standard error of the mean, as if folds were independent."""
        n = self.errors.shape[-1]
        return self.errors.std(axis=-1, ddof=1) / np.sqrt(n) if n > 1 else np.full(self.errors.shape[:-1], np.nan)

    @property
    def best(self) -> tuple[int, ...]:
        """The place of the least mean error; of several the first."""
        return tuple(int(place) for place in np.unravel_index(int(self.mean.argmin()), self.mean.shape))

    @property
    def simplest(self) -> tuple[int, ...]:
        """The first place whose mean error is at most one standard error above the least."""
        most = self.mean[self.best] + np.nan_to_num(self.standard_error[self.best])
        return tuple(int(place) for place in np.argwhere(self.mean <= most)[0])

    def setting(self, place: tuple[int, ...]) -> dict[str, Any]:
        """The options at a place."""
        return {name: values[index] for (name, values), index in zip(self.options.items(), place, strict=True)}


def grid_errors(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    folds: Sequence[Fold],
    grid: Grid,
    done: Callable[[int], object] = lambda _: None,
    error: Callable[[np.ndarray, np.ndarray], float] | None = None,
) -> GridErrors:
    """Fit and test an estimator for every combination of options on every fold.

    Parameters
    ----------
    estimator : classifier or pipeline
        Unfitted; it is cloned.
    X, y : rows and labels
        The data.
    folds : sequence of Fold
        How they are divided.
    grid : mapping of option to values
        All combinations are tried. C, or ridge, of the estimator or of the last step of a pipeline is a path.
    done : callable
        Called with the number of fits that are done.
    error : callable or None
        Of predictions and truth; None: the part of the predictions that is wrong.

    Returns
    -------
    GridErrors
        The errors.

    Examples
    --------
    >>> from separatrix import KernelSVM
    >>> from separatrix.data.folds import stratified_folds
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]] * 3), np.array([0, 1, 1, 0] * 3)
    >>> folds = stratified_folds(y, n_folds=3, repeats=1, seed=0)
    >>> found = grid_errors(KernelSVM(), X, y, folds, {"C": [1.0, 100.0], "gamma": [1e-6, 1.0]})
    >>> found.errors.shape, found.setting(found.best)
    ((2, 2, 3), {'C': 1.0, 'gamma': 1.0})
    """
    path = path_option(estimator, grid)
    order = [name for name in grid if name != path]
    along: Sequence[Any] = grid[path] if path else [None]
    ascending = np.argsort(along, kind="stable") if path else np.zeros(1, dtype=np.intp)
    places = list(product(*(range(len(grid[name])) for name in order)))
    errors = np.empty((*(len(grid[name]) for name in order), len(along), len(folds)))
    finished, counting = [0], Lock()

    def job(task: tuple[tuple[int, ...], int]) -> None:
        place, k = task
        setting = {name: grid[name][index] for name, index in zip(order, place, strict=True)}
        model = clone(estimator).set_params(**setting)
        found = path_errors(model, X, y, folds[k], path, along, ascending, error=error or error_rate)
        for index, value in zip(ascending, found, strict=True):
            errors[(*place, index, k)] = value
            with counting:
                finished[0] += 1
                done(finished[0])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a gap above tol does not change the errors that are counted here
        for _ in parallel_map(job, list(product(places, range(len(folds))))):
            pass
    axes = [order.index(name) if name != path else len(order) for name in grid]
    shape = errors if path else errors.reshape(*errors.shape[:-2], len(folds))
    return GridErrors(grid, np.moveaxis(shape, axes, range(len(axes))) if axes else shape)


def error_rate(predicted: np.ndarray, truth: np.ndarray) -> float:
    """The part of the predictions that is wrong."""
    return float(np.mean(predicted != truth))


def path_errors(
    model: Any,
    X: Any,
    y: np.ndarray,
    fold: Fold,
    path: str | None,
    along: Sequence[Any],
    ascending: np.ndarray,
    *,
    error: Callable[[np.ndarray, np.ndarray], float],
) -> Iterator[float]:
    """The error on a fold after fits to the other rows, for ascending values of the option of a path."""
    train, test = (rows_for(model, X, index, fold.train) for index in (fold.train, fold.test))
    if path is None:
        models: Iterator[Any] = iter([model.fit(train, y[fold.train])])
    else:
        values = np.array([along[index] for index in ascending], dtype=np.float64)
        models = path_models(model, train, y[fold.train], path.split("__")[-1], values)
    for fitted in models:
        yield error(fitted.predict(test), y[fold.test])


def rows_for(estimator: Any, X: Any, index: np.ndarray, train: np.ndarray) -> Any:
    """Some rows; of given kernel values only those with the training rows."""
    some = some_rows(X, index)
    return np.asarray(some)[:, train] if get_tags(estimator).input_tags.pairwise else some


def path_option(estimator: Any, grid: Grid) -> str | None:
    """The option along which fits start from each other: C or ridge of the estimator, or of a pipeline's last step."""
    known = estimator.get_params(deep=True)
    unknown = [name for name in grid if name not in known]
    if unknown:
        raise OptionError(
            f"{type(estimator).__name__} has no option {unknown[0]!r}. Its options: {', '.join(sorted(known))}."
        )
    empty = [name for name, values in grid.items() if not len(values)]
    if empty:
        raise OptionError(f"The option {empty[0]!r} has no value to try. Give at least one.")
    prefix = f"{estimator.steps[-1][0]}__" if hasattr(estimator, "steps") else ""
    return next((name for name in grid if name in {f"{prefix}{option}" for option in PATH_OPTIONS}), None)
