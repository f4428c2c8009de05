"""Which regular self-dual functions are threshold functions: a linear program in integers decides, and is checked.

With w_i = v_i + v_(i+1) + ... + v_n the order w_1 >= ... >= w_n >= 0 of a regular function's weights is v >= 0, and
then w.s is least, of all true points s, at one that has no true point below it. So f is a threshold function if

    A v >= 1,   v >= 0            a_k the partial sums s_1, s_1 + s_2, ... of a minimal true point

has a solution, and none if some y >= 0, not zero, has A'y <= 0 (`solvers.separation.integer_simplex`). Whichever comes
out is then put into these inequalities, in integers, so that the answer depends on nothing but them.
"""

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.solvers.separation.integer_simplex import (
    MAX_ENTRY,
    OPTIMAL,
    UNBOUNDED,
    read_prices,
    read_ray,
    run_simplex,
    solve_program,
)

THRESHOLD, OTHER, UNDECIDED = 1, 0, -1


def partial_sums(n: int) -> np.ndarray:
    """The partial sums s_1, s_1 + s_2, ... of each vertex s of {-1, +1}^n, of shape (2^n, n).

    >>> partial_sums(2).tolist()
    [[-1, -2], [-1, 0], [1, 0], [1, 2]]
    """
    digits = np.arange(1 << n)[:, None] >> np.arange(n)[::-1] & 1
    return np.asarray(np.cumsum(2 * digits - 1, axis=1))


def minimal_vertices(true: np.ndarray) -> np.ndarray:
    """Mark the true vertices of regular functions, rows of 2^n truth values, that have no true vertex below.

    >>> np.flatnonzero(minimal_vertices(np.array([[0, 0, 0, 1, 0, 1, 1, 1]], dtype=bool))).tolist()  # two of three
    [3]
    """
    found = np.array(true, order="C")
    found[:, 1::2] &= ~true[:, ::2]
    for k in range(true.shape[1].bit_length() - 2):  # a 1 moves from place k + 1 to place k
        before, after = true.reshape(-1, 4, 1 << k), found.reshape(-1, 4, 1 << k)
        after[:, 2] &= ~before[:, 1]
    return found


@inner
def collect_rows(marked, points, A):
    """Copy the marked points to the first rows of A; returns how many they are."""
    K = 0
    for vertex in range(marked.size):
        if marked[vertex]:
            for i in range(A.shape[1]):
                A[K, i] = points[vertex, i]
            K += 1
    return K


@inner
def weights_hold(A, K, v):
    """Whether v >= 0 and A v > 0 on the first K rows."""
    for i in range(A.shape[1]):
        if v[i] < 0:
            return False
    for k in range(K):
        total = 0
        for i in range(A.shape[1]):
            total += A[k, i] * v[i]
        if total <= 0:
            return False
    return True


@inner
def ray_holds(A, K, y):
    """Whether y >= 0 is not zero and A'y <= 0 on the first K rows."""
    some = False
    for k in range(K):
        if y[k] < 0:
            return False
        some = some or y[k] > 0
    for i in range(A.shape[1]):
        total = 0
        for k in range(K):
            total += A[k, i] * y[k]
        if total > 0:
            return False
    return some


@compiled
def decide_classes(minimal, points, workspace, verdicts):
    """Decide for each class, a row of marks of its minimal true points, whether it is a threshold function.

    Writes into `verdicts` what a check in integers confirms, else UNDECIDED. The workspace is a tableau, rows A,
    a cost c, labels and solutions v, y.
    """
    T, A, c, labels, v, y = workspace
    for e in range(minimal.shape[0]):
        K = collect_rows(minimal[e], points, A)
        verdicts[e] = UNDECIDED
        outcome, denominator, t = run_simplex(T, A, K, c, labels, MAX_ENTRY)
        if outcome == OPTIMAL:
            read_prices(T, K, labels, v)
            if weights_hold(A, K, v):
                verdicts[e] = THRESHOLD
        elif outcome == UNBOUNDED:
            read_ray(T, K, labels, t, denominator, y)
            if ray_holds(A, K, y):
                verdicts[e] = OTHER


def threshold_classes(true: np.ndarray) -> np.ndarray:
    """Decide which of some regular self-dual functions, rows of 2^n truth values, are threshold functions.

    >>> threshold_classes(np.array([[0, 0, 0, 1, 0, 1, 1, 1]], dtype=bool)).tolist()  # the majority of three
    [True]
    """
    n = true.shape[1].bit_length() - 1
    points, minimal = partial_sums(n), minimal_vertices(true)
    most = int(minimal.sum(axis=1).max(initial=0))
    integers = (np.zeros((n + 1, most + 1), dtype=np.int64), np.zeros((most, n), dtype=np.int64))
    labels, v, y = (np.zeros(size, dtype=np.int64) for size in (most + n, n, most))
    verdicts = np.zeros(len(true), dtype=np.int8)
    decide_classes(minimal, points, (*integers, np.ones(n, dtype=np.int64), labels, v, y), verdicts)
    for e in np.flatnonzero(verdicts == UNDECIDED).tolist():
        verdicts[e] = decide_in_python(points[minimal[e]])
    return verdicts == THRESHOLD


def decide_in_python(A: np.ndarray) -> int:
    """Decide one class whose numbers are too large for the compiled loop, and check the answer."""
    solved = solve_program(A, np.ones(A.shape[1], dtype=np.int64))
    rows = A.astype(object)
    proved = (
        weights_hold(rows, len(A), solved.numerators) if solved.ray is None else ray_holds(rows, len(A), solved.ray)
    )
    if not proved:
        raise ArithmeticError("The simplex method ended with neither weights nor a ray; please report this.")
    return THRESHOLD if solved.ray is None else OTHER
