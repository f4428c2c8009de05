"""Dual points that are feasible in real numbers, though they are stored in doubles.

Where there is an offset beta must add up to 0, and doubles add up to an excess s instead. The point that is meant takes
s from one entry that is larger, at row k: it is within the same bounds, its normal is n - s x_k, and all sums over it
differ by what s times row k makes of them. That is part of each enclosure.
"""

from math import fsum
from typing import NamedTuple

import numpy as np

from separatrix.enclosures import Enclosed, Interval, enclosed_sum
from separatrix.enclosures.elementwise import dot
from separatrix.rows import UNIT_ROUNDOFF, Vector, rounding_bound

NOTHING = Interval(0.0, 0.0)


class FeasiblePoint(NamedTuple):
    """Beta of the support rows, and the excess that the entry at a place gives up.

    Examples
    --------
    >>> from separatrix.objectives.bounds.feasible_point import FeasiblePoint
    >>> point = FeasiblePoint.balanced(np.arange(3), np.array([0.1, 0.2, -0.3]))
    >>> point.excess.low <= 2.0**-55 <= point.excess.high, point.place  # 0.1 + 0.2 - 0.3 in doubles
    (True, 1)
    """

    support: np.ndarray
    beta: Vector
    place: int = 0
    excess: Interval = NOTHING

    @classmethod
    def balanced(cls, support: np.ndarray, beta: Vector) -> "FeasiblePoint":
        """The point next to a beta that adds up to 0 but for rounding; 0 where no entry is as large as the excess."""
        excess = compensated_sum(beta)
        if excess.low == excess.high == 0.0 or not beta.size:
            return cls(support, beta)
        place = int(np.argmax(beta)) if excess.high > 0.0 else int(np.argmin(beta))
        fits = abs(excess).high <= abs(float(beta[place])) and float(beta[place]) * excess.middle >= 0.0
        return cls(support, beta, place, excess) if fits else cls(support, np.zeros_like(beta))

    @property
    def size(self) -> Interval:
        """The sum of all |beta|."""
        return enclosed_sum(np.abs(self.beta)) + Interval(-1.0, 1.0) * abs(self.excess)

    def dot(self, values: Vector, radii: Vector | float = 0.0) -> Interval:
        """The sum of beta times a value of each support row, which is known but for a radius."""
        found = dot(self.beta, Enclosed(values, np.broadcast_to(radii, values.shape)))
        if not self.beta.size:
            return found
        own = float(values[self.place]), float(np.broadcast_to(radii, values.shape)[self.place])
        return found - self.excess * Interval.of(*own)


def scaled_to_balance(beta: Vector) -> Vector:
    """Beta with a sum of 0 but for rounding: those of the sign that weighs more are scaled down.

    >>> scaled_to_balance(np.array([2.0, 2.0, -1.0])).tolist()
    [0.5, 0.5, -1.0]
    """
    sides = np.array([float(-beta[beta < 0.0].sum()), float(beta[beta > 0.0].sum())])
    factors = np.minimum(sides.min() / np.where(sides > 0.0, sides, 1.0), 1.0)
    return beta * factors[(beta > 0.0).view(np.int8)]


def compensated_sum(terms: Vector) -> Interval:
    """Enclose the sum of terms, by halves with the rounding error of each addition kept (Knuth, 1969).

    What is left are the roundings of the sum of the errors, of the order of 1e-32 of the terms. Where these hide the
    sign, the sum is rounded once (Shewchuk, 1997).

    >>> compensated_sum(np.array([0.1, 0.2, -0.3])).middle == 2.0**-55
    True
    """
    given, total, size, roundings = terms, 0.0, 0.0, rounding_bound(terms.size + 64)
    while terms.size > 1:
        even = terms.size - terms.size % 2
        a, b = terms[:even:2], terms[1:even:2]
        added = a + b
        back = added - a
        errors = (a - (added - back)) + (b - back)
        total, size = total + float(errors.sum()), size + float(np.abs(errors).sum())
        terms = np.concatenate([added, terms[even:]])
    whole = float(terms[0]) if terms.size else 0.0
    found = Interval.of(whole) + Interval.of(total, roundings * size)
    if not found.low < 0.0 < found.high:
        return found
    once = fsum(given.tolist())
    return Interval.of(once, 2.0 * UNIT_ROUNDOFF * abs(once))
