"""Intervals that contain a real number, with ends that are rounded outwards (Moore, 1966).

    [a, b] + [c, d] = [a + c rounded down, b + d rounded up]

Rounding to nearest is off by less than the distance to the next double, so that one step outwards is enough; sums and
products with 0 that are exact are left as they are.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite, isnan, nan, nextafter, sqrt
from typing import Union

Number = Union["Interval", float]


@dataclass(frozen=True, slots=True)
class Interval:
    """The real numbers from low to high; what is not a number has no bounds.

    Examples
    --------
    >>> from separatrix.enclosures import Interval
    >>> third = Interval.of(1.0) / 3.0
    >>> third.low < third.high, (third * 3.0).low < 1.0 < (third * 3.0).high
    (True, True)
    >>> Interval.of(1.0) - Interval.of(1.0), abs(Interval(-3.0, 2.0))
    (Interval(low=0.0, high=0.0), Interval(low=0.0, high=3.0))
    """

    low: float
    high: float

    @classmethod
    def of(cls, value: float, radius: float = 0.0) -> "Interval":
        """The numbers that are at most so far from a value."""
        value, radius = float(value), float(radius)
        if radius == 0.0 and not isnan(value):
            return cls(value, value)
        return cls(down(value - radius), up(value + radius))

    @property
    def middle(self) -> float:
        """A number inside, about half way."""
        if self.low == self.high:
            return self.low
        return 0.5 * self.low + 0.5 * self.high

    @property
    def radius(self) -> float:
        """How far a number inside can be from `middle` at most."""
        middle = self.middle
        return max(up(self.high - middle), up(middle - self.low)) if self.low < self.high else 0.0

    @property
    def positive_part(self) -> "Interval":
        """max(0, x)."""
        return Interval(max(self.low, 0.0), max(self.high, 0.0))

    def __add__(self, other: Number) -> "Interval":
        other = interval(other)
        return Interval(sum_down(self.low, other.low), sum_up(self.high, other.high))

    def __neg__(self) -> "Interval":
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Number) -> "Interval":
        return self + -interval(other)

    def __mul__(self, other: Number) -> "Interval":
        other = interval(other)
        ends = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(product_down(*each) for each in ends), max(product_up(*each) for each in ends))

    def __truediv__(self, other: Number) -> "Interval":
        other = interval(other)
        if other.low <= 0.0 <= other.high:
            return Interval(-inf, inf)
        if 0.0 in (self.low, self.high) and self.low == self.high:
            return self
        ends = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(map(down, ends)), max(map(up, ends)))

    def __abs__(self) -> "Interval":
        if self.low >= 0.0:
            return self
        return -self if self.high <= 0.0 else Interval(0.0, max(-self.low, self.high))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: float) -> "Interval":
        return -self + other

    def square(self) -> "Interval":
        """x^2, which is never negative."""
        size = abs(self)
        return Interval(max(product_down(size.low, size.low), 0.0), product_up(size.high, size.high))


def root(value: Interval) -> Interval:
    """The square root of what is not negative in an interval."""
    low, high = max(value.low, 0.0), max(value.high, 0.0)
    return Interval(max(down(sqrt(low)), 0.0) if low else 0.0, up(sqrt(high)) if high else 0.0)


def interval(value: Number) -> Interval:
    """A double as the interval of itself."""
    return value if isinstance(value, Interval) else Interval.of(value)


def down(value: float) -> float:
    """The next double below; no bound where there is no number."""
    return -inf if isnan(value) else nextafter(value, -inf)


def up(value: float) -> float:
    """The next double above; no bound where there is no number."""
    return inf if isnan(value) else nextafter(value, inf)


def sum_down(a: float, b: float) -> float:
    """The largest double that is at most a + b."""
    total, lost = two_sum(a, b)
    return total if lost >= 0.0 else down(total)


def sum_up(a: float, b: float) -> float:
    """The smallest double that is at least a + b."""
    total, lost = two_sum(a, b)
    return total if lost <= 0.0 else up(total)


def two_sum(a: float, b: float) -> tuple[float, float]:
    """a + b as the sum of the rounded sum and its rounding error (Knuth, 1969), which is 0 where there is none."""
    total = a + b
    if not isfinite(total):
        return (total, 0.0) if total == total else (nan, nan)
    back = total - a
    return total, (a - (total - back)) + (b - back)


def quotient_up(a: float, b: float) -> float:
    """The smallest double that is at least a / b, of positive numbers."""
    found = a / b
    return found if isfinite(found) and Fraction(found) * Fraction(b) >= Fraction(a) else up(found)


def product_down(a: float, b: float) -> float:
    """A lower bound of a b, where 0 times anything is 0."""
    return 0.0 if 0.0 in (a, b) else down(a * b)


def product_up(a: float, b: float) -> float:
    """An upper bound of a b, where 0 times anything is 0."""
    return 0.0 if 0.0 in (a, b) else up(a * b)
