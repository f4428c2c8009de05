"""The primal and the dual value of a soft or hard margin, as sums over rows in two passes.

The first pass adds up what slacks cost, and alpha of each class within its bounds. Then it is known by how much the
heavier class is scaled down to be feasible, and the second adds up the normal sum_i alpha_i y_i x_i. Margins are
rounded by some units of their largest term; where that could matter, slacks are computed without rounding.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separatrix.objectives.values import ROUNDING, DualPoint, Values
from separatrix.problem import Problem
from separatrix.problem.exact_slacks import slacks
from separatrix.problem.fold import CentredSum, Fold, added
from separatrix.products import score_size
from separatrix.rows import TINY, Vector

if TYPE_CHECKING:
    from separatrix.objectives.soft_margin import SoftMargin


def soft_margin_fold(objective: "SoftMargin", plane: tuple[Vector, float], dual: DualPoint) -> Fold:
    """The values of a plane w, b and of alpha, from blocks of rows."""

    def second_pass(sums: PrimalSums) -> Fold:
        known = Known(objective, plane, 0.5 * float(plane[0] @ plane[0]), sums)
        return Fold(
            lambda block, first: dual_sums(known, block, dual.within(block, first)), DualSums.merged, known.values
        )

    return Fold(
        lambda block, first: primal_sums(objective, block, plane, dual.within(block, first)),
        PrimalSums.merged,
        second_pass,
    )


class PrimalSums(NamedTuple):
    """Sums over rows: what their slack costs, what they weigh, and alpha within bounds of each class.

    Then the largest margin or sum of the sizes of its terms, and whether both classes must have the same alpha.
    """

    losses: float
    cost: float
    sides: Vector
    largest: float
    balanced: bool

    def merged(self, other: "PrimalSums") -> "PrimalSums":
        """The sums over the rows of both."""
        return added(self, other)._replace(largest=max(self.largest, other.largest), balanced=self.balanced)

    @property
    def factors(self) -> Vector:
        """What alpha of each class is multiplied by to be feasible: the heavier one is scaled down."""
        return self.sides.min() / np.maximum(self.sides, TINY) if self.balanced else np.ones(2)


class DualSums(NamedTuple):
    """Sums over the rows of a dual point: alpha, give alpha^2 and the normal; then what is exact of slacks.

    That is by how much losses are too small, a bound on what rounding may still hide, and the least margin.
    """

    alpha: float
    given: float
    normal: CentredSum
    more: float
    rounding: float
    least: float

    def merged(self, other: "DualSums") -> "DualSums":
        """The sums over the rows of both."""
        return added(self, other)._replace(least=min(self.least, other.least))


class Known(NamedTuple):
    """What is known after the first pass: the objective, the plane, 1/2 ||w||^2 and the sums over all rows."""

    objective: "SoftMargin"
    plane: tuple[Vector, float]
    penalty: float
    sums: PrimalSums

    @property
    def of_margins(self) -> float:
        """How far rounding may move a margin."""
        return ROUNDING * (1.0 + abs(self.plane[1]) + self.sums.largest)

    @property
    def is_slack_priced(self) -> bool:
        """Whether alpha prices the rounding of slacks: where rows cost far more in all, it may not."""
        max_cost_ratio = 10.0
        total = float(self.sums.factors @ self.sums.sides)
        return not (self.objective.boxed and self.objective.C * self.sums.cost > max_cost_ratio * total)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def values(self, found: DualSums) -> Values:
        """Primal and dual value, with a bound on what rounding made of them."""
        dual_square = float(found.normal.total @ found.normal.total)
        if self.objective.hard:
            least, total = found.least, found.alpha
            primal = self.penalty / least**2 if least > 0.0 else np.inf  # the plane scaled to reach 1
            bound = 0.5 * (total / dual_square**0.5) ** 2 if dual_square > 0.0 else np.inf if total > 0.0 else 0.0
            return Values(primal, bound, ROUNDING * primal)
        losses, of_slacks = self.sums.losses, found.alpha * self.of_margins  # slack costs alpha, at least
        of_sums = ROUNDING * (2.0 * self.penalty + losses + dual_square)
        dual = found.alpha - 0.5 * found.given - 0.5 * dual_square
        return Values(self.penalty + (losses + found.more), dual, of_sums + max(of_slacks, found.rounding))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def primal_sums(objective: "SoftMargin", block: Problem, plane: tuple[Vector, float], dual: DualPoint) -> PrimalSums:
    """What a first pass over rows adds up."""
    margins, signs = block.margins(*plane), block.signs[dual.support]
    alpha = bounded(dual.alpha, objective.upper(block.cost[dual.support]))
    sides = np.array([float(alpha @ (signs < 0)), float(alpha @ (signs > 0))])
    losses = 0.0 if objective.hard else float(objective.losses(margins, block.cost).sum())
    largest = max(float(margins.max(initial=0.0)), -float(margins.min(initial=0.0)), score_size(block.X, plane[0]))
    return PrimalSums(losses, float(block.cost.sum()), sides, largest, block.fit_intercept)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def dual_sums(known: Known, block: Problem, dual: DualPoint) -> DualSums:
    """What a second pass over rows adds up, with alpha made feasible."""
    objective, signs, cost = known.objective, block.signs[dual.support], block.cost[dual.support]
    alpha = bounded(dual.alpha, objective.upper(cost))
    if block.fit_intercept:
        alpha = alpha * known.sums.factors[(signs > 0).view(np.int8)]
    given = float(np.sum(objective.dual_ridge(cost) * alpha * alpha)) if objective.squared else 0.0
    more, rounding, least = 0.0, 0.0, np.inf
    if objective.hard:
        least = least_margin(block, *known.plane, known.of_margins)
    elif not known.is_slack_priced:
        primal = known.penalty + known.sums.losses
        more, rounding = violators_again(block, objective, known.plane, known.of_margins, primal)
    return DualSums(float(alpha.sum()), given, CentredSum.of(block, alpha * signs, dual.support), more, rounding, least)


def violators_again(
    problem: Problem, objective: "SoftMargin", plane: tuple[Vector, float], of_margins: float, primal: float
) -> tuple[float, float]:
    """What rounding took from the slacks of violators, each of which costs C a unit, and what it may still hide.

    Slacks are computed without rounding where their rounding could matter: 1e-9 of the primal value.
    """
    margins = problem.margins(*plane)
    violators = np.flatnonzero(margins <= 1.0 + of_margins)
    cost = problem.cost[violators]
    rounding = objective.C * float(cost.sum()) * of_margins
    if not 1e-9 * primal < rounding < np.inf:
        return 0.0, rounding
    slack = slacks(problem.X, problem.signs, violators, *plane)
    more = objective.C * float(cost @ (np.maximum(0.0, slack) - np.maximum(0.0, 1.0 - margins[violators])))
    return more, ROUNDING * objective.C * float(cost @ np.abs(slack))


def least_margin(problem: Problem, w: Vector, b: float, of_margins: float) -> float:
    """The margin of the nearest row, computed without rounding among the rows that rounding cannot tell apart."""
    margins = problem.margins(w, b)
    least = float(margins.min())
    if not ROUNDING * least < of_margins < np.inf or not least > 0.0:
        return least
    nearest = np.flatnonzero(margins <= least + 2.0 * of_margins)
    return 1.0 - float(slacks(problem.X, problem.signs, nearest, w, b).max())


def bounded(alpha: Vector, upper: Vector) -> Vector:
    """The nearest alpha within bounds; what is not a number becomes 0."""
    return np.minimum(np.fmax(alpha, 0.0), upper)


def normal_of(problem: Problem, support: np.ndarray, signed: Vector) -> Vector:
    """sum_i alpha_i y_i x_i, measured from a centre where there is an offset: both sides weigh the same."""
    return CentredSum.of(problem, signed, support).total
