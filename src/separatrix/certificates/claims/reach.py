"""How far two hulls are apart: the distance of a point of each, and the width between them along a direction, enclosed.

    distance   || sum_i a_i x_i over class 1  -  sum_i a_i x_i over class 0 ||       an upper bound
    width      (min <w, x> over class 1  -  max <w, x> over class 0) / ||w||         a lower bound

Weights in doubles add up to 1 but for rounding, and those of reduced hulls R(X, mu) exceed mu c_i by it. Weights that
are those of points of the hulls differ from them by d in all, and their points by at most d times the largest distance
of a row from whatever centre it is measured from. Along w no point of R(X, mu) of class 1 is below

    t - mu sum_i c_i max(0, t - <w, x_i>)         for whatever t

as its weights are at most mu c_i. Where mu c_i add up to less than 1, which is by rounding of mu, the hull is the mean.

Few rows in the space of the features, or more where rounding counts, are measured in integers instead.
"""

from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.certificates.arithmetic.exact_distance import ExactHulls
from separatrix.enclosures import Enclosed, Interval, enclosed_sum
from separatrix.enclosures.elementwise import INFLATED
from separatrix.enclosures.exact_sums import product_below
from separatrix.enclosures.interval import quotient_up, root, sum_up, up
from separatrix.objectives.bounds.feasible_point import FeasiblePoint
from separatrix.objectives.bounds.measurement import diagonals, measured
from separatrix.objectives.soft_margin_sums import Price, losses_of, smallest
from separatrix.problem import Problem
from separatrix.problem.fold import centre_of
from separatrix.products import dense_rows
from separatrix.rows import CSR, SMALLEST, TINY, UNIT_ROUNDOFF, Vector, length, rounding_bound

MAX_CHEAP_ENTRIES = 2**10  # of rows that are always measured in integers, in less than a millisecond
MAX_EXACT_ENTRIES = 2**17  # of rows that are, where rounding counts: some tenths of a second
MAX_ROUNDING = 1e-11  # part of a distance that may be rounding, before it counts


class Reach(NamedTuple):
    """The upper end of the distance of two points, and a lower bound of that of the hulls.

    `rounding` is how much of their difference may be rounding, that of the weights included. A distance that is 0 but
    for rounding counts as 0, where nothing shows that the hulls are apart; `raw` is its upper end all the same.
    `longest` is a lower end of the length of the longest row.
    """

    distance: float
    bound: float
    rounding: float
    raw: float
    longest: float

    def error(self, claimed: float) -> float:
        """The largest relative error that a claimed distance can have; infinite for weights that no points have.

        That of a distance of 0 is relative to the longest row.
        """
        if not self.distance < np.inf:
            return np.inf
        if claimed == 0.0:
            return quotient_up(self.raw, max(self.longest, TINY)) if self.raw > 0.0 else 0.0
        most, least = max(claimed, self.distance), min(claimed, self.bound)
        return min(quotient_up(sum_up(most, -least), most), 1.0) if most > least else 0.0


NOWHERE = Reach(np.inf, 0.0, 0.0, np.inf, 1.0)  # of weights that no points of the hulls have


class Mixture(NamedTuple):
    """Weights of rows for a point of each class, the plane w.x + b between, and mu of reduced hulls."""

    support: np.ndarray
    shares: Vector
    w: Vector
    b: float
    mu: float | None = None


def reach_of(problem: Problem, mixture: Mixture) -> Reach:
    """Enclose the distance of two points, and how far the hulls are apart along w at least."""
    in_features = problem.kernel is None or problem.kernel.is_linear
    n_entries = problem.n_rows * problem.n_features if in_features else np.inf
    if n_entries <= MAX_CHEAP_ENTRIES:
        return reach(problem, mixture, *exact_ends(problem, mixture))
    distance, width = enclosed_ends(problem, mixture)
    uncertain = not (distance.high - distance.low) + (width.high - width.low) <= MAX_ROUNDING * distance.high
    if uncertain and n_entries <= MAX_EXACT_ENTRIES:
        distance, width = exact_ends(problem, mixture)
    return reach(problem, mixture, distance, width)


def reach(problem: Problem, mixture: Mixture, distance: Interval, width: Interval) -> Reach:
    """What the enclosures of both figures say of the hulls."""
    if not distance.high < np.inf:
        return NOWHERE
    bound, longest = min(width.low, distance.high), square_ends(problem)
    of_weights, of_points = roundings_of(problem, mixture)
    rounding = up(distance.high - distance.low) + up(min(width.high, distance.high) - bound) + of_weights
    meeting = bound == 0.0 and (distance.low <= 0.0 or distance.high <= max(of_weights, of_points))
    reached = 0.0 if meeting else distance.high
    return Reach(reached, bound, rounding, distance.high, root(longest).low)


def exact_ends(problem: Problem, mixture: Mixture) -> tuple[Interval, Interval]:
    """The distance and the width, in integers."""
    hulls = ExactHulls.of(dense_rows(problem.X, np.arange(problem.n_rows)), problem.y, problem.cost, mixture.mu)
    along = hulls.direction(mixture.w)
    if problem.kernel is not None:
        along = hulls.direction_of_rows(mixture.support, mixture.w)
    return hulls.distance(mixture.support, mixture.shares), hulls.width(along)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def enclosed_ends(problem: Problem, mixture: Mixture) -> tuple[Interval, Interval]:
    """The distance and the width, in doubles with proved bounds."""
    support, shares, w, b, mu = mixture
    found = measured(problem, (w, b), FeasiblePoint(support, problem.signs[support] * shares))
    if found is None:
        return Interval(0.0, np.inf), Interval(0.0, 0.0)
    off = (lost_weight(problem, mixture) * largest_distance(problem, support)).high
    between = root(found.dual_square)
    distance = Interval(max((between - off).low, 0.0), (between + off).high)
    one, other = problem.y == 1, problem.y == 0
    g, radius = found.scores
    room = least_score(Enclosed(g[one], radius[one]), problem.cost[one], mu)
    room = room + least_score(Enclosed(-g[other], radius[other]), problem.cost[other], mu)
    if not room.high > 0.0:
        return distance, Interval(0.0, 0.0)
    width = room / root(found.square)
    return distance, Interval(max(width.low, 0.0), width.high)


def least_score(scores: Enclosed, cost: Vector, mu: float | None) -> Interval:
    """Enclose a lower bound of the scores of the points of a hull, which is the least one but for rounding."""
    if not (np.isfinite(scores.value).all() and np.isfinite(scores.radius).all()):
        return Interval(-np.inf, np.inf)
    if mu is None:
        return smallest(scores)
    largest_weight = max(float(mu), quotient_up(1.0, enclosed_sum(cost).low))
    order = np.argsort(scores.value, kind="stable")
    place = min(int(np.searchsorted(np.cumsum(largest_weight * cost[order]), 1.0)), order.size - 1)
    t = float(scores.value[order[place]])
    slack = t - scores.value
    below = Enclosed(slack, INFLATED * (scores.radius + UNIT_ROUNDOFF * np.abs(slack)))
    return t - largest_weight * losses_of(Price(1.0), cost, below)


def lost_weight(problem: Problem, mixture: Mixture) -> Interval:
    """By how much weights of points of the hulls differ from those that are given, at most and in all."""
    total = Interval(0.0, 0.0)
    for side in (0, 1):
        own = problem.y[mixture.support] == side
        total = total + abs(enclosed_sum(mixture.shares[own]) - 1.0)
    if mixture.mu is not None:
        cost = problem.cost[mixture.support]
        over = mixture.shares - product_below(np.full(cost.shape, mixture.mu), cost)
        total = total + 2.0 * enclosed_sum(np.maximum(over, 0.0), roundings=1)
    return total


def largest_distance(problem: Problem, support: np.ndarray) -> float:
    """How far a row is from the centre that mixtures are measured from at most; in the space of a kernel from 0."""
    if isinstance(problem.X, CSR) or not (problem.kernel is None or problem.kernel.is_linear):
        return root(square_ends(problem)).high
    centre = centre_of(problem.X, support)
    sizes = np.maximum(problem.X.max(axis=0) - centre, centre - problem.X.min(axis=0))
    return length(sizes) * (1.0 + rounding_bound(sizes.size + 8))


def square_ends(problem: Problem) -> Interval:
    """Enclose the largest ||x||^2 of a row, or K(x, x)."""
    if problem.kernel is None or problem.kernel.is_linear:
        n_terms = problem.n_features + 8
        largest = float(problem.squares.max())
        return Interval.of(largest, rounding_bound(n_terms) * largest + n_terms * SMALLEST).positive_part
    found = diagonals(problem, np.arange(problem.n_rows))
    return Interval(float((found.value - found.radius).max()), float((found.value + found.radius).max())).positive_part


def roundings_of(problem: Problem, mixture: Mixture) -> tuple[float, float]:
    """How long the difference of two mixtures at one place may be by the rounding of weights, and by that of the place.

    0 in the space of a kernel, where rounding of its values counts more.
    """
    if not (problem.kernel is None or problem.kernel.is_linear):
        return 0.0, 0.0
    centre, sizes = centre_of(problem.X, mixture.support), np.zeros(problem.n_features)
    for part in rows.chunks(rows.take(problem.X, mixture.support)):
        some = dense_rows(problem.X, mixture.support[part])
        sizes = np.maximum(sizes, np.abs(some - centre).max(axis=0))  # not weighted, because weights are rounded too
    return rounding_bound(mixture.support.size + 4) * length(sizes), 2.0 * UNIT_ROUNDOFF * length(centre)
