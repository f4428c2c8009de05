"""Squared distances of all pairs of rows of two blocks.

    ||x - z||^2 = ||x||^2 + ||z||^2 - 2 <x, z>

loses digits where both rows are far from the origin, or close to each other. So rows are first centred by the mean of
the left ones, unless that would fill sparse rows, and where the distance is still a small part of the norms it is
computed again from the difference of the rows. Equal rows have the distance 0, exactly.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from separatrix import rows
from separatrix.compiling import compiled
from separatrix.problem.moments import mostly_empty
from separatrix.products import combination, parts
from separatrix.rows import Rows, Vector

DIFFERENCE_ENTRIES = 2**20  # numbers of the differences of rows that are computed together
MAX_CANCELLATION = 2.0**-10  # of ||x||^2 + ||z||^2: closer rows would lose more than three digits
NO_SHIFT = np.zeros(0)


class Block(NamedTuple):
    """Rows of one side of a tile: as they are, less the shift, and the squares of the latter."""

    rows: Any
    moved: Any
    squares: Vector


def block_of(matrix: Any, shift: Vector) -> Block:
    """Rows as a block, which are far from the origin by about the shift, if any."""
    if not shift.size:
        return Block(matrix, matrix, block_squares(matrix))
    moved = (matrix.toarray() if sparse.issparse(matrix) else matrix) - shift
    return Block(matrix, moved, block_squares(moved))


@compiled
def distances_in_place(P, left, right, nearest):
    """Turn products <a, b> into squared distances, in place; returns how many are too near for their digits.

    P_ij <- max(0, left_i + right_j - 2 P_ij),   too near:  P_ij <= nearest (left_i + right_j)
    """
    zero, near = nearest - nearest, 0
    for i in range(P.shape[0]):
        size = left[i]
        for j in range(P.shape[1]):
            sizes = size + right[j]
            square = sizes - P[i, j] - P[i, j]
            near += square <= nearest * sizes
            P[i, j] = zero if square < zero else square  # what is no number stays so
    return near


def squared_distances(A: Block, B: Block) -> Vector:
    """||a - b||^2 of all rows of two blocks."""
    D = inner_products(A.moved, B.moved)
    if not distances_in_place(D, A.squares, B.squares, MAX_CANCELLATION):
        return D
    sizes = A.squares[:, None] + B.squares
    i, j = np.nonzero(MAX_CANCELLATION * sizes >= D)
    step = max(1, DIFFERENCE_ENTRIES // max(1, entries_per_row(A.rows, B.rows)))
    for first in range(0, i.size, step):
        near = i[first : first + step], j[first : first + step]
        D[near] = block_squares(difference(A.rows[near[0]], B.rows[near[1]]))
    return D


def entries_per_row(A: Any, B: Any) -> int:
    """How many numbers the difference of a row of A and a row of B has, about."""
    if sparse.issparse(A) and sparse.issparse(B):
        return int(A.nnz // max(1, A.shape[0]) + B.nnz // max(1, B.shape[0]))
    return int(A.shape[1])


def difference(A: Any, B: Any) -> Any:
    """A - B, which is sparse where both are."""
    return A - B if sparse.issparse(A) == sparse.issparse(B) else np.asarray(A - B)


def inner_products(A: Any, B: Any) -> Vector:
    """<a, b> of all rows of two blocks."""
    if isinstance(A, np.ndarray):
        return np.dot(A, B.T) if isinstance(B, np.ndarray) else np.ascontiguousarray((B @ A.T).T)
    products = A @ B.T
    return np.ascontiguousarray(products.toarray() if sparse.issparse(products) else products)


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
