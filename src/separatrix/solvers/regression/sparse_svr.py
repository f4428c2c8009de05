"""Sparse support vector regression: the objective of `objectives.sparse_tube`, solved to a stated gap.

    minimise  l1 ||w||_1 + (1 / W) sum_i c_i max(0, (y_i - w.x_i - b)^2 - epsilon)

Interior points come near the optimum, in units that do not depend on those of the data. Then it shows which columns
have a coefficient and which rows are on the border of the tube, and linear equations give the optimum itself, with
coefficients that are exactly 0 (Sayed, 2022, problem 61.5; Tibshirani, 1996, for epsilon = 0).
"""

from typing import Any

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import DataError
from separatrix.objectives import SparseTube
from separatrix.problem import History, Plane, Problem, Solution, Status
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.options import number, whole
from separatrix.solvers.regression.tube_active_set import active_set_of, corrected, optimum_on
from separatrix.solvers.regression.tube_interior_point import Point, interior_point
from separatrix.solvers.regression.tube_program import TubeProgram
from separatrix.threads import threads_for

INTERIOR_GAPS = 1e-7, 1e-10, 1e-13  # at which the active set is tried, one after the other
MAX_SYSTEM = 15_000  # equations of a step, whose matrix takes 2 GB
MAX_CORRECTIONS = 20  # of an active set
EXACT_GAP = 1e-13  # below which no further correction is looked for


def sparse_svr(
    problem: Problem, *, l1: float = 0.01, epsilon: float = 0.1, tol: float = 1e-6, max_iter: int = 500
) -> Solution:
    """Minimise l1 ||w||_1 + the mean of max(0, r^2 - epsilon) over residuals r, to a relative gap of tol.

    >>> problem = Problem.of_numbers(np.array([[0.0, 1.0], [1.0, 1.0], [2.0, -1.0]]), np.array([0.0, 2.0, 4.0]))
    >>> solution = sparse_svr(problem, l1=0.1, epsilon=0.0)
    >>> solution.w.round(6).tolist(), round(solution.b, 6), solution.certificate.error(problem) < 1e-12
    ([1.925, 0.0], 0.075, True)
    """
    number("l1", l1, above=0.0)
    number("epsilon", epsilon, at_least=0.0)
    number("tol", tol, above=0.0)
    budget = Budget(whole("max_iter", max_iter))
    check_size(problem)
    problem = problem.posed(SparseTube(l1, epsilon))
    with threads_for(0.0):
        claim = flat_fit(problem)
        claim = claim if claim.stated == 0.0 else fitted(problem, claim, tol, budget)
    solved = claim.stated <= tol
    status = Status.SOLVED if solved else Status.STOPPED if budget.left <= 0 else Status.ROUNDED
    steps = max(budget.used, 1)
    return Solution(Plane(np.array(claim.w), claim.b), claim, status, History(steps, steps))


def check_size(problem: Problem) -> None:
    """Refuse data whose Newton systems would fill the memory."""
    smaller = min(problem.n_rows, problem.n_features)
    if smaller > MAX_SYSTEM:
        raise DataError(
            f"A step solves {smaller:,} equations with a dense matrix, for {problem.shape}: too large above "
            f"{MAX_SYSTEM:,}. Use fewer features or rows, or StochasticRegressor with l1."
        )


def flat_fit(problem: Problem) -> DualityGap:
    """w = 0, with the offset in the middle of y: it costs nothing where the tube is wide enough for all rows."""
    b = 0.5 * float(problem.y.min()) + 0.5 * float(problem.y.max()) if problem.fit_intercept else 0.0
    return DualityGap.issue(problem, np.zeros(problem.n_features), b, np.zeros(problem.n_rows))


def fitted(problem: Problem, best: DualityGap, tol: float, budget: Budget) -> DualityGap:
    """The best claim that interior points and the active sets next to them give."""
    program = TubeProgram.of(problem)
    for gap in INTERIOR_GAPS:
        nearest, point = interior_point(program, gap, budget)
        best = better(best, polished(problem, program, nearest, budget))
        if best.stated > tol and point is not nearest:
            best = better(best, polished(problem, program, point, budget))
        if best.stated > EXACT_GAP:
            best = better(best, issued(problem, program, *trimmed(program, point)))
        if best.stated > tol:
            best = better(best, issued(problem, program, point.w, point.b, point.beta))
        if best.stated <= min(tol, 1e-9) or budget.left <= 0:
            break
    return best


def polished(problem: Problem, program: TubeProgram, point: Point, budget: Budget) -> DualityGap | None:
    """The best claim of the active sets that follow from a point, each corrected by its own solution."""
    active, seen, best = active_set_of(program, point), set(), None
    for _ in range(MAX_CORRECTIONS):
        found = optimum_on(program, active)
        if found is None or budget.spent():
            break
        best = better(best, issued(problem, program, *found))
        seen.add(active.key)
        active = corrected(program, active, found)
        if active.key in seen or best.stated <= EXACT_GAP:
            break
    return best


def trimmed(program: TubeProgram, point: Point) -> tuple[Vector, float, Vector]:
    """A point with exact zeros for the columns and the rows that its active set leaves out."""
    active = active_set_of(program, point)
    beta = np.where((active.border != 0) | (active.beyond != 0), point.beta, 0.0)
    return np.where(active.columns != 0, point.w, 0.0), point.b, beta


def issued(problem: Problem, program: TubeProgram, w: Vector, b: float, beta: Vector) -> DualityGap:
    """The claim about a solution of the program, in the units of the problem."""
    plane_and_dual: Any = program.restored(w, b, beta, problem.n_features)
    return DualityGap.issue(problem, *plane_and_dual)


def better(one: DualityGap | None, other: DualityGap | None) -> Any:
    """Of two claims that with the smaller gap."""
    if one is None or other is None:
        return other if one is None else one
    return other if other.stated <= one.stated else one
