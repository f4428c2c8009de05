"""Polish on the active set: once the rows on the margin are known, the rest is linear algebra.

    Hv - A_M'alpha_M = f + A_U'upper_U,      A_M v + ridge_M alpha_M = required_M

M are the rows on the margin, U the violators, whose alpha is upper. The system is solved by corrections to where an
interior point ended; a row that comes out on the other side of its bound changes its set, and again.
"""

from collections.abc import Iterable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.lapack import dgeqp3, dgetrf, dgetrs

from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.interior_point import path
from separatrix.solvers.svm.program import Approximation, Program
from separatrix.solvers.watching import tell

POLISH_GAPS = (1e-7, 1e-8, 1e-10)  # relative gaps at which the active set may be known
ROUNDING_GAP = 1e-12  # relative gap that is rounding
RESTART_MIN_GAP = 1e-8  # relative gap above which a second run starts from a larger alpha
MAX_ROUNDS = 12
DIVERGED_RATIO, DIVERGED_GAP = 1e3, 1e-4  # times the gap before, and relative gap: rounds seldom come back from there
MAX_SYSTEM_SIZE = 2500  # rows and variables, beyond which a dense system costs more than the polish is worth
RELATIVE_PIVOT = 1e-13  # of rows that depend on each other, which share their alpha
REFINEMENTS = 3
MARGIN_MAX_VIOLATION = 1e-9  # of a row on the margin, relative to its score
ROUNDING = 1e-12  # violations this small, relative to the scores, are rounding


def optimum(program: Program, budget: Budget, start: Approximation | None = None) -> tuple[Vector, Vector]:
    """v and alpha: follow the interior-point method until the active set is known, and polish."""
    v, alpha, gap = polished_path(program, path(program, budget, start=start))
    if program.boxed and gap > RESTART_MIN_GAP:
        other = polished_path(program, path(program, budget, largest_alpha=np.inf))
        v, alpha, gap = min((v, alpha, gap), other, key=lambda found: found[2])
    return v, alpha


def polished_path(program: Program, points: Iterable[tuple[Vector, Vector, float]]) -> tuple[Vector, Vector, float]:
    """The optimum from the first of some points that shows the active set, or from the last; and its gap."""
    gaps = list(POLISH_GAPS)
    for point in points:
        v, alpha, gap = point
        if not gaps or gap > gaps[0]:
            continue
        gaps = [wanted for wanted in gaps if wanted < gap]
        v, alpha = polish(program, v, alpha)
        if is_optimal(program, v, alpha):
            return v, alpha, ROUNDING_GAP
    return *polish(program, v, alpha), gap


def is_optimal(program: Program, v: Vector, alpha: Vector) -> bool:
    """Whether the gap is rounding, and rows whose alpha is inside its bounds are on the margin.

    A gap is nearly the square of the error of v: alone, it would let half the digits go.
    """
    violation = program.violations(v, alpha)
    free = (alpha > 0.0) & (alpha < program.upper)
    off_margin = np.abs(violation) > MARGIN_MAX_VIOLATION * (1.0 + np.abs(program.required - violation))
    rounding = ROUNDING_GAP * program.size(v, alpha) + rounded_losses(program, violation)
    return not (free & off_margin).any() and program.gap(v, alpha) <= rounding


def polish(program: Program, v: Vector, alpha: Vector) -> tuple[Vector, Vector]:
    """Solve on the active set, to rounding; what is given comes back where that does not help."""
    if program.ridge.any():
        return polish_squares(program, v, alpha)
    alpha = program.clipped(alpha)
    if program.hard and float((program.A @ v).min()) <= 0.0:  # no row is on the margin
        return v, alpha
    best, least = (v, alpha), program.gap(v, alpha)
    on, bounded = active_sets(program, alpha, program.violations(v, alpha))
    for _ in range(MAX_ROUNDS):
        free = independent(program, v, alpha, on)
        if not free.size or free.size + v.size > MAX_SYSTEM_SIZE:
            return best
        alpha = np.where(bounded, program.upper, np.where(on, alpha, 0.0))
        try:
            v, alpha = solved(program, v, alpha, free)
        except (LinAlgError, ValueError):
            return best
        tell("polish", v=v, alpha=program.clipped(alpha), free=free.size)
        gap, violation = program.gap(v, program.clipped(alpha)), program.violations(v, alpha)
        largest = max(DIVERGED_RATIO * least, DIVERGED_GAP * program.size(v, alpha))
        if gap > largest + rounded_losses(program, violation):
            return best
        if gap < least:
            best, least = (v, program.clipped(alpha)), gap
        rounding = ROUNDING * (1.0 + np.abs(program.required - violation))
        below = (alpha < 0.0) | (on & (violation < -rounding))
        above = (alpha > program.upper) | (on & (violation > rounding))
        entering = (~on & ~bounded & (violation > rounding)) | (bounded & (violation < -rounding))
        if not (below.any() or above.any() or entering.any()):
            return consistent_or_best(program, (v, program.clipped(alpha)), gap, best, least)
        on = (on & ~below & ~above) | entering
        bounded = (bounded & ~entering) | (above if program.boxed else False)
    return best


def polish_squares(program: Program, v: Vector, alpha: Vector) -> tuple[Vector, Vector]:
    """Polish squared hinges: the violators are a least-squares problem (Keerthi and DeCoste, 2005)."""
    best, least = (v, alpha), program.gap(v, alpha)
    violators = program.violations(v) > 0.0
    for _ in range(MAX_ROUNDS):
        A, weight = program.A[violators], 1.0 / program.ridge[violators]
        right = program.f + A.T @ (weight * program.required[violators])
        try:
            v = cho_solve(cho_factor(program.H + (A.T * weight) @ A), right)
        except (LinAlgError, ValueError):
            return best
        violation = program.violations(v)
        alpha = np.maximum(violation, 0.0) / program.ridge
        gap = program.gap(v, alpha)
        if gap < least:
            best, least = (v, alpha), gap
        if np.array_equal(violators, violation > 0.0):
            return consistent_or_best(program, (v, alpha), gap, best, least)
        violators = violation > 0.0
    return best


def consistent_or_best(
    program: Program, found: tuple[Vector, Vector], gap: float, best: tuple[Vector, Vector], least: float
) -> tuple[Vector, Vector]:
    """The answer whose sets are consistent with it, unless its gap is larger by more than rounding.

    A gap is nearly the square of the error of v: the smallest one may leave v with half its digits.
    """
    rounding = ROUNDING * program.size(*found) + rounded_losses(program, program.violations(*found))
    return found if gap <= least + rounding else best


def rounded_losses(program: Program, violation: Vector) -> float:
    """The cost of violations that are rounding; `outcome` scales the plane to be clear of them in the end."""
    if not program.boxed:
        return 0.0
    rounded = np.flatnonzero((violation > 0.0) & (violation < ROUNDING))
    return float(program.upper[rounded] @ violation[rounded])


def independent(program: Program, v: Vector, alpha: Vector, on: np.ndarray) -> np.ndarray:
    """Linearly independent rows on the margin; the others keep their alpha, as copies of a row may share it."""
    rows = np.flatnonzero(on)
    if rows.size <= v.size:
        return rows
    inside = np.minimum(alpha, program.upper - alpha)[rows] if program.boxed else alpha[rows]
    weight = np.sqrt(inside / (np.abs(program.violations(v, alpha)[rows]) + ROUNDING) + TINY)  # the clearest come first
    factors, order, *_ = dgeqp3(program.A[rows].T * weight)
    diagonal = np.abs(factors.diagonal())
    rank = int(np.count_nonzero(diagonal > 1e-12 * diagonal[0]))
    return rows[order[: min(rank, v.size)] - 1]  # LAPACK counts from 1


def active_sets(program: Program, alpha: Vector, violation: Vector) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are on the margin and which at their upper bound: the larger of each complementary pair decides."""
    size = max(float(alpha.max(initial=0.0)), TINY)
    if not program.boxed:
        return alpha / size > np.abs(violation), np.zeros(alpha.shape, dtype=bool)
    bounded = 1.0 - alpha / program.upper < violation
    scale = np.minimum(program.upper, size)  # a bound far above every alpha says nothing
    return ~bounded & (alpha / scale > -violation), bounded


def solved(program: Program, v: Vector, alpha: Vector, free: np.ndarray) -> tuple[Vector, Vector]:
    """Solve the linear system by corrections, each with the residual of the one before."""
    A, ridge, unit = program.A[free], program.ridge[free], program.unit
    k = v.size
    system = np.zeros((k + free.size,) * 2)
    system[:k, :k], system[:k, k:], system[k:, :k] = program.H / unit, A.T, A
    pivots = -unit * ridge - RELATIVE_PIVOT * np.einsum("ij,ij->i", A, A)
    system.ravel()[k * (len(system) + 1) :: len(system) + 1] = pivots
    factor, swaps, failed = dgetrf(system.T, overwrite_a=1)  # SciPy's own checks take longer
    if failed or not np.isfinite(factor[-1, -1]):
        raise LinAlgError("The system has no single solution.")
    alpha = alpha.copy()
    for _ in range(REFINEMENTS):
        residual = program.residual(v, alpha) / unit
        change, _ = dgetrs(factor, swaps, np.append(residual, program.required[free] - A @ v - ridge * alpha[free]))
        v = v + change[:k]
        alpha[free] -= unit * change[k:]
    return v, alpha
