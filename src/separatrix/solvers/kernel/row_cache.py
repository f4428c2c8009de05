"""Rows of the kernel matrix that are kept in float32: as many as fit, those used last.

Rows are computed when they are first asked for. Where all places are taken, those that were not used for the longest
time are replaced.
"""

from collections.abc import Callable

import numpy as np

from separatrix.compiling import compiled
from separatrix.kernels.tiles import slices
from separatrix.rows import Vector
from separatrix.threads import parallel_map

MIN_ROWS_KEPT = 2048  # twice a block of the search
COLUMNS_PER_CHUNK = 4096  # worth a thread of its own
ROWS_AT_ONCE = 1024  # computed between two interrupts


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


class RowCache:
    """Rows of a matrix of n x n values, of which at most so many bytes are kept; `fill` computes them."""

    def __init__(self, n: int, max_bytes: float, fill: Callable[[np.ndarray, np.ndarray], None]) -> None:
        self.n, self.fill, self.clock = n, fill, 0
        self.n_kept = int(min(n, max(MIN_ROWS_KEPT, max_bytes // (4 * max(1, n)))))
        self.values = np.empty((self.n_kept, n), dtype=np.float32)  # pages that are never used take no memory
        self.place = np.full(n, -1)  # of each row that is kept
        self.row_at = np.full(self.n_kept, -1)
        self.used = np.zeros(self.n_kept, dtype=np.int64)  # when each place was used last

    def places(self, index: np.ndarray) -> np.ndarray:
        """Where some rows are kept, at most as many as can be; those that are not are computed."""
        self.clock += 1
        missing = index[self.place[index] < 0]
        self.used[self.place[index[self.place[index] >= 0]]] = self.clock
        if missing.size:
            taken = np.sort(np.argsort(self.used, kind="stable")[: missing.size])  # side by side while all are free
            old = self.row_at[taken]
            self.place[old[old >= 0]], self.row_at[taken] = -1, -1
            for part in slices(missing.size, ROWS_AT_ONCE):
                self.compute(missing[part], taken[part])
        return self.place[index]

    def compute(self, index: np.ndarray, places: np.ndarray) -> None:
        """Fill places with rows."""
        if places[-1] - places[0] + 1 == places.size:
            self.fill(self.values[places[0] : places[-1] + 1], index)
        else:
            values = np.empty((index.size, self.n), dtype=np.float32)
            self.fill(values, index)
            self.values[places] = values
        self.place[index], self.row_at[places], self.used[places] = places, index, self.clock

    def add_rows(self, index: np.ndarray, amounts: Vector, into: Vector) -> None:
        """into += sum_r amounts[r] K[index[r]], in place."""
        for some in slices(index.size, self.n_kept):
            places, scales = self.places(index[some]), amounts[some]
            job = lambda part, places=places, scales=scales: add_scaled_rows(  # noqa: E731
                self.values, places, scales, part.start, part.stop, into
            )
            for _ in parallel_map(job, slices(self.n, COLUMNS_PER_CHUNK)):
                pass

    def block(self, index: np.ndarray) -> np.ndarray:
        """K of some rows with each other, at most as many as are kept."""
        return self.values[self.places(index)[:, None], index]
