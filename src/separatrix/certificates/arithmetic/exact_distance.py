"""The distance of two mixtures of rows, and the width between two hulls along a direction, in integers.

    distance   || sum_i a_i x_i over class 1  -  sum_i a_i x_i over class 0 ||
    width      (min <w, x> over the hull of class 1  -  max <w, x> over that of class 0) / ||w||

Reduced hulls R(X, mu) have their extreme points in place of rows. A double is an integer times a power of two, so that
both squares are fractions of integers; their roots are rounded once, to either side.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.containment import exact_bounds, furthest_value
from separatrix.certificates.arithmetic.exact import IntegerVector, enclosed_root, fraction
from separatrix.enclosures import Interval
from separatrix.rows import Vector


class ExactHulls(NamedTuple):
    """The hulls of two classes of rows x_ij = Z_ij 2^(e_j + unit), and the largest weight of each row of reduced ones.

    Examples
    --------
    >>> from separatrix.certificates.arithmetic.exact_distance import ExactHulls
    >>> hulls = ExactHulls.of(np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1]), np.ones(4), 0.5)
    >>> hulls.distance(np.arange(4), np.full(4, 0.5))  # each reduced hull is the mean of its class
    Interval(low=3.0, high=3.0)
    >>> hulls.width(hulls.direction(np.array([2.0])))
    Interval(low=3.0, high=3.0)
    """

    Z: Any
    e: list[int]
    unit: int
    y: np.ndarray
    bounds: list[list[Any]] | None

    @classmethod
    def of(cls, X: Vector, y: np.ndarray, cost: Vector, mu: float | None) -> "ExactHulls":
        """The hulls of rows; with mu reduced ones."""
        from flint import fmpz_mat

        Z, exponents = exact.scaled_integers(X)
        unit = int(exponents.min(initial=0))
        bounds = None if mu is None else [exact_bounds(cost[y == side], mu) for side in (0, 1)]
        return cls(fmpz_mat(Z), [int(e) - unit for e in exponents], unit, y, bounds)

    def distance(self, support: np.ndarray, weights: Vector) -> Interval:
        """The distance of the mixtures that weights make; they are made to add up to 1, and of reduced hulls to fit."""
        (q, q_total), (p, p_total) = (self.mixture(side, support, weights) for side in (0, 1))
        between = [(one * q_total - other * p_total) << e for one, other, e in zip(p, q, self.e, strict=True)]
        return enclosed_root(Fraction(sum(k * k for k in between), (p_total * q_total) ** 2), self.unit)

    def mixture(self, side: int, support: np.ndarray, weights: Vector) -> tuple[IntegerVector, int]:
        """The sum of integer weights times Z over the rows of a class, and the sum of the weights."""
        spread = np.zeros(self.y.size)
        spread[support] = weights
        own = np.flatnonzero(self.y == side)
        if self.bounds is None:
            shares = exact.integer_direction(spread[own])
        else:
            given = [fraction(weight) for weight in spread[own].tolist()]
            shares = exact.clear_denominators(feasible_shares(given, self.bounds[side]))
        every = [0] * self.y.size
        for i, share in zip(own.tolist(), shares, strict=True):
            every[i] = share
        return self.combination(every), sum(shares)

    def combination(self, weights: IntegerVector) -> IntegerVector:
        """The sum of integer weights times the rows of Z."""
        from flint import fmpz_mat

        return [int(k) for k in (fmpz_mat([weights]) * self.Z).entries()]

    def direction(self, w: Vector) -> IntegerVector:
        """A positive multiple of a vector, in integers."""
        return exact.integer_direction(w)

    def direction_of_rows(self, support: np.ndarray, coefficients: Vector) -> IntegerVector:
        """A positive multiple of sum_i c_i x_i over some rows, in integers."""
        spread = np.zeros(self.y.size)
        spread[support] = coefficients
        return [k << e for k, e in zip(self.combination(exact.integer_direction(spread)), self.e, strict=True)]

    def width(self, w: IntegerVector) -> Interval:
        """By how far the hulls are apart along w; 0 where they are not."""
        from flint import fmpz_mat

        column = fmpz_mat([[k << e] for k, e in zip(w, self.e, strict=True)])
        scores = np.array([int(k) for k in (self.Z * column).entries()], dtype=object)
        one, other = scores[self.y == 1].tolist(), scores[self.y == 0].tolist()
        if self.bounds is None:
            room = Fraction(min(one) - max(other))
        else:
            ends = (furthest_value([-k for k in one], self.bounds[1]), furthest_value(other, self.bounds[0]))
            room = -sum((Fraction(int(end.p), int(end.q)) for end in ends), Fraction(0))
        square = sum(k * k for k in w)
        return enclosed_root(room**2 / square, self.unit) if room > 0 and square else Interval(0.0, 0.0)


def feasible_shares(weights: list[Any], bounds: list[Any]) -> list[Any]:
    """Weights within their bounds that add up to 1, next to some that do but for rounding; the bounds leave room.

    >>> feasible_shares([fraction(0.5), fraction(0.25)], [fraction(0.5), fraction(1.0)])
    [1/2, 1/2]
    """
    shares = [min(max(weight, fraction(0.0)), bound) for weight, bound in zip(weights, bounds, strict=True)]
    missing = 1 - sum(shares, fraction(0.0))
    room = [bound - share if missing > 0 else -share for share, bound in zip(shares, bounds, strict=True)]
    for i in sorted(range(len(shares)), key=lambda i: -abs(room[i])):
        if missing == 0:
            break
        change = min(missing, room[i]) if missing > 0 else max(missing, room[i])
        shares[i], missing = shares[i] + change, missing - change
    return shares


def combination_length(A: Vector, weights: IntegerVector, factor: Fraction) -> Interval:
    """The length of a factor times a combination of the rows of A with integer weights.

    >>> combination_length(np.array([[1.0, 1.0], [2.0, 3.0]]), [1, 1], Fraction(1, 2))
    Interval(low=2.5, high=2.5)
    """
    from flint import fmpz_mat

    Z, exponents = exact.scaled_integers(A)
    unit = int(exponents.min(initial=0))
    total = [
        int(k) << int(e - unit) for k, e in zip((fmpz_mat([weights]) * fmpz_mat(Z)).entries(), exponents, strict=True)
    ]
    return enclosed_root(sum(k * k for k in total) * factor**2, unit)
