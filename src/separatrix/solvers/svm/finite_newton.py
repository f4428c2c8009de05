"""Newton's method for squared hinges, which ends after finitely many steps.

    minimise over v    1/2 v'Hv - f.v + sum_i max(0, reach_i - a_i.v)^2 / (2 give_i)

Rows that fall short make a quadratic, whose minimum is one linear system away. Once a step leaves every row on its side
the minimum is that of all rows. A step that goes too far is cut where the slope along it has all but vanished. The
matrix H + sum a_i a_i' / give_i is kept: only rows that have changed sides are added or taken away (Mangasarian, 2002;
Keerthi and DeCoste, 2005). From one C to the next its sum only grows or shrinks.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from separatrix.products import CACHED_ENTRIES, weighted_gram
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.program import Shortfalls, gap_of

STEPS = 30
SOON, FEW = 10, 2  # steps, after which it ends where not even so many rows a variable fall short: it is slow then
FLAT = 0.1  # part of the first slope that may be left where a step is cut
CUTS = 30
MOST_CHANGED = 0.5  # part of the rows in the matrix, from which on it is made anew
GOOD = 1e-9  # relative gap that is good enough, as v has half its digits


class Bend(NamedTuple):
    """The rows that are on, and sum_i weight_i a_i a_i' over them."""

    on: np.ndarray
    matrix: Vector


class Ended(NamedTuple):
    """v and alpha, and the bend of the rows that fell short in the end, or nearly."""

    v: Vector
    alpha: Vector
    bend: Bend


def finite_newton(program: Shortfalls, start: Vector | None, budget: Budget, bend: Bend | None = None) -> Ended | None:
    """The best that the budget allows; None where rounding keeps the gap from being small.

    Parameters
    ----------
    program : Shortfalls
        The question.
    start : Vector or None
        A v to start from; None: 0.
    budget : Budget
        Counts the steps.
    bend : Bend or None
        What is known of some rows with these weights.
    """
    weight, penalties = 1.0 / program.give, program.H.diagonal()
    v = np.zeros(len(penalties)) if start is None else start
    short = program.short(v, 0.0)
    nothing = Bend(np.zeros(weight.size, dtype=bool), np.zeros(program.H.shape))
    bend = changed(program, bend or nothing, short > 0.0, weight)
    best, least, done = None, np.inf, False
    for made in range(STEPS):
        alpha = weight * np.maximum(short, 0.0)
        pull = program.pull(v, alpha)
        value = 0.5 * float(v @ program.H @ v) - float(program.f @ v) + 0.5 * float(alpha @ np.maximum(short, 0.0))
        gap = gap_of(pull, penalties) / max(abs(value), TINY)
        done = done or gap > 0.5 * least  # no better than before: rounding has the last word
        best, least = ((v, alpha), gap) if gap < least else (best, least)
        if done and least <= GOOD:
            break
        factor, failed = dpotrf(program.H + bend.matrix, lower=1, clean=0)
        slow = made >= SOON and np.count_nonzero(bend.on) <= FEW * len(penalties)
        if budget.spent() or failed or slow or not np.isfinite(gap):
            break
        step, _ = dpotrs(factor, pull, lower=1)
        moved = program.reach - program.short(step, 0.0)
        t = length_of_step(program, v, short, step, moved, weight, float(pull @ step))
        v, short = v + t * step, short - t * moved
        before, bend = bend, changed(program, bend, short > 0.0, weight)
        done = t == 1.0 and bend is before
    return Ended(*best, bend) if best and (least <= GOOD or budget.left <= 0) else None


def changed(program: Shortfalls, bend: Bend, on: np.ndarray, weight: Vector) -> Bend:
    """The bend of other rows: just this one if they are the same."""
    rows = np.flatnonzero(on != bend.on)
    if not rows.size:
        return bend
    if rows.size > MOST_CHANGED * np.count_nonzero(on):
        return Bend(on, with_rows(program, np.zeros(program.H.shape), np.flatnonzero(on), weight))
    return Bend(on, with_rows(program, bend.matrix, rows, np.where(on, weight, -weight)))


def with_rows(program: Shortfalls, matrix: Vector, index: np.ndarray, weight: Vector) -> Vector:
    """The matrix with some rows added, or taken away where their weight is negative."""
    matrix, step = matrix.copy(), max(1, 4 * CACHED_ENTRIES // max(1, len(matrix)))
    for first in range(0, index.size, step):
        some = index[first : first + step]
        for sign in (1.0, -1.0):
            own = some[sign * weight[some] > 0.0]
            if own.size:
                matrix += sign * weighted_gram(program.rows(own), np.abs(weight[own]))
    return matrix


def length_of_step(
    program: Shortfalls, v: Vector, short: Vector, step: Vector, moved: Vector, weight: Vector, slope: float
) -> float:
    """All of the step, or where the slope along it, which only grows, has all but vanished."""
    if np.array_equal(short > 0.0, short > moved):  # one quadratic all the way, whatever rounding makes of its slope
        return 1.0
    pushed = program.H @ step
    here, curve = float(v @ pushed) - float(program.f @ step), float(step @ pushed)
    low, high, t = (0.0, -slope), (np.inf, np.inf), 1.0
    for _ in range(CUTS):
        left = here + t * curve - float((weight * np.maximum(short - t * moved, 0.0)) @ moved)
        if left <= FLAT * slope and (t == 1.0 or left >= -FLAT * slope):
            break
        low, high = ((t, left), high) if left < 0.0 else (low, (t, left))
        t = low[0] - low[1] * (high[0] - low[0]) / (high[1] - low[1])
    return t
