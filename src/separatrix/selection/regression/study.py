"""The study of a numeric target: comparison of regressors, in the units of the target, one test, and the chosen one.

In order: what was done to the columns; a part of the rows is held out; how the regressors compare by cross-validation
of the others with each other and with guessing the mean or the median; the error over the penalty of the chosen one;
its error on the rows that were held out, once; its fit to all rows, certified. The comparison and the curve share their
folds, to whose training rows the preparation is fitted once. C and epsilon of the registry's rows are in units of the
spread of the target (see `units`), so that the study of prices is that of thousands of prices.
"""

import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from separatrix.data.files.source import Block
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.suspects import suspect_columns
from separatrix.data.task import as_numbers, check_numbers
from separatrix.errors import DataError, counted
from separatrix.rows import Vector
from separatrix.selection.candidates import predicted_seconds
from separatrix.selection.findings import (
    Findings,
    Progress,
    fit_and_collect_warnings,
    model_words,
    prepared_fields,
    sampled_fields,
)
from separatrix.selection.grid_errors import GridErrors
from separatrix.selection.held_out.division import Division, check_test_rows, divide
from separatrix.selection.held_out.order import Order
from separatrix.selection.held_out.tested_numbers import NumberTest
from separatrix.selection.prepared_folds import Split, some_rows
from separatrix.selection.regression.compare import compare_regressors
from separatrix.selection.regression.comparison import RegressionComparison, RegressionEntry
from separatrix.selection.regression.folds import NumberFolds, split_numbers
from separatrix.selection.regression.penalty_curve import PenaltyCurve, penalty_curve, with_penalty
from separatrix.selection.regression.table import in_units as figure
from separatrix.selection.regression.tube import half_width
from separatrix.selection.regression.units import InUnits
from separatrix.selection.regression.verdict import verdict
from separatrix.selection.trials import TimeBudget

SAMPLE_ROWS = 50_000  # for cross-validation, as in `compare`
TIME_SHARES = 0.75, 0.25  # of the comparison and the curve


class Unseen(NamedTuple):
    """Rows of the table, their numbers, and what a fit that had not seen them predicted."""

    rows: np.ndarray
    truth: Vector
    predicted: Vector


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RegressionStudy(Findings):
    """The results of a study of a numeric target."""

    y: Vector
    comparison: RegressionComparison
    path: PenaltyCurve | None  # the error over the penalty of the chosen regressor, where it has one
    grid: GridErrors | None = None  # the errors that its options were chosen by, where it has any

    task: ClassVar[str] = "regression"

    @property
    def chosen(self) -> str:
        """The name of the chosen regressor."""
        return self.comparison.chosen.name

    @property
    def entry(self) -> RegressionEntry:
        """The results of the chosen regressor in cross-validation."""
        return self.comparison.entry(self.chosen)

    @property
    def unseen(self) -> "Unseen":
        """Rows predicted by a fit that had not seen them: those of the cross-validation, and those held out."""
        entry, index = self.entry, self.comparison.index
        there = np.flatnonzero(np.isfinite(entry.predictions)) if entry.predictions.size else np.arange(0)
        found = Unseen(index[there], entry.truth[there], entry.predictions[there])
        if self.test is None or not self.test.index.size:
            return found
        own = Unseen(self.test.index, self.test.truth, self.test.predicted)
        return Unseen(*(np.append(one, two) for one, two in zip(found, own, strict=True)))

    @property
    def tube(self) -> float | None:
        """The half-width of the tube within which a residual costs nothing; None where the model has none."""
        return half_width(self.fitted)

    @property
    def size(self) -> str:
        """Rows and features, and the range of the target."""
        return f"{super().size}; {self.target or 'target'} {figure(self.y.min())} to {figure(self.y.max())}"

    @property
    def table(self) -> Any:
        """The comparison."""
        return self.comparison

    @property
    def verdict(self) -> list[str]:
        """The conclusions in a few sentences."""
        return verdict(self)

    def __repr__(self) -> str:
        return f"RegressionStudy({self.name}: {self.chosen}, off by {figure(self.entry.mean)} on average)"

    def to_dict(self) -> dict[str, Any]:
        """The findings in plain values."""
        low, middle, high = np.quantile(self.y, [0.0, 0.5, 1.0]).tolist()
        facts = {"least": low, "median": middle, "largest": high}
        return {
            "task": self.task,
            "file": self.name,
            "target": self.target,
            "rows": self.n_rows,
            **sampled_fields(self),
            "features": len(self.feature_names),
            "values": facts | {"mean": float(np.mean(self.y)), "standard_deviation": float(np.std(self.y))},
            "notes": list(self.notes),
            "suspect_columns": [each._asdict() for each in self.suspects],
            "test": None if self.test is None else self.test.to_dict(),
            "fitted_to": model_words(self),
            "comparison": self.comparison.to_dict(),
            "chosen": self.chosen,
            "why": self.why,
            "tube": self.tube,
            "certificate": self.certificate,
            "verdict": self.verdict,
            "seed": self.seed,
            "versions": self.versions,
        }


def study_numbers(
    X: Any,
    y: Any,
    *,
    name: str = "the table",
    target: str = "",
    algorithms: Any = None,
    cv: int = 5,
    test: Any = None,
    groups: Any = None,
    times: Any = None,
    time_limit: float | None = 60.0,
    random_state: int = 0,
    progress: Progress | None = None,
    **shown: Any,
) -> RegressionStudy:
    """Compare regressors of a table, in the units of its target, test the best once, and fit it to all rows.

    Columns of X may hold words. The options are those of `compare`, but `time_limit` is about the seconds of the whole
    study; `test`, `groups` and `times` are those of a study of classes. `name`, `target` and what else is `shown` on a
    page, such as `command`, changes nothing.

    >>> from sklearn.datasets import load_diabetes
    >>> found = study_numbers(*load_diabetes(return_X_y=True), algorithms=["stochastic regression"])
    >>> found.chosen, bool(found.entry.mean < 0.8 * found.comparison.baseline.mean)
    ('stochastic regression', True)
    """
    started = time.monotonic()
    numbers = check_numbers(y, name, target)
    report = progress or (lambda done, total, what: None)
    limits = [None] * 2 if time_limit is None else [share * time_limit for share in TIME_SHARES]
    preparation = Preparation(target or None)
    suspects = tuple(suspect_columns(Block(X, numbers)))
    order = Order.of(groups, times, numbers.size)
    others = check_test_rows(test) if isinstance(test, tuple) else None
    division = divide(numbers, None, 0.0 if others else test, order, keep=0, seed=random_state)
    split = split_of(X, numbers, (division, order), cv, preparation, random_state)
    comparison = compare_regressors(split, algorithms, TimeBudget(limits[0], report), tune=not order.given)
    if not comparison.ranked:
        first = comparison.rows[0]
        raise DataError(f"{name}: no regressor could be fitted. {first.name}: {first.failure}")
    report(1, 1, "error over the penalty")
    chosen, path, grid = chosen_options(comparison, split, preparation, limits[1])
    report(1, 1, "the chosen regressor")
    del split
    estimator, why = choose_regressor(comparison, chosen, path, grid)
    tested = held_out_numbers(X, numbers, division, preparation, estimator)
    features = (prepared := clone(preparation).fit(X)).transform(X)
    del X  # the rows are as large as their features, and the caller may have released them, too
    messages = fit_and_collect_warnings(estimator, features, numbers)
    if others is not None:
        tested = tested_elsewhere(others, target, numbers, prepared, estimator)
    return RegressionStudy(
        name=name,
        target=target,
        **prepared_fields(prepared, division.note),
        X=features,
        y=numbers,
        comparison=comparison,
        path=path,
        grid=grid,
        model=Pipeline([("preparation", prepared), ("regressor", estimator)]),
        why=why,
        warnings=messages,
        seed=random_state,
        seconds=time.monotonic() - started,
        suspects=suspects,
        test=tested,
        **shown,
    )


def chosen_options(
    comparison: RegressionComparison, split: Split[NumberFolds], preparation: Any, limit: float | None
) -> tuple[Any, PenaltyCurve | None, GridErrors | None]:
    """The chosen regressor with options for the rows that chose it, and the errors over its penalty or its grid."""
    chosen, path, grid = clone(comparison.chosen.estimator), None, None
    if is_plain(chosen):
        seconds = predicted_seconds(chosen, split.data.size)
        path = penalty_curve(split, chosen.estimator, TimeBudget(limit), seconds)
    if isinstance(chosen, InUnits):
        chosen, grid = chosen.chosen(clone(preparation).fit_transform(split.data.X), split.data.y)
    return chosen, path, grid


def split_of(
    X: Any, y: Vector, parts: tuple[Division, Order], cv: int, preparation: Any, seed: int
) -> Split[NumberFolds]:
    """Folds of the rows that are not held out, or of a random sample of these where they are many."""
    division, order = parts
    index = division.train
    if index.size > SAMPLE_ROWS:
        index = np.sort(np.random.default_rng(seed).permutation(index)[:SAMPLE_ROWS])
    order = order.rows(index)
    folds, notes = order.folds(cv)
    if index.size < division.train.size:
        notes.append(f"A random sample of {index.size:,} out of {division.train.size:,} rows was used to compare.")
    sample = X if index.size == y.size else some_rows(X, index)
    how: dict[str, Any] = {"repeats": 1, "preparation": preparation, "sample": None, "random_state": seed}
    split = split_numbers(sample, y[index], cv=folds, groups=order.groups, **how)
    return replace(split, index=index, notes=[*notes, *split.notes])


def held_out_numbers(X: Any, y: Vector, division: Division, preparation: Any, estimator: Any) -> NumberTest | None:
    """Fit the choice to the rows that are not held out, and test it on the others; None where none are held out."""
    train, test = division.train, division.test
    if not test.size:
        return None
    prepared = clone(preparation)
    model = clone(estimator).fit(prepared.fit_transform(some_rows(X, train)), y[train])
    return NumberTest("", test, y[test], model.predict(prepared.transform(some_rows(X, test))), y[train])


def tested_elsewhere(
    others: tuple[Any, Any, str], target: str, train: Vector, prepared: Any, estimator: Any
) -> NumberTest:
    """Test the regressor that was fitted to all rows on those from elsewhere."""
    truth = as_numbers(others[1])
    if truth is None:
        raise DataError(f"{others[2]}: the target {target!r} holds a value that is no finite number.")
    return NumberTest(others[2], np.arange(0), truth, estimator.predict(prepared.transform(others[0])), train)


def is_plain(estimator: Any) -> bool:
    """Whether a regressor of the registry has options that were not chosen out of a grid."""
    return isinstance(estimator, InUnits) and estimator.grid is None


def choose_regressor(
    comparison: RegressionComparison, estimator: Any, path: PenaltyCurve | None, grid: GridErrors | None
) -> tuple[Any, str]:
    """The chosen regressor, unfitted, and why; its penalty is changed only where that lessens the error clearly."""
    entry, best = comparison.chosen, comparison.best
    others = [other for other in comparison.ranked if other is not best]
    similar = sum(not other.differs for other in others)
    why = f"{best.name} has the least cross-validated error of {counted(1 + len(others), 'regressor')}, "
    why += f"{figure(best.mean)} on average"
    why += f", but {similar:,} of the others are not shown to be worse." if similar else "."
    if entry is not best:
        own = f"{entry.name[:1].upper()}{entry.name[1:]}"
        why += f" {own}, {figure(entry.mean)}, is within one standard error of it, and its fits are proved."
    if grid is not None:
        chosen = " and ".join(f"{name} = {getattr(estimator, name):.4g}" for name in grid.options)
        settings = counted(int(np.prod(grid.mean.shape)), "setting")
        return estimator, (
            f"{why} Its {chosen} err least of {settings}; in the comparison they were chosen within the training rows "
            "of each fold."
        )
    if path is None or entry.mean - path.mean.min() <= path.standard_error:
        return estimator, why
    option, before = path.option, getattr(estimator, path.option)
    why += f" {option} = {path.best:.4g} instead of {before:.4g} lessens its error by more than one standard error."
    return with_penalty(estimator, option, path.best), why
