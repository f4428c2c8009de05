"""The normal equations of least squares, from the rows.

    minimise  sum_i c_i (t_i - w.x_i - b)^2 + ridge ||w||^2

    sum_i c_i r_i (x_i - m) = ridge w,     sum_i c_i r_i = 0,     r_i = t_i - w.x_i - b,     m: mean of the rows

The residuals are orthogonal to every column (Legendre, 1805; Gauss, 1809). Each equation is divided by the length of
its column and that of the targets: what is left has no unit, and is the cosine of an angle where the fit is poor.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.objectives import LeastSquares
from separatrix.problem import Problem
from separatrix.problem.fold import INFINITE, Fold
from separatrix.problem.fused_sums import residual_sums, worth_looping
from separatrix.problem.moments import (
    ALL_ROWS,
    UNCHANGED_CACHED_ENTRIES,
    cached_blocks,
    full_columns,
    group_codes,
    mostly_empty,
    n_groups,
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
    """Least squares with the given targets, one row for each class, and the planes (w, b) that fit them.

    Where rows have numbers and no classes, there are none, of shape (0, 1).
    """

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

    def fold(self, w: Vector, b: Vector) -> Fold:
        """What is left of the equations, from blocks of rows; infinite where others predict than were fitted."""
        decided = decision_planes(*self.fitted, self.targets)
        if not (np.array_equal(decided[0], w) and np.array_equal(decided[1], b)):
            return INFINITE
        return Fold(
            lambda block, first: row_sums(block, self.targets, *self.fitted),
            RowSums.merged,
            lambda sums: sums.residual_of(self.targets, self.fitted[0], self.ridge).error,
        )


def decision_planes(W: Vector, b: Vector, targets: Vector) -> tuple[Vector, Vector]:
    """Planes of shape (planes, d) that choose the class whose target is nearest to W'x + b.

    The nearest has the largest t.g - ||t||^2 / 2. Targets of -1 and 1, or of 1 for the own class, leave W as it is.
    Numbers are predicted by W'x + b itself.
    """
    if not len(targets):
        return W.T, b
    squares = np.sum(targets**2, axis=1)
    if len(targets) == 2:
        way = (targets[1] - targets[0]) / np.linalg.norm(targets[1] - targets[0])
        half = 0.5 * (squares[1] - squares[0]) / np.linalg.norm(targets[1] - targets[0])
        return (W @ way)[None], np.atleast_1d(b @ way - half)
    return (W @ targets.T).T, b @ targets.T - 0.5 * (squares - squares.min())


class NumberSums(NamedTuple):
    """The sum of the costs of rows, the mean of their numbers, and the sum of c (number - mean)^2."""

    total: float
    mean: float
    squares: float

    @classmethod
    def of(cls, problem: Problem) -> "NumberSums | None":
        """Sum over the rows of a problem; None where it has classes."""
        if problem.n_classes:
            return None
        total = max(float(problem.cost.sum()), TINY)
        mean = float(problem.cost @ problem.y) / total
        return cls(total, mean, float(problem.cost @ (problem.y - mean) ** 2))

    def merged(self, other: "NumberSums") -> "NumberSums":
        """The sums over the rows of both (Chan, Golub and LeVeque, 1983)."""
        total, apart = self.total + other.total, other.mean - self.mean
        share = other.total / total
        return NumberSums(
            total, self.mean + share * apart, self.squares + other.squares + self.total * share * apart**2
        )

    def length(self, centred: bool) -> float:
        """What residuals are measured by: the length of the numbers, from their mean unless they do not vary."""
        size = np.sqrt(self.total) * abs(self.mean)
        deviation = np.sqrt(self.squares)
        return float(deviation if centred and deviation > CONSTANT * size else np.hypot(deviation, size))


class RowSums(NamedTuple):
    """Sums over rows z = x - centre: c r z of shape (d, p) and c r of shape (p,), with the residuals r.

    Then those that depend on the rows alone, where they were asked for: c z, c z^2, and c of each class; those of the
    numbers, where there are no classes.
    """

    gradient: Vector
    residual: Vector
    columns: tuple[Vector, ...]
    centre: Vector
    fit_intercept: bool
    numbers: NumberSums | None = None

    def merged(self, other: "RowSums") -> "RowSums":
        """The sums over the rows of both, from the centre of the first."""
        shift, (linear, squares, weight) = other.centre - self.centre, other.columns
        n = float(weight.sum())
        moved = linear + n * shift, squares + shift * (2.0 * linear + n * shift), weight
        return self._replace(
            gradient=self.gradient + (other.gradient + np.outer(shift, other.residual)),
            residual=self.residual + other.residual,
            columns=tuple(one + another for one, another in zip(self.columns, moved, strict=True)),
            numbers=None if self.numbers is None or other.numbers is None else self.numbers.merged(other.numbers),
        )

    @np.errstate(over="ignore", invalid="ignore")
    def residual_of(self, targets: Vector, W: Vector, ridge: float, by: Measures | None = None) -> Residual:
        """What is left of the normal equations, measured as by these rows, or as is known already."""
        by = self.measures(targets, ridge) if by is None else by
        if self.fit_intercept:
            gradient, offset = self.gradient - np.outer(by.off, self.residual), self.residual
        else:
            gradient = self.gradient + np.outer(self.centre, self.residual)
            offset = np.zeros_like(self.residual)
        return Residual(gradient - ridge * W, offset / np.sqrt(by.total), by)

    def measures(self, targets: Vector, ridge: float) -> Measures:
        """Lengths of columns and of targets."""
        linear, squares, weight = self.columns
        n = max(float(weight.sum()), TINY)
        off, least = linear / n, np.zeros_like(linear)
        if self.fit_intercept:
            squares = np.maximum(squares - n * off**2, 0.0)
            least = CONSTANT * np.sqrt(n) * np.abs(self.centre + off)
        else:
            squares = squares + n * self.centre * (self.centre + 2.0 * off)
        lengths = np.where(np.sqrt(squares) > least, np.sqrt(squares + ridge), 0.0)
        if self.numbers is not None:
            return Measures(n, self.centre, off, lengths, np.array([self.numbers.length(self.fit_intercept)]))
        mean_target = weight @ targets / n if self.fit_intercept else np.zeros(targets.shape[1])
        return Measures(n, self.centre, off, lengths, np.sqrt(weight @ (targets - mean_target) ** 2))


def residual(
    problem: Problem, targets: Vector, W: Vector, b: Vector, ridge: float, by: Measures | None = None
) -> Residual:
    """What is left of the normal equations of planes W of shape (d, p) and offsets b of shape (p,).

    Measures that are known, from other planes, are not computed again.
    """
    return row_sums(problem, targets, W, b, by).residual_of(targets, W, ridge, by)


@np.errstate(over="ignore", invalid="ignore")
def row_sums(problem: Problem, targets: Vector, W: Vector, b: Vector, by: Measures | None = None) -> RowSums:
    """The sums over all rows, without those of the columns where the measures are known."""
    sums = sparse_sums if mostly_empty(problem.X) else dense_sums
    found, columns, centre = sums(problem, targets, W, b, None if by is None else by.centre, by is None)
    numbers = NumberSums.of(problem) if by is None else None
    return RowSums(found[0], found[1], columns, centre, problem.fit_intercept, numbers)


def row_targets(problem: Problem, targets: Vector, part: slice = ALL_ROWS) -> Vector:
    """The targets of some rows, of shape (rows, p): those of their classes, or their numbers."""
    y = problem.y[part]
    return targets[y] if problem.n_classes else y[:, None]


def problem_mean(problem: Problem, targets: Vector, weight: Vector | None = None) -> Vector:
    """Mean of the targets of all rows, from the weight of each class where that is known."""
    if not problem.n_classes:
        return np.atleast_1d(problem.cost @ problem.y / problem.cost.sum())
    weights: Any = np.bincount(problem.y, problem.cost, problem.n_classes) if weight is None else weight
    return weights @ targets / weights.sum()


def dense_sums(
    problem: Problem, targets: Vector, W: Vector, b: Vector, centre: Vector | None, columns: bool
) -> tuple[tuple[Vector, ...], tuple[Vector, ...], Vector]:
    """sum c r z and sum c r with z = x - centre; if asked for, sum c z, sum c z^2 and sum c of classes; the centre."""
    centre = reference_point(problem) if centre is None else centre
    base, moved = b + centre @ W, bool(centre.any())
    if W.shape[1] == 1 and isinstance(problem.X, np.ndarray) and worth_looping(problem.X):
        plane = W[:, 0].copy(), float(base[0])
        gradient, rest, *found = residual_sums(
            problem, targets[:, 0].copy() if problem.n_classes else None, *plane, centre if moved else None, columns
        )
        return (gradient[:, None], rest), tuple(found), centre

    def job(chunk: slice) -> tuple[Vector, ...]:
        found = [np.zeros(W.shape), np.zeros(W.shape[1])]
        found += [np.zeros(len(W)), np.zeros(len(W)), np.zeros(n_groups(problem))] if columns else []
        space = np.empty((min(rows_at_once(len(W), UNCHANGED_CACHED_ENTRIES), chunk.stop - chunk.start), len(W)))
        for part, matrix in cached_blocks(problem.X, UNCHANGED_CACHED_ENTRIES, chunk):
            cost, room = problem.cost[part], space[: len(matrix)]
            Z = np.subtract(matrix, centre, out=room) if moved else matrix
            left = row_targets(problem, targets, part) - (Z @ W + base)
            left *= cost[:, None]
            found[0] += product(Z.T, left)
            found[1] += left.sum(axis=0)
            if columns:
                found[2] += product(cost, Z)  # by itself: thin products of one column are quicker than of two
                found[3] += product(cost, np.square(Z, out=room))
                found[4] += np.bincount(group_codes(problem, part), cost, n_groups(problem))
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
    left = (row_targets(problem, targets) - (scores(X, W) + b)) * problem.cost[:, None]
    rest = left.sum(axis=0)
    gradient = combination(X, left) - np.outer(centre, rest)
    if not columns:
        return (gradient, rest), (), centre
    linear, squares = np.zeros(len(W)), np.zeros(len(W))
    for part, matrix in parts(X):
        moved = matrix.copy()
        moved.data = matrix.data - centre[matrix.indices]
        linear += problem.cost[part] @ moved
        moved.data = moved.data**2
        squares += problem.cost[part] @ moved
    weight: Vector = np.bincount(group_codes(problem), problem.cost, n_groups(problem)).astype(np.float64)
    return (gradient, rest), (linear, squares, weight), centre
