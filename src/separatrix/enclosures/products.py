"""Products of rows with vectors, with a proved bound on the rounding error of each number.

    scores        |computed - (w.x_i + b)|       <=  g_k (|w|.|x_i| + |b|)
    combination   |computed - sum_i u_i x_ij|    <=  g_k sum_i |u_i x_ij|             g_k = k u / (1 - k u)

k is the number of roundings that a term may go through, in whatever order linear algebra adds them (Higham, 2002,
chapter 3). A sum over many rows is made of sums over few, which are added by halves, so that k grows with the logarithm
of their number only. Products that underflow lose at most the smallest denormal number each.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.products import cached_rows, chunks_of, dense_rows, product, row_parts, row_slice
from separatrix.rows import CSR, SMALLEST, UNIT_ROUNDOFF, Rows, Vector
from separatrix.threads import parallel_map

ROWS_PER_SUM = 16  # that linear algebra adds in whatever order it likes


class Enclosed(NamedTuple):
    """Numbers, each with how far it is from the true one at most."""

    value: Vector
    radius: Vector

    def plus(self, other: "Enclosed") -> "Enclosed":
        """The sums of both."""
        total = self.value + other.value
        inflated = 1.0 + 4.0 * UNIT_ROUNDOFF  # radii are rounded too
        return Enclosed(total, (self.radius + other.radius) * inflated + 2.0 * UNIT_ROUNDOFF * np.abs(total))


def enclosed_scores(X: Rows, w: Vector, b: Vector | float) -> Enclosed:
    """w.x + b of each row, for one plane or, with w of shape (d, p), for several.

    >>> found = enclosed_scores(np.array([[0.1, 0.2], [1e16, 1.0]]), np.array([1.0, 3.0]), -1e16)
    >>> bool(abs(found.value[1] - 3.0) <= found.radius[1]), found.radius[0] > 1.0  # 1e16 is part of both sums
    (True, np.True_)
    """
    value, size = (np.empty((rows.n_rows(X), *w.shape[1:])) for _ in range(2))
    if not w.any():
        value[:], size[:] = b, 0.0
        return Enclosed(value, size)
    larger = np.abs(w)

    def put(chunk: slice) -> None:
        for part, matrix in row_parts(X, chunk, cached_rows(X)):
            value[part], size[part] = product(matrix, w), product(abs(matrix), larger)

    for _ in parallel_map(put, chunks_of(X)):
        pass
    value += b
    size += np.abs(b)
    counts: np.ndarray = np.array(X.shape[1]) if not isinstance(X, CSR) else np.diff(X.indptr)
    counts = counts.reshape(counts.shape + (1,) * (size.ndim - 1)) if counts.ndim else counts
    size *= rounding_bounds(counts + 1)
    size += (counts + 2) * SMALLEST
    return Enclosed(value, size)


def enclosed_combination(X: Rows, u: Vector, centre: Vector | None = None) -> Enclosed:
    """The sum of u_i (x_i - centre), for one vector u or, with u of shape (n, p), for several; no centre is 0.

    >>> found = enclosed_combination(np.array([[1e16], [1.0], [-1e16]]), np.ones(3))
    >>> bool(abs(found.value[0] - 1.0) <= found.radius[0])
    True
    """
    if not rows.n_rows(X):
        return Enclosed(*np.zeros((2, rows.n_columns(X), *u.shape[1:])))
    several = u if u.ndim == 2 else u[:, None]
    chunks = chunks_of(X, 2 * rows.n_columns(X) * several.shape[1])
    add: Any = sparse_sums if isinstance(X, CSR) else dense_sums
    found = list(parallel_map(lambda chunk: add(X, several, chunk, centre), chunks))
    total, depth = by_halves(np.array([each.total for each in found]))
    size = np.sum([each.size for each in found], axis=0)
    n_terms = np.max([each.n_terms for each in found], axis=0) + depth + 1
    radius = rounding_bounds(n_terms) * size + 4.0 * rows.n_rows(X) * SMALLEST
    shape = (rows.n_columns(X), *u.shape[1:])
    return Enclosed(total.T.reshape(shape), radius.T.reshape(shape))


class Sums(NamedTuple):
    """The sums of a chunk of rows, of shape (p, d), those of the sizes of their terms, and additions for each term."""

    total: Vector
    size: Vector
    n_terms: np.ndarray


def dense_sums(X: np.ndarray, u: Vector, chunk: slice, centre: Vector | None) -> Sums:
    """Sums over dense rows: few rows at a time by linear algebra, and what these give by halves."""
    totals, size, most = [], np.zeros((u.shape[1], X.shape[1])), 0
    for part, matrix in row_parts(X, chunk, cached_rows(X)):
        moved = matrix if centre is None else matrix - centre
        own = u[part].T
        whole = len(matrix) - len(matrix) % ROWS_PER_SUM
        n_blocks = whole // ROWS_PER_SUM
        blocks = moved[:whole].reshape(n_blocks, ROWS_PER_SUM, X.shape[1])
        weights = own[:, :whole].reshape(len(own), n_blocks, ROWS_PER_SUM).transpose(1, 0, 2)
        found = [*np.matmul(weights, blocks), product(own[:, whole:], moved[whole:])]
        total, depth = by_halves(np.array(found))
        totals.append(total)
        size += product(np.abs(own), np.abs(moved))
        most = max(most, depth)
    total, depth = by_halves(np.array(totals))
    return Sums(total, size, np.array(ROWS_PER_SUM + most + depth + 2))


def sparse_sums(X: CSR, u: Vector, chunk: slice, centre: Vector | None) -> Sums:
    """Sums over sparse rows: a term goes through as many additions as its column has entries."""
    if centre is not None:  # which is subtracted from each row, as sums of rows as they are would have too few digits
        dense = dense_rows(X, np.arange(chunk.start, chunk.stop))
        return dense_sums(dense, u[chunk], slice(0, len(dense)), centre)
    matrix = row_slice(X, chunk)
    counts = np.bincount(matrix.indices, minlength=X.n_columns)
    return Sums((matrix.T @ u[chunk]).T, (abs(matrix).T @ np.abs(u[chunk])).T, counts + 1)


def by_halves(parts: Vector) -> tuple[Vector, int]:
    """The sum along the first axis, of neighbours first, and how many additions each part goes through."""
    depth = 0
    while len(parts) > 1:
        even = len(parts) - len(parts) % 2
        parts = np.concatenate([parts[:even:2] + parts[1:even:2], parts[even:]])
        depth += 1
    return (parts[0] if len(parts) else np.zeros(parts.shape[1:])), depth


def rounding_bounds(n_terms: np.ndarray) -> np.ndarray:
    """`rows.rounding_bound` of several numbers of terms."""
    n_roundings = (n_terms + 2) * rows.UNIT_ROUNDOFF
    return 2.0 * n_roundings / (1.0 - n_roundings)
