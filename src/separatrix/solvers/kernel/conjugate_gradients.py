"""Conjugate gradients for the free rows, where a factor of their matrix would not fit into memory.

    (K_FF + ridge) x = r        with      M = L L' + mean(rest) I     in place of K_FF + ridge

L is a factor of low rank of K_FF, M^-1 = (I - L (mean I + L'L)^-1 L') / mean (Woodbury, 1950). Kernel values are
computed anew in every iteration, in tiles.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from separatrix.rows import TINY, Vector
from separatrix.solvers.kernel.gram import Gram
from separatrix.solvers.kernel.low_rank import pivoted_cholesky

RTOL = 1e-3  # of the residuals; the next round or refinement does the rest
MAX_ITERATIONS = 1000
MAX_RANK = 1000
MIN_ROWS_PER_RANK = 10
RANK_RTOL = 1e-8  # of the trace, below which a factor is as good as the matrix
MIN_MEAN = 1e-12  # of the diagonal, that is never explained


class FreeRows:
    """The matrix of some rows of a Gram matrix, which is never kept, and a factor of low rank of it."""

    def __init__(self, gram: Gram, free: np.ndarray, ridge: Vector) -> None:
        self.gram, self.free, self.ridge = gram, free, ridge
        bytes_per_rank = 16.0 * free.size  # L, and as much to make it
        rank = int(min(MAX_RANK, free.size // MIN_ROWS_PER_RANK, max(1.0, gram.max_bytes / bytes_per_rank)))
        diagonal = gram.diagonal[free]
        found = pivoted_cholesky(diagonal, lambda pivots: gram.exact_block(free, free[pivots]), max(rank, 1), RANK_RTOL)
        self.L, whole = found.L, float(diagonal.sum())
        self.mean = max(found.rest * whole, MIN_MEAN * whole, TINY) / free.size + float(ridge.mean())
        self.square = cho_factor(self.L.T @ self.L + self.mean * np.eye(self.L.shape[1]), lower=True)

    def product(self, V: Vector) -> Vector:
        """(K + ridge) V."""
        return self.gram.exact_scores(self.free, self.free, V) + self.ridge[:, None] * V

    def preconditioned(self, R: Vector) -> Vector:
        """M^-1 R."""
        return (R - self.L @ cho_solve(self.square, self.L.T @ R)) / self.mean

    def solve(self, B: Vector, interrupted: Callable[[], object]) -> Vector:
        """X with (K + ridge) X = B, the columns of both independent of each other."""
        X, R = np.zeros_like(B), B.copy()
        goal = RTOL * np.maximum(np.sqrt(np.einsum("ij,ij->j", B, B)), TINY)
        Z = self.preconditioned(R)
        P, energy = Z.copy(), np.einsum("ij,ij->j", R, Z)
        for _ in range(MAX_ITERATIONS):
            if (np.sqrt(np.einsum("ij,ij->j", R, R)) <= goal).all():
                break
            interrupted()
            KP = self.product(P)
            step = energy / np.maximum(np.einsum("ij,ij->j", P, KP), TINY)
            X += step * P
            R -= step * KP
            Z = self.preconditioned(R)
            before, energy = energy, np.einsum("ij,ij->j", R, Z)
            P = Z + energy / np.maximum(before, TINY) * P
        return X
