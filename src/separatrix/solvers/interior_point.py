"""Interior-point method (Mehrotra, 1992) for the program of `program`, in its n dual and k primal variables.

    a_i.v + xi_i + give_i alpha_i - r_i = reach_i,      Hv - A'alpha = f
    alpha_i r_i = mu,   (upper_i - alpha_i) xi_i = mu,     mu -> 0

Newton's steps on these equations leave a k x k matrix to factor,

    (H + A' Theta A) dv = pull + A' Theta g,       Theta_i = 1 / (r_i / alpha_i + xi_i / (upper_i - alpha_i) + give_i)

so that an iteration costs n k^2 operations, and the number of iterations hardly depends on the data. As it goes on,
most Theta_i become negligible; rows with small ones are left out of the matrix, though not of anything else (Jung,
O'Leary and Tits, 2008).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from separatrix.products import weighted_gram
from separatrix.rows import UNIT_ROUNDOFF, Vector, length
from separatrix.solvers.budget import Budget
from separatrix.solvers.program import Nearly, Program

NEARLY = 0.995  # how much of the way to the boundary a step may go
SMALL = 0.05  # a Theta_i that may be left out, as part of the mean
ROWS_A_COLUMN = 4  # so many rows are always kept
MOST_KEPT = 0.8  # of all rows; to leave out fewer is not worth a copy
PATIENCE = 30  # iterations in which neither the gap nor mu falls
HOPELESS = 1e20  # times the size to be expected: there is no hard margin
FAR = 1e4  # times the size to be expected
CENTRAL = 0.1  # part of h and of the upper bound: mu to start with
FRACTION_OF_PIVOT = 1e-14  # added to the diagonal, so that rounding cannot make a pivot negative


class Interior(NamedTuple):
    """A point with all slacks positive: alpha, its room below the upper bound, and the slacks of both."""

    v: Vector
    alpha: Vector
    room: Vector
    r: Vector
    xi: Vector

    def moved(self, step: float, change: "Interior") -> "Interior":
        """Go a part of the way."""
        return Interior(*(here + step * change_ for here, change_ in zip(self, change, strict=True)))

    def reach_of(self, change: "Interior", boxed: bool) -> float:
        """The longest step, up to 1, that keeps everything from becoming negative."""
        pairs = list(zip(self, change, strict=True))[1:]
        return 1.0 / max(1.0, *(float(np.max(-change_ / here)) for here, change_ in (pairs if boxed else pairs[::2])))


def interior_point(program: Program, *, tol: float = 1e-9, budget: Budget) -> tuple[Vector, Vector]:
    """Minimise a program: v and alpha, the best that the budget allows.

    Parameters
    ----------
    program : Program
        The question.
    tol : float
        Relative gap at which to end.
    budget : Budget
        Counts the iterations, and says when they are enough.
    """
    for v, alpha, gap in path(program, budget):  # noqa: B007
        if gap <= tol:
            break
    return v, alpha


def path(
    program: Program, budget: Budget, far: float = FAR, start: Nearly | None = None
) -> Iterator[tuple[Vector, Vector, float]]:
    """The points on the way to the optimum, as v, alpha and relative gap, each better than the one before.

    The last comes again where the way ends: at the optimum as far as rounding allows, or where the budget does. It
    begins with alpha in the middle of its box, but at most `far` times the size to be expected; or from a start, if
    alpha is bounded.
    """
    boxed, small = program.boxed, SMALL
    point = first_point(program, far) if start is None else central_point(program, start)
    best, since, before, lowest = (point.v, point.alpha, np.inf), 0, np.inf, np.inf
    while True:
        short, pull = program.short(point.v, point.alpha), program.pull(point.v, point.alpha)
        size = program.size(point.v, point.alpha)
        product = float(point.alpha @ point.r + (point.room @ point.xi if boxed else 0.0))
        missed = abs(float((short + point.r - point.xi) @ point.alpha)) + abs(float(pull @ point.v))
        gap, since = (product + missed) / size, 0 if product < 0.99 * lowest else since + 1
        lowest = min(lowest, product)
        if gap < best[2]:
            best, since = (point.v, point.alpha, gap), 0
            yield best
        hopeless = program.hard and size > HOPELESS * program.unit
        if hopeless or since > PATIENCE or product <= UNIT_ROUNDOFF * size or budget.spent():
            break
        if length(pull) > before:  # Newton's steps only make it smaller: the rows left out are missed
            small = 0.0
        before = length(pull)
        try:
            point = step(program, point, short, pull, product / (point.r.size * (1 + boxed)), small)
        except np.linalg.LinAlgError:  # rounding has the last word
            break
    yield best


def first_point(program: Program, far: float) -> Interior:
    """A point well inside: v = 0, alpha in the middle of its box, or where that is far off of a size to be expected."""
    alpha = np.minimum(0.5 * program.upper, (far if program.boxed else 1.0) * program.unit)
    room = program.upper - alpha
    return Interior(np.zeros(len(program.H)), alpha, room, np.ones(alpha.shape), alpha / room)


def central_point(program: Program, start: Nearly) -> Interior:
    """The point above v where alpha r = mu = room xi, for a mu at which slacks as large as h are far from 0.

    mu / alpha - mu / (upper - alpha) = r - xi = a.v - reach
    """
    mu = CENTRAL * start.h * float(np.median(program.upper))
    beyond, upper = program.A @ start.v - program.reach, program.upper
    size = np.abs(beyond) * upper
    smaller = 2.0 * mu * upper / (size + 2.0 * mu + np.hypot(size, 2.0 * mu))  # of alpha and its room
    larger = upper - smaller
    alpha, room = np.where(beyond > 0.0, smaller, larger), np.where(beyond > 0.0, larger, smaller)
    return Interior(start.v, alpha, room, mu / alpha, mu / room)


def step(program: Program, point: Interior, short: Vector, pull: Vector, mu: float, small: float) -> Interior:
    """One predictor and one corrector: how far Newton's step gets says how much to stay in the middle."""
    boxed = program.boxed
    ratio_r = point.r / point.alpha
    ratio_xi = point.xi / point.room
    theta = 1.0 / (ratio_r + ratio_xi + program.give)
    factor = factored(curvature(program, theta, small))

    def towards(for_r: Vector | float, for_xi: Vector | float) -> Interior:
        """Newton's step to alpha r = for_r, room xi = for_xi."""
        extra_r, extra_xi = for_r / point.alpha, for_xi / point.room
        goal = short + extra_r - extra_xi
        dv, _ = dpotrs(factor, pull + program.A.T @ (theta * goal), lower=1)
        dalpha = theta * (goal - program.A @ dv)
        return Interior(
            dv, dalpha, -dalpha, extra_r - point.r - ratio_r * dalpha, extra_xi - point.xi + ratio_xi * dalpha
        )

    ahead = towards(0.0, 0.0)
    there = point.moved(point.reach_of(ahead, boxed), ahead)
    product = float(there.alpha @ there.r + (there.room @ there.xi if boxed else 0.0))
    middle = mu * (product / (mu * point.r.size * (1 + boxed))) ** 3
    change = towards(middle - ahead.alpha * ahead.r, middle - ahead.room * ahead.xi if boxed else 0.0)
    return point.moved(NEARLY * point.reach_of(change, boxed), change)


def curvature(program: Program, theta: Vector, small: float) -> Vector:
    """H + A' Theta A, without the rows whose Theta is small next to the 4 k largest."""
    n, k = program.A.shape
    rows, weights = program.A, theta
    if small > 0.0 and n > ROWS_A_COLUMN * k:
        place = n - ROWS_A_COLUMN * k
        large = float(np.partition(theta, place)[place])
        kept = np.flatnonzero(theta >= small * float(np.minimum(theta, large).mean()))
        if kept.size < MOST_KEPT * n:
            rows, weights = rows[kept], weights[kept]
    matrix = weighted_gram(rows, weights) + program.H
    matrix[np.diag_indices_from(matrix)] *= 1.0 + FRACTION_OF_PIVOT
    return matrix


def factored(matrix: Vector) -> Vector:
    """Cholesky's factor, straight from LAPACK: for small matrices SciPy's own checks take longer."""
    factor, failed = dpotrf(matrix, lower=1, clean=0)
    if failed or not np.isfinite(factor.diagonal()).all():
        raise np.linalg.LinAlgError("The matrix is not positive definite.")
    return factor
