"""The objective of nu support vector regression and its dual (Schoelkopf, Smola, Williamson and Bartlett, 2000).

    1/2 ||w||^2 + C (nu W epsilon + sum_i c_i max(0, |y_i - w.x_i - b| - epsilon)),     epsilon >= 0,  W = sum_i c_i

    dual   sum_i beta_i y_i - 1/2 ||sum_i beta_i x_i||^2
           |beta_i| <= C c_i,     sum_i |beta_i| <= C nu W,     sum_i beta_i = 0

epsilon is free: nu says which part of the rows may be outside of the tube. For given w and b the best one is the
residual that a part nu of the rows exceeds. beta is repaired to be feasible: clipped, balanced, scaled down.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix.enclosures import Interval, enclosed_sum
from separatrix.objectives.bounds.feasible_point import FeasiblePoint
from separatrix.objectives.bounds.measurement import measured, refined
from separatrix.objectives.epsilon_insensitive import EpsilonInsensitive, centre_of
from separatrix.objectives.form import Form, two_sided
from separatrix.objectives.soft_margin_sums import losses_of
from separatrix.objectives.tube_sums import excesses, residuals
from separatrix.objectives.values import NO_VALUES, ROUNDING, DualPoint, Values, best_multiple
from separatrix.problem import Problem
from separatrix.rows import UNIT_ROUNDOFF, Vector


@dataclass(frozen=True)
class NuInsensitive:
    """The objective: C, and the part nu of the rows that may be outside of the tube.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives import NuInsensitive
    >>> NuInsensitive(C=1.0, nu=0.5).best_epsilon(np.array([0.1, -0.2, 0.3, -4.0]), cost=np.ones(4))
    0.2
    """

    C: float = 1.0
    nu: float = 0.5

    squared: ClassVar[bool] = False
    penalised: ClassVar[bool] = True
    unproved: ClassVar[str] = EpsilonInsensitive.unproved

    @property
    def formula(self) -> str:
        """The objective as text, for people."""
        return (
            f"1/2 ||w||^2 + {self.C:g} sum ({self.nu:g} epsilon + max(0, |y - (w.x + b)| - epsilon)), also over epsilon"
        )

    def conclusion(self, most: str) -> str:
        """What a relative gap of at most so much means, for people."""
        return EpsilonInsensitive().conclusion(most)

    def separates(self, values: Values) -> bool:
        """Numbers are not separated."""
        return False

    def upper(self, cost: Vector) -> Vector:
        """The upper bound of |beta|, for each row."""
        return self.C * cost

    def dual_ridge(self, cost: Vector) -> Vector:
        """How much excess a unit of beta buys, for each row: none."""
        return np.zeros(cost.shape)

    def in_units(self, unit: float) -> "NuInsensitive":
        """The objective for targets y / unit: its optimum is w / unit, b / unit and beta / unit."""
        return NuInsensitive(self.C / unit, self.nu)

    def form(self, problem: Problem) -> Form:
        """The dual variables, two for each row; t is epsilon."""
        form = two_sided(problem.y, 0.0, self.upper(problem.cost), self.dual_ridge(problem.cost))
        return form._replace(border=1.0, total=-self.total(problem.cost))

    def total(self, cost: Vector) -> float:
        """The upper bound of the sum of all |beta|."""
        return self.C * self.nu * float(cost.sum())

    def best_epsilon(self, residuals: Vector, cost: Vector) -> float:
        """The least epsilon for which rows outside of the tube weigh at most nu of all."""
        size = np.abs(residuals)
        order = np.argsort(-size, kind="stable")
        outside = np.cumsum(cost[order])  # weight of this row and of all that are farther off
        first = int(np.searchsorted(outside, self.nu * float(cost.sum()) * (1.0 + ROUNDING), side="right"))
        return float(size[order[first]]) if first < size.size else 0.0

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows; in the space of a kernel w are the coefficients of the support rows."""
        total = self.C * (self.nu * enclosed_sum(problem.cost))
        point = self.feasible(problem, dual, total)
        y = problem.y[dual.support] - centre_of(problem)
        linear = point.dot(y, UNIT_ROUNDOFF * np.abs(y))

        @np.errstate(over="ignore", invalid="ignore")
        def attempt(exact: bool) -> Values:
            found = measured(problem, (w, float(b)), point, exact)
            if found is None:
                return NO_VALUES
            off = residuals(problem, found.scores)
            epsilon = self.best_epsilon(off.value, problem.cost)
            losses = losses_of(self, problem.cost, excesses(off, epsilon)) + total * epsilon
            t = best_multiple(linear.low, found.dual_square.high)
            return Values.of(0.5 * found.square + losses, t * linear - 0.5 * t * (t * found.dual_square))

        return refined(problem, attempt)

    def feasible(self, problem: Problem, dual: DualPoint, total: Interval) -> FeasiblePoint:
        """Beta within its bounds, with a sum of 0 where there is an offset, and sizes of at most a total."""
        point = EpsilonInsensitive(self.C).feasible(problem, dual)
        size = point.size.high
        if size <= total.low:
            return point
        beta = point.beta * max(total.low / size * (1.0 - ROUNDING), 0.0)
        return FeasiblePoint.balanced(dual.support, beta) if problem.fit_intercept else point._replace(beta=beta)
