"""One linear support vector machine for several classes: the objective of `objectives.joint_margin`, to a stated gap.

Passes of the sequential dual method (`sequential_dual`) come first, except for few rows, and are enough for texts. An
augmented Lagrangian with Newton's steps (`augmented_lagrangian`) then goes to the gap that is asked for, in coordinates
where rows are of moderate size.
With two classes it is the machine of `linear_svm` for 2 C: there w_1 = -w_0 = w / 2.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import OptionError
from separatrix.objectives import JointMargin
from separatrix.objectives.joint_margin import largest_violations
from separatrix.problem import Problem, Solution
from separatrix.rows import TINY, Vector, squares
from separatrix.solvers.budget import Budget
from separatrix.solvers.goal import Goal
from separatrix.solvers.options import first_planes, positive
from separatrix.solvers.svm.joint.augmented_lagrangian import Best, augmented_lagrangian, evaluated
from separatrix.solvers.svm.joint.program import JointProgram, is_sparse, unscaled_rows
from separatrix.solvers.svm.joint.sequential_dual import fixed_of, sequential_dual
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.watching import tell
from separatrix.threads import threads_for

DUAL_RATIO = 0.85  # of the gap after some passes of the sequential dual method, beyond which Newton's steps are quicker
MIN_PRODUCTS_FOR_PASSES = 1e6  # of numbers, in the scores of all rows
MAX_GAP_OF_PASSES = 0.9  # after which they are no better a start than planes of zeros
PASSES_TOL_RATIO = 0.8  # part of tol that its estimate of the gap must reach, which is that of planes before
TOL_RATIOS = (0.5, 0.05, 0.005)  # parts of tol to aim at, one after the other, as a repaired p may have a larger gap
POLISH_GAP, POLISH_STEPS = 1e-12, 12  # relative gap to polish to where steps are cheap, and steps at most
POLISH_COEFFICIENTS = 300  # up to which they are
MIN_FIRST_WIDTH = 0.03  # of the guess of a start
AT_BOUND = 1e-9  # p of an own class below which its row is at its bound
INITIAL_CURVATURE, C_GROWTH = 1e4, 100.0  # the first C times the mean length of the rows; from one C to the next
ROUGH_GAP = 1e-2  # to which smaller ones are solved
UNBOUND_TOL_RATIO = 0.02  # part of tol to which one is solved that binds no row
MAX_CLEARED_SLACK, SLACK_MARGIN = 1e-3, 1e-13  # of rows on the margin; and what rounding may leave of it
NEGLIGIBLE = 1e-14  # part of the largest dual variable below which one is rounding


@dataclass
class JointStart:
    """Planes to start from, of shape (n_classes, d), offsets, and q of the support rows with its C where known."""

    w: Vector
    b: Vector
    support: Any = None
    q: Any = None
    C: float = 1.0
    n_rows: int = 0

    @classmethod
    def of(cls, claim: DualityGap) -> "JointStart":
        """The optimum that a certificate claims."""
        return cls(claim.w, claim.b, claim.support, claim.alpha, claim.objective.C, claim.n_rows)

    def guess(self, problem: Problem) -> Vector:
        """p of every row; without slack where nothing is known of it."""
        guess, rows = np.zeros((problem.n_rows, problem.n_classes)), np.arange(problem.n_rows)
        if self.support is not None and self.n_rows == problem.n_rows:
            guess[self.support] = self.q / (self.C * problem.cost[self.support, None])
        own = 1.0 - guess.sum(axis=1)
        guess[rows, problem.y] = np.where(own > AT_BOUND, own, 0.0)
        return carried(guess, problem.y, self.C / problem.objective.C)


def carried(prob: Vector, y: np.ndarray, ratio: float) -> Vector:
    """p for another C: rows at their bound stay at it, all others keep q; the ratio is that of the first C to this."""
    rows = np.arange(len(y))
    free = prob[rows, y] > 0.0
    prob = prob * np.where(free, ratio, 1.0)[:, None]
    prob[rows, y] = 0.0
    prob[rows, y] = np.maximum(0.0, 1.0 - prob.sum(axis=1)) * free
    return prob


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # what overflows is never the best point
def joint_svm(
    problem: Problem,
    *,
    C: float = 1.0,
    start: Any = None,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
) -> Solution:
    """Minimise 1/2 ||W||^2 + C sum of the slacks of several classes, to a relative gap of tol.

    `start` are planes [w..., b], one a row, or a JointStart. The options are those of `LinearSVM`.

    >>> problem = Problem(np.array([[0.0], [2.0], [4.0]]), np.array([0, 1, 2]), 3)
    >>> solution = joint_svm(problem, C=10.0)
    >>> (solution.w.ravel().round(6) + 0.0).tolist(), solution.certificate.error(problem) < 1e-9
    ([-1.0, 0.0, 1.0], True)
    """
    price = positive("C", C)
    if price == np.inf:
        raise OptionError(
            "The joint machine of several classes has no hard margin here (C=inf). Use a large finite C: where no row "
            "is left with slack, it is the hard margin."
        )
    if problem.n_classes == 2:
        how = {"start": start, "tol": tol, "max_iter": max_iter, "time_limit": time_limit}
        return linear_svm(problem, C=2.0 * price, **how)
    goal, problem = Goal.of(tol, max_iter, time_limit), problem.posed(JointMargin(price))
    tell("problem", problem=problem)
    if start is not None and not isinstance(start, JointStart):
        planes = first_planes(problem, start)
        start = JointStart(planes[:, :-1], planes[:, -1])
    with threads_for(0.0):
        if start is None and is_worth_passes(problem):
            return from_passes(problem, goal)
        program = JointProgram.of(problem)
        return refined(problem, program, first_point(problem, program, start, goal), goal)


def is_worth_passes(problem: Problem) -> bool:
    """Whether passes of the sequential dual method come first: on sparse rows, and on all but few."""
    n_products = float(problem.n_rows) * problem.n_features * problem.n_classes
    return n_products >= MIN_PRODUCTS_FOR_PASSES or is_sparse(problem)


def from_passes(problem: Problem, goal: Goal) -> Solution:
    """The answer by the sequential dual method, and by Newton's steps where its passes do not reach the gap."""
    cost, offset, (rows, coordinates) = (
        problem.objective.C * problem.cost,
        problem.fit_intercept,
        unscaled_rows(problem),
    )
    W, b, prob, _ = sequential_dual(
        rows, fixed_of(problem.y, cost, squares(rows), offset), n_classes=problem.n_classes, fit_intercept=offset,
        tol=PASSES_TOL_RATIO * goal.tol, max_ratio=DUAL_RATIO, budget=goal.budget,
    )  # fmt: skip
    V = np.vstack([coordinates.scale[:, None] * W, *[b[None] - b.mean()] * offset])
    claim = issued(problem, *coordinates.plane(V.T), prob)
    if claim.stated <= goal.tol or goal.budget.left <= 0:
        return goal.solution(claim)
    program, best = JointProgram.of(problem), Best(V, prob, width_for(claim.stated))
    if claim.stated > MAX_GAP_OF_PASSES:
        best = first_point(problem, program, None, goal)
    found = refined(problem, program, best, goal)
    return found if found.certificate.values.gap <= claim.values.gap else goal.solution(claim)


def first_point(problem: Problem, program: JointProgram, start: JointStart | None, goal: Goal) -> Best:
    """Planes in coordinates and p of all rows to start from."""
    zero = np.zeros((program.width, program.n_classes))
    if start is not None:
        V, guess = program.coordinates.vector(start.w, start.b).T, start.guess(problem)
        V = V - V.mean(axis=1, keepdims=True)
        here = evaluated(program, V, program.scores(V), program.held(guess, np.inf))  # so that p = guess
        return Best(V, guess, width_for(here.gap)) if here.primal < program.cost.sum() else Best(zero, guess)
    no_slack = Best(zero, JointStart(zero, zero).guess(problem), dual=0.0)
    return from_smaller_cost(program, no_slack, goal)


def from_smaller_cost(program: JointProgram, best: Best, goal: Goal) -> Best:
    """A start for a large C: the optimum for smaller ones, to a rough gap, until one binds no row.

    A bound that no row reaches does not bind: the optimum of such a C is that of all larger ones.
    """
    part = min(1.0, INITIAL_CURVATURE / max(float((program.cost * program.lengths).mean()), TINY))
    while part < 1.0 and goal.budget.left > 0:
        smaller = program._replace(cost=part * program.cost)
        best = augmented_lagrangian(smaller, best, ROUGH_GAP, goal.budget)
        if not is_bound(best, program.y):
            best = augmented_lagrangian(smaller, best, UNBOUND_TOL_RATIO * goal.tol, goal.budget)
        bound = is_bound(best, program.y)
        following = min(1.0, C_GROWTH * part) if bound else 1.0
        V = best.V if bound else without_slack(program, best.V)
        best, part = Best(V, carried(best.prob, program.y, part / following), best.width), following
    return best


def is_bound(best: Best, y: np.ndarray) -> bool:
    """Whether a row is at its bound."""
    return bool((best.prob[np.arange(len(y)), y] <= 0.0).any())


def without_slack(program: JointProgram, V: Vector) -> Vector:
    """Planes scaled up a little, so that rows on the margin have no slack: for a large C it would cost much."""
    most = float(largest_violations(program.scores(V), program.y).max())
    return V * (1.0 + SLACK_MARGIN) / (1.0 - most) if 0.0 < most < MAX_CLEARED_SLACK else V


def width_for(gap: float) -> float:
    """The width of the first guess, from the relative gap of a start."""
    return float(np.clip(10.0 * np.sqrt(gap), MIN_FIRST_WIDTH, 1.0))


def refined(problem: Problem, program: JointProgram, best: Best, goal: Goal) -> Solution:
    """The answer from a start: to the gap that is asked for, and where steps are cheap to the last digits."""
    claim = certified(problem, program, best)
    for ratio in TOL_RATIOS:
        if claim.stated <= goal.tol or goal.budget.left <= 0:
            break
        best = augmented_lagrangian(program, best, ratio * goal.tol, goal.budget)
        claim = least([claim, certified(problem, program, best)])
        best.primal, best.dual = claim.primal, claim.dual
    if claim.stated <= goal.tol and best.V.size <= POLISH_COEFFICIENTS and goal.budget.left > 0:
        own = Budget(min(POLISH_STEPS, goal.budget.left), goal.budget.seconds)
        claim = least([claim, certified(problem, program, augmented_lagrangian(program, best, POLISH_GAP, own))])
        goal.budget.used += own.used
    return goal.solution(claim)


def least(claims: list[DualityGap]) -> DualityGap:
    """The claim with the smallest gap."""
    return min(claims, key=lambda claim: claim.values.gap)


def certified(problem: Problem, program: JointProgram, best: Best) -> DualityGap:
    """The certificate of planes in coordinates and their p."""
    return issued(problem, *program.coordinates.plane(best.V.T), best.prob)


def issued(problem: Problem, w: Vector, b: Vector, prob: Vector) -> DualityGap:
    """The certificate of planes and p."""
    q = problem.objective.C * problem.cost[:, None] * prob
    q[np.arange(problem.n_rows), problem.y] = 0.0
    q[q < NEGLIGIBLE * q.max()] = 0.0
    support = np.flatnonzero(q.any(axis=1))
    return DualityGap.issue(problem, w - w.mean(axis=0), b - b.mean(), q[support], support)
