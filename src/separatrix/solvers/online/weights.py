"""The weights [w..., b] of one plane or several, the rows of W, and how a rule changes them cheaply.

w = scale W                        shrinking w changes one number; b is stored as b / scale, as it does not shrink
sum of past w = scale_sum W + u    a step along a row changes few entries of W and u (Bottou, 2012)
|w| -= l1                          a column catches up when a row has it, with all steps since it last did so
                                   (Carpenter, 2008)
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.rows import Vector, row_axpy, row_column, row_dot, row_score_twice, row_span

MIN_SCALE = 1e-3  # below, also where a factor is negative, the entries of W are multiplied out
SCALE, SCALE_SUM, L1_TOTAL = 0, 1, 2
ROWS, CORRECTIONS = 0, 1


class Lazy(NamedTuple):
    """What averages, batches and penalties need besides W; arrays that a rule does not need are empty."""

    u: np.ndarray  # with an average: the sum of past w is scale_sum W + u
    batch_sum: np.ndarray  # with batches: the sum of the corrections since the last step
    l1_applied: np.ndarray  # with l1: the part of the total penalty that each column has had
    scalars: np.ndarray  # the scale, the sum of past scales, and the total l1 penalty so far in units of the scale
    pending: np.ndarray  # rows in the sum of the batch, and corrections among them

    @classmethod
    def of(cls, W: Vector, averaged: bool, in_batches: bool, with_l1: bool) -> "Lazy":
        """Begin with weights W."""
        u, batch_sum = (np.zeros((len(W) if wanted else 0, W.shape[1])) for wanted in (averaged, in_batches))
        l1_applied = np.zeros(W.shape[1] - 1 if with_l1 else 0)
        return cls(u, batch_sum, l1_applied, np.array([1.0, 0.0, 0.0]), np.zeros(2, dtype=np.int64))


class Weights(NamedTuple):
    """The weights of a run: W, the numbers of the classes if there are more than two, and `Lazy` if it is needed.

    Compiled loops are compiled apart for None, so that a rule does not pay for what it does not use.
    """

    W: np.ndarray
    classes: Any
    lazy: Any


@inner
def plane_score(X, i, w, lazy):
    """<w, x_i> + b."""
    score = row_dot(X, i, w) + w[w.size - 1]
    return score if lazy is None else lazy.scalars[SCALE] * score


@inner
def precise_score(X, i, w, lazy):
    """<w, x_i> + b from twice the precision."""
    score = row_score_twice(X, i, w)
    return score if lazy is None else lazy.scalars[SCALE] * score


@inner
def add_row(step, X, i, w, bias_step):
    """w += step x_i,   b += step bias_step,   in place on w = [w..., b]."""
    row_axpy(step, X, i, w)
    w[w.size - 1] += step * bias_step


@inner
def move(step, X, i, W, j, bias_step, lazy):
    """w_j += step x_i,   b_j += step bias_step,   at once or into the sum of a batch."""
    into = W[j]
    if lazy is not None and lazy.batch_sum.shape[0]:
        into = lazy.batch_sum[j]
    elif lazy is not None:
        step /= lazy.scalars[SCALE]
        if lazy.u.shape[0]:
            add_row(-step * lazy.scalars[SCALE_SUM], X, i, lazy.u[j], bias_step)
    add_row(step, X, i, into, bias_step)


@inner
def change(W, j, k, difference, lazy):
    """W_jk += difference, leaving the sum of past w as it is."""
    W[j, k] += difference
    if lazy.u.shape[0]:
        lazy.u[j, k] -= lazy.scalars[SCALE_SUM] * difference


@inner
def decay_weights(W, fraction, lazy):
    """w *= 1 - fraction for every plane; a batch does so at its end."""
    if lazy is not None and fraction != 0.0 and not lazy.batch_sum.shape[0]:
        shrink(W, 1.0 - fraction, lazy)


@inner
def shrink(W, factor, lazy):
    """w *= factor for every plane; b stays."""
    scale, d = lazy.scalars[SCALE], W.shape[1] - 1
    if factor * scale > MIN_SCALE:
        lazy.scalars[SCALE] = scale * factor
        for j in range(W.shape[0]):
            change(W, j, d, W[j, d] / factor - W[j, d], lazy)
        return
    apply_l1(W, 0, lazy.l1_applied.size, lazy)
    for j in range(lazy.u.shape[0]):
        for k in range(d + 1):
            lazy.u[j, k] += lazy.scalars[SCALE_SUM] * W[j, k]
    lazy.scalars[SCALE] = 1.0
    lazy.scalars[SCALE_SUM] = 0.0
    lazy.scalars[L1_TOTAL] *= scale
    for k in range(lazy.l1_applied.size):
        lazy.l1_applied[k] *= scale
    for j in range(W.shape[0]):
        for k in range(d + 1):
            W[j, k] *= scale * factor if k < d else scale


@compiled
def apply_l1(W, first, last, lazy):
    """Move columns towards 0 by the l1 penalty since they were last moved, and not past it."""
    for k in range(first, last):
        amount = lazy.scalars[L1_TOTAL] - lazy.l1_applied[k]
        w = W[0, k]
        W[0, k] = w - amount if w > amount else w + amount if w < -amount else 0.0
        lazy.l1_applied[k] = lazy.scalars[L1_TOTAL]


@inner
def apply_l1_to_row(X, i, W, lazy):
    """Apply the l1 penalty to the columns of row i, if there is one."""
    if lazy is not None and lazy.l1_applied.size:
        first, last = row_span(X, i)
        for place in range(first, last):
            k = np.int64(row_column(X, place))
            apply_l1(W, k, k + 1, lazy)


@inner
def make_step(X, order, p, W, factor, lazy):
    """w <- factor w + the sum over the batch, whose last row is at place p of the order; begins the next sum."""
    if factor != 1.0:
        shrink(W, factor, lazy)
    d, count = W.shape[1] - 1, lazy.pending[ROWS]
    first, last = row_span(X, order[p])
    if count <= p + 1 and count * (last - first) < d:  # far fewer columns were touched than there are
        for place in range(p + 1 - count, p + 1):
            first, last = row_span(X, order[place])
            for entry in range(first, last):
                add_column(W, np.int64(row_column(X, entry)), lazy)
    else:
        for k in range(d):
            add_column(W, k, lazy)
    add_column(W, d, lazy)
    lazy.pending[ROWS] = lazy.pending[CORRECTIONS] = 0


@inner
def add_column(W, k, lazy):
    """Move a column from the sum of the batch to w."""
    for j in range(W.shape[0]):
        if lazy.batch_sum[j, k] != 0.0:
            change(W, j, k, lazy.batch_sum[j, k] / lazy.scalars[SCALE], lazy)
            lazy.batch_sum[j, k] = 0.0
