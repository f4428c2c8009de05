"""Newton's method on a smoothed hinge: a v that is nearly right for a program with many rows, after a few looks.

    minimise over v    1/2 v'Hv - f.v + sum_i upper_i phi(reach_i - a_i.v)

    phi(t) = 0  below -h,     (t + h)^2 / (4 h)  in between,     t  above h

The rows within h of what they are to reach make the curvature. Steps become shorter, and h with them, until no more
rows are within it than are needed to tell where the hinge itself is least: there the rows that fall short by more than
h have alpha = upper, and those that go beyond by as much alpha = 0 (Madsen and Nielsen, 1993; Chapelle, 2007).
"""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from separatrix.products import weighted_gram
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.program import Nearly, Shortfalls

FIRST = 2.0  # h at which all rows are within it where v = 0
LEAST = 1e-7  # h below which rounding counts
SHRINK = 0.1  # of h from one look to the next, at most
TRUSTED = 3.0  # times h that rows may move in a step, for h to stay
LOST = 10.0  # times h that rows may move in a step, before h is too small
WIDE = 3.0  # times h: slacks too small to tell on which side they end
STILL = 0.5  # part of h that rows may move in the last step
OVERSHOT = 0.5  # part of the first derivative, against the step, from which on it was too long
LOOKS = 25
FEWEST, ROWS_A_COLUMN = 500, 25  # rows that curvature comes from
SOME = 20_000  # rows that tell how wide a band is
FRACTION_OF_PIVOT = 1e-13  # added to the diagonal, so that rounding cannot make a pivot negative


def smoothed_newton(
    program: Shortfalls,
    start: Nearly | None,
    n_near: float,
    budget: Budget,
    enough: float = -1.0,
    hasty: int | None = None,
) -> Nearly | None:
    """A v for which about `n_near` rows are within h; None where steps do not become short.

    Parameters
    ----------
    program : Shortfalls
        The question; alpha must be bounded.
    start : Nearly or None
        Where similar rows have led to; None: v = 0.
    n_near : float
        How many rows decide.
    budget : Budget
        Counts the looks.
    enough : float
        End as soon as no more rows than these are too near to tell their side.
    hasty : int or None
        End after so many looks, wherever that is.
    """
    v, h = (np.zeros(len(program.H)), FIRST) if start is None else start
    step, slope, far = np.zeros(v.size), 0.0, False
    for _ in range(hasty or LOOKS):
        if budget.spent():
            return None
        short = program.short(v, 0.0)
        alpha, distance = short * (0.5 / h), np.abs(short)
        alpha += 0.5
        np.clip(alpha, 0.0, 1.0, out=alpha)
        alpha *= program.upper
        gradient = -program.pull(v, alpha)
        left = float(gradient @ step)
        if far and left > -OVERSHOT * slope:  # only a long step can be too long
            v, far = v - left / (left - slope) * step, False
            continue
        step, moved = newton_step(program, distance, gradient, h)
        if not np.isfinite(moved):
            return None
        v, slope, far = v + step, float(gradient @ step), moved > h
        wanted = max(width(distance, n_near), LEAST)
        if h <= 2.0 * wanted and moved <= STILL * h:
            return Nearly(v, h)
        h = max(wanted, min(FIRST, moved) if moved > LOST * h else min(h, max(SHRINK * h, moved / TRUSTED)))
        if enough >= 0.0 and np.count_nonzero(distance <= WIDE * h) <= enough:
            return Nearly(v, h)
    return Nearly(v, h) if hasty else None


def newton_step(program: Shortfalls, distance: Vector, gradient: Vector, h: float) -> tuple[Vector, float]:
    """The step, and how far it moves most rows within h; not a number where there is none."""
    near = np.flatnonzero(distance <= h)
    one_in = max(1, int(near.size / max(FEWEST, ROWS_A_COLUMN * gradient.size)))
    near = near[::one_in]  # of many rows, some have nearly the curvature of all
    A = program.rows(near)
    matrix = weighted_gram(A, (0.5 * one_in / h) * program.upper[near]) + program.H
    matrix.ravel()[:: len(matrix) + 1] *= 1.0 + FRACTION_OF_PIVOT
    factor, failed = dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    if failed or not near.size:
        return gradient, np.nan
    step, _ = dpotrs(factor, -gradient, lower=1)
    moved = A @ step
    return step, 2.0 * float(moved @ moved / near.size) ** 0.5


def width(distance: Vector, n_near: float) -> float:
    """How far the nearest rows are, about so many."""
    some = distance[:: -(-distance.size // SOME)]
    place = int(min(some.size - 1, n_near * some.size / distance.size))
    return float(np.partition(some, place)[place])
