"""The objective of sparse support vector regression and its dual (Sayed, 2022, problem 61.5).

    l1 ||w||_1 + (1 / W) sum_i c_i max(0, r_i^2 - epsilon),     r_i = y_i - w.x_i - b,  W = sum_i c_i

    dual   sum_i beta_i r_i  +  w.n  -  (1 / W) sum_i c_i conjugate(W beta_i / c_i),     n = sum_i beta_i x_i
           |n_j| <= l1 for each column j,     sum_i beta_i = 0

    conjugate(u) = sqrt(epsilon) |u|  where  |u| <= 2 sqrt(epsilon),     else  u^2 / 4 + epsilon

The first two terms of the dual are sum_i beta_i y_i whatever the plane is, and have no large numbers that cancel.
Without offset b the sum of beta is free. Every feasible beta gives a lower bound, so beta is repaired first: those of
the sign that weighs more are scaled down, then all of them until n, with its rounding error, is within its bounds.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix import rows
from separatrix.enclosures import Enclosed, Interval, enclosed_dot, enclosed_scores, enclosed_sum
from separatrix.enclosures.exact_sums import exact_affine
from separatrix.objectives.measurement import (
    MAX_EXACT_ENTRIES,
    NO_CORRECTION,
    Correction,
    balanced,
    excess_sum,
    normal_vector,
)
from separatrix.objectives.values import DualPoint, Values
from separatrix.problem import Problem
from separatrix.rows import UNIT_ROUNDOFF, Vector


@dataclass(frozen=True)
class SparseTube:
    """The objective: what a unit of ||w||_1 costs, and the square of a residual up to which it costs nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives import SparseTube
    >>> objective = SparseTube(l1=0.5, epsilon=0.25)
    >>> objective.losses(np.array([0.5, -1.5])).tolist()  # residuals of 0.5 are on the border of the tube
    [0.0, 2.0]
    >>> objective.conjugates(np.array([1.0, -4.0])).tolist()
    [0.5, 4.25]
    """

    l1: float = 0.01
    epsilon: float = 0.1

    penalised: ClassVar[bool] = False  # not by 1/2 ||w||^2
    unproved: ClassVar[str] = "Nothing is proved: there is no bound below the objective."

    @property
    def formula(self) -> str:
        """The objective as text, for people."""
        return f"{self.l1:g} ||w||_1 + the mean of max(0, (y - (w.x + b))^2 - {self.epsilon:g})"

    def conclusion(self, most: str) -> str:
        """What a relative gap of at most so much means, for people."""
        return f"No fit has a better objective by more than {most} of it; anyone can check it again from the data."

    def separates(self, values: Values) -> bool:
        """Numbers are not separated."""
        return False

    def losses(self, residuals: Vector) -> Vector:
        """What each row costs at its residual, before its weight."""
        return np.maximum(0.0, residuals * residuals - self.epsilon)

    def conjugates(self, u: Vector) -> Vector:
        """The largest u r - loss(r) over all residuals r."""
        size, half = np.abs(u), float(np.sqrt(self.epsilon))
        return np.where(size <= 2.0 * half, half * size, 0.25 * size * size + self.epsilon)

    @np.errstate(over="ignore", invalid="ignore")
    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows."""
        everything, cost = np.arange(problem.n_rows), problem.cost
        plane, nothing = (w, float(b)), np.zeros(problem.n_rows)
        if rows.n_entries(problem.X) <= MAX_EXACT_ENTRIES:
            residuals = exact_affine(problem.X, everything, plane, problem.y, nothing - 1.0)
        else:
            g = enclosed_scores(problem.X, *plane)
            left = problem.y - g.value
            residuals = Enclosed(left, g.radius + 2.0 * UNIT_ROUNDOFF * np.abs(left))
        total = enclosed_sum(cost)
        square = residuals.value * residuals.value
        of_square = residuals.radius * (2.0 * np.abs(residuals.value) + residuals.radius)
        beyond = square - self.epsilon
        excess = Enclosed(beyond, of_square + 2.0 * UNIT_ROUNDOFF * (square + np.abs(beyond)))
        losses = excess_sum(cost, excess) / total
        penalty = self.l1 * enclosed_sum(np.abs(w))
        return Values.of(losses + penalty, self.dual_value(problem, plane, dual, residuals, total))

    def dual_value(
        self, problem: Problem, plane: tuple[Vector, float], dual: DualPoint, residuals: Enclosed, total: Interval
    ) -> Interval:
        """Enclose the dual value of beta, scaled to be feasible; beta = 0 has the value 0."""
        beta, nothing, support = np.nan_to_num(dual.alpha), Interval(0.0, 0.0), dual.support
        beta = balanced(beta) if problem.fit_intercept else beta
        for _ in range(2):  # scaled down once, beta is feasible
            correction = Correction.of(beta) if problem.fit_intercept else NO_CORRECTION
            if correction is None or not support.size:
                return nothing
            exact = rows.n_entries(problem.X) <= MAX_EXACT_ENTRIES
            normal = normal_vector(problem, support, beta, correction, exact)
            most = float((np.abs(normal.value) + normal.radius).max(initial=0.0)) * (1.0 + 2.0 * UNIT_ROUNDOFF)
            if most <= self.l1:
                break
            beta = beta * (self.l1 / most * (1.0 - 8.0 * UNIT_ROUNDOFF))
        else:
            return nothing
        own = Enclosed(residuals.value[support], residuals.radius[support])
        linear = enclosed_dot(beta, own.value, np.abs(beta) * own.radius)
        at_place = Interval.of(float(own.value[correction.place]), float(own.radius[correction.place]))
        along = enclosed_dot(plane[0], normal.value, np.abs(plane[0]) * normal.radius)
        share = problem.cost[support] / total.middle
        conjugates = enclosed_sum(share * self.conjugates(beta / share), roundings=12)
        value = linear - correction.s * at_place + along - conjugates
        return value.positive_part if value.high > 0.0 else nothing
