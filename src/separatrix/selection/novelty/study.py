"""The study of rows without a target: which of them are unusual, by a machine that nu of them may be outside of.

    nu    the part of the rows that may be outside at most; at least as many are support rows

The machine is fitted to all rows, certified. Within folds it is fitted to the others: the part of rows outside that it
has not seen says whether the boundary holds for new ones.
"""

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from separatrix.data.folds import shuffled_folds
from separatrix.data.prepare.preparation import Preparation
from separatrix.errors import DataError, OptionError, counted
from separatrix.estimators.algorithm import Algorithm
from separatrix.estimators.registry import algorithms
from separatrix.rows import Vector
from separatrix.selection.findings import Findings, Progress, certificate_sentence, fit_and_collect_warnings
from separatrix.selection.novelty.unusual import UnusualRow, unusual_rows
from separatrix.selection.prepared_folds import row_count, some_rows
from separatrix.selection.trials import TimeBudget
from separatrix.solvers.options import number

DEFAULT_NU = 0.05  # the most unusual twentieth of the rows
SAMPLE_ROWS = 5_000  # for cross-validation
MIN_ROWS, MAX_ROWS = 4, 100_000
TIME_SHARE = 0.5  # of cross-validation


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NoveltyStudy(Findings):
    """The results of a study of rows without a target."""

    chosen: str  # the name of the method
    nu: float
    scores: Vector  # of the decision function: negative outside
    outside: np.ndarray  # which rows are predicted to be outside
    unseen: Vector  # the part of rows outside in each fold, of a machine fitted to the others; empty where it failed
    unusual: list[UnusualRow]  # the rows with the least scores

    task: ClassVar[str] = "novelty"

    @property
    def support_rows(self) -> int | None:
        """How many rows hold the boundary or are outside; None where the machine does not say."""
        held = getattr(self.fitted, "support_", None)
        return None if held is None else len(held)

    @property
    def verdict(self) -> list[str]:
        """The conclusions in a few sentences."""
        n, n_outside = self.n_rows, int(self.outside.sum())
        said = [
            f"{n_outside:,} of {counted(n, 'row')} are outside ({n_outside / n:.2%}), where nu = {self.nu:g} may be."
        ]
        if self.support_rows is not None:
            said.append(f"{self.support_rows:,} are support rows ({self.support_rows / n:.2%}), at least nu of them.")
        if self.unseen.size:
            said.append(f"Of rows that were left out of the fit, {self.unseen.mean():.2%} are outside.")
        first = self.unusual[0]
        said.append(f"The most unusual is row {first.row:,} (from 0), with a score of {first.score:.4g}: {first.why}.")
        return [said[0], " ".join(said[1:]), certificate_sentence(self.fitted.certificate_, n)]

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
            "chosen": self.chosen,
            "nu": self.nu,
            "outside": np.flatnonzero(self.outside).tolist(),
            "part_outside": float(self.outside.mean()),
            "part_outside_unseen": float(self.unseen.mean()) if self.unseen.size else None,
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
    time_limit: float | None = 60.0,
    random_state: int = 0,
    command: str = "",
    check: str = "",
    progress: Progress | None = None,
) -> NoveltyStudy:
    """Fit a one-class machine to the rows of a table, and find the unusual ones.

    Columns of X may hold words; that of the name `target` is left out. `nu` is the part of the rows that may be outside
    at most. `name`, `command` and `check` are only shown.
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
    prepared = Preparation(target or None).fit(X)
    features = prepared.transform(X)
    report(0, 2, "the rows that are outside")
    estimator = row.make(nu=nu)
    messages = fit_and_collect_warnings(estimator, features, None)
    scores = np.asarray(estimator.decision_function(features), dtype=np.float64).ravel()
    report(1, 2, "rows that were left out")
    budget = TimeBudget(None if time_limit is None else TIME_SHARE * time_limit)
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
        command=command,
        check=check,
        chosen=row.name,
        nu=float(nu),
        scores=scores,
        outside=np.asarray(estimator.predict(features)) < 0,
        unseen=unseen_outside(estimator, features, cv, random_state, budget),
        unusual=unusual_rows(X, scores, prepared.feature_names_out_, target or None),
    )


def detector() -> Algorithm:
    """The row of the registry that finds unusual rows."""
    rows = algorithms("novelty")
    if not rows:
        raise OptionError("There is no algorithm for novelty in the registry.")
    return rows[0]


def unseen_outside(estimator: Any, X: Any, cv: int, seed: int, budget: TimeBudget) -> Vector:
    """The part of the rows of each fold that is outside for a machine fitted to the other folds."""
    n = X.shape[0]
    if n > SAMPLE_ROWS:
        sample = np.sort(np.random.default_rng(seed).permutation(n)[:SAMPLE_ROWS])
        X, n = some_rows(X, sample), SAMPLE_ROWS
    found: list[float] = []
    for fold in shuffled_folds(n, min(cv, n // 2), 1, seed):
        if found and budget.exhausted:
            break
        model = clone(estimator)
        fit_and_collect_warnings(model, X[fold.train], None)
        found.append(float(np.mean(model.predict(X[fold.test]) < 0)))
    return np.array(found)
