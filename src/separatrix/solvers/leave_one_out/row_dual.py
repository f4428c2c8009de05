"""The dual of support vector machines, one variable a row, for two classes as for regression.

    min 1/2 sum_ij beta_i beta_j K_ij + sum_i (ridge_i beta_i^2 / 2 - low_i max(beta_i, 0) - high_i min(beta_i, 0))
    lower_i <= beta_i <= upper_i,     sum_i beta_i = 0 where there is an offset b

    e_i = sum_j K_ij beta_j + b + ridge_i beta_i         the effective score

    beta_i = upper_i > 0    e_i <= low_i                 beta_i = lower_i < 0    e_i >= high_i
    0 < beta_i < upper_i    e_i  = low_i                 lower_i < beta_i < 0    e_i  = high_i
    beta_i = 0              low_i <= e_i <= high_i

Of two classes beta = y alpha: rows of the class 1 have low = 1 and no high, those of the class 0 high = -1 and no low.
In regression low = y - epsilon and high = y + epsilon.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.svm.best_offset import least_offset

FREE_RTOL = 1e-9  # part of its bound by which beta of a free row is away from it, and from 0


class RowDual(NamedTuple):
    """What is required of the score of each row, the bounds of its beta, its ridge, and whether there is an offset."""

    low: Vector
    high: Vector
    lower: Vector
    upper: Vector
    ridge: Vector
    fit_intercept: bool

    @classmethod
    def of(cls, problem: Problem) -> "RowDual":
        """The dual of a soft or hard margin, or of a tube.

        >>> from separatrix.objectives import SoftMargin
        >>> problem = Problem(np.array([[1.0], [2.0]]), np.array([0, 1])).posed(SoftMargin(C=3.0))
        >>> dual = RowDual.of(problem)
        >>> dual.lower.tolist(), dual.upper.tolist(), dual.low.tolist(), dual.high.tolist()
        ([-3.0, 0.0], [0.0, 3.0], [-inf, 1.0], [-1.0, inf])
        """
        objective: Any = problem.objective
        bound, ridge = objective.upper(problem.cost), objective.dual_ridge(problem.cost)
        if not problem.n_classes:
            tube = problem.y - objective.epsilon, problem.y + objective.epsilon
            return cls(*tube, -bound, bound, ridge, problem.fit_intercept)
        positive = problem.signs > 0
        low, high = np.where(positive, 1.0, -np.inf), np.where(positive, np.inf, -1.0)
        return cls(
            low, high, np.where(positive, 0.0, -bound), np.where(positive, bound, 0.0), ridge, problem.fit_intercept
        )

    def of_rows(self, some: np.ndarray) -> "RowDual":
        """The part of some rows."""
        low, high, lower, upper, ridge = (np.ascontiguousarray(each[some]) for each in self[:5])
        return RowDual(low, high, lower, upper, ridge, self.fit_intercept)

    def free(self, beta: Vector) -> np.ndarray:
        """Which beta are off their bounds and not 0."""
        bound = np.where(beta > 0.0, self.upper, -self.lower)
        size = np.abs(beta)
        with np.errstate(invalid="ignore"):
            near = np.where(np.isfinite(bound), FREE_RTOL * bound, 0.0)
        return (size > near) & (bound - size > near)

    def required(self, beta: Vector) -> Vector:
        """The effective score that a free row must have."""
        return np.where(beta > 0.0, self.low, self.high)

    def turns(self, beta: Vector) -> Vector:
        """The effective score at which each row becomes free, if beta holds no free rows."""
        return np.where((beta == 0.0) & np.isfinite(self.low), self.low, self.required(beta))

    def violations(self, beta: Vector, effective: Vector) -> Vector:
        """How far the effective score of each row is from what beta allows; infinite where that is out of bounds."""
        above, below = effective - self.high, self.low - effective  # which must not be positive where beta is 0
        found = np.where(beta > 0.0, -below, np.where(beta < 0.0, -above, np.maximum(above, below)))
        free = ((beta > 0.0) & (beta < self.upper)) | ((beta < 0.0) & (beta > self.lower))
        found = np.where(free, np.abs(found), np.maximum(found, 0.0))
        return np.where((beta > self.upper) | (beta < self.lower), np.inf, found)

    def bounded(self, row: int, bound: float) -> "RowDual":
        """The dual in which the beta of a row is between 0 and another bound; with a bound of 0 nothing is required."""
        lower, upper, low, high = (np.array(each) for each in (self.lower, self.upper, self.low, self.high))
        lower[row], upper[row] = min(bound, 0.0), max(bound, 0.0)
        if bound == 0.0:
            low[row], high[row] = -np.inf, np.inf
        return self._replace(low=low, high=high, lower=lower, upper=upper)

    def best_offset(self, scores: Vector) -> float:
        """The b with the least loss for scores without it, or the middle of all of them."""
        squared, sides = bool(self.ridge.any()), ((self.low, self.upper), (self.high, -self.lower))
        turns, ahead, weights = [], [], []
        for side, (level, bound) in enumerate(sides):
            rows = np.flatnonzero(bound > 0.0)
            turns.append(level[rows] - scores[rows])
            ahead.append(np.full(rows.size, side == 0))
            weights.append(1.0 / self.ridge[rows] if squared else np.where(np.isfinite(bound), bound, 1.0)[rows])
        return least_offset(np.concatenate(turns), np.concatenate(ahead), np.concatenate(weights), squared)
