"""Gilbert's algorithm (1966) for the nearest points of two convex hulls.

    minimise ||d||   over   d = p - q,    p and q in the convex hulls of class 1 and class 0

    z = x_i - x_j  of the rows i and j that are lowest along d,      d <- the point of [d, z] nearest to the origin

The differences between rows of the two classes have a hull of their own, and z is its corner furthest against d. Both
points move at once, each by the same fraction of its way. Where the nearest point lies inside of a face, rows that are
not of that face lose their weight by dilution only, and the error may fall as slowly as 1/t (Canon and Cullum, 1968).

Of reduced hulls z is the difference of their extreme points, mixtures of rows (Mavroforakis and Theodoridis, 2006).
"""

from typing import Any

import numpy as np

from separatrix.compiling import compiled
from separatrix.problem import Problem, Solution
from separatrix.rows import Rows, Vector, row_axpy
from separatrix.solvers.hulls.nearest_points import Iterate, dot, extreme_rows, move_towards, nearest_points
from separatrix.solvers.hulls.reduced_steps import extreme_points


@compiled
def advance(X, y, state, tol, log):
    """Gilbert's steps, in place; returns the number of steps logged, and whether they ended early.

    p += t (x_i - p),   q += t (x_j - q),      t = min(1, <d, d - z> / ||d - z||^2)
    """
    for k in range(log.shape[0]):
        square, error = extreme_rows(X, y, state, log, k)
        for j in range(state.d.size):
            state.e[j] = -state.d[j]
        row_axpy(1.0, X, state.low[1], state.e)
        row_axpy(-1.0, X, state.low[0], state.e)  # e = z - d
        length2 = dot(state.e, state.e)
        if error <= tol or length2 == 0.0:
            return k + 1, True
        t = min(1.0, error * square / length2)
        for i in range(y.size):
            state.a[i] *= 1.0 - t
        for side in range(2):
            state.a[state.low[side]] += t
            move_towards(X, state.low[side], t, state.P[side])
    return log.shape[0], False


def advance_reduced(X: Rows, y: np.ndarray, state: Iterate, tol: float, log: Vector) -> tuple[int, bool]:
    """Gilbert's steps for reduced hulls, in place; returns the number of steps logged, and whether they ended early.

    P += t (Z - P),   a += t (z - a),      t = min(1, <d, d - z> / ||d - z||^2)
    """
    for k in range(log.shape[0]):
        extreme = extreme_points(X, y, state, log, k)
        np.subtract(extreme.Z[1] - extreme.Z[0], state.d, out=state.e)
        length2 = float(state.e @ state.e)
        if extreme.error <= tol or length2 == 0.0:
            return k + 1, True
        t = min(1.0, float(extreme.below.sum()) / length2)
        state.a[:] += t * (extreme.weights - state.a)
        state.P[:] += t * (extreme.Z - state.P)
    return log.shape[0], False


def gilbert(problem: Problem, mu: float | None = None, **how: Any) -> Solution:
    """Find the nearest points of the hulls of two classes by Gilbert's steps; with `mu`, of reduced hulls.

    Options are those of `nearest_points`.

    >>> import numpy as np
    >>> triangle = [[2.0, 1.0, 2.0], [2.0, -2.0, 0.5], [2.0, 1.5, -3.0]]  # its point nearest to the origin is (2, 0, 0)
    >>> problem = Problem(np.array([[0.0, 0.0, 0.0], [3.0, 1.0, 0.0], *triangle]), np.array([0, 1, 1, 1, 1]))
    >>> round(gilbert(problem).certificate.distance, 12)
    2.0
    >>> gilbert(problem, polish=False, max_iter=100).certificate.stated > 1e-4  # the row (3, 1, 0) still has weight
    True
    """
    return nearest_points(problem, advance if mu is None else advance_reduced, mu=mu, **how)
