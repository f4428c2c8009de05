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

from separatrix.problem import Problem
from separatrix.problem.fold import centre_of
from separatrix.products import combination, dense_rows
from separatrix.rows import TINY, Vector
from separatrix.solvers.svm.linear_svm import linear_svm

LARGE_C = 1e9  # in units of the inverse mean square of the rows
FREE_RTOL = 1e-7  # distance of alpha from its bounds, relative to them, from which on it may be corrected
NEGLIGIBLE_NU = 1e-10  # below it slack is rounding, or the penalty of w: a plane separates
LP_TOL = 1e-9  # of the soft margin


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
    problem = Problem(problem.X, problem.y, 2, problem.cost, problem.fit_intercept)
    n = problem.n_rows
    centre = centre_of(problem.X, np.arange(n)) if problem.fit_intercept else np.zeros(problem.n_features)
    weights = problem.cost / problem.cost.sum()
    size = (
        float(weights @ problem.squares)
        - 2.0 * float(combination(problem.X, weights) @ centre)
        + float(centre @ centre)
    )
    C = (
        LARGE_C
        / max(abs(size), 1e-12 * float(problem.squares.max(initial=0.0)), TINY)
        / max(float(problem.cost.max()), TINY)
    )
    claim = linear_svm(problem, C=C, tol=LP_TOL, time_limit=time_limit).certificate
    slack = (claim.primal - 0.5 * float(claim.w @ claim.w)) / C
    nu = slack / float(problem.cost.sum())
    alpha = np.zeros(n)
    alpha[claim.support] = np.clip(claim.alpha / C, 0.0, problem.cost[claim.support])
    if nu <= NEGLIGIBLE_NU:
        return SmallestNu(0.0, np.zeros(n))
    return SmallestNu(float(nu), cancelled(problem, alpha, centre))


def cancelled(problem: Problem, alpha: Vector, centre: Vector) -> Vector:
    """Alpha with the least change of the free ones for which sum_i alpha_i y_i [x_i, 1] vanishes."""
    signs, upper = problem.signs, problem.cost
    free = np.flatnonzero(np.minimum(alpha, upper - alpha) > FREE_RTOL * upper)
    if not free.size:
        return alpha
    A = np.column_stack([dense_rows(problem.X, free) - centre, np.ones(free.size)]) * signs[free, None]
    A = A if problem.fit_intercept else A[:, :-1]
    scale = np.maximum(np.abs(A).max(axis=0), TINY)
    for _ in range(2):
        signed = alpha * signs
        rest = combination(problem.X, signed) - float(signed.sum()) * centre
        rest = np.append(rest, signed.sum()) if problem.fit_intercept else rest
        change = lstsq((A / scale).T, -rest / scale, check_finite=False)[0]
        alpha[free] = np.clip(alpha[free] + change, 0.0, upper[free])
    return alpha
