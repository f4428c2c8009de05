"""A small linear program in integers, solved by the simplex method with fraction-free pivots (Edmonds, 1967).

    maximise  sum_k y_k   subject to   A'y <= c,   y >= 0            A of shape (K, r), integers;  c >= 0
    minimise  c.v         subject to   A v >= 1,   v >= 0            its dual

y = 0 is feasible, so the method starts there. It ends with the optimal v, or with a ray: y >= 0 and not zero, with
A'y <= 0, which proves that no v has A v >= 1. All entries of the tableau are minors of the program over one common
denominator, so each division of a pivot is exact (Bareiss, 1968) and nothing is rounded.

The loop runs in 64-bit integers as long as products cannot overflow, else again in Python's integers.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.arithmetic.exact import IntegerVector, divide_by_gcd
from separatrix.compiling import compiled, inner

OPTIMAL, UNBOUNDED, TOO_LARGE = 0, 1, 2
MAX_ENTRY = 2**30  # of a tableau of 64-bit integers: the difference of two products stays below 2^61
MAX_DANTZIG_PIVOTS = 60  # after which Bland's rule (1977), which cannot cycle, chooses the pivots


class ProgramOutcome(NamedTuple):
    """Either v = `numerators` / `denominator`, which is optimal, or a `ray` that proves that there is no feasible v."""

    numerators: IntegerVector | None
    denominator: int
    ray: IntegerVector | None


@inner
def fill_tableau(T, A, K, c, labels):
    """Write the program of the first K rows of A into a tableau: r rows and the objective below, K columns and c."""
    r = A.shape[1]
    for i in range(r):
        for k in range(K):
            T[i, k] = A[k, i]
        T[i, K] = c[i]
    for k in range(K):
        T[r, k] = -1
    T[r, K] = 0
    for k in range(K + r):
        labels[k] = k  # of the columns first, then of the rows: y_k below K, slack i is K + i


@inner
def entering_column(T, K, labels, bland):
    """The column of the most negative reduced cost, by Bland's rule of the smallest label; -1 where none is."""
    r, found = T.shape[0] - 1, -1
    for j in range(K):
        if T[r, j] >= 0:
            continue
        if found < 0 or (labels[j] < labels[found] if bland else T[r, j] < T[r, found]):
            found = j
    return found


@inner
def leaving_row(T, K, labels, t):
    """The row with the least ratio, among equal ones that of the smallest label; -1 where column t is a ray."""
    found = -1
    for i in range(T.shape[0] - 1):
        if T[i, t] <= 0:
            continue
        less = 0 if found < 0 else T[i, K] * T[found, t] - T[found, K] * T[i, t]
        if found < 0 or less < 0 or (less == 0 and labels[K + i] < labels[K + found]):
            found = i
    return found


@inner
def pivot(T, K, s, t, denominator):
    """Exchange row s and column t; returns the largest entry. The new common denominator is the old T[s, t]."""
    largest, p = 0, T[s, t]
    for i in range(T.shape[0]):
        if i == s:
            continue
        factor = T[i, t]
        for j in range(K + 1):
            if j != t:
                T[i, j] = (T[i, j] * p - factor * T[s, j]) // denominator
                largest = max(largest, abs(T[i, j]))
        T[i, t] = -factor
    T[s, t] = denominator
    return largest


@compiled
def run_simplex(T, A, K, c, labels, limit):
    """Solve the program of the first K rows of A; changes T and labels in place.

    Returns the outcome, the common denominator and, of a ray, its column. Entries above `limit` end it.
    """
    fill_tableau(T, A, K, c, labels)
    denominator, pivots = 1, 0
    while True:
        t = entering_column(T, K, labels, pivots >= MAX_DANTZIG_PIVOTS)
        if t < 0:
            return OPTIMAL, denominator, -1
        s = leaving_row(T, K, labels, t)
        if s < 0:
            return UNBOUNDED, denominator, t
        p = T[s, t]
        largest = pivot(T, K, s, t, denominator)
        denominator, pivots = p, pivots + 1
        labels[t], labels[K + s] = labels[K + s], labels[t]
        if largest > limit:
            return TOO_LARGE, denominator, -1


@inner
def read_prices(T, K, labels, v):
    """Write the numerators of v: the reduced costs of the slacks, 0 for those that are basic."""
    r = T.shape[0] - 1
    for i in range(r):
        v[i] = 0
    for j in range(K):
        if labels[j] >= K:
            v[labels[j] - K] = T[r, j]


@inner
def read_ray(T, K, labels, t, denominator, y):
    """Write the ray along column t, times the common denominator."""
    for k in range(K):
        y[k] = 0
    if labels[t] < K:
        y[labels[t]] = denominator
    for i in range(T.shape[0] - 1):
        if labels[K + i] < K:
            y[labels[K + i]] = -T[i, t]


def solve_program(A: np.ndarray, c: np.ndarray) -> ProgramOutcome:
    """Minimise c.v subject to A v >= 1 and v >= 0, or prove by a ray that no v is feasible.

    >>> solve_program(np.array([[2, -1], [-1, 1]]), np.array([1, 1]))  # 2 a - b >= 1 and b - a >= 1
    ProgramOutcome(numerators=[2, 3], denominator=1, ray=None)
    >>> solve_program(np.array([[1, -1], [-1, 1]]), np.array([1, 1])).ray  # a - b >= 1 and b - a >= 1
    [1, 1]
    """
    if max(np.abs(A).max(initial=0), np.abs(c).max(initial=0)) <= MAX_ENTRY:
        outcome, solved = run_on(A, c, np.int64, run_simplex, MAX_ENTRY)
        if outcome != TOO_LARGE:
            return solved
    return run_on(A, c, object, run_simplex.__wrapped__, np.inf)[1]  # type: ignore[attr-defined]


def run_on(A: np.ndarray, c: np.ndarray, dtype: Any, run: Any, limit: float) -> tuple[int, ProgramOutcome]:
    """Solve a program in arrays of a type of integers, and read the outcome."""
    K, r = A.shape
    T, labels = np.zeros((r + 1, K + 1), dtype=dtype), np.zeros(K + r, dtype=np.int64)
    outcome, denominator, t = run(T, A.astype(dtype), K, c.astype(dtype), labels, limit)
    if outcome == UNBOUNDED:
        y = np.zeros(K, dtype=dtype)
        read_ray(T, K, labels, t, denominator, y)
        return outcome, ProgramOutcome(None, 1, divide_by_gcd([int(k) for k in y]))
    v = np.zeros(r, dtype=dtype)
    read_prices(T, K, labels, v)
    return outcome, ProgramOutcome([int(k) for k in v], int(denominator), None)
