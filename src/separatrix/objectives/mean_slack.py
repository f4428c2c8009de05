"""The mean slack of both classes, added: the robust linear program (Bennett and Mangasarian, 1992) and its dual.

    primal    P = sum_i c_i slack_i,     slack_i = max(0, 1 - y_i (w.x_i + b)),     sum of c_i = 1 in each class
    dual      D = sum_i alpha_i  <=  min P

    0 <= alpha_i <= c_i,     sum_i alpha_i y_i x_i = 0,     sum_i alpha_i y_i = 0 where there is an offset

The sums must vanish, so alpha is corrected first, on the rows whose alpha is inside of its bounds. What rounding
leaves of the sums is priced by the plane: to second order, P changes by w.r + b r_0 (Dantzig, 1963). Where no
correction makes them vanish, alpha = 0 is used, which says that P is not below 0.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr

from separatrix import rows
from separatrix.objectives.values import ROUNDING, DualPoint, Values
from separatrix.problem import Problem
from separatrix.problem.scaling import Scaling
from separatrix.products import as_matrix, combination, dense_rows, parts, scores
from separatrix.rows import CSR, UNIT_ROUNDOFF, Vector

ROUNDED_SUM = 16.0 * UNIT_ROUNDOFF  # part of the sizes of what is summed that rounding may leave of a sum of 0
MAX_DENSE_ENTRIES = 2**24  # of a dense matrix for the correction


@dataclass(frozen=True)
class MeanSlack:
    """The objective: what the slacks of each class cost on average, added over both.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives import DualPoint, MeanSlack
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0]))
    >>> dual = DualPoint(np.arange(3), np.array([0.5, 1.0, 0.5]))
    >>> MeanSlack().values(problem, np.array([0.0]), 1.0, dual)[:2]  # class 1 is in the middle: no plane helps
    (2.0, 2.0)
    """

    @property
    def formula(self) -> str:
        """The objective as text, for people."""
        return "the mean slack of each class, added"

    @property
    def penalised(self) -> bool:
        """Whether 1/2 ||w||^2 is part of it."""
        return False

    @property
    def unproved(self) -> str:
        """What to say where nothing is proved."""
        return "Nothing is proved: the plane does not keep every row on its own side."

    def conclusion(self, most: str) -> str:
        """What a relative gap of at most so much means, for people."""
        return f"No plane has a lower value by more than {most} of it; anyone can check it again from the data."

    def separates(self, values: Values) -> bool:
        """Whether there is no slack, so that every row is on its own side, which is proved besides."""
        return values.primal == 0.0

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows."""
        alpha = np.zeros(problem.n_rows)
        alpha[dual.support] = dual.alpha
        return mean_slack_values(problem, w, float(b), balanced(problem, alpha))


def shares(problem: Problem) -> Vector:
    """c_i: what slack of each row costs, as its part of what its class costs."""
    cost = problem.cost / problem.cost.max()
    return cost / np.bincount(problem.y, cost, minlength=2)[problem.y]


@np.errstate(over="ignore", invalid="ignore")
def mean_slack_values(problem: Problem, w: Vector, b: float, alpha: Vector) -> Values:
    """Primal and dual value of a plane and of an alpha that is balanced, from the rows."""
    cost, margins = shares(problem), problem.margins(w, b)
    primal = float(cost @ np.maximum(0.0, 1.0 - margins))
    primal = primal if primal == primal else np.inf
    sizes = rows.take(problem.X, np.flatnonzero(alpha)) if alpha.any() else None
    reach = 0.0 if sizes is None else float(alpha[alpha > 0.0] @ (score_sizes(sizes, w) + abs(b) + 1.0))
    return Values(primal, float(alpha.sum()), ROUNDING * (primal + reach))


def score_sizes(X: rows.Rows, w: Vector) -> Vector:
    """sum_j |x_ij w_j| of each row, which rounding errors of its score are a part of."""
    positive = CSR(np.abs(X.data), *X[1:]) if isinstance(X, CSR) else np.abs(X)
    return scores(positive, np.abs(w))


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
