"""From the optimum of a band to a Solution: the offset, and a certificate over all rows."""

from typing import NamedTuple

import numpy as np

from separatrix.certificates import DualityGap, Separator
from separatrix.objectives import NO_DUAL_POINT, DualPoint, Values
from separatrix.objectives.dual_rule import DualRule
from separatrix.problem import History, Plane, Problem, Solution, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold
from separatrix.products import scores
from separatrix.rows import Vector, read_only
from separatrix.solvers.blocks.hinge_bands import BandOptimum
from separatrix.solvers.blocks.side_by_side import Steps
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.best_offset import least_offset
from separatrix.solvers.svm.outcome import FREE_RTOL, clear_of_rounding

SMALL_GAP = 1e-9  # above which a plane without slack on the margin is tried too
MAX_TURNS = 2**12  # rows nearest to their turn whose offsets are compared


def claim_steps(
    problem: BlockedProblem, found: BandOptimum, values: Fold, tol: float, budget: Budget
) -> Steps[Solution]:
    """The solution, whose certificate states the sums over all rows; `values` is the second pass for them."""
    near, plane, alpha = found.problem, found.view.plane, found.alpha
    upper = problem.objective.upper(near.cost)
    if problem.fit_intercept and not (np.minimum(alpha, upper - alpha) > FREE_RTOL * upper).any():
        plane = plane[0], (yield offset_fold(*plane))
        values = problem.objective.fold(*plane, found.rule(plane))
    rule = found.rule(plane)
    claim = claimed(problem, plane, rule, (yield values))
    if claim.stated > max(min(tol, SMALL_GAP), claim.rounding):  # rows on the margin have slack that is rounding
        plane = clear_of_rounding(near, *plane, alpha)
        clear = claimed(problem, plane, rule, (yield problem.objective.fold(*plane, rule)))
        claim = min(claim, clear, key=lambda each: each.primal)
    return solution_of(claim, tol, budget)


def claimed(
    problem: BlockedProblem, plane: tuple[Vector, float], dual: DualPoint | DualRule, values: Values,
    separator: Separator | None = None,
) -> DualityGap:  # fmt: skip
    """The claim with the figures that passes over all rows gave it."""
    named, rule = (dual, None) if isinstance(dual, DualPoint) else (NO_DUAL_POINT, dual)
    return DualityGap(
        read_only(np.array(plane[0])), float(plane[1]), problem.objective, read_only(named.support),
        read_only(named.alpha), values, problem.n_rows, separator, weighted=problem.weighted, rule=rule,
    )  # fmt: skip


def solution_of(claim: DualityGap, tol: float, budget: Budget) -> Solution:
    """The answer; its passes are counted by who makes them."""
    missed = Status.STOPPED if budget.left <= 0 else Status.ROUNDED
    status, steps = Status.SOLVED if claim.stated <= tol else missed, max(budget.used, 1)
    return Solution(Plane(np.array(claim.w), claim.b), claim, status, History(steps, steps))


class Turns(NamedTuple):
    """The variables whose turn, the offset at which they are on the margin, is nearest; and the slope of all others.

    `ahead` are those that violate the margin before their turn.
    """

    turns: Vector
    ahead: np.ndarray
    cost: Vector
    slope: float

    @classmethod
    def nearest(cls, turns: Vector, ahead: np.ndarray, cost: Vector, slope: float = 0.0) -> "Turns":
        """The nearest of some, in their order."""
        order = np.argsort(np.abs(turns), kind="stable")
        kept, others = np.sort(order[:MAX_TURNS]), order[MAX_TURNS:]
        violating = np.where(ahead[others], turns[others] > 0.0, turns[others] < 0.0)
        more = float(np.where(ahead[others], -cost[others], cost[others]) @ violating)
        return cls(turns[kept], ahead[kept], cost[kept], slope + more)

    def merged(self, other: "Turns") -> "Turns":
        """The nearest of both."""
        turns, ahead, cost = (np.concatenate(pair) for pair in zip(self[:3], other[:3], strict=True))
        return Turns.nearest(turns, ahead, cost, self.slope + other.slope)


def offset_fold(w: Vector, b: float, epsilon: float = 0.0) -> Fold:
    """A pass for the middle of the best offsets of a w (`svm.best_offset`), where no free row decides.

    Of numbers each row has two turns, one for each side of the tube.
    """

    def tally(block: Problem, first: int) -> Turns:
        if block.n_classes:
            return Turns.nearest((block.signs - scores(block.X, w)) - b, block.y > 0, block.cost)
        off = (block.y - scores(block.X, w)) - b
        ahead = np.repeat([True, False], off.size)
        return Turns.nearest(np.concatenate([off - epsilon, off + epsilon]), ahead, np.tile(block.cost, 2))

    def verdict(found: Turns) -> float:
        return b + least_offset(found.turns, found.ahead, found.cost, False, found.slope)

    return Fold(tally, Turns.merged, verdict)
