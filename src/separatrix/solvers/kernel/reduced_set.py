"""A plane in the space of a kernel by fewer rows (Burges, 1996; Schoelkopf et al., 1999), with the measured loss.

    w = sum_j c_j phi(x_j)        w' = sum_{j in S} c'_j phi(x_j),   the projection of w onto the span of the rows S

    loss = ||w - w'|| / ||w||,    |g(x) - g'(x)| <= ||w - w'|| sqrt(K(x, x))   for every x, by Cauchy and Schwarz

S grows row by row, each time by the row that lessens the loss most (orthogonal least squares; Chen, Cowan and Grant,
1991). Row j of a Cholesky factor, pivoted in this order, has the parts of phi(x_j) along an orthonormal basis q_1, q_2,
... of the span. What is left over of the kernel values gives the gain of every other row:

    residual_j = <w - w', phi(x_j)>,     rest_j = K_jj - sum_k <phi(x_j), q_k>^2,     gain_j = residual_j^2 / rest_j
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from separatrix.rows import Vector

Values = Callable[[np.ndarray, np.ndarray], Vector]  # K of some rows with some others, by their numbers
MIN_REST = 1e-13  # part of K(x, x) below which a row is in the span of others, but for rounding
NEXT_TARGET = 0.25  # of the square that may be left, where more of it was measured
REFINEMENTS = 2
ROWS_AT_ONCE = 512  # whose kernel values with all others are held
ROWS_ON_DIAGONAL = 64  # whose kernel values with each other are computed, of which the diagonal is needed


class ReducedSet(NamedTuple):
    """The coefficient of each row, 0 for those that are left out, and the measured loss."""

    coefficients: Vector
    loss: float


def reduced_set(values: Values, coefficients: Vector, tol: float) -> ReducedSet:
    """Project onto the span of few rows with a measured loss of at most tol; where there are none, keep all.

    Kernel values in double precision cannot tell a loss below some 1e-7, so that a smaller tol keeps all rows.

    >>> x = np.array([1.0, 2.0, -1.0])  # one dimension needs one row
    >>> found = reduced_set(lambda i, j: np.outer(x[i], x[j]), np.array([1.0, 1.0, 0.5]), tol=1e-6)
    >>> found.coefficients.tolist(), found.loss
    ([2.5, 0.0, 0.0], 0.0)
    """
    scores = scores_of(values, coefficients)
    square = float(coefficients @ scores)
    target = tol**2 * square
    if not target > 0.0:
        return ReducedSet(coefficients, 0.0)
    projection = Projection(values, scores)
    while projection.grow_until(square - target):
        reduced = projection.coefficients()
        change = coefficients - reduced
        loss = float(np.sqrt(abs(float(change @ scores_of(values, change))) / square))  # below 0 it is rounding
        if loss <= tol:
            return ReducedSet(reduced, loss)
        target *= NEXT_TARGET
    return ReducedSet(coefficients, 0.0)


def scores_of(values: Values, coefficients: Vector) -> Vector:
    """sum_j coefficients_j K_ij of each row i."""
    everything, used = np.arange(coefficients.size), np.flatnonzero(coefficients)
    scores = np.zeros(coefficients.size)
    for first in range(0, used.size, ROWS_AT_ONCE):
        part = used[first : first + ROWS_AT_ONCE]
        scores += values(everything, part) @ coefficients[part]
    return scores


def diagonal_of(values: Values, n: int) -> Vector:
    """K_ii of each row i."""
    parts = [np.arange(first, min(first + ROWS_ON_DIAGONAL, n)) for first in range(0, n, ROWS_ON_DIAGONAL)]
    return np.concatenate([values(part, part).diagonal() for part in parts])


class Projection:
    """The projection w' of w onto the span of chosen rows, which grows."""

    def __init__(self, values: Values, scores: Vector) -> None:
        self.values, self.scores, self.diagonal = values, scores, diagonal_of(values, scores.size)
        self.rest, self.residual = self.diagonal.copy(), scores.copy()
        self.chosen: list[int] = []
        self.parts: Vector = np.empty((0, scores.size))  # <phi(x_j), q_k>, a row for each k
        self.lengths: list[float] = []  # <w, q_k>

    @property
    def square(self) -> float:
        """||w'||^2."""
        return float(np.sum(np.square(self.lengths)))

    def grow_until(self, square: float) -> bool:
        """Choose one row more, or as many as make ||w'||^2 so large; False where there are no more of use."""
        while True:
            useful = self.rest > MIN_REST * self.diagonal
            useful[self.chosen] = False
            if not useful.any() or len(self.chosen) == useful.size - 1:
                return False
            gains = np.where(useful, self.residual**2 / np.where(useful, self.rest, 1.0), -1.0)
            self.add_row(int(gains.argmax()))
            if self.square >= square:
                return True

    def add_row(self, row: int) -> None:
        """Add a row to those that span: what of it is orthogonal to them makes the next vector of the basis."""
        k, length = len(self.chosen), float(np.sqrt(self.rest[row]))
        if k == len(self.parts):
            self.parts = np.concatenate([self.parts, np.empty((k + 16, self.diagonal.size))])
        column = self.values(np.arange(self.diagonal.size), np.array([row]))[:, 0]
        self.parts[k] = (column - self.parts[:k, row] @ self.parts[:k]) / length
        self.lengths.append(float(self.residual[row]) / length)
        self.rest -= self.parts[k] ** 2
        self.residual -= self.lengths[k] * self.parts[k]
        self.chosen.append(row)

    def coefficients(self) -> Vector:
        """c' of each row, refined by the residuals of the chosen rows."""
        into, k = np.zeros(self.diagonal.size), len(self.chosen)
        chosen, triangle = np.array(self.chosen), self.parts[:k, self.chosen]
        into[chosen] = solve_triangular(triangle, np.array(self.lengths))
        for _ in range(REFINEMENTS):
            left = (self.scores - scores_of(self.values, into))[chosen]
            into[chosen] += solve_triangular(triangle, solve_triangular(triangle, left, trans="T"))
        return into
