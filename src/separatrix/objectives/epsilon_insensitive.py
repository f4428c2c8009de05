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

from separatrix.enclosures import Enclosed, Interval, enclosed_dot, enclosed_sum
from separatrix.enclosures.exact_sums import product_below
from separatrix.objectives.form import Form, two_sided
from separatrix.objectives.measurement import (
    NO_CORRECTION,
    Correction,
    balanced,
    excess_sum,
    is_uncertain,
    measured,
)
from separatrix.objectives.soft_margin_sums import given_of
from separatrix.objectives.values import DualPoint, Values, best_multiple
from separatrix.problem import Problem
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
        return tube_values(self, problem, (w, float(b)), dual)

    def excess(self, y: Vector, scores: Enclosed) -> Enclosed:
        """|y - g| - epsilon of each row."""
        size = np.abs(y - scores.value)
        value = size - self.epsilon
        return Enclosed(value, scores.radius + 2.0 * UNIT_ROUNDOFF * (size + np.abs(value)))


@np.errstate(over="ignore", invalid="ignore")
def tube_values(
    objective: EpsilonInsensitive, problem: Problem, plane: tuple[Vector, float], dual: DualPoint, exact: bool = False
) -> Values:
    """Primal and dual value; by sums that are rounded once where rounding is a part of them."""
    support, cost, C = dual.support, problem.cost, objective.C
    beta, correction = feasible_beta(problem, dual, np.full(support.size, np.inf) if objective.squared else C)
    found = measured(problem, plane, support, beta, correction, exact)
    if found is None:
        return Values(np.inf, -np.inf, 0.0)
    linear = linear_term(problem, support, beta, correction) - objective.epsilon * sizes_of(beta, correction)
    quadratic = found.dual_square + given_of(objective, cost[support], beta)
    t = best_multiple(linear.low, quadratic.high)
    losses = excess_sum(C * cost, objective.excess(problem.y, found.scores), objective.squared)
    radius = (linear - 0.5 * quadratic).radius
    values = Values.of(0.5 * found.square + losses, t * linear - 0.5 * t * (t * quadratic), radius)
    return tube_values(objective, problem, plane, dual, exact=True) if is_uncertain(values, found) else values


def feasible_beta(problem: Problem, dual: DualPoint, C: Vector | float) -> tuple[Vector, Correction]:
    """Beta of a dual point within its bounds C c, and what is taken from one so that all add up to 0; else zeros."""
    upper = product_below(
        np.broadcast_to(np.asarray(C, dtype=np.float64), dual.support.shape), problem.cost[dual.support]
    )
    beta = np.clip(np.nan_to_num(dual.alpha), -upper, upper)
    if not problem.fit_intercept:
        return beta, NO_CORRECTION
    beta = balanced(beta)
    correction = Correction.of(beta)
    return (np.zeros(beta.size), NO_CORRECTION) if correction is None else (beta, correction)


def linear_term(problem: Problem, support: np.ndarray, beta: Vector, correction: Correction) -> Interval:
    """Enclose sum_i beta_i y_i of the feasible point, with targets measured from the middle of all."""
    if not support.size:
        return Interval(0.0, 0.0)
    y = problem.y[support]
    middle = centre_of(problem)
    off = y - middle
    total = enclosed_dot(beta, off, roundings=1)
    return total - correction.s * Interval.of(
        float(off[correction.place]), 2.0 * UNIT_ROUNDOFF * abs(off[correction.place])
    )


def sizes_of(beta: Vector, correction: Correction) -> Interval:
    """Enclose sum_i |beta_i| of the feasible point."""
    return enclosed_sum(np.abs(beta)) - Interval(0.0, abs(correction.s).high)


def centre_of(problem: Problem) -> float:
    """A number that targets are measured from: with an offset any does, as all beta add up to 0."""
    if not (problem.fit_intercept and problem.y.size):
        return 0.0
    return 0.5 * float(problem.y.min()) + 0.5 * float(problem.y.max())
