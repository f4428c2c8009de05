"""Linear support vector regression with a free tube: the objective of `objectives.nu_insensitive`, to a stated gap.

    min 1/2 ||w||^2 + C (nu W epsilon + sum_i c_i max(0, |y_i - w.x_i - b| - epsilon)),     epsilon >= 0

epsilon is one more unknown of the program, without a penalty (`bordered_program`). Where it would be negative the tube
is closed, and the answer is that of epsilon = 0. Targets are measured in units of their spread (`linear_svr`).
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.objectives import EpsilonInsensitive, NuInsensitive
from separatrix.problem import Problem, Solution
from separatrix.problem.scaled_rows import ScaledRows, column_coordinates
from separatrix.products import combination, scores
from separatrix.rows import Vector
from separatrix.solvers.goal import Goal
from separatrix.solvers.options import number
from separatrix.solvers.regression import linear_svr
from separatrix.solvers.regression.linear_svr import FREE_RTOL, NEGLIGIBLE_BETA, Scale
from separatrix.solvers.svm.bordered_program import BorderedProgram
from separatrix.solvers.svm.decomposition import rows_at_once, solve_by_bands
from separatrix.solvers.svm.linear_svm import coordinates_for
from separatrix.solvers.svm.nu_search import Tried, inner_goal, searched
from separatrix.solvers.svm.nu_svm import middle_quantile
from separatrix.threads import threads_for


def nu_svr(
    problem: Problem,
    *,
    C: float = 1.0,
    nu: float = 0.5,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
) -> Solution:
    """Minimise the objective of nu regression to a relative gap of tol.

    >>> problem = Problem.of_numbers(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 2.0, 4.0, 9.0]))
    >>> solution = nu_svr(problem, C=100.0, nu=0.25)
    >>> np.abs(problem.y - solution.model.scores(problem.X)).round(6).tolist()  # epsilon is 1, and no row is outside
    [1.0, 0.0, 1.0, 1.0]
    """
    objective = NuInsensitive(number("C", C, above=0.0), number("nu", nu, above=0.0, most=1.0))
    return optimum(problem.posed(objective), Goal.of(tol, max_iter, time_limit))


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # what overflows is never the best point
def optimum(problem: Problem, goal: Goal) -> Solution:
    """The optimum of a problem with this objective: with a tube, or with a closed one."""
    objective, scale = problem.objective, Scale.of(problem)
    if objective.nu == 1.0 or not (problem.y != scale.centre).any():
        return closed_tube(problem, goal)
    if linear_svr.is_wide(problem):
        return goal.solution(searched(tubes(problem, goal), scale.unit, goal))
    inner = scale.problem(problem)
    program = BorderedProgram(inner, coordinates_for(inner))
    with threads_for(rows_at_once(program.n_rows, program.n_columns) * float(len(program.H)) ** 2):
        v, alpha = solve_by_bands(program, None, goal.budget)
    w, b, epsilon = program.plane(v)
    if epsilon < 0.0:
        return closed_tube(problem, goal)
    beta = scale.unit * program.unit * program.beta(alpha)
    beta[np.abs(beta) <= NEGLIGIBLE_BETA * np.abs(beta).max(initial=0.0)] = 0.0
    plane = scale.unit * w, scale.centre + scale.unit * b
    found = goal.solution(best_claim(problem, *plane, beta, goal.tol))
    if found.certificate.stated <= goal.tol:
        return found
    return min(found, closed_tube(problem, goal), key=lambda each: each.certificate.stated)  # epsilon may be 0


def tubes(problem: Problem, goal: Goal) -> Callable[[float], Tried]:
    """What tries an epsilon: regression with that tube as a claim about the nu form."""
    objective = problem.objective
    total = objective.total(problem.cost)

    def attempt(epsilon: float) -> Tried:
        found = linear_svr.linear_svr(problem, C=objective.C, epsilon=epsilon, **inner_goal(goal)).certificate
        goal.budget.used += 1
        claim = DualityGap.issue(problem, found.w, found.b, found.alpha, found.support)
        return Tried(epsilon, float(np.abs(found.alpha).sum()) - total, claim)

    return attempt


def best_claim(problem: Problem, w: Vector, b: float, beta: Vector, tol: float) -> DualityGap:
    """The claim about a plane with its offset in place; where it misses tol, also about that of beta and w = 0."""
    claim = DualityGap.issue(problem, w, final_offset(problem, w, b, beta), beta)
    if claim.stated <= tol:
        return claim
    undecided = np.zeros(beta.size)
    others = [w, combination(problem.X, beta), np.zeros(w.size)]
    claims = [DualityGap.issue(problem, each, final_offset(problem, each, b, undecided), beta) for each in others]
    return min([claim, *claims], key=lambda each: each.primal)


def final_offset(problem: Problem, w: Vector, b: float, beta: Vector) -> float:
    """b: as it is where rows are on both borders of the tube, else the middle of what is optimal."""
    if not problem.fit_intercept:
        return 0.0
    upper, size = problem.objective.upper(problem.cost), np.abs(beta)
    free = np.minimum(size, upper - size) > FREE_RTOL * upper
    if (free & (beta > 0.0)).any() and (free & (beta < 0.0)).any():
        return b
    off, half = problem.y - scores(problem.X, w), 0.5 * problem.objective.nu * float(problem.cost.sum())
    return 0.5 * (middle_quantile(off, problem.cost, half) - middle_quantile(-off, problem.cost, half))


def closed_tube(problem: Problem, goal: Goal) -> Solution:
    """The optimum with epsilon = 0: that of the absolute residuals, by the shortest beta."""
    found = linear_svr.optimum(problem.posed(EpsilonInsensitive(problem.objective.C, 0.0)), goal)
    beta = dual_variables(found.certificate)
    claims = [DualityGap.issue(problem, found.w, float(found.b), each) for each in (beta, shortest(problem, beta))]
    return replace(goal.solution(min(claims, key=lambda each: each.stated)), history=found.history)


def shortest(problem: Problem, beta: Vector) -> Vector:
    """The beta of least length with the same plane, in which rows at their bounds stay: where many fit, many beta do.

    min sum_F beta_i^2    with    sum_F beta_i [x_i, 1]    as it is,     F the rows that are not at a bound
    """
    upper = problem.objective.upper(problem.cost)
    free = np.abs(beta) < (1.0 - FREE_RTOL) * upper
    weights = np.where(free, 1.0, 0.0)
    rows = ScaledRows(problem.X, column_coordinates(problem))
    total = rows.weighted_sum(np.where(free, beta, 0.0)[:, None])[:, 0]
    multipliers = np.linalg.pinv(rows.gram(weights), hermitian=True) @ total
    w, b = rows.coordinates.plane(multipliers)
    return np.where(free, np.clip(scores(problem.X, w) + b, -upper, upper), beta)
