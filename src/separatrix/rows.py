"""Rows of a matrix, dense or sparse, for loops that are written once.

A matrix of rows is either a C-ordered 2-D array or a `CSR` named tuple (Tinney and Walker, 1967). Compiled loops
reach an entry only through `row_span`, `row_value` and `row_column`, so no other code has to know which of the two
it was given. Values may be float32 or float64, indices 32 or 64 bits; sums are always float64.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from separatrix.compiling import compiled, inner, overload

Vector: TypeAlias = NDArray[np.float64]

TINY = float(np.finfo(np.float64).tiny)  # smallest normal number; keeps divisors above 0
UNIT_ROUNDOFF = 2.0**-53
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
ENTRIES_A_CALL = 2**25  # a tenth of a second or less, after which Python may see Ctrl-C
CACHE_LINE = 64  # bytes that come from memory together
TILE = 64  # rows whose scores are computed together, a multiple of every vector unit's width


class CSR(NamedTuple):
    """Compressed sparse rows: row i has the entries `indptr[i]` to `indptr[i + 1]`, columns ascending."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    n_columns: int


Rows: TypeAlias = np.ndarray | CSR


# What a row is: three small functions for each way of storing it.


def row_span(X: Rows, i: int) -> Any:
    """First and past-the-last entry of row i."""
    return (0, X.shape[1]) if isinstance(X, np.ndarray) else (X.indptr[i], X.indptr[i + 1])


def row_value(X: Rows, i: int, k: int) -> Any:
    """Value of entry k of row i."""
    return float(X[i, k]) if isinstance(X, np.ndarray) else float(X.data[k])


def row_column(X: Rows, k: int) -> Any:
    """Column of entry k."""
    return k if isinstance(X, np.ndarray) else X.indices[k]


def row_prefetch(X: Rows, i: int) -> None:
    """Ask the memory for row i, whose turn is soon: in random order it would be waited for."""


def is_dense(X: Any) -> bool:
    """Tell an array's numba type from a `CSR`'s."""
    from numba.core import types

    return isinstance(X, types.Array)


# Unsigned indices: for signed ones numba tests each time whether they count from the end.


@overload(row_span, inline="always")
def _row_span(X, i):
    if is_dense(X):
        return lambda X, i: (np.uintp(0), np.uintp(X.shape[1]))
    return lambda X, i: (np.uintp(X.indptr[i]), np.uintp(X.indptr[i + 1]))


@overload(row_value, inline="always")
def _row_value(X, i, k):
    if is_dense(X):
        return lambda X, i, k: np.float64(X[np.uintp(i), k])
    return lambda X, i, k: np.float64(X.data[k])


@overload(row_column, inline="always")
def _row_column(X, k):
    if is_dense(X):
        return lambda X, k: k
    return lambda X, k: np.uintp(X.indices[k])


@cache
def prefetching() -> Any:
    """Define `prefetch(array, k)` for compiled loops, which takes numba."""
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def prefetch(typing_context, array, k):
        """The processor's own instruction to fetch the line that holds entry k of a flat array."""

        def generate(context, builder, signature, arguments):
            memory = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            address = builder.bitcast(builder.gep(memory, [arguments[1]]), ir.IntType(8).as_pointer())
            word = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [address.type, word, word, word])
            fetch = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
            builder.call(fetch, [address, word(0), word(3), word(1)])  # to read, keep it, data
            return context.get_dummy_value()

        return types.void(array, k), generate

    return prefetch


@overload(row_prefetch)
def _row_prefetch(X, i):
    prefetch = prefetching()
    if is_dense(X):

        def fetch_dense(X, i):
            first, last = i * X.shape[1], (i + 1) * X.shape[1] - 1
            line = CACHE_LINE // X.itemsize
            for k in range(first, min(last, first + 16 * line), line):  # long rows stream in by themselves
                prefetch(X, k)
            prefetch(X, last)  # a row seldom starts with a line, so it may end one line later

        return fetch_dense

    def fetch_sparse(X, i):
        line = CACHE_LINE // X.data.itemsize
        for k in range(X.indptr[i], min(X.indptr[i + 1], X.indptr[i] + 16 * line), line):
            prefetch(X.data, k)
            prefetch(X.indices, k)

    return fetch_sparse


# What is done with a row: written once.


def row_dot(X, i, w):
    """<x_i, w>, in whatever order of summation is fastest; w may be longer than the row."""
    total = 0.0
    first, last = row_span(X, i)
    for k in range(first, last):
        total += row_value(X, i, k) * w[row_column(X, k)]
    return total


# Vector units need leave to reorder a sum. Sparse rows are left alone: gathering costs them more than it gains.
dot_loop = row_dot
overload(row_dot, jit_options={"fastmath": {"reassoc", "contract"}, "forceinline": True})(
    lambda X, i, w: dot_loop if is_dense(X) else None
)
overload(row_dot, jit_options={"forceinline": True})(lambda X, i, w: None if is_dense(X) else dot_loop)


@compiled
def row_axpy(c, X, i, w):
    """w += c x_i, in place."""
    first, last = row_span(X, i)
    for k in range(first, last):
        w[row_column(X, k)] += c * row_value(X, i, k)


@inner
def add_four(X, i, a, b, c, e, into):
    """into += a x_i + b x_(i+1) + c x_(i+2) + e x_(i+3) of dense rows: sums are not written back for each."""
    for k in range(np.uintp(X.shape[1])):
        into[k] += (a * X[i, k] + b * X[i + 1, k]) + (c * X[i + 2, k] + e * X[i + 3, k])


@inner
def row_norm2(X, i):
    """||x_i||^2."""
    total = 0.0
    first, last = row_span(X, i)
    for k in range(first, last):
        value = row_value(X, i, k)
        total += value * value
    return total


@inner
def row_size(X, i, w):
    """<|x_i|, |w|>: the scale of the rounding errors in <x_i, w>."""
    total = 0.0
    first, last = row_span(X, i)
    for k in range(first, last):
        total += abs(row_value(X, i, k) * w[row_column(X, k)])
    return total


@inner
def halves(a):
    """Split a into two numbers of 26 bits, so that their products are exact (Veltkamp, 1968)."""
    c = 134217729.0 * a
    high = c - (c - a)
    return high, a - high


@inner
def row_score_parts(X, i, w):
    """<x_i, w> + b as if in twice the precision (Ogita, Rump and Oishi, 2005), as two numbers to add; w = [w..., b].

    Columns are taken in order and zeros change nothing: dense and sparse rows give the same numbers to the last bit.
    """
    total = w[w.size - 1]
    lost = 0.0
    first, last = row_span(X, i)
    for k in range(first, last):
        x, v = row_value(X, i, k), w[row_column(X, k)]
        product = x * v
        (a, b), (c, d) = halves(x), halves(v)
        lost += b * d - (((product - a * c) - b * c) - a * d)
        new = total + product
        back = new - total
        lost += (total - (new - back)) + (product - back)
        total = new
    return total, lost


@inner
def row_score_twice(X, i, w):
    """<x_i, w> + b, w = [w..., b], from twice the precision: its sign does not depend on how the row is stored."""
    high, low = row_score_parts(X, i, w)
    return high + low


@compiled
def measured_rows(X, index, signs, centre, unit, into):
    """y_i (x_i - centre) unit of the rows with the given numbers, into the first columns of an array."""
    for r in range(index.size):
        i = index[r]
        for j in range(centre.size):
            into[r, j] = -centre[j]
        first, last = row_span(X, i)
        for k in range(first, last):
            into[r, row_column(X, k)] += row_value(X, i, k)
        for j in range(centre.size):
            into[r, j] *= signs[i] * unit[j]


@compiled
def norms2(X, first, last, into):
    """||x_i||^2 for the rows from first to last, into an array."""
    for i in range(first, last):
        into[i] = row_norm2(X, i)


@compiled
def scores_and_sizes(X, w, first, last, scores, sizes):
    """<x_i, w> + b and the scale of its rounding error, for the rows from first to last, w = [w..., b]."""
    b = w[w.size - 1]
    for i in range(first, last):
        scores[i] = row_dot(X, i, w) + b
        sizes[i] = row_size(X, i, w) + abs(b)


def tile_scores(X, tile, w, into):
    """<x, w> + b of each row of a tile, in the precision of w = [w..., b], into an array."""
    if isinstance(X, np.ndarray):
        into[:] = w[:-1] @ X[tile] + w[-1]
        return
    for i in range(tile * TILE, min((tile + 1) * TILE, n_rows(X))):
        into[i - tile * TILE] = row_dot(X, i, w) + w[-1]


@inner
def add_columns(X, tile, k, w, into):
    """Add four columns of a tile at once, so that sums are not written back each time."""
    a, b, c, e = w[k], w[k + 1], w[k + 2], w[k + 3]
    for r in range(TILE):
        front = a * X[tile, k, r] + b * X[tile, k + 1, r]
        into[r] += front + (c * X[tile, k + 2, r] + e * X[tile, k + 3, r])


@overload(tile_scores, jit_options={"_nrt": False})
def _tile_scores(X, tile, w, into):
    def dense_scores(X, tile, w, into):
        d = X.shape[1]
        for r in range(TILE):
            into[r] = w[d]
        for k in range(0, d - 3, 4):
            add_columns(X, tile, k, w, into)
        for k in range(d - d % 4, d):
            for r in range(TILE):
                into[r] += w[k] * X[tile, k, r]

    def sparse_scores(X, tile, w, into):
        first = tile * TILE
        for r in range(min(TILE, X.indptr.size - 1 - first)):
            into[r] = row_dot(X, first + r, w) + w[w.size - 1]

    return dense_scores if is_dense(X) else sparse_scores


def rounding_bound(n_terms: int) -> float:
    """How far a sum of `n_terms` products, added in any order, can be from the truth, relative to `row_size`.

    Twice the usual n u / (1 - n u), which also covers that the scale itself was rounded (Higham, 2002, chapter 3).
    """
    n_roundings = (n_terms + 2) * UNIT_ROUNDOFF
    return 2.0 * n_roundings / (1.0 - n_roundings)


# Whole matrices.


def n_rows(X: Rows) -> int:
    """Number of rows."""
    return X.shape[0] if isinstance(X, np.ndarray) else X.indptr.size - 1


def n_columns(X: Rows) -> int:
    """Number of columns."""
    return X.shape[1] if isinstance(X, np.ndarray) else X.n_columns


def n_entries(X: Rows) -> int:
    """Number of stored entries: the work of one pass."""
    return X.size if isinstance(X, np.ndarray) else X.data.size


def chunks(X: Rows, vectors: int = 1) -> Iterator[slice]:
    """Slices of row numbers, each little enough work for one compiled call against that many vectors."""
    n = n_rows(X)
    work = max(1, n, n_entries(X)) * vectors
    size = max(1, min(n, n * ENTRIES_A_CALL // work))
    return (slice(first, min(first + size, n)) for first in range(0, n, size))


def take(X: Rows, index: np.ndarray) -> Rows:
    """Copy of the rows with the given numbers."""
    if isinstance(X, np.ndarray):
        return np.take(X, index, axis=0)
    counts = np.diff(X.indptr)[index]
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(X.indptr.dtype)
    entries = np.repeat(X.indptr[:-1][index] - indptr[:-1], counts) + np.arange(indptr[-1])
    return CSR(X.data[entries], X.indices[entries], indptr, X.n_columns)


def every(X: Rows, step: int) -> Rows:
    """Every so many-th row, from the first on; a view where they are dense."""
    return X[::step] if isinstance(X, np.ndarray) else take(X, np.arange(0, n_rows(X), step))


def tiled(X: Rows, scale: float) -> Rows:
    """The rows times a scale in float32, for `tile_scores`: dense ones by tiles of shape (d, TILE), side by side."""
    if isinstance(X, CSR):
        return CSR((X.data * scale).astype(np.float32), X.indices, X.indptr, X.n_columns)
    n, d = X.shape
    padded = np.zeros((-(-n // TILE) * TILE, d), dtype=np.float32)
    np.multiply(X, scale, out=padded[:n], casting="same_kind")
    return np.ascontiguousarray(padded.reshape(-1, TILE, d).transpose(0, 2, 1))


def dense_row(X: Rows, i: int) -> Vector:
    """Row i as a dense float64 vector."""
    if isinstance(X, np.ndarray):
        return np.asarray(X[i], dtype=np.float64)
    row = np.zeros(X.n_columns)
    span = slice(X.indptr[i], X.indptr[i + 1])
    row[X.indices[span]] = X.data[span]
    return row


def squares(X: Rows) -> Vector:
    """||x_i||^2 of each row."""
    into = np.empty(n_rows(X))
    for part in chunks(X):
        norms2(X, part.start, part.stop, into)
    return into


def length(v: Vector) -> float:
    """||v||, also where its square would overflow or vanish."""
    largest = float(np.abs(v).max(initial=0.0))
    if not 0.0 < largest < np.inf:
        return largest
    scaled = np.ravel(v) / largest
    return largest * float(scaled.dot(scaled)) ** 0.5


def locked(X: Rows) -> Rows:
    """Read-only views of the rows, which are of one type for compiled code, whoever owns the memory."""
    if isinstance(X, CSR):
        return CSR(read_only(X.data), read_only(X.indices), read_only(X.indptr), X.n_columns)
    return read_only(X)


def read_only(array: np.ndarray) -> np.ndarray:
    """A plain view of an array that cannot be written to."""
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view
