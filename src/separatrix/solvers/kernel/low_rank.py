"""Pivoted Cholesky factorisation of a kernel matrix of low rank (Fine and Scheinberg, 2001).

    K = L L' + rest,      trace(rest) <= tol trace(K),      L = K_P L_P^-T     over the pivots P

The rows whose part of the diagonal is farthest from being explained become pivots, some at a time. Rows in few
dimensions under a smooth kernel are of this kind; then the rows of L are a linear problem with the same dual. Where the
rank is limited, L are the coordinates of all rows in the span of the pivots (Williams and Seeger, 2001): a plane in
them is an expansion over the pivots alone.
"""

from collections.abc import Callable
from math import comb
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.lapack import dpstrf

from separatrix.kernels import Polynomial
from separatrix.problem.coordinates import spread_out
from separatrix.rows import TINY, Vector
from separatrix.solvers.kernel.gram import MAX_EXACT_ROWS, Gram
from separatrix.threads import threads_for

TRACE_RTOL = 1e-12  # of the trace that may be left
MAX_TRACE_RTOL = 1e-9  # where the rank is as large as it may be
SAMPLE_ROWS = 600  # whose rank tells whether that of all rows may be low
SAMPLE_RANKS = {32: 0.2, 200: MAX_TRACE_RTOL}  # and the part of the trace that each may leave
MAX_RANK, MIN_ROWS_PER_RANK = 1000, 20
MAX_KNOWN_RANK, MIN_ROWS_PER_KNOWN_RANK = 500, 10
MAX_LAST_RANK = 3000  # where the search fails: a minute for the linear machine of 20,000 rows
PIVOTS_AT_ONCE = 32
MIN_PIVOT = 0.1  # part of the largest diagonal entry that is left, below which a pivot waits for the next time
ROUNDING_RTOL = 1e-15  # of the largest diagonal entry, below which a pivot is rounding
MAX_RANK_RATIO = 0.5  # of few rows
MAX_WHOLE_ROWS = 300  # whose matrix is factored whole, at no cost


class LowRank(NamedTuple):
    """L of shape (n, rank), the rows that are its pivots, in order, and the part of the trace that is left."""

    L: Vector
    pivots: np.ndarray
    rest: float

    def expansion(self, w: Vector) -> Vector:
        """The coefficients c of the pivots with sum_j c_j K(x, x_j) = <w, L(x)>."""
        return solve_triangular(self.L[self.pivots], w, lower=True, trans="T", check_finite=False)


def low_rank_factor(gram: Gram, interrupted: Callable[[], object], known_rank: float = np.inf) -> Vector | None:
    """L, of shape (n, rank), or None where the rank is not low; `interrupted` may end the work by raising.

    Where the kernel says how large the rank is at most, no sample has to tell.
    """
    n, most = gram.n, int(min(MAX_RANK, gram.n // MIN_ROWS_PER_RANK))
    if n <= MAX_WHOLE_ROWS:
        return whole_factor(gram, n - 1)
    if known_rank <= min(MAX_KNOWN_RANK, n / MIN_ROWS_PER_KNOWN_RANK):
        known = nystroem(gram, int(known_rank), interrupted)
        return known.L if known.rest <= MAX_TRACE_RTOL else None
    some = spread_out(n, SAMPLE_ROWS)
    K = gram.exact_block(some, some)
    with threads_for(0.0):
        for rank, rest in SAMPLE_RANKS.items():
            if pivoted_cholesky(K.diagonal(), lambda pivots: K[:, pivots], rank, MAX_TRACE_RTOL).rest > rest:
                return None
    found = nystroem(gram, max(most, int(MAX_RANK_RATIO * n) if n <= MAX_EXACT_ROWS else 0), interrupted)
    return found.L if found.rest <= MAX_TRACE_RTOL else None


def rank_bound(kernel: object, n_columns: int) -> float:
    """The largest rank that matrices of a kernel can have, by its monomials.

    >>> rank_bound(Polynomial(2, 1.0), 3), rank_bound(Polynomial(2), 3)  # 1, x1, ..., x3^2; without lower degrees
    (10, 6)
    """
    if not isinstance(kernel, Polynomial):
        return np.inf
    return comb(n_columns + kernel.degree - (kernel.coef0 == 0.0), kernel.degree)


def nystroem(
    gram: Gram, max_rank: int, interrupted: Callable[[], object], ended: Callable[[], bool] = lambda: False
) -> LowRank:
    """The factor of the matrix of all rows, of so many columns at most; `ended` asks for those that are ready."""

    def columns(pivots: np.ndarray) -> Vector:
        interrupted()
        return gram.exact_block(np.arange(gram.n), pivots)

    return pivoted_cholesky(gram.diagonal, columns, max_rank, TRACE_RTOL, ended)


def pivoted_cholesky(
    diagonal: Vector,
    columns: Callable[[np.ndarray], Vector],
    max_rank: int,
    rtol: float,
    ended: Callable[[], bool] = lambda: False,
) -> LowRank:
    """Factor a matrix with this diagonal, of which some columns are computed at a time."""
    n, left = diagonal.size, diagonal.astype(np.float64)
    L, rank, whole = np.empty((n, min(max_rank, n)), order="F"), 0, max(float(diagonal.sum()), TINY)
    chosen = np.empty(L.shape[1], dtype=np.int64)
    while left.sum() > rtol * whole and rank < L.shape[1] and not (rank and ended()):
        most = min(PIVOTS_AT_ONCE, L.shape[1] - rank)
        pivots = np.argpartition(-left, most - 1)[:most]
        new = columns(pivots) - L[:, :rank] @ L[pivots, :rank].T
        kept, factor = independent(new[pivots], MIN_PIVOT * float(left.max()))
        ready = slice(rank, rank + kept.size)
        L[:, ready] = solve_triangular(factor, new[:, kept].T, lower=True, check_finite=False).T
        chosen[ready], rank = pivots[kept], rank + kept.size
        left -= np.einsum("ij,ij->i", L[:, ready], L[:, ready])
        left[pivots[kept]] = 0.0
        np.maximum(left, 0.0, out=left)
    pivots = chosen[:rank]
    rows = np.arange(rank)
    square = L[pivots, :rank]
    L[pivots, :rank] = np.where(rows[:, None] >= rows, square, 0.0)  # exactly triangular
    return LowRank(np.ascontiguousarray(L[:, :rank]), pivots, float(left.sum()) / whole)


def any_factor(gram: Gram, interrupted: Callable[[], object]) -> Vector | None:
    """L of as many columns as it needs, down to rounding: the last resort; None where they would be too many."""
    if gram.n <= MAX_EXACT_ROWS:
        return whole_factor(gram, gram.n)
    found = nystroem(gram, min(gram.n, MAX_LAST_RANK), interrupted)
    return found.L if found.rest <= MAX_TRACE_RTOL else None


def whole_factor(gram: Gram, max_rank: float) -> Vector | None:
    """L of a matrix of few rows, down to rounding; None where it has more columns."""
    everything = np.arange(gram.n)
    K = gram.exact_block(everything, everything)
    factor, order, rank, _ = dpstrf(K, lower=1, tol=ROUNDING_RTOL * max(float(K.diagonal().max()), TINY))
    if rank > max_rank or not np.isfinite(factor).all():
        return None
    L = np.empty((gram.n, max(1, int(rank))))
    L[order - 1] = np.tril(factor)[:, : max(1, int(rank))]  # LAPACK counts from 1
    return L


def independent(block: Vector, least: float) -> tuple[np.ndarray, Vector]:
    """Pivots of a block whose rest is at least so large, and their factor."""
    _, order, rank, _ = dpstrf(block, lower=1, tol=least)
    kept = order[: max(1, rank)] - 1  # LAPACK counts from 1
    return kept, cholesky(block[np.ix_(kept, kept)], lower=True)
