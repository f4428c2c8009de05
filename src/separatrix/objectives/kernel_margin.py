"""The primal and the dual value of a soft or hard margin in the space of a kernel.

    f_i = sum_j c_j K(x_i, x_j),     ||w||^2 = sum_i c_i f_i          c: the coefficients of the support rows
    dual   sum_i alpha_i - sum_i ridge_i alpha_i^2 / 2 - 1/2 sum_ij alpha_i alpha_j y_i y_j K(x_i, x_j)

alpha is that of the dual point, repaired to be feasible and scaled down where that raises the value. Both sums over all
rows come from one set of kernel values.
"""

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from separatrix.objectives.soft_margin_sums import bounded
from separatrix.objectives.values import ROUNDING, DualPoint, Values
from separatrix.problem import Problem
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector

if TYPE_CHECKING:
    from separatrix.objectives.soft_margin import SoftMargin


MAX_ROWS_FOR_MERCER = 5000  # whose matrix is factored to see whether it is positive semidefinite


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def kernel_margin_values(
    objective: "SoftMargin", problem: Problem, coefficients: Vector, b: float, dual: DualPoint
) -> Values:
    """Values of the expansion over the support rows of the dual point, and of that point.

    Without Mercer's condition the dual bounds nothing.
    """
    if not satisfies_mercer(problem):
        return Values(np.inf, -np.inf, 0.0)
    support, signs, cost = dual.support, problem.signs[dual.support], problem.cost[dual.support]
    alpha = bounded(dual.alpha, objective.upper(cost))
    if problem.fit_intercept:  # the heavier class is scaled down
        sides = np.array([float(alpha @ (signs < 0)), float(alpha @ (signs > 0))])
        alpha = alpha * (sides.min() / np.maximum(sides, TINY))[(signs > 0).view(np.int8)]
    both = np.column_stack([coefficients, alpha * signs])
    scores = problem.kernel.expansion(problem.support_rows(support), both, problem.X)
    f, square = scores[:, 0], max(float(coefficients @ scores[support, 0]), 0.0)
    dual_square = max(float(both[:, 1] @ scores[support, 1]), 0.0)
    margins, total = problem.signs * (f + b), float(alpha.sum())
    largest = float(np.sqrt(problem.kernel.diagonal(problem.X).max(initial=0.0)))
    of_scores = ROUNDING * (1.0 + abs(b) + largest**2 * float(np.abs(coefficients).sum()))
    if objective.hard:
        least = float(margins.min()) - of_scores
        primal = 0.5 * square / least**2 if least > 0.0 else np.inf
        bound = 0.5 * total**2 / dual_square if dual_square > 0.0 else np.inf if total > 0.0 else 0.0
        return Values(primal, bound, ROUNDING * primal)
    losses = float(objective.losses(margins, problem.cost).sum())
    given = float(np.sum(objective.dual_ridge(cost) * alpha * alpha)) if objective.squared else 0.0
    price = objective.losses(np.zeros(problem.n_rows), problem.cost)[margins < 1.0 + of_scores].sum()
    rounding = ROUNDING * (square + losses + dual_square) + (1.0 + objective.squared) * float(price) * of_scores
    shrunk = min(1.0, total / max(given + dual_square, TINY))  # of all that are as feasible, the best multiple of alpha
    return Values(0.5 * square + losses, shrunk * total - 0.5 * shrunk**2 * (given + dual_square), rounding)


def satisfies_mercer(problem: Problem) -> bool:
    """Whether the kernel is positive semidefinite on these rows: by theory, or by a factor of its matrix.

    Rounding is added to the diagonal first. Where neither tells, as for many rows, the answer is no.
    """
    if problem.kernel.positive_definite:
        return True
    known = problem.__dict__
    if "_mercer" not in known:
        known["_mercer"] = problem.n_rows <= MAX_ROWS_FOR_MERCER and has_factor(problem)
    return known["_mercer"]


def has_factor(problem: Problem) -> bool:
    """Whether the kernel matrix has a Cholesky factor, but for rounding."""
    values = problem.X if problem.kernel.rows_are_values else problem.kernel.matrix(problem.X)
    K: Vector = np.array(values, dtype=np.float64)
    size = 8.0 * len(K) * UNIT_ROUNDOFF * max(float(np.abs(K).max()), TINY)
    if np.abs(K - K.T).max() > size:
        return False
    K[np.diag_indices(len(K))] += size
    try:
        cholesky(K, lower=True, check_finite=False)
    except LinAlgError:
        return False
    return True
