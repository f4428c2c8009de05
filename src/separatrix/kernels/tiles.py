"""Kernel values of all pairs of rows, tile by tile, so that little more memory is needed than for the values.

    ||x - z||^2 = ||x||^2 + ||z||^2 - 2 <x, z>

loses digits where both rows are far from the origin, or close to each other. So rows are first centred by the mean of
the left ones, unless that would fill sparse rows, and where the distance is still a small part of the norms it is
computed again from the difference of the rows. Equal rows have the distance 0, exactly.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from separatrix import rows
from separatrix.errors import DataError
from separatrix.kernels.rows_of import aligned
from separatrix.problem.moments import mostly_empty
from separatrix.products import combination, parts, row_slice
from separatrix.rows import Rows, Vector
from separatrix.threads import parallel_map

TILE_ROWS = 1024  # rows on each side of a tile, whose 8 MB are worth a product
DIFFERENCE_ENTRIES = 2**20  # numbers of the differences of rows that are computed together
MAX_CANCELLATION = 2.0**-10  # of ||x||^2 + ||z||^2: closer rows would lose more than three digits
NO_SHIFT = np.zeros(0)


def kernel_matrix(kernel: Any, A: Rows, B: Rows | None = None) -> Vector:
    """K of all rows of A with all of B, or with all of A, for a kernel by products of encoded rows."""
    left, right = aligned(A, A if B is None else B)
    shift = centre(left, right) if kernel.shift_invariant else NO_SHIFT
    into = np.empty((rows.n_rows(left), rows.n_rows(right)))

    def put(tile: tuple[slice, slice]) -> None:
        here, there = tile
        with np.errstate(all="ignore"):  # what is not finite is reported below
            into[here, there] = kernel_tile(kernel, row_slice(left, here), row_slice(right, there), shift)
        if B is None and here != there:
            into[there, here] = into[here, there].T

    for _ in parallel_map(put, tiles(*into.shape, symmetric=B is None)):
        pass
    check_values(into, kernel)
    return into


def kernel_tile(kernel: Any, A: Any, B: Any, shift: Vector) -> Vector:
    """K of all rows of one block with all of another."""
    if kernel.shift_invariant:
        return kernel.of_distances(squared_distances(A, B, shift))
    return kernel.of_products(inner_products(A, B), block_squares(A)[:, None], block_squares(B))


def tiles(n: int, m: int, *, symmetric: bool = False) -> Iterator[tuple[slice, slice]]:
    """Parts of a matrix of n x m values; of a symmetric one those on the diagonal and above."""
    for i in range(0, n, TILE_ROWS):
        for j in range(i if symmetric else 0, m, TILE_ROWS):
            yield slice(i, min(i + TILE_ROWS, n)), slice(j, min(j + TILE_ROWS, m))


def squared_distances(A: Any, B: Any, shift: Vector) -> Vector:
    """||a - b||^2 of all rows of two blocks, which are far from the origin by about the shift, if any."""
    moved, other = (moved_block(each, shift) for each in (A, B))
    sizes = block_squares(moved)[:, None] + block_squares(other)
    D = inner_products(moved, other)
    D *= -2.0
    D += sizes
    sizes *= MAX_CANCELLATION
    i, j = np.nonzero(sizes >= D)
    step = max(1, DIFFERENCE_ENTRIES // max(1, entries_per_row(A, B)))
    for first in range(0, i.size, step):
        near = i[first : first + step], j[first : first + step]
        D[near] = block_squares(difference(A[near[0]], B[near[1]]))
    return D


def entries_per_row(A: Any, B: Any) -> int:
    """How many numbers the difference of a row of A and a row of B has, about."""
    if sparse.issparse(A) and sparse.issparse(B):
        return int(A.nnz // max(1, A.shape[0]) + B.nnz // max(1, B.shape[0]))
    return int(A.shape[1])


def difference(A: Any, B: Any) -> Any:
    """A - B, which is sparse where both are."""
    return A - B if sparse.issparse(A) == sparse.issparse(B) else np.asarray(A - B)


def moved_block(block: Any, shift: Vector) -> Any:
    """A block less the shift, if there is any."""
    if not shift.size:
        return block
    return (block.toarray() if sparse.issparse(block) else block) - shift


def inner_products(A: Any, B: Any) -> Vector:
    """<a, b> of all rows of two blocks."""
    if isinstance(A, np.ndarray):
        return np.dot(A, B.T) if isinstance(B, np.ndarray) else np.ascontiguousarray((B @ A.T).T)
    products = A @ B.T
    return products.toarray() if sparse.issparse(products) else np.asarray(products)


def block_squares(block: Any) -> Vector:
    """||a||^2 of each row of a block."""
    if isinstance(block, np.ndarray):
        return np.einsum("ij,ij->i", block, block)
    return np.asarray(block.multiply(block).sum(axis=1), dtype=np.float64).ravel()


def row_squares(X: Rows) -> Vector:
    """||x||^2 of each row."""
    into = np.empty(rows.n_rows(X))
    for part, block in parts(X):
        into[part] = block_squares(block)
    return into


def centre(A: Rows, B: Rows) -> Vector:
    """The mean of the rows of A; nothing where rows are sparse, which would become dense."""
    n = rows.n_rows(A)
    if not n or mostly_empty(A) or mostly_empty(B):
        return NO_SHIFT
    mean = combination(A, np.full(n, 1.0 / n))
    return mean if np.isfinite(mean).all() else NO_SHIFT


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
