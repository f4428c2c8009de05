"""The derivatives at an optimum that all paths of `downdating` begin from, for rows of a kernel or of few features.

With a kernel, A = [K_FF + ridge, 1; 1', 0] of the free rows F, N the others, and B = [K_NF, 1]:

    T_FF = A^-1,    T_NF = B A^-1,    T_FN = -T_NF',    T_NN = K_NN + ridge - B A^-1 B'

With few features, z a row in coordinates of moderate size, v = [w, b] and D the penalty of v:

    D dv - Z_F' dbeta_F = z_p,    Z_F dv + ridge dbeta_F = 0            for p not free
    D dv - Z_F' dbeta_F = 0,      Z_F dv + ridge dbeta_F = unit_p       for p free
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, inv, qr
from scipy.linalg.lapack import dpstrf

from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.products import dense_rows
from separatrix.rows import Vector
from separatrix.solvers.kernel.gram import Gram
from separatrix.solvers.leave_one_out.downdating import Tableau

DEPENDENT_RTOL = 1e-12  # part of the largest pivot, squared for kernels, of a row that depends on others
NONE = np.empty((0, 0))


class KernelRows:
    """Rows by their kernel matrix; variable j is row `index[j]` of it."""

    def __init__(self, gram: Gram, index: np.ndarray) -> None:
        self.gram, self.index = gram, index
        self.diagonal: Vector = gram.diagonal[index]

    def between(self, left: np.ndarray, right: np.ndarray) -> Vector:
        """K of some variables with some others."""
        return self.gram.exact_block(self.index[left], self.index[right])

    def scores(self, variables: np.ndarray, beta: Vector) -> Vector:
        """sum_j K_ij beta_j of all variables i, over some variables j; a column for each column of beta."""
        return self.between(np.arange(self.index.size), variables) @ beta

    def independent(self, free: np.ndarray, fit_intercept: bool) -> np.ndarray:
        """Free rows that depend on none of the others, as many as there are."""
        K = self.between(free, free)
        if fit_intercept:
            K = K + float(K.diagonal().mean())  # a constant feature: differences count
        _, pivots, rank, _ = dpstrf(K, tol=DEPENDENT_RTOL * float(K.diagonal().max()), lower=1)
        return np.sort(free[pivots[:rank] - 1])

    def bordered_inverse(self, free: np.ndarray, ridge: Vector, fit_intercept: bool) -> Vector:
        """A^-1."""
        m = free.size
        A = np.zeros((m + fit_intercept, m + fit_intercept))
        A[:m, :m] = self.between(free, free)
        A[np.arange(m), np.arange(m)] += ridge[free]
        A[:m, m:] = A[m:, :m] = 1.0
        return inv(A, check_finite=False, overwrite_a=True)

    def equilibrium(self, free: np.ndarray, ridge: Vector, missing: Vector, total: float, fit_intercept: bool) -> Vector:
        """The change of beta of free rows that changes their effective scores by so much, and the sum of beta."""
        right = np.append(missing, total) if fit_intercept else missing
        return (self.bordered_inverse(free, ridge, fit_intercept) @ right)[: free.size]

    def tableau(self, free: np.ndarray, some: np.ndarray, ridge: Vector, fit_intercept: bool) -> Tableau:
        """T of some rows, the free ones among them."""
        m, place = free.size, places(free, some)
        G = self.bordered_inverse(free, ridge, fit_intercept)
        at_free, others = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
        B = np.ones((others.size, m + fit_intercept))
        B[:, :m] = self.between(some[others], free)
        BG = B @ G
        columns = np.empty((some.size, some.size))
        columns[np.ix_(at_free, at_free)] = G[:m, :m]
        columns[np.ix_(at_free, others)] = BG[:, :m].T  # T[others, p] in row p
        columns[np.ix_(others, at_free)] = -BG[:, :m]
        inner = self.between(some[others], some[others]) - BG @ B.T
        inner[np.diag_indices(others.size)] += ridge[some[others]]
        columns[np.ix_(others, others)] = inner
        return Tableau(columns, NONE, NONE, NONE, place, ridge[some])


class FeatureRows:
    """Rows by few features, in coordinates of moderate size."""

    def __init__(self, problem: Problem) -> None:
        X = np.asarray(dense_rows(problem.X, np.arange(problem.n_rows)), dtype=np.float64)
        self.coordinates = Coordinates.of(X, problem.fit_intercept)
        self.Z = self.coordinates.rows(X)
        penalties = self.coordinates.penalties
        self.penalties = penalties
        self.lengths = np.divide(1.0, penalties, out=np.zeros(penalties.size), where=penalties > 0.0)
        self.diagonal: Vector = self.Z**2 @ self.lengths

    def between(self, left: np.ndarray, right: np.ndarray) -> Vector:
        """K of some rows with some others, less their centre where there is an offset."""
        return (self.Z[left] * self.lengths) @ self.Z[right].T

    def scores(self, variables: np.ndarray, beta: Vector) -> Vector:
        """sum_j K_ij beta_j of all rows i, over some rows j; a column for each column of beta."""
        return self.Z @ ((self.Z[variables].T @ beta).T * self.lengths).T

    def independent(self, free: np.ndarray, fit_intercept: bool) -> np.ndarray:
        """Free rows that depend on none of the others, as many as there are."""
        _, r, pivots = qr(self.Z[free].T, mode="economic", pivoting=True)
        sizes = np.abs(r.diagonal())
        return np.sort(free[pivots[: np.count_nonzero(sizes > DEPENDENT_RTOL * sizes.max(initial=0.0))]])

    def inverse(self, free: np.ndarray, ridge: Vector) -> Vector:
        """The inverse of [D, -Z_F'; Z_F, ridge]."""
        Z, q = self.Z[free], self.penalties.size
        W = np.zeros((q + free.size, q + free.size))
        W[np.arange(q), np.arange(q)] = self.penalties
        W[:q, q:], W[q:, :q] = -Z.T, Z
        W[q:, q:][np.diag_indices(free.size)] = ridge[free]
        return inv(W, check_finite=False, overwrite_a=True)

    def equilibrium(self, free: np.ndarray, ridge: Vector, missing: Vector, total: float, fit_intercept: bool) -> Vector:
        """The change of beta of free rows that changes their effective scores by so much, and the sum of beta."""
        q, right = self.penalties.size, np.zeros(self.penalties.size)
        if fit_intercept:
            right[-1] = -total  # 0 dv_b - sum dbeta = -total
        if ridge[free].any():
            P = self.curvature_inverse(free, ridge)
            dv = P @ (right + self.Z[free].T @ (missing / ridge[free]))
            return (missing - self.Z[free] @ dv) / ridge[free]
        return (self.inverse(free, ridge) @ np.concatenate([right, missing]))[q:]

    def curvature_inverse(self, free: np.ndarray, ridge: Vector) -> Vector:
        """The inverse of D + Z_F' ridge^-1 Z_F."""
        Z = self.Z[free]
        return inv(np.diag(self.penalties) + (Z.T / ridge[free]) @ Z, check_finite=False, overwrite_a=True)

    def tableau(self, free: np.ndarray, some: np.ndarray, ridge: Vector, fit_intercept: bool) -> Tableau:
        """T of some rows, the free ones among them, by factors."""
        q, place, Z = self.penalties.size, places(free, some), self.Z[some]
        features = np.ascontiguousarray(Z.T)
        if ridge[free].any():
            directions = Z @ self.curvature_inverse(free, ridge)
            directions[place >= 0] /= ridge[some[place >= 0]][:, None]
            return Tableau(NONE, features, directions, NONE, place, ridge[some])
        inverse = self.inverse(free, ridge)
        responses = np.empty((some.size, q + free.size))
        others = place < 0
        responses[others] = Z[others] @ inverse[:, :q].T
        responses[~others] = inverse[:, q:].T[place[~others]]
        directions, changes = (np.ascontiguousarray(each) for each in (responses[:, :q], responses[:, q:]))
        return Tableau(NONE, features, directions, changes, place, ridge[some])


def places(free: np.ndarray, some: np.ndarray) -> np.ndarray:
    """The place of each of some rows among the free ones, -1 for others."""
    place = np.full(max(int(some.max()), int(free.max(initial=0))) + 1, -1)
    place[free] = np.arange(free.size)
    return place[some]
