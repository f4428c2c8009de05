"""Choose options by cross-validation, and report the error of the choice on rows that had no part in it.

    T test rows are set aside; K folds of the N others choose; the choice is fitted to all N and tested on T, once

The error that a choice was made by is too small, the more settings were tried the more so: the test rows are for the
figure to report (Stone, 1974).
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from separatrix.data.blocks import Blocks
from separatrix.errors import OptionError
from separatrix.options import number, whole
from separatrix.selection.blocks.sampled import check_learns, drawn, fitted_to_all, takes_columns
from separatrix.selection.choosing.choice import Choice
from separatrix.selection.choosing.divided import divided
from separatrix.selection.choosing.held_out import set_aside
from separatrix.selection.choosing.nested import NestedError, nested_error
from separatrix.selection.choosing.progress_bar import Report, shown_progress
from separatrix.selection.choosing.sample import Sample
from separatrix.selection.choosing.tested import Measured, measured
from separatrix.selection.grid_errors import Grid, GridErrors, grid_errors, path_option, weights_for
from separatrix.selection.measures.metrics import Metric
from separatrix.selection.splitting import is_count

__all__ = ["Choice", "choose"]

RULES = ("best", "one_standard_error")
OUTER_FOLDS = 5


def choose(
    estimator: Any,
    X: Any,
    y: Any = None,
    parameters: Grid = MappingProxyType({}),
    *,
    folds: Any = 5,
    test: Any = 0.2,
    rule: Literal["best", "one_standard_error"] = "best",
    scoring: Any = None,
    positive: Any = None,
    repeats: int = 1,
    nested: bool | int = False,
    groups: Any = None,
    sample_weight: Any = None,
    sample: int | None = None,
    time_limit: float | None = None,
    random_state: Any = 0,
    progress: Callable[[int, int], object] | bool | None = None,
) -> Choice:
    """Choose options of an estimator by cross-validation, fit it with them, and test it once.

    Parameters
    ----------
    estimator : unfitted classifier, regressor or pipeline, or its class
        What is fitted; options of a pipeline's steps are named as `step__option`.
    X, y : rows and labels or numbers, or Blocks alone
        The data. Of blocks a random sample is chosen with, and the model is fitted to all rows, test rows among them.
    parameters : mapping of option to values
        All combinations are tried. Of equal errors the first is chosen, so begin with the simplest values.
    folds, repeats : int or splitter, int
        How many there are, at most as many as the rarest class has rows, and how often they are drawn; or a splitter of
        scikit-learn.
    test : float, pair (X, y), or None
        The part of the rows to set aside for one test of the choice, whole groups, the last rows in time; or others.
    rule : {"best", "one_standard_error"}
        Whether the setting of the least error is chosen, or the first within one standard error of it.
    scoring, positive : as for compare, or a matrix of costs
        "error", "balanced", "auc", "logloss", "f1", "recall" or a scorer; an array has the cost of each prediction
        (columns) for each class (rows).
    nested : bool or int
        Whether, or by how many outer folds, to estimate the error of the whole procedure too.
    groups, sample_weight : array or None
        The group of each row, which stays on one side of every division; its weight in fits and errors.
    sample : int or None
        Of blocks, how many rows are drawn to choose with; None: 100,000.
    time_limit : float or None
        Seconds after which no setting is begun; each is compared on all folds or not at all.
    random_state, progress : int, RandomState or None; callable, bool or None
        Of folds and test rows; what is called with the numbers of fits done and of all, or whether to show a bar.

    Returns
    -------
    Choice
        The options, the errors of all settings, the model, and its error on the test rows.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from separatrix import KernelSVM, choose
    >>> found = choose(KernelSVM(), *make_moons(300, noise=0.2, random_state=0), {"C": [1, 10], "gamma": [0.1, 1, 10]})
    >>> found.parameters, found.test_error < 0.1
    ({'C': 1, 'gamma': 1}, True)
    """
    model = estimator() if isinstance(estimator, type) else clone(estimator)
    how = Procedure(model, parameters, folds, whole("repeats", repeats), rule, outer_folds(nested, folds), time_limit)
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    rows = (X, y, groups, sample_weight)
    wanted = test, (scoring, positive), seed, progress
    return how.by_sample(rows, sample, random_state, wanted) if isinstance(X, Blocks) else how.of_rows(rows, *wanted)


def outer_folds(nested: Any, folds: Any) -> Any:
    """How the outer folds of a nested estimate are made; None where there is none."""
    if isinstance(nested, (bool, np.bool_)):
        return None if not nested else OUTER_FOLDS if is_count(folds) else folds
    if not is_count(folds):
        raise OptionError(f"With a splitter for folds=, nested=True divides by it as well. Got nested={nested!r}.")
    return whole("nested", nested, least=2)


@dataclass(frozen=True, eq=False)
class Chosen:
    """A setting, the errors it was chosen by, the model with it fitted to all rows, and remarks on the folds."""

    parameters: dict[str, Any]
    grid: GridErrors
    fitted: Any
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Procedure:
    """How options are chosen, whatever the rows: `outer` is None, or how outer folds are made."""

    model: Any
    parameters: Grid
    folds: Any
    repeats: int
    rule: str
    outer: Any
    time_limit: float | None

    def __post_init__(self) -> None:
        """Refuse what no rows could make sense of."""
        if self.rule not in RULES:
            raise OptionError(f"The 'rule' parameter must be one of {RULES}. Got {self.rule!r}.")
        if not isinstance(self.parameters, Mapping) or not self.parameters:
            raise OptionError("'parameters' names no option. Give at least one, such as {\"C\": [1, 10, 100]}.")
        path_option(self.model, self.parameters)
        if self.outer is not None and not hasattr(self.outer, "split") and not is_count(self.outer):
            raise OptionError("A nested estimate divides rows twice: give folds= as a number or a splitter.")
        if self.outer is not None and self.time_limit is not None:
            raise OptionError("The clock would decide what nested= estimates. Give no time_limit with it.")

    def of_rows(self, rows: tuple[Any, ...], test: Any, wanted: tuple[Any, Any], seed: int, progress: Any) -> Choice:
        """Choose by rows, given with their targets, groups and weights."""
        with shown_progress(progress, type(self.model).__name__) as report:
            return self.choice(Sample.of(self.model, *rows), test, wanted, seed, report)

    def by_sample(self, rows: tuple[Any, ...], size: int | None, random_state: Any, wanted: tuple[Any, ...]) -> Choice:
        """Choose by a sample of blocks, and fit the choice to all of them."""
        blocks, y, groups, weights = rows
        check_learns(self.model, blocks)
        raw = takes_columns(self.model)
        sample = drawn(blocks, size, random_state, raw, y=y, groups=groups, sample_weight=weights)
        found = self.of_rows((sample.X, sample.y, None, sample.weights), *wanted)
        return fitted_to_all(found, self.model, blocks, sample)

    def choice(self, sample: Sample, test: Any, wanted: tuple[Any, Any], seed: int, report: Report) -> Choice:
        """Set test rows aside, choose with the others, and test once; `wanted` are the scoring and its class."""
        metric = sample.metric(*wanted)
        rows, aside, note = set_aside(sample, test, self.folds, seed)
        chosen, nested = self.run(rows, metric, seed, report)
        found: Measured | None = None
        if aside is not None:
            found = measured(chosen.fitted, aside, metric, seed)
        loss, interval = found or (None, None)
        return Choice(
            chosen.parameters, chosen.grid, chosen.fitted, loss, interval, aside.n if aside else 0, metric, nested,
            self.rule, (*chosen.notes, note) if note else chosen.notes, rows.n,
        )  # fmt: skip

    def run(self, rows: Sample, metric: Metric, seed: int, report: Report) -> tuple[Chosen, NestedError | None]:
        """Choose, and estimate the error of the procedure if that is asked for."""
        if self.time_limit is not None:
            number("time_limit", self.time_limit, above=0.0)
        outer = () if self.outer is None else divided(rows, self.outer, 1, seed)[0]
        n_settings = prod(map(len, self.parameters.values()))
        n_folds = len(divided(rows, self.folds, self.repeats, seed)[0])
        total = n_settings * n_folds * (1 + len(outer))
        chosen = self.chosen(rows, metric, seed, partial(told, report, 0, total))
        if not outer:
            return chosen, None
        found = []
        for k, fold in enumerate(outer):
            before = n_settings * n_folds * (1 + k)
            found.append(self.chosen(rows.part(fold.train), metric, seed, partial(told, report, before, total)))
        tests = [rows.part(fold.test, fold.train) for fold in outer]
        errors = [
            test.loss(metric)(each.fitted, test.X, np.arange(test.n)) for each, test in zip(found, tests, strict=True)
        ]
        return chosen, nested_error(errors, [each.parameters for each in found], outer, metric)

    def chosen(self, rows: Sample, metric: Metric, seed: int, done: Callable[[int], object]) -> Chosen:
        """Compare all settings on folds, and fit with the best to all rows."""
        folds, notes = divided(rows, self.folds, self.repeats, seed)
        limit = np.inf if self.time_limit is None else time.perf_counter() + self.time_limit
        grid = grid_errors(
            self.model, rows.X, rows.y, folds, self.parameters, done, rows.loss(metric),
            sample_weight=rows.weights, deadline=limit, reads_rows=metric.reads_rows,
        )  # fmt: skip
        setting = grid.setting(grid.best if self.rule == "best" else grid.simplest)
        model = clone(self.model).set_params(**setting)
        return Chosen(setting, grid, model.fit(rows.X, rows.y, **weights_for(model, rows.weights)), tuple(notes))


def told(report: Report, before: int, total: int, done: int) -> None:
    """Tell of fits that are done beside those before them."""
    report(before + done, total)
