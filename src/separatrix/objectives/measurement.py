"""What primal and dual values are made of, in the space of the features or in that of a kernel.

    g_i = <w, x_i> + b,     ||w||^2,     ||n||^2 for n = sum_i beta_i x_i

In the space of a kernel w = sum_j c_j phi(x_j) over the support rows, and all three come from one set of kernel values.
"""

from typing import NamedTuple

import numpy as np

from separatrix.objectives.kernel_margin import satisfies_mercer
from separatrix.objectives.soft_margin_sums import normal_of
from separatrix.objectives.values import ROUNDING
from separatrix.problem import Problem
from separatrix.products import score_size, scores
from separatrix.rows import Vector


class Measurement(NamedTuple):
    """Scores g of a plane, ||w||^2, ||n||^2 of a dual point, and how far rounding may move a score and ||n||^2.

    `bounds` tells whether the dual value bounds anything: in the space of a kernel, whether Mercer's condition holds.
    """

    scores: Vector
    square: float
    dual_square: float
    of_scores: float
    of_square: float
    bounds: bool

    @property
    def normal(self) -> float:
        """||n||, 0 where rounding alone may have made it."""
        return self.dual_square**0.5 if self.dual_square > self.of_square else 0.0


@np.errstate(over="ignore", invalid="ignore")
def measured(problem: Problem, w: Vector, b: float, support: np.ndarray, beta: Vector) -> Measurement:
    """Measure a plane and the dual point beta over its support rows; with a kernel w are their coefficients."""
    total = float(np.abs(beta).sum())
    if problem.kernel is None:
        g = scores(problem.X, w)
        g += b
        normal = normal_of(problem, support, beta)
        size = score_size(problem.X, w)
        spread = float(np.sqrt(problem.squares[support].max(initial=0.0)))
        of_scores = ROUNDING * (abs(b) + size)
        square, of_normal = float(normal @ normal), ROUNDING * total * spread
        return Measurement(g, float(w @ w), square, of_scores, (2.0 * square**0.5 + of_normal) * of_normal, True)
    both = np.column_stack([w, beta])
    found = problem.kernel.expansion(problem.support_rows(support), both, problem.X)
    largest = float(np.sqrt(problem.kernel.diagonal(problem.X).max(initial=0.0)))
    square, dual_square = (max(float(both[:, k] @ found[support, k]), 0.0) for k in range(2))
    of_scores = ROUNDING * (abs(b) + largest**2 * float(np.abs(w).sum()))
    of_square = ROUNDING * (total * largest) ** 2
    return Measurement(found[:, 0] + b, square, dual_square, of_scores, of_square, satisfies_mercer(problem))


def balanced(beta: Vector) -> Vector:
    """Beta with a sum of 0: those of the sign that weighs more are scaled down."""
    sides = np.array([float(-beta[beta < 0.0].sum()), float(beta[beta > 0.0].sum())])
    factors = sides.min() / np.where(sides > 0.0, sides, 1.0)
    return beta * factors[(beta > 0.0).view(np.int8)]


def best_multiple(linear: float, quadratic: float) -> float:
    """The largest t linear - t^2 quadratic / 2 for t from 0 to 1: of all multiples of a feasible point, the best."""
    if not linear > 0.0:
        return 0.0
    t = min(1.0, linear / quadratic) if quadratic > 0.0 else 1.0
    return t * linear - 0.5 * t * t * quadratic
