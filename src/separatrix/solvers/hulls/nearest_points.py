"""The nearest points of the convex hulls of two classes: what all ways to find them share.

    minimise  ||p - q||   over   p = sum_i a_i x_i  in class 1,   q = sum_i a_i x_i  in class 0

    a_i >= 0,    sum_i a_i = 1  in each class

With d = p - q and s_i = y_i <d, x_i>, the lowest s_i of the one class plus that of the other, over ||d||, is a lower
bound on the distance (Gilbert, 1966): so much room all rows leave along d. Each step begins with a look at s. The
algorithms differ in what they then do with the lowest rows; the weights a are their iterate, and p and q follow.

They come near quickly and then slow down. Where a polish is asked for, Wolfe's method takes over from their weights.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.certificates import NearestPoint
from separatrix.compiling import inner
from separatrix.errors import DataError, OptionError
from separatrix.problem import Problem, Solution, Status
from separatrix.products import combination, parts
from separatrix.rows import CSR, ENTRIES_A_CALL, TINY, Rows, Vector, row_axpy, row_dot
from separatrix.solvers.hulls.wolfe import wolfe
from separatrix.solvers.options import number, whole
from separatrix.threads import threads_for

NEAR = 1e-3  # relative error at which the polish is tried first
FIRST, LATER = 1000, 4  # steps after which it is tried in any case, and how many times as many before the next try
MOST_A_CALL = 4096  # steps, so that Ctrl-C is seen
TOL, MAX_ITER = 1e-10, 100_000  # what all of them take if nothing else is said


class Hulls(NamedTuple):
    """Rows measured from a common point, in a unit that makes their numbers moderate, and their signs.

    Sparse ones keep their origin, or they would be dense.
    """

    X: Rows
    y: np.ndarray
    unit: float

    @classmethod
    def of(cls, problem: Problem) -> "Hulls":
        """The rows of a problem."""
        X = problem.X
        if isinstance(X, CSR):
            unit = unit_of(X.data)
            return cls(rows.locked(X._replace(data=X.data / np.float64(unit))), problem.signs, unit)
        centre = combination(X, np.full(problem.n_rows, 1.0 / problem.n_rows))
        moved = np.empty(X.shape)
        for part, matrix in parts(X):
            np.subtract(matrix, centre, out=moved[part])
        unit = unit_of(moved)
        moved /= unit
        return cls(rows.locked(moved), problem.signs, unit)


class Points(NamedTuple):
    """Where a search is, changed in place.

    The weights a, the points P = [q, p], d = p - q, and e, in which d may move. Of each class the row that is lowest
    along d and the highest of those with weight, and their s.
    """

    a: Vector
    P: Vector
    d: Vector
    e: Vector
    low: np.ndarray
    high: np.ndarray
    s_low: Vector
    s_high: Vector

    @classmethod
    def of(cls, hulls: Hulls, a: Vector) -> "Points":
        """The points that these weights make."""
        P = combination(hulls.X, np.column_stack([a * (hulls.y < 0), a * (hulls.y > 0)])).T
        d, e = np.zeros(P.shape[1]), np.zeros(P.shape[1])
        return cls(a, np.ascontiguousarray(P), d, e, np.zeros(2, int), np.zeros(2, int), np.zeros(2), np.zeros(2))


class Descent(NamedTuple):
    """What an algorithm reached by itself at each step, before any polish: the distance and its lower bound.

    Examples
    --------
    >>> from separatrix import hull_distance
    >>> found = hull_distance([[0, 0], [2, 1], [2, -1]], [0, 1, 1], record=True)
    >>> found.trace.distance.round(3).tolist(), found.trace.bound.round(3).tolist()
    ([2.236, 2.0], [1.342, 2.0])
    """

    distance: Vector
    bound: Vector

    @property
    def error(self) -> Vector:
        """The relative error of the distance, with the best bound so far."""
        best = np.maximum.accumulate(np.maximum(self.bound, 0.0))
        return np.maximum(self.distance - best, 0.0) / np.maximum(self.distance, TINY)


Advance = Callable[[Rows, np.ndarray, Points, float, Vector], tuple[int, bool]]


def unit_of(values: np.ndarray) -> float:
    """The power of two next below the largest number: to divide by it changes no digit."""
    largest = max(-float(values.min(initial=0.0)), float(values.max(initial=0.0)))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0.0 else 1.0


@inner
def look(X, y, now, log, k):
    """Find the lowest and the highest rows, write down distance and bound as entry k; returns ||d||^2 and the error.

    The highest are those with weight: what they hold can be given to the lowest.
    """
    square = 0.0
    for j in range(now.d.size):
        now.d[j] = now.P[1, j] - now.P[0, j]
        square += now.d[j] * now.d[j]
    for side in range(2):
        now.s_low[side], now.s_high[side] = np.inf, -np.inf
    for i in range(y.size):
        side = 1 if y[i] > 0 else 0
        s = y[i] * row_dot(X, i, now.d)
        if s < now.s_low[side]:
            now.s_low[side], now.low[side] = s, i
        if now.a[i] > 0.0 and s > now.s_high[side]:
            now.s_high[side], now.high[side] = s, i
    low = now.s_low[0] + now.s_low[1]
    log[k, 0] = square**0.5
    log[k, 1] = low / square**0.5 if square > 0.0 else 0.0
    return square, 1.0 - low / square if square > 0.0 else 0.0


@inner
def mix(X, i, t, point):
    """point += t (x_i - point), in place."""
    for j in range(point.size):
        point[j] *= 1.0 - t
    row_axpy(t, X, i, point)


@inner
def dot(u, v):
    """<u, v>."""
    total = 0.0
    for j in range(u.size):
        total += u[j] * v[j]
    return total


def nearest_points(
    problem: Problem, advance: Advance, *, tol: float, max_iter: int, polish: bool, record: bool
) -> Solution:
    """Run an algorithm from the first row of each class until the certificate is within tol, or max_iter steps.

    `advance(X, y, now, tol, log)` makes a step for each row of `log`. It returns how many it wrote down, and whether it
    ended early: the error is within tol, or no step makes it smaller.
    """
    check(problem, polish, record)
    accuracy, most = number("tol", tol, above=0.0, most=1.0), whole("max_iter", max_iter)
    hulls = Hulls.of(problem)
    first = np.zeros(problem.n_rows)
    first[[np.argmax(problem.y == side) for side in range(2)]] = 1.0
    now, log, done = Points.of(hulls, first), [np.empty((0, 2))], 0
    stage, near = (min(FIRST, most), max(accuracy, NEAR)) if polish else (most, accuracy)
    while True:
        pages, ended = run(hulls, advance, now, near, stage - done)
        log += pages if record else []
        done += sum(map(len, pages))
        claim = NearestPoint.issue(problem, now.a)
        claim = polished(problem, hulls, now.a, claim, accuracy) if polish else claim
        if claim.stated <= max(accuracy, claim.doubt) or done >= most or (ended and near <= accuracy):
            break
        stage, near = min(LATER * stage, most), max(accuracy, near * NEAR)
    trace = Descent(*(hulls.unit * np.concatenate(log).T)) if record else None
    return answer(problem, claim, accuracy, done, most, trace)


def run(hulls: Hulls, advance: Advance, now: Points, tol: float, steps: int) -> tuple[list[Vector], bool]:
    """Make so many steps, in calls short enough for Ctrl-C; what was written down, and whether it ended early."""
    size = int(np.clip(ENTRIES_A_CALL // max(1, rows.n_entries(hulls.X)), 1, MOST_A_CALL))
    pages: list[Vector] = []
    for first in range(0, steps, size):
        if first // MOST_A_CALL > (first - size) // MOST_A_CALL:
            now.P[:] = Points.of(hulls, now.a).P  # what rounding adds up to is forgotten
        log = np.empty((min(size, steps - first), 2))
        made, ended = advance(hulls.X, hulls.y, now, tol, log)
        pages.append(log[:made])
        if ended:
            return pages, True
    return pages, False


def polished(problem: Problem, hulls: Hulls, a: Vector, claim: NearestPoint, tol: float) -> NearestPoint:
    """The claim that Wolfe's method makes of weights, unless the one that they make is better.

    Where both points are the same to rounding it is never better: fewer rows in the mixtures leave less to rounding.
    """
    if claim.distance > 0.0 and claim.stated <= tol:
        return claim
    with threads_for(0.0):
        other = NearestPoint.issue(problem, *wolfe(hulls.X, hulls.y, a))
    better = (other.stated, other.distance) < (claim.stated, claim.distance)
    return other if claim.distance == 0.0 or better else claim


def check(problem: Problem, polish: Any, record: Any) -> None:
    """Refuse what has no two hulls, and options that are neither True nor False."""
    if problem.n_classes != 2:
        raise DataError(
            f"Nearest points are those of two classes, and these data have {problem.n_classes}. Take two at a time."
        )
    if not problem.fit_intercept:
        raise OptionError("The plane between nearest points has an offset. Pose the problem with fit_intercept=True.")
    for name, value in (("polish", polish), ("record", record)):
        if not isinstance(value, (bool, np.bool_)):
            raise OptionError(f"The {name!r} parameter must be True or False. Got {value!r}.")


def answer(problem: Problem, claim: NearestPoint, tol: float, done: int, most: int, trace: Descent | None) -> Solution:
    """The plane in the middle, the weights as alpha, and the claim."""
    weights = np.zeros(problem.n_rows)
    weights[claim.support] = claim.weights
    apart, rounded = claim.bound > 0.0, done < most or claim.stated <= claim.doubt
    return Solution(
        w=np.array(claim.w) if apart else np.zeros(problem.n_features),
        b=claim.b if apart else 0.0,
        status=Status.SOLVED if claim.stated <= tol else Status.ROUNDED if rounded else Status.STOPPED,
        certificate=claim,
        iterations=max(done, 1),
        passes=max(done, 1),
        trace=trace,
        alpha=weights,
    )
