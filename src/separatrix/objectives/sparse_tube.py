"""The objective of sparse support vector regression and its dual (Sayed, 2022, problem 61.5).

    l1 ||w||_1 + (1 / W) sum_i c_i max(0, r_i^2 - epsilon),     r_i = y_i - w.x_i - b,  W = sum_i c_i

    dual   sum_i beta_i r_i  +  w.n  -  (1 / W) sum_i c_i conjugate(W beta_i / c_i),     n = sum_i beta_i x_i
           |n_j| <= l1 for each column j,     sum_i beta_i = 0

    conjugate(u) = sqrt(epsilon) |u|  where  |u| <= 2 sqrt(epsilon),     else  u^2 / 4 + epsilon

The first two terms of the dual are sum_i beta_i y_i whatever the plane is, and have no large numbers that cancel.
Without offset b the sum of beta is free. Every feasible beta gives a lower bound, so beta is repaired first: those of
the sign that weighs more are scaled down, then all of them until n is within its bounds. What rounding alone may have
made of n is no reason to scale: it is priced by the plane, and counted as rounding.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix.objectives.measurement import balanced, normal_terms
from separatrix.objectives.soft_margin_sums import normal_of
from separatrix.objectives.values import ROUNDING, DualPoint, Values
from separatrix.problem import Problem
from separatrix.products import score_size, scores
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector

ROUNDED_SUM = 16.0 * UNIT_ROUNDOFF  # part of the sizes of what is summed that rounding may move a sum by


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
        support, share = dual.support, problem.cost / problem.cost.sum()
        residuals = problem.y - scores(problem.X, w) - float(b)
        beta, normal, of_normal = self.feasible(problem, dual)
        losses = float(share @ self.losses(residuals))
        penalty = self.l1 * float(np.abs(w).sum())
        conjugates = float(share[support] @ self.conjugates(beta / share[support]))
        linear, along = beta * residuals[support], w * np.clip(normal, -self.l1, self.l1)
        dual_value = float(linear.sum()) + float(along.sum()) - conjugates
        terms = losses + penalty + float(np.abs(linear).sum()) + float(np.abs(along).sum()) + conjugates
        of_residuals = ROUNDING * (float(np.abs(problem.y).max(initial=0.0)) + abs(float(b)) + score_size(problem.X, w))
        slopes = 2.0 * float(share @ np.abs(residuals)) + float(np.abs(beta).sum())
        rounding = ROUNDING * terms + of_residuals * slopes + float(of_normal @ np.abs(w))
        if not np.isfinite(losses + penalty):
            return Values(np.inf, -np.inf, 0.0)
        return Values(losses + penalty, max(dual_value, 0.0), rounding)  # beta = 0 has the dual value 0

    def feasible(self, problem: Problem, dual: DualPoint) -> tuple[Vector, Vector, Vector]:
        """Beta of the support rows made feasible, its n, and how far rounding may have moved n."""
        beta = np.nan_to_num(dual.alpha)
        beta = balanced(beta) if problem.fit_intercept else beta
        normal = normal_of(problem, dual.support, beta)
        of_normal = ROUNDED_SUM * normal_terms(problem, dual.support, beta)
        ratio = float(((np.abs(normal) - of_normal) / max(self.l1, TINY)).max(initial=0.0))
        factor = 1.0 / max(1.0, ratio)
        return factor * beta, factor * normal, factor * of_normal
