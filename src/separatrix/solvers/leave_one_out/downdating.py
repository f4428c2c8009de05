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
from separatrix.solvers.leave_one_out.row_dual import RowDual

MAX_CHANGED = 96  # rows that have changed sides, at most; paths that need more are given up
MAX_STEPS = 400
MIN_PIVOT = 1e-13  # part of the largest pivot below which a system is singular
MIN_RESPONSE = 1e-13  # part of the largest response that counts as one
HELD_RESPONSE = 1e-10  # part of the largest, of a row whose score may not move


class Base(NamedTuple):
    """The optimum of all rows: T, which rows are free, their beta, and what is required and allowed.

    The value of a free row is its beta, that of any other its effective score; it may move between two limits.
    """

    T: Vector  # T[:, p] in row p
    free: np.ndarray
    beta: Vector
    value: Vector
    least: Vector
    most: Vector
    low: Vector
    high: Vector
    lower: Vector
    upper: Vector
    held: np.ndarray  # on the margin with a free beta, but dependent on the free rows
    fit_intercept: bool

    @classmethod
    def of(cls, T: Vector, free: np.ndarray, beta: Vector, effective: Vector, dual: RowDual) -> "Base":
        """The optimum of rows with these effective scores; rows that are free but not in `free` are held."""
        held, levels = dual.free(beta) & ~free, dual.required(beta)
        upwards = (beta > 0.0) | ((beta == 0.0) & (effective <= dual.low))  # of free rows at 0, those that require low
        least = np.where(beta > 0.0, -np.inf, np.where(beta < 0.0, dual.high, dual.low))
        most = np.where(beta > 0.0, dual.low, np.where(beta < 0.0, np.inf, dual.high))
        least, most = np.where(held, levels, least), np.where(held, levels, most)
        least = np.where(free, np.where(upwards, 0.0, dual.lower), least)
        most = np.where(free, np.where(upwards, dual.upper, 0.0), most)
        value = np.where(free, beta, effective)
        bounds = dual.low, dual.high, dual.lower, dual.upper
        return cls(T, free, beta, value, least, most, *bounds, held, dual.fit_intercept)


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
    """Arrays of a path: values and limits as in Base, beta of rows that are not free, the response, and E."""

    beta: Vector
    value: Vector
    least: Vector
    most: Vector
    response: Vector
    system: Vector
    right: Vector
    members: np.ndarray  # E
    slot: np.ndarray  # of a row in E, -1 for others
    free: np.ndarray

    @classmethod
    def of(cls, n: int) -> "Work":
        """Arrays for n rows."""
        k = MAX_CHANGED
        beta, value, least, most, response = (np.empty(n) for _ in range(5))
        members, slot = np.empty(k, dtype=np.int64), np.empty(n, dtype=np.int64)
        free = np.empty(n, dtype=np.bool_)
        return cls(beta, value, least, most, response, np.empty((k, k)), np.empty(k), members, slot, free)


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
    work.free[j] = not work.free[j]
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
def first_to_change(base, work, most):
    """The row whose value meets a limit first within a length, and where; -1 where none does."""
    largest = 0.0
    for j in range(work.response.size):
        largest = max(largest, abs(work.response[j]))
    first, length, fastest = -1, most, 0.0
    for j in range(work.response.size):
        rate, value = work.response[j], work.value[j]
        room = max(0.0, value - work.least[j] if rate < 0.0 else work.most[j] - value)
        speed = abs(rate)
        if speed <= MIN_RESPONSE * largest or room > length * speed or (first < 0 and room == length * speed):
            continue
        if base.held[j] and work.least[j] == work.most[j] and speed <= HELD_RESPONSE * largest:
            continue
        if room < length * speed or speed > fastest:  # of rows that meet their limits together, the fastest
            first, length, fastest = j, room / speed, speed
    return first, length


@inner
def move(work, length):
    """Go along the response."""
    for j in range(work.response.size):
        work.value[j] += length * work.response[j]


@inner
def change_side(base, work, j, k):
    """Put row j, which has met a limit, exactly there, and on its other side."""
    value, least, most = work.value[j], work.least[j], work.most[j]
    limit = least if value - least < most - value else most
    low, high = base.low[j], base.high[j]
    if work.free[j]:
        work.value[j], work.beta[j] = low if most > 0.0 else high, limit
        work.least[j] = low if limit == 0.0 else -np.inf if limit > 0.0 else high
        work.most[j] = high if limit == 0.0 else low if limit > 0.0 else np.inf
    else:
        work.value[j] = work.beta[j]
        work.least[j] = 0.0 if limit == low else base.lower[j]
        work.most[j] = base.upper[j] if limit == low else 0.0
    return toggle(work, j, k)


@inner
def shift_offset(base, work, sign):
    """Move b, where no row is free, until a row can take over from the one that leaves; that row, or -1.

    What one row gives up, others must get: if that is to be beta, b falls until a row needs more of it.
    """
    for j in range(work.response.size):
        work.response[j] = sign
    first, length = first_to_change(base, work, np.inf)
    if first >= 0:
        move(work, length)
    return first


@inner
def begin(base, work, i):
    """Begin at the base, with row i, if it is one of the rows, in no one's way; returns how many rows are free."""
    n_free = 0
    for j in range(base.beta.size):
        work.beta[j], work.value[j], work.slot[j] = base.beta[j], base.value[j], -1
        work.least[j], work.most[j], work.free[j] = base.least[j], base.most[j], base.free[j]
        n_free += base.free[j]
    if i >= 0:
        work.least[i], work.most[i] = -np.inf, np.inf
    return n_free


@inner
def follow(base, work, own, i, amount):
    """Change the beta of a row by an amount; returns whether that was possible, and whether b was ever undetermined.

    i is the number of the row among those that may change sides, -1 where it is none of them.
    """
    k, n_free, undetermined = 0, begin(base, work, i), False
    sign, left = (1.0 if amount > 0.0 else -1.0), abs(amount)
    if not own.size:
        k, n_free = toggle(work, i, k), n_free - 1
    for _ in range(MAX_STEPS):
        if base.fit_intercept and n_free == 0:
            undetermined, j = True, shift_offset(base, work, sign)
            if j < 0:
                return False, undetermined
            k, n_free = change_side(base, work, j, k), n_free + 1
        if k < 0 or not find_direction(base.T, own, work, i, sign, k):
            return False, undetermined
        j, length = first_to_change(base, work, left)
        move(work, length)
        left -= length
        if j < 0:
            return True, undetermined
        n_free += -1 if work.free[j] else 1
        k = change_side(base, work, j, k)
    return False, undetermined


@compiled
def follow_all(base, work, leaving, arrived):
    """Go the paths of rows that leave, one by one."""
    for q in range(leaving.place.size):
        i, amount = leaving.place[q], leaving.amounts[q]
        arrived.ended[q], arrived.undetermined[q] = follow(base, work, leaving.own[q], i, amount)
        for j in range(base.beta.size):
            arrived.beta[q, j] = work.value[j] if work.free[j] else work.beta[j]
        if i >= 0:
            arrived.beta[q, i] = base.beta[i] + amount
