"""From the optimum for one C to that for another, on the same rows.

A Newton step on a smoothed hinge tells about how far the plane goes, and so which rows may change their set on the
way. The others are settled: together they pull with what the rows inside leave of Hv, which is known. Where few rows
will change, the path is followed (`homotopy`), else a `descent` begins where the step leads, or interior points where
many rows are on the margin. In the end all rows are looked at; those that were settled wrongly join the others, and
again. If the start was no optimum of these rows, the plane is only a start. What margins cannot tell of that, the gap
will, and how nearly alpha makes w.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.certificates import DualityGap
from separatrix.problem import Problem
from separatrix.products import scores
from separatrix.rows import Vector
from separatrix.solvers.svm.active_set import optimum
from separatrix.solvers.svm.band import ROUNDING, deciding, narrowed_optimum
from separatrix.solvers.svm.path.descent import descended
from separatrix.solvers.svm.path.homotopy import follow
from separatrix.solvers.svm.program import Nearly, Program
from separatrix.solvers.svm.smoothed_newton import LEAST, SOME, newton_step, width
from separatrix.solvers.svm.working_set import Decomposition

INSIDE = 1e-9  # how far inside of its bounds an alpha must be, as part of them, to be free
OPTIMAL = 1e-7  # slack that rows may have at an optimum where they should have none
WIDE, NARROW = 4.0, 0.1  # times what Newton's step moves most rows, and times h: how far the plane may go
ROWS_A_COLUMN = 2.0  # within that, at least
CHANGES, CHANGES_A_COLUMN = 60.0, 0.5  # of sets, that are quicker than interior points
FEW_FREE = 21  # rows on the margin, up to which a descent is quicker,
FEW, FEW_A_COLUMN = 10.0, 1.2  # where more sets change than these
ROUNDS = 3  # in which rows may join
SHOWN = 500  # rows that tell whether all are the same
MANY = 2.0  # times the rows that decide: more are worth narrowing
CROSSED = 2.4  # times how many rows a step moves past what they are to reach: changes of sets on the way, about


def continued(work: Decomposition, start: DualityGap, margins: Vector | None) -> tuple[Vector, Vector | None]:
    """v and alpha of all rows for the problem's C, given what is known of their margins.

    alpha is None where v is only a start.
    """
    v, n = work.coordinates.vector(start.w, start.b), start.n_rows
    here, there, cost = work.objective, start.objective, work.problem.cost
    if not (here.boxed and there.boxed and here.C != there.C and n == work.problem.n_rows):
        return v, None
    at_bound = start.alpha >= (1.0 - INSIDE) * there.C * cost[start.support]
    side, free = np.full(n, -1, dtype=np.int8), start.support[~at_bound]
    side[start.support] = at_bound.view(np.int8)
    margins = work.problem.margins(start.w, start.b) if margins is None else margins
    if wrong(margins, side, free, OPTIMAL).size:
        return v, None
    inside, A, ahead = around(work, v, margins, free, here.C / there.C)
    alpha = there.C * cost[inside] * (side[inside] > 0)
    alpha[np.searchsorted(inside, free)] = start.alpha[~at_bound]
    for _ in range(ROUNDS if inside.size else 0):  # without a row nothing holds the offset
        program = work.posed(A, cost[inside])
        found = along(work, program, v, alpha, side[inside], ahead, there.C)
        if found is None:
            break
        more = wrong(work.problem.margins(*work.coordinates.plane(found[0])), side, inside, ROUNDING)
        if not more.size:
            alpha = here.C * cost
            alpha *= side > 0  # in place: new memory takes longer
            alpha[inside] = found[1]
            return found[0], alpha
        if more.size > inside.size:  # these are other rows
            break
        inside, A = np.concatenate([inside, more]), np.vstack([A, work.rows(more)])
        alpha = np.concatenate([alpha, there.C * cost[more] * (side[more] > 0)])
    return v, None


def remembered(problem: Problem, start: DualityGap) -> Vector | None:
    """y g(x) of each row as the start remembers them, if some show that the rows are the same."""
    kept = start.margins
    start.forget()
    if kept is None or kept.size != problem.n_rows:
        return None
    step = -(-problem.n_rows // SHOWN)
    now = (scores(rows.every(problem.X, step), start.w) + start.b) * problem.signs[::step]
    return kept if (np.abs(now - kept[::step]) <= OPTIMAL * (1.0 + np.abs(now))).all() else None


def wrong(margins: Vector, side: np.ndarray, inside: np.ndarray, tol: float) -> np.ndarray:
    """Rows that are short but not at their bound, or beyond though they are; those inside may be anywhere."""
    unlike = (margins < 1.0) != (side > 0)
    unlike[inside] = False
    found = np.flatnonzero(unlike)
    return found[np.abs(margins[found] - 1.0) > tol]


class Ahead(NamedTuple):
    """Where a Newton step leads, how far it moves most rows, and how many sets change on the way, about."""

    v: Vector
    moved: float
    changes: float


def around(
    work: Decomposition, v: Vector, margins: Vector, free: np.ndarray, growth: float
) -> tuple[np.ndarray, Vector, Ahead]:
    """Which rows may change their set, their a_i, and what a Newton step says of the way."""
    k, one_in = v.size, -(-margins.size // SOME)
    h = max(width(np.abs(margins[::one_in] - 1.0), deciding(k) / one_in), LEAST)
    near = within(margins, h, free)
    distance, A = np.abs(margins[near] - 1.0), work.rows(near)
    program = work.posed(A, work.problem.cost[near])
    program = program.in_units(work.unit)
    step, moved = newton_step(program, distance, (1.0 - growth) * (program.H @ v), h)
    reach = max(WIDE * moved, h * max(NARROW, ROWS_A_COLUMN * k / deciding(k)))
    ahead = Ahead(v + step, moved, CROSSED * near.size * moved / h)
    if reach > h:
        inside = within(margins, reach, free)
        return inside, work.rows(inside), ahead
    few = within(distance + 1.0, reach, np.searchsorted(near, free))
    return near[few], A[few], ahead


def within(margins: Vector, reach: float, free: np.ndarray) -> np.ndarray:
    """Rows whose margin is so near to 1, and the free ones."""
    near = margins >= 1.0 - reach
    near &= margins <= 1.0 + reach
    near[free] = True
    return np.flatnonzero(near)


def along(
    work: Decomposition, program: Program, v: Vector, alpha: Vector, side: np.ndarray, ahead: Ahead, before: float
) -> tuple[Vector, Vector] | None:
    """The optimum of the rows inside, where the others are settled; None where it is not found."""
    unit, t, k, found = work.unit, before / work.objective.C, v.size, None
    program, alpha = program.in_units(unit), alpha / unit
    program = program._replace(f=(program.H @ v - alpha @ program.A) / t)
    most = int(min(CHANGES + CHANGES_A_COLUMN * k, work.budget.left // 4))  # the rest is for others
    n_free = int(np.sum(side == 0))
    few = n_free <= FEW_FREE and most >= CHANGES
    if ahead.changes <= (min(most, FEW + FEW_A_COLUMN * k) if few else most):
        found = follow(program, v, alpha, side.astype(np.float64), t, 2 * most, work.budget)
    if found is None and np.isfinite(ahead.moved):
        solve = partial(descended, n_free=n_free, most=most) if few else optimum
        if side.size > MANY * deciding(k):
            solve = partial(narrowed_optimum, solve=solve)
        found = solve(program, work.budget, Nearly(ahead.v, max(ahead.moved, LEAST)))
    return found and (found[0], unit * found[1])
