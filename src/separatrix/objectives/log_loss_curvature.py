"""How log losses curve: the matrix of their second derivatives, in coordinates where rows are of moderate size.

    two classes    H = sum_i c_i q_i (1 - q_i) z_i z_i'
    k classes      H = sum_i c_i S_i (x) z_i z_i',     S_i = sum_j q_ij (e_j - e_i)(e_j - e_i)' - s_i s_i'

z_i is a row [z, 1] of `Coordinates`, q_ij the probability of a rival class j, e_i the row's own class and s_i the
slopes of its loss (`log_loss`). Written so, S_i keeps its digits where q is tiny. Rows go through a few
thousand at a time, so that they are still in the cache for their second use; sparse ones are not made dense where most
are zeros.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from separatrix.objectives.log_loss import binary_loss_and_gradient, score_gradients
from separatrix.objectives.log_loss_loops import ENTRIES_PER_LOSS
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.products import as_matrix, combination, dense_rows, product, row_slice, scores
from separatrix.rows import CSR, TINY, UNIT_ROUNDOFF, Rows, Vector, n_columns, n_entries, n_rows
from separatrix.threads import row_chunks, summed

MAX_KEPT_ENTRIES, MAX_FAR_ENTRIES = 2**17, 2**23  # of rows in coordinates that are kept; far from the origin
CACHED_MATRIX_ENTRIES, CACHED_SWEEP_ENTRIES = 2**16, 2**18  # for products of matrices, and of vectors
SPARSE_BLOCK_ENTRIES, MIN_ENTRIES_PER_COLUMN = 2**20, 16  # of sparse rows that are taken together
MIN_CENTRE_DISTANCE = 30.0  # from the origin, in units of the spread: from there on a centre is subtracted first
MAX_FACTORED_COLUMNS, MAX_DENSE_ENTRIES = 1500, 2**26  # of a factored matrix; of rows that are made dense for it
MAX_COORDINATE_ROWS, MIN_COORDINATE_ROWS = 2000, 200  # that coordinates come from; fewer where dense rows are long
MIN_MEAN_DISTANCE = 3.0  # from 0, in units of the spread: from there on a column is moved to its mean
MAX_CONSTANT_SPREAD = 1e-14  # of a column, as part of its mean: less is rounding
MAX_SPARSE_DENSITY = 0.05  # part of all entries

Response = tuple[Vector, float]


class Design:
    """The rows [z, 1] of a problem, and sums over them; V holds one column [v..., b] for each plane.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.log_loss_curvature import Design
    >>> from separatrix.problem import Problem
    >>> design = Design.of(Problem(np.array([[8.0], [12.0]]), np.array([0, 1])))  # z is -1 and 1
    >>> design.gram(np.array([0.25, 0.25])).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """

    def __init__(self, problem: Problem, coordinates: Coordinates):
        self.problem, self.coordinates = problem, coordinates
        self.width = coordinates.scale.size + coordinates.offset
        n, d = problem.n_rows, problem.n_features
        sparse = isinstance(problem.X, CSR) and n_entries(problem.X) < MAX_SPARSE_DENSITY * n * d
        far = is_far(coordinates)
        self.kept = coordinates.basis is not None or n * self.width <= (MAX_FAR_ENTRIES if far else MAX_KEPT_ENTRIES)
        self.sparse, self.raw = sparse and not self.kept, not self.kept and (sparse or not far)
        self.Z = coordinates.rows(dense_rows(problem.X, np.arange(n)), np.ones(n)) if self.kept else None

    @classmethod
    def of(cls, problem: Problem) -> "Design":
        """Coordinates from some of the rows; from all, which they then span, where these are few and features many."""
        n, d = problem.n_rows, problem.n_features
        if n < d and n <= MAX_FACTORED_COLUMNS and n * d <= MAX_DENSE_ENTRIES:
            return cls(problem, Coordinates.of(dense_rows(problem.X, np.arange(n)), problem.fit_intercept))
        return cls(problem, by_columns(problem))

    def planes(self, V: Vector) -> tuple[Vector, Vector]:
        """w and b of each plane."""
        pairs = [self.coordinates.plane(v) for v in V.T]
        return np.array([w for w, _ in pairs]), np.array([b for _, b in pairs])

    def vectors(self, w: Vector, b: Vector) -> Vector:
        """V of planes."""
        return np.array([self.coordinates.vector(*plane) for plane in zip(w, b, strict=True)]).T

    def penalty(self) -> Vector:
        """What 1/2 ||w||^2 makes of each coordinate: 1/2 sum_j penalty_j v_j^2."""
        return np.append(self.coordinates.scale**-2.0, np.zeros(int(self.coordinates.offset)))

    def scores(self, V: Vector) -> Vector:
        """g of each row and plane."""
        if self.Z is not None:
            return self.Z @ V
        w, b = self.planes(V)
        return scores(self.problem.X, np.ascontiguousarray(w.T)) + b

    def combination(self, U: Vector) -> Vector:
        """sum_i z_i u_i', for a matrix with a row u_i for each row."""
        return self.gather(U.shape[1], lambda rows, part: (U[part], 0.0))[0]

    def sweep(self, V: Vector, respond: Callable[[Vector, slice], Response]) -> Response:
        """sum_i z_i u_i' where u answers to the scores of a few rows at a time: each row is read once for both."""
        w, b = self.raw_planes(V)
        return self.gather(V.shape[1], lambda rows, part: respond(rows @ w + b, part))

    @property
    def plain(self) -> Rows | None:
        """All rows as `blocks` has them, where they are stored so."""
        return self.Z if self.Z is not None else self.problem.X if self.raw else None

    def binary_loss_and_gradient(self, V: Vector | None, weights: Vector, ahead: Vector, wrong: Vector) -> Response:
        """sum_i z_i u_i for two classes, and the loss, by compiled loops; without V from the leads of rivals."""
        rows, y = self.plain, self.problem.y
        plane = None
        if V is not None:
            w, b = self.raw_planes(V)
            plane = w[:, 0].copy(), float(np.sum(b))

        def total(chunk: slice) -> tuple[Vector, float, float]:
            into, lost = binary_loss_and_gradient(rows, chunk, plane, y, weights, ahead, wrong)  # type: ignore[arg-type]
            return into[0], float((weights[chunk] * (1.0 - 2.0 * y[chunk])) @ wrong[chunk, 0]), lost

        into, weight, lost = summed(total, self.row_chunks(ENTRIES_PER_LOSS, self.n_raw))
        return self.of_raw_sum(into[:, None], np.array([weight])), lost

    def gather(self, k: int, respond: Callable[[Any, slice], Response]) -> Response:
        """sum_i z_i u_i' where k numbers u are made for a few rows at a time, while they are in the cache.

        Besides them a number is made for these rows together, and the sum of these is given, too.
        """

        def total(chunk: slice) -> tuple[Vector, Vector, float]:
            into, weight, lost = np.zeros((self.n_raw, k)), np.zeros(k), 0.0
            for part, rows in self.blocks(chunk, dense=False):
                U, more = respond(rows, part)
                into += product(rows.T, U)
                weight += U.sum(axis=0)
                lost += more
            return into, weight, lost

        into, weight, lost = summed(total, self.row_chunks(ENTRIES_PER_LOSS, self.n_raw * k))
        return self.of_raw_sum(into, weight), lost

    def row_chunks(self, beside: int, made: int) -> list[slice]:
        """Slices of the row numbers, each worth a thread, and so many numbers made of it their memory.

        `beside` is what a row costs besides its own numbers.
        """
        entries = n_entries(self.problem.X) if self.sparse else self.problem.n_rows * self.n_raw
        return row_chunks(self.problem.n_rows, entries + beside * self.problem.n_rows, made)

    @property
    def n_raw(self) -> int:
        """Columns of the rows as `blocks` has them."""
        return self.problem.n_features if self.raw else self.width

    def raw_planes(self, V: Vector) -> tuple[Vector, Vector | float]:
        """What rows as `blocks` has them are multiplied with, and what is added, for their scores."""
        if not self.raw:
            return V, 0.0
        w, b = self.planes(V)
        return np.ascontiguousarray(w.T), b

    def of_raw_sum(self, total: Vector, weight: Vector) -> Vector:
        """sum_i z_i u_i' from the sum over rows as `blocks` has them, and the sum of the u_i."""
        if not self.raw:
            return total
        return np.array([self.coordinates.weighted_sum(*pair) for pair in zip(total.T, weight.tolist(), strict=True)]).T

    def blocks(self, chunk: slice | None = None, dense: bool = True) -> Iterator[tuple[slice, Any]]:
        """Slices of row numbers with these rows, a few at a time: [z, 1], or x where they are taken raw.

        They are those of a stretch, or all. Sparse rows stay so where that is asked for.
        """
        n, X = self.problem.n_rows, self.problem.X
        begin, end = (0, n) if chunk is None else (chunk.start, chunk.stop)
        if self.sparse and not dense:
            step = sparse_rows_at_once(X)
        else:
            step = max(256, (CACHED_MATRIX_ENTRIES if dense else CACHED_SWEEP_ENTRIES) // max(1, self.n_raw))
        for first in range(begin, end, step):
            part = slice(first, min(first + step, end))
            if self.Z is not None:
                yield part, self.Z[part]
                continue
            matrix = row_slice(X, part)
            if self.sparse and not dense:
                yield part, matrix
                continue
            rows = matrix.toarray() if isinstance(X, CSR) else matrix
            yield part, rows if self.raw else self.coordinates.rows(rows, np.ones(len(rows)))

    def gram(self, weights: Vector) -> Vector:
        """sum_i weights_i z_i z_i', for weights that are not negative."""
        if self.sparse:
            return self.sparse_gram(weights)

        def squares(chunk: slice) -> tuple[Vector, Vector]:
            total, sums = np.zeros((self.n_raw, self.n_raw)), np.zeros(self.n_raw)
            for part, rows in self.blocks(chunk):
                roots = np.sqrt(weights[part])
                weighted = rows * roots[:, None]
                total += product(weighted.T, weighted)
                if self.raw:
                    sums += product(roots, weighted)
            return total, sums

        total, sums = summed(squares, self.row_chunks(self.n_raw, self.n_raw**2))
        return self.from_raw(total, sums, float(weights.sum())) if self.raw else total

    def square_sums(self, weights: Vector) -> Vector:
        """sum_i weights_i z_ij^2 for each coordinate and each column of weights: the diagonal of `gram`."""
        if self.Z is not None:
            return (self.Z**2).T @ weights
        X = self.problem.X
        if not isinstance(X, CSR):

            def squares(chunk: slice) -> tuple[Vector, Vector]:
                total, sums = np.zeros((2, self.n_raw, weights.shape[1]))
                for part, rows in self.blocks(chunk):
                    total += product((rows * rows).T, weights[part])
                    sums += product(rows.T, weights[part])
                return total, sums

            total, sums = summed(squares, self.row_chunks(0, 2 * self.n_raw * weights.shape[1]))
            if not self.raw:
                return total
        else:
            sums, total = combination(X, weights), combination(squared(X), weights)
        centre, scale = self.coordinates.centre[:, None], self.coordinates.scale[:, None]
        weight = weights.sum(axis=0)
        moved = total - 2.0 * centre * sums + weight * centre**2
        return np.vstack([np.maximum(moved, 0.0) / scale**2, *[weight[None]] * self.coordinates.offset])

    def sparse_gram(self, weights: Vector) -> Vector:
        """The weighted Gram matrix of sparse rows, which are not made dense."""
        matrix = as_matrix(self.problem.X)  # type: ignore[arg-type]
        weighted = matrix.copy()
        weighted.data = matrix.data * np.repeat(weights, np.diff(matrix.indptr))
        total = (matrix.T @ weighted).toarray()
        return self.from_raw(total, weights @ matrix, float(weights.sum()))

    def from_raw(self, total: Vector, sums: Vector, weight: float) -> Vector:
        """The sum over [z, 1] from sums over x."""
        centre, scale, offset = self.coordinates.centre, self.coordinates.scale, self.coordinates.offset
        moved = total - np.outer(sums, centre) - np.outer(centre, sums) + weight * np.outer(centre, centre)
        into = np.empty((self.width, self.width))
        d = scale.size
        into[:d, :d] = moved / scale / scale[:, None]
        if offset:
            into[:d, d] = into[d, :d] = (sums - weight * centre) / scale
            into[d, d] = weight
        return into

    def hessian(self, weights: Vector, wrong: Vector) -> Vector:
        """H for probabilities q of the rivals, the planes one after the other."""
        if wrong.shape[1] == 1:
            curvature = 1.0 - wrong[:, 0]
            curvature *= wrong[:, 0]
            curvature *= weights
            return self.gram(curvature)
        k, y = wrong.shape[1], self.problem.y
        slope, roots = score_gradients(wrong, y), np.sqrt(weights)
        width = self.problem.n_features + self.coordinates.offset if self.raw else self.width

        def squares(chunk: slice) -> tuple[Vector]:
            total = np.zeros((k * width, k * width))
            for part, block in self.blocks(chunk):
                rows = np.column_stack([block, np.ones(len(block))]) if self.raw and self.coordinates.offset else block
                each = (rows[:, None, :] * (roots[part, None] * slope[part])[:, :, None]).reshape(len(rows), -1)
                total -= product(each.T, each)
                add_pairs(total.reshape(k, width, k, width), rows, weights[part, None] * wrong[part], y[part])
            return (total,)

        (total,) = summed(squares, self.row_chunks(k, (k * width) ** 2))
        return self.from_raw_blocks(total.reshape(k, width, k, width)) if self.raw else total

    def from_raw_blocks(self, blocks: Vector) -> Vector:
        """Sums over [z, 1] from sums over [x, 1], block by block."""
        k, d = len(blocks), self.problem.n_features
        into = np.empty((k, self.width, k, self.width))
        for a in range(k):
            for b in range(k):
                block = blocks[a, :, b]
                sums, weight = (block[:d, d], float(block[d, d])) if self.coordinates.offset else (np.zeros(d), 0.0)
                into[a, :, b] = self.from_raw(block[:d, :d], sums, weight)
        return into.reshape(k * self.width, k * self.width)


def sparse_rows_at_once(X: Rows) -> int:
    """How many sparse rows to sum up at a time: enough that the sum, which is long, is soon made for what it sums."""
    a_row = max(1, n_entries(X) // n_rows(X))
    return max(256, max(SPARSE_BLOCK_ENTRIES, MIN_ENTRIES_PER_COLUMN * n_columns(X)) // a_row)


def by_columns(problem: Problem) -> Coordinates:
    """A centre and a scale for each column, from some of the rows, or from all where they are sparse and wide.

    A column is moved only if it is far from 0 for its spread: zeros that stay zeros are not rounded. The problem keeps
    them for its certificate.
    """
    if "_by_columns" not in problem.__dict__:
        problem.__dict__["_by_columns"] = column_coordinates(problem)
    return problem.__dict__["_by_columns"]


def column_coordinates(problem: Problem) -> Coordinates:
    """Compute a centre and a scale for each column."""
    if isinstance(problem.X, CSR) and min(problem.n_rows, MAX_COORDINATE_ROWS) * problem.n_features > MAX_FAR_ENTRIES:
        shares = np.full((problem.n_rows, 1), 1.0 / problem.n_rows)
        mean = combination(problem.X, shares)[:, 0]
        square = combination(squared(problem.X), shares)[:, 0]
        spread = np.maximum(square - mean**2, 0.0)
    else:
        most = MAX_COORDINATE_ROWS
        if not isinstance(problem.X, CSR):
            most = max(MIN_COORDINATE_ROWS, min(most, CACHED_SWEEP_ENTRIES // problem.n_features))
        some = np.arange(min(problem.n_rows, most)) * problem.n_rows // min(problem.n_rows, most)
        rows = dense_rows(problem.X, some)
        mean = rows.mean(axis=0)
        spread = np.mean((rows - mean) ** 2, axis=0)
        square = spread + mean**2
    moved = problem.fit_intercept & (np.abs(mean) > MIN_MEAN_DISTANCE * np.sqrt(spread))
    scale = np.sqrt(np.where(moved, spread, square))
    idle = ~(scale > np.maximum(MAX_CONSTANT_SPREAD * np.abs(mean), 1e-150))
    return Coordinates(np.where(moved, mean, 0.0), np.where(idle, 1.0, scale), None, problem.fit_intercept)


def squared(X: CSR) -> CSR:
    """The rows with every entry squared."""
    return CSR(X.data.astype(np.float64) ** 2, X.indices, X.indptr, X.n_columns)


def is_far(coordinates: Coordinates) -> bool:
    """Whether the origin is so far from the rows that sums over x would drown in rounding what is wanted over z."""
    plain = coordinates.offset and coordinates.basis is None
    return bool(plain and np.any(np.abs(coordinates.centre) > MIN_CENTRE_DISTANCE * coordinates.scale))


def add_pairs(blocks: Vector, rows: Vector, weighted: Vector, y: np.ndarray) -> None:
    """Add sum_j q_ij (e_j - e_i)(e_j - e_i)' (x) z_i z_i' of some rows, in place."""
    for a in np.unique(y):
        own = rows[y == a]
        for b in range(len(blocks)):
            if b == a:
                continue
            part = own * np.sqrt(weighted[y == a, b])[:, None]
            square = part.T @ part
            blocks[a, :, a] += square
            blocks[b, :, b] += square
            blocks[a, :, b] -= square
            blocks[b, :, a] -= square


def gauged(H: Vector, k: int) -> Vector:
    """H where moving all planes alike, which changes nothing, is made to cost something."""
    if k == 1:
        return H
    p = len(H) // k
    H = H.copy()
    blocks = H.reshape(k, p, k, p)
    blocks += np.diag(np.diag(H).reshape(k, p).mean(axis=0) / k)[:, None, :]
    return H


class Factor:
    """A positive definite matrix, scaled to a diagonal of ones and factored; a little is added where rounding asks."""

    def __init__(self, matrix: Vector):
        diagonal = np.diag(matrix)
        floor = max(float(diagonal.max(initial=0.0)) * 1e-300, TINY)
        self.scale = 1.0 / np.sqrt(np.maximum(diagonal, floor))
        scaled = matrix * self.scale * self.scale[:, None]
        added = 0.0
        while True:
            try:
                shifted = scaled + added * np.eye(len(scaled)) if added else scaled
                self.factor: Any = cho_factor(shifted, lower=True, check_finite=False)
                return
            except np.linalg.LinAlgError:
                added = max(100.0 * added, len(matrix) * UNIT_ROUNDOFF)
                if added > 1e6:
                    self.factor = (np.eye(len(matrix)), True)  # of infinities or NaN nothing can be made
                    return

    def solve(self, right: Vector) -> Vector:
        """The matrix's inverse times a vector, or a matrix of columns."""
        scale = self.scale if right.ndim == 1 else self.scale[:, None]
        return scale * cho_solve(self.factor, scale * right, check_finite=False)
