"""The smallest nu for which two reduced hulls do not meet (Crisp and Burges, 1999).

    nu_min W = max sum_i alpha_i    over  0 <= alpha_i <= c_i,  sum_i alpha_i y_i x_i = 0,  sum_i alpha_i y_i = 0
             = min over w, b of  sum_i c_i max(0, 1 - y_i (w.x_i + b))

It is 0 for classes that a plane separates. For nu up to nu_min the nearest points coincide and w = 0 is optimal. The
linear program is the limit of soft margins as C grows, whose dual variables, divided by C, are corrected on the free
rows until they cancel.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import lstsq

from separatrix.objectives.soft_margin_sums import normal_of
from separatrix.problem import Problem
from separatrix.problem.coordinates import spread_out
from separatrix.problem.scaled_rows import column_coordinates
from separatrix.problem.scaling import Scaling
from separatrix.products import combination, dense_rows
from separatrix.rows import TINY, Rows, Vector
from separatrix.solvers.svm.linear_svm import linear_svm

LARGE_C = 1e9  # in units of the inverse mean square of the rows
FREE_RTOL = 1e-7  # distance of alpha from its bounds, relative to them, from which on it may be corrected
NEGLIGIBLE_NU = 1e-10  # below it slack is rounding, or the penalty of w: a plane separates
MAX_SCALE_RATIO = 4.0  # of the spreads of columns, up to which they stay as they are
LP_TOL = 1e-9  # of the soft margin
MAX_CORRECTIONS = 4
CANCELLED_RTOL = 1e-6  # part of the squares that is left of them, below which the mean of distances is computed anew
SPREAD_ROWS = 2000  # from some rows
ROUNDED_RTOL = 1e-28  # of the squares, below which distances are rounding


class SmallestNu(NamedTuple):
    """nu_min, and alpha of every row that proves it: a mixture of each class, and both are the same point."""

    nu: float
    alpha: Vector


def smallest_nu(problem: Problem, time_limit: float | None = None) -> SmallestNu:
    """nu_min of two classes; of one class without offset, the part of the rows that makes the origin a mixture of them.

    >>> X = np.array([[0.0], [2.0], [1.0], [3.0]])  # with g = (2 x - 3) / 3 the rows at 1 and 2 have slacks of 4/3
    >>> round(smallest_nu(Problem(X, np.array([0, 0, 1, 1]))).nu, 9)
    0.666666667
    """
    known = problem.__dict__
    if "_smallest_nu" not in known:
        known["_smallest_nu"] = found_nu(problem, time_limit)
    return known["_smallest_nu"]


def found_nu(problem: Problem, time_limit: float | None) -> SmallestNu:
    """Compute nu_min, which the problem then keeps."""
    problem = Problem(with_even_columns(problem), problem.y, 2, problem.cost, problem.fit_intercept)
    cost, weight = problem.cost, float(problem.cost.sum())
    centre, size = spread_of(problem)
    if not size > 0.0:  # all rows are one point, or all at the origin
        sides = np.bincount(problem.y, cost, minlength=2)
        alpha = cost * (sides.min() / np.maximum(sides, TINY))[problem.y] if problem.fit_intercept else cost.copy()
        return SmallestNu(float(alpha.sum()) / weight, alpha)
    C = LARGE_C / size / float(cost.max())
    claim = linear_svm(problem, C=C, tol=LP_TOL, time_limit=time_limit).certificate
    nu = (claim.primal - 0.5 * float(claim.w @ claim.w)) / C / weight
    alpha = np.zeros(problem.n_rows)
    if nu <= NEGLIGIBLE_NU:
        return SmallestNu(0.0, alpha)
    alpha[claim.support] = np.clip(claim.alpha / C, 0.0, cost[claim.support])
    return SmallestNu(float(nu), cancelled(problem, alpha, centre))


def with_even_columns(problem: Problem) -> Rows:
    """The rows, with columns in units of their own spread where these differ: the answer does not depend on units."""
    scale = column_coordinates(problem).scale
    if float(scale.max(initial=1.0)) <= MAX_SCALE_RATIO * float(scale.min(initial=1.0)):
        return problem.X
    return Scaling(np.zeros(scale.size), scale).scaled(problem.X)


def spread_of(problem: Problem) -> tuple[Vector, float]:
    """A point that rows are measured from, 0 without an offset, and the mean square of their distances from it."""
    squares = problem.squares
    if not problem.fit_intercept:
        return np.zeros(problem.n_features), float(squares.mean())
    centre = combination(problem.X, np.full(problem.n_rows, 1.0 / problem.n_rows))
    size = float(squares.mean()) - float(centre @ centre)
    if size > CANCELLED_RTOL * float(squares.max()):
        return centre, size
    some = dense_rows(problem.X, spread_out(problem.n_rows, SPREAD_ROWS)) - centre
    size = float(np.mean(some * some)) * problem.n_features
    return centre, size if size > ROUNDED_RTOL * float(squares.max()) else 0.0


def cancelled(problem: Problem, alpha: Vector, centre: Vector) -> Vector:
    """Alpha with the least change of the free ones for which sum_i alpha_i y_i [x_i, 1] vanishes."""
    signs, upper = problem.signs, problem.cost
    free = np.flatnonzero(np.minimum(alpha, upper - alpha) > FREE_RTOL * upper)
    if not free.size:
        return alpha
    A = np.column_stack([dense_rows(problem.X, free) - centre, np.ones(free.size)]) * signs[free, None]
    A = A if problem.fit_intercept else A[:, :-1]
    size = np.abs(A).max(axis=0)
    scale = np.where(size > 0.0, size, 1.0)
    for _ in range(MAX_CORRECTIONS):
        support = np.flatnonzero(alpha)
        rest = normal_of(problem, support, (alpha * signs)[support])
        rest = np.append(rest, float((alpha * signs).sum())) if problem.fit_intercept else rest
        change = lstsq((A / scale).T, -rest / scale, check_finite=False)[0]
        alpha[free] = np.clip(alpha[free] + change, 0.0, upper[free])
    return alpha
