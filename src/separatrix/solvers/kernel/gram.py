"""The kernel matrix of the training rows: float32 for the search, float64 for the answer.

    K_ij = K(x_i, x_j)

The search for the sets of free and bounded rows needs K to some six digits, which float32 has in half the memory; what
is claimed is computed from the rows in float64. Rows of the float32 matrix are computed when they are first asked for,
by tiles that stay in the cache while inner products become kernel values. As many are kept as the budget allows; then
those that were not used for the longest time are replaced.
"""

from typing import Any

import numpy as np

from separatrix import rows as storage
from separatrix.compiling import compiled
from separatrix.products import combination
from separatrix.rows import CSR, Rows, Vector
from separatrix.threads import cut, parallel_map, threads_for

TILE_ROWS, TILE_COLUMNS = 64, 2048  # of float32 values: half a MB stays in the second cache
MAX_EXACT_ROWS = 2000  # whose matrix is kept in float64
MAX_COLUMNS_TO_COMPUTE = 300  # of a block, whose values are then quicker computed than gathered
MIN_ROWS_KEPT = 1024  # twice a block of the search
COLUMNS_PER_CHUNK = 8192  # worth a thread of its own


@compiled
def add_scaled_rows(K, places, amounts, first, last, into):
    """into[j] += sum_r amounts[r] K[places[r], j] for the columns from first to last, in place."""
    r = 0
    while r + 4 <= places.size:
        a, b, c, d = places[r], places[r + 1], places[r + 2], places[r + 3]
        s, t, u, v = amounts[r], amounts[r + 1], amounts[r + 2], amounts[r + 3]
        for j in range(first, last):
            into[j] += s * K[a, j] + t * K[b, j] + u * K[c, j] + v * K[d, j]
        r += 4
    while r < places.size:
        a, s = places[r], amounts[r]
        for j in range(first, last):
            into[j] += s * K[a, j]
        r += 1


class Gram:
    """The kernel matrix of n encoded rows, of which so many bytes are kept."""

    is_exact = False

    def __init__(self, kernel: Any, X: Rows, max_bytes: float) -> None:
        self.kernel, self.n = kernel, storage.n_rows(X)
        self.X = centred(X) if kernel.shift_invariant and isinstance(X, np.ndarray) else X
        self.single = single_precision(self.X)
        self.squares = squares_of(self.single)
        self.diagonal = kernel.diagonal(self.X)
        self.n_kept = int(min(self.n, max(MIN_ROWS_KEPT, max_bytes // (4 * max(1, self.n)))))
        self.values: np.ndarray = np.empty((self.n_kept, self.n), dtype=np.float32)
        self.place = np.full(self.n, -1)  # of each row that is kept
        self.row_at = np.full(self.n_kept, -1)
        self.used = np.zeros(self.n_kept, dtype=np.int64)  # when each place was used last
        self.clock = 0

    def prepare(self) -> None:
        """Compute all rows at once, where all are kept."""
        if self.n_kept == self.n:
            self.places(np.arange(self.n))

    def places(self, index: np.ndarray) -> np.ndarray:
        """Where some rows are kept, at most as many as can be; those that are not are computed."""
        self.clock += 1
        missing = index[self.place[index] < 0]
        self.used[self.place[index[self.place[index] >= 0]]] = self.clock
        if missing.size:
            taken = np.argpartition(self.used, missing.size - 1)[: missing.size]
            old = self.row_at[taken]
            self.place[old[old >= 0]] = -1
            self.compute(missing, taken)
            self.place[missing], self.row_at[taken], self.used[taken] = taken, missing, self.clock
        return self.place[index]

    def compute(self, index: np.ndarray, places: np.ndarray) -> None:
        """Fill places with the kernel values of rows."""

        def fill(part: slice) -> None:
            some, left = places[part], storage.take(self.single, index[part])
            for first in range(0, self.n, TILE_COLUMNS):
                columns = slice(first, min(first + TILE_COLUMNS, self.n))
                self.values[some, columns] = self.tile(left, self.squares[index[part]], columns)

        with threads_for(0.0):
            for _ in parallel_map(fill, cut(index.size, max(1, -(-index.size // TILE_ROWS)))):
                pass

    def tile(self, left: Any, squares: np.ndarray, columns: slice) -> np.ndarray:
        """Kernel values of some rows with the rows of some columns, float32."""
        products = products_of(left, sliced(self.single, columns))
        return self.kernel.of_products(products, squares[:, None], self.squares[columns])

    def add_rows(self, index: np.ndarray, amounts: Vector, into: Vector) -> None:
        """into += sum_r amounts[r] K[index[r]], in place."""
        for first in range(0, index.size, self.n_kept):
            some = slice(first, first + self.n_kept)
            places, part = self.places(index[some]), amounts[some]
            chunks = cut(self.n, max(1, self.n // COLUMNS_PER_CHUNK))
            job = lambda chunk, places=places, part=part: add_scaled_rows(  # noqa: E731
                self.values, places, part, chunk.start, chunk.stop, into
            )
            for _ in parallel_map(job, chunks):
                pass

    def block(self, index: np.ndarray) -> np.ndarray:
        """K of some rows with each other, float32; at most as many as are kept."""
        if storage.n_columns(self.single) > MAX_COLUMNS_TO_COMPUTE:
            return self.values[self.places(index)[:, None], index]
        rows, squares = storage.take(self.single, index), self.squares[index]
        return self.kernel.of_products(products_of(rows, rows), squares[:, None], squares)

    def exact_block(self, left: np.ndarray, right: np.ndarray) -> Vector:
        """K of some rows with some others, float64, from the rows."""
        return self.kernel.values_between(storage.take(self.X, left), storage.take(self.X, right))

    def exact_scores(self, index: np.ndarray, support: np.ndarray, coefficients: Vector) -> Vector:
        """sum_j coefficients_j K_ij over the support rows, for some rows, float64."""
        return self.kernel.expansion(storage.take(self.X, support), coefficients, storage.take(self.X, index))


class GivenGram(Gram):
    """A kernel matrix whose float64 values are given."""

    is_exact = True

    def __init__(self, values: Vector) -> None:
        self.n, self.exact = len(values), np.asarray(values, dtype=np.float64)
        self.n_kept, self.values = self.n, self.exact
        self.diagonal = self.exact.diagonal().copy()

    def prepare(self) -> None:
        """All values are there."""

    def places(self, index: np.ndarray) -> np.ndarray:
        """Where some rows are."""
        return index

    def block(self, index: np.ndarray) -> np.ndarray:
        """K of some rows with each other."""
        return self.exact_block(index, index)

    def exact_block(self, left: np.ndarray, right: np.ndarray) -> Vector:
        """K of some rows with some others, float64."""
        return self.exact[np.ix_(left, right)]

    def exact_scores(self, index: np.ndarray, support: np.ndarray, coefficients: Vector) -> Vector:
        """sum_j coefficients_j K_ij over the support rows, for some rows, float64."""
        return self.exact_block(index, support) @ coefficients


def gram_of(kernel: Any, X: Rows, max_bytes: float) -> Gram:
    """The kernel matrix of rows, in float64 throughout where they are few, or the one that they are."""
    if not kernel.by_products:
        return GivenGram(kernel.matrix(X))
    return GivenGram(kernel.values_between(X, X)) if storage.n_rows(X) <= MAX_EXACT_ROWS else Gram(kernel, X, max_bytes)


def centred(X: np.ndarray) -> np.ndarray:
    """Rows less their mean: a kernel of differences does not notice, and products cancel less."""
    return np.asarray(X, dtype=np.float64) - combination(X, np.full(len(X), 1.0 / len(X)))


def single_precision(X: Rows) -> Rows:
    """The rows in float32."""
    if isinstance(X, CSR):
        return CSR(X.data.astype(np.float32), X.indices, X.indptr, X.n_columns)
    return np.ascontiguousarray(X, dtype=np.float32)


def squares_of(X: Rows) -> np.ndarray:
    """||x||^2 of each row, rounded as products of the rows are."""
    return storage.squares(X).astype(np.float32)


def sliced(X: Rows, part: slice) -> Any:
    """Rows next to each other."""
    return X[part] if isinstance(X, np.ndarray) else storage.take(X, np.arange(part.start, part.stop))


def products_of(A: Any, B: Any) -> np.ndarray:
    """<a, b> of all pairs, float32."""
    if isinstance(A, np.ndarray):
        return A @ B.T
    from scipy.sparse import csr_matrix

    left, right = (csr_matrix((M.data, M.indices, M.indptr), shape=(storage.n_rows(M), M.n_columns)) for M in (A, B))
    return np.ascontiguousarray((left @ right.T).toarray(), dtype=np.float32)
