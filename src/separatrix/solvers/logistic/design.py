"""The design matrix: rows [z, 1] in coordinates where they are of moderate size, and the sums that solvers need.

    g = V'z,     sum_i z_i u_i',     sum_i u_i z_i z_i'

Few rows are kept in these coordinates. Of many the features x serve as they are, and sums over x are converted to sums
over z, unless the origin is so far away that this would cost digits: then rows are converted, some thousands at a time.
Rows that are used twice stay in the cache between; sparse ones are not made dense where most entries are zeros.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from separatrix.objectives.log_loss import binary_loss_and_gradient
from separatrix.objectives.log_loss_loops import ENTRIES_PER_LOSS
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.scaled_rows import BLOCK_ENTRIES, ScaledRows, squared
from separatrix.products import (
    as_matrix,
    cached_rows,
    combination,
    dense_rows,
    product,
    row_parts,
    scores,
    weighted_gram,
)
from separatrix.rows import CSR, Vector, n_entries, n_rows, take
from separatrix.threads import row_chunks, summed

MAX_KEPT_ENTRIES = 2**17  # of rows stored in coordinates where the features would do
MAX_KEPT_ENTRIES_IF_FAR = 2**23  # of rows stored in coordinates where the features would cost digits
MAX_SPARSE_DENSITY = 0.05  # stored entries, relative to all, up to which rows are not made dense
ARRAYS_PER_PLANE = 4  # numbers of each row and plane that are in use at the same time as the row
SWEEP_ENTRIES = 2**18  # entries of rows that stay in the cache during products with vectors

Response = tuple[Vector, float]


class Design:
    """The rows [z, 1] of a problem, and sums over them; V holds a column [v..., b] for each plane.

    `stored` are the rows that sums are made of: [z, 1] if they are `kept` so, x if they are `raw`, and nothing where
    each block is converted. `n_stored` is how many columns a block has. `by_columns` are sparse rows once more, stored
    column by column, where there are several planes.
    """

    def __init__(self, problem: Problem, coordinates: Coordinates):
        self.problem, self.coordinates, self.width = problem, coordinates, coordinates.width
        n, d, X = problem.n_rows, problem.n_features, problem.X
        sparse, far = is_sparse(problem), coordinates.is_far
        most = MAX_KEPT_ENTRIES_IF_FAR if far else MAX_KEPT_ENTRIES
        self.kept = coordinates.basis is not None or n * self.width <= most
        self.sparse, self.raw = sparse and not self.kept, not self.kept and (sparse or not far)
        self.stored: Any = X if self.raw else None
        if self.kept:
            self.stored = coordinates.rows(dense_rows(X, np.arange(n)))
        self.n_stored = d if self.raw else self.width
        self.by_columns: Any = turned(X) if self.sparse and problem.n_planes > 1 and isinstance(X, CSR) else None

    def chunks(self, entries_a_row: int, made: int) -> list[slice]:
        """Chunks of row numbers, each worth a thread of its own and the memory of the numbers made of it.

        `entries_a_row` is what a row costs besides its own entries.
        """
        n = self.problem.n_rows
        entries = n_entries(self.problem.X) if self.sparse else n * self.n_stored
        return row_chunks(n, entries + entries_a_row * n, made)

    def blocks(self, chunk: slice, entries: int = SWEEP_ENTRIES, beside: int = 0) -> Iterator[tuple[slice, Any]]:
        """Slices of the row numbers of a chunk with these rows as a matrix: x if they are raw, else [z, 1].

        `beside` is how many numbers are in the cache besides those of a row.
        """
        if self.stored is None:
            yield from ScaledRows(self.problem.X, self.coordinates).blocks(chunk, entries)
            return
        made_dense = isinstance(self.stored, CSR) and not self.sparse
        step = cached_rows(self.stored) if self.sparse else max(256, entries // max(1, self.n_stored + beside))
        for part, rows in row_parts(self.stored, chunk, step):
            yield part, rows.toarray() if made_dense else rows

    def stored_planes(self, V: Vector) -> tuple[Vector, Vector | float]:
        """What rows as `blocks` has them are multiplied with, and what is added, for their scores."""
        if not self.raw:
            return V, 0.0
        centre, scale, offset = self.coordinates.centre, self.coordinates.scale, self.coordinates.offset
        w = V[: scale.size] / scale[:, None]
        return w, V[-1] - product(centre, w) if offset else 0.0

    def from_stored(self, total: Vector, weight: Vector) -> Vector:
        """sum_i z_i u_i' from the sum over rows as `blocks` has them, and the sum of the u_i."""
        if not self.raw:
            return total
        centre, scale = self.coordinates.centre, self.coordinates.scale
        into = np.empty((self.width, len(weight)))
        into[: scale.size] = total
        moved = np.flatnonzero(centre)
        into[moved] -= np.outer(centre[moved], weight)
        into[: scale.size] /= scale[:, None]
        into[scale.size :] = weight
        return into

    def scores(self, V: Vector) -> Vector:
        """g of each row and plane."""
        if self.kept:
            return np.asarray(self.stored @ V)
        w, b = self.coordinates.plane(V.T)
        return scores(self.problem.X, np.ascontiguousarray(w.T)) + b

    def sweep(self, V: Vector, respond: Callable[[Vector, slice], Response]) -> Response:
        """sum_i z_i u_i' where u depends on the scores of a row: each is read once for both."""
        w, b = self.stored_planes(V)
        if self.sparse and V.shape[1] > 1:
            return sparse_sweep(self, (w, b), respond)
        if V.shape[1] == 1:
            return self.gather(V.shape[1], lambda rows, part: respond(rows @ w + b, part))
        by_plane, offsets = np.ascontiguousarray(w.T), np.reshape(b, (-1, 1))

        def respond_by_plane(rows: Any, part: slice) -> Response:
            scores = product(by_plane, rows.T)
            scores += offsets
            return respond(scores.T, part)

        return self.gather(V.shape[1], respond_by_plane)

    def gather(self, k: int, respond: Callable[[Any, slice], Response]) -> Response:
        """sum_i z_i u_i' where `respond` computes the k numbers u of each row of a block; and the sum of its losses."""

        def sum_chunk(chunk: slice) -> tuple[Vector, Vector, float]:
            total, weight, loss = np.zeros((self.n_stored, k)), np.zeros(k), 0.0
            for part, rows in self.blocks(chunk, beside=ARRAYS_PER_PLANE * k):
                U, more = respond(rows, part)
                total += product(rows.T, U)
                weight += U.sum(axis=0)
                loss += more
            return total, weight, loss

        total, weight, loss = summed(sum_chunk, self.chunks(ENTRIES_PER_LOSS, self.n_stored * k))
        return self.from_stored(total, weight), loss

    def binary_loss_and_gradient(
        self, V: Vector | None, weights: Vector, log_odds: Vector, rival_prob: Vector
    ) -> Response:
        """The gradient of the weighted losses of two classes, and their sum, by compiled loops.

        Fills in log-odds and probabilities of the rivals; without V the log-odds are given.
        """
        rows, y, plane = self.stored, self.problem.y, None
        if V is not None:
            w, b = self.stored_planes(V)
            plane = w[:, 0].copy(), float(np.sum(b))

        def sum_chunk(chunk: slice) -> tuple[Vector, float, float]:
            into, loss = binary_loss_and_gradient(rows, chunk, plane, y, weights, log_odds, rival_prob)
            return into, float((weights[chunk] * (1.0 - 2.0 * y[chunk])) @ rival_prob[chunk, 0]), loss

        total, weight, loss = summed(sum_chunk, self.chunks(ENTRIES_PER_LOSS, self.n_stored))
        return self.from_stored(total.T, np.array([weight])), loss

    def gram(self, weights: Vector) -> Vector:
        """sum_i weights_i z_i z_i', for weights that are not negative."""
        if self.kept:
            return weighted_gram(self.stored, weights)
        if not self.raw:
            return ScaledRows(self.problem.X, self.coordinates).gram(weights)
        total, sums = sparse_gram(self.stored, weights) if self.sparse else self.raw_gram(weights)
        return self.coordinates.gram(total, sums, float(weights.sum()))

    def raw_gram(self, weights: Vector) -> tuple[Any, ...]:
        """sum_i weights_i x_i x_i' and sum_i weights_i x_i."""

        def sum_chunk(chunk: slice) -> tuple[Vector, Vector]:
            total, sums = np.zeros((self.n_stored, self.n_stored)), np.zeros(self.n_stored)
            for part, rows in self.blocks(chunk, BLOCK_ENTRIES):
                total += weighted_gram(rows, weights[part])
                sums += product(weights[part], rows)
            return total, sums

        return summed(sum_chunk, self.chunks(self.n_stored, self.n_stored**2))

    def square_sums(self, weights: Vector) -> Vector:
        """sum_i weights_i z_ij^2 for each coordinate and each column of weights: the diagonal of `gram`."""
        if self.sparse:
            return sparse_square_sums(self.stored, self.coordinates, weights)
        scaled = ScaledRows(self.problem.X, self.coordinates)

        def sum_chunk(chunk: slice) -> tuple[Vector]:
            total = np.zeros((self.width, weights.shape[1]))
            for part, z in self.blocks(chunk) if self.kept else scaled.blocks(chunk):
                total += product((z * z).T, weights[part])
            return (total,)

        return summed(sum_chunk, self.chunks(self.n_stored, self.width * weights.shape[1]))[0]


def dense_entries(design: Design, index: np.ndarray, columns: np.ndarray) -> Vector:
    """[z, 1] of some rows, by some of their coordinates."""
    if design.kept:
        return design.stored[np.ix_(index, columns)]
    centre, scale = design.coordinates.centre, design.coordinates.scale
    features, X = columns[columns < scale.size], take(design.problem.X, index)
    chosen = as_matrix(X)[:, features].toarray() if isinstance(X, CSR) else X[:, features]
    into = np.ones((index.size, columns.size))
    np.divide(chosen - centre[features], scale[features], out=into[:, : features.size])
    return into


def sparse_sweep(design: Design, planes: tuple[Vector, Any], respond: Callable[[Vector, slice], Response]) -> Response:
    """sum_i z_i u_i' of sparse rows and several planes: u of all rows first, then their sum column by column.

    So no sum over a chunk of rows, which would be as long as all columns, has to be made and added to others.
    """
    w, b = planes
    n, k = design.problem.n_rows, w.shape[1]
    U = np.empty((n, k))

    def put(chunk: slice) -> tuple[Vector, float]:
        weight, loss = np.zeros(k), 0.0
        for part, rows in row_parts(design.stored, chunk, max(256, SWEEP_ENTRIES // (ARRAYS_PER_PLANE * k))):
            U[part], more = respond(product(rows, w) + b, part)
            weight, loss = weight + U[part].sum(axis=0), loss + more
        return weight, loss

    weight, loss = summed(put, row_chunks(n, k * (n_entries(design.stored) + ENTRIES_PER_LOSS * n)))
    return design.from_stored(scores(design.by_columns, U), weight), loss


def turned(X: CSR) -> CSR:
    """Sparse rows stored column by column."""
    by_columns = as_matrix(X).T.tocsr()
    return CSR(by_columns.data, by_columns.indices, by_columns.indptr, n_rows(X))


def is_sparse(problem: Problem) -> bool:
    """Whether rows are stored sparse, with so few entries that they are not made dense."""
    X, n, d = problem.X, problem.n_rows, problem.n_features
    return isinstance(X, CSR) and n_entries(X) < MAX_SPARSE_DENSITY * n * d


def sparse_gram(X: CSR, weights: Vector) -> tuple[Vector, Vector]:
    """sum_i weights_i x_i x_i' and sum_i weights_i x_i of sparse rows, which are not made dense."""
    matrix = as_matrix(X)
    weighted = matrix.copy()
    weighted.data = matrix.data * np.repeat(weights, np.diff(matrix.indptr))
    return (matrix.T @ weighted).toarray(), weights @ matrix


def sparse_square_sums(X: CSR, coordinates: Coordinates, weights: Vector) -> Vector:
    """sum_i weights_i z_ij^2 from sums over sparse rows x."""
    sums, total = combination(X, weights), combination(squared(X), weights)
    centre, scale, weight = coordinates.centre[:, None], coordinates.scale[:, None], weights.sum(axis=0)
    moved = total - 2.0 * centre * sums + weight * centre**2
    return np.vstack([np.maximum(moved, 0.0) / scale**2, *[weight[None]] * coordinates.offset])
