"""Polish on the active set: which rows are on the margin is known, so the rest is linear algebra.

    Hv - A_M'alpha_M = f + A_U'upper_U,      A_M v + give_M alpha_M = reach_M

M are the rows that just reach, U those that fall short and have alpha = upper. The system is solved as corrections
to where an interior point ended; a row that comes out on the wrong side of its bound changes its set, and again.
"""

from collections.abc import Iterable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.lapack import dgeqp3, dgetrf, dgetrs

from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.interior_point import path
from separatrix.solvers.svm.program import Nearly, Program

TRIES = (1e-7, 1e-8, 1e-10)  # gaps at which the active set may be plain
DONE = 1e-12  # gap that is rounding
AGAIN = 1e-8  # gap at which to try from elsewhere
ROUNDS = 12
ASTRAY, FAR = 1e3, 1e-4  # times the gap before, and times the objective: gaps from which rounds seldom come back
LARGEST = 2500  # rows and variables beyond which a dense system costs more than the polish is worth
REGULAR = 1e-13  # rows that depend on each other share their alpha
REFINEMENTS = 3
JUST = 1e-9  # slack, next to the scores, with which a row just reaches
ROUNDING = 1e-12  # slacks this small, next to the scores, are rounding


def optimum(program: Program, budget: Budget, start: Nearly | None = None) -> tuple[Vector, Vector]:
    """Follow the interior-point method until the active set is plain, and jump to the optimum."""
    v, alpha, gap = jump(program, path(program, budget, start=start))
    if program.boxed and gap > AGAIN:  # alpha may be larger than expected
        other = jump(program, path(program, budget, far=np.inf))
        v, alpha, gap = min((v, alpha, gap), other, key=lambda found: found[2])
    return v, alpha


def jump(program: Program, points: Iterable[tuple[Vector, Vector, float]]) -> tuple[Vector, Vector, float]:
    """The optimum from the first of some points that shows the active set, or from the last; and its gap."""
    tries = list(TRIES)
    for point in points:
        v, alpha, gap = point
        if not tries or gap > tries[0]:
            continue
        tries = [wanted for wanted in tries if wanted < gap]
        v, alpha = polish(program, v, alpha)
        if optimal(program, v, alpha):
            return v, alpha, DONE
    return *polish(program, v, alpha), gap


def optimal(program: Program, v: Vector, alpha: Vector) -> bool:
    """Whether the gap is rounding, and rows whose alpha is inside its bounds just reach.

    A gap is nearly the square of what v is wrong by: alone, it would let half the digits go.
    """
    short = program.short(v, alpha)
    off = (alpha > 0.0) & (alpha < program.upper) & (np.abs(short) > JUST * (1.0 + np.abs(program.reach - short)))
    return not off.any() and program.gap(v, alpha) <= DONE * program.size(v, alpha) + rounding_of(program, short)


def polish(program: Program, v: Vector, alpha: Vector) -> tuple[Vector, Vector]:
    """Sharpen an answer to rounding; what is given comes back where that does not help."""
    if program.give.any():
        return polish_squares(program, v, alpha)
    alpha = program.clipped(alpha)
    if program.hard and float((program.A @ v).min()) <= 0.0:  # there is no margin to be on
        return v, alpha
    best, least = (v, alpha), program.gap(v, alpha)
    on, full = active(program, alpha, program.short(v, alpha))
    for _ in range(ROUNDS):
        free = independent(program, v, alpha, on)
        if not free.size or free.size + v.size > LARGEST:
            return best
        alpha = np.where(full, program.upper, np.where(on, alpha, 0.0))
        try:
            v, alpha = solved(program, v, alpha, free)
        except (LinAlgError, ValueError):
            return best
        gap = program.gap(v, program.clipped(alpha))
        if gap > max(ASTRAY * least, FAR * program.size(v, alpha)):  # too many rows were taken for what they are not
            return best
        if gap < least:
            best, least = (v, program.clipped(alpha)), gap
        short = program.short(v, alpha)
        doubt = ROUNDING * (1.0 + np.abs(program.reach - short))
        below, above = (alpha < 0.0) | (on & (short < -doubt)), (alpha > program.upper) | (on & (short > doubt))
        entering = (~on & ~full & (short > doubt)) | (full & (short < -doubt))
        if not (below.any() or above.any() or entering.any()):
            return settled(program, v, program.clipped(alpha), gap, best, least)
        on, full = (on & ~below & ~above) | entering, (full & ~entering) | (above if program.boxed else False)
    return best


def polish_squares(program: Program, v: Vector, alpha: Vector) -> tuple[Vector, Vector]:
    """Polish squared hinges: the violators are a least-squares problem (Keerthi and DeCoste, 2005)."""
    best, least = (v, alpha), program.gap(v, alpha)
    on = program.short(v, 0.0) > 0.0
    for _ in range(ROUNDS):
        A, weight = program.A[on], 1.0 / program.give[on]
        try:
            v = cho_solve(cho_factor(program.H + (A.T * weight) @ A), program.f + A.T @ (weight * program.reach[on]))
        except (LinAlgError, ValueError):
            return best
        short = program.short(v, 0.0)
        alpha = np.maximum(short, 0.0) / program.give
        gap = program.gap(v, alpha)
        if gap < least:
            best, least = (v, alpha), gap
        if np.array_equal(on, short > 0.0):
            return settled(program, v, alpha, gap, best, least)
        on = short > 0.0
    return best


def settled(
    program: Program, v: Vector, alpha: Vector, gap: float, best: tuple[Vector, Vector], least: float
) -> tuple[Vector, Vector]:
    """The answer whose sets agree with it, unless its gap is larger by more than rounding.

    A gap is nearly the square of what v is wrong by: one that rounding hides may leave v with half its digits.
    """
    rounding = ROUNDING * program.size(v, alpha) + rounding_of(program, program.short(v, alpha))
    return (v, alpha) if gap <= least + rounding else best


def rounding_of(program: Program, short: Vector) -> float:
    """What slack costs that is rounding: much where it is dear, and the plane is cleared of it in the end."""
    if not program.boxed:
        return 0.0
    some = np.flatnonzero((short > 0.0) & (short < ROUNDING))
    return float(program.upper[some] @ short[some])


def independent(program: Program, v: Vector, alpha: Vector, on: np.ndarray, most: int | None = None) -> np.ndarray:
    """Rows on the margin, as many as can decide v; the others keep their alpha, as copies of a row may share it."""
    rows, most = np.flatnonzero(on), v.size if most is None else most
    if rows.size <= most:
        return rows
    inside = np.minimum(alpha, program.upper - alpha)[rows] if program.boxed else alpha[rows]
    sureness = np.sqrt(inside / (np.abs(program.short(v, alpha)[rows]) + ROUNDING) + TINY)
    factors, order, *_ = dgeqp3(program.A[rows].T * sureness)
    diagonal = np.abs(factors.diagonal())
    rank = int(np.count_nonzero(diagonal > 1e-12 * diagonal[0]))
    return rows[order[: min(rank, most)] - 1]  # LAPACK counts from 1


def active(program: Program, alpha: Vector, short: Vector) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are on the margin and which are at their upper bound: of each pair the larger says it."""
    size = max(float(alpha.max(initial=0.0)), TINY)
    if not program.boxed:
        return alpha / size > np.abs(short), np.zeros(alpha.shape, dtype=bool)
    full = 1.0 - alpha / program.upper < short
    return ~full & (alpha / np.minimum(program.upper, size) > -short), full  # a bound out of reach measures nothing


def solved(program: Program, v: Vector, alpha: Vector, free: np.ndarray) -> tuple[Vector, Vector]:
    """Solve the linear system by corrections, each with the residual of the one before."""
    A, give, unit = program.A[free], program.give[free], program.unit
    k = v.size
    system = np.zeros((k + free.size,) * 2)
    system[:k, :k], system[:k, k:], system[k:, :k] = program.H / unit, A.T, A
    system.ravel()[k * (len(system) + 1) :: len(system) + 1] = -unit * give - REGULAR * np.einsum("ij,ij->i", A, A)
    factor, pivots, failed = dgetrf(system.T, overwrite_a=1)  # SciPy's own checks take longer
    if failed or not np.isfinite(factor[-1, -1]):
        raise LinAlgError("The system has no single solution.")
    alpha = alpha.copy()
    for _ in range(REFINEMENTS):
        residual = np.concatenate([program.pull(v, alpha) / unit, program.reach[free] - A @ v - give * alpha[free]])
        change, _ = dgetrs(factor, pivots, residual)
        v = v + change[:k]
        alpha[free] -= unit * change[k:]
    return v, alpha
