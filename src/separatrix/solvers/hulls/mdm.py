"""The algorithm of Mitchell, Dem'yanov and Malozemov (1974) for the nearest points of two convex hulls.

    minimise ||d||   over   d = p - q,    p and q in the convex hulls of class 1 and class 0

    weight goes from the row with weight that is highest along d to the row that is lowest, as much as makes d shortest

in the class where these two are furthest apart, and no more than the highest row has. A row that should have no
weight can lose it in one step; Gilbert's algorithm can only dilute it. For hard margins the steps are those of
sequential minimal optimisation (Platt, 1999; Lopez, Barbero and Dorronsoro, 2008).

Of reduced hulls no row is given more weight than it may have, and one that has as much is not the lowest of those that
take some (Lopez, Barbero and Dorronsoro, 2011).
"""

from typing import Any

from separatrix.compiling import compiled
from separatrix.problem import Problem, Solution
from separatrix.rows import row_axpy
from separatrix.solvers.hulls.nearest_points import dot, extreme_rows, movable_rows, nearest_points


@compiled
def advance(X, y, state, tol, log):
    """MDM's steps, in place; returns the number of steps logged, and whether they ended early.

        p += t (x_l - x_h),   a_l += t,   a_h -= t,      t = min(a_h, <d, x_h - x_l> / ||x_h - x_l||^2)

    with l the lowest and h the highest row of class 1 along d, and for class 0 along -d.
    """
    for k in range(log.shape[0]):
        _, error = extreme_rows(X, y, state, log, k)
        side = 1 if state.s_high[1] - state.s_low[1] > state.s_high[0] - state.s_low[0] else 0
        l, h = state.low[side], state.high[side]  # noqa: E741
        for j in range(state.e.size):
            state.e[j] = 0.0
        row_axpy(1.0, X, l, state.e)
        row_axpy(-1.0, X, h, state.e)
        length2 = dot(state.e, state.e)
        if error <= tol or length2 == 0.0:
            return k + 1, True
        t = min(state.a[h], (state.s_high[side] - state.s_low[side]) / length2)
        state.a[l] += t
        state.a[h] -= t
        for j in range(state.e.size):
            state.P[side, j] += t * state.e[j]
    return log.shape[0], False


@compiled
def advance_reduced(X, y, state, tol, log):
    """MDM's steps for reduced hulls, in place; returns the number of steps logged, and whether they ended early.

        p += t (x_l - x_h),   a_l += t,   a_h -= t,      t = min(a_h, u_l - a_l, <d, x_h - x_l> / ||x_h - x_l||^2)

    with l the lowest row of class 1 along d that is below its bound, and h the highest with weight.
    """
    for k in range(log.shape[0]):
        error = movable_rows(X, y, state, log, k)
        side = 1 if state.s_high[1] - state.s_low[1] > state.s_high[0] - state.s_low[0] else 0
        if error <= tol or not state.s_high[side] > state.s_low[side]:
            return k + 1, True
        l, h = state.low[side], state.high[side]  # noqa: E741
        for j in range(state.e.size):
            state.e[j] = 0.0
        row_axpy(1.0, X, l, state.e)
        row_axpy(-1.0, X, h, state.e)
        room = min(state.a[h], state.u[l] - state.a[l])
        length2 = dot(state.e, state.e)
        t = min(room, (state.s_high[side] - state.s_low[side]) / length2) if length2 > 0.0 else room
        full = t >= state.u[l] - state.a[l]
        state.a[h] = 0.0 if t >= state.a[h] else state.a[h] - t
        state.a[l] = state.u[l] if full else state.a[l] + t
        for j in range(state.e.size):
            state.P[side, j] += t * state.e[j]
    return log.shape[0], False


def mdm(problem: Problem, mu: float | None = None, **how: Any) -> Solution:
    """Find the nearest points of the hulls of two classes by the steps of MDM; with `mu`, of reduced hulls.

    Options are those of `nearest_points`.

    >>> import numpy as np
    >>> problem = Problem(np.array([[0.0, 0.0], [2.0, 1.0], [2.0, -1.0]]), np.array([0, 1, 1]))
    >>> solution = mdm(problem, polish=False)
    >>> solution.certificate.distance, solution.certificate.weights.tolist(), solution.history.iterations
    (2.0, [1.0, 0.5, 0.5], 2)
    """
    return nearest_points(problem, advance if mu is None else advance_reduced, mu=mu, **how)
