"""From the optimum for one C to that for another, on the same rows.

A Newton step on a smoothed hinge tells about how far the plane goes, and so which rows may change their set on the
way. The others are settled: together they pull with what the rows inside leave of Hv, which is known. Where few rows
will change, the path is followed (`homotopy`), else interior points begin where the step leads. In the end all rows are
looked at; if one of them was settled wrongly, or if the start was no optimum of these rows, the plane is only a start.
What margins cannot tell of that, the gap will.
"""

from typing import NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.rows import Vector
from separatrix.solvers.active_set import optimum
from separatrix.solvers.decomposition import Decomposition
from separatrix.solvers.homotopy import follow
from separatrix.solvers.narrowing import ROUNDING, deciding, narrowed_optimum
from separatrix.solvers.program import Nearly
from separatrix.solvers.smoothed_newton import LEAST, newton_step, width

INSIDE = 1e-9  # how far inside of its bounds an alpha must be, as part of them, to be free
OPTIMAL = 1e-7  # slack that rows may have at an optimum where they should have none
WIDE, NARROW = 4.0, 0.1  # times what Newton's step moves most rows, and times h: how far the plane may go
CHANGES, CHANGES_A_COLUMN = 60.0, 0.5  # of sets, that are quicker than interior points
MANY = 2.0  # times the rows that decide: more are worth narrowing
CROSSED = 2.4  # times how many rows a step moves past what they are to reach: changes of sets on the way, about


def continued(work: Decomposition, start: DualityGap) -> tuple[Vector, Vector | None]:
    """v and alpha of all rows for the problem's C; alpha is None where v is only a start."""
    v = work.coordinates.vector(start.w, start.b)
    here, there = work.objective, start.objective
    if not (here.boxed and there.boxed and here.C != there.C and start.n_rows == work.problem.n_rows):
        return v, None
    at_bound = start.alpha >= (1.0 - INSIDE) * there.C * work.problem.cost[start.support]
    full, free = start.support[at_bound], start.support[~at_bound]
    margins = work.problem.margins(*work.coordinates.plane(v))
    if not settled(margins, full, free, OPTIMAL):
        return v, None
    inside, ahead = around(work, v, margins, free, here.C / there.C)
    side, alpha = np.full(start.n_rows, -1, dtype=np.int8), np.zeros(start.n_rows)
    side[full], side[free], alpha[start.support] = 1, 0, start.alpha
    found = along(work, v, alpha[inside], side[inside], inside, ahead, there.C)
    if found is None:
        return v, None
    side[inside] = 0
    full = full[side[full] > 0]
    alpha[full], (v, alpha[inside]) = here.C * work.problem.cost[full], found
    good = settled(work.problem.margins(*work.coordinates.plane(v)), full, inside, ROUNDING)
    return v, alpha if good else None


def settled(margins: Vector, full: np.ndarray, others: np.ndarray, tol: float) -> bool:
    """Whether no row is short that is not at its bound, and none beyond that is; the others may be anywhere."""
    short = margins < 1.0 - tol
    may = np.count_nonzero(short[full]) + np.count_nonzero(short[others])
    return bool(np.count_nonzero(short) == may and margins[full].max(initial=1.0) <= 1.0 + tol)


class Ahead(NamedTuple):
    """Where a Newton step leads, how far it moves most rows, and how many sets change on the way, about."""

    v: Vector
    moved: float
    changes: float


def around(
    work: Decomposition, v: Vector, margins: Vector, free: np.ndarray, growth: float
) -> tuple[np.ndarray, Ahead]:
    """Which rows may change their set, the free ones first, and what a Newton step says of the way."""
    short = 1.0 - margins
    distance, k = np.abs(short), v.size
    h = max(width(distance, deciding(k)), LEAST)
    near = np.flatnonzero(distance <= h)
    program = work.posed(work.rows(near), work.problem.cost[near])
    program = program.in_units(work.unit(program))
    step, moved = newton_step(program, short[near], (1.0 - growth) * (program.H @ v), h)
    nearest = np.flatnonzero(distance <= max(WIDE * moved, NARROW * h))
    inside = np.concatenate([free, np.setdiff1d(nearest, free, assume_unique=True)])
    return inside, Ahead(v + step, moved, CROSSED * near.size * moved / h)


def along(
    work: Decomposition,
    v: Vector,
    alpha: Vector,
    side: np.ndarray,
    inside: np.ndarray,
    ahead: Ahead,
    before: float,
) -> tuple[Vector, Vector] | None:
    """The optimum of the rows inside, where the others are settled; None where it is not found."""
    program = work.posed(work.rows(inside), work.problem.cost[inside])
    unit, t = work.unit(program), before / work.objective.C
    program, alpha = program.in_units(unit), alpha / unit
    program = program._replace(f=(program.H @ v - alpha @ program.A) / t)
    most, found = int(CHANGES + CHANGES_A_COLUMN * v.size), None
    if ahead.changes <= most:
        found = follow(program, v, alpha, side.astype(np.float64), t, 2 * most, work.budget)
    if found is None and np.isfinite(ahead.moved):
        solve = optimum if inside.size <= MANY * deciding(v.size) else narrowed_optimum
        found = solve(program, work.budget, Nearly(ahead.v, max(ahead.moved, LEAST)))
    return found and (found[0], unit * found[1])
