"""Kozinec's algorithm (1964) in Schlesinger's form (Schlesinger and Hlavac, 2002; Franc and Hlavac, 2003).

    minimise ||d||   over   d = p - q,    p and q in the convex hulls of class 1 and class 0

    p <- the point of [p, x_i] nearest to q,     or    q <- the point of [q, x_j] nearest to p

with the row i or j that is lowest along d relative to the point of its own class: of the two, the lower one. One point
moves at a time, where Gilbert's algorithm moves both by the same fraction of their way.

Of reduced hulls the extreme point of one takes the place of the row (Mavroforakis and Theodoridis, 2006).
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
    """The steps of Schlesinger and Kozinec, in place; returns the number of steps logged, and whether they ended early.

        p += t (x_i - p),      t = min(1, <d, p - x_i> / ||p - x_i||^2)

    and for q with -d in place of d.
    """
    for k in range(log.shape[0]):
        _, error = extreme_rows(X, y, state, log, k)
        below_q, below_p = -dot(state.d, state.P[0]) - state.s_low[0], dot(state.d, state.P[1]) - state.s_low[1]
        side = 1 if below_p > below_q else 0
        i = state.low[side]
        for j in range(state.e.size):
            state.e[j] = -state.P[side, j]
        row_axpy(1.0, X, i, state.e)  # e = x_i - p
        length2 = dot(state.e, state.e)
        if error <= tol or length2 == 0.0:
            return k + 1, True
        t = min(1.0, max(below_p, below_q) / length2)
        for r in range(y.size):
            if (y[r] > 0) == (side == 1):
                state.a[r] *= 1.0 - t
        state.a[i] += t
        move_towards(X, i, t, state.P[side])
    return log.shape[0], False


def advance_reduced(X: Rows, y: np.ndarray, state: Iterate, tol: float, log: Vector) -> tuple[int, bool]:
    """The steps for reduced hulls, in place; returns the number of steps logged, and whether they ended early.

        p += t (z - p),      t = min(1, <d, p - z> / ||p - z||^2)

    with the extreme point z of the hull of p, and for q with -d in place of d.
    """
    for k in range(log.shape[0]):
        extreme = extreme_points(X, y, state, log, k)
        side = 1 if extreme.below[1] > extreme.below[0] else 0
        np.subtract(extreme.Z[side], state.P[side], out=state.e)
        length2 = float(state.e @ state.e)
        if extreme.error <= tol or length2 == 0.0:
            return k + 1, True
        t = min(1.0, float(extreme.below[side]) / length2)
        own = (y > 0) == (side == 1)
        state.a[own] += t * (extreme.weights[own] - state.a[own])
        state.P[side] += t * state.e
    return log.shape[0], False


def schlesinger_kozinec(problem: Problem, mu: float | None = None, **how: Any) -> Solution:
    """Find the nearest points of the hulls of two classes by the steps of Schlesinger and Kozinec; with `mu`, reduced.

    Options are those of `nearest_points`.

    >>> import numpy as np
    >>> problem = Problem(np.array([[0.0, 0.0], [2.0, 1.0], [2.0, -1.0]]), np.array([0, 1, 1]))
    >>> schlesinger_kozinec(problem).certificate.distance
    2.0
    """
    return nearest_points(problem, advance if mu is None else advance_reduced, mu=mu, **how)
