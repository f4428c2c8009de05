"""Arithmetic on arrays of numbers that are each known but for a radius.

    |a b - a' b'| <= |a'| r_b + |b'| r_a + r_a r_b          a', b': as computed,  r: how far off they may be

Every result adds its own rounding, and radii are multiplied by slightly more than 1, as they are rounded too.
"""

import numpy as np

from separatrix.enclosures.interval import Interval
from separatrix.enclosures.products import Enclosed
from separatrix.enclosures.sums import enclosed_dot
from separatrix.rows import SMALLEST, UNIT_ROUNDOFF, Vector, rounding_bound

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
    value, sizes = a.value * b.value, (np.abs(a.value), np.abs(b.value))
    radius = sizes[0] * b.radius + sizes[1] * a.radius + a.radius * b.radius
    lost = 4.0 * SMALLEST * ((sizes[0] + a.radius > 0.0) & (sizes[1] + b.radius > 0.0))  # 0 times anything is 0
    return Enclosed(value, INFLATED * (radius + UNIT_ROUNDOFF * np.abs(value)) + lost)


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


def divided(a: Enclosed, b: Enclosed) -> Enclosed:
    """a / b, number by number; without a bound where b may be 0.

    >>> found = divided(exactly(np.array([1.0, 1.0])), Enclosed(np.array([3.0, 1.0]), np.array([0.0, 1.0])))
    >>> found.value[0] == 1 / 3, bool(0.0 < found.radius[0] < 1e-16), found.radius[1]
    (np.True_, True, np.float64(inf))
    """
    size = np.abs(b.value) - b.radius
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = a.value / b.value
        radius = (a.radius + np.abs(value) * b.radius) / np.where(size > 0.0, size, 0.0)
        radius = INFLATED * (radius + 2.0 * UNIT_ROUNDOFF * np.abs(value))
        radius += 4.0 * SMALLEST * (np.abs(a.value) + a.radius > 0.0)
    return Enclosed(value, np.where((size > 0.0) & np.isfinite(value), radius, np.inf))


def difference(a: Enclosed, b: Enclosed) -> Enclosed:
    """a - b, number by number.

    >>> found = difference(exactly(np.array([1.0])), exactly(np.array([0.1])))
    >>> found.value.tolist(), bool(0.0 < found.radius[0] < 2e-16)
    ([0.9], True)
    """
    return summed_with(a, Enclosed(-b.value, b.radius))


def mean_of_two(a: Enclosed, b: Enclosed, share: Enclosed) -> Enclosed:
    """a + share (b - a), number by number, for a true share from 0 to 1: the radius is such a mean of both.

    >>> a, b = (Enclosed(np.array([value]), np.array([0.5])) for value in (1.0, 3.0))
    >>> found = mean_of_two(a, b, exactly(np.array([0.5])))
    >>> found.value.tolist(), bool(0.5 <= found.radius[0] < 0.5 + 1e-12)
    ([2.0], True)
    """
    apart = b.value - a.value
    moved = multiplied(share, exactly(apart))
    total = a.value + moved.value
    of_b = np.minimum(share.value + share.radius, 1.0)
    of_a = np.minimum(1.0 - share.value + share.radius + 2.0 * UNIT_ROUNDOFF, 1.0)
    rounded = UNIT_ROUNDOFF * (np.abs(apart) + np.abs(total))
    return Enclosed(total, INFLATED * (of_a * a.radius + of_b * b.radius + moved.radius + rounded))


def column(a: Enclosed) -> Enclosed:
    """A vector as a matrix of one column.

    >>> column(exactly(np.array([1.0, 2.0]))).value.shape
    (2, 1)
    """
    return Enclosed(a.value[:, None], a.radius[:, None])


def added_up(a: Enclosed) -> Enclosed:
    """The sums along the first axis.

    >>> found = added_up(exactly(np.array([[0.1], [0.2], [0.3]])))
    >>> found.value.round(9).tolist(), bool(0.0 < found.radius[0] < 1e-15)
    ([0.6], True)
    """
    part = rounding_bound(len(a.value))
    radius = a.radius.sum(axis=0) + part * np.abs(a.value).sum(axis=0)
    return Enclosed(a.value.sum(axis=0), (1.0 + part) * radius)


def lower_end(a: Enclosed) -> Vector:
    """Lower bounds of numbers that are not negative.

    >>> lower_end(Enclosed(np.array([1.0, 1.0]), np.array([0.5, 2.0]))).round(9).tolist()
    [0.5, 0.0]
    """
    end = a.value - a.radius
    return np.fmax(end - 2.0 * UNIT_ROUNDOFF * np.abs(end), 0.0)


def upper_end(a: Enclosed) -> Vector:
    """Upper bounds.

    >>> upper_end(Enclosed(np.array([1.0, 1.0]), np.array([0.5, np.nan]))).round(9).tolist()
    [1.5, inf]
    """
    end = a.value + a.radius
    return np.where(np.isnan(end), np.inf, end + 2.0 * UNIT_ROUNDOFF * np.abs(end))


def roots(a: Enclosed) -> Enclosed:
    """Square roots of numbers that are not negative.

    >>> found = roots(Enclosed(np.array([4.0]), np.array([1.0])))
    >>> bool(found.value - found.radius <= 3.0**0.5), bool(found.value + found.radius >= 5.0**0.5)
    (True, True)
    """
    with np.errstate(invalid="ignore", over="ignore"):
        low, high = np.sqrt(lower_end(a)), np.sqrt(upper_end(a))
        value = np.sqrt(np.fmax(a.value, 0.0))
        radius = np.maximum(high - value, value - low)
    return Enclosed(value, INFLATED * (radius + 2.0 * UNIT_ROUNDOFF * value))
