"""The Cholesky factor of a symmetric positive definite matrix, panel by panel of its columns (left-looking).

    A = L L',    L = [panel 0, panel 1, ...],    panel k: rows from the first of its columns on

Only the lower half is computed and kept. Chunks of rows are in the hands of one core each, and between two panels the
work can be interrupted, which one call of LAPACK for the whole matrix cannot.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from separatrix.kernels.tiles import slices
from separatrix.threads import parallel_map, threads_for

PANEL_COLUMNS = 512
CHUNK_ROWS = 512

Values = Callable[[slice, slice], np.ndarray]  # entries of the matrix in some rows and columns


class PanelCholesky:
    """The factor of a matrix of n rows whose entries `values` computes; `interrupted` may end the work by raising."""

    def __init__(self, n: int, values: Values, dtype: type, interrupted: Callable[[], object]) -> None:
        self.columns = slices(n, PANEL_COLUMNS)
        self.panels: list[np.ndarray] = []
        self.inverses: list[np.ndarray] = []  # of the squares on top of the panels
        with threads_for(0.0):
            for columns in self.columns:
                interrupted()
                self.panels.append(self.panel(n, columns, values, dtype))

    def panel(self, n: int, columns: slice, values: Values, dtype: type) -> np.ndarray:
        """The next panel: entries, less the products of panels before, over the factor of its square."""
        first, width = columns.start, columns.stop - columns.start
        A = np.empty((n - first, width), dtype=dtype)

        def reduce(part: slice) -> None:
            A[part] = values(slice(first + part.start, first + part.stop), columns)
            for before, panel in zip(self.columns, self.panels, strict=False):
                there = first - before.start
                A[part] -= np.dot(panel[there + part.start : there + part.stop], panel[there : there + width].T)

        def divide(part: slice) -> None:
            rows = slice(width + part.start, width + part.stop)
            A[rows] = np.dot(A[rows], inverse.T)

        for _ in parallel_map(reduce, slices(n - first, CHUNK_ROWS)):
            pass
        square = A[:width] = cholesky(A[:width], lower=True, check_finite=False)
        if not np.isfinite(square.diagonal()).all():
            raise LinAlgError("The matrix has entries that are not finite.")
        inverse = solve_triangular(square, np.eye(width, dtype=dtype), lower=True, check_finite=False)
        self.inverses.append(np.ascontiguousarray(inverse))
        for _ in parallel_map(divide, slices(n - first - width, CHUNK_ROWS)):
            pass
        return A

    def forward(self, B: np.ndarray) -> np.ndarray:
        """L^-1 B, in place."""
        for columns, panel, inverse in zip(self.columns, self.panels, self.inverses, strict=True):
            B[columns] = np.dot(inverse, B[columns])
            subtract_product(B[columns.stop :], panel[len(inverse) :], B[columns])
        return B

    def backward(self, B: np.ndarray) -> np.ndarray:
        """L^-T B, in place."""
        parts = zip(self.columns, self.panels, self.inverses, strict=True)
        for columns, panel, inverse in reversed(list(parts)):
            B[columns] = np.dot(inverse.T, B[columns] - np.dot(panel[len(inverse) :].T, B[columns.stop :]))
        return B


def subtract_product(into: np.ndarray, A: np.ndarray, B: np.ndarray) -> None:
    """into -= A B, in place, chunks of rows in parallel."""

    def subtract(part: slice) -> None:
        into[part] -= np.dot(A[part], B)

    for _ in parallel_map(subtract, slices(len(into), CHUNK_ROWS)):
        pass
