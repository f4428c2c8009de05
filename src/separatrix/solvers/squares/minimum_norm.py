"""Minimum-norm least squares where columns depend on each other.

    minimise ||W||  over all W that minimise  sum_i c_i ||t_i - W'x_i - b||^2

It is the limit of ridge -> 0, and what the pseudoinverse gives (Penrose, 1956). The rank is that of columns scaled to
length 1, so that units do not matter; the norm that is minimised is that of W itself. Orthogonal
transformations of the rows keep the digits that their squares would lose (Golub, 1965); many rows go through a chunk at
a time (Demmel, Grigori, Hoemmen and Langou, 2012).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, solve_triangular, svd

from separatrix.certificates.claims.normal_equations import problem_mean
from separatrix.certificates.claims.normal_sums import CONSTANT, row_targets
from separatrix.problem import Problem
from separatrix.problem.moments import cached_blocks, estimated_mean
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector

MAX_COLUMNS_WITH_RIDGE = 256  # up to which a ridge is rows of its own, also where rows are fewer than columns


class Columns(NamedTuple):
    """Mean of each column (0 without an offset), its length around that, and which of them vary at all."""

    mean: Vector
    lengths: Vector
    used: np.ndarray


class MinimumNorm(NamedTuple):
    """Planes W and b, the rank of the system, the means of the columns, and how residuals correct W."""

    W: Vector
    b: Vector
    rank: int
    mean: Vector
    correct: Callable[[Vector], Vector]


def minimum_norm(problem: Problem, targets: Vector, ridge: float) -> MinimumNorm:
    """The minimum-norm solution by orthogonal transformations of the rows."""
    columns = measured_columns(problem)
    mean_target = problem_mean(problem, targets) if problem.fit_intercept else np.zeros(targets.shape[1])
    wide = problem.n_rows <= problem.n_features and not (ridge and problem.n_features <= MAX_COLUMNS_WITH_RIDGE)
    scale = np.ones(int(columns.used.sum())) if wide and ridge else np.sqrt(columns.lengths[columns.used] ** 2 + ridge)
    factored = triangular(problem, (targets, mean_target), columns, scale, 0.0 if wide else ridge)
    root = float(np.sqrt(problem.cost.sum()))
    return from_triangle(factored, (columns, scale, mean_target), root, ridge, ridge if wide else 0.0)


def from_triangle(
    factored: tuple[Vector, Vector],
    measured: tuple[Columns, Vector, Vector],
    root: float,
    ridge: float,
    added: float = 0.0,
) -> MinimumNorm:
    """The minimum-norm solution from R and Q't.

    Besides them it takes the columns, their scale and the mean target, the root of the sum of all costs, and the part
    of the ridge that is not among the rows.
    """
    (triangle, right), (columns, scale, mean_target) = factored, measured
    if not scale.size:
        W = np.zeros((columns.mean.size, right.shape[1]))
        return MinimumNorm(W, mean_target, 0, columns.mean, lambda left: 0.0 * left)
    U, sizes, V = svd(triangle, full_matrices=False, lapack_driver="gesvd")
    noise = np.abs(columns.mean[columns.used]) * root / np.maximum(scale, TINY)
    least = 4.0 * UNIT_ROUNDOFF * max(*triangle.shape, float(noise.max()) if not added else 0.0)
    rank = int(np.count_nonzero(sizes > (0.0 if added else least * sizes[0])))  # with a ridge none is left out
    U, sizes, V = U[:, :rank], sizes[:rank], V[:rank]
    from_range = minimum_norm_with(V, scale)

    def correct(left: Vector) -> Vector:
        W = np.zeros_like(left)
        W[columns.used] = from_range((V @ (left[columns.used] / scale[:, None])) / (sizes**2 + added)[:, None])
        return W

    W = np.zeros((columns.mean.size, right.shape[1]))
    W[columns.used] = from_range((U.T @ right) * (sizes / (sizes**2 + added))[:, None])
    return MinimumNorm(W, mean_target - columns.mean @ W, scale.size if ridge else rank, columns.mean, correct)


def measured_columns(problem: Problem) -> Columns:
    """Means and lengths, the latter from rows less their mean."""
    weight, guess = float(problem.cost.sum()), estimated_mean(problem)
    mean = np.zeros(problem.n_features)
    if problem.fit_intercept:
        mean = guess + sum(problem.cost[part] @ (rows - guess) for part, rows in cached_blocks(problem.X)) / weight
    squares = sum(problem.cost[part] @ (rows - mean) ** 2 for part, rows in cached_blocks(problem.X))
    lengths = np.sqrt(squares)
    return Columns(mean, lengths, lengths > CONSTANT * np.sqrt(weight) * np.abs(mean))


def triangular(
    problem: Problem, centred: tuple[Vector, Vector], columns: Columns, scale: Vector, ridge: float
) -> tuple[Vector, Vector]:
    """R and Q't of the scaled rows and those of the ridge, four rows a column at a time; wide rows as they are.

    `centred` are the targets and the mean that is subtracted from them.
    """
    d, (targets, mean_target) = scale.size, centred
    if not d:
        return np.zeros((0, 0)), np.zeros((0, targets.shape[1]))
    chunk, held = 4 * d, [np.zeros((0, d + targets.shape[1]))]
    if ridge:
        held.append(np.column_stack([np.diag(np.sqrt(ridge) / scale), np.zeros((d, targets.shape[1]))]))
    waiting = sum(map(len, held))
    for part, rows in cached_blocks(problem.X):
        root = np.sqrt(problem.cost[part])[:, None]
        scaled = (rows - columns.mean)[:, columns.used] / scale
        held.append(np.column_stack([scaled, row_targets(problem, targets, part) - mean_target]) * root)
        waiting += len(scaled)
        if waiting > chunk + d and problem.n_rows > problem.n_features:
            held = [qr(np.vstack(held), mode="r", overwrite_a=True)[0][: d + targets.shape[1]]]
            waiting = len(held[0])
    stacked = np.vstack(held)
    if len(stacked) > d:
        stacked = qr(stacked, mode="r", overwrite_a=True)[0][:d]
    return stacked[:, :d], stacked[:, d:]


def minimum_norm_with(V: Vector, scale: Vector) -> Callable[[Vector], Vector]:
    """The minimum-norm W with V scale W = z, as a function of z; V has orthonormal rows."""
    rank, d = V.shape
    if rank == d:
        return lambda z: (V.T @ z) / scale[:, None]
    if not rank:
        return lambda z: np.zeros((d, z.shape[1]))
    M = scale[:, None] * V.T
    order = np.argsort(-np.abs(M).max(axis=1), kind="stable")  # large rows first, or small ones would drown in them
    Q, R, pivot = qr(M[order], mode="economic", pivoting=True)

    def least(z: Vector) -> Vector:
        W = np.empty((d, z.shape[1]))
        W[order] = Q @ solve_triangular(R, z[pivot], trans="T")
        return W

    return least
