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
from separatrix.solvers.svm.program import Approximation, RowProgram

INITIAL_WIDTH = 2.0  # h at which all rows are within it where v = 0
MIN_WIDTH = 1e-7  # h below which rounding counts
MIN_WIDTH_RATIO = 0.1  # of h from one step to the next
TRUSTED_MOVE = 3.0  # times h that rows may move in a step, for h to stay
DIVERGED_MOVE = 10.0  # times h that rows may move in a step, before h is too small
UNSETTLED_WIDTH = 3.0  # times h: violations too small to tell their sign at the optimum
CONVERGED_MOVE = 0.5  # times h that rows may move in the last step
OVERSHOT_SLOPE = 0.5  # part of the first slope, against the step, from which on it was too long
MAX_STEPS = 25
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
    step, slope, long = np.zeros(v.size), 0.0, False
    for _ in range(MAX_STEPS):
        if budget.spent():
            return None
        violation = program.violations(v)
        alpha, distance = violation * (0.5 / h), np.abs(violation)
        alpha += 0.5
        np.clip(alpha, 0.0, 1.0, out=alpha)
        alpha *= program.upper
        gradient = -program.residual(v, alpha)
        slope_here = float(gradient @ step)
        if long and slope_here > -OVERSHOT_SLOPE * slope:  # only a long step can be too long
            v, long = v - slope_here / (slope_here - slope) * step, False
            continue
        step, moved = newton_step(program, distance, gradient, h)
        if not np.isfinite(moved):
            return None
        v, slope, long = v + step, float(gradient @ step), moved > h
        wanted = max(width(distance, n_near), MIN_WIDTH)
        if h <= 2.0 * wanted and moved <= CONVERGED_MOVE * h:
            return Approximation(v, h)
        shorter = min(h, max(MIN_WIDTH_RATIO * h, moved / TRUSTED_MOVE))
        h = max(wanted, min(INITIAL_WIDTH, moved) if moved > DIVERGED_MOVE * h else shorter)
        if max_unsettled >= 0.0 and np.count_nonzero(distance <= UNSETTLED_WIDTH * h) <= max_unsettled:
            return Approximation(v, h)
    return None


def newton_step(program: RowProgram, distance: Vector, gradient: Vector, h: float) -> tuple[Vector, float]:
    """The step, and how far it moves most rows within h; not a number where there is none."""
    near = np.flatnonzero(distance <= h)
    one_in = max(1, int(near.size / max(MIN_HESSIAN_ROWS, HESSIAN_ROWS_PER_COLUMN * gradient.size)))
    near = near[::one_in]  # of many rows, some have nearly the Hessian of all
    A = program.rows(near)
    matrix = weighted_gram(A, (0.5 * one_in / h) * program.upper[near]) + program.H
    matrix.ravel()[:: len(matrix) + 1] *= 1.0 + RELATIVE_PIVOT
    factor, failed = dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    if failed or not near.size:
        return gradient, np.nan
    step, _ = dpotrs(factor, -gradient, lower=1)
    moved = A @ step
    return step, 2.0 * float(moved @ moved / near.size) ** 0.5


def width(distance: Vector, n_near: float) -> float:
    """The distance within which about `n_near` rows are."""
    some = distance[:: -(-distance.size // QUANTILE_ROWS)]
    place = int(min(some.size - 1, n_near * some.size / distance.size))
    return float(np.partition(some, place)[place])
