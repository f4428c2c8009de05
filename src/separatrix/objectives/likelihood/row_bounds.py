"""Losses of rows and entropies of dual variables, each with a bound on its rounding error.

    loss      log(1 + sum_j exp(m_j))                       m_j: the score of a rival less that of the own class
    entropy   sum_j a_j log(v / a_j) + t log(v / t)         v = C c, t = v - sum_j a_j, the weight of the own class

Losses have slopes of at most 1 together, so that log odds that are off by r move a loss by at most r, and, as it is
convex, by no more than log(1 + (exp(r) - 1) Q) <= (exp(r) - 1) Q, where Q is the probability of all rivals. Both
functions are sums of terms of one sign, which exp and log give to a few units in the last place; how many, the tests
find by ball arithmetic over the whole range.
"""

from typing import NamedTuple

import numpy as np

from separatrix.enclosures import Enclosed
from separatrix.enclosures.exact_sums import MIN_EXACT, two_product
from separatrix.objectives.log_loss import losses_and_probabilities, score_differences
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector

UNITS = 16  # roundings that a loss or an entropy may be off by, besides one for each class; the tests find less than 6
UNDERFLOW = 64.0 * TINY  # part of a row's weight that numbers below the smallest normal one may come to


class DualRows(NamedTuple):
    """Dual variables of each row and rival, their exact sums over rivals, and C c as a sum of two doubles."""

    alpha: Vector
    total: Vector
    weight: Vector
    weight_low: Vector

    @property
    def own(self) -> Vector:
        """C c - sum alpha: what is left for the own class, right to two roundings."""
        return (self.weight - self.total) + self.weight_low


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def row_losses(scores: Enclosed, y: np.ndarray) -> tuple[Enclosed, Vector, Vector]:
    """The loss of each row, the probability q of each rival, and how far log odds are off at most.

    >>> found, _, _ = row_losses(Enclosed(np.array([[0.0], [-800.0]]), np.array([[0.0], [0.5]])), np.array([0, 1]))
    >>> found.value.round(6).tolist(), found.radius.round(2).tolist()
    ([0.693147, 800.0], [0.0, 0.51])
    """
    log_odds, radius = score_differences(scores.value, y), scores.radius[:, 0]
    if log_odds.shape[1] > 1:
        radius = (scores.radius + 2.0 * UNIT_ROUNDOFF * np.abs(log_odds)) @ np.ones(log_odds.shape[1])
        log_odds[np.arange(len(y)), y] = -np.inf
    losses, rival_prob = losses_and_probabilities(log_odds)
    rivals = 1.01 * over_rivals(rival_prob) + UNDERFLOW
    moved = np.where(radius < 1.0, np.minimum(radius, np.expm1(np.minimum(radius, 1.0)) * rivals), radius)
    bound = 1.01 * moved + units(rival_prob) * losses + UNDERFLOW
    return Enclosed(losses, bound), rival_prob, radius


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def dual_rows(C: float, cost: Vector, rival_prob: Vector) -> DualRows:
    """C c q of each row as doubles that are not negative and add up to at most C c, in exact arithmetic.

    Of several rivals they are multiples of so large a power of two that their sum is a double.

    >>> found = dual_rows(0.1, np.array([3.0]), np.array([[0.75, 0.25, 0.0]]))
    >>> found.alpha.round(9).tolist(), found.total[0] <= 0.3
    ([[0.225, 0.075, 0.0]], np.True_)
    """
    weight, low, below = weight_parts(C, cost)
    alpha = below[:, None] * np.minimum(np.fmax(rival_prob, 0.0), 1.0)
    if alpha.shape[1] == 1:
        return DualRows(alpha, alpha[:, 0], weight, low)
    size = over_rivals(alpha)
    unit = np.ldexp(1.0, np.frexp(size)[1] - 52)
    unit[~(size > MIN_EXACT)] = np.inf  # too small: they become 0
    alpha *= (1.0 / unit)[:, None]
    np.rint(alpha, out=alpha)
    alpha *= np.where(unit < np.inf, unit, 0.0)[:, None]
    total = over_rivals(alpha)
    beyond = np.flatnonzero(~(total <= below))  # where probabilities have a sum above 1
    if beyond.size:
        alpha[beyond] = np.maximum(alpha[beyond] - 2.0 * alpha.shape[1] * unit[beyond, None], 0.0)
        alpha[beyond[~(over_rivals(alpha[beyond]) <= below[beyond])]] = 0.0
        total = over_rivals(alpha)
    return DualRows(alpha, total, weight, low)


def weight_parts(C: float, cost: Vector) -> tuple[Vector, Vector, Vector]:
    """C c as the sum of two doubles, and the largest double that is no larger, or 0 where that is not known."""
    if (cost == 1.0).all():
        weight = np.full(cost.shape, C)
        return weight, np.zeros(cost.shape), weight if C > MIN_EXACT else np.zeros(cost.shape)
    weight, low = two_product(np.full(cost.shape, C), cost)
    below = np.where(low < 0.0, np.nextafter(weight, 0.0), weight)
    below[~(weight > MIN_EXACT)] = 0.0  # of so small a product the low part is rounded
    return weight, low, below


def over_rivals(each: Vector) -> Vector:
    """The sum over the rivals of each row."""
    return each @ np.ones(each.shape[1])


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def entropies_of(rows: DualRows) -> Enclosed:
    """C c times the entropy of each row's probabilities alpha / (C c).

    >>> entropies_of(dual_rows(2.0, np.ones(2), np.array([[0.5], [1.0]]))).value.round(6).tolist()
    [1.386294, 0.0]
    """
    alpha, total, weight, own = rows.alpha, rows.total, rows.weight, rows.own
    each = alpha * np.log(np.maximum(alpha / weight[:, None], TINY))
    rivals = -over_rivals(each)
    part = total / weight
    log_own = np.log1p(-np.minimum(part, 0.5))
    most = np.flatnonzero(part > 0.5)  # there 1 - part would have too few digits
    log_own[most] = np.log(np.maximum(own[most] / weight[most], TINY))
    value = np.where(total > 0.0, rivals - own * log_own, 0.0)
    return Enclosed(value, units(alpha) * (value + total) + UNDERFLOW * weight)


def units(each: Vector) -> float:
    """The relative error of a sum with so many terms for each row."""
    return (UNITS + each.shape[1]) * UNIT_ROUNDOFF
