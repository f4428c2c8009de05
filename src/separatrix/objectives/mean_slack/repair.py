"""An alpha of the robust linear program next to another, whose sums vanish but for rounding, in floating point.

    0 <= alpha_i <= c_i,     sum_i alpha_i y_i [x_i, 1] = 0

It is corrected on the rows whose alpha is inside of its bounds, in coordinates where columns are centred and of unit
size. What it is worth is said by `mean_slack_dual`.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr

from separatrix import rows
from separatrix.problem import Problem
from separatrix.problem.scaling import Scaling
from separatrix.products import as_matrix, combination, dense_rows, parts
from separatrix.rows import CSR, UNIT_ROUNDOFF, Vector

ROUNDED_SUM = 16.0 * UNIT_ROUNDOFF  # part of the sizes of what is summed that rounding may leave of a sum of 0
MAX_DENSE_ENTRIES = 2**24  # of a dense matrix for the correction


def shares(problem: Problem) -> Vector:
    """c_i: what slack of each row costs, as its part of what its class costs."""
    cost = problem.cost / problem.cost.max()
    return cost / np.bincount(problem.y, cost, minlength=2)[problem.y]


def balanced(problem: Problem, alpha: Vector) -> Vector:
    """The alpha next to this one that is within bounds and whose sums vanish but for rounding; else 0."""
    upper, signs = shares(problem), problem.signs
    scaling = Scaling.of(problem.X, upper, problem.fit_intercept)
    alpha = np.clip(np.nan_to_num(alpha, nan=0.0), 0.0, upper)
    for _ in range(3):
        residual, sizes = sums(problem, scaling, alpha)
        if (np.abs(residual) <= 0.25 * ROUNDED_SUM * sizes).all():
            return alpha
        inside = np.flatnonzero((alpha > 0.0) & (alpha < upper))
        if not inside.size:
            break
        step = correction(problem, scaling, inside, residual) * signs[inside]
        alpha[inside] = np.clip(alpha[inside] - step, 0.0, upper[inside])
    residual, sizes = sums(problem, scaling, alpha)
    return alpha if (np.abs(residual) <= ROUNDED_SUM * sizes).all() else np.zeros(alpha.size)


def sums(problem: Problem, scaling: Scaling, alpha: Vector) -> tuple[Vector, Vector]:
    """sum_i alpha_i y_i [z_i, 1] for the scaled and centred rows z, and the size that rounding is a part of."""
    signed, far = alpha * problem.signs, np.abs(scaling.centre / scaling.unit)
    total = float(signed.sum()) * problem.fit_intercept
    if isinstance(problem.X, CSR):
        residual = (combination(problem.X, signed) - total * scaling.centre) / scaling.unit
        sizes = alpha.sum() * (2.0 + far)
    else:  # centred row by row, so that nothing cancels where rows are far from the origin
        spread = ((matrix - scaling.centre).T @ signed[part] for part, matrix in parts(problem.X))
        residual, sizes = sum(spread) / scaling.unit, np.full(far.shape, 2.0 * alpha.sum())
    return np.append(residual, total), np.append(sizes, alpha.sum())


def correction(problem: Problem, scaling: Scaling, inside: np.ndarray, residual: Vector) -> Vector:
    """The shortest change of y alpha, on some rows, that makes up for the sums."""
    offset = np.full((inside.size, 1), float(problem.fit_intercept))
    taken = scaling.scaled(rows.take(problem.X, inside))
    if isinstance(taken, CSR) and inside.size * problem.n_features > MAX_DENSE_ENTRIES:
        Z = sparse.hstack([as_matrix(taken), offset]).tocsr()
        uncentred = np.append(residual[:-1] + residual[-1] * scaling.centre / scaling.unit, residual[-1])
        return lsqr(Z.T, uncentred, atol=1e-15, btol=1e-15)[0]
    Z = (dense_rows(problem.X, inside) - scaling.centre) / scaling.unit
    return np.linalg.lstsq(np.column_stack([Z, offset]).T, residual, rcond=None)[0]
