"""How far to go along a step of Newton's method for a convex function, whose derivative along the step only grows."""

from collections.abc import Callable

LINE_SEARCH_SLOPE = 0.1  # part of the first slope that may be left where a step is cut
MAX_CUTS = 30


def line_search(derivative: Callable[[float], float], slope: float) -> float:
    """The whole step, t = 1, or where the derivative along it has all but vanished, by false position.

    `slope` is by how much the function falls at t = 0.

    >>> line_search(lambda t: t - 1.0, 1.0), round(line_search(lambda t: t**3 - 0.125, 0.125), 1)
    (1.0, 0.5)
    """
    low, high, t = (0.0, -slope), (float("inf"), float("inf")), 1.0
    for _ in range(MAX_CUTS):
        left = derivative(t)
        if left <= LINE_SEARCH_SLOPE * slope and (t == 1.0 or left >= -LINE_SEARCH_SLOPE * slope):
            break
        low, high = ((t, left), high) if left < 0.0 else (low, (t, left))
        t = low[0] - low[1] * (high[0] - low[0]) / (high[1] - low[1])
    return t
