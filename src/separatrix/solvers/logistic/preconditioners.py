"""Approximations of the Hessian that are quick to invert, for conjugate gradients and L-BFGS.

    scale        the mean curvature of the loss, as if all coordinates had a mean square of 1
    diagonal     the diagonal of H (Jacobi)
    classes      of each plane a its own block of H, sum_i weights_i p_ia (1 - p_ia) z_i z_i' + penalty, factored

The blocks of several classes leave out how planes act on each other, which changes no eigenvalue by more than a factor
of about two but for a common shift of all planes. No loss knows that shift, so that it is taken out before and after.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from separatrix.objectives.log_loss_curvature import Factor
from separatrix.problem.scaled_rows import ScaledRows
from separatrix.rows import TINY, Vector, take
from separatrix.solvers.logistic.scaled_objective import Point, ScaledObjective

SAMPLED_ROWS_A_COLUMN = 8  # rows of a block at least, for each column: of fewer it is too far from that of all
ROWS_FOR_PRODUCTS = 60  # rows of a block, times columns, as part of all rows, that cost about five Hessian products
FLOPS_RATIO = 3.0  # how much slower a product with few vectors is than one of matrices, for each operation
ROWS_AT_ONCE = 4096  # that are copied in one piece


class Preconditioner(NamedTuple):
    """The product of an approximate inverse Hessian with a matrix, and how many Hessian products making it costs."""

    solve: Callable[[Vector], Vector]
    products: float = 1.0

    def __call__(self, R: Vector) -> Vector:
        """The approximate inverse times R."""
        return self.solve(R)


MakePreconditioner = Callable[[Point], Preconditioner]


def without_mean(R: Vector) -> Vector:
    """A column for each plane, less the mean of all columns if there are several."""
    return R if R.shape[1] == 1 else R - np.einsum("jk->j", R)[:, None] / R.shape[1]


def scale_preconditioner(F: ScaledObjective) -> MakePreconditioner:
    """Divide by what the diagonal of H would be if the mean square of every coordinate were 1.

    The divisors are those of the mean curvature of all planes, so that steps leave the mean of these at zero.
    """

    def make(point: Point) -> Preconditioner:
        diagonal = point.offset_curvature.mean() + F.penalty[:, None] + TINY
        return Preconditioner(lambda R: R / diagonal)

    return make


def diagonal_preconditioner(F: ScaledObjective) -> MakePreconditioner:
    """Divide by the diagonal of H (Jacobi)."""

    def make(point: Point) -> Preconditioner:
        p = point.prob
        sums = F.design.square_sums(F.weights[:, None] * p * (1.0 - p))
        diagonal = sums + F.penalty[:, None] + TINY
        return Preconditioner(lambda R: without_mean(without_mean(R) / diagonal))

    return make


def class_preconditioner(F: ScaledObjective, most: int) -> MakePreconditioner:
    """Solve with the block of H of each plane, by the columns that curve most, and divide by the diagonal of others.

    The blocks are made from all rows, or from those that weigh most.
    """
    n, m = len(F.weights), min(most, F.design.width)
    size = min(n, max(SAMPLED_ROWS_A_COLUMN * m, ROWS_FOR_PRODUCTS * n // m))

    def make(point: Point) -> Preconditioner:
        weights = F.weights[:, None] * point.prob * (1.0 - point.prob)
        if m == F.design.width:
            blocks = [Factor(block(F, w, size)) for w in weights.T]
            return Preconditioner(lambda R: without_mean(solved_by_plane(blocks, without_mean(R))), products)
        diagonal = F.design.square_sums(weights) + F.penalty[:, None] + TINY
        heavy = heaviest_columns(diagonal, F, m)
        factors = [Factor(block_of_columns(F, w, size, heavy)) for w in weights.T]

        def solve(R: Vector) -> Vector:
            R = without_mean(R)
            into = R / diagonal
            into[heavy] = solved_by_plane(factors, R[heavy])
            return without_mean(into)
        return Preconditioner(solve, products)
    products = size*m/(12.0*n)
    return make

def heaviest_columns(diagonal, F, m):
    ratio = diagonal.max(axis=1) / (F.penalty + TINY)
    heavy = np.argpartition(ratio, -m)[-m:]
    return np.sort(heavy)

def block_of_columns(F, weights, size, heavy):
    from separatrix.products import as_matrix
    chosen, scaled = drawn(weights, size) if size < len(weights) else (np.arange(len(weights)), weights)
    c = F.design.coordinates
    X = as_matrix(F.design.problem.X)
    cols = heavy[heavy < c.scale.size]
    z = (X[chosen][:, cols].toarray() - c.centre[cols]) / c.scale[cols]
    if cols.size < heavy.size:
        z = np.column_stack([z, np.ones(len(z))])
    z *= np.sqrt(scaled)[:, None]
    return np.diag(F.penalty[heavy]) + z.T @ z

def solved_by_plane(factors: list[Factor], R: Vector) -> Vector:
    """Each plane's factored block's inverse, times its column of R."""
    return np.column_stack([factor.solve(column) for factor, column in zip(factors, R.T, strict=True)])


def block(F: ScaledObjective, weights: Vector, size: int) -> Vector:
    """sum_i weights_i z_i z_i' + penalty, from about so many rows, drawn by their weights."""
    total = np.diag(F.penalty)
    if size >= len(weights):
        return total + F.design.gram(weights)
    chosen, scaled = drawn(weights, size)
    for first in range(0, chosen.size, ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        total += ScaledRows(take(F.design.problem.X, chosen[part]), F.design.coordinates).gram(scaled[part])
    return total


def drawn(weights: Vector, size: int) -> tuple[np.ndarray, Vector]:
    """Numbers of about so many rows, each drawn with a probability of min(1, its weight / a threshold), and new weights.

    Each weight is divided by the probability, so that a sum over these rows is one over all in the mean. Draws are
    systematic: from the heaviest rows all, from the others one wherever the threshold's worth of weight has passed.

    >>> drawn(np.array([8.0, 1.0, 0.0, 1.0, 1.0, 1.0]), 3)
    (array([0, 3, 5]), array([8., 2., 2.]))
    """
    order = np.sort(weights)[::-1]
    rest = order.sum() - np.cumsum(order)  # weight of the rows after each
    counts = np.arange(1, len(order) + 1)
    certain = int(np.count_nonzero(order * (size - counts) >= rest))  # that are heavier than the threshold
    threshold = (rest[certain - 1] if certain else order.sum()) / max(size - certain, 1)
    probability = np.minimum(weights / max(threshold, TINY), 1.0)
    passed = np.floor(np.cumsum(probability) + 1e-9)
    chosen = np.flatnonzero(np.diff(passed, prepend=0.0) > 0.0)
    return chosen, weights[chosen] / np.maximum(probability[chosen], TINY)
