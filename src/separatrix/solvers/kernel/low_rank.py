"""Pivoted Cholesky factorisation of a kernel matrix of low rank (Fine and Scheinberg, 2001).

    K = L L' + rest,      trace(rest) <= tol n max K_ii

The rows whose part of the diagonal is farthest from being explained become pivots, some at a time. Rows in few
dimensions under a smooth kernel are of this kind; then the rows of L are a linear problem with the same dual.
"""

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.lapack import dpstrf

from separatrix.problem.coordinates import spread_out
from separatrix.rows import TINY, Vector
from separatrix.solvers.kernel.gram import MAX_EXACT_ROWS, Gram

TRACE_RTOL = 1e-12  # of the trace that may be left
MAX_TRACE_RTOL = 1e-9  # where the rank is as large as it may be
SAMPLE_ROWS = 600  # whose rank tells whether that of all rows may be low
MAX_SAMPLE_RANK = 200
MAX_RANK, MIN_ROWS_PER_RANK = 1000, 20
PIVOTS_AT_ONCE = 32
ROUNDING_RTOL = 1e-15  # of the largest diagonal entry, below which a pivot is rounding
MAX_RANK_RATIO = 0.5  # of few rows, whose matrix is factored whole


def low_rank_factor(gram: Gram) -> Vector | None:
    """L, of shape (n, rank), or None where the rank is not low."""
    n, most = gram.n, int(min(MAX_RANK, gram.n // MIN_ROWS_PER_RANK))
    if n <= MAX_EXACT_ROWS:
        return whole_factor(gram)
    if sample_rank(gram) > MAX_SAMPLE_RANK:
        return None
    diagonal = gram.diagonal.copy()
    L, rank, whole = np.empty((n, most + PIVOTS_AT_ONCE), order="F"), 0, float(gram.diagonal.sum())
    everything = np.arange(n)
    while diagonal.sum() > TRACE_RTOL * whole:
        if rank >= most:
            if diagonal.sum() > MAX_TRACE_RTOL * whole:
                return None
            break
        pivots = np.argpartition(-diagonal, PIVOTS_AT_ONCE)[:PIVOTS_AT_ONCE]
        columns = gram.exact_block(everything, pivots) - L[:, :rank] @ L[pivots, :rank].T
        kept, factor = independent(columns[pivots], 0.1 * float(diagonal.max()))
        new = solve_triangular(factor, columns[:, kept].T, lower=True, check_finite=False).T
        L[:, rank : rank + kept.size] = new
        rank += kept.size
        diagonal -= np.einsum("ij,ij->i", new, new)
        np.maximum(diagonal, 0.0, out=diagonal)
    return np.ascontiguousarray(L[:, :rank])


def whole_factor(gram: Gram) -> Vector | None:
    """L of a matrix of few rows, down to rounding; None where its rank is that of the rows, or nearly."""
    everything = np.arange(gram.n)
    K = gram.exact_block(everything, everything)
    factor, order, rank, _ = dpstrf(K, lower=1, tol=ROUNDING_RTOL * max(float(K.diagonal().max()), TINY))
    most = gram.n - 1 if gram.n <= SAMPLE_ROWS else MAX_RANK_RATIO * gram.n
    if rank > most or not np.isfinite(factor).all():
        return None
    L = np.empty((gram.n, max(1, int(rank))))
    L[order - 1] = np.tril(factor)[:, : max(1, int(rank))]  # LAPACK counts from 1
    return L


def independent(block: Vector, least: float) -> tuple[np.ndarray, Vector]:
    """Pivots of a block whose rest is at least so large, and their factor."""
    _, order, rank, _ = dpstrf(block, lower=1, tol=least)
    kept = order[: max(1, rank)] - 1  # LAPACK counts from 1
    return kept, cholesky(block[np.ix_(kept, kept)], lower=True)


def sample_rank(gram: Gram) -> int:
    """The rank of the matrix of some rows, up to the tolerance of the trace."""
    some = spread_out(gram.n, SAMPLE_ROWS)
    K = gram.exact_block(some, some)
    _, _, rank, _ = dpstrf(K, lower=1, tol=MAX_TRACE_RTOL * float(K.diagonal().max()))
    return int(rank)
