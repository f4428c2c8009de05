"""From the optimum of a band to a Solution: the offset, and a certificate over all rows."""

from typing import NamedTuple

import numpy as np

from separatrix.certificates import DualityGap, Separator
from separatrix.objectives import DualPoint, Values
from separatrix.objectives.dual_rule import HingeBand
from separatrix.problem import History, Plane, Problem, Solution, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold
from separatrix.products import scores
from separatrix.rows import Vector, read_only
from separatrix.solvers.blocks.gathered_rows import GatheredRows
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
    near, plane, alpha = found.problem, found.plane, found.alpha
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
    problem: BlockedProblem, plane: tuple[Vector, float], dual: DualPoint | HingeBand, values: Values,
    separator: Separator | None = None,
) -> DualityGap:  # fmt: skip
    """The claim with the figures that passes over all rows gave it."""
    rule = dual if isinstance(dual, HingeBand) else None
    named = DualPoint(np.zeros(0, dtype=np.int64), np.zeros(0)) if rule is not None else dual
    weighted = any(weight != count for weight, count in zip(problem.census.weights, problem.census.counts, strict=True))
    return DualityGap(
        read_only(np.array(plane[0])), float(plane[1]), problem.objective, read_only(named.support),
        read_only(named.alpha), values, problem.n_rows, separator, weighted=weighted, rule=rule,
    )  # fmt: skip


def solution_of(claim: DualityGap, tol: float, budget: Budget) -> Solution:
    """The answer; its passes are counted by who makes them."""
    missed = Status.STOPPED if budget.left <= 0 else Status.ROUNDED
    status, steps = Status.SOLVED if claim.stated <= tol else missed, max(budget.used, 1)
    return Solution(Plane(np.array(claim.w), claim.b), claim, status, History(steps, steps))


class Turns(NamedTuple):
    """The rows whose turn, the offset at which they are on the margin, is nearest; and the slope of all others."""

    rows: GatheredRows
    slope: float


def offset_fold(w: Vector, b: float) -> Fold:
    """A pass for the middle of the best offsets of a w (`svm.best_offset`), where no free row decides."""

    def slope_of(y: np.ndarray, cost: Vector, turns: Vector) -> float:
        violating = np.where(y > 0, turns > 0.0, turns < 0.0)
        return float(np.where(y > 0, -cost, cost) @ violating)

    def tally(block: Problem, first: int) -> Turns:
        turns = (block.signs - scores(block.X, w)) - b
        order = np.argsort(np.abs(turns), kind="stable")
        kept, others = np.sort(order[:MAX_TURNS]), order[MAX_TURNS:]
        rows = GatheredRows.of(block, first, kept, turns[kept])
        return Turns(rows, slope_of(block.y[others], block.cost[others], turns[others]))

    def merge(one: Turns, other: Turns) -> Turns:
        rows, others = one.rows.merged(other.rows).smallest(MAX_TURNS)
        return Turns(rows, one.slope + other.slope + slope_of(others.y, others.cost, others.value))

    def verdict(found: Turns) -> float:
        rows = found.rows
        return b + least_offset(rows.value, rows.y > 0, rows.cost, False, found.slope)

    return Fold(tally, merge, verdict)
