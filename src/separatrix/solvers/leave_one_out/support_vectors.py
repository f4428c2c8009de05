"""Scores of each row by the support vector machine of all other rows, exactly.

A row with alpha = 0 changes nothing when it leaves. The alpha of every other row is driven to 0 from the optimum of all
rows (`downdating`), and the optimum that this ends in is checked from the rows: `violations` are those of its optimality
conditions. Where a path is given up, or ends with a violation, the machine of the other rows is fitted anew.

Equal rows of one class count as one, unless slacks are squared: the bound of their common alpha falls by that of the
row that leaves.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError

from separatrix import rows as storage
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.kernels import Linear
from separatrix.problem import Problem, Solution
from separatrix.problem.distinct import Distinct
from separatrix.rows import Vector, read_only
from separatrix.solvers.kernel.gram import gram_of
from separatrix.solvers.kernel.kernel_space import kept_bytes
from separatrix.solvers.kernel.kernel_svm import kernel_svm
from separatrix.solvers.leave_one_out.downdating import Base, Work, follow_all
from separatrix.solvers.leave_one_out.pivoting import FeatureRows, KernelRows
from separatrix.solvers.leave_one_out.row_dual import RowDual
from separatrix.solvers.svm.linear_svm import linear_svm

MAX_FEATURE_RATIO = 0.25  # features to rows, up to which rows are kept by their features
REFIT_TOL = 1e-13  # gap of a machine that is fitted anew
MAX_VIOLATION = 1e-10  # of optimality, in units of the margin
MIN_CANDIDATES, CANDIDATE_RATIO = 256, 0.3  # rows near the margin that a path looks at first
ENTRIES_AT_ONCE = 2**21  # of the scores of rows left out


class LeftOut(NamedTuple):
    """Scores of each row with and without it, and how each was found."""

    scores: Vector  # without the row
    own: Vector  # with it
    violations: Vector  # of the optimality conditions of each machine, from the rows
    undetermined: np.ndarray  # whether the offset was anywhere on the way
    refitted: np.ndarray


class Optimum(NamedTuple):
    """beta, scores without offset, the offset, and free rows that determine the others, at the optimum of all rows."""

    beta: Vector
    scores: Vector
    b: float
    basis: np.ndarray
    violation: float


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
        self.single = np.bincount(self.group)[self.group] == 1
        self.bounds: Vector = problem.objective.upper(problem.cost)

    def remaining(self) -> Vector:
        """The largest |beta| that is left of each row's variable without the row."""
        whole = np.maximum(self.dual.upper, -self.dual.lower)[self.group]
        with np.errstate(invalid="ignore"):
            less = np.where(np.isfinite(whole), whole - self.bounds, np.inf)
        return np.where(self.single, 0.0, np.maximum(less, 0.0))


def left_out(problem: Problem, beta: Vector | None = None) -> LeftOut:
    """Scores of each row without it; beta is y alpha of an optimum that is known already."""
    variables = Variables(problem)
    rows = rows_of(variables.problem)
    optimum = None
    if beta is not None:
        optimum = polished(variables.dual, rows, np.bincount(variables.group, weights=beta))
    if optimum is None:
        found = signed_alpha(problem, solve(problem))
        optimum = polished(variables.dual, rows, np.bincount(variables.group, weights=found))
    return Machine(problem, variables, rows, optimum).left_out()


def rows_of(problem: Problem) -> Any:
    """The rows of variables by their features where these are few, else by their kernel matrix."""
    linear = problem.kernel is None or problem.kernel.is_linear
    if linear and problem.n_features <= MAX_FEATURE_RATIO * problem.n_rows:
        return FeatureRows(problem)
    kernel = Linear() if problem.kernel is None else problem.kernel
    return KernelRows(gram_of(kernel, problem.X, kept_bytes(None)), np.arange(problem.n_rows))


def solve(problem: Problem) -> Solution:
    """The machine of a problem, up to rounding."""
    objective: Any = problem.objective
    solver = linear_svm if problem.kernel is None else kernel_svm
    return solver(problem, C=objective.C, squared=objective.squared, tol=REFIT_TOL)


def signed_alpha(problem: Problem, solution: Solution) -> Vector:
    """beta of each row of a solution."""
    alpha = dual_variables(solution.certificate)
    return alpha * problem.signs if problem.n_classes else alpha


def polished(dual: RowDual, rows: Any, beta: Vector) -> Optimum:
    """The optimum near beta: free rows exactly where they must be, the others exactly at their bounds."""
    beta, free = np.array(beta), dual.free(beta)
    nearest = np.where(np.abs(beta) * 2.0 < np.maximum(dual.upper, -dual.lower), 0.0, np.where(beta > 0, dual.upper, dual.lower))
    beta = np.where(free, beta, nearest)
    free_rows = np.flatnonzero(free)
    basis = free_rows
    if free_rows.size and not dual.ridge.any():
        basis = rows.independent(free_rows, dual.fit_intercept)
    scores = supported_scores(rows, beta)
    for _ in range(3):
        if not basis.size:
            break
        missing = dual.required(beta)[basis] - scores[basis] - dual.ridge[basis] * beta[basis]
        shift = float(missing.mean()) if dual.fit_intercept else 0.0
        beta[basis] += rows.equilibrium(basis, dual.ridge, missing - shift, -float(beta.sum()), dual.fit_intercept)
        scores = supported_scores(rows, beta)
    b = 0.0
    if dual.fit_intercept and basis.size:
        b = float(np.mean((dual.required(beta) - scores - dual.ridge * beta)[basis]))
    elif dual.fit_intercept:
        b = dual.best_offset(scores)
    violation = float(dual.violations(beta, scores + b + dual.ridge * beta).max())
    return Optimum(beta, scores, b, basis, violation)


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
        leaving = np.flatnonzero(np.abs(beta) > remaining * (1.0 + 1e-12))
        ends = np.copysign(remaining, beta)[leaving]
        left = leaving
        for some in self.candidates():
            if not left.size:
                break
            place = np.searchsorted(leaving, left)
            found = self.follow(some, variables.group[left], ends[place])
            good = found.violations <= MAX_VIOLATION
            done = left[good]
            scores[done], violations[done] = found.scores[good], found.violations[good]
            undetermined[done] = found.undetermined[good]
            left = left[~good]
        for i in left.tolist():
            scores[i], violations[i] = refit_without(self.problem, i)
        refitted[left] = undetermined[left] = True
        return LeftOut(*map(read_only, (scores, own, violations, undetermined, refitted)))

    def candidates(self) -> Any:
        """Rows that may change sides: first those near the margin, then all."""
        dual, optimum, n = self.dual, self.optimum, self.dual.low.size
        effective = optimum.scores + optimum.b + dual.ridge * optimum.beta
        distance = np.minimum(np.abs(effective - dual.low), np.abs(dual.high - effective))
        distance[optimum.beta != 0.0] = -1.0
        few = int(max(MIN_CANDIDATES, CANDIDATE_RATIO * n, np.count_nonzero(distance < 0.0) + CANDIDATE_RATIO * n))
        if few < n:
            yield np.sort(np.argpartition(distance, few)[:few])
        yield np.arange(n)

    def base(self, some: np.ndarray) -> tuple[Any, Base]:
        """The tableau and the optimum of some rows; where no row is free, one at its bound begins as if it were."""
        dual, optimum = self.dual, self.optimum
        effective, basis = optimum.scores + optimum.b + dual.ridge * optimum.beta, optimum.basis
        if dual.fit_intercept and not basis.size:
            turn = np.where(optimum.beta > 0.0, dual.low, dual.high)
            turn = np.where((optimum.beta == 0.0) & np.isfinite(dual.low), dual.low, turn)
            gaps = np.where(np.isin(np.arange(effective.size), some), np.abs(turn - effective), np.inf)
            basis = np.array([int(np.argmin(gaps))])
            effective = effective + (turn - effective)[basis[0]]
        held = dual.free(optimum.beta)
        held[basis] = False
        parts = (optimum.beta, effective, dual.low, dual.high, dual.lower, dual.upper, held)
        tableau = self.rows.tableau(basis, some, dual.ridge, dual.fit_intercept)
        return tableau, Base(*(np.ascontiguousarray(each[some]) for each in parts), dual.fit_intercept)

    def follow(self, some: np.ndarray, leaving: np.ndarray, ends: Vector) -> LeftOut:
        """Leave out variables one by one, some of the rows being allowed to change sides, and check each optimum."""
        n, q = self.dual.low.size, leaving.size
        found = LeftOut(np.empty(q), np.empty(q), np.full(q, np.inf), np.zeros(q, dtype=bool), np.zeros(q, dtype=bool))
        try:
            tableau, base = self.base(some)
        except LinAlgError:
            return found
        place = np.searchsorted(some, leaving)
        work, size = Work.of(some.size), max(1, ENTRIES_AT_ONCE // n)
        for first in range(0, q, size):
            part = slice(first, min(first + size, q))
            count = part.stop - part.start
            changes, failed = np.empty((count, some.size)), np.empty(count, dtype=np.int64)
            for a in range(0, count, 16):
                own = slice(a, min(a + 16, count))
                follow_all(tableau, base, work, place[part][own], ends[part][own], changes[own], failed[own], found.undetermined[part][own])
            self.check(some, changes, leaving[part], ends[part], found, part)
            found.violations[part][failed != 0] = np.inf
        return found

    def check(self, some: np.ndarray, changes: Vector, leaving: np.ndarray, ends: Vector, found: LeftOut, part: slice) -> None:
        """Fill in scores and violations of paths from the rows."""
        dual, optimum, each = self.dual, self.optimum, np.arange(leaving.size)
        moved = np.flatnonzero(changes.any(axis=0))
        scores = optimum.scores + self.rows.scores(some[moved], changes[:, moved].T).T
        beta = np.repeat(optimum.beta[None], leaving.size, axis=0)
        beta[:, some] += changes
        beta[each, leaving] = ends
        effective = scores + dual.ridge * beta
        b = np.zeros(leaving.size)
        if dual.fit_intercept:
            b = self.offsets(beta, effective, leaving, ends)
        effective += b[:, None]
        violations = dual.violations(beta, effective)
        gone = ends == 0.0
        violations[each[gone], leaving[gone]] = 0.0
        worst = violations.max(axis=1)
        if dual.fit_intercept:
            worst = np.maximum(worst, np.abs(beta.sum(axis=1)) / np.maximum(np.abs(beta).sum(axis=1), 1e-300))
        found.scores[part] = scores[each, leaving] + b
        found.violations[part] = worst

    def offsets(self, beta: Vector, effective: Vector, leaving: np.ndarray, ends: Vector) -> Vector:
        """b of each path: by its free rows, or the middle of what is optimal for the rows that are left."""
        dual, each = self.dual, np.arange(leaving.size)
        free = dual.free(beta)
        free[each, leaving] = False
        count = free.sum(axis=1)
        total = np.where(free, dual.required(beta) - effective, 0.0).sum(axis=1)
        b = total / np.maximum(count, 1)
        for q in np.flatnonzero(count == 0).tolist():
            i = int(leaving[q])
            lower, upper = dual.lower.copy(), dual.upper.copy()
            lower[i], upper[i] = min(ends[q], 0.0), max(ends[q], 0.0)
            left = dual._replace(lower=lower, upper=upper)
            b[q] = left.best_offset(effective[q] - dual.ridge * beta[q])
        return b


def refit_without(problem: Problem, i: int) -> tuple[float, float]:
    """The score of a row by the machine of all others, fitted anew, and its violation."""
    kept = np.delete(np.arange(problem.n_rows), i)
    valued = problem.kernel is not None and problem.kernel.rows_are_values
    X: Any = storage.take(problem.X, kept)
    part = replace(problem, X=X[:, kept] if valued else X, y=problem.y[kept], cost=problem.cost[kept])
    solution = solve(part)
    row = storage.take(problem.X, np.array([i]))
    score = float(solution.model.scores(row[:, kept] if valued else row)[0])
    beta, dual = signed_alpha(part, solution), RowDual.of(part)
    support = np.flatnonzero(beta)
    scores = solution.model.scores(part.X)
    return score, float(dual.violations(beta, scores + dual.ridge * beta).max())
