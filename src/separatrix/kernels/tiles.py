"""Kernel values of all pairs of rows, tile by tile, which stays in the cache while products become values.

K_ij = K(a_i, b_j)                 the matrix of all values
f_j = sum_i c_i K(a_i, b_j)        an expansion, for which no value is kept
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix import rows
from separatrix.errors import DataError
from separatrix.kernels.distances import NO_SHIFT, Block, block_of, centre, inner_products, squared_distances
from separatrix.kernels.rows_of import aligned
from separatrix.products import row_slice
from separatrix.rows import CSR, Rows, Vector
from separatrix.threads import parallel_map

TILE_ROWS = 1024  # rows on each side of a tile of a matrix, whose 8 MB are worth a product
SUPPORT_ROWS, OTHER_ROWS = 128, 512  # of a tile of an expansion: half a MB
SPARSE_ROWS = 1024  # on both sides, where a product has overheads of its own


def kernel_matrix(kernel: Any, A: Rows, B: Rows | None = None) -> Vector:
    """K of all rows of A with all of B, or with all of A, for a kernel by products of encoded rows."""
    left, right = aligned(A, A if B is None else B)
    shift = centre(left, right) if kernel.shift_invariant else NO_SHIFT
    into = np.empty((rows.n_rows(left), rows.n_rows(right)))

    def put(tile: tuple[slice, slice]) -> None:
        here, there = tile
        with np.errstate(all="ignore"):  # what is not finite is reported below
            blocks = block_of(row_slice(left, here), shift), block_of(row_slice(right, there), shift)
            into[here, there] = kernel_tile(kernel, *blocks)
        if B is None and here != there:
            into[there, here] = into[here, there].T

    for _ in parallel_map(put, tiles(*into.shape, symmetric=B is None)):
        pass
    check_values(into, kernel)
    return into


def expansion(kernel: Any, support: Rows, coefficients: Vector, X: Rows) -> Vector:
    """sum_i coefficients_i K(support_i, x) for each row x of X and each column of the coefficients."""
    left, right = aligned(support, X)
    shift = centre(left, right) if kernel.shift_invariant else NO_SHIFT
    sparse = isinstance(left, CSR) or isinstance(right, CSR)
    some, others = (SPARSE_ROWS, SPARSE_ROWS) if sparse else (SUPPORT_ROWS, OTHER_ROWS)
    blocks = [(part, block_of(row_slice(left, part), shift)) for part in slices(rows.n_rows(left), some)]
    into = np.zeros((rows.n_rows(right), *coefficients.shape[1:]))

    def put(part: slice) -> None:
        with np.errstate(all="ignore"):
            other = block_of(row_slice(right, part), shift)
            for own, block in blocks:
                into[part] += np.dot(kernel_tile(kernel, block, other).T, coefficients[own])

    for _ in parallel_map(put, slices(rows.n_rows(right), others)):
        pass
    if not np.isfinite(into).all():
        wrong = int(np.flatnonzero(~np.isfinite(into.reshape(len(into), -1)).all(axis=1))[0])
        check_values(kernel_matrix(kernel, left, rows.take(right, np.array([wrong]))), kernel)
    return into


def kernel_tile(kernel: Any, A: Block, B: Block) -> Vector:
    """K of all rows of one block with all of another."""
    if kernel.shift_invariant:
        return kernel.of_distances(squared_distances(A, B))
    return kernel.of_products(inner_products(A.rows, B.rows), A.squares[:, None], B.squares)


def tiles(n: int, m: int, *, symmetric: bool = False) -> Iterator[tuple[slice, slice]]:
    """Parts of a matrix of n x m values; of a symmetric one those on the diagonal and above."""
    for here in slices(n, TILE_ROWS):
        for there in slices(m, TILE_ROWS):
            if not symmetric or there.start >= here.start:
                yield here, there


def slices(n: int, size: int) -> list[slice]:
    """Slices of n rows, so many each."""
    return [slice(first, min(first + size, n)) for first in range(0, n, size)]


def check_values(K: Vector, kernel: Any) -> None:
    """Refuse values that are not finite, and say of which rows."""
    with np.errstate(all="ignore"):
        if np.isfinite(K.sum()):
            return
    wrong = np.argwhere(~np.isfinite(K))
    if wrong.size:
        i, j = int(wrong[0][0]), int(wrong[0][-1])  # of a diagonal there is one number
        raise DataError(
            f"The kernel {kernel!r} of rows {i} and {j} is {K[tuple(wrong[0])]}. Rows must hold finite numbers, "
            "small enough for this kernel: scale them, lower its degree or gamma, or normalise it."
        )
