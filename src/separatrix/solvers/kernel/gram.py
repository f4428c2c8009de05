"""The kernel matrix of the training rows: float32 for the search, float64 for the answer.

    K_ij = K(x_i, x_j)

The search for the sets of free and bounded rows needs K to some six digits, which float32 has; where it has not the
range or the digits for these rows, products are in float64. What is claimed is computed from the rows in float64. Tiles
of values stay in the cache while products become values and these a sum: with few columns that is as quick as reading
them from memory, and needs none. Values of many columns, or of sparse rows, are kept (`row_cache`).
"""

from typing import Any

import numpy as np

from separatrix import rows as storage
from separatrix.kernels.tiles import slices
from separatrix.problem.coordinates import spread_out
from separatrix.rows import CSR, Rows, Vector
from separatrix.solvers.kernel.row_cache import RowCache
from separatrix.threads import parallel_map

TILE_ROWS, TILE_COLUMNS = 128, 2048  # of float32 values: a MB stays in the second cache
MAX_EXACT_ROWS = 2000  # whose matrix is kept in float64
MEDIAN_ROWS = 1000  # whose median is the origin
RANGE_ROWS, SINGLE_RTOL = 64, 1e-2  # rows whose values tell whether float32 will do, to this part of the largest
MAX_SINGLE_VALUE = 1e30  # of given values that float32 may take the place of
MAX_COLUMNS_TO_COMPUTE = 100  # whose values are as quickly computed as read


class Gram:
    """The kernel matrix of n encoded rows, of which at most so many bytes are kept."""

    is_exact = False

    def __init__(self, kernel: Any, X: Rows, max_bytes: float) -> None:
        self.kernel, self.n, self.max_bytes = kernel, storage.n_rows(X), max_bytes
        self.X = centred(X) if kernel.shift_invariant and isinstance(X, np.ndarray) else X
        self.single = single_precision(self.X)
        with np.errstate(over="ignore"):
            self.squares: np.ndarray = storage.squares(self.single).astype(np.float32)  # rounded as products are
        if not self.single_is_enough():
            self.single, self.squares = self.X, storage.squares(self.X)
        self.diagonal = kernel.diagonal(self.X)
        dear = isinstance(X, CSR) or X.shape[1] > MAX_COLUMNS_TO_COMPUTE
        self.cache = RowCache(self.n, max_bytes, self.rows_into) if dear else None

    @np.errstate(over="ignore", invalid="ignore")
    def single_is_enough(self) -> bool:
        """Whether float32 has the range and the digits for the kernel values of some rows."""
        some = np.union1d(spread_out(self.n, RANGE_ROWS), [self.squares.argmin(), self.squares.argmax()])
        exact = self.exact_block(some, some)
        return bool(np.abs(self.tile(some, some) - exact).max() <= SINGLE_RTOL * np.abs(exact).max())

    def rows_into(self, values: np.ndarray, index: np.ndarray) -> None:
        """Fill an array with the float32 rows of the matrix that are asked for."""

        def fill(columns: slice) -> None:
            for part in slices(index.size, TILE_ROWS):
                values[part, columns] = self.tile(index[part], columns)

        for _ in parallel_map(fill, slices(self.n, TILE_COLUMNS)):
            pass

    def tile(self, index: np.ndarray, others: Any) -> np.ndarray:
        """K of some rows with some others, by their numbers or as a slice, float32."""
        left, right = storage.take(self.single, index), taken(self.single, others)
        return self.kernel.of_products(products_of(left, right), self.squares[index][:, None], self.squares[others])

    def add_rows(self, index: np.ndarray, amounts: Vector, into: Vector) -> None:
        """into += sum_r amounts[r] K[index[r]], in place."""
        if self.cache is not None:
            self.cache.add_rows(index, amounts, into)
            return
        parts = [(index[part], amounts[part].astype(np.float32)) for part in slices(index.size, TILE_ROWS)]

        def add(columns: slice) -> None:
            for some, scales in parts:
                into[columns] += np.dot(scales, self.tile(some, columns))

        for _ in parallel_map(add, slices(self.n, TILE_COLUMNS)):
            pass

    def block(self, index: np.ndarray) -> np.ndarray:
        """K of some rows with each other, float32."""
        return self.tile(index, index) if self.cache is None else self.cache.block(index)

    def exact_block(self, left: np.ndarray, right: np.ndarray) -> Vector:
        """K of some rows with some others, float64, from the rows."""
        return self.kernel.values_between(storage.take(self.X, left), storage.take(self.X, right))

    def exact_scores(self, index: np.ndarray, support: np.ndarray, coefficients: Vector) -> Vector:
        """sum_j coefficients_j K_ij over the support rows, for some rows, float64."""
        return self.kernel.expansion(storage.take(self.X, support), coefficients, storage.take(self.X, index))


class GivenGram(Gram):
    """A kernel matrix whose float64 values are given; of many rows those that are used are kept in float32 too."""

    is_exact = True

    def __init__(self, values: Vector, max_bytes: float = np.inf) -> None:
        self.n, self.exact, self.max_bytes = len(values), np.asarray(values, dtype=np.float64), max_bytes
        self.diagonal = self.exact.diagonal().copy()
        self.cache = None
        if self.n > MAX_EXACT_ROWS and np.abs(self.diagonal).max() < MAX_SINGLE_VALUE:
            self.is_exact, self.cache = False, RowCache(self.n, max_bytes, self.rows_into)

    def rows_into(self, values: np.ndarray, index: np.ndarray) -> None:
        """Fill an array with the float32 rows of the matrix that are asked for."""
        values[:] = self.exact[index]

    def add_rows(self, index: np.ndarray, amounts: Vector, into: Vector) -> None:
        """into += sum_r amounts[r] K[index[r]], in place."""
        if self.cache is not None:
            self.cache.add_rows(index, amounts, into)
            return
        for part in slices(index.size, TILE_COLUMNS):
            into += np.dot(amounts[part], self.exact[index[part]])

    def tile(self, index: np.ndarray, others: Any) -> np.ndarray:
        """K of some rows with some others."""
        columns = np.arange(self.n)[others] if isinstance(others, slice) else others
        return self.exact[np.ix_(index, columns)].astype(np.float64 if self.is_exact else np.float32)

    def block(self, index: np.ndarray) -> np.ndarray:
        """K of some rows with each other; the matrix itself where they are all, in order."""
        return self.exact if self.is_whole(index) else self.exact_block(index, index)

    def exact_block(self, left: np.ndarray, right: np.ndarray) -> Vector:
        """K of some rows with some others, float64."""
        return self.exact[left] if self.is_whole(right) else self.exact[np.ix_(left, right)]

    def is_whole(self, index: np.ndarray) -> bool:
        """Whether these are all rows, in order."""
        return index.size == self.n and bool((np.diff(index) == 1).all())

    def exact_scores(self, index: np.ndarray, support: np.ndarray, coefficients: Vector) -> Vector:
        """sum_j coefficients_j K_ij over the support rows, for some rows, float64."""
        if index.size == self.n:
            into = np.zeros(self.n)
            self.add_rows(support, coefficients, into)  # the matrix is symmetric
            return into
        return self.exact_block(index, support) @ coefficients


def gram_of(kernel: Any, X: Rows, max_bytes: float) -> Gram:
    """The kernel matrix of rows, in float64 throughout where they are few, or the one that they are."""
    if not kernel.by_products:
        return GivenGram(kernel.matrix(X), max_bytes)
    return GivenGram(kernel.values_between(X, X)) if storage.n_rows(X) <= MAX_EXACT_ROWS else Gram(kernel, X, max_bytes)


def centred(X: np.ndarray) -> np.ndarray:
    """Rows less the median of some: a kernel of differences does not notice, and products cancel less.

    A row far from all others would draw the mean away from them.
    """
    values = np.asarray(X, dtype=np.float64)
    return values - np.median(values[spread_out(len(values), MEDIAN_ROWS)], axis=0)


@np.errstate(over="ignore")
def single_precision(X: Rows) -> Rows:
    """The rows in float32."""
    if isinstance(X, CSR):
        return CSR(X.data.astype(np.float32), X.indices, X.indptr, X.n_columns)
    return np.ascontiguousarray(X, dtype=np.float32)


def taken(X: Rows, index: Any) -> Any:
    """Rows by their numbers, or next to each other."""
    if isinstance(X, np.ndarray):
        return X[index]
    return storage.take(X, np.arange(index.start, index.stop) if isinstance(index, slice) else index)


def products_of(A: Any, B: Any) -> np.ndarray:
    """<a, b> of all pairs, float32."""
    if isinstance(A, np.ndarray):
        return np.dot(A, B.T)
    from scipy.sparse import csr_matrix

    left, right = (csr_matrix((M.data, M.indices, M.indptr), shape=(storage.n_rows(M), M.n_columns)) for M in (A, B))
    return np.ascontiguousarray((left @ right.T).toarray(), dtype=np.float32)
