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
    turns = signs - scores
    order = np.argsort(turns, kind="stable")
    turns, cost = turns[order], cost[order] / cost.max()
    ahead = np.where(signs[order] > 0, cost, 0.0)  # positive rows count left of their turn, negative ones right of it
    behind = cost - ahead
    if squared:
        left = np.cumsum(behind) * turns - np.cumsum(behind * turns)
        right = np.cumsum((ahead * turns)[::-1])[::-1] - np.cumsum(ahead[::-1])[::-1] * turns
        return crossing(turns, left - right)
    slopes = np.cumsum(cost) - ahead.sum()  # right of each turn
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
