"""Which rows decide, and in which order the methods are tried; the road does not change the answer.

Hinges: Newton's method on a smoothed hinge approximates the optimum of a sample, takes some steps with all rows, and
so finds a band for the working set. Squared hinges: Newton's method takes all rows (`finite_newton`). Hard margins, and
where Newton's methods fail: interior points, with a band from the optimum of a sample.
"""

import numpy as np

from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.active_set import optimum
from separatrix.solvers.svm.bordered_program import BorderedProgram
from separatrix.solvers.svm.finite_newton import Curvature, finite_newton
from separatrix.solvers.svm.interior_point import interior_point
from separatrix.solvers.svm.problem_program import ProblemProgram
from separatrix.solvers.svm.program import Approximation, Program, RowProgram
from separatrix.solvers.svm.smoothed_newton import UNSETTLED_WIDTH, smoothed_newton, width
from separatrix.solvers.svm.working_set import (
    ROUNDING,
    Solve,
    approximation,
    n_deciding,
    narrowed_optimum,
    working_set_optimum,
)

AnyProgram = ProblemProgram | BorderedProgram

MAX_ROWS_AT_ONCE = 2000
ROWS_PER_COLUMN = 200  # from which on a sample approximates the optimum of all rows
BAND_FACTOR = 8.0  # times sqrt(n d): rows of a band around the optimum of a sample
ROUGH_GAP = 1e-2  # of an approximation by interior points, at most
MAX_UNSETTLED = 0.02  # part of the rows whose side is unknown, with which steps over all rows end
NARROWING_RATIO = 4.0  # times the rows that decide: fewer are not worth a band


def band_size(n: int, d: int) -> float:
    """How many rows a band around the optimum of a sample should hold."""
    return max(500.0, 4.0 * d, BAND_FACTOR * np.sqrt(n * d))


def narrow_band_size(n: int, d: int) -> float:
    """How many rows a band around a good approximation should hold."""
    return max(4.0 * d + 500.0, 0.1 * band_size(n, d))


def rows_at_once(n: int, d: int) -> int:
    """How many rows at most, or nearly, are in a program at once."""
    return int(min(n, max(band_size(n, d), MAX_ROWS_AT_ONCE, ROWS_PER_COLUMN * d)))


def solve_hinge(program: AnyProgram, v: Vector | None, budget: Budget) -> tuple[Vector, Vector]:
    """v and alpha of all rows for the hinge; a v near the optimum saves the sample."""
    n, d = program.n_rows, program.n_columns
    near = None
    if v is not None and is_worth_starting_from(program, v):
        near = approximation(v, program.violations(v))
    if n <= MAX_ROWS_AT_ONCE:
        return optimum(all_rows(program), budget, near)
    if n <= (ROWS_PER_COLUMN * d if near is None else NARROWING_RATIO * n_deciding(d)):
        return narrowed_optimum(all_rows(program), budget, near)
    if near is None:
        near = smoothed_newton(all_rows(program.sample()), None, n_deciding(d), budget)
        if near is None:
            return solve_by_bands(program, None, budget)
        if not program.is_far:
            near = smoothed_newton(program, near, n_deciding(d), budget, MAX_UNSETTLED * n) or near
    violation = program.violations(near.v)
    n_band = max(float(np.count_nonzero(np.abs(violation) <= UNSETTLED_WIDTH * near.h)), n_deciding(d))
    return working_set_optimum(program, *initial_band(program, violation, n_band), budget, near, narrowed_optimum)


def solve_squares(
    program: AnyProgram, v: Vector | None, budget: Budget, curvature: Curvature | None = None
) -> tuple[Vector, Vector, Curvature | None]:
    """v and alpha of all rows for squared hinges, and their curvature for other values of C.

    A curvature that is known is that of each row's cost alone, sum_i cost_i a_i a_i'.
    """
    n, d = program.n_rows, program.n_columns
    if n > MAX_ROWS_AT_ONCE and program.is_far:
        return *solve_by_bands(program, v, budget), None
    start = v if v is not None and is_worth_starting_from(program, v) else None
    if start is None and n > max(MAX_ROWS_AT_ONCE, ROWS_PER_COLUMN * d):
        sample = finite_newton(all_rows(program.sample()), None, budget)
        start = None if sample is None else sample.v
    if start is None and curvature is None and isinstance(program, ProblemProgram):
        matrix = program.problem.shared("gram of all rows", lambda: program.gram(np.arange(n)))  # of any classes
        curvature = Curvature(np.ones(n, dtype=bool), matrix)  # at v = 0 every row is a violator
    known = curvature and curvature._replace(matrix=program.price * curvature.matrix)
    rows: RowProgram = all_rows(program) if n <= MAX_ROWS_AT_ONCE else program
    found = finite_newton(rows, start, budget, known)
    if found is None:
        return *solve_by_bands(program, v, budget), None
    return found.v, found.alpha, found.curvature._replace(matrix=found.curvature.matrix / program.price)


def solve_by_bands(
    program: AnyProgram, v: Vector | None, budget: Budget, solve: Solve = optimum
) -> tuple[Vector, Vector]:
    """v and alpha of all rows by interior points, with a band around the optimum of a sample or a given v."""
    n, d = program.n_rows, program.n_columns
    if n <= MAX_ROWS_AT_ONCE:
        return solve(all_rows(program), budget, None)
    n_band = narrow_band_size(n, d)
    if v is not None:
        n_band *= 3.0
    elif n > ROWS_PER_COLUMN * d:
        v, n_band = solve_by_bands(program.sample(), None, budget, rough_optimum)[0], band_size(n, d)
    else:  # a gap goes with the square of violations
        v, _ = interior_point(all_rows(program), tol=min(ROUGH_GAP, 10.0 * (n_band / n) ** 2), budget=budget)
    return working_set_optimum(program, *initial_band(program, program.violations(v), n_band), budget, None, solve)


def rough_optimum(program: Program, budget: Budget, start: Approximation | None = None) -> tuple[Vector, Vector]:
    """v and alpha of a sample, whose optimum is only near that of all rows."""
    return interior_point(program, tol=ROUGH_GAP, budget=budget)


def all_rows(program: AnyProgram) -> Program:
    """The program of all rows, copied."""
    return program.restricted(np.arange(program.n_rows), [])


def is_worth_starting_from(program: AnyProgram, v: Vector) -> bool:
    """Whether a plane costs less than none: a start that does not is farther from the optimum than nothing."""
    return value(program, v, program.violations(v)) < value(program, np.zeros(v.size), program.required)


def value(program: AnyProgram, v: Vector, violation: Vector | float) -> float:
    """The objective of a program."""
    slack = np.maximum(0.0, violation)
    squared = bool(program.ridge[0] > 0.0)
    losses = 0.5 * slack * slack / program.ridge if squared else np.where(slack > 0.0, program.upper, 0.0) * slack
    return 0.5 * float(v @ program.H @ v) - float(program.f @ v) + float(np.sum(losses))


def initial_band(program: AnyProgram, violation: Vector, n_band: float) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are in a band of about so many around the margin, and which others are violators."""
    distance = -violation if program.hard else np.abs(violation)
    band = distance <= max(width(distance, n_band), ROUNDING)
    violators = violation > 0.0
    program.make_feasible(band, violators, violation)
    return band, ~band & violators
