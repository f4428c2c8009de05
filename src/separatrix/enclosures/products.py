"""Products of rows with vectors, with a proved bound on the rounding error of each number.

    scores        |computed - (w.x_i + b)|       <=  g_k (|w|.|x_i| + |b|)
    combination   |computed - sum_i u_i x_ij|    <=  g_k sum_i |u_i x_ij|             g_k = k u / (1 - k u)

k is the number of roundings that a term may go through, in whatever order linear algebra adds them (Higham, 2002,
chapter 3). A sum over many rows is made of sums over few, so that k does not grow with their number. Products that
underflow lose at most the smallest denormal number each.
"""

from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.products import cached_rows, chunks_of, product, row_parts
from separatrix.rows import CSR, SMALLEST, UNIT_ROUNDOFF, Rows, Vector, rounding_bound
from separatrix.threads import parallel_map, summed

ROWS_PER_SUM = 256  # that linear algebra adds in whatever order it likes


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
    n, d, entries = rows.n_rows(X), rows.n_columns(X), rows.n_entries(X)
    step = ROWS_PER_SUM if not isinstance(X, CSR) else max(ROWS_PER_SUM, 4 * d * n // max(1, entries))
    larger = np.abs(u)

    def sum_chunk(chunk: slice) -> tuple[Vector, Vector]:
        total, size = (np.zeros((d, *u.shape[1:])) for _ in range(2))
        for part, matrix in row_parts(X, chunk, step):
            moved = matrix if centre is None else matrix - centre
            total += product(moved.T, u[part])
            size += product(abs(moved).T, larger[part])
        return total, size

    chunks = chunks_of(X, 2 * d * (u.size // max(1, len(u))))
    total, size = summed(sum_chunk, chunks)
    longest = max(chunk.stop - chunk.start for chunk in chunks)
    n_terms = min(step, longest) + -(-longest // step) + len(chunks) + 1
    return Enclosed(total, rounding_bound(n_terms) * size + 2.0 * n * SMALLEST)


def rounding_bounds(n_terms: np.ndarray) -> np.ndarray:
    """`rows.rounding_bound` of several numbers of terms."""
    n_roundings = (n_terms + 2) * rows.UNIT_ROUNDOFF
    return 2.0 * n_roundings / (1.0 - n_roundings)
