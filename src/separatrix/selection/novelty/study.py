"""The study of rows without a target: which of them are unusual, by a machine that nu of them may be outside of.

    nu    the part of the rows that may be outside at most; at least as many are support rows

The machine is fitted to all rows, certified. A row of its own fit raises its score by its own kernel value, so that far
rows may be hidden among those on the boundary. So each row is also scored by a machine that was fitted without it, in
folds: these scores, relative to the threshold rho, say which rows are unusual, and how many new rows will be outside.

    score of a row left out    (<w, phi(x)> - rho) / rho      0 at the boundary, -1 where nothing is near
"""

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from separatrix.data.files.source import Block
from separatrix.data.folds import Fold, shuffled_folds
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.suspects import suspect_columns
from separatrix.errors import DataError, OptionError, counted
from separatrix.estimators.algorithm import Algorithm
from separatrix.estimators.registry import algorithms
from separatrix.rows import Vector
from separatrix.selection.findings import Findings, Progress, certificate_sentence, fit_and_collect_warnings
from separatrix.selection.novelty.unusual import UnusualRow, unusual_rows
from separatrix.selection.prepared_folds import row_count
from separatrix.solvers.options import number, whole

DEFAULT_NU = 0.05  # the most unusual twentieth of the rows
SAMPLE_ROWS = 10_000  # that a machine of cross-validation is fitted to, at most
MIN_ROWS, MAX_ROWS = 4, 200_000
FIT_SHARE = 0.5  # of the time: the fit to all rows; those of the folds have the rest
MAX_ROWS_SHOWN = 10  # of the most unusual, on a terminal


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NoveltyStudy(Findings):
    """The results of a study of rows without a target."""

    chosen: str  # the name of the method
    nu: float
    scores: Vector  # of the decision function: negative outside
    outside: np.ndarray  # which rows are predicted to be outside
    unseen: Vector  # scores of the rows when they were left out, relative to the threshold; negative outside
    n_folds: int
    unusual: list[UnusualRow]  # the rows with the least scores when they were left out

    task: ClassVar[str] = "novelty"

    @property
    def support_rows(self) -> int | None:
        """How many rows hold the boundary or are outside; None where the machine does not say."""
        held = getattr(self.fitted, "support_", None)
        return None if held is None else len(held)

    @property
    def part_outside_unseen(self) -> float:
        """The part of the rows that is outside when they are left out."""
        return float((self.unseen < 0.0).mean())

    @property
    def table(self) -> str:
        """The first of the most unusual rows, a line each."""
        shown = self.unusual[:MAX_ROWS_SHOWN]
        names = [self.row_name(row.row) for row in shown]
        width = max(3, *map(len, names))
        lines = [f"{'row':>{width}}   score  unusual in it"]
        lines += [f"{name:>{width}}  {row.score:>6.3f}  {row.why}" for name, row in zip(names, shown, strict=True)]
        return "\n".join([*lines, "", f"{self.counting} Each is scored by a machine that has not seen it."])

    @property
    def verdict(self) -> list[str]:
        """The conclusions in a few sentences."""
        n, n_outside, n_unseen = self.n_rows, int(self.outside.sum()), int((self.unseen < 0).sum())
        first = self.unusual[0]
        facts = [
            f"In the fit to all rows {n_outside:,} are outside, {100 * n_outside / n:.3g} %, where nu allows "
            f"{100 * self.nu:.3g} %; a row raises its own score there."
        ]
        if self.support_rows is not None:
            facts.append(f"{self.support_rows:,} are support rows, {100 * self.support_rows / n:.3g} %, at least nu.")
        return [
            f"{n_unseen:,} of {counted(n, 'row')} are outside when they are left out of the fit.",
            f"The most unusual is {self.row_name(first.row)}, with a score of {first.score:.3g}: {first.why}.",
            " ".join(facts),
            certificate_sentence(self.fitted.certificate_, n),
        ]

    def __repr__(self) -> str:
        return f"NoveltyStudy({self.name}: {int(self.outside.sum()):,} of {self.n_rows:,} rows outside, nu={self.nu:g})"

    def to_dict(self) -> dict[str, Any]:
        """The findings in plain values."""
        return {
            "task": self.task,
            "file": self.name,
            "rows": self.n_rows,
            "features": len(self.feature_names),
            "notes": list(self.notes),
            "suspect_columns": [each._asdict() for each in self.suspects],
            "chosen": self.chosen,
            "nu": self.nu,
            "outside": np.flatnonzero(self.outside).tolist(),
            "part_outside": float(self.outside.mean()),
            "part_outside_unseen": self.part_outside_unseen,
            "support_rows": self.support_rows,
            "unusual": [row._asdict() for row in self.unusual],
            "why": self.why,
            "certificate": self.certificate,
            "verdict": self.verdict,
            "seed": self.seed,
            "versions": self.versions,
        }


def study_novelty(
    X: Any,
    *,
    nu: float = DEFAULT_NU,
    name: str = "the table",
    target: str = "",
    cv: int = 5,
    time_limit: float | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
    **shown: Any,
) -> NoveltyStudy:
    """Fit a one-class machine to the rows of a table, and find the unusual ones.

    Columns of X may hold words; that of the name `target` is left out. `nu` is the part of the rows that may be outside
    at most. `time_limit` is about the seconds of all fits; what they reach in it is certified. `name` and what else is
    `shown` on a page, such as `command`, changes nothing.

    >>> X = np.random.default_rng(0).standard_normal((60, 2))
    >>> X[7] = 9.0, -9.0
    >>> found = study_novelty(X, nu=0.1)
    >>> found.unusual[0].row, bool(found.unusual[0].score < -0.9), bool(found.outside.mean() <= 0.1)
    (7, True, True)
    """
    started = time.monotonic()
    number("nu", nu, above=0.0, most=1.0)
    row, report = detector(), progress or (lambda done, total, what: None)
    n = row_count(X)
    if n < MIN_ROWS:
        raise DataError(f"{name} holds {counted(n, 'row')}: give 4 or more, or there is nothing usual to compare with.")
    if n > MAX_ROWS:
        raise DataError(
            f"{name} holds {counted(n, 'row')}, and a study of novelty takes {MAX_ROWS:,} at most, as it needs the "
            "kernel values of all pairs. Give a sample of them."
        )
    suspects = tuple(suspect_columns(Block(X, None)))
    prepared = Preparation(target or None).fit(X)
    features = prepared.transform(X)
    report(0, 2, "the rows that are outside")
    share = None if time_limit is None else FIT_SHARE * number("time_limit", time_limit, above=0.0)
    estimator = row.make(nu=nu, time_limit=share)
    messages = fit_and_collect_warnings(estimator, features, None)
    scores = np.asarray(estimator.decision_function(features), dtype=np.float64).ravel()
    report(1, 2, "rows that were left out")
    folds = shuffled_folds(n, min(whole("cv", cv, 2), n // 2), 1, random_state)
    each = None if share is None or time_limit is None else (time_limit - share) / len(folds)
    unseen = unseen_scores(row.make(nu=nu, time_limit=each), features, folds)
    return NoveltyStudy(
        name=name,
        target=target,
        columns=prepared.columns_,
        notes=prepared.notes_,
        feature_names=prepared.feature_names_out_,
        X=features,
        model=Pipeline([("preparation", prepared), ("detector", estimator)]),
        why=f"{row.name} finds the smallest region that at most nu = {nu:g} of the rows are outside of.",
        warnings=messages,
        seed=random_state,
        seconds=time.monotonic() - started,
        suspects=suspects,
        **shown,
        chosen=row.name,
        nu=float(nu),
        scores=scores,
        outside=np.asarray(estimator.predict(features)) < 0,
        unseen=unseen,
        n_folds=len(folds),
        unusual=unusual_rows(X, unseen, prepared.feature_names_out_, target or None),
    )


def detector() -> Algorithm:
    """The row of the registry that finds unusual rows."""
    rows = algorithms("novelty")
    if not rows:
        raise OptionError("There is no algorithm for novelty in the registry.")
    return rows[0]


def unseen_scores(estimator: Any, X: Any, folds: tuple[Fold, ...]) -> Vector:
    """The score of each row by a machine fitted to the other folds, or a sample of them, relative to its threshold."""
    found = np.empty(X.shape[0])
    for fold in folds:
        train = fold.train
        if train.size > SAMPLE_ROWS:
            train = np.sort(np.random.default_rng(0).permutation(train)[:SAMPLE_ROWS])
        model = clone(estimator)
        fit_and_collect_warnings(model, X[train], None)
        threshold = abs(float(np.ravel(model.offset_)[0])) or 1.0
        found[fold.test] = np.ravel(model.decision_function(X[fold.test])) / threshold
    return found
