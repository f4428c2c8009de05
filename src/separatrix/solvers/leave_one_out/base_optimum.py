"""The optimum of all rows, from which rows are left out: polished until its conditions hold up to rounding.

Equal rows of one class count as one, unless slacks are squared: they have one score, and what bounds their common alpha
is the sum of their bounds. Free rows that depend on others are told from those that determine them, the basis.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from separatrix import rows as storage
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.kernels import Linear
from separatrix.problem import Problem, Solution
from separatrix.problem.distinct import Distinct
from separatrix.rows import Vector
from separatrix.solvers.kernel.kernel_space import KernelSpace, kept_bytes
from separatrix.solvers.kernel.kernel_svm import kernel_svm
from separatrix.solvers.kernel.kernel_svr import kernel_svr
from separatrix.solvers.leave_one_out.pivoting import FeatureRows, KernelRows
from separatrix.solvers.leave_one_out.row_dual import RowDual
from separatrix.solvers.regression.linear_svr import linear_svr
from separatrix.solvers.svm.linear_svm import linear_svm

MAX_FEATURE_RATIO = 0.25  # features to rows, up to which rows are kept by their features
FIT_TOLS = (1e-8, 1e-13)  # gaps of fits: of the first, and of one after which conditions did not hold
MAX_VIOLATION = 1e-10  # of the conditions, in units of scores
REFINEMENTS = 2


class Variables:
    """The dual variables of a problem: which rows they stand for, and what is left of them without each row."""

    def __init__(self, problem: Problem) -> None:
        objective: Any = problem.objective
        merged = not (objective.dual_ridge(problem.cost).any() or is_matrix(problem))
        distinct = Distinct.of(problem) if merged else None
        self.group = np.arange(problem.n_rows) if distinct is None else distinct.group
        self.first = np.arange(problem.n_rows) if distinct is None else distinct.first
        X = problem.X if self.first.size == problem.n_rows else storage.take(problem.X, self.first)
        how: Any = problem.fit_intercept, objective, problem.kernel
        cost = summed(self.group, problem.cost)
        self.problem = Problem(X, problem.y[self.first], problem.n_classes, cost, *how)
        self.dual = RowDual.of(self.problem)
        self.unit = 1.0 if problem.n_classes else float(np.ptp(problem.y)) or 1.0  # of scores
        self.remaining = self.remaining_bounds(objective.upper(problem.cost))

    def remaining_bounds(self, bounds: Vector) -> Vector:
        """The bound of |beta| that is left of each row's variable without the row."""
        whole = np.maximum(self.dual.upper, -self.dual.lower)[self.group]
        less = np.subtract(whole, bounds, out=np.full(whole.size, np.inf), where=np.isfinite(whole))
        return np.where(np.bincount(self.group)[self.group] == 1, 0.0, np.maximum(less, 0.0))

    def kernel_rows(self, space: KernelSpace) -> KernelRows:
        """The rows of the variables by the kernel matrix of the distinct rows."""
        distinct = space.distinct
        return KernelRows(space.gram, np.arange(space.gram.n) if distinct is None else distinct.group[self.first])


class Optimum(NamedTuple):
    """beta, scores without offset, the offset, the basis of the free rows with its derivatives, and the violation."""

    beta: Vector
    scores: Vector
    b: float
    basis: np.ndarray
    violation: float
    pivot: Any = None

    def effective(self, dual: RowDual) -> Vector:
        """The effective scores of all rows."""
        return self.scores + self.b + dual.ridge * self.beta


def optimum_of(problem: Problem, variables: Variables, beta: Vector | None = None) -> tuple[Any, Optimum]:
    """The rows as they are kept, and the optimum, from a beta of the rows that may be one, or from a fit."""
    space = None if by_features(variables.problem) else space_of(problem)
    rows = FeatureRows(variables.problem) if space is None else variables.kernel_rows(space)
    found = []
    for tol in (None, *FIT_TOLS):
        if tol is not None:
            beta = signed_alpha(problem, solve(problem, tol, space))
        if beta is not None:
            found.append(polished(variables.dual, rows, summed(variables.group, beta)))
            if found[-1].violation <= MAX_VIOLATION * variables.unit:
                break
    return rows, min(found, key=lambda each: each.violation)


def is_matrix(problem: Problem) -> bool:
    """Whether rows are those of a kernel matrix."""
    return problem.kernel is not None and problem.kernel.rows_are_values


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
    how: dict[str, Any] = {"C": objective.C, "squared": objective.squared, "tol": tol}
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
    """The optimum near beta: the basis exactly where it must be, rows that are not free exactly at their bounds."""
    free = dual.free(beta)
    bound = np.where(beta > 0.0, dual.upper, dual.lower)
    beta = np.where(free, beta, np.where(2.0 * np.abs(beta) < np.abs(bound), 0.0, bound))
    basis = np.flatnonzero(free)
    if basis.size and not dual.ridge.any():
        basis = rows.independent(basis, dual.fit_intercept)
    pivot: Any = rows.pivot(basis, dual) if basis.size else None
    levels, scores = dual.required(beta)[basis], supported_scores(rows, beta)
    found = [assessed(dual, beta, scores, basis, levels)._replace(pivot=pivot)]
    for _ in range(REFINEMENTS if basis.size else 0):
        missing = levels - (scores + dual.ridge * beta)[basis]
        shift = float(missing.mean()) if dual.fit_intercept else 0.0  # to where b is about, against rounding
        beta = beta.copy()
        beta[basis] += pivot.equilibrium(missing - shift, -float(beta.sum()))
        scores = supported_scores(rows, beta)
        found.append(assessed(dual, beta, scores, basis, levels)._replace(pivot=pivot))
    return min(reversed(found), key=lambda each: each.violation)


def assessed(dual: RowDual, beta: Vector, scores: Vector, basis: np.ndarray, levels: Vector) -> Optimum:
    """beta as an optimum whose basis is to have these effective scores: its offset, and how far it is from one."""
    b = 0.0
    if dual.fit_intercept and basis.size:
        b = float(np.mean(levels - (scores + dual.ridge * beta)[basis]))
    elif dual.fit_intercept:
        b = dual.best_offset(scores)
    violation = float(dual.violations(beta, scores + b + dual.ridge * beta).max())
    return Optimum(beta, scores, b, basis, violation)


def supported_scores(rows: Any, beta: Vector) -> Vector:
    """The scores of all rows without offset."""
    support = np.flatnonzero(beta)
    return rows.scores(support, beta[support])


def summed(group: np.ndarray, values: Vector) -> Vector:
    """The sum of values over each group."""
    return np.bincount(group, weights=values).astype(np.float64)
