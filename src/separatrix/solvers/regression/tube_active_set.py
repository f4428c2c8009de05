"""The exact solution of sparse regression with a tube, once it is known where rows and columns are.

    rows       inside the tube: beta = 0          beyond it: beta = 2 share r          on its border: r = +-k
    columns    w_j = 0, or (Z'beta)_j = +-penalty_j

are linear equations in w of the columns that are not 0, b, and beta of the rows on the border. A solution that
contradicts what was assumed of a row or a column says where that belongs instead (Osborne, Presnell and Turlach, 2000).
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, lstsq

from separatrix.rows import TINY, Vector
from separatrix.solvers.regression.tube_interior_point import Point
from separatrix.solvers.regression.tube_program import TubeProgram

MAX_UNKNOWNS = 3000  # of the linear equations
CONTRADICTION = 1e-12  # by which, in its own units, a solution may miss what was assumed
CHANGED_AT_ONCE = 0.5  # part of the largest contradiction from which on others are resolved with it
MAX_ENTRIES = 2**27  # of the rows that they are made of


class ActiveSet(NamedTuple):
    """Signs of w, 0 for columns left out; of residuals on the border, and of those beyond it; 0 elsewhere."""

    columns: np.ndarray
    border: np.ndarray
    beyond: np.ndarray

    @property
    def key(self) -> bytes:
        """What tells two of them apart."""
        return b"".join(part.astype(np.int8).tobytes() for part in self)


class Optimum(NamedTuple):
    """w, b and beta of the equations."""

    w: Vector
    b: float
    beta: Vector


@np.errstate(over="ignore")  # infinite is larger, too
def active_set_of(program: TubeProgram, point: Point) -> ActiveSet:
    """What a point near the optimum tells: of a variable and its dual, the one larger in its own units is not 0."""
    largest = max(float(np.abs(point.w).max(initial=0.0)), TINY)
    columns = 1 * (point.upper / largest > point.of_upper / program.penalty)
    columns -= point.lower / largest > point.of_lower / program.penalty
    columns = np.where(np.sign(point.w) == columns, columns, 0)
    residuals, k = program.residuals(point.w, point.b), program.half
    side = np.sign(residuals).astype(int)
    if k == 0.0:
        return ActiveSet(columns, np.zeros(side.size, int), side)
    full = 2.0 * program.share * k  # beta on the outer edge of the border
    is_beyond = point.s / k > point.z / full
    near, beta = np.where(side > 0, point.f, point.h), np.where(side > 0, point.a, point.c)
    is_on = ~is_beyond & (beta / full > near / k)
    return ActiveSet(columns, np.where(is_on, side, 0), np.where(is_beyond, side, 0))


def optimum_on(program: TubeProgram, active: ActiveSet) -> Optimum | None:
    """Solve the linear equations of an active set; None where they are too many or have no solution."""
    taken, on, out = np.flatnonzero(active.columns), np.flatnonzero(active.border), np.flatnonzero(active.beyond)
    n_planes = taken.size + program.offset
    if n_planes + on.size > MAX_UNKNOWNS or (on.size + out.size) * n_planes > MAX_ENTRIES:
        return None
    if not n_planes + on.size:
        return Optimum(np.zeros(active.columns.size), 0.0, beyond_beta(program, out, program.t))
    ones = np.ones((on.size + out.size, 1))[:, : int(program.offset)]
    rows = np.column_stack([program.columns(taken, np.concatenate([on, out])), ones])
    edge, outer, weight = rows[: on.size], rows[on.size :], 2.0 * program.share[out]
    unit = float(program.share.mean())  # of beta, so that all unknowns are of a size
    matrix = np.zeros((n_planes + on.size, n_planes + on.size))
    matrix[:n_planes, :n_planes] = outer.T @ (weight[:, None] * outer)
    matrix[:n_planes, n_planes:] = -unit * edge.T
    matrix[n_planes:, :n_planes] = -unit * edge
    slope = np.append(program.penalty[taken] * active.columns[taken], np.zeros(int(program.offset)))
    right = np.concatenate(
        [outer.T @ (weight * program.t[out]) - slope, -unit * (program.t[on] - program.half * active.border[on])]
    )
    found = equations_solved(matrix, right)
    if found is None:
        return None
    w, b = np.zeros(active.columns.size), float(found[taken.size]) if program.offset else 0.0
    w[taken] = found[: taken.size]
    beta = beyond_beta(program, out, program.residuals(w, b))
    beta[on] = unit * found[n_planes:]
    return Optimum(w, b, beta)


def beyond_beta(program: TubeProgram, out: np.ndarray, residuals: Vector) -> Vector:
    """2 share r of the rows beyond the tube, 0 of others."""
    beta = np.zeros(residuals.size)
    beta[out] = 2.0 * program.share[out] * residuals[out]
    return beta


def equations_solved(matrix: Vector, right: Vector) -> Vector | None:
    """The least solution, with rows and columns scaled, and one step of iterative refinement."""
    sizes = np.sqrt(np.abs(matrix).max(axis=1))
    scale = 1.0 / np.where(sizes > 0.0, sizes, 1.0)
    scaled = matrix * scale * scale[:, None]
    try:
        found = lstsq(scaled, scale * right, cond=1e-13, lapack_driver="gelsy", check_finite=False)[0]
        found = found + lstsq(scaled, scale * right - scaled @ found, cond=1e-13, lapack_driver="gelsy")[0]
    except (LinAlgError, ValueError):
        return None
    return scale * found if np.isfinite(found).all() else None


def corrected(program: TubeProgram, active: ActiveSet, found: Optimum) -> ActiveSet:
    """The active set without the assumptions that a solution of its equations contradicts most, if any."""
    residuals, k = program.residuals(found.w, found.b), program.half
    gradient = program.transposed(found.beta) / program.penalty
    largest = max(float(np.abs(found.w).max(initial=0.0)), TINY)
    used, on, out = active.columns != 0, active.border != 0, active.beyond != 0
    wrong_columns = np.where(used, -found.w * active.columns / largest, np.abs(gradient) - 1.0)
    wrong_rows = np.where(residuals * active.beyond < 0.0, 1.0, -1.0)
    relative = np.zeros(residuals.size)
    if k > 0.0:
        relative = found.beta * active.border / (2.0 * program.share * k)  # 0 at the inner edge, 1 at the outer one
        wrong_rows = np.where(on, np.maximum(-relative, relative - 1.0), np.abs(residuals) / k - 1.0)
        wrong_rows = np.where(out, 1.0 - residuals * active.beyond / k, wrong_rows)
    worst = max(float(wrong_columns.max(initial=0.0)), float(wrong_rows.max(initial=0.0)))
    if worst <= CONTRADICTION:
        return active
    columns, moving = wrong_columns >= CHANGED_AT_ONCE * worst, wrong_rows >= CHANGED_AT_ONCE * worst
    columns = np.where(columns, np.where(used, 0, np.sign(gradient)), active.columns)
    if k == 0.0:
        return active._replace(columns=columns.astype(int), beyond=np.sign(residuals).astype(int))
    side = np.where(out, active.beyond, np.sign(residuals))
    border = np.where(moving, np.where(on, 0, side), active.border)
    beyond = np.where(moving, np.where(on & (relative > 1.0), active.border, 0), active.beyond)
    return ActiveSet(*(part.astype(int) for part in (columns, border, beyond)))
