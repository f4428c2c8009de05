"""The non-decreasing function of a score that is closest to a class: isotonic regression.

    minimise  sum_i c_i (t_i - f(s_i))^2,    f(s) <= f(s') wherever s < s',    t_i = 1 for rows of the class, else 0

Rows with equal scores are one row with their mean, since f has one value there. Adjacent means that decrease are pooled
until none do; the values are max over s' <= s of min over s'' >= s of the mean of all rows from s' to s'' (Ayer et al.,
1955). They minimise the log loss over all such functions as well. Zadrozny and Elkan (2002) use them as probabilities.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from separatrix.rows import Vector


@dataclass(frozen=True, eq=False)
class IsotonicMap:
    """Probabilities at some scores, both ascending: linear between these scores, constant beyond them."""

    scores: Vector
    values: Vector

    def __post_init__(self) -> None:
        both = self.scores, self.values
        if not (self.scores.ndim == self.values.ndim == 1 and 0 < self.scores.size == self.values.size):
            raise ValueError("an isotonic map has as many values as scores, and at least one")
        if not all(np.isfinite(each).all() for each in both) or (np.diff(self.scores) <= 0.0).any():
            raise ValueError("an isotonic map has finite numbers, and scores that increase")
        if (np.diff(self.values) < 0.0).any() or self.values[0] < 0.0 or self.values[-1] > 1.0:
            raise ValueError("an isotonic map has values between 0 and 1 that do not decrease")

    def both(self, scores: Vector) -> Vector:
        """Probabilities of the others and of the class, side by side.

        >>> IsotonicMap(np.array([0.0, 2.0]), np.array([0.0, 0.5])).both(np.array([-9.0, 1.0, 9.0])).tolist()
        [[1.0, 0.0], [0.75, 0.25], [0.5, 0.5]]
        """
        probabilities = np.interp(scores, self.scores, self.values)
        return np.column_stack([1.0 - probabilities, probabilities])


def pool_adjacent_violators(scores: Vector, positive: np.ndarray, weights: Vector) -> IsotonicMap:
    """Fit the map to finite scores of rows that are of the class or not, each with its weight.

    >>> found = pool_adjacent_violators(
    ...     np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, True, False, True]), np.ones(4)
    ... )
    >>> found.scores.tolist(), found.values.tolist()
    ([1.0, 2.0, 3.0, 4.0], [0.0, 0.5, 0.5, 1.0])
    """
    distinct, place = np.unique(scores, return_inverse=True)
    total = np.bincount(place, weights)
    means = np.bincount(place, weights * positive) / total
    found = isotonic_regression(means, weights=total)
    ends = np.union1d(found.blocks[:-1], found.blocks[1:] - 1)  # the first and the last score of each pool
    return IsotonicMap(distinct[ends], np.clip(found.x[ends], 0.0, 1.0))
