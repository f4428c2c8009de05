"""Arithmetic on arrays of numbers that are each known but for a radius.

    |a b - a' b'| <= |a'| r_b + |b'| r_a + r_a r_b          a', b': as computed,  r: how far off they may be

Every result adds its own rounding, and radii are multiplied by slightly more than 1, as they are rounded too.
"""

import numpy as np

from separatrix.enclosures.interval import Interval
from separatrix.enclosures.products import Enclosed
from separatrix.enclosures.sums import enclosed_dot
from separatrix.rows import SMALLEST, UNIT_ROUNDOFF, Vector

INFLATED = 1.0 + 64.0 * UNIT_ROUNDOFF  # what radii are multiplied by for the roundings of their own computation


def exactly(value: Vector) -> Enclosed:
    """Numbers that are known exactly."""
    return Enclosed(value, np.zeros_like(value))


def summed_with(a: Enclosed, b: Enclosed) -> Enclosed:
    """a + b, number by number.

    >>> found = summed_with(exactly(np.array([0.1])), exactly(np.array([0.2])))
    >>> found.value.tolist(), bool(0.0 < found.radius[0] < 1e-16)
    ([0.30000000000000004], True)
    """
    total = a.value + b.value
    return Enclosed(total, INFLATED * (a.radius + b.radius + UNIT_ROUNDOFF * np.abs(total)))


def multiplied(a: Enclosed, b: Enclosed) -> Enclosed:
    """a b, number by number.

    >>> found = multiplied(Enclosed(np.array([3.0]), np.array([0.5])), exactly(np.array([-2.0])))
    >>> found.value.tolist(), bool(1.0 <= found.radius[0] < 1.0 + 1e-12)
    ([-6.0], True)
    """
    value = a.value * b.value
    radius = np.abs(a.value) * b.radius + np.abs(b.value) * a.radius + a.radius * b.radius
    return Enclosed(value, INFLATED * (radius + UNIT_ROUNDOFF * np.abs(value)) + 4.0 * SMALLEST)


def shifted(a: Enclosed, by: float | Vector) -> Enclosed:
    """A number, or one for each, added to what is enclosed."""
    total = a.value + by
    return Enclosed(total, INFLATED * (a.radius + np.abs(rounding_error(a.value, by, total))))


def rounding_error(a: Vector, b: float | Vector, total: Vector) -> Vector:
    """a + b less the total that it was rounded to, exactly (Knuth, 1969).

    >>> a, b = np.array([1.0, 0.5]), np.array([2.0**-60, 0.25])
    >>> rounding_error(a, b, a + b).tolist() == [2.0**-60, 0.0]
    True
    """
    back = total - a
    return (a - (total - back)) + (b - back)


def dot(a: Vector, b: Enclosed) -> Interval:
    """Enclose sum_i a_i b_i of exact numbers a.

    >>> found = dot(np.array([2.0, -1.0]), Enclosed(np.array([3.0, 4.0]), np.array([0.5, 0.0])))
    >>> 0.99 < found.low < 1.0, 3.0 < found.high < 3.01
    (True, True)
    """
    a, value, radius = np.broadcast_arrays(a, b.value, b.radius)
    lost = SMALLEST * ((radius > 0.0) & (a != 0.0))  # by products that underflow
    return enclosed_dot(a, value, np.abs(a) * radius + lost)
