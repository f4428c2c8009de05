"""The moments of classes with how far each of them may be off: from plain sums, or from exact ones where rows are few.

    n_c,     m,     m_c - m     each by its radius               |S_w - computed|_jk  <=  e_j e_k

Exact sums are fractions, from which every moment is rounded once. What they give is exactly 0 where it is 0.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.claims.exact_normal_sums import dyadics, sums_of
from separatrix.enclosures import Enclosed
from separatrix.enclosures.elementwise import INFLATED, added_up, column, difference, divided, multiplied, shifted
from separatrix.problem import Moments, Problem
from separatrix.problem.moments import offsets_of, weights_of
from separatrix.products import dense_rows
from separatrix.rows import SMALLEST, UNIT_ROUNDOFF, Vector


class EnclosedMoments(NamedTuple):
    """n_c, the sum of all of them, m, m_c and m_c - m of each class, S_w, and e_j^2 of each column."""

    weights: Enclosed
    total: Enclosed
    mean: Enclosed
    class_means: Enclosed
    apart: Enclosed
    within: Vector
    squares: Vector

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")
    def of(cls, moments: Moments) -> "EnclosedMoments":
        """Those of moments with their bounds."""
        seen, weights, offsets = moments.weight[:, None] > 0.0, weights_of(moments), offsets_of(moments)
        total = added_up(weights)
        middle = divided(added_up(multiplied(column(weights), offsets)), total)
        apart = difference(offsets, middle)
        means = shifted(offsets, moments.origin)
        several = seen & (moments.n_seen > 1)  # the mean of one class is that of all rows
        means = Enclosed(*(np.where(seen, part, 0.0) for part in means))
        apart = Enclosed(*(np.where(several, part, 0.0) for part in apart))
        mean = shifted(middle, moments.origin)
        return cls(weights, total, mean, means, apart, moments.within, moments.bounds.squares)

    @property
    def weight(self) -> Vector:
        """n_c, but for rounding."""
        return self.weights.value

    @property
    def total_weight(self) -> float:
        """The sum of all n_c, but for rounding."""
        return float(self.total.value)

    @property
    def means(self) -> Vector:
        """m_c, but for rounding."""
        return self.class_means.value

    @property
    def n_seen(self) -> int:
        """Number of classes that rows have been seen of."""
        return int(np.count_nonzero(self.weights.value))


class ExactMoments(NamedTuple):
    """The sums of c and of c x over the rows of each class, and those of c x_j x_k, j <= k, over all rows."""

    weight: list[Fraction]
    linear: list[list[Fraction]]
    products: list[list[Fraction]]

    @classmethod
    def of(cls, problem: Problem) -> "ExactMoments":
        """Sum over the rows of a problem."""
        columns = dyadics(dense_rows(problem.X, np.arange(problem.n_rows)))
        costs = dyadics(np.where(problem.y[:, None] == np.arange(problem.n_classes), problem.cost[:, None], 0.0))
        (ones,), (every,) = dyadics(np.ones((problem.n_rows, 1))), dyadics(problem.cost[:, None])
        weighted = [every.times(x) for x in columns]
        return cls(
            [cost.dot(ones) for cost in costs],
            [[cost.dot(x) for x in columns] for cost in costs],
            [[weighted[j].dot(x) for x in columns[j:]] for j in range(len(columns))],
        )

    def merged(self, other: "ExactMoments") -> "ExactMoments":
        """The sums over the rows of both."""
        return ExactMoments(
            sums_of(self.weight, other.weight),
            [sums_of(one, another) for one, another in zip(self.linear, other.linear, strict=True)],
            [sums_of(one, another) for one, another in zip(self.products, other.products, strict=True)],
        )

    def enclosed(self) -> EnclosedMoments:
        """Moments that are rounded once."""
        total, d, seen = sum(self.weight), len(self.products), [n or Fraction(1) for n in self.weight]
        means = [[s / n for s in row] for row, n in zip(self.linear, seen, strict=True)]
        mean = [sum(column, Fraction(0)) / total for column in zip(*self.linear, strict=True)]
        apart = [
            [m - v if n else Fraction(0) for m, v in zip(row, mean, strict=True)]
            for row, n in zip(means, self.weight, strict=True)
        ]
        within = [[Fraction(0)] * d for _ in range(d)]
        for j in range(d):
            for k in range(j, d):
                of_means = sum(row[j] * m[k] for row, m in zip(self.linear, means, strict=True))
                within[j][k] = within[k][j] = self.products[j][k - j] - of_means
        S = rounded(within)
        varies = np.array([within[j][j] > 0 for j in range(d)], dtype=bool)  # also where that is below all doubles
        squares = 4.0 * UNIT_ROUNDOFF * S.value.diagonal() + 4.0 * SMALLEST * varies
        return EnclosedMoments(
            rounded(self.weight), rounded(total), rounded(mean), rounded(means), rounded(apart), S.value, squares
        )


def rounded(values: Any) -> Enclosed:
    """Fractions, nested as they are, rounded once; those that are doubles stay as they are."""
    exact = np.array(values, dtype=object)
    nearest = np.array([nearest_double(value) for value in exact.ravel()]).reshape(exact.shape)
    same = np.array([np.isfinite(a) and Fraction(a) == b for a, b in zip(nearest.ravel(), exact.ravel(), strict=True)])
    radius = np.where(same.reshape(exact.shape), 0.0, INFLATED * (UNIT_ROUNDOFF * np.abs(nearest) + SMALLEST))
    return Enclosed(nearest, np.where(np.isfinite(nearest), radius, np.inf))


def nearest_double(value: Fraction) -> float:
    """A fraction, rounded; what overflows is infinite."""
    try:
        return float(value)
    except OverflowError:
        return np.inf
