"""The best offset of a plane whose direction is given.

    minimise over b    sum_i loss_i(1 - y_i (s_i + b)),      s_i = w.x_i

The slope in b changes only where a row reaches its margin, at b = y_i - s_i. For the hinge it is a step function, and
b may be any of an interval: the middle is taken, as there is nothing to prefer.
"""

import numpy as np

from separatrix.rows import Vector

FLAT = 1e-11  # a slope that is rounding, as part of all costs


def best_offset(scores: Vector, signs: np.ndarray, cost: Vector) -> float:
    """The middle of all b that minimise sum_i cost_i max(0, 1 - y_i (s_i + b)).

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.solvers.offset import best_offset
    >>> best_offset(np.array([-2.0, 4.0]), np.array([-1, 1]), np.ones(2))  # any b from -3 to 1 costs nothing
    -1.0
    """
    turns = signs - scores
    order = np.argsort(turns, kind="stable")
    # left of all turns every positive row is short; each turn to the right adds its cost to the slope
    slopes = np.cumsum(cost[order]) - float(cost[signs > 0].sum())
    flat = FLAT * float(cost.sum())
    first = int(np.searchsorted(slopes, -flat))
    last = int(np.searchsorted(slopes, flat, side="right"))
    low = turns[order[min(first, turns.size - 1)]]
    high = turns[order[min(last, turns.size - 1)]]
    return float(0.5 * (low + high))


def widest_offset(scores: Vector, signs: np.ndarray) -> float:
    """The b that puts the plane in the middle between the nearest rows of both classes."""
    return float(-0.5 * (scores[signs > 0].min() + scores[signs < 0].max()))
