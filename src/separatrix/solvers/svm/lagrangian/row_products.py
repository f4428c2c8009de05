"""Products of rows with vectors, for solvers that take many rows at once: scores, sums of some rows, curvatures.

Sparse and dense rows, float32 and float64, go through the same loops; sums are float64.
"""

from time import perf_counter
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from separatrix.compiling import compiled
from separatrix.products import scores
from separatrix.rows import (
    CSR,
    ENTRIES_A_CALL,
    Rows,
    Vector,
    n_columns,
    n_entries,
    n_rows,
    row_axpy,
    row_column,
    row_dot,
    row_span,
    row_value,
)
from separatrix.threads import cut, parallel_map, summed

NUMBERS_PER_CHUNK, MAX_CHUNKS = 2**18, 8  # numbers that are worth a thread of their own, and chunks of rows at most


@compiled
def add_rows(X, rows, amounts, into):
    """Add amounts[r] times row rows[r], in place."""
    for r in range(rows.size):
        row_axpy(amounts[r], X, rows[r], into)


@compiled
def add_moments(X, first, last, weights, sums, squares):
    """Add the weighted columns' sums and sums of squares, in place."""
    for i in range(first, last):
        begin, end = row_span(X, i)
        for k in range(begin, end):
            value = weights[i] * row_value(X, i, k)
            sums[row_column(X, k)] += value
            squares[row_column(X, k)] += value * row_value(X, i, k)


@compiled
def add_curvature(X, first, last, weights, v, shift, into):
    """Add sum_i weights_i (<x_i, v> + shift) x_i: each row is read once, and is still near for its second use."""
    for i in range(first, last):
        row_axpy(weights[i] * (row_dot(X, i, v) + shift), X, i, into)


@compiled
def put_scores(X, first, last, w, into):
    """into_i = <x_i, w> of some rows, in place."""
    for i in range(first, last):
        into[i] = row_dot(X, i, w)


def row_scores(X: Rows, w: Vector) -> Vector:
    """<x_i, w> of each row; sparse ones without a SciPy matrix for each chunk, as these are many and small."""
    if not isinstance(X, CSR):
        return scores(X, w)
    into = np.empty(n_rows(X))
    for _ in parallel_map(
        lambda part: put_scores(X, part.start, part.stop, w, into), chunks(into.size, n_entries(X), 1)
    ):
        pass
    return into


def add_up(X: Rows, rows: np.ndarray, amounts: Vector, into: Vector) -> None:
    """Add amounts[r] times row rows[r] to a vector, in place."""

    def job(part: slice) -> tuple[Vector]:
        total = np.zeros(into.size)
        add_rows(X, rows[part], amounts[part], total)
        return (total,)

    parts = chunks(rows.size, rows.size * n_entries(X) // max(1, n_rows(X)), into.size)
    if len(parts) == 1:
        add_rows(X, rows, amounts, into)
    else:
        into += summed(job, parts)[0]


def chunks(n: int, entries: int, n_columns: int) -> list[slice]:
    """Slices of n rows with so many numbers in all: soon done, and a sum of their own costs little beside them."""
    return cut(n, max(1, min(MAX_CHUNKS, entries // max(NUMBERS_PER_CHUNK, 8 * n_columns)), entries // ENTRIES_A_CALL))


def pickable(X: Rows) -> Any:
    """The rows in a form from which some can be picked quickly and often."""
    return csr_matrix((X.data, X.indices, X.indptr), shape=(n_rows(X), X.n_columns)) if isinstance(X, CSR) else X


def pick(matrix: Any, rows: np.ndarray) -> Rows:
    """Copy of some rows of what `pickable` made."""
    picked = matrix[rows]
    if isinstance(picked, np.ndarray):
        return picked
    return CSR(picked.data, picked.indices, picked.indptr, picked.shape[1])


class Curvature:
    """The matrix diag(1) + sum_i h_i x_i x_i' over some rows, with the bias, a column of ones, eliminated exactly.

    `floor` keeps the bias in its place where no row holds it, and is infinite where there is no bias.
    """

    def __init__(self, X: Rows, weights: Vector, floor: float):
        self.X, self.weights = X, weights
        self.parts = chunks(n_rows(X), n_entries(X), n_columns(X))
        self.sums, squares = summed(self.moments, self.parts)
        self.diagonal = 1.0 + squares
        self.bias = float(weights.sum()) + floor

    def moments(self, part: slice) -> tuple[Vector, Vector]:
        """Sums and sums of squares of the columns, over some rows."""
        sums, squares = np.zeros((2, n_columns(self.X)))
        add_moments(self.X, part.start, part.stop, self.weights, sums, squares)
        return sums, squares

    def times(self, v: Vector) -> Vector:
        """The product with a vector."""
        shift = -float(self.sums @ v) / self.bias

        def job(part: slice) -> tuple[Vector]:
            total = np.zeros(v.size)
            add_curvature(self.X, part.start, part.stop, self.weights, v, shift, total)
            return (total,)

        return v + summed(job, self.parts)[0]

    def solve(
        self, downhill: Vector, bias_downhill: float, most: int, deadline: float
    ) -> tuple[tuple[Vector, float], int]:
        """Step and bias step that solve the whole system about, by preconditioned conjugate gradients; and products.

        They end when a product no longer gains its share of the model's decrease (Nash and Sofer, 1990): steps that
        are cut short by the line search are not worth more.
        """
        right = downhill - self.sums * (bias_downhill / self.bias)
        step, residual = np.zeros_like(right), right.copy()
        scaled = residual / self.diagonal
        along, size = scaled, float(residual @ scaled)
        gained, done, start = 0.0, 0, size
        while done < most and size > 1e-20 * start and perf_counter() < deadline:
            product = self.times(along)
            curvature = float(along @ product)
            if not curvature > 0.0:  # products of huge or tiny features under- or overflow
                break
            rate = size / curvature
            step += rate * along
            residual -= rate * product
            done += 1
            before, gained = gained, gained + 0.5 * rate * size
            if done * (gained - before) <= 0.5 * gained and done > 1:
                break
            scaled = residual / self.diagonal
            before, size = size, float(residual @ scaled)
            along = scaled + (size / before) * along
        return (step, (bias_downhill - float(self.sums @ step)) / self.bias), done
