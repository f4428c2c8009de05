"""Kernel values with proved bounds on their rounding errors, and their sums over support rows.

    |<x, z> - computed|        <=  g_k ||x|| ||z||
    ||| x - z ||^2 - computed| <=  g_k (||x||^2 + ||z||^2)          g_k = k u / (1 - k u)

k is the number of roundings of a term, in whatever order linear algebra adds them (Higham, 2002, chapter 3). What a
kernel makes of products or distances, it bounds itself (`enclosed_of_products`, `enclosed_of_distances`). The kernel is
a function of real numbers: that it is positive semi-definite holds for its true values, not for rounded ones.
"""

from typing import Any

import numpy as np
from scipy import sparse

from separatrix import rows
from separatrix.enclosures.elementwise import INFLATED
from separatrix.enclosures.products import ROWS_PER_SUM, Enclosed, by_halves, rounding_bounds
from separatrix.kernels.distances import (
    MAX_CANCELLATION,
    NO_SHIFT,
    Block,
    block_of,
    centre,
    inner_products,
    squared_distances,
)
from separatrix.kernels.rows_of import aligned
from separatrix.kernels.tiles import OTHER_ROWS, SPARSE_ROWS, SUPPORT_ROWS, slices
from separatrix.products import row_slice
from separatrix.rows import CSR, SMALLEST, Rows, Vector
from separatrix.threads import parallel_map

MAX_UNDERFLOWS = 4  # numbers of the size of the smallest one that a term may lose


def enclosed_tile(kernel: Any, A: Block, B: Block) -> Enclosed:
    """K of all rows of one block with all of another."""
    n_terms = terms_of(A.moved, B.moved)
    if kernel.shift_invariant:
        return kernel.enclosed_of_distances(enclosed_distances(A, B, n_terms))
    left, right = enclosed_squares(A, n_terms), enclosed_squares(B, n_terms)
    lengths = np.sqrt(left.value + left.radius)[:, None] * np.sqrt(right.value + right.radius)
    products = inner_products(A.rows, B.rows)
    radius = INFLATED * bound(n_terms) * lengths + n_terms * MAX_UNDERFLOWS * SMALLEST
    columns = Enclosed(left.value[:, None], left.radius[:, None])
    return kernel.enclosed_of_products(Enclosed(products, radius), columns, right)


def enclosed_distances(A: Block, B: Block, n_terms: int) -> Enclosed:
    """||a - b||^2 of all rows of two blocks; those of near rows, from the differences, have more digits."""
    D = squared_distances(A, B)
    sizes = A.squares[:, None] + B.squares
    near = 0.5 * MAX_CANCELLATION * sizes >= D  # these were computed from the differences for certain
    radius = np.where(near, bound(n_terms + 4) * D, bound(n_terms + 8) * sizes)
    return Enclosed(D, INFLATED * radius + 4 * n_terms * MAX_UNDERFLOWS * SMALLEST)


def enclosed_squares(block: Block, n_terms: int) -> Enclosed:
    """||a||^2 of each row of a block; 0 exactly for a row of zeros."""
    matrix, squares = block.rows, block.squares
    filled = np.diff(matrix.indptr) > 0 if sparse.issparse(matrix) else np.any(matrix, axis=1)
    return Enclosed(squares, INFLATED * bound(n_terms) * squares + filled * n_terms * MAX_UNDERFLOWS * SMALLEST)


def enclosed_diagonal(kernel: Any, A: Rows) -> Enclosed:
    """K(a, a) of each encoded row."""
    block = block_of(row_slice(A, slice(0, rows.n_rows(A))), NO_SHIFT)
    if kernel.shift_invariant:
        nothing = np.zeros(rows.n_rows(A))
        return kernel.enclosed_of_distances(Enclosed(nothing, nothing.copy()))
    squares = enclosed_squares(block, terms_of(block.rows, block.rows))
    return kernel.enclosed_of_products(Enclosed(squares.value.copy(), squares.radius), squares, squares)


def enclosed_values(kernel: Any, A: Rows, B: Rows) -> Enclosed:
    """K of all encoded rows of A with all of B, as one tile."""
    left, right = aligned(A, B)
    shift = centre(left, right) if kernel.shift_invariant else NO_SHIFT
    blocks = (block_of(row_slice(X, slice(0, rows.n_rows(X))), shift) for X in (left, right))
    return enclosed_tile(kernel, *blocks)


def enclosed_sums(kernel: Any, support: Rows, coefficients: Vector, X: Rows) -> Enclosed:
    """sum_i coefficients_i K(support_i, x) for each encoded row x of X and each column of the coefficients."""
    left, right = aligned(support, X)
    shift = centre(left, right) if kernel.shift_invariant else NO_SHIFT
    is_sparse = isinstance(left, CSR) or isinstance(right, CSR)
    some, others = (SPARSE_ROWS, SPARSE_ROWS) if is_sparse else (SUPPORT_ROWS, OTHER_ROWS)
    blocks = [(part, block_of(row_slice(left, part), shift)) for part in slices(rows.n_rows(left), some)]
    shape = rows.n_rows(right), coefficients.shape[1]
    value, radius = np.zeros(shape), np.zeros(shape)

    def put(part: slice) -> None:
        with np.errstate(all="ignore"):
            other = block_of(row_slice(right, part), shift)
            tiles = ((own, enclosed_tile(kernel, block, other)) for own, block in blocks)
            value[part], radius[part] = combined(tiles, coefficients, part.stop - part.start)

    for _ in parallel_map(put, slices(rows.n_rows(right), others)):
        pass
    return Enclosed(value, radius)


def combined(tiles: Any, coefficients: Vector, n_others: int) -> Enclosed:
    """sum_i coefficients_i K_ij from tiles of K: few support rows at a time, and what these give by halves."""
    totals, radius = [], np.zeros((n_others, coefficients.shape[1]))
    sizes, depth = np.zeros_like(radius), 0
    for own, tile in tiles:
        weights = coefficients[own]
        found, more = sums_of_few(tile.value, weights)
        totals.append(found)
        depth = max(depth, more)
        radius += np.dot(tile.radius.T, np.abs(weights))
        sizes += np.dot(np.abs(tile.value).T, np.abs(weights))
    if not totals:
        return Enclosed(sizes, radius)
    total, merged = by_halves(np.array(totals))
    roundings = rounding_bounds(np.array(ROWS_PER_SUM + depth + merged + 2))
    lost = MAX_UNDERFLOWS * len(coefficients) * SMALLEST
    return Enclosed(total, (1.0 + 1e-10) * (radius + roundings * sizes) + lost)  # and the radii's own rounding


def sums_of_few(K: Vector, weights: Vector) -> tuple[Vector, int]:
    """K'weights by sums over so few rows at a time that their order matters little, and how often these are halved."""
    whole = len(K) - len(K) % ROWS_PER_SUM
    blocks = K[:whole].reshape(-1, ROWS_PER_SUM, K.shape[1]).transpose(0, 2, 1)
    found = np.matmul(blocks, weights[:whole].reshape(-1, ROWS_PER_SUM, weights.shape[1]))
    return by_halves(np.concatenate([found, np.dot(K[whole:].T, weights[whole:])[None]]))


def terms_of(A: Any, B: Any) -> int:
    """How many terms an inner product of rows of two blocks has at most."""
    counts = [int(np.diff(each.indptr).max(initial=0)) for each in (A, B) if sparse.issparse(each)]
    return 2 * max(counts) if counts else int(A.shape[1])  # the difference of sparse rows has the entries of both


def bound(n_terms: int) -> float:
    """What sums of so many products are rounded by, as a part of the sizes of their terms."""
    return float(rounding_bounds(np.array(n_terms)))
