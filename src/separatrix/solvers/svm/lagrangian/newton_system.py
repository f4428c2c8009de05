"""Newton's system of the augmented Lagrangian, solved by the factor of a matrix of the columns or of the rows.

    (I + X'SX) p + X'S1 q = r,      1'SX p + (1'S1 + floor) q = r_b,       S = diag(sigma) over some rows X

With few columns the matrix is factored as it is. With few rows, p = r - X'u for u = S (X p + q 1), and

    (S^-1 + XX') u = X r + q 1,        1'u + floor q = r_b

(Sherman and Morrison, 1950; Woodbury, 1950). Where sigma is large, conjugate gradients would need as many products as
the smaller of both matrices has rows. Inner products of rows are kept from one system to the next, as most rows stay
the same; solvers of several classes share them.
"""

from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse import diags

from separatrix.products import product, weighted_gram
from separatrix.rows import Rows, Vector, squares
from separatrix.solvers.svm.lagrangian.row_products import pickable
from separatrix.threads import cached_property

MAX_SIZE = 4096  # rows of a matrix that is factored, and rows whose inner products are kept: 128 MB each
FACTOR_SPEED = 12.0  # operations of a Cholesky factor in the time of one operation of a product with a vector
SPARSE_SPEED = 0.1  # operations of a product of sparse matrices, likewise
ROUNDING = 1e-13  # added to the diagonal as part of its largest entry, so that rounding does not end a factorisation

Step = tuple[Vector, float]


class System(NamedTuple):
    """The numbers of a system: which rows, sigma of these, the right-hand sides, and a floor, infinite for q = 0."""

    rows: np.ndarray
    sigma: Vector
    downhill: Vector
    bias_downhill: float
    floor: float


class NewtonSystems:
    """Systems over rows of one matrix, each over some of them.

    `shared` is one of the same rows, whose inner products and costs serve here too. Which factor is chosen does not
    depend on what others have computed, so that the answer does not depend on the order in which they run.
    """

    def __init__(self, X: Rows, shared: "NewtonSystems | None" = None):
        self.matrix = pickable(X)
        self.n_rows, self.n_columns = self.matrix.shape
        self.dense = isinstance(self.matrix, np.ndarray)
        self.asked = np.zeros(self.n_rows, dtype=bool)  # rows whose inner products were needed before
        # BLAS rounds a product by its place in a matrix, so that dense ones are not shared
        self.gram: RowGram = RowGram(self.matrix) if shared is None or self.dense else shared.gram
        self.costs: Costs = Costs(self.matrix) if shared is None else shared.costs
        self.squares: Vector = squares(X) if shared is None else shared.squares  # ||x||^2 of each row

    def operations(self, rows: np.ndarray) -> float:
        """What the cheaper factor costs, in operations of products with vectors; infinite where both are too large."""
        return min(self.operations_by_rows(rows), self.operations_by_columns(rows))

    def operations_by_rows(self, rows: np.ndarray) -> float:
        """What the factor of S^-1 + XX' costs."""
        if not 0 < rows.size <= MAX_SIZE:
            return np.inf
        n_asked, new = int(np.count_nonzero(self.asked)), rows[~self.asked[rows]]
        n_together, new = (n_asked + new.size, new) if n_asked + new.size <= MAX_SIZE else (rows.size, rows)
        products = 2.0 * float(self.costs.by_rows[new].sum()) * (n_together / self.n_rows)
        return products / self.speed + rows.size**3 / (3.0 * FACTOR_SPEED)

    def operations_by_columns(self, rows: np.ndarray) -> float:
        """What the factor of I + X'SX costs."""
        if self.n_columns > MAX_SIZE:
            return np.inf
        return float(self.costs.by_columns[rows].sum()) / self.speed + self.n_columns**3 / (3.0 * FACTOR_SPEED)

    def solve(self, system: System) -> Step | None:
        """p and q by the cheaper factor; None where rounding keeps it from being made."""
        cheaper_by_rows = self.operations_by_rows(system.rows) <= self.operations_by_columns(system.rows)
        X = self.matrix[system.rows]
        try:
            step = by_rows(system, X, self.inner_products(system.rows)) if cheaper_by_rows else by_columns(system, X)
        except LinAlgError:
            return None
        return step if np.isfinite(step[0]).all() else None

    @property
    def speed(self) -> float:
        """Operations of products of rows with rows in the time of one of a product with a vector."""
        return FACTOR_SPEED if self.dense else SPARSE_SPEED

    def inner_products(self, rows: np.ndarray) -> Vector:
        """XX' of some rows; a copy."""
        if np.count_nonzero(self.asked) + np.count_nonzero(~self.asked[rows]) > MAX_SIZE:
            self.asked[:] = False
        self.asked[rows] = True
        return self.gram.of(rows)


class Costs:
    """How many products of numbers the matrices of rows and of columns take, for each row."""

    def __init__(self, matrix: Any):
        self.matrix, self.dense = matrix, isinstance(matrix, np.ndarray)

    @cached_property
    def by_rows(self) -> Vector:
        """Those of each row with all rows."""
        n, d = self.matrix.shape
        if self.dense:
            return np.full(n, float(n * d))
        in_columns = np.bincount(self.matrix.indices, minlength=d).astype(np.float64)
        sums = np.append(0.0, np.cumsum(in_columns[self.matrix.indices]))
        return np.diff(sums[self.matrix.indptr])

    @cached_property
    def by_columns(self) -> Vector:
        """Those of the outer product of each row with itself."""
        n, d = self.matrix.shape
        counts = np.full(n, d) if self.dense else np.diff(self.matrix.indptr)
        return counts.astype(np.float64) ** 2


class RowGram:
    """The inner products of rows with each other, of those rows that were asked for so far."""

    def __init__(self, matrix: Any):
        self.matrix, self.lock = matrix, Lock()
        self.known = np.empty(0, dtype=np.int64)
        self.place = np.full(matrix.shape[0], -1, dtype=np.int64)  # of each row among those that are known
        self.products = np.empty((0, 0))

    def of(self, rows: np.ndarray) -> Vector:
        """XX' of some rows, at most MAX_SIZE of them; a copy."""
        with self.lock:
            missing = rows[self.place[rows] < 0]
            if self.known.size + missing.size > MAX_SIZE:
                self.place[self.known] = -1
                self.known, self.products = self.known[:0], np.empty((0, 0))
                missing = rows
            if missing.size:
                self.add(missing)
            place = self.place[rows]
            return self.products[np.ix_(place, place)]

    def add(self, missing: np.ndarray) -> None:
        """Compute the products of some rows with each other and with those that are known."""
        n_before = self.known.size
        self.known = np.append(self.known, missing)
        self.place[missing] = np.arange(n_before, self.known.size)
        found = product(self.matrix[missing].astype(np.float64, copy=False), self.matrix[self.known].T)
        border = found if isinstance(found, np.ndarray) else found.toarray()
        grown = np.empty((self.known.size, self.known.size))
        grown[:n_before, :n_before] = self.products
        grown[n_before:], grown[:n_before, n_before:] = border, border[:, :n_before].T
        self.products = grown


def by_rows(system: System, X: Any, gram: Vector) -> Step:
    """p and q by the factor of S^-1 + XX'; changes XX' in place."""
    factor = factored(gram, 1.0 / system.sigma)
    right = np.column_stack([product(X, system.downhill), np.ones(len(gram))])
    u, by_offset = cho_solve(factor, right, check_finite=False).T
    q = (system.bias_downhill - float(u.sum())) / (float(by_offset.sum()) + system.floor)
    return system.downhill - product(X.T, u + q * by_offset), q


def by_columns(system: System, X: Any) -> Step:
    """p and q by the factor of I + X'SX."""
    sigma = system.sigma
    if isinstance(X, np.ndarray):
        gram = weighted_gram(X.astype(np.float64, copy=False), sigma)
    else:
        gram = (X.T @ (diags(sigma) @ X)).toarray()
    sums = product(X.T, sigma)
    factor = factored(gram, np.ones(len(gram)))
    p, by_offset = cho_solve(factor, np.column_stack([system.downhill, sums]), check_finite=False).T
    bias_curvature = float(sigma.sum()) - float(sums @ by_offset) + system.floor
    q = (system.bias_downhill - float(sums @ p)) / bias_curvature
    return p - q * by_offset, q


def factored(gram: Vector, diagonal: Vector) -> Any:
    """The Cholesky factor of a matrix to whose diagonal something is added, in place."""
    own = np.einsum("ii->i", gram)  # a view, in any order of memory
    own += diagonal
    own += ROUNDING * float(own.max())
    return cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
