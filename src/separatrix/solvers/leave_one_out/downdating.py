"""Drive the beta of one row to its end and keep the others optimal: a parametric active set method.

At a base optimum with free rows F the conditions of `row_dual` are linear in the values that are held fixed: beta of
the rows that are not free, and the effective scores of those that are. T is the derivative of all other quantities,

    T[j, p]   of e_j (j not in F) or beta_j (j in F),   by beta_p (p not in F) or e_p (p in F)

the principal pivot transform of the bordered kernel matrix on F (Tucker, 1960). A system with T[E, E] accounts for the
rows E that have changed sides since, so that every row to be left out begins from the same T:

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


class Base(NamedTuple):
    """The optimum of all rows: T, which rows are free, beta, effective scores, and what is required and allowed."""

    T: Vector  # T[:, p] in row p
    free: np.ndarray
    beta: Vector
    effective: Vector
    low: Vector
    high: Vector
    lower: Vector
    upper: Vector
    held: np.ndarray  # on the margin with a free beta, but dependent on the free rows
    fit_intercept: bool


class Leaving(NamedTuple):
    """Rows that leave, all of them free or none: T[:, i] of those that were not, their places, and by how much."""

    own: Vector
    place: np.ndarray  # among the rows that may change sides, -1 for others
    amounts: Vector


class Arrived(NamedTuple):
    """Where paths end: beta of the rows that may change sides, whether they ended, and whether b was undetermined."""

    beta: Vector
    ended: np.ndarray
    undetermined: np.ndarray


class Work(NamedTuple):
    """Arrays that paths share."""

    beta: Vector
    effective: Vector
    response: Vector
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
        beta, effective, response = (np.empty(n) for _ in range(3))
        members, slot, side = np.empty(k, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int8)
        basic = np.empty(n, dtype=np.bool_)
        return cls(beta, effective, response, np.empty((k, k)), np.empty(k), members, slot, side, basic)


@inner
def pivot_row(A, a, k):
    """The row with the largest entry in column a, from row a on."""
    best = a
    for j in range(a + 1, k):
        if abs(A[j, a]) > abs(A[best, a]):
            best = j
    return best


@inner
def eliminate(A, b, a, j, k):
    """Subtract from row j what makes its entry in column a zero."""
    factor = A[j, a] / A[a, a]
    for q in range(a + 1, k):
        A[j, q] -= factor * A[a, q]
    b[j] -= factor * b[a]


@inner
def solve_small(A, b, k):
    """Solve A x = b by elimination with row pivots, in place; whether no pivot is rounding."""
    largest = 0.0
    for a in range(k):
        for j in range(k):
            largest = max(largest, abs(A[a, j]))
    for a in range(k):
        best = pivot_row(A, a, k)
        if not abs(A[best, a]) > MIN_PIVOT * largest:
            return False
        for j in range(a, k):
            A[a, j], A[best, j] = A[best, j], A[a, j]
        b[a], b[best] = b[best], b[a]
        for j in range(a + 1, k):
            eliminate(A, b, a, j, k)
    for a in range(k - 1, -1, -1):
        for j in range(a + 1, k):
            b[a] -= A[a, j] * b[j]
        b[a] /= A[a, a]
    return True


@inner
def toggle(work, j, k):
    """Let row j change sides; returns how many rows have, or -1 where they are too many."""
    work.basic[j] = not work.basic[j]
    if work.slot[j] < 0:
        if k == work.members.size:
            return -1
        work.members[k], work.slot[j] = j, k
        return k + 1
    hole, last = work.slot[j], work.members[k - 1]
    work.members[hole], work.slot[last] = last, hole
    work.slot[j] = -1
    return k - 1


@inner
def find_direction(T, own, work, i, sign, k):
    """The response to a unit of beta of the row that leaves; whether there is one.

    It is row i of the rows that may change sides, and in E, if it was free; else `own` is T[:, i].
    """
    for a in range(k):
        row = work.members[a]
        work.right[a] = -sign * own[row] if own.size else (sign if row == i else 0.0)
        for e in range(k):
            work.system[a, e] = T[work.members[e], row]
    if not solve_small(work.system, work.right, k):
        return False
    for j in range(work.response.size):
        work.response[j] = sign * own[j] if own.size else 0.0
    for e in range(k):
        c, row = work.right[e], work.members[e]
        for j in range(work.response.size):
            work.response[j] += c * T[row, j]
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
def change_side(base, work, j, k):
    """Put row j, which has met its limit, exactly there, and on its other side."""
    if work.basic[j]:
        limit = base.upper[j] if work.side[j] > 0 else base.lower[j]
        work.beta[j] = 0.0 if abs(work.beta[j]) < abs(limit - work.beta[j]) else limit
        work.effective[j] = base.low[j] if work.side[j] > 0 else base.high[j]
    else:
        e, beta = work.effective[j], work.beta[j]
        work.side[j] = 1 if beta > 0.0 or (beta == 0.0 and abs(e - base.low[j]) < abs(e - base.high[j])) else -1
    return toggle(work, j, k)


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
def follow(base, work, own, i, amount):
    """Change the beta of a row by an amount; returns whether that was possible, and whether b was ever undetermined.

    i is the number of the row among those that may change sides, -1 where it is none of them.
    """
    k, n_free, undetermined = 0, 0, False
    for j in range(base.beta.size):
        beta = base.beta[j]
        work.beta[j], work.effective[j], work.slot[j] = beta, base.effective[j], -1
        work.basic[j] = base.free[j]
        work.side[j] = 1 if beta > 0.0 or (beta == 0.0 and base.effective[j] <= base.low[j]) else -1
        n_free += base.free[j]
    sign, left = (1.0 if amount > 0.0 else -1.0), abs(amount)
    if not own.size:
        k, n_free = toggle(work, i, k), n_free - 1
    for _ in range(MAX_STEPS):
        if base.fit_intercept and n_free == 0:
            undetermined, j = True, shift_offset(base, work, i, sign)
            if j < 0:
                return False, undetermined
            k, n_free = change_side(base, work, j, k), n_free + 1
        if k < 0 or not find_direction(base.T, own, work, i, sign, k):
            return False, undetermined
        j, length = first_to_change(base, work, i, left)
        move(work, i, length)
        left -= length
        if j < 0:
            return True, undetermined
        n_free += -1 if work.basic[j] else 1
        k = change_side(base, work, j, k)
    return False, undetermined


@compiled
def follow_all(base, work, leaving, arrived):
    """Go the paths of rows that leave, one by one."""
    for q in range(leaving.place.size):
        i, amount = leaving.place[q], leaving.amounts[q]
        arrived.ended[q], arrived.undetermined[q] = follow(base, work, leaving.own[q], i, amount)
        for j in range(base.beta.size):
            arrived.beta[q, j] = base.beta[j] + amount if j == i else work.beta[j]
