"""Newton's method on a smoothed hinge: an approximation of the optimum of a program with many rows, in a few passes.

    minimise over v    1/2 v'Hv - f.v + sum_i upper_i phi(required_i - a_i.v)

    phi(t) = 0  below -h,     (t + h)^2 / (4 h)  in between,     t  above h

The rows within h of the margin make the Hessian. Steps become shorter, and h with them, until only as many rows are
within it as are needed to tell where the hinge itself is least: there the rows that violate the margin by more than h
have alpha = upper, and those that exceed it by as much alpha = 0 (Madsen and Nielsen, 1993; Chapelle, 2007).
"""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from separatrix.products import weighted_gram
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.line_search import line_search
from separatrix.solvers.svm.program import Approximation, RowProgram

INITIAL_WIDTH = 2.0  # h at which all rows are within it where v = 0
MIN_WIDTH = 1e-7  # h below which rounding counts
MIN_WIDTH_RATIO = 0.1  # of h from one step to the next
TRUSTED_MOVE = 3.0  # times h that rows may move in a step, for h to stay
UNSETTLED_WIDTH = 3.0  # times h: violations too small to tell their sign at the optimum
FULL_STEP = 0.3  # part of a step, from which on its length says how near the minimum for this h is
CONVERGED_MOVE = 0.5  # times h that rows may move in the last step
MAX_STEPS = 60
MIN_HESSIAN_ROWS, HESSIAN_ROWS_PER_COLUMN = 500, 25
QUANTILE_ROWS = 20_000  # rows from which the width of a band is estimated
RELATIVE_PIVOT = 1e-13  # added to the diagonal, so that rounding cannot make a pivot negative


def smoothed_newton(
    program: RowProgram, start: Approximation | None, n_near: float, budget: Budget, max_unsettled: float = -1.0
) -> Approximation | None:
    """A v for which about `n_near` rows are within h, from a start or v = 0; None where steps do not become short.

    It ends as soon as at most `max_unsettled` rows have violations too small to tell their sign at the optimum.
    """
    v, h = (np.zeros(len(program.H)), INITIAL_WIDTH) if start is None else start
    violation, thinned = program.violations(v), True
    for _ in range(MAX_STEPS):
        if budget.spent():
            return None
        distance = np.abs(violation)
        gradient = -program.residual(v, smoothed_alpha(program, violation, h))
        step = newton_step(program, distance, gradient, h, thinned)
        if step is None:
            return None
        along = program.required - program.violations(step)
        t = step_length(program, v, violation, h, step, along, -float(gradient @ step))
        thinned = thinned and t >= FULL_STEP  # some rows may be all that there is of a column
        moved = 2.0 * t * root_mean_square(along[distance <= h])
        v, violation = v + t * step, violation - t * along
        distance = np.abs(violation)
        wanted = max(width(distance, n_near), MIN_WIDTH)
        if t < FULL_STEP:
            h = max(h, min(INITIAL_WIDTH, moved))
            continue
        if h <= 2.0 * wanted and moved <= CONVERGED_MOVE * h:
            return Approximation(v, h)
        h = max(wanted, min(h, max(MIN_WIDTH_RATIO * h, moved / TRUSTED_MOVE)))  # there are rows for a Hessian
        if max_unsettled >= 0.0 and np.count_nonzero(distance <= UNSETTLED_WIDTH * h) <= max_unsettled:
            return Approximation(v, h)
    return None


def smoothed_alpha(program: RowProgram, violation: Vector, h: float) -> Vector:
    """The slope of the smoothed loss of each row."""
    alpha = violation * (0.5 / h)
    alpha += 0.5
    np.clip(alpha, 0.0, 1.0, out=alpha)
    alpha *= program.upper
    return alpha


def newton_step(program: RowProgram, distance: Vector, gradient: Vector, h: float, thinned: bool) -> Vector | None:
    """The step; None where no row is within h, or rounding keeps the matrix from being factored.

    Of many rows, some have nearly the Hessian of all: they are `thinned`.
    """
    near = np.flatnonzero(distance <= h)
    n_enough = max(MIN_HESSIAN_ROWS, HESSIAN_ROWS_PER_COLUMN * gradient.size)
    one_in = max(1, int(near.size / n_enough)) if thinned else 1
    near = near[::one_in]
    matrix = weighted_gram(program.rows(near), (0.5 * one_in / h) * program.upper[near]) + program.H
    matrix.ravel()[:: len(matrix) + 1] *= 1.0 + RELATIVE_PIVOT
    factor, failed = dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    if failed or not near.size:
        return None
    step, _ = dpotrs(factor, -gradient, lower=1)
    return step if np.isfinite(step).all() else None


def step_length(
    program: RowProgram, v: Vector, violation: Vector, h: float, step: Vector, along: Vector, slope: float
) -> float:
    """How far to go along a step, by which the scores of rows change."""
    pushed = program.H @ step
    here, curve = float(v @ pushed) - float(program.f @ step), float(step @ pushed)

    def derivative(t: float) -> float:
        return here + t * curve - float(smoothed_alpha(program, violation - t * along, h) @ along)

    return line_search(derivative, slope)


def root_mean_square(values: Vector) -> float:
    """The size of most of some numbers."""
    return float(values @ values / max(1, values.size)) ** 0.5


def width(distance: Vector, n_near: float) -> float:
    """The distance within which about `n_near` rows are."""
    some = distance[:: -(-distance.size // QUANTILE_ROWS)]
    place = int(min(some.size - 1, n_near * some.size / distance.size))
    return float(np.partition(some, place)[place])
