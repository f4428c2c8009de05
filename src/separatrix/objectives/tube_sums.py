"""The primal and the dual value of regression with a tube, each enclosed, as sums over rows in two passes.

The first pass adds up what excesses cost, and |beta| of each sign within its bounds. Then it is known by how much the
heavier sign is scaled down to be feasible, and the second adds up sum_i beta_i y_i, what beta costs, and the normal
sum_i beta_i x_i; rows and targets are measured from a centre where all beta add up to 0.

Rounding leaves sum_i beta_i = s instead. The point that is feasible takes |s| from the largest beta of the heavier
sign, at row k: sum_i beta_i y_i differs by s (y_k - m), and the normal by s (x_k - m).
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.enclosures import Enclosed, Interval, enclosed_scores, enclosed_square, enclosed_sum
from separatrix.enclosures.elementwise import dot, shifted
from separatrix.enclosures.exact_sums import product_below
from separatrix.objectives.dual_rule import DualRule
from separatrix.objectives.soft_margin_sums import bounded, given_of, losses_of, squared_length, support_combination
from separatrix.objectives.values import DualPoint, Values, best_multiple
from separatrix.problem import Problem
from separatrix.problem.fold import Fold, centre_of
from separatrix.rows import CSR, TINY, UNIT_ROUNDOFF, Vector

if TYPE_CHECKING:
    from separatrix.objectives.epsilon_insensitive import EpsilonInsensitive

INFLATED = 1.0 + 8.0 * UNIT_ROUNDOFF  # what radii are multiplied by for their own roundings


class PrimalSums(NamedTuple):
    """Sums over rows: what excesses cost, and |beta| of each sign.

    Then what rows and their targets are measured from, and whether beta has to be balanced, without which it is 0.
    """

    losses: Interval
    sides: Vector
    centre: Vector | None
    middle: float | None
    balanced: bool

    def merged(self, other: "PrimalSums") -> "PrimalSums":
        """The sums over the rows of both."""
        centre = other.centre if self.centre is None else self.centre
        middle = other.middle if self.middle is None else self.middle
        return PrimalSums(self.losses + other.losses, self.sides + other.sides, centre, middle, self.balanced)

    @property
    def factors(self) -> Vector:
        """What beta of each sign is multiplied by to be feasible but for rounding: the heavier one is scaled down."""
        return self.sides.min() / np.maximum(self.sides, TINY) if self.balanced else np.ones(2)


class Reserve(NamedTuple):
    """The largest |beta| of each sign, and how far its row is from the centre, in each column and in its target."""

    beta: Vector
    distances: Vector

    @classmethod
    def of(cls, block: Problem, support: np.ndarray, beta: Vector, centre: tuple[Vector, float]) -> "Reserve":
        """That of the rows of a dual point."""
        largest, distances = np.zeros(2), np.zeros((2, block.n_features + 1))
        for side, own in enumerate((-beta, beta)):
            place = int(np.argmax(own)) if own.size else 0
            if own.size and own[place] > 0.0:
                row, number = rows.dense_row(block.X, int(support[place])), float(block.y[support[place]])
                largest[side], distances[side] = own[place], np.abs(np.append(row - centre[0], number - centre[1]))
        return cls(largest, distances)

    def merged(self, other: "Reserve") -> "Reserve":
        """That of the rows of both."""
        first = self.beta >= other.beta
        return Reserve(np.maximum(self.beta, other.beta), np.where(first[:, None], self.distances, other.distances))


class DualSums(NamedTuple):
    """Sums over the rows of a dual point: beta y, |beta|, beta, ridge beta^2, and the normal; and its reserve."""

    linear: Interval
    size: Interval
    signed: Interval
    given: Interval
    normal: Enclosed
    reserve: Reserve

    def merged(self, other: "DualSums") -> "DualSums":
        """The sums over the rows of both."""
        return DualSums(
            self.linear + other.linear,
            self.size + other.size,
            self.signed + other.signed,
            self.given + other.given,
            self.normal.plus(other.normal),
            self.reserve.merged(other.reserve),
        )

    def feasible(self, balanced: bool) -> "DualSums | None":
        """The sums of a point that is feasible, which takes s from a row with enough beta; None where none has."""
        if not balanced:
            return self
        s = abs(self.signed).high
        if not s <= float(self.reserve.beta.min()):
            return None
        off = s * self.reserve.distances.max(axis=0) * INFLATED
        moved = Interval(-1.0, 1.0) * float(off[-1])
        normal = Enclosed(self.normal.value, (self.normal.radius + off[:-1]) * INFLATED)
        return self._replace(linear=self.linear + moved, normal=normal)

    @property
    def quadratic(self) -> Interval:
        """What is subtracted of a dual value, twice."""
        return self.given + squared_length(self.normal)


class Known(NamedTuple):
    """What is known after the first pass: the objective, 1/2 ||w||^2 and the sums over all rows."""

    objective: "EpsilonInsensitive"
    penalty: Interval
    sums: PrimalSums

    def values(self, found: DualSums) -> Values:
        """Primal and dual value; that of no beta at all is 0."""
        primal, feasible = self.penalty + self.sums.losses, found.feasible(self.sums.balanced)
        if feasible is None:
            return Values.of(primal, Interval(0.0, 0.0))
        linear, quadratic = feasible.linear - self.objective.epsilon * feasible.size, feasible.quadratic
        t = best_multiple(linear.low, quadratic.high)
        return Values.of(primal, t * linear - 0.5 * t * (t * quadratic))


def tube_fold(objective: "EpsilonInsensitive", plane: tuple[Vector, float], dual: DualPoint | DualRule) -> Fold:
    """The values of a plane w, b and of beta, from blocks of rows."""

    def second_pass(sums: PrimalSums) -> Fold:
        known = Known(objective, 0.5 * enclosed_square(plane[0]), sums)
        return Fold(
            lambda block, first: dual_sums(known, block, dual.within(block, first)), DualSums.merged, known.values
        )

    return Fold(
        lambda block, first: primal_sums(objective, block, plane, dual.within(block, first)),
        PrimalSums.merged,
        second_pass,
    )


@np.errstate(over="ignore", invalid="ignore")
def primal_sums(
    objective: "EpsilonInsensitive", block: Problem, plane: tuple[Vector, float], dual: DualPoint
) -> PrimalSums:
    """What a first pass over rows adds up."""
    beta, support = feasible_beta(objective, block, dual), dual.support
    sides = np.array([float(-beta[beta < 0.0].sum()), float(beta[beta > 0.0].sum())])
    off = residuals(block, enclosed_scores(block.X, *plane))
    losses = losses_of(objective, block.cost, excesses(off, objective.epsilon))
    measured = block.fit_intercept and support.size > 0
    centre = centre_of(block.X, support) if measured and not isinstance(block.X, CSR) else None
    middle = float(np.median(block.y[support])) if measured else None
    return PrimalSums(losses, sides, centre, middle, block.fit_intercept)


@np.errstate(over="ignore", invalid="ignore")
def dual_sums(known: Known, block: Problem, dual: DualPoint) -> DualSums:
    """What a second pass over rows adds up, with beta made feasible but for rounding."""
    objective, support, sums = known.objective, dual.support, known.sums
    beta = feasible_beta(objective, block, dual)
    if block.fit_intercept:
        beta = beta * sums.factors[(beta > 0.0).view(np.int8)]
    origin = np.zeros(block.n_features) if sums.centre is None else sums.centre, sums.middle or 0.0
    targets = shifted(Enclosed(block.y[support], np.zeros(support.size)), -origin[1])
    return DualSums(
        dot(beta, targets),
        enclosed_sum(np.abs(beta)),
        enclosed_sum(beta),
        given_of(objective, block.cost[support], np.abs(beta)),
        support_combination(block, support, beta, sums.centre),
        Reserve.of(block, support, beta, origin),
    )


def feasible_beta(objective: "EpsilonInsensitive", block: Problem, dual: DualPoint) -> Vector:
    """Beta of a dual point within its bounds, which are rounded down."""
    beta = np.nan_to_num(dual.alpha)
    if objective.squared:
        return beta
    cost = block.cost[dual.support]
    return np.copysign(bounded(np.abs(beta), product_below(np.full(cost.shape, objective.C), cost)), beta)


def residuals(problem: Problem, scores: Enclosed) -> Enclosed:
    """y - g of each row."""
    return shifted(Enclosed(-scores.value, scores.radius), problem.y)


def excesses(off: Enclosed, epsilon: float) -> Enclosed:
    """How far residuals are beyond a tube, also where that is negative."""
    return shifted(Enclosed(np.abs(off.value), off.radius), -epsilon)
