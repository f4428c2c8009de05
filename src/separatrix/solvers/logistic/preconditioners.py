"""Approximations of the Hessian that are quick to invert, for conjugate gradients and L-BFGS.

    scale        the mean curvature of the loss, as if all coordinates had a mean square of 1
    diagonal     the diagonal of H (Jacobi)
    blocks       of each plane a its own block of H, sum_i weights_i p_ia (1 - p_ia) z_i z_i' + penalty, factored

The blocks leave out how planes act on each other. S_i = diag(p_i) - p_i p_i' is at most twice its diagonal, and far
below it only for a common shift of all planes. No loss knows that shift, so that it is taken out before and after. With
many columns a block has those that curve most against their penalty, and the others have their diagonal.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from separatrix.objectives.log_loss_curvature import Factor
from separatrix.products import weighted_gram
from separatrix.rows import TINY, Vector, n_entries
from separatrix.solvers.budget import Budget
from separatrix.solvers.logistic.design import dense_entries
from separatrix.solvers.logistic.scaled_objective import Point, ScaledObjective
from separatrix.threads import parallel_map

MAX_BLOCK_PRODUCTS = 50  # Hessian products that making the blocks may cost
MAX_BLOCK_ENTRIES = 2**24  # of all blocks together, unless the rows have more
SAMPLED_ROWS_A_COLUMN = 8  # rows of a block at least, for each column: of fewer it is too far from that of all
ALL_ROWS_COLUMNS = 60  # columns up to which a block of all rows costs no more than some products
OPERATIONS_PER_PRODUCT = 12.0  # of matrices, for each entry of the rows: 4, as slow as 12 since vectors are few
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
        diagonal = hessian_diagonal(F, curvature_weights(F, point))
        return Preconditioner(lambda R: without_mean(without_mean(R) / diagonal))

    return make


def curvature_weights(F: ScaledObjective, point: Point) -> Vector:
    """How much each row curves the loss by its score for each plane."""
    return F.weights[:, None] * point.prob * (1.0 - point.prob)


def hessian_diagonal(F: ScaledObjective, weights: Vector) -> Vector:
    """The diagonal of H, a column for each plane, from the weights of curvature."""
    return F.design.square_sums(weights) + F.penalty[:, None] + TINY


def block_preconditioner(F: ScaledObjective, budget: Budget) -> MakePreconditioner:
    """Solve with the block of H of each plane for the columns that curve most, and with the diagonal for the others.

    Raises TimeOverError where the time is over before all blocks are made.
    """
    width = F.design.width
    m, size = block_shape(F)
    products = 1.0 + size * float(m) ** 2 / (OPERATIONS_PER_PRODUCT * n_entries(F.design.problem.X))

    def make(point: Point) -> Preconditioner:
        weights = curvature_weights(F, point)
        diagonal = np.ones((width, 1)) if m == width else hessian_diagonal(F, weights)
        columns = np.arange(width) if m == width else smallest(F.penalty / diagonal.max(axis=1), m)

        def factored(weights_of_plane: Vector) -> Factor:
            budget.check_time()
            return Factor(block(F, weights_of_plane, size, columns))

        equal = np.abs(weights - weights[:, :1]).max() <= 1e-9 * weights.max()  # as where all planes are zero
        factors = [factored(weights[:, 0])] * F.n_planes if equal else list(parallel_map(factored, weights.T))

        def solve(R: Vector) -> Vector:
            R = without_mean(R)
            into = R / diagonal
            for plane, factor in enumerate(factors):
                into[columns, plane] = factor.solve(R[columns, plane])
            return without_mean(into)

        return Preconditioner(solve, products)

    return make


def smallest(values: Vector, m: int) -> np.ndarray:
    """The places of the m smallest of more values, in order."""
    return np.sort(np.argpartition(values, m)[:m])


def block_shape(F: ScaledObjective) -> tuple[int, int]:
    """How many columns a block may have, and of how many rows it is made, so that it costs so many products at most."""
    n, entries = len(F.weights), n_entries(F.design.problem.X)
    operations = MAX_BLOCK_PRODUCTS * OPERATIONS_PER_PRODUCT * entries
    affordable = max((operations / SAMPLED_ROWS_A_COLUMN) ** (1 / 3), (operations / n) ** 0.5)
    stored = (max(MAX_BLOCK_ENTRIES, entries) / F.n_planes) ** 0.5
    m = max(1, min(F.design.width, int(affordable), int(stored)))
    return m, min(n, max(SAMPLED_ROWS_A_COLUMN * m, ALL_ROWS_COLUMNS * n // m))


def block(F: ScaledObjective, weights: Vector, size: int, columns: np.ndarray) -> Vector:
    """sum_i weights_i z_i z_i' + penalty by some columns, from about so many rows, drawn by their weights."""
    total = np.diag(F.penalty[columns])
    if size >= len(weights) and columns.size == F.design.width:
        return total + F.design.gram(weights)
    chosen, scaled = drawn(weights, size)
    for first in range(0, chosen.size, ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        total += weighted_gram(dense_entries(F.design, chosen[part], columns), scaled[part])
    return total


def drawn(weights: Vector, size: int) -> tuple[np.ndarray, Vector]:
    """Numbers of about so many rows, drawn by their weights, and new weights of these.

    A row is drawn with a probability of min(1, weight / threshold), and its weight divided by that, so that a sum over
    these rows estimates that over all. Draws are systematic: all of the heaviest rows, and of the others one wherever
    a threshold's worth of weight has passed.

    >>> drawn(np.array([8.0, 1.0, 0.0, 1.0, 1.0, 1.0]), 3)
    (array([0, 3, 5]), array([8., 2., 2.]))
    """
    order = np.sort(weights)[::-1]
    rest = order.sum() - np.cumsum(order)  # weight of the rows after each
    counts = np.arange(1, len(order) + 1)
    certain = int(np.argmin(np.append(order * (size - counts) >= rest, False)))  # that are heavier than the threshold
    threshold = (rest[certain - 1] if certain else order.sum()) / max(size - certain, 1)
    probability = np.minimum(weights / max(threshold, TINY), 1.0)
    passed = np.floor(np.cumsum(probability) + 1e-9)
    chosen = np.flatnonzero(np.diff(passed, prepend=0.0) > 0.0)
    return chosen, weights[chosen] / np.maximum(probability[chosen], TINY)
