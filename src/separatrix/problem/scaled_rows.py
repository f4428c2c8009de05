"""Rows [z, 1] in coordinates where they are of moderate size, and sums over them, a few thousand rows at a time."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from separatrix.problem.coordinates import Coordinates, far_from_origin, spread_out
from separatrix.problem.problem import Problem
from separatrix.products import combination, dense_rows, product, row_parts, weighted_gram
from separatrix.rows import CSR, Rows, Vector, n_columns, n_rows
from separatrix.threads import row_chunks, summed

MAX_SPANNING_ROWS, MAX_SPANNING_ENTRIES = 1500, 2**26  # rows that are made dense and factored for a basis
MAX_SAMPLE_ROWS, MIN_SAMPLE_ROWS = 2000, 200  # rows that coordinates come from, fewer where dense ones are long
DENSE_SAMPLE_ENTRIES, MAX_SAMPLE_ENTRIES = 2**18, 2**23  # entries of such rows if dense, and of sparse ones made dense
MAX_TURNED_ENTRIES = 2**23  # of dense rows that are stored once more, in coordinates of their own
MIN_CENTRE = 3.0  # distance of a mean from 0, in units of the spread, beyond which a column is moved there
CONSTANT = 1e-14  # spread of a column, relative to its mean, below which it is rounding
BLOCK_ENTRIES = 2**16  # entries of rows that stay in the cache during a product of matrices


class ScaledRows(NamedTuple):
    """The rows of a problem and the coordinates that they are taken in.

    >>> problem = Problem(np.array([[8.0], [12.0]]), np.array([0, 1]))
    >>> rows = ScaledRows(problem.X, moderate_coordinates(problem))  # z is -1 and 1
    >>> rows.gram(np.array([0.25, 0.25])).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """

    X: Rows
    coordinates: Coordinates

    def chunks(self, made: int) -> list[slice]:
        """Chunks of row numbers, each worth a thread of its own and the memory of the numbers made of it."""
        n = n_rows(self.X)
        return row_chunks(n, 4 * n * self.coordinates.width, made)  # an entry is read, scaled, weighted and multiplied

    def blocks(self, chunk: slice | None = None, entries: int = BLOCK_ENTRIES) -> Iterator[tuple[slice, Vector]]:
        """Slices of the row numbers of a chunk, or of all, with these rows as a dense matrix."""
        step = max(256, entries // max(1, n_columns(self.X)))
        for part, matrix in row_parts(self.X, chunk or slice(0, n_rows(self.X)), step):
            yield part, self.coordinates.rows(matrix.toarray() if isinstance(self.X, CSR) else matrix)

    def gram(self, weights: Vector) -> Vector:
        """sum_i weights_i z_i z_i', for weights that are not negative."""
        width = self.coordinates.width

        def sum_chunk(chunk: slice) -> tuple[Vector]:
            total = np.zeros((width, width))
            for part, z in self.blocks(chunk):
                total += weighted_gram(z, weights[part])
            return (total,)

        return summed(sum_chunk, self.chunks(width**2))[0]

    def weighted_sum(self, U: Vector) -> Vector:
        """sum_i z_i u_i', for a matrix with a row u_i for each row."""

        def sum_chunk(chunk: slice) -> tuple[Vector]:
            total = np.zeros((self.coordinates.width, U.shape[1]))
            for part, z in self.blocks(chunk):
                total += product(z.T, U[part])
            return (total,)

        return summed(sum_chunk, self.chunks(self.coordinates.width * U.shape[1]))[0]


def moderate_coordinates(problem: Problem) -> Coordinates:
    """Coordinates by columns; where rows are few and features many, in a basis of what the rows span."""
    n, d = problem.n_rows, problem.n_features
    if n < d and n <= MAX_SPANNING_ROWS and n * d <= MAX_SPANNING_ENTRIES:
        return Coordinates.of(dense_rows(problem.X, np.arange(n)), problem.fit_intercept)
    return column_coordinates(problem)


def orthogonal_coordinates(problem: Problem) -> Coordinates:
    """Moderate coordinates, but one along the mean of rows that are far from the origin where there is no offset."""
    n, d = problem.n_rows, problem.n_features
    if not problem.fit_intercept and d <= n and n * d <= MAX_TURNED_ENTRIES:
        some = dense_rows(problem.X, spread_out(n, MAX_SAMPLE_ROWS))
        if far_from_origin(some):
            return Coordinates.turned(some)
    return moderate_coordinates(problem)


def column_coordinates(problem: Problem) -> Coordinates:
    """A centre and a scale for each column, which the problem keeps.

    A column is moved only if it is far from 0 for its spread: zeros that stay zeros are not rounded.
    """
    if "_column_coordinates" not in problem.__dict__:
        mean, spread, square = column_moments(problem)
        moved = problem.fit_intercept & (np.abs(mean) > MIN_CENTRE * np.sqrt(spread))
        scale = np.sqrt(np.where(moved, spread, square))
        idle = ~(scale > np.maximum(CONSTANT * np.abs(mean), 1e-150))
        coordinates = Coordinates(np.where(moved, mean, 0.0), np.where(idle, 1.0, scale), None, problem.fit_intercept)
        problem.__dict__["_column_coordinates"] = coordinates
    return problem.__dict__["_column_coordinates"]


def column_moments(problem: Problem) -> tuple[Vector, Vector, Vector]:
    """Mean, variance and mean square of each column, from some of the rows; from all if they are sparse and wide."""
    X, n, d = problem.X, problem.n_rows, problem.n_features
    if isinstance(X, CSR) and min(n, MAX_SAMPLE_ROWS) * d > MAX_SAMPLE_ENTRIES:
        mean, square = (combination(rows, np.full(n, 1.0 / n)) for rows in (X, squared(X)))
        return mean, np.maximum(square - mean**2, 0.0), square
    dense = max(MIN_SAMPLE_ROWS, min(MAX_SAMPLE_ROWS, DENSE_SAMPLE_ENTRIES // d))
    rows = dense_rows(X, spread_out(n, MAX_SAMPLE_ROWS if isinstance(X, CSR) else dense))
    mean = rows.mean(axis=0)
    spread = np.mean((rows - mean) ** 2, axis=0)
    return mean, spread, spread + mean**2


def squared(X: CSR) -> CSR:
    """The rows with every entry squared."""
    return CSR(X.data.astype(np.float64) ** 2, X.indices, X.indptr, X.n_columns)
