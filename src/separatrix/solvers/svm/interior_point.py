"""Interior-point method (Mehrotra, 1992) for the program of `program`, in its n dual and k primal variables.

    a_i.v + xi_i + ridge_i alpha_i - r_i = required_i,      Hv - A'alpha = f
    alpha_i r_i = mu,   (upper_i - alpha_i) xi_i = mu,     mu -> 0

Newton's steps on these equations leave a k x k matrix to factor,

    (H + A' Theta A) dv = residual + A' Theta g,    Theta_i = 1 / (r_i / alpha_i + xi_i / (upper_i - alpha_i) + ridge_i)

so that an iteration costs n k^2 operations, and the number of iterations hardly depends on the data. As it goes on,
most Theta_i become negligible; rows with negligible ones are left out of the matrix, though not of anything else (Jung,
O'Leary and Tits, 2008).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from separatrix.products import weighted_gram
from separatrix.rows import UNIT_ROUNDOFF, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.program import Approximation, Program
from separatrix.solvers.watching import tell

FRACTION_TO_BOUNDARY = 0.995  # of the longest step that keeps all slacks positive
NEGLIGIBLE_THETA = 0.05  # a Theta_i that may be left out of the matrix, as part of the mean
ROWS_PER_COLUMN = 4  # that are always kept in the matrix
MIN_FLOPS_TO_DROP_ROWS = 1e6  # below, the whole matrix is quicker than a search for negligible rows
MAX_KEPT_RATIO = 0.8  # of all rows; to leave out fewer is not worth a copy
STALLED_ITERATIONS = 30  # in which neither the gap nor mu falls
MAX_HARD_OBJECTIVE = 1e20  # times the size to be expected: there is no hard margin
MAX_INITIAL_ALPHA = 1e4  # times the size to be expected
INITIAL_MU = 0.1  # part of h and of the upper bound
MU_GROWTH, MAX_MU_STEPS = 4.0, 20  # while v is so far from the optimum that steps from there would be short
RELATIVE_PIVOT = 1e-14  # added to the diagonal, so that rounding cannot make a pivot negative


class Interior(NamedTuple):
    """A point with all slacks positive: v, and the pairs whose products are to become mu.

    pairs[0] holds alpha and, where that is bounded, its room below the upper bound; pairs[1] holds r and xi.
    """

    v: Vector
    pairs: Vector

    @property
    def product(self) -> float:
        """The sum of what is to become mu."""
        return float(self.pairs[0].ravel() @ self.pairs[1].ravel())

    def moved(self, step: float, change: "Interior") -> "Interior":
        """Go a part of a step."""
        return Interior(self.v + step * change.v, self.pairs + step * change.pairs)

    def longest_step(self, change: "Interior") -> float:
        """The longest step, up to 1, that keeps everything from becoming negative."""
        return 1.0 / max(1.0, -float((change.pairs / self.pairs).min()))


def interior_point(program: Program, *, tol: float = 1e-9, budget: Budget) -> tuple[Vector, Vector]:
    """Minimise a program to a relative gap: v and alpha, the best that the budget allows."""
    for v, alpha, gap in path(program, budget):  # noqa: B007
        if gap <= tol:
            break
    return v, alpha


def path(
    program: Program, budget: Budget, largest_alpha: float = MAX_INITIAL_ALPHA, start: Approximation | None = None
) -> Iterator[tuple[Vector, Vector, float]]:
    """The iterates that improve on the best so far, as v, alpha and relative gap; the best comes again at the end.

    It ends where the budget does, or where there is no further progress in double precision. It begins with alpha in
    the middle of its box, but at most `largest_alpha` times the size to be expected; or from a start, if alpha is
    bounded.
    """
    negligible, hard = NEGLIGIBLE_THETA, program.hard
    point = first_point(program, largest_alpha) if start is None else central_point(program, start)
    best, since, before, lowest = (point.v, point.pairs[0, 0], np.inf), 0, np.inf, np.inf
    while True:
        v, alpha = point.v, point.pairs[0, 0]
        violation, residual = program.violations(v, alpha), program.residual(v, alpha)
        size, product, residual_square = program.size(v, alpha), point.product, float(residual @ residual)
        missed = abs(float((violation + signed_sum(point.pairs[1])) @ alpha)) + abs(float(residual @ v))
        gap, since = (product + missed) / size, 0 if product < 0.99 * lowest else since + 1
        lowest = min(lowest, product)
        tell("interior", v=v, alpha=alpha, mu=product / point.pairs[0].size, gap=gap)
        if gap < best[2]:
            best, since = (v, alpha, gap), 0
            yield best
        infeasible = hard and size > MAX_HARD_OBJECTIVE * program.unit
        if infeasible or since > STALLED_ITERATIONS or product <= UNIT_ROUNDOFF * size or budget.spent():
            break
        if residual_square > before:  # Newton's steps make it smaller if no row is left out
            negligible = 0.0
        before = residual_square
        try:
            point = step(program, point, violation, residual, negligible)
        except np.linalg.LinAlgError:  # no further progress in double precision
            break
    yield best


def first_point(program: Program, largest_alpha: float) -> Interior:
    """A point well inside: v = 0, alpha in the middle of its box or, if that is less, of the size to be expected."""
    v, boxed = np.zeros(len(program.H)), program.boxed
    alpha = np.minimum(0.5 * program.upper, (largest_alpha if boxed else 1.0) * program.unit)
    if not boxed:
        return Interior(v, np.stack([alpha, np.ones(alpha.shape)])[:, None])
    room = program.upper - alpha
    return Interior(v, np.stack([[alpha, room], [np.ones(alpha.shape), alpha / room]]))


def central_point(program: Program, start: Approximation) -> Interior:
    """The point above v where alpha r = mu = room xi, for a mu at which slacks as large as h are far from 0.

    mu / alpha - mu / (upper - alpha) = r - xi = a.v - required

    The farther v is from the optimum, the more Newton's step would gain; with a larger mu, that is less than the
    products are.
    """
    v, upper, middle = start.v, program.upper, program.upper.size // 2
    mu = INITIAL_MU * start.h * float(np.partition(upper, middle)[middle])
    beyond = program.A @ v - program.required
    size = np.abs(beyond) * upper
    for _ in range(MAX_MU_STEPS):
        smaller = 2.0 * mu * upper / (size + 2.0 * mu + np.hypot(size, 2.0 * mu))  # of alpha and its room
        pairs = np.empty((2, 2, upper.size))
        pairs[0, 0] = np.where(beyond > 0.0, smaller, upper - smaller)
        pairs[0, 1] = np.where(beyond > 0.0, upper - smaller, smaller)
        np.divide(mu, pairs[0], out=pairs[1])
        point = Interior(v, pairs)
        more = gain(program, point) / point.product
        if not more > 1.0:
            break
        mu *= max(MU_GROWTH, np.sqrt(more))
    return point


def gain(program: Program, point: Interior) -> float:
    """Estimate the decrease of the objective by Newton's step for v with these Theta."""
    residual, theta = program.residual(point.v, point.pairs[0, 0]), weights_of(program, point.pairs[1] / point.pairs[0])
    try:
        dv, _ = dpotrs(factored(schur_complement(program, theta, NEGLIGIBLE_THETA)), residual, lower=1)
    except np.linalg.LinAlgError:
        return np.inf
    return float(residual @ dv)


def weights_of(program: Program, ratio: Vector) -> Vector:
    """Theta, from r / alpha and xi / (upper - alpha)."""
    return 1.0 / ((ratio[0] + ratio[1] if len(ratio) > 1 else ratio[0]) + program.ridge)


def step(program: Program, point: Interior, violation: Vector, residual: Vector, negligible: float) -> Interior:
    """One predictor and one corrector: the longest Newton step says how large mu is to be."""
    bounded, slack = point.pairs
    ratio, product = slack / bounded, point.product
    theta = weights_of(program, ratio)
    factor = factored(schur_complement(program, theta, negligible))

    def towards(products: Vector | float) -> Interior:
        """Newton's step to bounded * slack = products."""
        change, extra = np.empty(point.pairs.shape), products / bounded
        goal = violation + signed_sum(extra)
        dv, _ = dpotrs(factor, residual + (theta * goal) @ program.A, lower=1)
        np.multiply(theta, goal - program.A @ dv, out=change[0, 0])
        if len(bounded) > 1:
            np.negative(change[0, 0], out=change[0, 1])
        np.multiply(ratio, change[0], out=change[1])
        np.subtract(extra - slack, change[1], out=change[1])
        return Interior(dv, change)

    ahead = towards(0.0)
    reach, together = point.longest_step(ahead), ahead.pairs[0] * ahead.pairs[1]
    left = 1.0 - reach + reach * reach * float(together.sum()) / product  # of the products, that far ahead
    change = towards(product / bounded.size * max(0.0, left) ** 3 - together)
    length = FRACTION_TO_BOUNDARY * point.longest_step(change)
    tell("direction", predicted=reach, taken=length)
    return point.moved(length, change)


def signed_sum(pair: Vector) -> Vector:
    """What belongs to alpha minus what belongs to its room, if it has one."""
    return pair[0] - pair[1] if len(pair) > 1 else pair[0]


def schur_complement(program: Program, theta: Vector, negligible: float) -> Vector:
    """H + A' Theta A, without the rows whose Theta is negligible next to the 4 k largest."""
    n, k = program.A.shape
    rows, weights = program.A, theta
    if negligible > 0.0 and n > ROWS_PER_COLUMN * k and n * k * k > MIN_FLOPS_TO_DROP_ROWS:
        place = n - ROWS_PER_COLUMN * k
        large = float(np.partition(theta, place)[place])
        kept = np.flatnonzero(theta >= negligible * float(np.minimum(theta, large).sum()) / n)
        if kept.size < MAX_KEPT_RATIO * n:
            rows, weights = rows[kept], weights[kept]
    matrix = weighted_gram(rows, weights)
    matrix += program.H
    matrix.ravel()[:: k + 1] *= 1.0 + RELATIVE_PIVOT
    return matrix


def factored(matrix: Vector) -> Vector:
    """Cholesky's factor, straight from LAPACK: for negligible matrices SciPy's own checks take longer."""
    factor, failed = dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    if failed or not np.isfinite(factor.diagonal().sum()):
        raise np.linalg.LinAlgError("The matrix is not positive definite.")
    return factor
