"""Gordan's alternative in doubles, by Newton's method for the log loss: a plane, or weights with which rows cancel.

    minimise  sum_i log(1 + exp(-<a_i, v>)),     a_i = y_i [x_i, 1]

The gradient is -sum_i u_i a_i with u_i = 1 / (1 + exp(<a_i, v>)) > 0. Where the sum has a minimum, u are weights with
which the rows cancel, all of them positive, as `InteriorOverlap` asks; else v becomes positive on all rows (Albert and
Anderson, 1984). Few rows decide, so that it is done for a working set: those nearest to a first plane, or on its wrong
side. A plane that separates the working set is held against all rows, and those that it violates join the set.

Rows that some column alone separates weakly from all others are left out first, as weights on them would vanish.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from separatrix.certificates.arithmetic.planes import Planes
from separatrix.certificates.claims.interior_overlap import cancellation_ratio, varying_columns
from separatrix.objectives.log_loss_curvature import Factor
from separatrix.problem import Problem
from separatrix.products import dense_rows, scores, weighted_gram
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.threads import threads_for

MAX_COLUMNS = 1500  # of the matrix that is factored
WORKING_ROWS_A_COLUMN = 3  # rows of the working set for each column at most; twice as many after others have joined
MAX_ROUNDS = 12
MAX_NEWTON_STEPS = 50
MIN_WEIGHT = 1e-9  # part of the largest weight below which a row is left out, as weak separations make it vanish
NEGLIGIBLE_WEIGHT = 1e-30  # part of the largest weight that changes no sum
CONVERGED = 1e-22  # squared Newton decrement, of a loss that is about the number of rows


class Pair(NamedTuple):
    """Two classes of a problem: +1 for the rows of the first, -1 for those of the second, 0 elsewhere."""

    problem: Problem
    own: int
    rival: int

    @property
    def signs(self) -> Vector:
        """The sign of each row of the problem."""
        y = self.problem.y
        return (y == self.own).astype(float) - (y == self.rival)


class Weights(NamedTuple):
    """Rows of a pair and positive weights with which they cancel but for rounding."""

    rows: np.ndarray
    weights: Vector


@threads_for(0.0)  # factors are of moderate size
def plane_or_weights(pair: Pair, first: Planes, budget: Budget) -> Planes | Weights | None:
    """A plane that separates two classes, or weights that prove that none does; None where neither was found.

    Raises TimeOverError where the budget ends. `first` is a plane, of any quality, that tells which rows are difficult.

    >>> problem = Problem(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]))
    >>> first = Planes.of(np.ones(1), -1.5)
    >>> found = plane_or_weights(Pair(problem, 1, 0), first, Budget(1))
    >>> (3 * found.weights).round(9).tolist()  # 0 + 3 x 2 = 3 x 1 + 3
    [1.0, 3.0, 3.0, 1.0]
    """
    signs = pair.signs
    rows, width = np.flatnonzero(signs), pair.problem.n_features + pair.problem.fit_intercept
    size = WORKING_ROWS_A_COLUMN * width
    margins = plane_margins(pair, signs, first)
    working = np.sort(nearest(rows, margins, size))
    for _ in range(MAX_ROUNDS):
        budget.check_time()
        found = solve_working_set(pair, signs, working, budget)
        if not isinstance(found, Planes):
            return found
        margins = plane_margins(pair, signs, found)
        violated = rows[~(margins[rows] > 0.0)]
        if not violated.size:
            return found
        kept = nearest(working, margins, size)
        grown = np.union1d(kept, nearest(violated, margins, size))
        if grown.size == working.size and (grown == working).all():
            return None
        working = grown
    return None


def plane_margins(pair: Pair, signs: Vector, plane: Planes) -> Vector:
    """y (w.x + b) of the rows of a pair, 0 for other rows."""
    return signs * (scores(pair.problem.X, plane.w[0]) + plane.b[0])


def nearest(rows: np.ndarray, margins: Vector, most: int) -> np.ndarray:
    """The rows with the least margins."""
    return rows if rows.size <= most else rows[np.argpartition(margins[rows], most)[:most]]


def solve_working_set(pair: Pair, signs: Vector, working: np.ndarray, budget: Budget) -> Planes | Weights | None:
    """A plane that separates some rows, or weights with which some of them cancel; None where neither comes out."""
    offset = pair.problem.fit_intercept
    for one_sided in (True, False):
        X, index = dense_rows(pair.problem.X, working), working
        if one_sided:
            inner = without_one_sided(X, signs[working], offset)
            X, index = X[inner], working[inner]
        while index.size:
            columns = varying_columns(X, offset)
            found = newton(Coordinates.of(X[:, columns], offset), signs[index], budget)
            if found.separates and index.size < working.size:
                break  # only what is left is separated: all rows are tried next
            if found.separates:
                w = np.zeros((1, pair.problem.n_features))
                w[0, columns] = found.w
                return Planes(w, np.array([found.b]))
            u = found.weights / found.weights.max()
            counted = u > NEGLIGIBLE_WEIGHT
            if cancellation_ratio(X[counted][:, columns], signs[index[counted]], u[counted], offset) < 1.0:
                return Weights(index[counted], u[counted])
            large = u > MIN_WEIGHT
            if large.all():
                break
            X, index = X[large], index[large]
    return None


def without_one_sided(X: Vector, signs: Vector, offset: bool) -> np.ndarray:
    """Numbers of the rows that no single column separates weakly from the others, one column after the other.

    >>> X, signs = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [5.0, 2.0]]), np.array([1.0, -1.0, 1.0, -1.0])
    >>> without_one_sided(X, signs, True).tolist()  # the first column is 5 in one class only
    [0, 1, 2]
    """
    kept = np.arange(len(X))
    while kept.size:
        part = X[kept]
        usual = np.median(part, axis=0) if offset else 0.0
        sides = np.sign(part - usual) * signs[kept][:, None]
        one_sided = (sides.min(axis=0) >= 0.0) != (sides.max(axis=0) <= 0.0)
        off = (sides[:, one_sided] != 0.0).any(axis=1)
        if not off.any():
            break
        kept = kept[~off]
    return kept


class Coordinates(NamedTuple):
    """Rows with columns of mean 0 and deviation 1, and a column of ones where there is an offset."""

    Z: Vector
    centre: Vector
    scale: Vector
    offset: bool

    @classmethod
    def of(cls, X: Vector, offset: bool) -> "Coordinates":
        """The coordinates of some rows."""
        centre = X.mean(axis=0) if offset else np.zeros(X.shape[1])
        scale = np.sqrt(np.mean((X - centre) ** 2, axis=0))
        scale = np.where(scale > 0.0, scale, 1.0)
        Z = (X - centre) / scale
        return cls(np.column_stack([Z, np.ones(len(Z))]) if offset else Z, centre, scale, offset)

    def plane(self, v: Vector) -> tuple[Vector, float]:
        """w and b of a vector in these coordinates."""
        w = v[: self.scale.size] / self.scale
        return w, float(v[-1] - w @ self.centre) if self.offset else 0.0


class Minimum(NamedTuple):
    """Where Newton's method ended: the plane, whether it has all rows on their own side, and the weights u."""

    w: Vector
    b: float
    separates: bool
    weights: Vector


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # a step that overflows is shortened
def newton(rows: Coordinates, signs: Vector, budget: Budget) -> Minimum:
    """Minimise the log loss until all margins are positive, the gradient is zero to rounding, or steps are no use."""
    A = rows.Z * signs[:, None]
    v = np.zeros(A.shape[1])
    margins = A @ v
    for _ in range(MAX_NEWTON_STEPS):
        u = expit(-margins)
        gradient = A.T @ u
        step, decrement = newton_step(A, u * (1.0 - u), gradient)
        if not decrement > CONVERGED * len(A):
            break
        ahead, t, loss = A @ step, 1.0, float(np.logaddexp(0.0, -margins).sum())
        while t > 1e-6 and not np.logaddexp(0.0, -margins - t * ahead).sum() <= loss - 1e-4 * t * decrement:
            t *= 0.5
        if t <= 1e-6:
            break
        v, margins = v + t * step, margins + t * ahead
        if margins.min() > 0.0:
            return Minimum(*rows.plane(v), True, u)
        budget.check_time()
    return Minimum(*rows.plane(v), False, cancelled(A, expit(-margins)))


def newton_step(A: Vector, curvature: Vector, gradient: Vector) -> tuple[Vector, float]:
    """The step to the minimum of the quadratic model, and what it gains to first order."""
    step = Factor(weighted_gram(A, curvature)).solve(gradient)
    return step, float(gradient @ step)


def cancelled(A: Vector, u: Vector) -> Vector:
    """Weights near u, relative to each, with which the rows cancel to rounding; u where there are none."""
    step, _ = newton_step(A, u * u, A.T @ u)
    changed = u * (1.0 - u * (A @ step))
    return changed if np.isfinite(changed).all() and changed.min() > 0.0 else u
