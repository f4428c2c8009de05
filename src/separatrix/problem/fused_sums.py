"""Fused sums: all sums over many dense rows that a fit needs, in one pass that reads each row once.

    X'C r with r = t - X w - b,     sum c x,     sum c x^2,     sums of classes

Products by blocks read every number from memory once, and from the cache once more for each of these sums; compiled
loops take four rows together, so that sums are not written back for each. They are for one vector w; for several,
products of blocks are quicker. Terms are added in the order of the rows, chunk by chunk.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.compiling import compiled, informed_numba, inner, loaded, overload
from separatrix.problem.problem import Problem
from separatrix.products import combination
from separatrix.rows import CSR, Rows, Vector, row_axpy
from separatrix.threads import row_chunks, summed

ROWS_PER_SUM = 8192  # whose terms are added in a row: rounding errors grow with the length of a sum
MIN_ENTRIES_FOR_LOOPS = 2**22  # with fewer, loading a compiled loop takes longer than it saves


class Fit(NamedTuple):
    """What rows are fitted to, and the plane w, b of rows less a centre (None: 0).

    Targets are those of the classes; None: each row has the number of the problem.
    """

    targets: Vector | None
    w: Vector
    b: float
    centre: Vector | None


class Sums(NamedTuple):
    """Where loops add sum c r z, [sum c z, sum c z^2] or nothing, and sum c of each class."""

    gradient: Vector
    columns: Vector
    weight: Vector


def worth_looping(X: Rows) -> bool:
    """Whether there are so many rows that compiled loops are quicker, and numba is installed."""
    return rows.n_rows(X) * rows.n_columns(X) >= MIN_ENTRIES_FOR_LOOPS and informed_numba() is not None


def residual_sums(
    problem: Problem, targets: Vector | None, w: Vector, b: float, centre: Vector | None, columns: bool
) -> tuple[Vector, ...]:
    """sum c r z, sum c r and sum c r^2 for r = t - w.z - b with z = x - centre, of dense rows; a centre of None is 0.

    Without targets of classes, those of the rows are the numbers of the problem. If the columns are asked for, too:
    sum c z, sum c z^2, and the sums of the costs of the classes. Sums of `ROWS_PER_SUM` rows are added to each other.

    >>> problem = Problem(np.array([[1.0], [3.0]]), np.array([0, 1]))
    >>> found = residual_sums(problem, np.array([-1.0, 1.0]), np.array([1.0]), 0.0, None, True)
    >>> [each.tolist() for each in found]
    [[-8.0], [-4.0], [8.0], [4.0], [10.0], [1.0, 1.0]]
    """
    X, y, cost, fit = problem.X, problem.y, problem.cost, Fit(targets, w, b, centre)
    assert not isinstance(X, CSR)

    def sums_of(part: slice) -> tuple[Vector, ...]:
        d = X.shape[1]
        into = Sums(np.zeros(d), np.zeros((2 if columns else 0, d)), np.zeros(problem.n_classes or 1))
        of_residuals = [np.array([each]) for each in add_residuals(X, y, cost, fit, part.start, part.stop, into)]
        more = (*into.columns, into.weight) if columns else ()
        return (into.gradient, *of_residuals, *more)

    def job(chunk: slice) -> tuple[Vector, ...]:
        cuts = range(chunk.start, chunk.stop, min(ROWS_PER_SUM, max(1, rows.ENTRIES_A_CALL // max(1, X.shape[1]))))
        found = [sums_of(slice(first, min(first + cuts.step, chunk.stop))) for first in cuts]
        return tuple(np.sum(each, axis=0) for each in zip(*found, strict=True))

    return summed(job, long_chunks(X))


def class_sums(problem: Problem, index: np.ndarray) -> tuple[Vector, Vector]:
    """sum c x and sum c over some rows of each of two classes.

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
    """Chunks of rows sixteen times as long as elsewhere: loops are quick, and there may be many passes."""
    return row_chunks(len(X), X.size // 16)


def call_parts(X: np.ndarray, chunk: slice) -> Iterator[slice]:
    """Parts of a chunk, each little enough work for one compiled call."""
    step = max(1, rows.ENTRIES_A_CALL // max(1, X.shape[1]))
    for first in range(chunk.start, chunk.stop, step):
        yield slice(first, min(first + step, chunk.stop))


@inner
def entry(X, i, k, centre):
    """x_ik, measured from the centre of its column; a centre of None is 0."""
    return np.float64(X[i, k]) if centre is None else X[i, k] - centre[k]


@inner
def target(targets, y, i):
    """What row i is fitted to: the target of its class, or without such targets its number."""
    return y[i] if targets is None else targets[y[i]]


@inner
def group(targets, y, i):
    """The class of row i; numbers are all in one group."""
    return 0 if targets is None else y[i]


def centred_dot(X, i, centre, w):
    """<x_i - centre, w>, in whatever order of summation is fastest."""
    total = 0.0
    for k in range(X.shape[1]):
        total += entry(X, i, k, centre) * w[k]
    return total


dot_loop = centred_dot
overload(centred_dot, jit_options={"fastmath": {"reassoc", "contract"}, "forceinline": True})(
    lambda X, i, centre, w: dot_loop
)


@compiled
def add_residuals(X, y, cost, fit, first, last, into):
    """Add c r z of the rows from first to last, and c z, c z^2 and c to columns; return sum c r and sum c r^2."""
    targets, w, b, centre = fit
    gradient, sums, weight = into
    total = square = 0.0
    for i in range(first, last, 4):
        j, k, m = min(i + 1, last - 1), min(i + 2, last - 1), min(i + 3, last - 1)  # rows beyond the last cost nothing
        costs = cost[i], cost[j] * (i + 1 < last), cost[k] * (i + 2 < last), cost[m] * (i + 3 < last)
        e = target(targets, y, i) - (centred_dot(X, i, centre, w) + b)
        f = target(targets, y, j) - (centred_dot(X, j, centre, w) + b)
        g = target(targets, y, k) - (centred_dot(X, k, centre, w) + b)
        h = target(targets, y, m) - (centred_dot(X, m, centre, w) + b)
        p, q, r, s = costs[0] * e, costs[1] * f, costs[2] * g, costs[3] * h
        total += (p + q) + (r + s)
        square += (p * e + q * f) + (r * g + s * h)
        for a in range(X.shape[1]):
            front = p * entry(X, i, a, centre) + q * entry(X, j, a, centre)
            gradient[a] += front + (r * entry(X, k, a, centre) + s * entry(X, m, a, centre))
        if sums.shape[0] > 0:
            four = i, j, k, m
            add_columns(X, four, costs, centre, sums)
            for place in range(4):
                weight[group(targets, y, four[place])] += costs[place]
    return total, square


@inner
def add_columns(X, four, costs, centre, sums):
    """Add c z and c z^2 of four rows."""
    i, j, k, m = four
    for h in range(X.shape[1]):
        p, q = entry(X, i, h, centre), entry(X, j, h, centre)
        r, s = entry(X, k, h, centre), entry(X, m, h, centre)
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
