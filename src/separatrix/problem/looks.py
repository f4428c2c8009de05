"""Sums over many dense rows, each row looked at once: while it is in the cache, all is done that needs it.

    X'C(X v - base),     X'C r with r = t - X w - b,     sum c x,     sum c x^2,     sums of classes

Products by blocks read every number from memory once, and from the cache once more for each of these; compiled loops
take several rows together, so that sums are not written back for each. They are for one vector; several are better
served by products of blocks. Each row's part is added in order, one stretch after the other.
"""

from collections.abc import Iterator

import numpy as np

from separatrix import rows
from separatrix.compiling import compiled, informed_numba, inner
from separatrix.problem.problem import Problem
from separatrix.rows import CSR, Rows, Vector, add_four, row_axpy, row_dot
from separatrix.threads import stretches, summed

LOOPED = 2**22  # numbers from which on loading a compiled loop pays
LONG = 4  # times as many numbers in a stretch as elsewhere


def looped(X: Rows) -> bool:
    """Whether rows are so many that compiled loops are quicker, and there is numba."""
    return rows.n_rows(X) * rows.n_columns(X) >= LOOPED and informed_numba() is not None


def normal_product(X: np.ndarray, cost: Vector, v: Vector, base: float) -> tuple[Vector, float]:
    """X'u and sum u for u = C(X v - base).

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem.looks import normal_product
    >>> total, rest = normal_product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones(2), np.array([1.0, 0.0]), 1.0)
    >>> total.tolist(), rest  # u = [0, 2]
    ([6.0, 8.0], 2.0)
    """

    def job(stretch: slice) -> tuple[Vector, float]:
        total, rest = np.zeros(X.shape[1]), 0.0
        for part in pieces(X, stretch):
            rest += add_images(X, cost, v, base, part.start, part.stop, total)
        return total, rest

    total, rest = summed(job, long_stretches(X))
    return total, float(rest)


def residual_sums(problem: Problem, targets: Vector, w: Vector, b: float) -> tuple[Vector, ...]:
    """sum c r x, sum c r, sum c x, sum c x^2 for r = t - w.x - b, and the sums of costs of the classes; X is dense.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.problem.looks import residual_sums
    >>> problem = Problem(np.array([[1.0], [3.0]]), np.array([0, 1]))
    >>> [found.tolist() for found in residual_sums(problem, np.array([-1.0, 1.0]), np.array([1.0]), 0.0)]
    [[-8.0], [-4.0], [4.0], [10.0], [1.0, 1.0]]
    """
    X, y, cost = problem.X, problem.y, problem.cost
    assert not isinstance(X, CSR)

    def job(stretch: slice) -> tuple[Vector, ...]:
        pulled, linear, squares = np.zeros((3, X.shape[1]))
        rest, weight = np.zeros(1), np.zeros(problem.n_classes)
        for part in pieces(X, stretch):
            rest += add_residuals(X, y, cost, targets, w, b, part.start, part.stop, pulled, linear, squares, weight)
        return pulled, rest, linear, squares, weight

    return summed(job, long_stretches(X))


def long_stretches(X: np.ndarray) -> list[slice]:
    """Slices of rows: some milliseconds each, because loops are quick and there may be many looks."""
    return stretches(len(X), X.size // LONG)


def pieces(X: np.ndarray, stretch: slice) -> Iterator[slice]:
    """Parts of a stretch, each little enough work for one compiled call."""
    step = max(1, rows.ENTRIES_A_CALL // max(1, X.shape[1]))
    for first in range(stretch.start, stretch.stop, step):
        yield slice(first, min(first + step, stretch.stop))


@compiled
def add_images(X, cost, v, base, first, last, into):
    """Add c (x.v - base) x of the rows from first to last, and return the sum of c (x.v - base)."""
    rest = 0.0
    whole = first + (last - first) // 4 * 4
    for i in range(first, whole, 4):
        a = cost[i] * (row_dot(X, i, v) - base)
        b = cost[i + 1] * (row_dot(X, i + 1, v) - base)
        c = cost[i + 2] * (row_dot(X, i + 2, v) - base)
        e = cost[i + 3] * (row_dot(X, i + 3, v) - base)
        rest += (a + b) + (c + e)
        add_four(X, i, a, b, c, e, into)
    for i in range(whole, last):
        a = cost[i] * (row_dot(X, i, v) - base)
        rest += a
        row_axpy(a, X, i, into)
    return rest


@inner
def add_two(X, i, j, a, b, c, e, pulled, linear, squares):
    """Add two rows with the residuals a and b and the costs c and e to three sums."""
    for k in range(X.shape[1]):
        x, z = np.float64(X[i, k]), np.float64(X[j, k])
        pulled[k] += a * x + b * z
        u, v = c * x, e * z
        linear[k] += u + v
        squares[k] += u * x + v * z


@compiled
def add_residuals(X, y, cost, targets, w, b, first, last, pulled, linear, squares, weight):
    """Add c r x, c x, c x^2 and c of the rows from first to last, and return the sum of c r, r = t - w.x - b."""
    rest = 0.0
    for i in range(first, last, 2):
        j = min(i + 1, last - 1)
        c, e = cost[i], cost[j] * (j - i)  # an odd row at the end is paired with nothing
        left = c * (targets[y[i]] - (row_dot(X, i, w) + b))
        right = e * (targets[y[j]] - (row_dot(X, j, w) + b))
        rest += left + right
        weight[y[i]] += c
        weight[y[j]] += e
        add_two(X, i, j, left, right, c, e, pulled, linear, squares)
    return rest


@compiled
def add_to_classes(Z, y, root, sums, weight):
    """Add root z to the sum of each row's class, and root^2 to its weight."""
    for i in range(Z.shape[0]):
        row_axpy(root[i], Z, i, sums[y[i]])
        weight[y[i]] += root[i] * root[i]
