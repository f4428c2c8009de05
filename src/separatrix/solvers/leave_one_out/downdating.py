"""Drive the beta of one row to its end and keep the others optimal: a parametric active set method.

At a base optimum with free rows F the conditions of `row_dual` are linear in the values that are held fixed: beta of
the rows that are not free, and the effective scores of those that are. T is the derivative of all other quantities,

    T[j, p]   of e_j (j not in F) or beta_j (j in F),   by beta_p (p not in F) or e_p (p in F)

the principal pivot transform of the bordered kernel matrix on F (Tucker, 1960). Rows E that have changed sides since are
accounted for by a system with T[E, E], so that every row to be left out begins from the same T:

    direction of row i       r = T[:, i] d + T[:, E] c,      c such that what E now holds fixed does not move

Along it the first row whose beta meets a bound, or whose score meets what is required of it, changes sides. The path
has finitely many such points (Cauwenberghs and Poggio, 2001; Diehl and Cauwenberghs, 2003).
"""

from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.rows import Vector

MAX_CHANGED = 96  # rows that have changed sides, at most; paths that need more are given up
MAX_STEPS = 400
MIN_PIVOT = 1e-13  # part of the largest pivot below which a system is singular
MIN_RESPONSE = 1e-13  # part of the largest response that counts as one
HELD_RESPONSE = 1e-10  # part of the largest, of a row whose score may not move
ENDED, FAILED = 0, 1


class Tableau(NamedTuple):
    """T by its columns, or by factors of them where rows have few features, and the side of each row at the base."""

    columns: Vector  # T[:, p] in row p; empty where factors are given
    features: Vector  # [z_j, 1] in column j
    directions: Vector  # by how much v moves for each p
    changes: Vector  # by how much beta of the free rows moves for each p, where there is no ridge
    place: np.ndarray  # of a row among the free ones, -1 for others
    ridge: Vector


class Base(NamedTuple):
    """The optimum of all rows: beta, effective scores, what is required and allowed, and which rows are held."""

    beta: Vector
    effective: Vector
    low: Vector
    high: Vector
    lower: Vector
    upper: Vector
    held: np.ndarray  # on the margin with a free beta, but dependent on the free rows
    fit_intercept: bool


class Work(NamedTuple):
    """Arrays that paths share."""

    beta: Vector
    effective: Vector
    response: Vector
    own: Vector  # T[:, i]
    changed: Vector  # T[:, e] for each e of E
    system: Vector
    right: Vector
    members: np.ndarray  # E
    slot: np.ndarray  # of a row in E, -1 for others
    side: np.ndarray  # of a free row, 1 where low is required and -1 where high is
    basic: np.ndarray

    @classmethod
    def of(cls, n: int) -> "Work":
        """Arrays for n rows."""
        k = MAX_CHANGED
        vectors = [np.empty(n) for _ in range(4)]
        small = np.empty((k, n)), np.empty((k, k)), np.empty(k)
        numbers = np.empty(k, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int8)
        return cls(*vectors, *small, *numbers, np.empty(n, dtype=np.bool_))


@inner
def fill_column(T, p, into):
    """T[:, p]."""
    if T.columns.size:
        for j in range(into.size):
            into[j] = T.columns[p, j]
        return
    for j in range(into.size):
        into[j] = 0.0
    for q in range(T.features.shape[0]):
        for j in range(into.size):
            into[j] += T.directions[p, q] * T.features[q, j]
    few = T.changes.shape[1] > 0
    for j in range(into.size):
        if T.place[j] >= 0:
            into[j] = T.changes[p, T.place[j]] if few else -into[j] / T.ridge[j]
    if T.place[p] < 0:
        into[p] += T.ridge[p]
    elif not few:
        into[p] += 1.0 / T.ridge[p]


@inner
def solve_small(A, b, k):
    """Solve A x = b by elimination with row pivots, in place; whether no pivot is rounding."""
    largest = 0.0
    for a in range(k):
        for j in range(k):
            largest = max(largest, abs(A[a, j]))
    for a in range(k):
        best = a
        for j in range(a + 1, k):
            if abs(A[j, a]) > abs(A[best, a]):
                best = j
        if not abs(A[best, a]) > MIN_PIVOT * largest:
            return False
        if best != a:
            for j in range(a, k):
                A[a, j], A[best, j] = A[best, j], A[a, j]
            b[a], b[best] = b[best], b[a]
        for j in range(a + 1, k):
            factor = A[j, a] / A[a, a]
            if factor != 0.0:
                for q in range(a + 1, k):
                    A[j, q] -= factor * A[a, q]
                b[j] -= factor * b[a]
    for a in range(k - 1, -1, -1):
        for j in range(a + 1, k):
            b[a] -= A[a, j] * b[j]
        b[a] /= A[a, a]
    return True


@inner
def toggle(T, work, j, k):
    """Let row j change sides; returns how many rows have, or -1 where they are too many."""
    work.basic[j] = not work.basic[j]
    if work.slot[j] < 0:
        if k == work.members.size:
            return -1
        work.members[k], work.slot[j] = j, k
        fill_column(T, j, work.changed[k])
        return k + 1
    hole, last = work.slot[j], work.members[k - 1]
    for q in range(work.slot.size):
        work.changed[hole, q] = work.changed[k - 1, q]
    work.members[hole], work.slot[last] = last, hole
    work.slot[j] = -1
    return k - 1


@inner
def find_direction(T, work, i, was_free, sign, k):
    """The response to a unit of beta_i; whether there is one."""
    for a in range(k):
        row = work.members[a]
        work.right[a] = (sign if row == i else 0.0) if was_free else -sign * work.own[row]
        for e in range(k):
            work.system[a, e] = work.changed[e, row]
    if not solve_small(work.system, work.right, k):
        return False
    for j in range(work.response.size):
        work.response[j] = 0.0 if was_free else sign * work.own[j]
    for e in range(k):
        for j in range(work.response.size):
            work.response[j] += work.right[e] * work.changed[e, j]
    for e in range(k):
        work.response[work.members[e]] = work.right[e]
    return True


@inner
def room(base, work, j, rate):
    """How far row j can go at a rate until it changes sides."""
    if work.basic[j]:
        beta = work.beta[j]
        if work.side[j] > 0:
            return beta / -rate if rate < 0.0 else (base.upper[j] - beta) / rate
        return -beta / rate if rate > 0.0 else (beta - base.lower[j]) / -rate
    e = work.effective[j]
    if work.beta[j] == 0.0:
        return (e - base.low[j]) / -rate if rate < 0.0 else (base.high[j] - e) / rate
    if work.beta[j] > 0.0:
        return (base.low[j] - e) / rate if rate > 0.0 else np.inf
    return (e - base.high[j]) / -rate if rate < 0.0 else np.inf


@inner
def first_to_change(base, work, i, most):
    """The row that changes sides first within a length, and where; -1 where none does."""
    largest = 0.0
    for j in range(work.response.size):
        if j != i:
            largest = max(largest, abs(work.response[j]))
    first, length, speed = -1, most, 0.0
    for j in range(work.response.size):
        rate = work.response[j]
        if j == i or abs(rate) <= MIN_RESPONSE * largest:
            continue
        if base.held[j] and work.slot[j] < 0 and work.beta[j] == base.beta[j]:
            reach = 0.0 if abs(rate) > HELD_RESPONSE * largest else np.inf
        else:
            reach = max(0.0, room(base, work, j, rate))
        if reach < length or (reach == length and first >= 0 and abs(rate) > speed):
            first, length, speed = j, reach, abs(rate)
    return first, length


@inner
def move(work, i, length):
    """Go along the response."""
    for j in range(work.response.size):
        if work.basic[j]:
            work.beta[j] += length * work.response[j]
        elif j != i:
            work.effective[j] += length * work.response[j]


@inner
def change_side(T, base, work, j, k):
    """Put row j, which has met its limit, exactly there, and on its other side."""
    if work.basic[j]:
        limit = base.upper[j] if work.side[j] > 0 else base.lower[j]
        work.beta[j] = 0.0 if abs(work.beta[j]) < abs(limit - work.beta[j]) else limit
        work.effective[j] = base.low[j] if work.side[j] > 0 else base.high[j]
    else:
        e, beta = work.effective[j], work.beta[j]
        work.side[j] = 1 if beta > 0.0 or (beta == 0.0 and abs(e - base.low[j]) < abs(e - base.high[j])) else -1
    return toggle(T, work, j, k)


@inner
def shift_offset(base, work, i, sign):
    """Move b, where no row is free, until a row can take over from row i; that row, or -1.

    What row i gives up, others must get: if that is to be beta, b falls until a row needs more of it.
    """
    for j in range(work.response.size):
        work.response[j] = sign
    first, length = first_to_change(base, work, i, np.inf)
    if first >= 0:
        move(work, i, length)
    return first


@inner
def follow(T, base, work, i, end):
    """Drive beta_i to its end; returns whether that was reached, and whether the offset was ever undetermined."""
    n, k, n_free, undetermined = base.beta.size, 0, 0, False
    for j in range(n):
        work.beta[j], work.effective[j], work.slot[j] = base.beta[j], base.effective[j], -1
        work.basic[j] = T.place[j] >= 0
        work.side[j] = 1 if base.beta[j] > 0.0 or (base.beta[j] == 0.0 and base.effective[j] <= base.low[j]) else -1
        n_free += work.basic[j]
    was_free = work.basic[i]
    sign, left = (1.0 if end > work.beta[i] else -1.0), abs(end - work.beta[i])
    if was_free:
        k, n_free = toggle(T, work, i, k), n_free - 1
    else:
        fill_column(T, i, work.own)
    for _ in range(MAX_STEPS):
        if base.fit_intercept and n_free == 0:
            undetermined, j = True, shift_offset(base, work, i, sign)
            if j < 0:
                return FAILED, undetermined
            k, n_free = change_side(T, base, work, j, k), n_free + 1
        if k < 0 or not find_direction(T, work, i, was_free, sign, k):
            return FAILED, undetermined
        j, length = first_to_change(base, work, i, left)
        move(work, i, length)
        left -= length
        work.beta[i] = end - sign * left
        if j < 0:
            work.beta[i] = end
            return ENDED, undetermined
        n_free += -1 if work.basic[j] else 1
        k = change_side(T, base, work, j, k)
    return FAILED, undetermined


@compiled
def follow_all(T, base, work, rows, ends, changes, failed, undetermined):
    """Leave out rows one by one: the change of beta of all rows for each, whether it failed, and the offset's fate."""
    for q in range(rows.size):
        failed[q], undetermined[q] = follow(T, base, work, rows[q], ends[q])
        for j in range(base.beta.size):
            changes[q, j] = work.beta[j] - base.beta[j]
