"""Sums over many dense rows, each row looked at once: while it is in the cache, all is done that needs it.

    X'C r with r = t - X w - b,     sum c x,     sum c x^2,     sums of classes

Products by blocks read every number from memory once, and from the cache once more for each of these; compiled loops
take several rows together, so that sums are not written back for each. They are for one vector; several are better
served by products of blocks. Each row's part is added in order, one stretch after the other.
"""

from collections.abc import Iterator

import numpy as np

from separatrix import rows
from separatrix.compiling import compiled, informed_numba, inner, loaded, overload
from separatrix.problem.problem import Problem
from separatrix.products import combination
from separatrix.rows import CSR, Rows, Vector, row_axpy
from separatrix.threads import row_chunks, summed

MIN_ENTRIES_FOR_LOOPS = 2**22  # numbers from which on loading a compiled loop pays
LONG = 16  # times as many numbers in a stretch as elsewhere


def worth_looping(X: Rows) -> bool:
    """Whether rows are so many that compiled loops are quicker, and there is numba."""
    return rows.n_rows(X) * rows.n_columns(X) >= MIN_ENTRIES_FOR_LOOPS and informed_numba() is not None


def residual_sums(
    problem: Problem, targets: Vector, w: Vector, b: float, centre: Vector | None, columns: bool
) -> tuple[Vector, ...]:
    """sum c r z and sum c r for r = t - w.z - b with z = x - centre, of dense rows; None stands for a centre of 0.

    If the columns are asked for, too: sum c z, sum c z^2, and the sums of the costs of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.problem.fused_sums import residual_sums
    >>> problem = Problem(np.array([[1.0], [3.0]]), np.array([0, 1]))
    >>> found = residual_sums(problem, np.array([-1.0, 1.0]), np.array([1.0]), 0.0, None, True)
    >>> [each.tolist() for each in found]
    [[-8.0], [-4.0], [4.0], [10.0], [1.0, 1.0]]
    """
    X, y, cost = problem.X, problem.y, problem.cost
    assert not isinstance(X, CSR)

    def job(chunk: slice) -> tuple[Vector, ...]:
        pulled, rest, weight = np.zeros(X.shape[1]), np.zeros(1), np.zeros(problem.n_classes)
        sums = np.zeros((2 if columns else 0, X.shape[1]))
        for part in pieces(X, chunk):
            rest += add_residuals(X, y, cost, targets, w, b, centre, part.start, part.stop, pulled, sums, weight)
        return (pulled, rest, *sums, weight) if columns else (pulled, rest)

    return summed(job, long_chunks(X))


def class_sums(problem: Problem, index: np.ndarray) -> tuple[Vector, Vector]:
    """sum c x and sum c over some rows of each of two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.problem.fused_sums import class_sums
    >>> problem = Problem(np.array([[1.0], [3.0], [5.0]]), np.array([0, 1, 1]))
    >>> [each.tolist() for each in class_sums(problem, np.array([0, 2]))]
    [[[1.0], [5.0]], [1.0, 1.0]]
    """
    X, y, cost = problem.X, problem.y, problem.cost
    if isinstance(X, CSR) or not (loaded() or worth_looping(X)):
        weights: Vector = np.zeros((2, problem.n_rows))
        weights[y[index], index] = cost[index]
        return np.array([combination(X, own) for own in weights]), weights.sum(axis=1)

    def job(part: slice) -> tuple[Vector, Vector]:
        sums, weight = np.zeros((2, X.shape[1])), np.zeros(2)
        add_some_to_classes(X, index[part], y, cost, sums, weight)
        return sums, weight

    found = summed(job, row_chunks(index.size, index.size * X.shape[1]))
    return found[0], found[1]


def long_chunks(X: np.ndarray) -> list[slice]:
    """Slices of rows: some milliseconds each, because loops are quick and there may be many looks."""
    return row_chunks(len(X), X.size // LONG)


def pieces(X: np.ndarray, chunk: slice) -> Iterator[slice]:
    """Parts of a stretch, each little enough work for one compiled call."""
    step = max(1, rows.ENTRIES_A_CALL // max(1, X.shape[1]))
    for first in range(chunk.start, chunk.stop, step):
        yield slice(first, min(first + step, chunk.stop))


@inner
def place(X, i, k, centre):
    """x_ik, measured from the centre of its column; a centre of None is 0."""
    return np.float64(X[i, k]) if centre is None else X[i, k] - centre[k]


def measured_dot(X, i, centre, w):
    """<x_i - centre, w>, in whatever order of summation is fastest."""
    total = 0.0
    for k in range(X.shape[1]):
        total += place(X, i, k, centre) * w[k]
    return total


dot_loop = measured_dot
overload(measured_dot, jit_options={"fastmath": {"reassoc", "contract"}, "forceinline": True})(
    lambda X, i, centre, w: dot_loop
)


@compiled
def add_residuals(X, y, cost, targets, w, b, centre, first, last, pulled, sums, weight):
    """Add c r z of the rows from first to last, c z and c z^2 if there is room for them; return the sum of c r."""
    rest = 0.0
    for i in range(first, last, 4):
        j, k, m = min(i + 1, last - 1), min(i + 2, last - 1), min(i + 3, last - 1)  # rows beyond the last cost nothing
        costs = cost[i], cost[j] * (i + 1 < last), cost[k] * (i + 2 < last), cost[m] * (i + 3 < last)
        p = costs[0] * (targets[y[i]] - (measured_dot(X, i, centre, w) + b))
        q = costs[1] * (targets[y[j]] - (measured_dot(X, j, centre, w) + b))
        r = costs[2] * (targets[y[k]] - (measured_dot(X, k, centre, w) + b))
        s = costs[3] * (targets[y[m]] - (measured_dot(X, m, centre, w) + b))
        rest += (p + q) + (r + s)
        for h in range(X.shape[1]):
            front = p * place(X, i, h, centre) + q * place(X, j, h, centre)
            pulled[h] += front + (r * place(X, k, h, centre) + s * place(X, m, h, centre))
        if sums.shape[0] > 0:
            four = i, j, k, m
            add_columns(X, four, costs, centre, sums)
            for f in range(4):
                weight[y[four[f]]] += costs[f]
    return rest


@inner
def add_columns(X, four, costs, centre, sums):
    """Add c z and c z^2 of four rows."""
    i, j, k, m = four
    for h in range(X.shape[1]):
        p, q, r, s = place(X, i, h, centre), place(X, j, h, centre), place(X, k, h, centre), place(X, m, h, centre)
        a, b, c, e = costs[0] * p, costs[1] * q, costs[2] * r, costs[3] * s
        sums[0, h] += (a + b) + (c + e)
        sums[1, h] += (a * p + b * q) + (c * r + e * s)


@compiled
def add_to_classes(Z, y, root, sums, weight):
    """Add root z to the sum of each row's class, and root^2 to its weight."""
    for i in range(Z.shape[0]):
        row_axpy(root[i], Z, i, sums[y[i]])
        weight[y[i]] += root[i] * root[i]


@compiled
def add_some_to_classes(X, index, y, cost, sums, weight):
    """Add c x of some rows to the sum of each one's class, and c to its weight."""
    for r in range(index.size):
        i = index[r]
        own, c = y[i], cost[i]
        weight[own] += c
        for k in range(X.shape[1]):
            sums[own, k] += c * X[i, k]
