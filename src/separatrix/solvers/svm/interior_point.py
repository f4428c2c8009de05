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
from separatrix.rows import UNIT_ROUNDOFF, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.program import Nearly, Program

NEARLY = 0.995  # how much of the way to the boundary a step may go
SMALL = 0.05  # a Theta_i that may be left out, as part of the mean
ROWS_A_COLUMN = 4  # so many rows are always kept
CHEAP = 1e6  # operations that are quicker than to look for small Theta
MOST_KEPT = 0.8  # of all rows; to leave out fewer is not worth a copy
PATIENCE = 30  # iterations in which neither the gap nor mu falls
HOPELESS = 1e20  # times the size to be expected: there is no hard margin
FAR = 1e4  # times the size to be expected
CENTRAL = 0.1  # part of h and of the upper bound: mu to start with
GROWTH, MOST_CENTRED = 4.0, 20  # of mu, while v is so far from the optimum that steps from there would be short
FRACTION_OF_PIVOT = 1e-14  # added to the diagonal, so that rounding cannot make a pivot negative


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
        """Go a part of the way."""
        return Interior(self.v + step * change.v, self.pairs + step * change.pairs)

    def reach_of(self, change: "Interior") -> float:
        """The longest step, up to 1, that keeps everything from becoming negative."""
        return 1.0 / max(1.0, -float((change.pairs / self.pairs).min()))


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
    small, hard = SMALL, program.hard
    point = first_point(program, far) if start is None else central_point(program, start)
    best, since, before, lowest = (point.v, point.pairs[0, 0], np.inf), 0, np.inf, np.inf
    while True:
        v, alpha = point.v, point.pairs[0, 0]
        short, pull = program.short(v, alpha), program.pull(v, alpha)
        size, product, pulled = program.size(v, alpha), point.product, float(pull @ pull)
        missed = abs(float((short + signed_sum(point.pairs[1])) @ alpha)) + abs(float(pull @ v))
        gap, since = (product + missed) / size, 0 if product < 0.99 * lowest else since + 1
        lowest = min(lowest, product)
        if gap < best[2]:
            best, since = (v, alpha, gap), 0
            yield best
        hopeless = hard and size > HOPELESS * program.unit
        if hopeless or since > PATIENCE or product <= UNIT_ROUNDOFF * size or budget.spent():
            break
        if pulled > before:  # Newton's steps only make it smaller: the rows left out are missed
            small = 0.0
        before = pulled
        try:
            point = step(program, point, short, pull, small)
        except np.linalg.LinAlgError:  # rounding has the last word
            break
    yield best


def first_point(program: Program, far: float) -> Interior:
    """A point well inside: v = 0, alpha in the middle of its box, or where that is far off of a size to be expected."""
    v, boxed = np.zeros(len(program.H)), program.boxed
    alpha = np.minimum(0.5 * program.upper, (far if boxed else 1.0) * program.unit)
    if not boxed:
        return Interior(v, np.stack([alpha, np.ones(alpha.shape)])[:, None])
    room = program.upper - alpha
    return Interior(v, np.stack([[alpha, room], [np.ones(alpha.shape), alpha / room]]))


def central_point(program: Program, start: Nearly) -> Interior:
    """The point above v where alpha r = mu = room xi, for a mu at which slacks as large as h are far from 0.

    mu / alpha - mu / (upper - alpha) = r - xi = a.v - reach

    The farther v is from the optimum, the more Newton's step would gain; with a larger mu, that is less than the
    products are.
    """
    v, upper, middle = start.v, program.upper, program.upper.size // 2
    mu = CENTRAL * start.h * float(np.partition(upper, middle)[middle])
    beyond = program.A @ v - program.reach
    size = np.abs(beyond) * upper
    for _ in range(MOST_CENTRED):
        smaller = 2.0 * mu * upper / (size + 2.0 * mu + np.hypot(size, 2.0 * mu))  # of alpha and its room
        pairs = np.empty((2, 2, upper.size))
        pairs[0, 0] = np.where(beyond > 0.0, smaller, upper - smaller)
        pairs[0, 1] = np.where(beyond > 0.0, upper - smaller, smaller)
        np.divide(mu, pairs[0], out=pairs[1])
        point = Interior(v, pairs)
        more = gain(program, point) / point.product
        if not more > 1.0:
            break
        mu *= max(GROWTH, np.sqrt(more))
    return point


def gain(program: Program, point: Interior) -> float:
    """What Newton's step for v gains with these Theta, about."""
    pull, theta = program.pull(point.v, point.pairs[0, 0]), weights_of(program, point.pairs[1] / point.pairs[0])
    try:
        dv, _ = dpotrs(factored(curvature(program, theta, SMALL)), pull, lower=1)
    except np.linalg.LinAlgError:
        return np.inf
    return float(pull @ dv)


def weights_of(program: Program, ratio: Vector) -> Vector:
    """Theta, from r / alpha and xi / (upper - alpha)."""
    return 1.0 / ((ratio[0] + ratio[1] if len(ratio) > 1 else ratio[0]) + program.give)


def step(program: Program, point: Interior, short: Vector, pull: Vector, small: float) -> Interior:
    """One predictor and one corrector: how far Newton's step gets says how much to stay in the middle."""
    bounded, slack = point.pairs
    ratio, product = slack / bounded, point.product
    theta = weights_of(program, ratio)
    factor = factored(curvature(program, theta, small))

    def towards(products: Vector | float) -> Interior:
        """Newton's step to bounded * slack = products."""
        change, extra = np.empty(point.pairs.shape), products / bounded
        goal = short + signed_sum(extra)
        dv, _ = dpotrs(factor, pull + (theta * goal) @ program.A, lower=1)
        np.multiply(theta, goal - program.A @ dv, out=change[0, 0])
        if len(bounded) > 1:
            np.negative(change[0, 0], out=change[0, 1])
        np.multiply(ratio, change[0], out=change[1])
        np.subtract(extra - slack, change[1], out=change[1])
        return Interior(dv, change)

    ahead = towards(0.0)
    reach, together = point.reach_of(ahead), ahead.pairs[0] * ahead.pairs[1]
    left = 1.0 - reach + reach * reach * float(together.sum()) / product  # of the products, that far ahead
    change = towards(product / bounded.size * max(0.0, left) ** 3 - together)
    return point.moved(NEARLY * point.reach_of(change), change)


def signed_sum(pair: Vector) -> Vector:
    """What belongs to alpha minus what belongs to its room, if it has one."""
    return pair[0] - pair[1] if len(pair) > 1 else pair[0]


def curvature(program: Program, theta: Vector, small: float) -> Vector:
    """H + A' Theta A, without the rows whose Theta is small next to the 4 k largest."""
    n, k = program.A.shape
    rows, weights = program.A, theta
    if small > 0.0 and n > ROWS_A_COLUMN * k and n * k * k > CHEAP:
        place = n - ROWS_A_COLUMN * k
        large = float(np.partition(theta, place)[place])
        kept = np.flatnonzero(theta >= small * float(np.minimum(theta, large).sum()) / n)
        if kept.size < MOST_KEPT * n:
            rows, weights = rows[kept], weights[kept]
    matrix = weighted_gram(rows, weights)
    matrix += program.H
    matrix.ravel()[:: k + 1] *= 1.0 + FRACTION_OF_PIVOT
    return matrix


def factored(matrix: Vector) -> Vector:
    """Cholesky's factor, straight from LAPACK: for small matrices SciPy's own checks take longer."""
    factor, failed = dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    if failed or not np.isfinite(factor.diagonal().sum()):
        raise np.linalg.LinAlgError("The matrix is not positive definite.")
    return factor
