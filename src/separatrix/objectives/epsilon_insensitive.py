"""The objective of support vector regression and its dual (Vapnik, 1995).

    epsilon-insensitive          1/2 ||w||^2 + sum_i c_i excess_i          |beta_i| <= c_i
    squared                      1/2 ||w||^2 + sum_i c_i excess_i^2

    excess_i = max(0, |y_i - w.x_i - b| - epsilon),     c_i = C times what an error on row i costs

    dual   sum_i (beta_i y_i - epsilon |beta_i| - ridge_i beta_i^2 / 2) - 1/2 ||sum_i beta_i x_i||^2,   sum_i beta_i = 0

ridge_i is 1 / (2 c_i) for squared losses, else 0. Without offset b the sum of beta is free. Every feasible beta gives a
lower bound, so beta is repaired first: clipped to its bounds, and those of the sign that weighs more scaled down.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix.objectives.bounds.feasible_point import FeasiblePoint, scaled_to_balance
from separatrix.objectives.bounds.measurement import measured, refined
from separatrix.objectives.dual_rule import DualRule
from separatrix.objectives.form import Form, two_sided
from separatrix.objectives.soft_margin_sums import given_of, losses_of
from separatrix.objectives.tube_sums import excesses, feasible_beta, residuals, tube_fold
from separatrix.objectives.values import NO_VALUES, DualPoint, Values, best_multiple
from separatrix.problem import Problem
from separatrix.problem.fold import Fold
from separatrix.rows import UNIT_ROUNDOFF, Vector


@dataclass(frozen=True)
class EpsilonInsensitive:
    """The objective: C, half the width epsilon of the tube, and whether what is beyond it counts squared.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives import EpsilonInsensitive
    >>> objective = EpsilonInsensitive(C=2.0, epsilon=0.5)
    >>> objective.losses(np.array([0.25, -1.5]), cost=np.ones(2)).tolist()  # 1 beyond the tube costs 2
    [0.0, 2.0]
    """

    C: float = 1.0
    epsilon: float = 0.1
    squared: bool = False

    penalised: ClassVar[bool] = True
    unproved: ClassVar[str] = "Nothing is proved: there is no bound below the objective."

    @property
    def formula(self) -> str:
        """The objective as text, for people."""
        power = "^2" if self.squared else ""
        return f"1/2 ||w||^2 + {self.C:g} sum max(0, |y - (w.x + b)| - {self.epsilon:g}){power}"

    def conclusion(self, most: str) -> str:
        """What a relative gap of at most so much means, for people."""
        return f"No fit has a better objective by more than {most} of it; anyone can check it again from the data."

    def separates(self, values: Values) -> bool:
        """Numbers are not separated."""
        return False

    def upper(self, cost: Vector) -> Vector:
        """The upper bound of |beta|, for each row."""
        return np.full(cost.shape, np.inf) if self.squared else self.C * cost

    def dual_ridge(self, cost: Vector) -> Vector:
        """How much excess a unit of beta buys, for each row."""
        return 0.5 / (self.C * cost) if self.squared else np.zeros(cost.shape)

    def in_units(self, unit: float) -> "EpsilonInsensitive":
        """The objective for targets y / unit: its optimum is w / unit, b / unit and beta / unit."""
        return EpsilonInsensitive(self.C if self.squared else self.C / unit, self.epsilon / unit, self.squared)

    def form(self, problem: Problem) -> Form:
        """The dual variables, two for each row: beta = alpha_p - alpha_{p + n}."""
        return two_sided(problem.y, self.epsilon, self.upper(problem.cost), self.dual_ridge(problem.cost))

    def losses(self, residuals: Vector, cost: Vector) -> Vector:
        """What each row costs at its residual y - g."""
        excess = np.maximum(0.0, np.abs(residuals) - self.epsilon)
        return self.C * cost * (excess * excess if self.squared else excess)

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows; in the space of a kernel w are the coefficients of the support rows."""
        point = self.feasible(problem, dual)
        cost, y = problem.cost[dual.support], problem.y[dual.support] - centre_of(problem)
        linear = point.dot(y, UNIT_ROUNDOFF * np.abs(y)) - self.epsilon * point.size
        given = given_of(self, cost, np.abs(point.beta))

        @np.errstate(over="ignore", invalid="ignore")
        def attempt(exact: bool) -> Values:
            found = measured(problem, (w, float(b)), point, exact)
            if found is None:
                return NO_VALUES
            losses = losses_of(self, problem.cost, excesses(residuals(problem, found.scores), self.epsilon))
            quadratic = given + found.dual_square
            t = best_multiple(linear.low, quadratic.high)
            return Values.of(0.5 * found.square + losses, t * linear - 0.5 * t * (t * quadratic))

        return refined(problem, attempt)

    def fold(self, w: Vector, b: float | Vector, dual: DualPoint | DualRule) -> Fold:
        """Primal and dual value, from blocks of rows."""
        return tube_fold(self, (w, float(b)), dual)

    def feasible(self, problem: Problem, dual: DualPoint) -> FeasiblePoint:
        """Beta within its bounds, with a sum of 0 where there is an offset."""
        beta = feasible_beta(self, problem, dual)
        if not problem.fit_intercept:
            return FeasiblePoint(dual.support, beta)
        return FeasiblePoint.balanced(dual.support, scaled_to_balance(beta))


def centre_of(problem: Problem) -> float:
    """A number that targets are measured from: with an offset any does, as all beta add up to 0."""
    if not (problem.fit_intercept and problem.y.size):
        return 0.0
    return 0.5 * float(problem.y.min()) + 0.5 * float(problem.y.max())
