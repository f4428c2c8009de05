"""The cross-validated error of all combinations of options, along one of them by a regularization path.

    for each combination of the other options and each fold:   for C in ascending order: fit, from the C before it

Combinations and folds are independent of each other, so that each has a core to itself. With a deadline the folds go
along the path side by side instead, so that what was tried when the time is up was tried on all folds.
"""

import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from numbers import Real
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from separatrix.data.folds import Fold
from separatrix.errors import DataError, OptionError, counted
from separatrix.rows import Vector
from separatrix.selection.choosing.shared_distances import SharedDistances
from separatrix.selection.cross_validate import first_line
from separatrix.selection.prepared_folds import some_rows
from separatrix.selection.regularization_path import PENALTIES, path_models
from separatrix.threads import parallel_map

Grid = Mapping[str, Sequence[Any]]
Place = tuple[int, ...]
Loss = Callable[[Any, Any, np.ndarray], float]  # of a fitted model, test rows, and their numbers


@dataclass(frozen=True, eq=False)
class GridErrors:
    """Errors of every combination of options on every fold.

    Attributes
    ----------
    options : mapping of option to its values
        As they were given.
    errors : ndarray of shape (n_values of each option..., n_folds)
        The errors, of which less is better; NaN on all folds of a combination that failed or was not tried.
    failures : mapping of place to str
        Why a combination has no error.
    not_tried : tuple of places
        Combinations that the deadline did not reach.
    """

    options: Grid
    errors: Vector
    failures: Mapping[Place, str] = field(default_factory=dict)
    not_tried: tuple[Place, ...] = ()

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
    def best(self) -> Place:
        """The place of the least mean error; of several the first."""
        return tuple(int(place) for place in np.unravel_index(int(np.nanargmin(self.mean)), self.mean.shape))

    @property
    def simplest(self) -> Place:
        """The first place whose mean error is at most one standard error above the least."""
        most = self.mean[self.best] + np.nan_to_num(self.standard_error[self.best])
        return tuple(int(place) for place in np.argwhere(self.mean <= most)[0])

    def setting(self, place: Place) -> dict[str, Any]:
        """The options at a place."""
        return {name: values[index] for (name, values), index in zip(self.options.items(), place, strict=True)}


def grid_errors(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    folds: Sequence[Fold],
    grid: Grid,
    done: Callable[[int], object] = lambda _: None,
    loss: Loss | None = None,
    *,
    sample_weight: Vector | None = None,
    deadline: float = np.inf,
    reads_rows: bool = False,
) -> GridErrors:
    """Fit and test an estimator for every combination of options on every fold.

    Parameters
    ----------
    estimator : classifier, regressor or pipeline
        Unfitted; it is cloned.
    X, y : rows and targets
        The data.
    folds : sequence of Fold
        How they are divided.
    grid : mapping of option to values
        All combinations are tried. A penalty of the estimator or of the last step of a pipeline is a path.
    done : callable
        Called with the number of fits that are done.
    loss : callable or None
        Of a fitted model, test rows and their numbers; None: the part of the predictions that is wrong.
    sample_weight : ndarray or None
        Of each row, in the fits.
    deadline : float
        A reading of `time.perf_counter` after which no combination is begun, once there is an error of one.
    reads_rows : bool
        Whether the loss looks at more of the test rows than what a model says of them.

    Returns
    -------
    GridErrors
        The errors; what one combination raises is its failure, and an error only where all fail.

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
    shared = None if reads_rows or sample_weight is not None else SharedDistances.of(estimator, X)
    data = Data(X, y, folds, sample_weight, loss or error_rate_on(y), shared)
    search = GridSearch(estimator, data, grid, done)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a gap above tol does not change the errors that are counted here
        if np.isinf(deadline):
            search.run()
        else:
            search.run_until(deadline)
    return search.result()


def error_rate_on(y: np.ndarray) -> Loss:
    """The part of the predictions that is wrong."""
    return lambda model, rows, index: float(np.mean(model.predict(rows) != y[index]))


class Data(NamedTuple):
    """Rows, targets, how they are divided, weights in fits or None, what is measured, and what all fits share."""

    X: Any
    y: np.ndarray
    folds: Sequence[Fold]
    weights: Vector | None
    loss: Loss
    shared: SharedDistances | None


class GridSearch:
    """The losses of combinations of options: those along the path, and places of the others, by fold."""

    def __init__(self, estimator: Any, data: Data, grid: Grid, done: Callable[[int], object]) -> None:
        self.estimator, self.data, self.grid, self.done = estimator, data, grid, done
        self.path = path_option(estimator, grid)
        self.others = [name for name in grid if name != self.path]
        self.along: Sequence[Any] = grid[self.path] if self.path else [None]
        self.ascending = np.argsort(self.along, kind="stable").tolist() if self.path else [0]
        self.places = list(product(*(range(len(grid[name])) for name in self.others)))
        self.losses = np.full((*(len(grid[name]) for name in self.others), len(self.along), len(data.folds)), np.nan)
        self.failures: dict[Place, Exception] = {}
        self.not_tried: list[Place] = []
        self.finished, self.lock = 0, Lock()

    def run(self) -> None:
        """Go along the path of each combination of the others on each fold, as cores come free."""

        def walk(task: tuple[Place, int]) -> None:
            place, k = task
            for index, outcome in zip(self.ascending, self.outcomes(place, k), strict=True):
                self.put((*place, index), k, outcome)

        for _ in parallel_map(walk, product(self.places, range(len(self.data.folds)))):
            pass

    def run_until(self, deadline: float) -> None:
        """Go along each path on all folds side by side, until the time is up."""
        n_folds = len(self.data.folds)
        for place in self.places:
            paths = [self.outcomes(place, k) for k in range(n_folds)]
            for index in self.ascending:
                if time.perf_counter() >= deadline and np.isfinite(self.losses).all(axis=-1).any():
                    self.not_tried.append((*place, index))
                    continue
                for k, outcome in enumerate(parallel_map(next, paths)):
                    self.put((*place, index), k, outcome)

    def outcomes(self, place: Place, k: int) -> Iterator[float | Exception]:
        """The loss on fold k along the path, or what was raised, for one combination of the other options."""
        setting = {name: self.grid[name][index] for name, index in zip(self.others, place, strict=True)}
        model = clone(self.estimator).set_params(**setting)
        return path_outcomes(model, self.data, k, self.path, [self.along[index] for index in self.ascending])

    def put(self, place: Place, k: int, outcome: float | Exception) -> None:
        """Keep the loss of a combination on fold k, or why there is none."""
        with self.lock:
            if isinstance(outcome, Exception):
                self.failures.setdefault(place, outcome)
            else:
                self.losses[(*place, k)] = outcome
            self.finished += 1
            self.done(self.finished)

    def result(self) -> GridErrors:
        """All losses, with axes in the order of the grid."""
        if len(self.failures) + len(self.not_tried) == self.losses[..., 0].size:
            raise self.common_failure()
        for place in self.failures:
            self.losses[place] = np.nan  # an option is compared on all folds or not at all
        n_folds = len(self.data.folds)
        losses = self.losses if self.path else self.losses.reshape(*self.losses.shape[:-2], n_folds)
        axes = [self.others.index(name) if name != self.path else len(self.others) for name in self.grid]
        failures = {self.in_order(place): first_line(problem) for place, problem in self.failures.items()}
        not_tried = tuple(sorted(map(self.in_order, self.not_tried)))
        return GridErrors(self.grid, np.moveaxis(losses, axes, range(len(axes))), failures, not_tried)

    def in_order(self, place: Place) -> Place:
        """A place in the order of the options of the grid."""
        known = dict(zip([*self.others, self.path], place, strict=True))
        return tuple(known[name] for name in self.grid)

    def common_failure(self) -> Exception:
        """The error of the first combination, where all fail."""
        place = min(self.failures)
        problem, n = self.failures[place], len(self.failures)
        if n > 1:
            setting = {name: self.grid[name][i] for name, i in zip(self.grid, self.in_order(place), strict=True)}
            problem.add_note(f"All {counted(n, 'setting')} failed, of which this is {setting}.")
        return problem


def path_outcomes(
    model: Any, data: Data, k: int, path: str | None, values: Sequence[Any]
) -> Iterator[float | Exception]:
    """The loss on fold k after fits to its other rows, for ascending values of the option of a path.

    Behind a value that raises, the path begins anew.
    """
    fold, left = data.folds[k], deque(values)
    train, test = (rows_for(model, data.X, index, fold.train) for index in fold)
    if data.shared is not None:
        model, train, test = data.shared.on(fold, model, data.y) or (model, train, test)
    weights = None if data.weights is None else data.weights[fold.train]
    while left:
        try:
            for fitted in fitted_models(model, train, data.y[fold.train], path, list(left), weights):
                found = a_number(data.loss(fitted, test, fold.test), k)
                left.popleft()
                yield found
        except Exception as problem:  # of any kind: one setting that fails must not spoil the others
            left.popleft()
            yield problem


def a_number(loss: float, k: int) -> float:
    """The loss on fold k, which must be a number to be compared by."""
    if np.isnan(loss):
        raise DataError(f"What is measured is no number on the test rows of fold {k + 1}.")
    return loss


def fitted_models(
    model: Any, X: Any, y: np.ndarray, path: str | None, values: list[Any], weights: Vector | None
) -> Iterator[Any]:
    """Models for the values of a path, or the one model where there is none."""
    if path is not None:
        yield from path_models(model, X, y, path.split("__")[-1], np.array(values, dtype=np.float64), weights)
    else:
        yield model.fit(X, y, **weights_for(model, weights))


def weights_for(model: Any, weights: Vector | None) -> dict[str, Vector]:
    """Weights as an argument of `fit`, for the last step of a pipeline."""
    prefix = f"{model.steps[-1][0]}__" if hasattr(model, "steps") else ""
    return {} if weights is None else {f"{prefix}sample_weight": weights}


def rows_for(estimator: Any, X: Any, index: np.ndarray, train: np.ndarray) -> Any:
    """Some rows; of given kernel values only those with the training rows."""
    if get_tags(estimator).input_tags.pairwise:
        return np.asarray(X)[np.ix_(index, train)]
    return some_rows(X, index)


def path_option(estimator: Any, grid: Grid) -> str | None:
    """The option along which fits start from each other: a penalty of the estimator, or of a pipeline's last step."""
    known = estimator.get_params(deep=True)
    unknown = [name for name in grid if name not in known]
    if unknown:
        raise OptionError(
            f"{type(estimator).__name__} has no option {unknown[0]!r}. Its options: {', '.join(sorted(known))}."
        )
    single = [name for name, values in grid.items() if isinstance(values, str) or not hasattr(values, "__len__")]
    if single:
        raise OptionError(f"The values of {single[0]!r} must be a list. Got {grid[single[0]]!r}.")
    empty = [name for name, values in grid.items() if not len(values)]
    if empty:
        raise OptionError(f"The option {empty[0]!r} has no value to try. Give at least one.")
    prefix = f"{estimator.steps[-1][0]}__" if hasattr(estimator, "steps") else ""
    numeric = {name for name, values in grid.items() if all(map(is_number, values))}
    return next((f"{prefix}{option}" for option in PENALTIES if f"{prefix}{option}" in numeric), None)


def is_number(value: Any) -> bool:
    """Whether a value of an option is a real number."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
