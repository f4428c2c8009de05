"""The normal equations of least squares, from the rows.

    minimise  sum_i c_i (t_i - w.x_i - b)^2 + ridge ||w||^2

    sum_i c_i r_i (x_i - m) = ridge w,     sum_i c_i r_i = 0,     r_i = t_i - w.x_i - b,     m: mean of the rows

The residuals are orthogonal to every column (Legendre, 1805; Gauss, 1809). Each equation is divided by the length of
its column and that of the targets: what is left has no unit, and is the cosine of an angle where the fit is poor.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from separatrix.objectives import LeastSquares
from separatrix.problem import Problem
from separatrix.problem.fused_sums import residual_sums, worth_looping
from separatrix.problem.moments import (
    UNCHANGED_CACHED_ENTRIES,
    cached_blocks,
    full_columns,
    mostly_empty,
    reference_point,
    rows_at_once,
)
from separatrix.products import chunks_of, combination, parts, product, scores
from separatrix.rows import CSR, TINY, UNIT_ROUNDOFF, Vector
from separatrix.threads import summed

CONSTANT = 128.0 * UNIT_ROUNDOFF  # a column that varies by no more than this part of its size does not vary


class Measures(NamedTuple):
    """What the equations are measured by, which depends on the rows alone.

    The sum of all costs, the centre that rows are measured from and their mean from there, the lengths of the columns
    (0 where they are constant) and of the targets.
    """

    total: float
    centre: Vector
    off: Vector
    lengths: Vector
    targets: Vector


class Residual(NamedTuple):
    """What is left of the equations of each column and target (d, p), and of the offset (p,), and their measures."""

    columns: Vector
    offset: Vector
    by: Measures

    @property
    def in_columns(self) -> float:
        """The largest part that is left of the equations of columns, without a unit."""
        lengths, targets = self.by.lengths, self.by.targets
        used = lengths > 0.0
        left = np.abs(self.columns[used]) / lengths[used, None] / np.where(targets > 0.0, targets, 1.0)
        return float(left.max(initial=0.0))

    @property
    def error(self) -> float:
        """The largest part that is left of any equation."""
        offset = np.abs(self.offset) / np.where(self.by.targets > 0.0, self.by.targets, 1.0)
        worst = max(self.in_columns, float(offset.max(initial=0.0)))
        return worst if np.isfinite(worst) else np.inf


@dataclass(frozen=True, eq=False)
class NormalEquations:
    """Least squares with the given targets, one row for each class, and the planes (w, b) that fit them."""

    targets: Vector
    ridge: float
    fitted: tuple[Vector, Vector]

    @property
    def objective(self) -> LeastSquares:
        """What is minimised."""
        return LeastSquares(self.ridge, tuple(map(tuple, self.targets.tolist())))

    @property
    def formula(self) -> str:
        """What is minimised, as text."""
        return self.objective.formula

    def error(self, problem: Problem, w: Vector, b: Vector) -> float:
        """What is left of the equations, from the rows; infinite where others are predicted with than were fitted."""
        decided = decision_planes(*self.fitted, self.targets)
        if not (np.array_equal(decided[0], w) and np.array_equal(decided[1], b)):
            return np.inf
        return residual(problem, self.targets, *self.fitted, self.ridge).error


def decision_planes(W: Vector, b: Vector, targets: Vector) -> tuple[Vector, Vector]:
    """Planes of shape (planes, d) that choose the class whose target is nearest to W'x + b.

    The nearest has the largest t.g - ||t||^2 / 2. Targets of -1 and 1, or of 1 for the own class, leave W as it is.
    """
    squares = np.sum(targets**2, axis=1)
    if len(targets) == 2:
        way = (targets[1] - targets[0]) / np.linalg.norm(targets[1] - targets[0])
        half = 0.5 * (squares[1] - squares[0]) / np.linalg.norm(targets[1] - targets[0])
        return (W @ way)[None], np.atleast_1d(b @ way - half)
    return (W @ targets.T).T, b @ targets.T - 0.5 * (squares - squares.min())


@np.errstate(over="ignore", invalid="ignore")
def residual(
    problem: Problem, targets: Vector, W: Vector, b: Vector, ridge: float, by: Measures | None = None
) -> Residual:
    """What is left of the normal equations of planes W of shape (d, p) and offsets b of shape (p,).

    Measures that are known, from other planes, are not computed again.
    """
    empty = mostly_empty(problem.X)
    centre = None if by is None else by.centre
    sums = sparse_sums if empty else dense_sums
    (pulled, rest), of_columns, centre = sums(problem, targets, W, b, centre, by is None)
    by = measures(problem, targets, ridge, centre, *of_columns) if by is None else by
    if problem.fit_intercept:
        pulled = pulled - np.outer(by.off, rest)
    else:
        pulled, rest = pulled + np.outer(centre, rest), np.zeros_like(rest)
    return Residual(pulled - ridge * W, rest / np.sqrt(by.total), by)


def measures(
    problem: Problem, targets: Vector, ridge: float, centre: Vector, linear: Vector, squares: Vector, weight: Vector
) -> Measures:
    """Lengths of columns and of targets from sum c z, sum c z^2 with z = x - centre, and sums of c of the classes."""
    n = max(float(weight.sum()), TINY)
    off, mean_target, least = linear / n, weight @ targets / n, np.zeros_like(linear)
    if problem.fit_intercept:
        squares = np.maximum(squares - n * off**2, 0.0)
        least = CONSTANT * np.sqrt(n) * np.abs(centre + off)
    else:
        squares, mean_target = squares + n * centre * (centre + 2.0 * off), np.zeros_like(mean_target)
    lengths = np.where(np.sqrt(squares) > least, np.sqrt(squares + ridge), 0.0)
    return Measures(n, centre, off, lengths, np.sqrt(weight @ (targets - mean_target) ** 2))


def problem_mean(problem: Problem, targets: Vector) -> Vector:
    """Mean of the targets of all rows."""
    weight = np.bincount(problem.y, problem.cost, problem.n_classes)
    return weight @ targets / weight.sum()


def dense_sums(
    problem: Problem, targets: Vector, W: Vector, b: Vector, centre: Vector | None, columns: bool
) -> tuple[tuple[Vector, ...], tuple[Vector, ...], Vector]:
    """sum c r z and sum c r with z = x - centre; if asked for, sum c z, sum c z^2 and sum c of classes; the centre."""
    centre = reference_point(problem) if centre is None else centre
    base, moved = b + centre @ W, bool(centre.any())
    if W.shape[1] == 1 and isinstance(problem.X, np.ndarray) and worth_looping(problem.X):
        plane = W[:, 0].copy(), float(base[0])
        pulled, rest, *found = residual_sums(problem, targets[:, 0].copy(), *plane, centre if moved else None, columns)
        return (pulled[:, None], rest), tuple(found), centre

    def job(chunk: slice) -> tuple[Vector, ...]:
        found = [np.zeros(W.shape), np.zeros(W.shape[1])]
        found += [np.zeros(len(W)), np.zeros(len(W)), np.zeros(problem.n_classes)] if columns else []
        space = np.empty((min(rows_at_once(len(W), UNCHANGED_CACHED_ENTRIES), chunk.stop - chunk.start), len(W)))
        for part, matrix in cached_blocks(problem.X, UNCHANGED_CACHED_ENTRIES, chunk):
            y, cost, room = problem.y[part], problem.cost[part], space[: len(matrix)]
            Z = np.subtract(matrix, centre, out=room) if moved else matrix
            left = targets[y] - (Z @ W + base)
            left *= cost[:, None]
            found[0] += product(Z.T, left)
            found[1] += left.sum(axis=0)
            if columns:
                found[2] += product(cost, Z)  # by itself: thin products of one column are quicker than of two
                found[3] += product(cost, np.square(Z, out=room))
                found[4] += np.bincount(y, cost, problem.n_classes)
        return tuple(found)

    sums = summed(job, chunks_of(problem.X))
    return sums[:2], sums[2:], centre


def sparse_sums(
    problem: Problem, targets: Vector, W: Vector, b: Vector, centre: Vector | None, columns: bool
) -> tuple[tuple[Vector, ...], tuple[Vector, ...], Vector]:
    """The sums of `dense_sums` for sparse rows, measured from the origin but for columns that are stored in full."""
    X = problem.X
    assert isinstance(X, CSR)
    centre = full_columns(X) if centre is None else centre
    left = (targets[problem.y] - (scores(X, W) + b)) * problem.cost[:, None]
    rest = left.sum(axis=0)
    pulled = combination(X, left) - np.outer(centre, rest)
    if not columns:
        return (pulled, rest), (), centre
    linear, squares = np.zeros(len(W)), np.zeros(len(W))
    for part, matrix in parts(X):
        moved = matrix.copy()
        moved.data = matrix.data - centre[matrix.indices]
        linear += problem.cost[part] @ moved
        moved.data = moved.data**2
        squares += problem.cost[part] @ moved
    weight: Vector = np.bincount(problem.y, problem.cost, problem.n_classes).astype(np.float64)
    return (pulled, rest), (linear, squares, weight), centre
