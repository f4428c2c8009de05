"""The optimum of a program with many rows, of which few decide.

A smoothed hinge says which rows are near what they are to reach, and on which side the others are. The near ones make
a small program, in which the rows that fall short for sure count together: their mean, as one row for each side of the
offset, costs what they cost while every one of them falls short, and less otherwise (Jensen, 1906), so that the small
program always has an optimum. Rows that it leaves on the wrong side join it, until there are none.
"""

from collections.abc import Callable

import numpy as np

from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.active_set import optimum
from separatrix.solvers.svm.program import Nearly, Program
from separatrix.solvers.svm.smoothed_newton import smoothed_newton

ROUNDING = 1e-11  # slacks this small are rounding


def deciding(k: int) -> float:
    """How many rows must be near for a smoothed hinge to tell where the hinge itself is least."""
    return max(600.0, 4.0 * k)


def narrowed_optimum(
    program: Program, budget: Budget, start: Nearly | None = None, solve: Callable | None = None
) -> tuple[Vector, Vector]:
    """v and alpha of a program whose alpha is bounded; `solve` is for the rows that decide, or interior points."""
    k = len(program.H)
    near = smoothed_newton(program, start, deciding(k), budget)
    if near is None:
        return optimum(program, budget)
    short = program.short(near.v, 0.0)
    band = np.abs(short) <= near.h
    full = ~band & (short > 0.0)
    while True:
        inside = np.flatnonzero(band)
        v, inner = (solve or optimum)(merged(program, inside, np.flatnonzero(full)), budget, near)
        short = program.short(v, 0.0)
        wrong = (full & (short < -ROUNDING)) | (~(band | full) & (short > ROUNDING))
        if not wrong.any() or budget.left <= 0:
            alpha = np.zeros(len(program.A))
            alpha[inside] = inner[: inside.size]
            for group, of_all in zip(groups(program, np.flatnonzero(full)), inner[inside.size :], strict=True):
                alpha[group] = shared(of_all, program.upper[group])  # less than upper where all just reach
            return v, alpha
        band, full = band | wrong, full & ~wrong


def merged(program: Program, inside: np.ndarray, full: np.ndarray) -> Program:
    """Some rows of a program, and the means of others."""
    A, reach, upper, give = (part[inside] for part in program[:4])
    for rows in groups(program, full):
        weight = program.upper[rows]
        mean = weight @ program.A[rows] / weight.sum(), weight @ program.reach[rows] / weight.sum()
        A, reach = np.vstack([A, mean[0]]), np.append(reach, mean[1])
        upper, give = np.append(upper, weight.sum()), np.append(give, 0.0)
    return Program(A, reach, upper, give, program.H, program.f)


def groups(program: Program, full: np.ndarray) -> list[np.ndarray]:
    """The rows that count together: those of each side of an offset that is free."""
    sides = program.A[full, -1] > 0.0 if program.H[-1, -1] == 0.0 else np.ones(full.size, dtype=bool)
    return [full[side] for side in (sides, ~sides) if side.any()]


def shared(of_all: float, upper: Vector) -> Vector:
    """alpha of rows from that of their mean: each has its part of it, so that together they pull as much."""
    return upper * (of_all / upper.sum())
