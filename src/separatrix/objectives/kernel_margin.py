"""The primal and the dual value of a soft or hard margin in the space of a kernel, each enclosed.

    f_i = sum_j c_j K(x_i, x_j),     ||w||^2 = sum_i c_i f_i          c: the coefficients of the support rows
    dual   sum_i alpha_i - sum_i ridge_i alpha_i^2 / 2 - 1/2 sum_ij alpha_i alpha_j y_i y_j K(x_i, x_j)

alpha is that of the dual point, repaired to be feasible and scaled down where that raises the value. Both sums over all
rows come from one set of kernel values. A linear kernel is that of the features.
"""

from typing import TYPE_CHECKING

import numpy as np

from separatrix.enclosures import Enclosed, Interval
from separatrix.objectives.bounds.feasible_point import FeasiblePoint, scaled_to_balance
from separatrix.objectives.bounds.measurement import measured, refined
from separatrix.objectives.soft_margin_sums import (
    best_of_hard_margin,
    feasible_alpha,
    given_of,
    losses_of,
    slacks_of,
    smallest,
)
from separatrix.objectives.values import NO_VALUES, DualPoint, Values, best_multiple
from separatrix.problem import Problem
from separatrix.rows import Vector

if TYPE_CHECKING:
    from separatrix.objectives.soft_margin import SoftMargin


def kernel_margin_values(
    objective: "SoftMargin", problem: Problem, coefficients: Vector, b: float, dual: DualPoint
) -> Values:
    """Values of the expansion over the support rows of the dual point, and of that point.

    Without Mercer's condition the dual bounds nothing.
    """
    signs = problem.signs[dual.support]
    signed = feasible_alpha(objective, problem, dual) * signs
    if problem.fit_intercept:
        point = FeasiblePoint.balanced(dual.support, scaled_to_balance(signed))
    else:
        point = FeasiblePoint(dual.support, signed)
    given = given_of(objective, problem.cost[dual.support], np.abs(point.beta))

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def attempt(exact: bool) -> Values:
        found = measured(problem, (coefficients, b), point, exact)
        if found is None:
            return NO_VALUES
        margins = Enclosed(found.scores.value * problem.signs, found.scores.radius)
        if objective.hard:
            least = smallest(margins)
            primal = 0.5 * found.square / least.square() if least.low > 0.0 else Interval(np.inf, np.inf)
            return Values.of(primal, best_of_hard_margin(point.size, found.dual_square))
        losses, quadratic = losses_of(objective, problem.cost, slacks_of(margins)), given + found.dual_square
        t = best_multiple(point.size.low, quadratic.high)
        return Values.of(0.5 * found.square + losses, t * point.size - 0.5 * t * (t * quadratic))

    return refined(problem, attempt)
