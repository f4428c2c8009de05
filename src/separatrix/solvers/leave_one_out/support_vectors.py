"""Scores of each row by the support vector machine of all other rows, exactly.

A row with alpha = 0 changes nothing when it leaves. The alpha of every other row is driven to 0 from the optimum of all
rows (`downdating`), and the optimum where this ends is checked from the rows: `violations` are those of its conditions.
Where a path is given up, or ends with a violation, the machine of the other rows is fitted anew.

A row that is the only one of its class leaves a machine of one class, which scores all rows for that class: infinitely.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from separatrix import rows as storage
from separatrix.problem import Expansion, Problem
from separatrix.rows import Vector
from separatrix.solvers.leave_one_out.base_optimum import (
    MAX_VIOLATION,
    Optimum,
    Variables,
    is_matrix,
    optimum_of,
    polished,
    summed,
    supported_scores,
)
from separatrix.solvers.leave_one_out.bounds import Flagged, flagged_variables
from separatrix.solvers.leave_one_out.optimality import ROUNDED_BETA
from separatrix.solvers.leave_one_out.paths import Paths
from separatrix.threads import threads_for

MIN_CANDIDATES, CANDIDATE_RATIO = 128, 1.5  # rows that may change sides at first: so many, and for each free one
MAX_ROUNDS = 3  # in which more rows may
MAX_ROUNDED_VIOLATION = 1e-7  # of all rows, up to which that of a path may be ten times as large
MIDDLE_RTOL = 1e-9  # by which a row may be off the end of the interval of b that it determines


class LeftOut(NamedTuple):
    """Scores of each row with and without it, and how each was found."""

    scores: Vector  # without the row
    own: Vector  # with it
    beta: Vector  # of the machine of all rows; that of equal rows is with the first of them
    violations: Vector  # of the optimality conditions of each machine, from the rows
    undetermined: np.ndarray  # whether b may have been, somewhere on the way
    refitted: np.ndarray
    flagged: Flagged | None  # which rows bounds of errors count, for classes


def left_out(problem: Problem, beta: Vector | None = None) -> LeftOut:
    """Scores of each row without it; beta is y alpha of an optimum that may be known already.

    >>> from separatrix.objectives import SoftMargin
    >>> problem = Problem(np.array([[0.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])).posed(SoftMargin(C=np.inf))
    >>> found = left_out(problem)
    >>> found.scores.round(6).tolist()  # without the row at 2 the plane is half way between 0 and 3
    [-5.0, 0.333333, 0.0, 3.0]
    >>> bool(found.violations.max() < 1e-12)
    True
    """
    variables = Variables(problem)
    with threads_for(0.0):
        machine = Machine(problem, variables, *optimum_of(problem, variables, beta))
        return machine.left_out()


def scores_by(part: Problem, found: LeftOut, X: Any) -> Vector:
    """The scores of other rows, by the machine of all rows of a problem in the space of a kernel."""
    support = np.flatnonzero(found.beta)
    machine = Expansion(part.kernel, part.support_rows(support), found.beta[support], 0.0)
    b = found.own[0] - machine.scores(storage.take(part.X, np.array([0])))[0]
    return machine.scores(X) + b


class Machine:
    """The optimum of all rows, from which rows are left out."""

    def __init__(self, problem: Problem, variables: Variables, rows: Any, optimum: Optimum) -> None:
        self.problem, self.variables, self.rows, self.optimum = problem, variables, rows, optimum
        self.dual, self.group, n = variables.dual, variables.group, problem.n_rows
        self.own = (optimum.scores + optimum.b)[self.group]
        self.scores, self.violations = self.own.copy(), np.full(n, optimum.violation)
        self.undetermined, self.refitted = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)

    def left_out(self) -> LeftOut:
        """Scores of all rows without them."""
        remaining, alone = self.variables.remaining, is_alone(self.problem)
        moves = np.abs(self.optimum.beta[self.group]) > remaining * (1.0 + ROUNDED_BETA)
        leaving = np.flatnonzero(moves & ~alone)
        if self.dual.fit_intercept and not self.optimum.basis.size:
            self.undetermined[leaving] = True
            self.move_middles(np.flatnonzero(~moves & ~alone))
        for i in self.follow(leaving).tolist():
            self.scores[i], self.violations[i] = self.refitted_score(i)
            self.refitted[i] = self.undetermined[i] = True
        if alone.any():
            self.scores[alone] = -np.inf * self.problem.signs[alone]
            self.undetermined[alone] = True
        beta = np.zeros(self.problem.n_rows)
        beta[self.variables.first] = self.optimum.beta
        flagged = self.flagged() if self.problem.n_classes else None
        return LeftOut(self.scores, self.own, beta, self.violations, self.undetermined, self.refitted, flagged)

    def follow(self, leaving: np.ndarray) -> np.ndarray:
        """Leave rows out along their paths; returns those for which that failed."""
        most = max(MAX_VIOLATION, min(10.0 * self.optimum.violation, MAX_ROUNDED_VIOLATION)) * self.variables.unit
        some = self.candidates()
        for _ in range(MAX_ROUNDS if leaving.size else 0):
            ends = np.copysign(self.variables.remaining[leaving], self.optimum.beta[self.group[leaving]])
            paths = Paths(self.dual, self.rows, self.optimum, some)
            paths.follow(self.group[leaving], ends, most)
            self.polish(paths)
            good = paths.violations <= most
            done = leaving[good]
            self.scores[done], self.violations[done] = paths.scores[good], paths.violations[good]
            self.undetermined[done] |= paths.undetermined[good]
            leaving, more = leaving[~good], np.union1d(some, np.flatnonzero(paths.violated))
            if not leaving.size or more.size == some.size:
                break
            some = more
        return leaving

    def polish(self, paths: Paths) -> None:
        """Refine the ends of paths that rounding has kept from the optimum."""
        for q, beta in paths.rough.items():
            j, end = int(paths.leaving[q]), float(paths.ends[q])
            optimum = polished(self.dual.bounded(j, end), self.rows, beta)
            if optimum.violation < paths.violations[q]:
                paths.scores[q], paths.violations[q] = optimum.scores[j] + optimum.b, optimum.violation
                paths.undetermined[q] |= not optimum.basis.size

    def flagged(self) -> Flagged:
        """The rows that bounds count, and all for which what they assume is not known to hold."""
        found = flagged_variables(self.dual, self.rows, self.optimum)
        return Flagged(*(each[self.group] | self.undetermined for each in found))

    def move_middles(self, staying: np.ndarray) -> None:
        """Where b is the middle of an interval, put it in the middle of what is left without a row at its end."""
        dual, optimum = self.dual, self.optimum
        distance, turns = self.distances(), dual.turns(optimum.beta)
        at_end = distance <= distance.min() * (1.0 + MIDDLE_RTOL) + MIDDLE_RTOL
        for i in staying[at_end[self.group[staying]]].tolist():
            j = int(self.group[i])
            left = dual.bounded(j, float(np.copysign(self.variables.remaining[i], turns[j])))
            self.scores[i] = optimum.scores[j] + left.best_offset(optimum.scores)
            self.undetermined[i] = True

    def distances(self) -> Vector:
        """How far the effective score of each variable is from where it would become free."""
        effective = self.optimum.effective(self.dual)
        return np.minimum(np.abs(effective - self.dual.low), np.abs(self.dual.high - effective))

    def candidates(self) -> np.ndarray:
        """Variables that may change sides at first: the free ones, and those nearest to the margin."""
        distance, free = self.distances(), self.dual.free(self.optimum.beta)
        distance[free] = -1.0
        few = int(CANDIDATE_RATIO * np.count_nonzero(free)) + MIN_CANDIDATES
        return np.arange(free.size) if few >= free.size else np.sort(np.argpartition(distance, few)[:few])

    def refitted_score(self, i: int) -> tuple[float, float]:
        """The score of a row by the machine of all others, fitted anew, and the violation of its conditions."""
        kept = np.delete(np.arange(self.problem.n_rows), i)
        part = some_rows(self.problem, kept)
        variables = Variables(part)
        _, optimum = optimum_of(part, variables)
        beta = np.zeros(self.problem.n_rows)
        beta[kept[variables.first]] = optimum.beta
        scores = supported_scores(self.rows, summed(self.group, beta))[self.group]
        centres = float(np.mean(optimum.scores - scores[kept[variables.first]]))  # rows may be less their centre
        return float(scores[i]) + centres + optimum.b, optimum.violation


def is_alone(problem: Problem) -> np.ndarray:
    """Which rows are the only ones of their class, so that no other row tells a machine of it."""
    if not problem.n_classes:
        return np.zeros(problem.n_rows, dtype=bool)
    return np.bincount(problem.y, minlength=2)[problem.y] == 1


def some_rows(problem: Problem, kept: np.ndarray) -> Problem:
    """The problem of some of its rows."""
    X: Any = storage.take(problem.X, kept)
    return replace(problem, X=X[:, kept] if is_matrix(problem) else X, y=problem.y[kept], cost=problem.cost[kept])
