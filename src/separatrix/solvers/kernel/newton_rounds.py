"""Newton rounds on the free rows: a primal-dual active set method in float64 (Hintermueller, Ito and Kunisch, 2002).

    free rows F:       sum_j K_ij beta_j + ridge_i alpha_i + b = y_i          beta = y alpha
    bounded rows U:    alpha_i = upper_i                                      others: alpha_i = 0
    sum_i beta_i = 0

One factor of K_FF + ridge gives alpha and b of the free rows; rows whose alpha leaves its bounds, or that are on the
wrong side of the margin, change their set, and again until none does. Where few rows change, the system of the new set
is a bordered one of the old: rows that left have beta = 0, with a multiplier each, rows that joined have a column.

    | K_00  B | | u |   | r_0 |        B = [ones, columns of K that joined, unit columns of rows that left]
    | B'    D | | z | = | r_z |        z = [b, beta of those, multipliers of these]
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cholesky, lu_factor, lu_solve, solve_triangular

from separatrix.rows import Vector
from separatrix.solvers.kernel.block_smo import Dual
from separatrix.solvers.kernel.gram import Gram
from separatrix.threads import threads_for

MAX_BORDER_RATIO = 0.12  # of the rows in the factor: a larger border costs more than a new factor
RELATIVE_PIVOT = 1e-13  # of the diagonal, for rows that are nearly the same


@dataclass
class Sets:
    """Which rows are free and which are at their upper bound."""

    free: np.ndarray
    bounded: np.ndarray

    @classmethod
    def of(cls, dual: Dual, alpha: Vector) -> "Sets":
        """The sets of an alpha: within a billionth of a bound is at it."""
        size = np.minimum(dual.upper, max(float(alpha.max(initial=0.0)), 1e-300))
        bounded = alpha >= dual.upper * (1.0 - 1e-9)
        return cls((alpha > 1e-9 * size) & ~bounded, bounded)


class FreeSystem:
    """The linear system of the free rows, with a factor that outlives changes of a few rows."""

    def __init__(self, gram: Gram, dual: Dual, fit_intercept: bool) -> None:
        self.gram, self.dual, self.fit_intercept = gram, dual, fit_intercept
        self.rows = np.empty(0, dtype=np.int64)  # in the factor
        self.factor = np.empty((0, 0))

    def solve(self, free: np.ndarray, right: Vector, total: float) -> tuple[Vector, float]:
        """beta of the free rows and b, with sum beta = total; `right` is y less the scores of bounded rows, on them."""
        if not free.size:
            return np.empty(0), 0.0
        left = np.setdiff1d(self.rows, free, assume_unique=True)
        joined = np.setdiff1d(free, self.rows, assume_unique=True)
        if left.size + joined.size > MAX_BORDER_RATIO * self.rows.size:
            self.refactor(free)
            left = joined = np.empty(0, dtype=np.int64)
        return self.bordered(free, left, joined, right, total)

    def refactor(self, free: np.ndarray) -> None:
        """Factor the matrix of these rows anew."""
        K = self.gram.exact_block(free, free)
        diagonal = K.diagonal() + self.dual.ridge[free]
        K[np.diag_indices(free.size)] = diagonal + RELATIVE_PIVOT * max(float(diagonal.max(initial=0.0)), 1e-300)
        for _ in range(3):
            try:
                with threads_for(free.size**3 / 3.0):
                    self.factor, self.rows = cholesky(K, lower=True, check_finite=False), free
                return
            except LinAlgError:
                K[np.diag_indices(free.size)] += 1e-10 * float(diagonal.max())
        raise LinAlgError("The kernel matrix of the free rows is not positive definite.")

    def bordered(
        self, free: np.ndarray, left: np.ndarray, joined: np.ndarray, right: Vector, total: float
    ) -> tuple[Vector, float]:
        """Solve with the factor, for rows that left it and rows that joined."""
        at = np.searchsorted(free, self.rows)  # rows of the factor that are still free, in the order of `free`
        at = np.where((at < free.size) & (free[np.minimum(at, free.size - 1)] == self.rows), at, -1)
        r0 = np.where(at >= 0, right[np.maximum(at, 0)], 0.0)
        offset = int(self.fit_intercept)
        B = np.zeros((self.rows.size, offset + joined.size + left.size))
        D = np.zeros((B.shape[1],) * 2)
        rz = np.zeros(B.shape[1])
        if offset:
            B[:, 0], rz[0] = 1.0, total
        inner = slice(offset, offset + joined.size)
        if joined.size:
            B[:, inner] = self.gram.exact_block(self.rows, joined)
            D[inner, inner] = self.gram.exact_block(joined, joined) + np.diag(self.dual.ridge[joined])
            rz[inner] = right[np.searchsorted(free, joined)]
            D[:offset, inner] = D[inner, :offset] = 1.0
        B[np.searchsorted(self.rows, left), np.arange(B.shape[1] - left.size, B.shape[1])] = 1.0
        with threads_for(B.size * float(self.rows.size)):
            half = solve_triangular(self.factor, np.column_stack([r0, B]), lower=True, check_finite=False)
        W, reduced = half[:, 1:], half[:, 0]
        z = np.empty(0)
        if B.shape[1]:
            z = lu_solve(lu_factor(D - W.T @ W, check_finite=False), rz - W.T @ reduced, check_finite=False)
        u = solve_triangular(self.factor, reduced - W @ z, lower=True, trans="T", check_finite=False)
        beta = np.empty(free.size)
        beta[at[at >= 0]] = u[at >= 0]
        beta[np.searchsorted(free, joined)] = z[inner]
        return beta, float(z[0]) if offset else 0.0
