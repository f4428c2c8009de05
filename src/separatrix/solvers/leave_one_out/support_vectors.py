"""Scores of each row by the support vector machine of all other rows, exactly.

A row with alpha = 0 changes nothing when it leaves. The alpha of every other row is driven to 0 from the optimum of all
rows (`downdating`), and the optimum that this ends in is checked from the rows: `violations` are those of its optimality
conditions. Where a path is given up, or ends with a violation, the machine of the other rows is fitted anew.

Equal rows of one class count as one, unless slacks are squared: the bound of their common alpha falls by that of the
row that leaves.
"""

from collections import deque
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from separatrix import rows as storage
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.errors import DataError
from separatrix.kernels import Linear
from separatrix.kernels.tiles import slices
from separatrix.memory import available_bytes
from separatrix.problem import Expansion, Problem, Solution
from separatrix.problem.distinct import Distinct
from separatrix.rows import Vector, read_only
from separatrix.solvers.kernel.kernel_space import KernelSpace, kept_bytes
from separatrix.solvers.kernel.kernel_svm import kernel_svm
from separatrix.solvers.kernel.kernel_svr import kernel_svr
from separatrix.solvers.leave_one_out.bounds import Flagged, flagged_variables
from separatrix.solvers.leave_one_out.downdating import Base, Work, follow_all
from separatrix.solvers.leave_one_out.optimality import ROUNDED_BETA, Conditions, Ends, fill_offsets, fill_violations
from separatrix.solvers.leave_one_out.pivoting import FeatureRows, KernelRows
from separatrix.solvers.leave_one_out.row_dual import RowDual
from separatrix.solvers.regression.linear_svr import linear_svr
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.threads import parallel_map, threads_for

MAX_FEATURE_RATIO = 0.25  # features to rows, up to which rows are kept by their features
FIT_TOL, REFIT_TOL = 1e-8, 1e-13  # gaps of the machine of all rows, and of those that are fitted anew
MAX_VIOLATION = 1e-10  # of optimality, in units of the margin
MIN_CANDIDATES, CANDIDATE_RATIO = 128, 1.5  # rows that may change sides at first: so many, and for each free one
MAX_ROUNDS = 3  # in which more rows may
PATHS_PER_CALL = 32
MIDDLE_RTOL = 1e-9  # by which a row may be off the end of the interval of b that it determines
ENTRIES_AT_ONCE = 2**22  # of the scores of rows left out


class LeftOut(NamedTuple):
    """Scores of each row with and without it, and how each was found."""

    scores: Vector  # without the row
    own: Vector  # with it
    beta: Vector  # of the machine of all rows; that of equal rows is with the first of them
    violations: Vector  # of the optimality conditions of each machine, from the rows
    undetermined: np.ndarray  # whether the offset may have been, somewhere on the way
    refitted: np.ndarray
    flagged: Flagged | None = None  # which rows bounds of errors count, for classes


def scores_by(part: Problem, found: LeftOut, X: Any) -> Vector:
    """The scores of other rows, by the machine of all rows of a problem in the space of a kernel."""
    support = np.flatnonzero(found.beta)
    machine = Expansion(part.kernel, part.support_rows(support), found.beta[support], 0.0)
    b = found.own[0] - machine.scores(storage.take(part.X, np.array([0])))[0]
    return machine.scores(X) + b


class Optimum(NamedTuple):
    """beta, scores without offset, the offset, and free rows that determine the others, at the optimum of all rows."""

    beta: Vector
    scores: Vector
    b: float
    basis: np.ndarray
    violation: float
    pivot: Any

    def effective(self, dual: RowDual) -> Vector:
        """The effective scores of all rows."""
        return self.scores + self.b + dual.ridge * self.beta


class Variables:
    """The dual variables of a problem: which rows they stand for, and what leaving each row out makes of them."""

    def __init__(self, problem: Problem) -> None:
        squared = problem.objective.squared and not getattr(problem.objective, "hard", False)
        valued = problem.kernel is not None and problem.kernel.rows_are_values
        distinct = None if squared or valued else Distinct.of(problem)
        everything = np.arange(problem.n_rows)
        self.group = everything if distinct is None else distinct.group
        self.first = everything if distinct is None else distinct.first
        cost = np.bincount(self.group, weights=problem.cost)
        X = problem.X if self.first.size == problem.n_rows else storage.take(problem.X, self.first)
        y = problem.y[self.first]
        how = problem.fit_intercept, problem.objective, problem.kernel
        self.problem = Problem(X, y, problem.n_classes, cost, *how)
        self.dual = RowDual.of(self.problem)
        self.unit = 1.0 if problem.n_classes else float(np.ptp(problem.y)) or 1.0  # of scores
        self.single = np.bincount(self.group)[self.group] == 1
        self.bounds: Vector = problem.objective.upper(problem.cost)

    def kernel_rows(self, space: KernelSpace) -> KernelRows:
        """The rows of the variables by the kernel matrix of the distinct rows."""
        distinct = space.distinct
        return KernelRows(space.gram, np.arange(space.gram.n) if distinct is None else distinct.group[self.first])

    def remaining(self) -> Vector:
        """The largest |beta| that is left of each row's variable without the row."""
        whole = np.maximum(self.dual.upper, -self.dual.lower)[self.group]
        with np.errstate(invalid="ignore"):
            less = np.where(np.isfinite(whole), whole - self.bounds, np.inf)
        return np.where(self.single, 0.0, np.maximum(less, 0.0))


def left_out(problem: Problem, beta: Vector | None = None) -> LeftOut:
    """Scores of each row without it; beta is y alpha of an optimum that is known already."""
    variables = Variables(problem)
    with threads_for(0.0):
        return Machine(problem, variables, *optimum_of(problem, variables, beta)).left_out()


def optimum_of(problem: Problem, variables: Variables, beta: Vector | None = None) -> tuple[Any, Optimum]:
    """The rows as they are kept, and the optimum, from a beta that may be one, or from a fit."""
    space = None if by_features(variables.problem) else space_of(problem)
    rows = FeatureRows(variables.problem) if space is None else variables.kernel_rows(space)
    found = []
    for tol in (None, FIT_TOL, REFIT_TOL):
        if tol is not None:
            beta = signed_alpha(problem, solve(problem, tol, space))
        if beta is not None:
            found.append(polished(variables.dual, rows, np.bincount(variables.group, weights=beta)))
            if found[-1].violation <= MAX_VIOLATION * variables.unit:
                break
    return rows, min(found, key=lambda each: each.violation)


def by_features(problem: Problem) -> bool:
    """Whether rows are kept by their features, which are few, and not by their kernel matrix."""
    linear = problem.kernel is None or problem.kernel.is_linear
    return linear and problem.n_features <= MAX_FEATURE_RATIO * problem.n_rows


def space_of(problem: Problem) -> KernelSpace:
    """The distinct rows and their kernel matrix."""
    kernel = Linear() if problem.kernel is None else problem.kernel
    return KernelSpace(replace(problem, kernel=kernel), kept_bytes(None))


def solve(problem: Problem, tol: float, space: KernelSpace | None = None) -> Solution:
    """The machine of a problem, to a gap of tol."""
    objective: Any = problem.objective
    how = {"C": objective.C, "squared": objective.squared, "tol": tol}
    if not problem.n_classes:
        how["epsilon"] = objective.epsilon
    if problem.kernel is None:
        return (linear_svm if problem.n_classes else linear_svr)(problem, **how)
    return (kernel_svm if problem.n_classes else kernel_svr)(problem, space=space, **how)


def signed_alpha(problem: Problem, solution: Solution) -> Vector:
    """beta of each row of a solution."""
    alpha = dual_variables(solution.certificate)
    return alpha * problem.signs if problem.n_classes else alpha


def polished(dual: RowDual, rows: Any, beta: Vector) -> Optimum:
    """The optimum near beta: free rows exactly where they must be, the others exactly at their bounds."""
    beta, free = np.array(beta), dual.free(beta)
    nearest = np.where(
        np.abs(beta) * 2.0 < np.maximum(dual.upper, -dual.lower), 0.0, np.where(beta > 0, dual.upper, dual.lower)
    )
    beta = np.where(free, beta, nearest)
    free_rows = np.flatnonzero(free)
    basis = free_rows
    if free_rows.size and not dual.ridge.any():
        basis = rows.independent(free_rows, dual.fit_intercept)
    scores = supported_scores(rows, beta)
    pivot = rows.pivot(basis, dual) if basis.size else None
    for _ in range(2 if basis.size else 0):
        missing = dual.required(beta)[basis] - scores[basis] - dual.ridge[basis] * beta[basis]
        shift = float(missing.mean()) if dual.fit_intercept else 0.0
        beta[basis] += pivot.equilibrium(missing - shift, -float(beta.sum()))
        scores = supported_scores(rows, beta)
    b = 0.0
    if dual.fit_intercept and basis.size:
        b = float(np.mean((dual.required(beta) - scores - dual.ridge * beta)[basis]))
    elif dual.fit_intercept:
        b = dual.best_offset(scores)
    violation = float(dual.violations(beta, scores + b + dual.ridge * beta).max())
    return Optimum(beta, scores, b, basis, violation, pivot)


def supported_scores(rows: Any, beta: Vector) -> Vector:
    """The scores of all rows without offset."""
    support = np.flatnonzero(beta)
    return rows.scores(support, beta[support])


class Machine:
    """The optimum of all rows, from which rows are left out."""

    def __init__(self, problem: Problem, variables: Variables, rows: Any, optimum: Optimum) -> None:
        self.problem, self.variables, self.rows, self.optimum = problem, variables, rows, optimum
        self.dual = variables.dual

    def left_out(self) -> LeftOut:
        """Scores of all rows without them."""
        variables, optimum, n = self.variables, self.optimum, self.problem.n_rows
        own = (optimum.scores + optimum.b)[variables.group]
        scores, violations = own.copy(), np.full(n, optimum.violation)
        undetermined, refitted = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        beta, remaining = optimum.beta[variables.group], variables.remaining()
        alone = is_alone(self.problem)
        leaving = np.flatnonzero((np.abs(beta) > remaining * (1.0 + ROUNDED_BETA)) & ~alone)
        ends = np.copysign(remaining, beta)
        if self.dual.fit_intercept and not optimum.basis.size:
            undetermined[leaving] = undetermined[self.move_middles(scores, leaving, remaining)] = True
        some = self.candidates()
        for _ in range(MAX_ROUNDS if leaving.size else 0):
            found = Paths(self, some, variables.group[leaving], ends[leaving])
            good = found.violations <= MAX_VIOLATION * variables.unit
            done = leaving[good]
            scores[done], violations[done] = found.scores[good], found.violations[good]
            undetermined[done] |= found.undetermined[good]
            leaving, more = leaving[~good], np.union1d(some, np.flatnonzero(found.violated))
            if not leaving.size or more.size == some.size:
                break
            some = more
        for i in leaving.tolist():
            scores[i], violations[i] = self.refitted_score(i)
        refitted[leaving] = undetermined[leaving] = True
        scores[alone] = -np.inf * self.problem.signs[alone] if self.problem.n_classes else scores[alone]
        undetermined |= alone
        beta = np.zeros(n)
        beta[variables.first] = optimum.beta
        found = map(read_only, (scores, own, beta, violations, undetermined, refitted))
        return LeftOut(*found, self.flagged(undetermined) if self.problem.n_classes else None)

    def flagged(self, undetermined: np.ndarray) -> Flagged:
        """The rows that bounds count, and all for which what they assume is not known to hold."""
        found = flagged_variables(self.dual, self.rows, self.optimum)
        return Flagged(*(read_only(each[self.variables.group] | undetermined) for each in found))

    def required(self) -> Vector:
        """The effective score of each row at which it would become free."""
        dual, beta = self.dual, self.optimum.beta
        level = dual.required(beta)
        return np.where((beta == 0.0) & np.isfinite(dual.low), dual.low, level)

    def move_middles(self, scores: Vector, leaving: np.ndarray, remaining: Vector) -> np.ndarray:
        """Where b is the middle of an interval, put it in the middle of what is left without a row at its end.

        Such rows are returned, of those that do not leave by a path of their own.
        """
        dual, optimum, group = self.dual, self.optimum, self.variables.group
        distance = self.distances()
        at_end = (distance <= distance.min() * (1.0 + MIDDLE_RTOL) + MIDDLE_RTOL)[group]
        at_end[leaving] = False
        ends = np.copysign(remaining, self.required()[group])
        moved = np.flatnonzero(at_end & ~is_alone(self.problem))
        for i in moved.tolist():
            j = int(group[i])
            scores[i] = optimum.scores[j] + dual.bounded(j, float(ends[i])).best_offset(optimum.scores)
        return moved

    def distances(self) -> Vector:
        """How far the effective score of each row is from where it would become free."""
        effective = self.optimum.effective(self.dual)
        return np.minimum(np.abs(effective - self.dual.low), np.abs(self.dual.high - effective))

    def candidates(self) -> np.ndarray:
        """Rows that may change sides at first: the free ones, and those nearest to the margin."""
        distance, n, free = self.distances(), self.dual.low.size, self.dual.free(self.optimum.beta)
        distance[free] = -1.0
        few = int(CANDIDATE_RATIO * np.count_nonzero(free)) + MIN_CANDIDATES
        return np.arange(n) if few >= n else np.sort(np.argpartition(distance, few)[:few])

    def refitted_score(self, i: int) -> tuple[float, float]:
        """The score of a row by the machine of all others, fitted anew, and the violation of its conditions."""
        kept = np.delete(np.arange(self.problem.n_rows), i)
        part = some_rows(self.problem, kept)
        variables = Variables(part)
        _, optimum = optimum_of(part, variables)
        beta = np.zeros(self.problem.n_rows)
        beta[kept[variables.first]] = optimum.beta
        scores = supported_scores(self.rows, np.bincount(self.variables.group, weights=beta))[self.variables.group]
        centres = float(np.mean(optimum.scores - scores[kept[variables.first]]))  # rows may be less their centre
        return float(scores[i]) + centres + optimum.b, optimum.violation


class Paths:
    """The ways of some variables to their ends, while some rows may change sides."""

    def __init__(self, machine: Machine, some: np.ndarray, leaving: np.ndarray, ends: Vector) -> None:
        self.machine, self.dual, self.optimum = machine, machine.dual, machine.optimum
        self.some, self.leaving, self.ends, q = some, leaving, ends, leaving.size
        self.scores, self.violations = np.empty(q), np.full(q, np.inf)
        self.violated = np.zeros(self.dual.low.size, dtype=bool)  # rows that would have had to change sides
        self.ended, self.undetermined = np.zeros(q, dtype=bool), np.zeros(q, dtype=bool)
        self.basis, self.effective = self.optimum.basis, self.optimum.effective(self.dual)
        self.amounts = ends - self.optimum.beta[leaving]
        if self.dual.fit_intercept and not self.basis.size:
            self.begin_at_an_end()
        self.pivot = self.optimum.pivot if self.optimum.basis.size else machine.rows.pivot(self.basis, self.dual)
        self.free = np.isin(some, self.basis)
        self.base = self.begin()
        self.conditions = Conditions.of(self.dual, self.optimum.beta, self.optimum.scores, some)
        size = max(1, ENTRIES_AT_ONCE // self.dual.low.size)
        was_free = np.isin(leaving, self.basis)
        for rows in np.flatnonzero(was_free), np.flatnonzero(~was_free):
            for first in range(0, rows.size, size):
                self.follow(rows[first : first + size])

    def begin_at_an_end(self) -> None:
        """Where no row is free, move b to where a row would become so, and begin as if it were."""
        turn = self.machine.required()
        gaps = np.full(turn.size, np.inf)
        gaps[self.some] = np.abs(turn - self.effective)[self.some]
        self.basis = np.array([int(np.argmin(gaps))])
        self.effective = self.effective + (turn - self.effective)[self.basis[0]]
        self.effective[self.basis] = turn[self.basis]

    def begin(self) -> Base:
        """What all paths begin from."""
        needed, free_bytes = 16.0 * float(self.some.size) ** 2, available_bytes()
        if needed > free_bytes:
            raise DataError(
                f"Leaving rows out needs the derivatives by {self.some.size:,} rows at the margin, {needed / 1e9:.1f} "
                f"GB, and {free_bytes / 1e9:.1f} GB are free. Use fewer rows, or K folds."
            )
        dual, optimum, some = self.dual, self.optimum, self.some
        held = dual.free(optimum.beta)
        held[self.basis] = False
        parts = (optimum.beta, self.effective, dual.low, dual.high, dual.lower, dual.upper, held)
        arrays = (np.ascontiguousarray(each[some]) for each in parts)
        return Base(self.pivot.tableau(some), self.free, *arrays, dual.fit_intercept)

    def follow(self, paths: np.ndarray) -> None:
        """Go some paths, all of rows that were free or all of others, and check where they end."""
        some, leaving = self.some, self.leaving[paths]
        place = np.searchsorted(some, leaving)
        place[some[np.minimum(place, some.size - 1)] != leaving] = -1
        own = np.empty((paths.size, 0))
        if not np.isin(leaving[:1], self.basis).any():
            own = self.pivot.responses(leaving, some)
        beta, amounts = np.empty((paths.size, some.size)), self.amounts[paths]
        ended, undetermined = np.empty(paths.size, dtype=bool), np.empty(paths.size, dtype=bool)

        def go(part: slice) -> None:
            given = own[part], place[part], amounts[part]
            follow_all(self.base, Work.of(some.size), *given, beta[part], ended[part], undetermined[part])

        deque(parallel_map(go, list(slices(paths.size, PATHS_PER_CALL))), maxlen=0)
        self.ended[paths], self.undetermined[paths] = ended, undetermined
        self.check(paths, beta)

    def check(self, paths: np.ndarray, beta: Vector) -> None:
        """Fill in scores and violations of paths, from the rows."""
        leaving, ends, optimum, dual = self.leaving[paths], self.ends[paths], self.optimum, self.dual
        changes = beta - self.base.beta
        changes[self.some == leaving[:, None]] = 0.0
        shifts = self.machine.rows.shifts(self.some, changes, leaving, self.amounts[paths])
        found = Ends(self.some, beta, shifts, leaving, ends)
        offsets, counts, violations = np.zeros(paths.size), np.zeros(paths.size, dtype=np.int64), np.empty(paths.size)
        if dual.fit_intercept:
            fill_offsets(self.conditions, found, offsets, counts)
            for q in np.flatnonzero(counts == 0).tolist():
                left = dual.bounded(int(leaving[q]), float(ends[q]))
                offsets[q] = left.best_offset(optimum.scores + shifts[q])
        fill_violations(self.conditions, found, offsets, violations)
        self.scores[paths] = optimum.scores[leaving] + shifts[np.arange(paths.size), leaving] + offsets
        self.violations[paths] = np.where(self.ended[paths], violations, np.inf)
        most = MAX_VIOLATION * self.machine.variables.unit
        for q in np.flatnonzero(violations > most).tolist():
            shift = shifts[q] + offsets[q]
            self.violated |= np.maximum(self.conditions.least - shift, shift - self.conditions.most) > most


def is_alone(problem: Problem) -> np.ndarray:
    """Which rows are the only ones of their class, so that no other row tells a machine of it."""
    if not problem.n_classes:
        return np.zeros(problem.n_rows, dtype=bool)
    return np.bincount(problem.y, minlength=2)[problem.y] == 1


def some_rows(problem: Problem, kept: np.ndarray) -> Problem:
    """The problem of some of its rows."""
    X: Any = storage.take(problem.X, kept)
    if problem.kernel is not None and problem.kernel.rows_are_values:
        X = X[:, kept]
    return replace(problem, X=X, y=problem.y[kept], cost=problem.cost[kept])
