"""Least squares for many columns: conjugate gradients on the normal equations, which are never formed.

    minimise  sum_i c_i ||t_i - W'(x_i - m)||^2 + ridge ||W||^2          m: the mean of the rows, or 0 without an offset

Each iteration is a product with the rows and one with their transpose; all targets go through them together. From W = 0
it converges to the minimum-norm solution. With a ridge the solution is unique, and columns may be scaled (Hestenes and
Stiefel, 1952; Bjorck, 1996).
"""

import numpy as np

from separatrix.certificates.claims.normal_equations import problem_mean
from separatrix.certificates.claims.normal_sums import row_targets
from separatrix.problem import Problem
from separatrix.products import combination, parts, scores
from separatrix.rows import Vector


class CentredRows:
    """The matrix whose rows are sqrt(c_i) (x_i - m) / scale, given by its products alone."""

    def __init__(self, problem: Problem, ridge: float) -> None:
        weight = float(problem.cost.sum())
        self.X, self.root, self.ridge = problem.X, np.sqrt(problem.cost)[:, None], ridge
        self.mean = np.zeros(problem.n_features)
        if problem.fit_intercept:
            self.mean = combination(problem.X, problem.cost) / weight
        squares = np.zeros(problem.n_features)
        for part, matrix in parts(problem.X):
            squares += problem.cost[part] @ (matrix * matrix)
        squares = np.maximum(squares - weight * self.mean**2, 0.0)
        self.lengths = np.sqrt(squares + ridge)
        self.scale = np.ones_like(squares)
        if ridge:
            self.scale = np.where(self.lengths > 0.0, self.lengths, 1.0)
        elif squares.any():
            self.scale *= np.sqrt(squares.max())  # one unit for all columns leaves the minimum-norm W the same

    def times(self, V: Vector) -> Vector:
        """The matrix times V."""
        V = V / self.scale[:, None]
        return self.root * (scores(self.X, V) - self.mean @ V)

    def transposed(self, U: Vector) -> Vector:
        """Its transpose times U."""
        U = self.root * U
        return (combination(self.X, U) - np.outer(self.mean, U.sum(axis=0))) / self.scale[:, None]


def conjugate_gradients(
    problem: Problem, targets: Vector, ridge: float, tol: float, max_iter: int
) -> tuple[Vector, Vector, int]:
    """W, b and the iterations made, to 1 % of tol or until 100 iterations have not lowered the residual by a tenth."""
    rows = CentredRows(problem, ridge)
    mean_target = problem_mean(problem, targets) if problem.fit_intercept else np.zeros(targets.shape[1])
    residual = rows.root * (row_targets(problem, targets) - mean_target)
    penalty = (ridge / rows.scale**2)[:, None]
    size = np.linalg.norm(residual, axis=0)
    V = np.zeros((problem.n_features, targets.shape[1]))
    gradient = rows.transposed(residual)
    step, square, best, stalled = gradient, np.sum(gradient**2, axis=0), np.inf, 0
    relative = (rows.lengths / rows.scale)[:, None]
    made = 0
    while made < max_iter:
        made += 1
        moved = rows.times(step)
        curvature = np.sum(moved**2, axis=0) + np.sum(penalty * step**2, axis=0)
        rate = square / np.where(curvature > 0.0, curvature, np.inf)
        V = V + rate * step
        residual = residual - rate * moved
        gradient = rows.transposed(residual) - penalty * V
        new = np.sum(gradient**2, axis=0)
        step = gradient + new / np.where(square > 0.0, square, np.inf) * step
        square = new
        error = largest_residual(gradient, relative, size)
        stalled = 0 if error < 0.9 * best else stalled + 1
        best = min(best, error)
        if error <= min(0.01 * tol, 1e-14) or stalled > 100:
            break
    W = V / rows.scale[:, None]
    return W, mean_target - rows.mean @ W, made


def largest_residual(gradient: Vector, lengths: Vector, size: Vector) -> float:
    """The largest relative residual of an equation, as the certificate counts it."""
    used = lengths[:, 0] > 0.0
    return float((np.abs(gradient[used]) / lengths[used] / np.where(size > 0.0, size, 1.0)).max(initial=0.0))
