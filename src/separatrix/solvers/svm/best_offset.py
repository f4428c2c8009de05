"""The best offset of a plane whose direction is given.

    minimise over b    sum_i cost_i max(0, 1 - y_i (s_i + b))^p,      s_i = w.x_i

The slope in b changes only where a row reaches its margin, at b = y_i - s_i. For the hinge (p = 1) it is a step
function, and b may be any of an interval: the middle is taken, as there is nothing to prefer. For the squared hinge
(p = 2) it is piecewise linear.
"""

import numpy as np

from separatrix.rows import Vector

ROUNDED_SLOPE = 1e-11  # a slope that is rounding, as part of all costs


def best_offset(scores: Vector, signs: np.ndarray, cost: Vector, squared: bool = False) -> float:
    """The b with the least loss, or the middle of all of them.

    >>> best_offset(np.array([-2.0, 4.0]), np.array([-1, 1]), np.ones(2))  # any b from -3 to 1 costs nothing
    -1.0
    """
    return least_offset(signs - scores, signs > 0, cost, squared)


def least_offset(turns: Vector, ahead: np.ndarray, cost: Vector, squared: bool, total: float = 0.0) -> float:
    """The b with the least sum of losses, each 0 on one side of its turn: rows ahead cost left of it, others right.

    `total` times b is added to the sum.

    >>> least_offset(np.array([-1.0, 1.0]), np.array([True, False]), np.ones(2), False)  # any b between costs nothing
    0.0
    """
    largest = float(cost.max())
    if not largest > 0.0:  # costs below all doubles: any b will do
        return float(np.median(turns))
    order = np.argsort(turns, kind="stable")
    turns, cost, total = turns[order], cost[order] / largest, total / largest
    left_of = np.where(ahead[order], cost, 0.0)
    right_of = cost - left_of
    if squared:
        left = np.cumsum(right_of) * turns - np.cumsum(right_of * turns)
        right = np.cumsum((left_of * turns)[::-1])[::-1] - np.cumsum(left_of[::-1])[::-1] * turns
        return crossing(turns, left - right + total)
    slopes = np.cumsum(cost) - left_of.sum() + total  # right of each turn
    flat = ROUNDED_SLOPE * float(cost.sum())
    first, last = int(np.searchsorted(slopes, -flat)), int(np.searchsorted(slopes, flat, side="right"))
    return float(0.5 * (turns[min(first, turns.size - 1)] + turns[min(last, turns.size - 1)]))


def crossing(turns: Vector, slopes: Vector) -> float:
    """Where a slope that only grows, known at its turns and linear in between, is zero."""
    flat = ROUNDED_SLOPE * float(np.abs(slopes).max())
    first, last = int(np.searchsorted(slopes, -flat)), int(np.searchsorted(slopes, flat, side="right"))
    if last > first:  # zero at turns, or between some where no row counts
        return float(0.5 * (turns[first] + turns[last - 1]))
    after = min(max(first, 1), turns.size - 1)
    rise = slopes[after] - slopes[after - 1]
    share = -slopes[after - 1] / rise if rise > 0.0 else 0.5
    return float(turns[after - 1] + (turns[after] - turns[after - 1]) * min(max(share, 0.0), 1.0))


def widest_offset(scores: Vector, signs: np.ndarray) -> float:
    """The b that puts the plane in the middle between the nearest rows of both classes."""
    return float(-0.5 * (scores[signs > 0].min() + scores[signs < 0].max()))
