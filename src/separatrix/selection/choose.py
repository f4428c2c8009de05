"""Choose options by cross-validation, and report the error of the choice on rows that had no part in it.

    T test rows are set aside; K folds of the others choose; the choice is fitted to all of those and tested on T, once

The error that a choice was made by is too small, the more settings were tried the more so: the test rows are for the
figure to report (Stone, 1974).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from separatrix.data.encode import labels
from separatrix.data.folds import stratified_folds, stratified_sample, usable_folds
from separatrix.errors import DataError, OptionError, counted
from separatrix.selection.differences import Interval, exact_interval
from separatrix.selection.grid_errors import Grid, GridErrors, grid_errors, rows_for
from separatrix.selection.prepared_folds import row_count
from separatrix.solvers.options import number, whole

RULES = ("best", "one_standard_error")
MAX_SETTINGS_SHOWN = 5


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """The chosen options, the errors they were chosen by, and the model.

    Attributes
    ----------
    parameters : dict
        The chosen options.
    grid : GridErrors
        The error of every setting on every fold: `options`, `errors`, `mean`, `standard_error`.
    model : estimator
        With the chosen options, fitted to all rows but the test rows.
    test_error, test_interval : float and Interval, or None
        Its error rate on the test rows and the 95 % interval; None without test rows.
    n_test : int
        How many test rows there were.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearSVM, choose
    >>> print(choose(LinearSVM(), *load_iris(return_X_y=True), {"C": [0.001, 1.0]}, test=0.2))
    2 settings, 5 folds each:
        7.50 % +- 1.56  C = 1  chosen
       34.17 % +- 0.83  C = 0.001
    chosen: C = 1
    3.33 % of 30 test rows wrong, 95 % interval 0.08 to 17.22 %; they had no part in the choice.
    """

    parameters: dict[str, Any]
    grid: GridErrors
    model: Any
    test_error: float | None
    test_interval: Interval | None
    n_test: int

    def __repr__(self) -> str:
        return f"Choice({shown(self.parameters)})"

    def __str__(self) -> str:
        mean, spread = self.grid.mean, self.grid.standard_error
        order = np.argsort(mean, axis=None, kind="stable")[:MAX_SETTINGS_SHOWN]
        lines = [f"{counted(mean.size, 'setting')}, {counted(self.grid.errors.shape[-1], 'fold')} each:"]
        for place in (tuple(map(int, np.unravel_index(flat, mean.shape))) for flat in order):
            setting = self.grid.setting(place)
            mark = "  chosen" if setting == self.parameters else ""
            lines.append(f"  {100 * mean[place]:6.2f} % +- {100 * spread[place]:.2f}  {shown(setting)}{mark}")
        if mean.size > order.size:
            lines.append(f"  ... and {counted(mean.size - order.size, 'setting')} with larger errors")
        lines.append(f"chosen: {shown(self.parameters)}")
        if self.test_error is None or self.test_interval is None:
            return "\n".join([*lines, "No test rows: the error that was chosen by is too small to report."])
        low, high = self.test_interval
        interval = f"95 % interval {100 * low:.2f} to {100 * high:.2f} %"
        found = f"{100 * self.test_error:.2f} % of {counted(self.n_test, 'test row')} wrong, {interval}"
        return "\n".join([*lines, f"{found}; they had no part in the choice."])


def choose(
    estimator: Any,
    X: Any,
    y: Any,
    parameters: Grid,
    *,
    folds: int = 5,
    test: Any = None,
    rule: Literal["best", "one_standard_error"] = "best",
    random_state: Any = 0,
    progress: Callable[[int, int], object] | None = None,
) -> Choice:
    """Choose options of an estimator by cross-validation, and fit it with them.

    Fits for several C, or ridge, of one combination of the other options start from each other.

    Parameters
    ----------
    estimator : unfitted classifier, its class, or pipeline
        What is fitted; options of a pipeline's steps are named as `step__option`.
    X, y : rows and labels
        The data.
    parameters : mapping of option to values
        All combinations are tried. Of equal errors the first is chosen, so begin with the simplest values.
    folds : int
        How many there are; at most as many as the rarest class has rows.
    test : float, pair (X, y), or None
        The part of the rows to set aside for one test of the choice, or other rows for it.
    rule : {"best", "one_standard_error"}
        Whether the setting of the least error is chosen, or the first within one standard error of it.
    random_state : int, RandomState or None
        Of the folds and the test rows.
    progress : callable or None
        Called with the number of fits done and of all fits.

    Returns
    -------
    Choice
        The options, the errors of all settings, the model, and its error on the test rows.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from separatrix import KernelSVM, choose
    >>> X, y = make_moons(300, noise=0.2, random_state=0)
    >>> found = choose(KernelSVM(), X, y, {"C": [1, 10], "gamma": [0.1, 1, 10]}, test=0.2)
    >>> found.parameters, found.test_error < 0.1
    ({'C': 1, 'gamma': 1}, True)
    """
    if rule not in RULES:
        raise OptionError(f"The 'rule' parameter must be one of {RULES}. Got {rule!r}.")
    if not parameters:
        raise OptionError("'parameters' names no option. Give at least one, such as {\"C\": [1, 10, 100]}.")
    model = estimator() if isinstance(estimator, type) else clone(estimator)
    classes, codes = labels(y, row_count(X))
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    train, tested = set_aside(model, X, classes[codes], codes, test, seed)
    rows, own = rows_for(model, X, train, train), codes[train]
    divided = stratified_folds(own, usable_folds(own, classes, whole("folds", folds, least=2)), 1, seed)
    total = len(divided) * int(np.prod([len(values) for values in parameters.values()]))
    report = (lambda done: progress(done, total)) if progress else (lambda _: None)
    grid = grid_errors(model, rows, classes[own], divided, parameters, report)
    chosen = grid.setting(grid.best if rule == "best" else grid.simplest)
    fitted = clone(model).set_params(**chosen).fit(rows, classes[own])
    if tested is None:
        return Choice(chosen, grid, fitted, None, None, 0)
    wrong, n = int(np.sum(fitted.predict(tested[0]) != tested[1])), len(tested[1])
    return Choice(chosen, grid, fitted, wrong / n, exact_interval(wrong, n), n)


def set_aside(estimator: Any, X: Any, y: np.ndarray, codes: np.ndarray, test: Any, seed: int) -> tuple[np.ndarray, Any]:
    """The rows to choose with, and the rows and labels to test with."""
    everything = np.arange(codes.size)
    if test is None:
        return everything, None
    if isinstance(test, tuple):
        if len(test) != 2 or row_count(test[0]) != len(test[1]) or not len(test[1]):
            raise DataError("'test' must be a pair (X, y) of as many rows as labels, at least one.")
        return everything, (test[0], np.asarray(test[1]))
    part = number("test", test, above=0.0, most=0.9)
    index = stratified_sample(codes, max(1, round(part * codes.size)), 1, seed)
    train = np.setdiff1d(everything, index)
    if np.bincount(codes[train], minlength=codes.max() + 1).min() < 2:
        raise DataError(f"test={part:g} leaves fewer than 2 rows of a class to choose with. Give less, or other rows.")
    return train, (rows_for(estimator, X, index, train), y[index])


def shown(options: dict[str, Any]) -> str:
    """Options as text."""
    pairs = ((name, f"{value:.4g}" if isinstance(value, float) else repr(value)) for name, value in options.items())
    return ", ".join(f"{name} = {value}" for name, value in pairs)
