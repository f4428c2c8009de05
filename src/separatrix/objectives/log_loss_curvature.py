"""How log losses curve.

    two classes    H = sum_i c_i q_i (1 - q_i) z_i z_i'
    k classes      H = sum_i c_i S_i (x) z_i z_i',     S_i = sum over a < b of p_ia p_ib (e_a - e_b)(e_a - e_b)'

z_i is a row [z, 1] in `Coordinates`, q_i the probability of the rival class, and p_ia that of class a. All terms are
positive semidefinite, so that none cancels another where probabilities are tiny.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from separatrix.objectives.log_loss import probabilities
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.scaled_rows import BLOCK_ENTRIES, ScaledRows, moderate_coordinates
from separatrix.products import product
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector
from separatrix.threads import summed

RANK_TOLERANCE = 1e-14  # singular value, relative to the largest, below which a direction is idle
MIN_SIZE_OF_COLUMNS = 1e-6  # the same, below which columns are too much alike to be coordinates themselves
MIN_QR_ROWS_A_COLUMN = 4  # rows of a block for each column: with fewer, the triangle costs more than the rows


def hessian(gram: Callable[[Vector], Vector], weights: Vector, rival_prob: Vector, y: np.ndarray) -> Vector:
    """H, the planes one after the other, from a function that computes sum_i u_i z_i z_i' for weights u.

    >>> q, y = np.array([[0.0, 0.5, 0.25]]), np.array([0])
    >>> hessian(lambda u: np.full((1, 1), u.sum()), np.ones(1), q, y).tolist()
    [[0.1875, -0.125, -0.0625], [-0.125, 0.25, -0.125], [-0.0625, -0.125, 0.1875]]
    """
    if rival_prob.shape[1] == 1:
        q = rival_prob[:, 0]
        return gram(weights * q * (1.0 - q))
    p = probabilities(rival_prob, y)
    np.maximum(p, 0.0, out=p)  # 1 - sum q may round to less
    k = p.shape[1]
    pairs = [(a, b, gram(weights * p[:, a] * p[:, b])) for a in range(k) for b in range(a)]
    width = len(pairs[0][2])
    blocks = np.zeros((k, width, k, width))
    for a, b, block in pairs:
        blocks[a, :, a] += block
        blocks[b, :, b] += block
        blocks[a, :, b] = blocks[b, :, a] = -block
    return blocks.reshape(k * width, k * width)


def multinomial_hessian(rows: ScaledRows, weights: Vector, rival_prob: Vector, y: np.ndarray) -> Vector:
    """H of more than two classes: the blocks of all pairs of planes in one product of p_i (x) z_i with itself."""
    p = np.maximum(probabilities(rival_prob, y), 0.0) * np.sqrt(weights)[:, None]
    k, width = p.shape[1], rows.coordinates.width

    def sum_chunk(chunk: slice) -> tuple[Vector]:
        total = np.zeros((k * width, k * width))
        for part, z in rows.blocks(chunk, BLOCK_ENTRIES // k):
            each = (p[part][:, :, None] * z[:, None, :]).reshape(len(z), k * width)
            total += product(each.T, each)
        return (total,)

    blocks = -summed(sum_chunk, rows.chunks((k * width) ** 2))[0].reshape(k, width, k, width)
    for a in range(k):  # a shift of all planes changes nothing, so that the blocks of a row add up to zero
        blocks[a, :, a] = 0.0
        blocks[a, :, a] = -blocks[a].sum(axis=1)
    return blocks.reshape(k * width, k * width)


def spanning_coordinates(problem: Problem) -> Coordinates:
    """Coordinates in which no direction is idle: as many as the rows have dimensions; the problem keeps them."""
    if "_spanning_coordinates" not in problem.__dict__:
        problem.__dict__["_spanning_coordinates"] = without_idle_directions(problem, moderate_coordinates(problem))
    return problem.__dict__["_spanning_coordinates"]


def without_idle_directions(problem: Problem, coordinates: Coordinates) -> Coordinates:
    """Coordinates in a basis of the directions in which rows differ, or these if they differ in all."""
    p = coordinates.scale.size
    triangle = np.zeros((0, coordinates.width))
    for _, z in ScaledRows(problem.X, coordinates).blocks(entries=MIN_QR_ROWS_A_COLUMN * p * problem.n_features):
        rows = np.roll(z, 1, axis=1) if coordinates.offset else z  # the 1 of the offset first, to be left out
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, rows]), mode="r"))
    _, sizes, axes = np.linalg.svd(triangle[int(coordinates.offset) :, int(coordinates.offset) :], full_matrices=False)
    rank = int(np.count_nonzero(sizes > RANK_TOLERANCE * sizes.max(initial=TINY)))
    if rank == p and sizes.min(initial=1.0) > MIN_SIZE_OF_COLUMNS * sizes.max(initial=TINY):
        return coordinates
    kept = max(rank, 0 if coordinates.offset else 1)  # something must be left to move
    inside = axes[:kept].T / coordinates.scale[:, None]
    basis = inside if coordinates.basis is None else coordinates.basis @ inside
    scale = sizes[:kept] / np.sqrt(problem.n_rows)
    return Coordinates(coordinates.centre, np.where(scale > 0.0, scale, 1.0), basis, coordinates.offset)


def gauged(H: Vector, k: int) -> Vector:
    """H made definite: a shift of all planes by the same vector, which changes no loss, costs something."""
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
