"""Planes [w..., b], the rows of W, and what some rules keep besides: cheap shrinking, an average, the sum of a batch.

w = scale W                  shrinking w changes one number; b is stored as b / scale, as it does not shrink
sum of past w = share W + u  a step along a row changes few entries of W and u (Bottou, 2012)
|w| -= l1                    a column is settled when a row has it, for all steps since it was last (Carpenter, 2008)
"""

from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.rows import Vector, row_axpy, row_column, row_dot, row_span

LEAST_SCALE = 1e-3  # below, W is multiplied out again
LEAST_FACTOR = 1e-3  # by less, the entries themselves are shrunk
SCALE, SHARE, OWED = 0, 1, 2
ROWS, CORRECTIONS = 0, 1


class Extras(NamedTuple):
    """What a rule keeps besides W; empty are u without an average, into without batches, paid without l1.

    `numbers` are the scale, the share, and what l1 is owed so far; `waiting` are the rows in the sum of the batch, and
    the corrections among them.
    """

    u: np.ndarray
    into: np.ndarray
    paid: np.ndarray
    numbers: np.ndarray
    waiting: np.ndarray

    @classmethod
    def of(cls, W: Vector, averaged: bool, in_batches: bool, with_l1: bool) -> "Extras":
        """Begin with planes W."""
        u, into = (np.zeros((len(W) if wanted else 0, W.shape[1])) for wanted in (averaged, in_batches))
        paid = np.zeros(W.shape[1] - 1 if with_l1 else 0)
        return cls(u, into, paid, np.array([1.0, 0.0, 0.0]), np.zeros(2, dtype=np.int64))


@inner
def plane_score(X, i, w, extras):
    """<w, x_i> + b."""
    score = row_dot(X, i, w) + w[w.size - 1]
    return score if extras is None else extras.numbers[SCALE] * score


@inner
def move(step, X, i, W, j, bias_step, extras):
    """w_j += step x_i,   b_j += step bias_step,   at once or into the sum of a batch."""
    into = W[j]
    if extras is not None and extras.into.shape[0]:
        into = extras.into[j]
    elif extras is not None:
        step /= extras.numbers[SCALE]
        if extras.u.shape[0]:
            back = -step * extras.numbers[SHARE]
            row_axpy(back, X, i, extras.u[j])
            extras.u[j, into.size - 1] += back * bias_step
    row_axpy(step, X, i, into)
    into[into.size - 1] += step * bias_step


@inner
def change(W, j, k, difference, extras):
    """W_jk += difference, leaving the sum of past w as it is."""
    W[j, k] += difference
    if extras.u.shape[0]:
        extras.u[j, k] -= extras.numbers[SHARE] * difference


@inner
def shrink(W, factor, extras):
    """w *= factor for every plane; b stays."""
    scale, d = extras.numbers[SCALE], W.shape[1] - 1
    if factor > LEAST_FACTOR and factor * scale > LEAST_SCALE:
        extras.numbers[SCALE] = scale * factor
        for j in range(W.shape[0]):
            change(W, j, d, W[j, d] / factor - W[j, d], extras)
        return
    settle(W, 0, extras.paid.size, extras)
    for j in range(extras.u.shape[0]):
        for k in range(d + 1):
            extras.u[j, k] += extras.numbers[SHARE] * W[j, k]
    extras.numbers[SCALE] = 1.0
    extras.numbers[SHARE] = 0.0
    extras.numbers[OWED] *= scale
    for k in range(extras.paid.size):
        extras.paid[k] *= scale
    for j in range(W.shape[0]):
        for k in range(d + 1):
            W[j, k] *= scale * factor if k < d else scale


@inner
def settle(W, first, last, extras):
    """Move columns towards 0 by what l1 is owed since they were last settled, and not past it."""
    for k in range(first, last):
        amount = extras.numbers[OWED] - extras.paid[k]
        w = W[0, k]
        W[0, k] = w - amount if w > amount else w + amount if w < -amount else 0.0
        extras.paid[k] = extras.numbers[OWED]


@compiled
def settle_all(W, extras):
    """Settle all columns."""
    settle(W, 0, extras.paid.size, extras)


@inner
def settle_row(X, i, W, extras):
    """Settle the columns of row i."""
    first, last = row_span(X, i)
    for place in range(first, last):
        k = np.int64(row_column(X, place))
        settle(W, k, k + 1, extras)


@inner
def make_step(X, order, p, W, factor, extras):
    """w <- factor w + what the rows up to place p of the order have summed; begins the next sum."""
    if factor != 1.0:
        shrink(W, factor, extras)
    d, count = W.shape[1] - 1, extras.waiting[ROWS]
    first, last = row_span(X, order[p])
    if count <= p + 1 and count * (last - first) < d:  # far fewer columns were touched than there are
        for place in range(p + 1 - count, p + 1):
            first, last = row_span(X, order[place])
            for entry in range(first, last):
                add_column(W, np.int64(row_column(X, entry)), extras)
    else:
        for k in range(d):
            add_column(W, k, extras)
    add_column(W, d, extras)
    extras.waiting[ROWS] = extras.waiting[CORRECTIONS] = 0


@inner
def add_column(W, k, extras):
    """Move a column from the sum of the batch to w."""
    for j in range(W.shape[0]):
        if extras.into[j, k] != 0.0:
            change(W, j, k, extras.into[j, k] / extras.numbers[SCALE], extras)
            extras.into[j, k] = 0.0
