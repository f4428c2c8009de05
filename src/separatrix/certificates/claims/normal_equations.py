"""The normal equations of least squares, from the rows.

    minimise  sum_i c_i (t_i - w.x_i - b)^2 + ridge ||w||^2

    sum_i c_i r_i (x_i - m) = ridge w,     sum_i c_i r_i = 0,     r_i = t_i - w.x_i - b,     m: mean of the rows

The residuals are orthogonal to every column (Legendre, 1805; Gauss, 1809). What is left of an equation is divided by
lengths, so that it has no unit, and is the cosine of an angle where the fit is poor:

    |sum_i c_i r_i (x_ij - m_j) - ridge w_j| / (L_j T)          L_j^2 = sum_i c_i (x_ij - m_j)^2 + ridge
    |sum_i c_i r_i| / (sqrt(sum_i c_i) T)                       T^2 = sum_i c_i (t_i - t)^2,     t: mean of the targets

The error is the largest of these, over all columns and targets, in real numbers over the doubles as stored: rows,
costs, targets, w, b and ridge. m and t are weighted with the costs; without an offset they are 0, and there is no
second equation. A column is constant, and nothing is said of its equation, where sum_i c_i (x_ij - m_j)^2 is at most
2^-92 m_j^2 sum_i c_i: it varies by no more than `CONSTANT` = 2^-46 of its size. Of targets that are constant in this
sense T^2 is sum_i c_i t_i^2, or 1 where that is 0.

The error is enclosed: by plain sums with bounds on their rounding (`normal_sums`), and where that is too wide and rows
are few, in exact fractions (`exact_normal_sums`). What overflows has no bound: then the error is infinite.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.certificates.claims.exact_normal_sums import ExactSums
from separatrix.certificates.claims.normal_sums import CONSTANT, Lengths, RowSums, row_sums
from separatrix.enclosures import Enclosed, Interval
from separatrix.enclosures.elementwise import difference, exactly, lower_end, multiplied, roots, upper_end
from separatrix.objectives import LeastSquares
from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold
from separatrix.rows import UNIT_ROUNDOFF, Vector

MAX_EXACT_ENTRIES = 2**16  # of rows whose sums are fractions, where rounding counts
MAX_ROUNDING, MAX_ROUNDING_OF_ERROR = 1e-11, 1e-2  # that an error, and a part of it, may be before it counts
NO_BOUND = Interval(0.0, np.inf)
OUTWARDS = 16.0 * UNIT_ROUNDOFF  # what quotients of bounds are rounded by


class Measures(NamedTuple):
    """What the equations are measured by, which depends on the rows alone: the sums, and squared lengths."""

    sums: RowSums
    columns: Lengths
    targets: tuple[Vector, Vector]

    @property
    def used(self) -> np.ndarray:
        """Which columns vary, as far as is known."""
        return self.columns.may_vary


class Residual(NamedTuple):
    """What is left of the equations of each column and target (d, p), and of the offset (p,), and their measures."""

    columns: Enclosed
    offset: Enclosed
    ridge: float
    by: Measures

    @property
    def in_columns(self) -> float:
        """The largest part that is left of the equations of columns, without a unit, but for rounding."""
        exact = Enclosed(self.columns.value, np.zeros_like(self.columns.value))
        return self._replace(columns=exact).of_columns.high

    @property
    def of_columns(self) -> Interval:
        """Enclose the largest part that is left of the equations of columns."""
        by, ridge = self.by, self.ridge
        surely, maybe = by.columns.varies, by.columns.may_vary
        short, long = np.sqrt(by.columns.low + ridge), np.sqrt(by.columns.high + ridge)
        low = quotients(sizes(self.columns)[0][surely], long[surely, None], by.targets[1])
        high = quotients(sizes(self.columns)[1][maybe], short[maybe, None], by.targets[0])
        return largest(low, high)

    @property
    def of_offset(self) -> Interval:
        """Enclose the largest part that is left of the equations of offsets."""
        low, high = sizes(self.offset)
        total = roots(self.by.sums.total)
        return largest(
            quotients(low, upper_end(total), self.by.targets[1]), quotients(high, lower_end(total), self.by.targets[0])
        )

    @property
    def error(self) -> Interval:
        """Enclose the largest part that is left of any equation."""
        one, other = self.of_columns, self.of_offset
        return Interval(max(one.low, other.low), max(one.high, other.high))


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
        """Enclose what is left of the equations, from blocks of rows; infinite where others predict than were fitted.

        A second pass, over few rows, adds up fractions.
        """
        decided = decision_planes(*self.fitted, self.targets)
        if not (np.array_equal(decided[0], w) and np.array_equal(decided[1], b)):
            return Fold(lambda block, first: NO_BOUND, lambda one, other: NO_BOUND, lambda found: NO_BOUND)
        return Fold(
            lambda block, first: (rows.n_entries(block.X), row_sums(block, self.targets, *self.fitted)),
            lambda one, other: (one[0] + other[0], one[1].merged(other[1])),
            lambda found: self.settled(residual_of(found[1], self.targets, self.fitted[0], self.ridge), found[0]),
        )

    def settled(self, left: Residual, n_entries: int) -> "Interval | Fold":
        """The error from plain sums, or a further pass where rounding may be much of it and rows are few."""
        plain = left.error
        width = plain.high - plain.low
        if n_entries > MAX_EXACT_ENTRIES or width <= max(MAX_ROUNDING, MAX_ROUNDING_OF_ERROR * plain.low):
            return plain
        return Fold(
            lambda block, first: ExactSums.of(block, self.targets, *self.fitted),
            ExactSums.merged,
            lambda sums: sums.error(self.fitted[0], self.ridge, CONSTANT),
        )

    def error(self, problem: Problem, left: Residual) -> Interval:
        """Enclose what is left of the equations of all rows, of which plain sums are known."""
        found = self.settled(left, rows.n_entries(problem.X))
        return found.over([problem]) if isinstance(found, Fold) else found


def sizes(found: Enclosed) -> tuple[Vector, Vector]:
    """Bounds of absolute values, from below and above; what is not a number has none."""
    size = Enclosed(np.abs(found.value), found.radius)
    return lower_end(size), upper_end(size)


def quotients(above: Vector, *below: Vector) -> Vector:
    """Numbers divided by each of others; 0 by anything is 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for each in below:
            above = np.where(above > 0.0, above / each, 0.0)
    return above


def largest(low: Vector, high: Vector) -> Interval:
    """Enclose the largest of some numbers with these bounds, which are rounded."""
    most = float(high.max(initial=0.0)) * (1.0 + OUTWARDS)
    least = float(np.nan_to_num(low).max(initial=0.0)) * (1.0 - OUTWARDS)
    return Interval(least if least < np.inf else 0.0, most if most >= 0.0 else np.inf)


@np.errstate(over="ignore", invalid="ignore")
def measures_of(sums: RowSums, targets: Vector) -> Measures:
    """The lengths of columns and of targets."""
    total, centred = sums.total, sums.fit_intercept
    spread = sums.spread_of_targets(targets)
    own, whole = spread.lengths(total, centred), spread.around_zero(total)
    low = np.where(own.varies, own.low, np.where(own.may_vary, np.fmin(own.low, lower_end(whole)), lower_end(whole)))
    high = np.where(own.varies, own.high, upper_end(whole))
    nothing = upper_end(whole) == 0.0
    bounds = (np.sqrt(np.where(nothing, 1.0, each)) for each in (low, high))
    return Measures(sums, sums.columns.lengths(total, centred), tuple(bounds))  # type: ignore[arg-type]


@np.errstate(over="ignore", invalid="ignore")
def residual_of(sums: RowSums, targets: Vector, W: Vector, ridge: float, by: Measures | None = None) -> Residual:
    """What is left of the normal equations, measured as by these rows, or as is known already."""
    by = measures_of(sums, targets) if by is None else by
    off = by.columns.off
    moved = multiplied(Enclosed(*(each[:, None] for each in off)), Enclosed(*(each[None] for each in sums.residual)))
    columns = difference(difference(sums.gradient, moved), multiplied(exactly(np.array(ridge)), exactly(W)))
    offset = sums.residual if sums.fit_intercept else exactly(np.zeros(W.shape[1]))
    return Residual(columns, offset, ridge, by)


def residual(
    problem: Problem | BlockedProblem, targets: Vector, W: Vector, b: Vector, ridge: float, by: Measures | None = None
) -> Residual:
    """What is left of the normal equations of planes W of shape (d, p) and offsets b of shape (p,).

    Measures that are known, from other planes, are not computed again; of rows in blocks they are.
    """
    if isinstance(problem, BlockedProblem):
        return residual_of(problem.over(fold_of_sums(targets, W, b)), targets, W, ridge)
    sums = row_sums(problem, targets, W, b, None if by is None else by.sums)
    return residual_of(sums, targets, W, ridge, by)


def fold_of_sums(targets: Vector, W: Vector, b: Vector) -> Fold:
    """The sums that equations are made of, from blocks of rows."""
    return Fold(lambda block, first: row_sums(block, targets, W, b), RowSums.merged, lambda sums: sums)


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


def problem_mean(problem: Problem, targets: Vector, weight: Vector | None = None) -> Vector:
    """Mean of the targets of all rows, from the weight of each class where that is known."""
    if not problem.n_classes:
        return np.atleast_1d(problem.cost @ problem.y / problem.cost.sum())
    weights: Any = np.bincount(problem.y, problem.cost, problem.n_classes) if weight is None else weight
    return weights @ targets / weights.sum()
