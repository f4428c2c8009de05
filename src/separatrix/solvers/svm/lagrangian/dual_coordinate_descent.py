"""Coordinate descent on the dual of a support vector machine with an unpenalised bias (Hsieh et al., 2008).

    min 1/2 ||sum_i y_i alpha_i x_i||^2 - sum_i alpha_i [+ sum_i alpha_i^2 / (4 c_i) for the squared hinge],
    0 <= alpha_i [<= c_i for the hinge],   sum_i y_i alpha_i = 0

Rows are taken in random order; each alpha_i in turn is made best, and w = sum_i y_i alpha_i x_i is kept up to date.
One alpha alone cannot move on the plane sum_i y_i alpha_i = 0. So the plane is a multiplier's business: within a pass
the bias is b + tau sum_i y_i alpha_i, the gradient of an augmented Lagrangian, and after it that becomes b (Hestenes,
1969; Powell, 1969). Rows that are held at a bound more firmly than any row of the pass before is moved are left out
for a while.
"""

from time import perf_counter
from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.compiling import compiled
from separatrix.objectives import SoftMargin
from separatrix.rows import (
    ENTRIES_A_CALL,
    TINY,
    Rows,
    Vector,
    n_columns,
    n_entries,
    n_rows,
    row_axpy,
    row_dot,
    row_prefetch,
)
from separatrix.solvers.svm.best_offset import best_offset
from separatrix.solvers.svm.lagrangian.row_products import add_up, row_scores

B, TAU, EXCESS = 0, 1, 2  # places of the bias, its penalty and sum_i y_i alpha_i
LOWEST, HIGHEST, LOWER, UPPER = 0, 1, 2, 3  # slopes seen in a pass, and those beyond which a row at a bound is left out
PREFETCH_DISTANCE = 4  # how many places early a row is asked for
BIAS_CURVATURE = 0.03  # of the augmented Lagrangian by the bias, as part of the mean square of the rows
PASSES_PER_GAP = 10  # the duality gap costs a pass


class Dual(NamedTuple):
    """What does not change: bounds of alpha, ridge_i alpha_i^2 / 2, and the curvature along each alpha."""

    top: Vector
    ridge: Vector
    curvature: Vector


class State(NamedTuple):
    """What each step changes: w = sum_i y_i alpha_i x_i, alpha, the bias and the slopes seen."""

    w: Vector
    alpha: Vector
    bias: Vector
    slopes: Vector


@compiled
def descend(X, y, rows, dual, state):
    """One pass over some rows, in place; returns how many stay in play, which are then the first of the rows."""
    w, alpha, bias, slopes = state.w, state.alpha, state.bias, state.slopes
    kept = 0
    for p in range(rows.size):
        i = rows[p]
        row_prefetch(X, rows[min(p + PREFETCH_DISTANCE, rows.size - 1)])
        b = bias[B] + bias[TAU] * bias[EXCESS]
        slope = y[i] * (row_dot(X, i, w) + b) - 1.0 + dual.ridge[i] * alpha[i]
        at_zero, at_top = alpha[i] <= 0.0, alpha[i] >= dual.top[i]
        if (at_zero and slope > slopes[UPPER]) or (at_top and slope < slopes[LOWER]):
            continue
        rows[kept] = i
        kept += 1
        if (at_zero and slope >= 0.0) or (at_top and slope <= 0.0) or slope == 0.0:
            continue
        slopes[LOWEST] = min(slopes[LOWEST], slope)
        slopes[HIGHEST] = max(slopes[HIGHEST], slope)
        new = min(max(alpha[i] - slope / dual.curvature[i], 0.0), dual.top[i])
        step = y[i] * (new - alpha[i])
        alpha[i] = new
        bias[EXCESS] += step
        row_axpy(step, X, i, w)
    return kept


def dual_of(squares: Vector, cost: Vector, squared: bool, tau: float) -> Dual:
    """The bounds and curvatures of the dual, for either loss."""
    top = np.full(cost.size, np.inf) if squared else cost
    ridge = 0.5 / cost if squared else np.zeros(cost.size)
    curvature = squares + tau + ridge
    return Dual(top, ridge, np.where(curvature > 0.0, curvature, 1.0))


def dual_coordinate_descent(
    X: Rows,
    y: Vector,
    cost: Vector,
    *,
    squared: bool = False,
    fit_intercept: bool = True,
    start: tuple[Vector, float, Vector | None] | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
    max_ratio: float = np.inf,
    deadline: float | None = None,
    squares: Vector | None = None,
    random_state: int = 0,
) -> tuple[Vector, float, Vector, int]:
    """Plane, bias, dual variables in balance and number of passes, once the relative duality gap is within `tol`.

    It also ends where ten passes leave more than a part `max_ratio` of the gap. `deadline` is a time of `perf_counter`
    at which to stop. `squares` are ||x||^2 of the rows, where they are known. Rows of length zero are fine, infinite
    costs are not limits to anything.
    """
    rng = np.random.default_rng(random_state)
    squares = rows.squares(X) if squares is None else squares
    tau = BIAS_CURVATURE * float(squares.mean()) if fit_intercept else 0.0
    dual = dual_of(squares, cost, squared, tau or float(fit_intercept))
    alpha, w = np.zeros(y.size), np.zeros(n_columns(X))
    if start is not None and start[2] is not None:
        alpha = np.clip(start[2], 0.0, dual.top)
    add_up(X, np.flatnonzero(alpha), (y * alpha)[alpha > 0.0], w)
    bias = np.array([start[1] if start and fit_intercept else 0.0, tau or float(fit_intercept), float(y @ alpha)])
    slopes = np.array([0.0, 0.0, -np.inf, np.inf])
    state, active = State(w, alpha, bias, slopes), np.arange(y.size)
    done, result, gap = 0, (w, 0.0, alpha), 1.0  # the relative gap of w = 0
    while done < max_iter:
        done += 1
        slopes[: HIGHEST + 1] = 0.0
        active = one_pass(X, y, rng.permutation(active), dual, state)
        if not fit_intercept:
            bias[EXCESS] = 0.0
        bias[B] += bias[TAU] * bias[EXCESS]
        late = deadline is not None and perf_counter() >= deadline
        if done % PASSES_PER_GAP == 0 or done == max_iter or late or active.size == 0:
            objective = SoftMargin(1.0, squared)
            result = with_best_bias(X, y, cost, objective, state) if fit_intercept else (w, 0.0, alpha)
            before, gap = gap, relative_gap(X, y, cost, objective, result)
            if gap <= tol or gap > max_ratio * before or late:
                break
            active, slopes[LOWER], slopes[UPPER] = np.arange(y.size), -np.inf, np.inf  # everybody back into play
        else:
            slopes[LOWER], slopes[UPPER] = slopes[LOWEST] or -np.inf, slopes[HIGHEST] or np.inf
    return *result, done


def one_pass(X: Rows, y: Vector, order: np.ndarray, dual: Dual, state: State) -> np.ndarray:
    """A pass in calls that are short enough for Ctrl-C; returns the rows that stay in play."""
    size = max(1, n_rows(X) * ENTRIES_A_CALL // max(n_rows(X), n_entries(X)) // 4)
    parts = [order[first : first + size] for first in range(0, order.size, size)]
    return np.concatenate([part[: descend(X, y, part, dual, state)] for part in parts])


def with_best_bias(
    X: Rows, y: Vector, cost: Vector, objective: SoftMargin, state: State
) -> tuple[Vector, float, Vector]:
    """w, the best bias for it, and alpha in balance."""
    alpha, top = state.alpha, objective.upper(cost)
    b = best_offset(row_scores(X, state.w), y, cost, objective.squared)
    return state.w, b, balanced(alpha, y, top, (alpha > 0.0) & (alpha < top))


def relative_gap(X: Rows, y: Vector, cost: Vector, objective: SoftMargin, point: tuple[Vector, float, Vector]) -> float:
    """The relative duality gap of a plane and an alpha in balance."""
    w, b, alpha = point
    value = objective.primal(w, y * (row_scores(X, w) + b), cost)
    normal, support = np.zeros(w.size), np.flatnonzero(alpha)
    add_up(X, support, (y * alpha)[support], normal)
    return (value - objective.dual(normal, alpha, cost)) / max(value, TINY)


def balanced(alpha: Vector, y: Vector, top: Vector, free: np.ndarray) -> Vector:
    """The alpha with sum_i y_i alpha_i = 0 next to the given one, by moving the free rows if they have the room."""
    excess = float(y @ alpha)
    if excess == 0.0:
        return alpha
    heavy = y * excess > 0.0
    room = np.where(heavy, alpha, np.where(np.isfinite(top), top - alpha, 0.0))
    moving = np.where(free, room, 0.0)
    if moving.sum() < abs(excess):
        moving = np.where(heavy, alpha, 0.0)  # always enough: the excess is part of it
    share = min(1.0, abs(excess) / moving.sum())
    return np.clip(alpha - np.where(heavy, share, -share) * moving, 0.0, top)
