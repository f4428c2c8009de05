"""The objective of sparse support vector regression and its dual (Sayed, 2022, problem 61.5).

    l1 ||w||_1 + (1 / W) sum_i c_i max(0, r_i^2 - epsilon),     r_i = y_i - w.x_i - b,  W = sum_i c_i

    dual   sum_i beta_i r_i  +  w.n  -  (1 / W) sum_i c_i conjugate(W beta_i / c_i),     n = sum_i beta_i x_i
           |n_j| <= l1 for each column j,     sum_i beta_i = 0

    conjugate(u) = sqrt(epsilon) |u|  where  |u| <= 2 sqrt(epsilon),     else  u^2 / 4 + epsilon

The first two terms of the dual are sum_i beta_i y_i whatever the plane is, and have no large numbers that cancel.
Without offset b the sum of beta is free. Every feasible beta gives a lower bound, so beta is repaired first: those of
the sign that weighs more are scaled down, then all of them until n is within its bounds for certain.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix import rows
from separatrix.enclosures import Enclosed, Interval, enclosed_sum
from separatrix.enclosures.elementwise import INFLATED, dot, multiplied
from separatrix.objectives.bounds.feasible_point import FeasiblePoint, scaled_to_balance
from separatrix.objectives.bounds.measurement import enclosed_normal, exact_normal, measured, refined
from separatrix.objectives.soft_margin_sums import MAX_CHEAP_ENTRIES, Price, losses_of
from separatrix.objectives.tube_sums import residuals
from separatrix.objectives.values import ROUNDING, DualPoint, Values
from separatrix.problem import Problem
from separatrix.rows import SMALLEST, TINY, UNIT_ROUNDOFF, Vector


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

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows."""

        @np.errstate(over="ignore", invalid="ignore", divide="ignore")
        def attempt(exact: bool) -> Values:
            point, normal = self.feasible(problem, dual, exact)
            g = measured(problem, (w, float(b)), point, exact).scores  # type: ignore[union-attr]
            off = residuals(problem, g)
            primal = self.l1 * enclosed_sum(np.abs(w)) + self.mean_loss(problem, off)
            own = point.dot(off.value[dual.support], off.radius[dual.support])
            along = dot(w, normal)
            dual_value = own + along - self.mean_conjugate(problem, point)
            shrunk = float(normal.radius.max(initial=0.0)) / max(self.l1, TINY)  # to be feasible whatever rounding is
            return Values.of(primal, dual_value.positive_part, shrunk * abs(own).high)  # beta = 0 has the value 0

        return refined(problem, attempt)

    def mean_loss(self, problem: Problem, off: Enclosed) -> Interval:
        """What residuals cost on average."""
        squares = multiplied(off, off)
        beyond = squares.value - self.epsilon
        slack = Enclosed(beyond, INFLATED * (squares.radius + UNIT_ROUNDOFF * np.abs(beyond)))
        return losses_of(Price(1.0), problem.cost, slack) / enclosed_sum(problem.cost)

    def mean_conjugate(self, problem: Problem, point: FeasiblePoint) -> Interval:
        """(1 / W) sum_i c_i conjugate(W beta_i / c_i), of a beta that is smaller in one place."""
        cost, W = problem.cost[point.support], enclosed_sum(problem.cost)
        u = W.high * np.abs(point.beta) / cost
        terms = cost * self.conjugates(u)
        least = enclosed_sum(terms, 8.0 * SMALLEST * terms.size, roundings=12).positive_part
        return least * Interval(1.0 - 16.0 * UNIT_ROUNDOFF, 1.0 + 16.0 * UNIT_ROUNDOFF) / W

    def feasible(self, problem: Problem, dual: DualPoint, exact: bool) -> tuple[FeasiblePoint, Enclosed]:
        """Beta of the support rows made feasible, and its n."""
        beta = np.nan_to_num(dual.alpha)
        beta = scaled_to_balance(beta) if problem.fit_intercept else beta
        point, normal = self.with_normal(problem, dual.support, beta, exact)
        ratio, less = float(((np.abs(normal.value) + normal.radius) / max(self.l1, TINY)).max(initial=0.0)), ROUNDING
        while not self.is_within(normal) and less < 0.5:  # what is scaled is rounded, and columns may magnify that
            point, normal = self.with_normal(problem, dual.support, beta * ((1.0 - less) / ratio), exact)
            less *= 16.0
        within = self.is_within(normal)
        return (point, normal) if within else self.with_normal(problem, dual.support, np.zeros_like(beta), exact)

    def is_within(self, normal: Enclosed) -> bool:
        """Whether n is within its bounds for certain."""
        return bool((np.abs(normal.value) + normal.radius <= self.l1).all())

    def with_normal(
        self, problem: Problem, support: np.ndarray, beta: Vector, exact: bool
    ) -> tuple[FeasiblePoint, Enclosed]:
        """The point next to a beta, with a sum of 0 where there is an offset, and its n: exact where rows are few."""
        exact = exact or rows.n_entries(problem.X) <= MAX_CHEAP_ENTRIES
        point = FeasiblePoint.balanced(support, beta) if problem.fit_intercept else FeasiblePoint(support, beta)
        return point, exact_normal(problem, point) if exact else enclosed_normal(problem, point)
