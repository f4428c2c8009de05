"""Trials of many methods on the same folds, the cheapest first, within a budget of time."""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from separatrix.errors import OptionError
from separatrix.estimators.algorithm import Task
from separatrix.estimators.fit_cost import Size
from separatrix.rows import Vector
from separatrix.selection.candidates import Candidate, cheapest_first, given, multiplications, named, registered
from separatrix.selection.cross_validate import Trial, cross_validate
from separatrix.selection.prepared_folds import PreparedRows
from separatrix.solvers.options import number

Folds = TypeVar("Folds", bound=PreparedRows)
Result = TypeVar("Result", bound=Any)  # an entry of a table, with its failure


class TimeBudget:
    """The seconds that a comparison may take, and the function that is told of its progress."""

    def __init__(self, seconds: float | None, progress: Callable[[int, int, str], Any] | None = None) -> None:
        self.seconds = np.inf if seconds is None else number("time_limit", seconds, above=0.0)
        self.deadline = time.perf_counter() + self.seconds
        self.report: Callable[[int, int, str], Any] = progress or (lambda done, total, name: None)

    @property
    def exhausted(self) -> bool:
        """Whether the deadline has passed."""
        return time.perf_counter() >= self.deadline


def select_candidates(
    algorithms: Any, size: Size, seed: int, tune: bool = False, task: Task = "classification"
) -> tuple[list[Candidate], dict[str, str]]:
    """The methods to try in their order, and those that are left out with the reason."""
    if algorithms is None:
        candidates, left_out = registered(size, seed, tune, task)
        return cheapest_first(candidates, size), left_out
    if isinstance(algorithms, Mapping):
        return given(algorithms, seed), {}
    if isinstance(algorithms, str) or not isinstance(algorithms, Iterable):
        raise OptionError(
            "The 'algorithms' parameter must map names to estimators, or be a list of names, or None. Got "
            f"{algorithms!r}."
        )
    return cheapest_first(named(algorithms, size, seed, tune, task), size), {}


def try_candidates(
    candidates: list[Candidate],
    data: Folds,
    budget: TimeBudget,
    make_entry: Callable[[Candidate, Trial, Folds], Result],
    n_jobs: int | None = None,
) -> tuple[list[Result], dict[str, str]]:
    """Entries of the candidates that were cross-validated, and the reason for those that the budget did not reach.

    The clock stops only methods whose cost is not known, so that the others are the same in every run.
    """
    entries: list[Result] = []
    not_reached: dict[str, str] = {}
    n_folds = len(data.folds)
    total = len(candidates) * n_folds
    for place, candidate in enumerate(candidates):
        known = np.isfinite(multiplications(candidate.estimator, data.size))
        may_stop = not known and any(not entry.failure for entry in entries)  # one method is tried to the end

        def proceed(
            done: int, before: int = place * n_folds, name: str = candidate.name, may_stop: bool = may_stop
        ) -> bool:
            budget.report(before + done, total, name)
            return not (may_stop and budget.exhausted)

        stopped = may_stop and budget.exhausted
        trial = None if stopped else cross_validate(candidate.estimator, data, proceed, n_jobs)
        if trial is None:
            not_reached[candidate.name] = f"the time limit of {budget.seconds:g} s was used up"
        else:
            entries.append(make_entry(candidate, trial, data))
        if trial is None or trial.failure:
            budget.report((place + 1) * n_folds, total, candidate.name)
    return entries, not_reached


def thinned(values: Vector, most: float) -> Vector:
    """Every value, or every second, third and so on about the middle one, so that they are as many as most.

    >>> thinned(np.arange(13.0), 100.0).size, thinned(np.arange(13.0), 7.0).tolist()
    (13, [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0])
    """
    middle = values.size // 2
    for step in range(1, middle + 1):
        kept = values[middle % step :: step]
        if kept.size <= most:
            return kept
    return values[middle % middle :: middle]
