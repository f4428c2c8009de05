"""The primal and the dual value of a soft or hard margin in the space of a kernel, each enclosed.

    f_i = sum_j c_j K(x_i, x_j),     ||w||^2 = sum_i c_i f_i          c: the coefficients of the support rows
    dual   sum_i alpha_i - sum_i ridge_i alpha_i^2 / 2 - 1/2 sum_ij alpha_i alpha_j y_i y_j K(x_i, x_j)

alpha is that of the dual point, repaired to be feasible and scaled down where that raises the value. Both sums over all
rows come from one set of kernel values.
"""

from typing import TYPE_CHECKING

import numpy as np

from separatrix.enclosures import Enclosed, Interval, enclosed_sum
from separatrix.objectives.measurement import NO_CORRECTION, Correction, measured
from separatrix.objectives.soft_margin_sums import (
    PrimalSums,
    best_of_hard_margin,
    feasible_alpha,
    given_of,
    losses_of,
    slacks_of,
    smallest,
)
from separatrix.objectives.values import DualPoint, Values, best_multiple
from separatrix.problem import Problem
from separatrix.rows import Vector

if TYPE_CHECKING:
    from separatrix.objectives.soft_margin import SoftMargin


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def kernel_margin_values(
    objective: "SoftMargin", problem: Problem, coefficients: Vector, b: float, dual: DualPoint
) -> Values:
    """Values of the expansion over the support rows of the dual point, and of that point.

    Without Mercer's condition the dual bounds nothing.
    """
    support, signs = dual.support, problem.signs[dual.support]
    alpha = feasible_alpha(objective, problem, dual)
    correction: Correction | None = NO_CORRECTION
    if problem.fit_intercept:  # the heavier class is scaled down
        sides = np.array([float(alpha @ (signs < 0)), float(alpha @ (signs > 0))])
        factors = PrimalSums(Interval(0.0, 0.0), Interval(0.0, 0.0), sides, None, True).factors
        alpha = alpha * factors[(signs > 0).view(np.int8)]
        correction = Correction.of(alpha * signs)
    if correction is None:
        alpha, correction = np.zeros(alpha.size), NO_CORRECTION
    found = measured(problem, (coefficients, b), support, alpha * signs, correction)
    if found is None:
        return Values(np.inf, -np.inf, 0.0)
    margins = Enclosed(problem.signs * found.scores.value, found.scores.radius)
    total = enclosed_sum(alpha) - Interval(0.0, abs(correction.s).high)
    if objective.hard:
        least = smallest(margins)
        primal = 0.5 * found.square / least.square() if least.low > 0.0 else Interval(np.inf, np.inf)
        return Values.of(primal, best_of_hard_margin(total, found.dual_square))
    losses = losses_of(objective, problem.cost, slacks_of(margins))
    quadratic = found.dual_square + given_of(objective, problem.cost[support], alpha)
    t = best_multiple(total.low, quadratic.high)
    radius = (total - 0.5 * quadratic).radius
    return Values.of(0.5 * found.square + losses, t * total - 0.5 * t * (t * quadratic), radius)
