"""The primal and the dual value of a soft or hard margin, each enclosed, as sums over rows in two passes.

The first pass adds up what slacks cost, and alpha of each class within its bounds. Then it is known by how much the
heavier class is scaled down to be feasible, and the second adds up the normal sum_i alpha_i y_i x_i.

Rounding leaves sum_i alpha_i y_i = s instead of 0. The point that is feasible takes |s| from the largest alpha of the
heavier class, at row k: its value is less by |s|, and its normal differs by s (x_k - m), whatever the centre m that
rows are measured from. Both are part of the enclosure, so that the dual value is one of a feasible point.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.enclosures import (
    Enclosed,
    Interval,
    enclosed_combination,
    enclosed_scores,
    enclosed_square,
    enclosed_sum,
)
from separatrix.enclosures.exact_sums import exact_affine, exact_combination, exact_total, product_below
from separatrix.enclosures.interval import root
from separatrix.objectives.dual_rule import DualRule
from separatrix.objectives.values import DualPoint, Values, best_multiple
from separatrix.problem import Problem
from separatrix.problem.fold import Fold, centre_of
from separatrix.rows import CSR, SMALLEST, TINY, UNIT_ROUNDOFF, Vector

if TYPE_CHECKING:
    from separatrix.objectives.soft_margin import SoftMargin

MAX_ROUNDING, MAX_ROUNDING_OF_GAP = 1e-11, 0.1  # parts of both that may be rounding, before it is worth exact sums
MAX_EXACT_ENTRIES = 2**22  # of rows whose sums are rounded once
MAX_CHEAP_ENTRIES = 2**14  # for which that takes a few milliseconds
ALL_OF_ROWS = 0.1  # part of the rows from which on one pass over all is quicker than a copy of so many


class Price(NamedTuple):
    """What slack costs: C times itself, or its square."""

    C: float
    squared: bool = False


class PrimalSums(NamedTuple):
    """Sums over rows: what their slack costs, the least margin, alpha within bounds of each class.

    Then the centre that rows are measured from, and whether both classes must have the same alpha.
    """

    losses: Interval
    least: Interval
    sides: Vector
    centre: Vector | None
    balanced: bool

    def merged(self, other: "PrimalSums") -> "PrimalSums":
        """The sums over the rows of both."""
        least = Interval(min(self.least.low, other.least.low), min(self.least.high, other.least.high))
        centre = other.centre if self.centre is None else self.centre
        return PrimalSums(self.losses + other.losses, least, self.sides + other.sides, centre, self.balanced)

    @property
    def factors(self) -> Vector:
        """What alpha of each class is multiplied by to be feasible but for rounding: the heavier one is scaled down."""
        return self.sides.min() / np.maximum(self.sides, TINY) if self.balanced else np.ones(2)


class Reserve(NamedTuple):
    """The largest alpha of each class, and how far its row is from the centre in each column."""

    alpha: Vector
    distances: Vector

    @classmethod
    def of(cls, block: Problem, support: np.ndarray, signed: Vector, centre: Vector) -> "Reserve":
        """That of the rows of a dual point."""
        alpha, distances = np.zeros(2), np.zeros((2, centre.size))
        for side, own in enumerate((-signed, signed)):
            place = int(np.argmax(own)) if own.size else 0
            if own.size and own[place] > 0.0:
                alpha[side] = own[place]
                distances[side] = np.abs(rows.dense_row(block.X, int(support[place])) - centre)
        return cls(alpha, distances)

    def merged(self, other: "Reserve") -> "Reserve":
        """That of the rows of both."""
        first = self.alpha >= other.alpha
        return Reserve(np.maximum(self.alpha, other.alpha), np.where(first[:, None], self.distances, other.distances))


class DualSums(NamedTuple):
    """Sums over the rows of a dual point: alpha, y alpha, give alpha^2, and the normal; and its reserve."""

    alpha: Interval
    signed: Interval
    given: Interval
    normal: Enclosed
    reserve: Reserve

    def merged(self, other: "DualSums") -> "DualSums":
        """The sums over the rows of both."""
        return DualSums(
            self.alpha + other.alpha,
            self.signed + other.signed,
            self.given + other.given,
            self.normal.plus(other.normal),
            self.reserve.merged(other.reserve),
        )

    def feasible(self, balanced: bool) -> "DualSums | None":
        """The sums of a point that is feasible, which takes s from a row with enough alpha; None where none has."""
        if not balanced:
            return self
        s = abs(self.signed).high
        if not s <= float(self.reserve.alpha.min()):
            return None
        off = s * self.reserve.distances.max(axis=0)
        radius = self.normal.radius + off * (1.0 + 8.0 * UNIT_ROUNDOFF)
        return self._replace(alpha=self.alpha - Interval(0.0, s), normal=Enclosed(self.normal.value, radius))

    def radius(self, hard: bool) -> float:
        """How far rounding may move the dual value of this very point, not of a multiple of it."""
        if hard:
            return self.value(hard).radius
        return (self.alpha - 0.5 * self.given - 0.5 * squared_length(self.normal)).radius

    def value(self, hard: bool) -> Interval:
        """The dual value of the best multiple of a feasible point, which for a soft margin is at most 1."""
        square = squared_length(self.normal)
        if hard:
            return best_of_hard_margin(self.alpha, square)
        quadratic = self.given + square
        t = best_multiple(self.alpha.low, quadratic.high)
        return t * self.alpha - 0.5 * t * (t * quadratic)


class Known(NamedTuple):
    """What is known after the first pass: the objective, the plane, 1/2 ||w||^2 and the sums over all rows."""

    objective: "SoftMargin"
    penalty: Interval
    sums: PrimalSums

    @property
    def primal(self) -> Interval:
        """The objective of the plane; for a hard margin that of its multiple which reaches a margin of 1."""
        if not self.objective.hard:
            return self.penalty + self.sums.losses
        least = self.sums.least
        return self.penalty / least.square() if least.low > 0.0 else Interval(np.inf, np.inf)

    def values(self, found: DualSums) -> Values:
        """Primal and dual value."""
        feasible = found.feasible(self.sums.balanced)
        if feasible is None:
            return Values.of(self.primal, Interval(0.0, 0.0), found.radius(self.objective.hard))
        hard = self.objective.hard
        return Values.of(self.primal, feasible.value(hard), feasible.radius(hard))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def soft_margin_values(
    objective: "SoftMargin", problem: Problem, plane: tuple[Vector, float], dual: DualPoint
) -> Values:
    """The values of a plane and of alpha; by sums that are rounded once, where rounding is a part of their gap."""
    margins = margins_of(problem, plane)
    known = Known(objective, 0.5 * enclosed_square(plane[0]), primal_sums(objective, problem, margins, dual))
    found = dual_sums(known, problem, dual)
    values = known.values(found)
    if not is_uncertain(values, known.primal.radius + found.radius(objective.hard), rows.n_entries(problem.X)):
        return values
    exactly = known._replace(sums=with_exact_margins(objective, known.sums, problem, plane, margins))
    feasible = exact_dual_sums(exactly, problem, dual, found)
    return exactly.values(found) if feasible is None else Values.of(exactly.primal, feasible.value(objective.hard))


def is_uncertain(values: Values, radius: float, n_entries: int) -> bool:
    """Whether what rounding may add to a gap is a part of the objective, and of many rows a part of the gap as well."""
    part_of_gap = MAX_ROUNDING_OF_GAP * (values.gap - radius) if n_entries > MAX_CHEAP_ENTRIES else 0.0
    return not radius <= max(MAX_ROUNDING * abs(values.primal), part_of_gap)


def soft_margin_fold(objective: "SoftMargin", plane: tuple[Vector, float], dual: DualPoint | DualRule) -> Fold:
    """The values of a plane w, b and of alpha, from blocks of rows."""

    def second_pass(sums: PrimalSums) -> Fold:
        known = Known(objective, 0.5 * enclosed_square(plane[0]), sums)
        return Fold(
            lambda block, first: dual_sums(known, block, dual.within(block, first)), DualSums.merged, known.values
        )

    def first_pass(block: Problem, first: int) -> PrimalSums:
        margins = margins_of(block, plane)
        sums = primal_sums(objective, block, margins, dual.within(block, first))
        losses = sums.least if objective.hard else sums.losses
        if losses.radius <= MAX_ROUNDING * abs(losses).low:
            return sums
        return with_exact_margins(objective, sums, block, plane, margins, MAX_CHEAP_ENTRIES)

    return Fold(first_pass, PrimalSums.merged, second_pass)


def margins_of(block: Problem, plane: tuple[Vector, float]) -> Enclosed:
    """y (w.x + b) of each row."""
    found = enclosed_scores(block.X, *plane)
    np.multiply(found.value, block.signs, out=found.value)
    return found


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def primal_sums(objective: "SoftMargin", block: Problem, margins: Enclosed, dual: DualPoint) -> PrimalSums:
    """What a first pass over rows adds up."""
    signs = block.signs[dual.support]
    alpha = feasible_alpha(objective, block, dual)
    sides = np.array([float(alpha @ (signs < 0)), float(alpha @ (signs > 0))])
    losses, least = Interval(0.0, 0.0), Interval(np.inf, np.inf)
    if objective.hard:
        least = smallest(margins)
    else:
        losses = losses_of(objective, block.cost, slacks_of(margins))
    centred = block.fit_intercept and not isinstance(block.X, CSR) and dual.support.size > 0
    centre = centre_of(block.X, dual.support) if centred else None
    return PrimalSums(losses, least, sides, centre, block.fit_intercept)


def slacks_of(margins: Enclosed) -> Enclosed:
    """1 - y (w.x + b) of each row, also where that is negative."""
    slack = 1.0 - margins.value
    return Enclosed(slack, margins.radius + 2.0 * UNIT_ROUNDOFF * np.abs(slack))


def losses_of(objective: Any, cost: Vector, slack: Enclosed) -> Interval:
    """Enclose what slacks cost: sum_i c_i slack_i, or of their squares."""
    weights, size = objective.C * cost, np.maximum(slack.value, 0.0)
    radii = weights * slack.radius
    if objective.squared:
        radii *= 2.0 * size + slack.radius
        size *= size
    radii += 4.0 * SMALLEST
    radii *= slack.value > -slack.radius  # a row beyond the margin for certain costs nothing
    size *= weights
    return enclosed_sum(size, radii, roundings=3).positive_part


def smallest(found: Enclosed) -> Interval:
    """Enclose the smallest of some numbers."""
    low, high = found.value - found.radius, found.value + found.radius
    return Interval(float(np.min(low, initial=np.inf)), float(np.min(high, initial=np.inf)))


def with_exact_margins(
    objective: "SoftMargin",
    sums: PrimalSums,
    problem: Problem,
    plane: tuple[Vector, float],
    margins: Enclosed,
    most: int = MAX_EXACT_ENTRIES,
) -> PrimalSums:
    """The sums of the first pass from margins that are rounded once, of the rows that count."""
    if objective.hard:
        counting = np.flatnonzero(~(margins.value - margins.radius > sums.least.high))
    else:
        slack = slacks_of(margins)
        counting = np.flatnonzero(~(slack.value < -slack.radius))
    if not is_affordable(problem, counting, most):
        return sums
    signs = 1.0 * problem.signs[counting]
    if objective.hard:
        return sums._replace(least=smallest(exact_affine(problem.X, counting, plane, np.zeros(signs.size), signs)))
    slack = exact_affine(problem.X, counting, plane, np.ones(signs.size), -signs)
    return sums._replace(losses=losses_of(objective, problem.cost[counting], slack))


def is_affordable(problem: Problem, index: np.ndarray, most: int = MAX_EXACT_ENTRIES) -> bool:
    """Whether so few rows are asked for that sums of them may be rounded once."""
    return index.size * rows.n_entries(problem.X) <= most * max(1, problem.n_rows)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def dual_sums(known: Known, block: Problem, dual: DualPoint) -> DualSums:
    """What a second pass over rows adds up, with alpha made feasible but for rounding."""
    objective, support, centre = known.objective, dual.support, known.sums.centre
    alpha = scaled_alpha(known, block, dual)
    signed = alpha * block.signs[support]
    origin = np.zeros(block.n_features) if centre is None else centre
    return DualSums(
        enclosed_sum(alpha),
        enclosed_sum(signed),
        given_of(objective, block.cost[support], alpha),
        support_combination(block, support, signed, centre),
        Reserve.of(block, support, signed, origin),
    )


def support_combination(problem: Problem, support: np.ndarray, weights: Vector, centre: Vector | None) -> Enclosed:
    """The sum of weights times (x - centre) over some rows."""
    if support.size <= ALL_OF_ROWS * problem.n_rows:
        return enclosed_combination(rows.take(problem.X, support), weights, centre)
    spread = np.zeros(problem.n_rows)
    spread[support] = weights
    return enclosed_combination(problem.X, spread, centre)


def exact_dual_sums(known: Known, problem: Problem, dual: DualPoint, found: DualSums) -> DualSums | None:
    """The sums of a feasible point, with a normal whose entries are rounded once; None where no row has enough alpha.

    Here s is known as the sum of two doubles, so that what is left of it counts nothing.
    """
    if not is_affordable(problem, dual.support):
        return None
    alpha = scaled_alpha(known, problem, dual)
    signs = problem.signs[dual.support]
    signed, X = alpha * signs, rows.take(problem.X, dual.support)
    if not (problem.fit_intercept and dual.support.size):
        return found._replace(normal=exact_combination(X, signed))
    high, low = exact_total(signed)
    place = int(np.argmax(np.where(signs * high >= 0.0, alpha, -1.0)))
    if not alpha[place] >= 2.0 * abs(high) or not signs[place] * high >= 0.0:
        return None
    row = rows.dense_row(X, place)
    exact = exact_combination(X, signed, (np.array([row, row]), np.array([-high, -low])))
    left = 4.0 * UNIT_ROUNDOFF * abs(low) * np.abs(row)
    total = found.alpha - Interval(0.0, 2.0 * abs(high))
    return found._replace(alpha=total, normal=Enclosed(exact.value, exact.radius + left))


def best_of_hard_margin(total: Interval, square: Interval) -> Interval:
    """Enclose the dual value of the best multiple of alpha: 1/2 (sum alpha / ||n||)^2, infinite where n is 0."""
    if not total.low > 0.0:
        return Interval(0.0, 0.0)  # the value of no alpha at all
    length = root(square)
    low = 0.5 * (total / length.high).square() if length.high > 0.0 else Interval(np.inf, np.inf)
    high = 0.5 * (total / length.low).square() if length.low > 0.0 else Interval(np.inf, np.inf)
    return Interval(low.low, high.high)


def feasible_alpha(objective: "SoftMargin", block: Problem, dual: DualPoint) -> Vector:
    """Alpha of a dual point within its bounds, which are rounded down."""
    cost = block.cost[dual.support]
    if not objective.boxed:
        return bounded(dual.alpha, np.full(cost.shape, np.inf))
    return bounded(dual.alpha, product_below(np.full(cost.shape, objective.C), cost))


def scaled_alpha(known: Known, block: Problem, dual: DualPoint) -> Vector:
    """Alpha within its bounds, that of the heavier class scaled down."""
    alpha = feasible_alpha(known.objective, block, dual)
    if not block.fit_intercept:
        return alpha
    return alpha * known.sums.factors[(block.signs[dual.support] > 0).view(np.int8)]


def given_of(objective: Any, cost: Vector, alpha: Vector) -> Interval:
    """Enclose sum_i give_i alpha_i^2."""
    if not objective.squared or np.inf == objective.C:
        return Interval(0.0, 0.0)
    terms = alpha / (2.0 * objective.C * cost) * alpha  # in this order no overflow
    return enclosed_sum(terms, 4.0 * SMALLEST * terms.size, roundings=4).positive_part


def squared_length(v: Enclosed) -> Interval:
    """Enclose ||v||^2 of an enclosed vector."""
    size, radius = np.abs(v.value), v.radius
    terms, lost = size * size, SMALLEST * ((size > 0.0) | (radius > 0.0))
    return enclosed_sum(terms, radius * (2.0 * size + radius) * (1.0 + 1e-14) + 4.0 * lost, roundings=1).positive_part


def bounded(alpha: Vector, upper: Vector) -> Vector:
    """The nearest alpha within bounds; what is not a number becomes 0."""
    return np.minimum(np.fmax(alpha, 0.0), upper)


def normal_of(problem: Problem, support: np.ndarray, signed: Vector) -> Vector:
    """sum_i alpha_i y_i x_i, measured from a centre where there is an offset: both sides weigh the same."""
    from separatrix.problem.fold import CentredSum

    return CentredSum.of(problem, signed, support).total
