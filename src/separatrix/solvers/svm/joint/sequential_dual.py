"""The sequential dual method for the joint machine (Keerthi, Sundararajan, Chang, Hsieh and Lin, 2008).

    max  sum_i sum of c_i p_ik over rivals k - 1/2 ||W||^2,     W = sum_i c_i x_i (e_y - p_i)',     p_i in the simplex

Rows are taken in random order. With all others held, the best p_i is the projection of p_i + t_i / (c_i ||x_i||^2)
onto the simplex (`simplex_projection`), and W is kept up to date. Rows with one active class which leads by more than
any row of the pass before violated its conditions are left out for a while. Offsets demand that the sums of
c_i (e_y - p_i) are zero. Within a pass the offsets are b + tau times these sums, the gradient of an augmented
Lagrangian, and after it that becomes b (Hestenes, 1969; Powell, 1969).
"""

from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled
from separatrix.rows import (
    ENTRIES_A_CALL,
    TINY,
    Rows,
    Vector,
    n_columns,
    n_entries,
    n_rows,
    row_column,
    row_span,
    row_value,
)
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.joint.simplex_projection import threshold

OFFSET_CURVATURE = 0.03  # tau, as part of the mean square of the rows
MIN_SQUARE = 1e-6  # of a row, as part of the mean square: a shorter row moves as if it were so long
PASSES_PER_LOOK = 5  # at least one pass in so many is over all rows; whether the gap falls is looked at as often
MIN_PASSES = 40  # before which a gap that does not fall says nothing: where costs are large, it grows first
LARGEST, LOSSES, LEFT = 0, 1, 2  # places of the largest violation that a pass saw, and of its sums


class Fixed(NamedTuple):
    """What does not change: classes, costs, c_i (||x_i||^2 + tau), and tau."""

    y: np.ndarray
    cost: Vector
    widths: Vector
    tau: float


class State(NamedTuple):
    """What each step changes: W with a row for each feature, p, offsets, sums of c_i (e_y - p_i), and what was seen."""

    W: Vector
    prob: Vector
    b: Vector
    sums: Vector
    seen: Vector


@compiled
def ascend(X, order, fixed, state, limit, targets, scores):
    """One pass over some rows, in place; returns how many stay in play, which are then the first of the order.

    A row whose one active class leads by more than `limit` is left out. The last two are room for a number a class.
    """
    W, sums, seen = state.W, state.sums, state.seen
    kept = 0
    for place in range(order.size):
        i = order[place]
        own, cost, width, p = fixed.y[i], fixed.cost[i], fixed.widths[i], state.prob[i]
        for k in range(targets.size):
            scores[k] = state.b[k] + fixed.tau * sums[k] + (0.0 if k == own else 1.0)
        first, last = row_span(X, i)
        for j in range(first, last):
            value, w = row_value(X, i, j), W[row_column(X, j)]
            for k in range(targets.size):
                scores[k] += value * w[k]
        largest, second, least, reached = -np.inf, -np.inf, np.inf, 0.0
        for k in range(targets.size):
            t = scores[k]
            if t > largest:
                largest, second = t, largest
            elif t > second:
                second = t
            if p[k] > 0.0:
                least = min(least, t)
                reached += p[k] * t
            targets[k] = p[k] + t / width
        seen[LOSSES] += cost * (largest - scores[own])
        seen[LEFT] += cost * (largest - reached)
        violation = largest - least
        if violation <= 0.0 and largest - second > limit:
            continue
        order[kept] = i
        kept += 1
        seen[LARGEST] = max(seen[LARGEST], violation)
        if violation <= 0.0:
            continue
        level = threshold(targets)
        for k in range(targets.size):
            new = max(targets[k] - level, 0.0)
            targets[k] = cost * (p[k] - new)
            p[k] = new
            sums[k] += targets[k]
        for j in range(first, last):
            value, w = row_value(X, i, j), W[row_column(X, j)]
            for k in range(targets.size):
                w[k] += value * targets[k]
    return kept


def sequential_dual(
    X: Rows,
    fixed: Fixed,
    *,
    n_classes: int,
    fit_intercept: bool,
    tol: float,
    max_ratio: float,
    budget: Budget,
) -> tuple[Vector, Vector, Vector, float]:
    """W with a row for each feature, b, p, and the relative gap, once that is about tol; from planes of zeros.

    After some passes it also ends where those between two looks leave more than a part `max_ratio` of the gap, which is
    that of each row when its turn comes.
    """
    rng, n, d = np.random.default_rng(0), n_rows(X), n_columns(X)
    b, sums = np.zeros((2, n_classes))
    state = State(np.zeros((d, n_classes)), np.zeros((n, n_classes)), b, sums, np.zeros(3))
    state.prob[np.arange(n), fixed.y] = 1.0
    active, limit, gap, done, full = np.arange(n), np.inf, 1.0, 0, True
    primal, looked = 1.0, 1.0  # the objective at the last pass over all rows, and the gap some passes ago
    while not budget.spent():
        state.seen[:] = 0.0
        active = one_pass(X, rng.permutation(n if full else active), fixed, state, limit)
        if fit_intercept:
            state.b[:] += fixed.tau * state.sums
        else:
            state.sums[:] = 0.0
        limit, done = float(state.seen[LARGEST]), done + 1
        if full:
            primal = 0.5 * float(np.sum(state.W * state.W)) + float(state.seen[LOSSES])
        imbalance = float(np.abs(state.sums).sum()) * float(np.abs(state.b).max())
        gap = (float(state.seen[LEFT]) + imbalance) / max(primal, TINY)  # rows that are left out leave nothing
        if full and done > 1 and gap <= tol:
            break
        if done % PASSES_PER_LOOK == 0:
            if done >= MIN_PASSES and gap > max_ratio * looked:
                break
            looked = gap
        full = gap <= tol or done % PASSES_PER_LOOK == 0 or not active.size
    return state.W, state.b, state.prob, gap


def one_pass(X: Rows, order: np.ndarray, fixed: Fixed, state: State, limit: float) -> np.ndarray:
    """A pass in calls that are short enough for Ctrl-C; returns the rows that stay in play."""
    targets, scores = np.empty((2, state.W.shape[1]))
    size = max(1, n_rows(X) * ENTRIES_A_CALL // max(1, n_rows(X), n_entries(X)) // (4 * targets.size))
    parts = [order[first : first + size] for first in range(0, order.size, size)]
    return np.concatenate([part[: ascend(X, part, fixed, state, limit, targets, scores)] for part in parts])


def fixed_of(y: np.ndarray, cost: Vector, squares: Vector, fit_intercept: bool) -> Fixed:
    """What the method needs of rows whose ||x||^2 are given."""
    mean = float(squares.mean())
    tau = (OFFSET_CURVATURE * mean or 1.0) if fit_intercept else 0.0
    return Fixed(y, cost, np.maximum(cost * np.maximum(squares + tau, MIN_SQUARE * mean), TINY), tau)
