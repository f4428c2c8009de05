"""The linear nu machine: the objective of `objectives.nu_margin`, solved to a stated gap.

    min 1/2 ||w||^2 - nu W rho + sum_i c_i max(0, rho - y_i (w.x_i + b))

rho is one more unknown of the program, without a penalty (`bordered_program`). Costs are multiplied so that margins are
of a moderate size, which multiplies w, b, rho and alpha alike. Where nu is at most nu_min (`smallest_nu`), w = 0.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.objectives import NuMargin
from separatrix.problem import Problem, Solution
from separatrix.products import combination, scores
from separatrix.rows import Vector, length
from separatrix.solvers.goal import Goal
from separatrix.solvers.options import number
from separatrix.solvers.svm.bordered_program import BorderedProgram
from separatrix.solvers.svm.decomposition import rows_at_once, solve_by_bands
from separatrix.solvers.svm.linear_svm import coordinates_for, linear_svm
from separatrix.solvers.svm.nu_search import Tried, inner_goal, searched
from separatrix.solvers.svm.route import chosen
from separatrix.solvers.svm.smallest_nu import SmallestNu, smallest_nu, spread_of
from separatrix.solvers.svm.warm_start import WarmStart
from separatrix.solvers.watching import tell
from separatrix.threads import threads_for

NEGLIGIBLE_ALPHA = 1e-14  # part of the largest, below which one is rounding
MEETING_RTOL = 1e-9  # ||w|| as part of what alpha and the rows could make of it: the reduced hulls meet
MAX_SECOND_STEPS = 25  # of the search for C, where interior points have not reached the gap
SHARE_OF_TIME = 0.3  # that the smallest nu may take
FREE_RTOL = 1e-9  # relative distance of alpha from its bounds from which on its row is on the margin


def nu_svm(
    problem: Problem, *, nu: float = 0.5, tol: float = 1e-6, max_iter: int = 10_000, time_limit: float | None = None
) -> Solution:
    """Minimise the objective of the nu machine for two classes to a relative gap of tol; the plane has rho = 1.

    Where the reduced hulls meet, w = 0 is the optimum, and b is 0. A nu that is infeasible counts as the largest one
    that is not.

    >>> problem = Problem(np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]), np.array([1, 1, 0, 0]))
    >>> solution = nu_svm(problem, nu=0.5)
    >>> (solution.w.round(6) + 0.0).tolist(), solution.certificate.error(problem) < 1e-9
    ([1.0, 0.0], True)
    """
    objective = NuMargin(number("nu", nu, above=0.0, most=1.0))
    return nu_margin_optimum(problem.posed(objective), Goal.of(tol, max_iter, time_limit))


def nu_margin_optimum(problem: Problem, goal: Goal) -> Solution:
    """The optimum of a nu margin, scaled to rho = 1."""
    tell("problem", problem=problem)
    least = smallest_nu(problem, None if goal.budget.seconds == np.inf else SHARE_OF_TIME * goal.budget.seconds)
    if problem.objective.total(problem) <= least.nu * (1.0 + MEETING_RTOL) * float(problem.cost.sum()):
        claim = meeting(problem, least)
        if claim.stated <= goal.tol:
            return goal.solution(claim)
    factor = moderate_factor(problem)
    if chosen(problem, "auto") != "lagrangian":
        claim = by_bands(problem, factor, goal)
        if claim.stated <= goal.tol or goal.budget.left <= 0:
            return goal.solution(claim)
        other = searched(soft_margins(problem, goal), factor, goal, MAX_SECOND_STEPS)
        return goal.solution(min(claim, other, key=stated))
    return goal.solution(searched(soft_margins(problem, goal), factor, goal))


def stated(claim: DualityGap) -> float:
    """The gap that is claimed."""
    return claim.stated


def by_bands(problem: Problem, factor: float, goal: Goal) -> DualityGap:
    """The claim by interior points with rho as one more unknown, costs multiplied by a factor."""
    inner = replace(problem, cost=factor * problem.cost)
    n, d = problem.n_rows, problem.n_features
    with (
        np.errstate(over="ignore", divide="ignore", invalid="ignore"),
        threads_for(rows_at_once(n, d) * min(n, d) ** 2.0),
    ):
        program = BorderedProgram(inner, coordinates_for(inner))
        tell("program", program=program, factor=factor)
        v, alpha = solve_by_bands(program, None, goal.budget)
    w, b, rho = program.plane(v)
    alpha = alpha * (program.unit / factor)
    alpha[alpha <= NEGLIGIBLE_ALPHA * alpha.max(initial=0.0)] = 0.0
    return claim_of(problem, w / factor, b / factor, rho / factor, alpha)


def soft_margins(problem: Problem, goal: Goal) -> Callable[[float], Tried]:
    """What tries a C: the soft margin as a claim about the nu margin."""
    warm, total = WarmStart(), problem.objective.total(problem)

    def attempt(C: float) -> Tried:
        found = linear_svm(problem, C=C, start=warm, **inner_goal(goal)).certificate
        goal.budget.used += 1
        claim = DualityGap.issue(problem, found.w, found.b, found.alpha / C, found.support)
        return Tried(C, float(found.alpha.sum()) / C - total, claim)

    return attempt


def meeting(problem: Problem, least: SmallestNu) -> DualityGap:
    """The claim that w = 0 is optimal, where the reduced hulls meet."""
    share = min(1.0, problem.objective.total(problem) / float(least.alpha.sum()))
    return DualityGap.issue(problem, np.zeros(problem.n_features), 0.0, share * least.alpha)


def claim_of(problem: Problem, w: Vector, b: float, rho: float, alpha: Vector) -> DualityGap:
    """The claim of a plane with rho = 1, or of w = 0 where the reduced hulls meet."""
    if problem.fit_intercept:
        b, rho = final_offsets(problem, w, b, rho, alpha)
    reach = float(alpha.sum()) * np.sqrt(spread_of(problem)[1])
    if rho > 0.0 and length(w) > MEETING_RTOL * reach:
        claim = DualityGap.issue(problem, w / rho, b / rho, alpha)
        if claim.primal < 0.0:  # w = 0 is no optimum
            return claim
    return DualityGap.issue(problem, np.zeros(w.size), 0.0, alpha)


def final_offsets(problem: Problem, w: Vector, b: float, rho: float, alpha: Vector) -> tuple[float, float]:
    """b and rho: as they are where rows of both classes are on the margin, else the middle of what is optimal."""
    half, free = 0.5 * problem.objective.total(problem), np.minimum(alpha, problem.cost - alpha)
    levels = {1: rho - b, -1: rho + b}  # of y w.x on the margin, for each class
    for sign in levels:
        own = problem.signs == sign
        if not (free[own] > FREE_RTOL * problem.cost[own]).any():
            levels[sign] = middle_quantile(sign * scores(problem.X, w)[own], problem.cost[own], half)
    return 0.5 * (levels[-1] - levels[1]), 0.5 * (levels[-1] + levels[1])


def middle_quantile(values: Vector, weights: Vector, total: float) -> float:
    """The value below which rows weigh a total; where any of an interval does, its middle.

    >>> middle_quantile(np.array([1.0, 2.0, 4.0, 5.0]), np.ones(4), 2.0)
    3.0
    """
    order = np.argsort(values, kind="stable")
    values, below = values[order], np.cumsum(weights[order])
    rounding = 1e-12 * float(below[-1])
    low = int(np.searchsorted(below, total - rounding))
    high = int(np.searchsorted(below, total + rounding))
    return 0.5 * float(values[min(low, values.size - 1)] + values[min(high, values.size - 1)])


def moderate_factor(problem: Problem) -> float:
    """A power of two by which costs make margins of moderate size: those of the difference of the class means."""
    signs = problem.signs.astype(np.float64)
    weights = np.bincount(problem.y, problem.cost, minlength=2)
    share = problem.objective.total(problem) / (2.0 if problem.fit_intercept else 1.0)
    alpha = share * problem.cost / np.where(weights > 0.0, weights, 1.0)[problem.y]
    g = scores(problem.X, combination(problem.X, alpha * signs))
    spread = float(np.std(g)) if problem.fit_intercept else float(np.sqrt(np.mean(g * g)))
    return float(2.0 ** -np.round(np.log2(spread))) if 0.0 < spread < np.inf else 1.0
