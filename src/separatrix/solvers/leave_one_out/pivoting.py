"""The derivatives at an optimum that all paths of `downdating` begin from, for rows of a kernel or of few features.

With a kernel, A = [K_FF + ridge, 1; 1', 0] of the free rows F, N the others, and B = [K_NF, 1]:

    T_FF = A^-1,    T_NF = B A^-1,    T_FN = -T_NF',    T_NN = K_NN + ridge - B A^-1 B'

With few features, z a row in coordinates of moderate size, v = [w, b] and D the penalty of v:

    D dv - Z_F' dbeta_F = z_p,    Z_F dv + ridge dbeta_F = 0            for p not free
    D dv - Z_F' dbeta_F = 0,      Z_F dv + ridge dbeta_F = unit_p       for p free
"""

import numpy as np
from scipy.linalg import qr
from scipy.linalg.lapack import dpotrf, dpotri, dpstrf
from scipy.sparse import csr_array

from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.products import dense_rows
from separatrix.rows import Vector
from separatrix.solvers.kernel.gram import Gram
from separatrix.solvers.leave_one_out.row_dual import RowDual

MAX_SPARSE_RATIO = 0.1  # of paths that change a beta, up to which the changes are stored sparse
DEPENDENT_RTOL = 1e-12  # part of the largest pivot of a row that depends on others


class KernelRows:
    """Rows by their kernel matrix: row j is `index[j]` of it."""

    def __init__(self, gram: Gram, index: np.ndarray) -> None:
        self.gram, self.index, self.everything = gram, index, np.arange(index.size)
        self.diagonal: Vector = gram.diagonal[index]

    def between(self, left: np.ndarray, right: np.ndarray) -> Vector:
        """K of some rows with some others."""
        return self.gram.exact_block(self.index[left], self.index[right])

    def scores(self, some: np.ndarray, beta: Vector) -> Vector:
        """sum_j K_ij beta_j of all rows i, over some rows j."""
        return self.gram.exact_scores(self.index, self.index[some], beta)

    def shifts(self, some: np.ndarray, changes: Vector, leaving: np.ndarray, amounts: Vector) -> Vector:
        """The change of all scores by changes of some beta, and by that of one row more, for many such changes."""
        count = np.count_nonzero(changes, axis=0)
        often = count > MAX_SPARSE_RATIO * len(changes)
        seldom = (count > 0) & ~often
        into = amounts[:, None] * self.between(leaving, self.everything)
        into += changes[:, often] @ self.between(some[often], self.everything)
        into += csr_array(changes[:, seldom]) @ self.between(some[seldom], self.everything)
        return into

    def independent(self, free: np.ndarray, fit_intercept: bool) -> np.ndarray:
        """Free rows that depend on none of the others, as many as there are."""
        K = self.between(free, free)
        if fit_intercept:
            K = K + float(K.diagonal().mean())  # a constant feature: only differences of rows count
        _, pivots, rank, _ = dpstrf(K, tol=DEPENDENT_RTOL * float(K.diagonal().max()), lower=1)
        return np.sort(free[pivots[:rank] - 1])

    def pivot(self, free: np.ndarray, dual: RowDual) -> "KernelPivot":
        """The derivatives for free rows."""
        return KernelPivot(self, free, dual)


class KernelPivot:
    """T of rows of a kernel: the inverse of A."""

    def __init__(self, rows: KernelRows, free: np.ndarray, dual: RowDual) -> None:
        self.rows, self.free, self.dual = rows, free, dual
        K = rows.between(free, free)
        K[np.diag_indices(free.size)] += dual.ridge[free]
        self.inverse = bordered_inverse(K, dual.fit_intercept)

    def equilibrium(self, missing: Vector, total: float) -> Vector:
        """The change of beta of free rows that changes their effective scores by so much, and the sum of beta."""
        right = np.append(missing, total) if self.dual.fit_intercept else missing
        return (self.inverse @ right)[: self.free.size]

    def bordered(self, some: np.ndarray) -> Vector:
        """B of some rows."""
        B = np.ones((some.size, len(self.inverse)))
        B[:, : self.free.size] = self.rows.between(some, self.free)
        return B

    def of_free(self) -> Vector:
        """T_FF."""
        return self.inverse[: self.free.size, : self.free.size]

    def responses(self, leaving: np.ndarray, some: np.ndarray) -> Vector:
        """T[some, p] for each p of rows that are not free, a row each."""
        free = np.isin(some, self.free)
        turned = self.bordered(leaving) @ self.inverse
        into = np.empty((leaving.size, some.size))
        into[:, free] = -turned[:, np.searchsorted(self.free, some[free])]
        into[:, ~free] = self.rows.between(leaving, some[~free]) - turned @ self.bordered(some[~free]).T
        return with_ridge(into, leaving, some, self.dual.ridge)

    def tableau(self, some: np.ndarray) -> Vector:
        """T of some rows, T[:, p] in row p."""
        free = np.isin(some, self.free)
        place, others = np.searchsorted(self.free, some[free]), some[~free]
        columns = np.empty((some.size, some.size))
        columns[~free] = self.responses(others, some)
        columns[np.ix_(free, free)] = self.inverse[np.ix_(place, place)]
        columns[np.ix_(free, ~free)] = -columns[np.ix_(~free, free)].T
        return columns


def bordered_inverse(K: Vector, fit_intercept: bool) -> Vector:
    """The inverse of [K, 1; 1', 0], or of K where there is no offset; by Cholesky where K is positive definite."""
    m = len(K)
    if m:
        factor, failed = dpotrf(K, lower=1, clean=1)
        inverse, failed = (factor, failed) if failed else dpotri(factor, lower=1)
        if not failed:
            inverse = np.tril(inverse) + np.tril(inverse, -1).T
            return with_border(inverse) if fit_intercept else inverse
    A: Vector = np.zeros((m + fit_intercept, m + fit_intercept))
    A[:m, :m], A[:m, m:], A[m:, :m] = K, 1.0, 1.0
    return np.linalg.inv(A).astype(np.float64, copy=False)


def with_border(inverse: Vector) -> Vector:
    """The inverse of [K, 1; 1', 0] from that of K."""
    sums = inverse.sum(axis=1)
    total = float(sums.sum())
    into = np.empty((sums.size + 1, sums.size + 1))
    into[:-1, :-1] = inverse - np.outer(sums, sums / total)
    into[-1, :-1] = into[:-1, -1] = sums / total
    into[-1, -1] = -1.0 / total
    return into


def with_ridge(responses: Vector, leaving: np.ndarray, some: np.ndarray, ridge: Vector) -> Vector:
    """Add what the effective score of a row itself has of its beta, in place."""
    if ridge.any():
        both, row, column = np.intersect1d(leaving, some, return_indices=True)
        responses[row, column] += ridge[both]
    return responses


class FeatureRows:
    """Rows by few features, in coordinates of moderate size."""

    def __init__(self, problem: Problem) -> None:
        X = np.asarray(dense_rows(problem.X, np.arange(problem.n_rows)), dtype=np.float64)
        coordinates = Coordinates.of(X, problem.fit_intercept)
        self.Z, self.penalties = coordinates.rows(X), coordinates.penalties
        self.lengths = np.divide(1.0, self.penalties, out=np.zeros(self.penalties.size), where=self.penalties > 0.0)
        self.diagonal: Vector = self.Z**2 @ self.lengths  # of rows less their centre, where there is an offset

    def between(self, left: np.ndarray, right: np.ndarray) -> Vector:
        """K of some rows with some others, less their centre where there is an offset."""
        return (self.Z[left] * self.lengths) @ self.Z[right].T

    def scores(self, some: np.ndarray, beta: Vector) -> Vector:
        """sum_j K_ij beta_j of all rows i, over some rows j."""
        return self.Z @ ((beta @ self.Z[some]) * self.lengths)

    def shifts(self, some: np.ndarray, changes: Vector, leaving: np.ndarray, amounts: Vector) -> Vector:
        """The change of all scores by changes of some beta, and by that of one row more, for many such changes."""
        return ((changes @ self.Z[some] + amounts[:, None] * self.Z[leaving]) * self.lengths) @ self.Z.T

    def independent(self, free: np.ndarray, fit_intercept: bool) -> np.ndarray:
        """Free rows that depend on none of the others, as many as there are."""
        _, r, pivots = qr(self.Z[free].T, mode="economic", pivoting=True)
        sizes = np.abs(r.diagonal())
        return np.sort(free[pivots[: np.count_nonzero(sizes > DEPENDENT_RTOL * sizes.max(initial=0.0))]])

    def pivot(self, free: np.ndarray, dual: RowDual) -> "FeaturePivot":
        """The derivatives for free rows."""
        return FeaturePivot(self, free, dual)


class FeaturePivot:
    """T of rows of few features: dv = P z_p for rows that are not free, in Y and dbeta_F in `inner` for free ones."""

    def __init__(self, rows: FeatureRows, free: np.ndarray, dual: RowDual) -> None:
        self.Z, self.free, self.dual = rows.Z, free, dual
        q, Z, ridge = rows.penalties.size, rows.Z[free], dual.ridge[free]
        if ridge.any():
            scaled = Z / ridge[:, None]
            self.P = np.linalg.inv(np.diag(rows.penalties) + Z.T @ scaled)
            self.Y = scaled @ self.P
            self.inner = (np.eye(free.size) - Z @ self.Y.T) / ridge[:, None]
            return
        W = np.zeros((q + free.size, q + free.size))
        W[np.arange(q), np.arange(q)] = rows.penalties
        W[:q, q:], W[q:, :q] = -Z.T, Z
        inverse = np.linalg.inv(W)
        self.P, self.Y, self.inner = inverse[:q, :q], inverse[:q, q:].T, inverse[q:, q:]

    def equilibrium(self, missing: Vector, total: float) -> Vector:
        """The change of beta of free rows that changes their effective scores by so much, and the sum of beta."""
        right = np.zeros(len(self.P))
        if self.dual.fit_intercept:
            right[-1] = -total
        return self.inner @ missing - self.Y @ right

    def of_free(self) -> Vector:
        """T_FF."""
        return self.inner

    def responses(self, leaving: np.ndarray, some: np.ndarray) -> Vector:
        """T[some, p] for each p of rows that are not free, a row each."""
        free = np.isin(some, self.free)
        into = np.empty((leaving.size, some.size))
        into[:, ~free] = self.Z[leaving] @ self.P @ self.Z[some[~free]].T
        into[:, free] = -self.Z[leaving] @ self.Y[np.searchsorted(self.free, some[free])].T
        return with_ridge(into, leaving, some, self.dual.ridge)

    def tableau(self, some: np.ndarray) -> Vector:
        """T of some rows, T[:, p] in row p."""
        free = np.isin(some, self.free)
        place, others = np.searchsorted(self.free, some[free]), some[~free]
        columns = np.empty((some.size, some.size))
        columns[~free] = self.responses(others, some)
        columns[np.ix_(free, free)] = self.inner[np.ix_(place, place)].T
        columns[np.ix_(free, ~free)] = -columns[np.ix_(~free, free)].T
        return columns
