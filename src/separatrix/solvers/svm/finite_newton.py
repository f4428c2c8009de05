"""Newton's method for squared hinges, which ends after finitely many steps.

    minimise over v    1/2 v'Hv - f.v + sum_i max(0, required_i - a_i.v)^2 / (2 ridge_i)

The violators make a quadratic, whose minimum is one linear system away. Once a step leaves the violators as they are,
the minimum is that of all rows. A step that goes too far is cut where the slope along it has all but vanished. The
generalised Hessian H + sum a_i a_i' / ridge_i is kept: only rows that have changed sides are added or removed
(Mangasarian, 2002; Keerthi and DeCoste, 2005). From one C to the next its sum is only multiplied.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from separatrix.products import CACHED_ENTRIES, weighted_gram
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.line_search import line_search
from separatrix.solvers.svm.program import RowProgram, residual_gap
from separatrix.solvers.watching import tell

MAX_STEPS = 150
SLOW_STEPS, SLOW_ROWS_PER_COLUMN = 20, 2  # after so many steps with so few violators it is given up as slow
MAX_CHANGED_RATIO = 0.5  # of the violators, from which on the matrix is made anew
ACCEPTED_GAP = 1e-9  # relative gap, as v has half its digits


class Curvature(NamedTuple):
    """The violators, and sum_i weight_i a_i a_i' over them."""

    violators: np.ndarray
    matrix: Vector


class NewtonOptimum(NamedTuple):
    """v and alpha, and the curvature of the last violators, or nearly."""

    v: Vector
    alpha: Vector
    curvature: Curvature


def finite_newton(
    program: RowProgram, start: Vector | None, budget: Budget, curvature: Curvature | None = None
) -> NewtonOptimum | None:
    """The best that the budget allows, from a start or v = 0; None where rounding keeps the gap from being small.

    `curvature` is what is known of some rows with these weights.
    """
    weight, penalties = 1.0 / program.ridge, program.H.diagonal()
    v = np.zeros(len(penalties)) if start is None else start
    violation = program.violations(v)
    nothing = Curvature(np.zeros(weight.size, dtype=bool), np.zeros(program.H.shape))
    curvature = updated(program, curvature or nothing, violation > 0.0, weight)
    best, least, done = None, np.inf, False
    for made in range(MAX_STEPS):
        slack = np.maximum(violation, 0.0)
        alpha = weight * slack
        residual = program.residual(v, alpha)
        value = 0.5 * float(v @ program.H @ v) - float(program.f @ v) + 0.5 * float(alpha @ slack)
        gap = residual_gap(residual, penalties) / max(abs(value), TINY)
        tell("newton", v=v, alpha=alpha, gap=gap, violators=violation > 0.0)
        done = done or gap > 0.5 * least  # no further progress in double precision
        best, least = ((v, alpha), gap) if gap < least else (best, least)
        if done and least <= ACCEPTED_GAP:
            break
        factor, failed = dpotrf(program.H + curvature.matrix, lower=1, clean=0)
        few = np.count_nonzero(curvature.violators) <= SLOW_ROWS_PER_COLUMN * len(penalties)
        if budget.spent() or failed or (few and made >= SLOW_STEPS) or not np.isfinite(gap):
            break
        step, _ = dpotrs(factor, residual, lower=1)
        moved = program.required - program.violations(step)
        t = step_length(program, v, violation, step, moved, weight, float(residual @ step))
        v, violation = v + t * step, violation - t * moved
        before, curvature = curvature, updated(program, curvature, violation > 0.0, weight)
        done = t == 1.0 and curvature is before
    return NewtonOptimum(*best, curvature) if best and (least <= ACCEPTED_GAP or budget.left <= 0) else None


def updated(program: RowProgram, curvature: Curvature, violators: np.ndarray, weight: Vector) -> Curvature:
    """The curvature of other violators: the same object if they are the same rows."""
    rows = np.flatnonzero(violators != curvature.violators)
    if not rows.size:
        return curvature
    if rows.size > MAX_CHANGED_RATIO * np.count_nonzero(violators):
        return Curvature(violators, with_rows(program, np.zeros(program.H.shape), np.flatnonzero(violators), weight))
    return Curvature(violators, with_rows(program, curvature.matrix, rows, np.where(violators, weight, -weight)))


def with_rows(program: RowProgram, matrix: Vector, index: np.ndarray, weight: Vector) -> Vector:
    """The matrix with some rows added, or removed where their weight is negative."""
    matrix, step = matrix.copy(), max(1, 4 * CACHED_ENTRIES // max(1, len(matrix)))
    for first in range(0, index.size, step):
        some = index[first : first + step]
        for sign in (1.0, -1.0):
            own = some[sign * weight[some] > 0.0]
            if own.size:
                matrix += sign * weighted_gram(program.rows(own), np.abs(weight[own]))
    return matrix


def step_length(
    program: RowProgram, v: Vector, violation: Vector, step: Vector, moved: Vector, weight: Vector, slope: float
) -> float:
    """The whole step, or where the slope along it, which only grows, has all but vanished."""
    if np.array_equal(violation > 0.0, violation > moved):  # one quadratic all the way, whatever rounding makes of it
        return 1.0
    pushed = program.H @ step
    here, curve = float(v @ pushed) - float(program.f @ step), float(step @ pushed)

    def derivative(t: float) -> float:
        return here + t * curve - float((weight * np.maximum(violation - t * moved, 0.0)) @ moved)

    return line_search(derivative, slope)
