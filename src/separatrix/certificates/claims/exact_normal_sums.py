"""Sums over rows that normal equations are made of, in exact fractions, for rows that are few.

    sum c,   sum c t,   sum c t^2,   sum c r,   sum c x_j,   sum c x_j^2,   sum c r x_j             r = t - w.x - b

A double is a whole number times a power of two, so that products of columns are sums of products of whole numbers. From
these sums everything follows, without a centre: sum c (x_j - m_j)^2 = sum c x_j^2 - (sum c x_j)^2 / sum c.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from operator import mul
from typing import NamedTuple

import numpy as np

from separatrix.certificates.arithmetic.exact import scaled_integers
from separatrix.certificates.claims.normal_sums import row_targets
from separatrix.enclosures import Interval
from separatrix.enclosures.interval import root
from separatrix.problem import Problem
from separatrix.products import dense_rows
from separatrix.rows import Vector


class Dyadic(NamedTuple):
    """Whole numbers times one power of two."""

    digits: list[int]
    exponent: int

    def times(self, other: "Dyadic") -> "Dyadic":
        """Their products, number by number."""
        return Dyadic(list(map(mul, self.digits, other.digits)), self.exponent + other.exponent)

    def dot(self, other: "Dyadic") -> Fraction:
        """The sum of their products."""
        return scaled(sum(map(mul, self.digits, other.digits)), self.exponent + other.exponent)

    def minus(self, others: "Sequence[tuple[Dyadic, Fraction]]") -> "Dyadic":
        """What is left after multiples of others."""
        factors = [dyadic(factor) for _, factor in others]
        least = min([self.exponent, *(x.exponent + e for (x, _), (k, e) in zip(others, factors, strict=True) if k)])
        left = [digit << (self.exponent - least) for digit in self.digits]
        for (x, _), (k, e) in zip(others, factors, strict=True):
            if k:
                factor = k << (x.exponent + e - least)
                left = [a - factor * b for a, b in zip(left, x.digits, strict=True)]
        return Dyadic(left, least)


class ExactSums(NamedTuple):
    """The sums over rows: of costs, of columns and their squares, and for each target those of the target and of c r x.

    The last column is 1, so that its sum of c r x is that of c r.
    """

    total: Fraction
    linear: list[Fraction]
    squares: list[Fraction]
    targets: list[tuple[Fraction, Fraction]]
    gradient: list[list[Fraction]]
    fit_intercept: bool

    @classmethod
    def of(cls, problem: Problem, targets: Vector, W: Vector, b: Vector) -> "ExactSums":
        """Sum over the rows of a problem."""
        n = problem.n_rows
        columns = [*dyadics(dense_rows(problem.X, np.arange(n))), Dyadic([1] * n, 0)]
        (cost,) = dyadics(problem.cost[:, None])
        of_targets, gradient = [], []
        for k, t in enumerate(dyadics(row_targets(problem, targets))):
            plane = [Fraction(w) for w in [*W[:, k].tolist(), float(b[k])]]
            left = cost.times(t.minus(list(zip(columns, plane, strict=True))))
            of_targets.append((cost.dot(t), cost.times(t).dot(t)))
            gradient.append([left.dot(column) for column in columns])
        weighted = [cost.times(column) for column in columns[:-1]]
        squares = [one.dot(column) for one, column in zip(weighted, columns[:-1], strict=True)]
        linear = [cost.dot(column) for column in columns]
        return cls(linear[-1], linear[:-1], squares, of_targets, gradient, problem.fit_intercept)

    def merged(self, other: "ExactSums") -> "ExactSums":
        """The sums over the rows of both."""
        return ExactSums(
            self.total + other.total,
            sums_of(self.linear, other.linear),
            sums_of(self.squares, other.squares),
            [(p + r, q + s) for (p, q), (r, s) in zip(self.targets, other.targets, strict=True)],
            [sums_of(one, another) for one, another in zip(self.gradient, other.gradient, strict=True)],
            self.fit_intercept,
        )

    def error(self, W: Vector, ridge: float, constant: float) -> Interval:
        """Enclose the largest part that is left of any equation."""
        means = [s / self.total if self.fit_intercept else Fraction(0) for s in self.linear]
        lengths = [self.length(s, q, constant) for s, q in zip(self.linear, self.squares, strict=True)]
        worst = Fraction(0)
        for k, (linear, square) in enumerate(self.targets):
            size = self.length(linear, square, constant) or square or Fraction(1)
            *gradient, rest = self.gradient[k]
            if self.fit_intercept:
                worst = max(worst, rest**2 / self.total / size)
            for j, length in enumerate(lengths):
                if length:
                    left = gradient[j] - means[j] * rest - Fraction(ridge) * Fraction(float(W[j, k]))
                    worst = max(worst, left**2 / (length + Fraction(ridge)) / size)
        return root(enclosed(worst))

    def length(self, linear: Fraction, square: Fraction, constant: float) -> Fraction:
        """The squared length of a column, from its mean where there is an offset; 0 where it is constant."""
        if not self.fit_intercept:
            return square
        length, mean = square - linear**2 / self.total, linear / self.total
        return length if length > Fraction(constant) ** 2 * self.total * mean**2 else Fraction(0)


def dyadics(A: Vector) -> list[Dyadic]:
    """The columns of a matrix of doubles."""
    digits, exponents = scaled_integers(A)
    return [Dyadic(list(column), int(e)) for column, e in zip(zip(*digits, strict=True), exponents, strict=True)]


def dyadic(value: Fraction) -> tuple[int, int]:
    """A double as a whole number times 2^e."""
    return value.numerator, 1 - value.denominator.bit_length()


def scaled(digits: int, exponent: int) -> Fraction:
    """digits 2^exponent."""
    return Fraction(digits << exponent) if exponent >= 0 else Fraction(digits, 1 << -exponent)


def sums_of(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    """The sums of the entries of both."""
    return [p + q for p, q in zip(one, other, strict=True)]


def enclosed(value: Fraction) -> Interval:
    """The doubles next to a fraction."""
    try:
        return Interval.of(float(value), 0.0) if Fraction(float(value)) == value else around(float(value))
    except OverflowError:
        return Interval(0.0, inf)


def around(value: float) -> Interval:
    """A double that was rounded once, and both of its neighbours."""
    return Interval(float(np.nextafter(value, -inf)), float(np.nextafter(value, inf)))
