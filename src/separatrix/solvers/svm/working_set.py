"""The working set: few rows of many decide (Boser, Guyon and Vapnik, 1992; Osuna, Freund and Girosi, 1997).

A row far from the margin has alpha = 0 beyond it and alpha = upper (or, squared, a slack that costs) short of it.
Near the optimum those rows are settled; only a band around the margin enters the program. The violators outside of it
count together: their mean, as one row for each side of the offset, costs what they cost while all of them are
violators, and less otherwise (Jensen, 1906), so that the program always has an optimum. Rows that its optimum leaves on
the wrong side of the margin join the band, until there are none: the optimum of the band is then that of all rows.
"""

from collections.abc import Callable

import numpy as np

from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.active_set import optimum
from separatrix.solvers.svm.program import Approximation, Program, RowProgram
from separatrix.solvers.svm.smoothed_newton import MIN_WIDTH, smoothed_newton, width

ROUNDING = 1e-11  # violations this small are rounding

Solve = Callable[[Program, Budget, Approximation | None], tuple[Vector, Vector]]


def working_set_optimum(
    program: RowProgram,
    band: np.ndarray,
    bounded: np.ndarray,
    budget: Budget,
    start: Approximation | None = None,
    solve: Solve = optimum,
) -> tuple[Vector, Vector]:
    """v and alpha of all rows; `band` are the rows to begin with, and `bounded` the others that are violators.

    Both change in place. `solve` is for the program of a band, from `start`. Where the budget ends the loop, rows may
    be left on the wrong side.
    """
    while True:
        inside, groups = np.flatnonzero(band), groups_by_side(program, bounded)
        small = program.restricted(inside, groups)
        v, inner = solve(small, budget, start)
        violation = program.violations(v)
        misplaced = (bounded & (violation < -ROUNDING)) | (~(band | bounded) & (violation > ROUNDING))
        infeasible = small.hard and small.violations(v).max() >= 1.0  # no plane separates even these rows
        if infeasible or not misplaced.any() or budget.left <= 0:
            return v, expanded(program, violation, inside, groups, inner)
        joining = worst(misplaced, violation, inside.size)
        band[joining], bounded[joining] = True, False
        start = start and approximation(v, violation)


def narrowed_optimum(
    program: Program, budget: Budget, start: Approximation | None = None, solve: Solve = optimum
) -> tuple[Vector, Vector]:
    """v and alpha of a program whose alpha is bounded: a smoothed hinge finds the band."""
    near = smoothed_newton(program, start, n_deciding(len(program.H)), budget)
    if near is None:
        return optimum(program, budget)
    violation = program.violations(near.v)
    band = np.abs(violation) <= near.h
    return working_set_optimum(program, band, ~band & (violation > 0.0), budget, near, solve)


def n_deciding(k: int) -> float:
    """How many rows must be near the margin for a smoothed hinge to tell where the hinge itself is least."""
    return max(600.0, 4.0 * k)


def approximation(v: Vector, violation: Vector) -> Approximation:
    """A v, and how near to the margin the rows are that decide, if it is the right one."""
    n_near = min(n_deciding(v.size), v.size + 0.1 * violation.size)  # the optimum may have k rows on the margin
    return Approximation(v, max(width(np.abs(violation), n_near), MIN_WIDTH))


def groups_by_side(program: RowProgram, rows: np.ndarray) -> list[np.ndarray]:
    """The violators outside of the band, those on each side of the offset."""
    sides = program.sides
    groups = np.flatnonzero(rows & ~sides), np.flatnonzero(rows & sides)
    return [group for group in groups if group.size]


def worst(misplaced: np.ndarray, violation: Vector, most: int) -> np.ndarray:
    """The misplaced rows, or those that are farthest from the margin: so many, as the others may not need to join."""
    rows = np.flatnonzero(misplaced)
    if rows.size <= most:
        return rows
    return rows[np.argpartition(-np.abs(violation[rows]), most)[:most]] if most else rows


def expanded(
    program: RowProgram, violation: Vector, inside: np.ndarray, groups: list[np.ndarray], inner: Vector
) -> Vector:
    """alpha of every row, from those of the band and of the groups, of whose alpha each row has its share."""
    alpha = np.zeros(violation.size)
    alpha[inside] = inner[: inside.size]
    totals = inner[inside.size :].tolist() or [np.inf] * len(groups)  # without rows of their own, groups are at upper
    for group, total in zip(groups, totals, strict=True):
        if program.ridge[group[0]] > 0.0:
            alpha[group] = violation[group] / program.ridge[group]
            continue
        upper = program.upper[group]
        ratio = total / float(upper.sum())
        alpha[group] = upper if ratio >= 1.0 - ROUNDING else ratio * upper
    return alpha
