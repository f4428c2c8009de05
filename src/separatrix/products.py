"""Products of all rows with vectors, at the speed of the memory: X w and X'u.

Sums are float64. Rows in float32 are converted a few thousand at a time, never all of them. Chunks of rows are
processed in parallel.
"""

from collections.abc import Iterator
from typing import Any, TypeGuard

import numpy as np
from scipy import sparse

from separatrix import rows
from separatrix.rows import CSR, Rows, Vector
from separatrix.threads import parallel_map, row_chunks, summed

CACHED_ENTRIES = 2**17  # entries that stay in the cache while they are used twice


def scores(X: Rows, w: Vector) -> Vector:
    """X w, for one vector or a matrix of them.

    >>> scores(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])).tolist()
    [-1.0, -1.0]
    """
    if is_small(X):
        return product(X, w)
    into = np.empty((rows.n_rows(X), *w.shape[1:]))

    def put(chunk: slice) -> None:
        for part, matrix in parts(X, chunk):
            into[part] = product(matrix, w)

    for _ in parallel_map(put, chunks_of(X)):
        pass
    return into


def combination(X: Rows, u: Vector) -> Vector:
    """X'u, the sum of the rows with weights u, for one vector or a matrix of them.

    >>> combination(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])).tolist()
    [-2.0, -2.0]
    """
    if is_small(X):
        return product(X.T, u)

    def sum_chunk(chunk: slice) -> tuple[Vector]:
        total = np.zeros((rows.n_columns(X), *u.shape[1:]))
        for part, matrix in parts(X, chunk):
            total += product(matrix.T, u[part])
        return (total,)

    return summed(sum_chunk, chunks_of(X, rows.n_columns(X) * (u.size // max(1, len(u)))))[0]


def weighted_gram(A: Vector, weights: Vector) -> Vector:
    """A' diag(weights) A of a dense matrix, for weights that are not negative.

    >>> weighted_gram(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 4.0])).tolist()
    [[37.0, 50.0], [50.0, 68.0]]
    """

    def square(part: slice) -> tuple[Vector]:
        weighted = A[part] * np.sqrt(weights[part])[:, None]
        return (product(weighted.T, weighted),)

    return summed(square, row_chunks(len(A), A.size, A.shape[1] ** 2))[0]


def product(A: Any, B: Any) -> Vector:
    """A B, of which at most A is sparse; NumPy's own `@` lets no other thread go on while it makes few numbers.

    >>> product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])).tolist()
    [-1.0, -1.0]
    """
    return np.dot(A, B) if isinstance(A, np.ndarray) else A @ B


def score_size(X: Rows, w: Vector) -> float:
    """The largest sum_j |x_j w_j| of some rows: scores are rounded by units of it, even where their terms cancel.

    >>> score_size(np.array([[3.0, 3.0], [1.0, 2.0]]), np.array([1.0, -1.0]))
    6.0
    """
    n, d = rows.n_rows(X), max(1, rows.n_columns(X))
    some = rows.every(X, max(1, n // min(256, max(1, CACHED_ENTRIES // d))))
    positive = some._replace(data=np.abs(some.data)) if isinstance(some, CSR) else np.abs(some)
    return float(scores(positive, np.abs(w)).max(initial=0.0))


def dense_rows(X: Rows, index: np.ndarray) -> Vector:
    """Copy of the rows with the given numbers, as a dense float64 array."""
    taken = rows.take(X, index)
    return np.asarray(as_matrix(taken).toarray() if isinstance(taken, CSR) else taken, dtype=np.float64)


def is_small(X: Rows) -> TypeGuard[Vector]:
    """Whether a product of these rows needs neither chunks nor a conversion."""
    return isinstance(X, np.ndarray) and X.dtype == np.float64 and X.size <= CACHED_ENTRIES


def chunks_of(X: Rows, made: int = 1) -> list[slice]:
    """Chunks of rows, each worth a thread of its own and the memory of the numbers made of it."""
    return row_chunks(rows.n_rows(X), rows.n_entries(X), made)


def parts(X: Rows, chunk: slice | None = None) -> Iterator[tuple[slice, Any]]:
    """Slices of row numbers with these rows as a matrix, little enough for one call; all rows, or those of a chunk."""
    wide = (X.data if isinstance(X, CSR) else X).dtype == np.float64
    n, most = rows.n_rows(X), rows.ENTRIES_A_CALL if wide else CACHED_ENTRIES
    return row_parts(X, chunk or slice(0, n), max(1, n * most // max(1, n, rows.n_entries(X))))


def row_parts(X: Rows, chunk: slice, step: int) -> Iterator[tuple[slice, Any]]:
    """Slices of the row numbers of a chunk with these rows as a matrix, so many at a time."""
    for first in range(chunk.start, chunk.stop, step):
        part = slice(first, min(first + step, chunk.stop))
        yield part, row_slice(X, part)


def cached_rows(X: Rows, entries: int = 2**18) -> int:
    """How many rows to process at a time: so few that they are still in the cache for their second use.

    Of sparse rows so many that a sum over them, which is dense, is made from far more entries than it has itself.
    """
    if not isinstance(X, CSR):
        return max(256, entries // max(1, rows.n_columns(X)))
    return max(256, max(2**20, 16 * X.n_columns) // max(1, rows.n_entries(X) // rows.n_rows(X)))


def row_slice(X: Rows, part: slice) -> Any:
    """Rows next to each other as a matrix: a view, of float32 a float64 copy."""
    if not isinstance(X, CSR):
        return np.asarray(X[part], dtype=np.float64)
    if part.stop - part.start == rows.n_rows(X):
        return as_matrix(X)
    first, last = X.indptr[part.start], X.indptr[part.stop]
    return as_matrix(
        CSR(X.data[first:last], X.indices[first:last], X.indptr[part.start : part.stop + 1] - first, X.n_columns)
    )


def native_matrix(X: Rows) -> Any:
    """Rows as NumPy or SciPy knows them, in their own type; the memory is shared."""
    return sparse.csr_array(X[:3], shape=(rows.n_rows(X), X.n_columns)) if isinstance(X, CSR) else X


def as_matrix(X: CSR) -> Any:
    """Compressed rows as SciPy knows them, in float64; the memory is shared where it can be."""
    matrix = sparse.csr_array((rows.n_rows(X), X.n_columns), dtype=np.float64)
    matrix.data, matrix.indices, matrix.indptr = X.data.astype(np.float64, copy=False), X.indices, X.indptr
    return matrix
