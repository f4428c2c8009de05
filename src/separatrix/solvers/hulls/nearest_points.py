"""The nearest points of the convex hulls of two classes: what all algorithms for them share.

    minimise  ||p - q||   over   p = sum_i a_i x_i  in class 1,   q = sum_i a_i x_i  in class 0

    a_i >= 0,    sum_i a_i = 1  in each class

With d = p - q and s_i = y_i <d, x_i>, the lowest s_i of the one class plus that of the other, over ||d||, is a lower
bound on the distance (Gilbert, 1966), as the two classes are that far apart along d. Each step begins with a pass over
the rows that computes s. The algorithms differ in how they then move the weights a, which determine p and q.

Of reduced hulls the weights are at most mu c_i, and s_i is that of their extreme points in place of the lowest rows
(`reduced_steps`). In the space of a kernel the rows are given coordinates first (`kernel_coordinates`).

Their convergence slows down near the optimum. Where a polish is asked for, Wolfe's method continues from their weights,
with upper bounds on them where the hulls are reduced (`bounded_wolfe`).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.certificates import NearestPoint
from separatrix.certificates.arithmetic.reduced_hull import extreme_weights
from separatrix.compiling import inner
from separatrix.errors import DataError, OptionError
from separatrix.problem import Expansion, History, Plane, Problem, Solution, Status
from separatrix.products import combination, dense_rows, parts, scores
from separatrix.rows import CSR, ENTRIES_A_CALL, TINY, UNIT_ROUNDOFF, Rows, Vector, row_axpy, row_dot
from separatrix.solvers.hulls.bounded_wolfe import bounded_wolfe
from separatrix.solvers.hulls.kernel_coordinates import kernel_coordinates
from separatrix.solvers.hulls.level_band import band_weights
from separatrix.solvers.hulls.mu import feasible_mu
from separatrix.solvers.hulls.wolfe import wolfe
from separatrix.solvers.options import number, whole
from separatrix.solvers.watching import is_watched, tell
from separatrix.threads import threads_for

TOL, MAX_ITER = 1e-10, 100_000  # defaults of all algorithms
MAX_DENSE_ENTRIES = 2**20  # of sparse rows that are made dense whatever part of them is stored


class Hulls(NamedTuple):
    """Rows that are centred and scaled to moderate size, and their signs; sparse rows are only scaled.

    `upper` bounds the weights of reduced hulls.
    """

    X: Rows
    y: np.ndarray
    unit: float
    upper: Vector | None = None

    @classmethod
    def of(cls, problem: Problem, mu: float | None = None) -> "Hulls":
        """Centre and scale the rows of a problem, in the space of its kernel if it has one.

        Sparse rows of reduced hulls are made dense where they are few or full: centred rows have more digits.
        """
        X = problem.X if problem.kernel is None else kernel_coordinates(problem)
        upper = None if mu is None else mu * problem.cost
        small = problem.n_rows * problem.n_features <= max(MAX_DENSE_ENTRIES, 2 * rows.n_entries(X))
        if isinstance(X, CSR) and upper is not None and small:
            X = dense_rows(X, np.arange(problem.n_rows))
        if isinstance(X, CSR):
            unit = power_of_two_below(X.data)
            return cls(rows.locked(X._replace(data=X.data / np.float64(unit))), problem.signs, unit, upper)
        centre = combination(X, np.full(problem.n_rows, 1.0 / problem.n_rows))
        moved = np.empty(X.shape)
        for part, matrix in parts(X):
            np.subtract(matrix, centre, out=moved[part])
        unit = power_of_two_below(moved)
        moved /= unit
        return cls(rows.locked(moved), problem.signs, unit, upper)

    def initial_weights(self) -> Vector:
        """Weights to begin with: the first row of each class, or the extreme points on the line between the means."""
        a = np.zeros(self.y.size)
        if self.upper is None:
            a[[np.argmax(self.y == side) for side in (-1, 1)]] = 1.0
            return a
        means = np.where(self.y > 0, 1.0 / np.count_nonzero(self.y > 0), -1.0 / np.count_nonzero(self.y < 0))
        s = self.y * scores(self.X, combination(self.X, means))
        for side in (-1, 1):
            own = self.y == side
            a[own] = extreme_weights(-s[own], self.upper[own])
        return a


class Iterate(NamedTuple):
    """The iterate of an algorithm, which changes in place.

    The weights a and their upper bounds u, the points P = [q, p], d = p - q, and the direction e of a step. Of each
    class the row that is lowest along d and the highest of those with weight, and their s.
    """

    a: Vector
    u: Vector
    P: Vector
    d: Vector
    e: Vector
    low: np.ndarray
    high: np.ndarray
    s_low: Vector
    s_high: Vector

    @classmethod
    def of(cls, hulls: Hulls, a: Vector) -> "Iterate":
        """The iterate with these weights."""
        P = combination(hulls.X, np.column_stack([a * (hulls.y < 0), a * (hulls.y > 0)])).T
        u = np.ones(a.size) if hulls.upper is None else hulls.upper
        d, e = np.zeros(P.shape[1]), np.zeros(P.shape[1])
        return cls(a, u, np.ascontiguousarray(P), d, e, np.zeros(2, int), np.zeros(2, int), np.zeros(2), np.zeros(2))


class Descent(NamedTuple):
    """The distance and its lower bound at each step of an algorithm, before any polish.

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


Advance = Callable[[Rows, np.ndarray, Iterate, float, Vector], tuple[int, bool]]


def power_of_two_below(values: np.ndarray) -> float:
    """The largest power of two that is at most the largest absolute value: division by it is exact."""
    largest = max(-float(values.min(initial=0.0)), float(values.max(initial=0.0)))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0.0 else 1.0


@inner
def extreme_rows(X, y, state, log, k):
    """Find the lowest and the highest rows along d, log distance and bound as entry k; returns ||d||^2 and the error.

    Only rows with weight count as highest: their weight can be moved to the lowest.
    """
    square = 0.0
    for j in range(state.d.size):
        state.d[j] = state.P[1, j] - state.P[0, j]
        square += state.d[j] * state.d[j]
    for side in range(2):
        state.s_low[side], state.s_high[side] = np.inf, -np.inf
    for i in range(y.size):
        side = 1 if y[i] > 0 else 0
        s = y[i] * row_dot(X, i, state.d)
        if s < state.s_low[side]:
            state.s_low[side], state.low[side] = s, i
        if state.a[i] > 0.0 and s > state.s_high[side]:
            state.s_high[side], state.high[side] = s, i
    low = state.s_low[0] + state.s_low[1]
    log[k, 0] = square**0.5
    log[k, 1] = low / square**0.5 if square > 0.0 else 0.0
    return square, 1.0 - low / square if square > 0.0 else 0.0


@inner
def movable_rows(X, y, state, log, k):
    """Find the lowest rows that may take weight and the highest that have some, log distance and bound as entry k.

    Returns the error: all weight of a class could at most be moved from the highest to the lowest row.
    """
    square = 0.0
    for j in range(state.d.size):
        state.d[j] = state.P[1, j] - state.P[0, j]
        square += state.d[j] * state.d[j]
    for side in range(2):
        state.s_low[side], state.s_high[side] = np.inf, -np.inf
    for i in range(y.size):
        side = 1 if y[i] > 0 else 0
        s = y[i] * row_dot(X, i, state.d)
        if state.a[i] < state.u[i] and s < state.s_low[side]:
            state.s_low[side], state.low[side] = s, i
        if state.a[i] > 0.0 and s > state.s_high[side]:
            state.s_high[side], state.high[side] = s, i
    gap = max(state.s_high[0] - state.s_low[0], 0.0) + max(state.s_high[1] - state.s_low[1], 0.0)
    log[k, 0] = square**0.5
    log[k, 1] = (square - gap) / square**0.5 if square > 0.0 else 0.0
    return gap / square if square > 0.0 else 0.0


@inner
def move_towards(X, i, t, point):
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


SHARE_OF_TOL = 0.9  # that steps are made to: what is claimed has rounding added
POLISH_ERROR = 1e-3  # relative error at which a polish is tried first; the next one at this fraction of it
FIRST_POLISH_STEPS, POLISH_STEPS_GROWTH = 1000, 4  # a polish is tried after so many steps at the latest, then 4 times


def nearest_points(
    problem: Problem,
    advance: Advance,
    *,
    tol: float = TOL,
    max_iter: int = MAX_ITER,
    polish: bool = True,
    record: bool = False,
    mu: float | None = None,
) -> Solution:
    """Run an algorithm from a point of each hull until the certificate is within tol, or max_iter steps.

    `tol` is the relative error of the distance, `polish` whether to end with Wolfe's method, and `record` keeps
    distance and bound of each step in `history.trace`. With `mu` the hulls are reduced.

    `advance(X, y, state, tol, log)` makes a step for each row of `log`. It returns how many it logged, and whether it
    ended early: the error is within tol, or no step makes it smaller.
    """
    check_options(problem, polish, record)
    accuracy, budget = number("tol", tol, above=0.0, most=1.0), whole("max_iter", max_iter)
    hulls = Hulls.of(problem, None if mu is None else feasible_mu(problem, mu))
    tell("problem", problem=problem, hulls=hulls, mu=mu)
    state, log, done = Iterate.of(hulls, hulls.initial_weights()), [np.empty((0, 2))], 0
    max_steps, aim = budget, SHARE_OF_TOL * accuracy
    target_error = aim
    if polish:
        max_steps, target_error = min(FIRST_POLISH_STEPS, budget), max(aim, POLISH_ERROR)
    while True:
        logs, ended = run_steps(hulls, advance, state, target_error, max_steps - done)
        log += logs if record else []
        done += sum(map(len, logs))
        claim = NearestPoint.issue(problem, state.a, mu=mu)
        claim = polish_weights(problem, hulls, state.a, claim, accuracy) if polish else claim
        if claim.stated <= max(accuracy, claim.rounding) or done >= budget or (ended and target_error <= accuracy):
            break
        max_steps = min(POLISH_STEPS_GROWTH * max_steps, budget)
        target_error = max(aim, target_error * POLISH_ERROR)
    trace = Descent(*(hulls.unit * np.concatenate(log).T)) if record else None
    return solution_of(problem, claim, accuracy, done, budget, trace)


MAX_STEPS_PER_CALL = 4096  # of a compiled loop, which Ctrl-C cannot interrupt


def run_steps(hulls: Hulls, advance: Advance, state: Iterate, tol: float, steps: int) -> tuple[list[Vector], bool]:
    """Make so many steps, in calls short enough for Ctrl-C; returns their logs, and whether they ended early."""
    size = int(np.clip(ENTRIES_A_CALL // max(1, rows.n_entries(hulls.X)), 1, MAX_STEPS_PER_CALL))
    logs: list[Vector] = []
    for first in range(0, steps, size):
        if first // MAX_STEPS_PER_CALL > (first - size) // MAX_STEPS_PER_CALL:
            state.P[:] = Iterate.of(hulls, state.a).P  # recomputed, as updates accumulate rounding errors
        log = np.empty((min(size, steps - first), 2))
        made, ended = (one_by_one(advance) if is_watched() else advance)(hulls.X, hulls.y, state, tol, log)
        logs.append(log[:made])
        if ended:
            return logs, True
    return logs, False


def one_by_one(advance: Advance) -> Advance:
    """The steps of an algorithm in calls of one each, of which a watcher is told."""

    def watched(X: Rows, y: np.ndarray, state: Iterate, tol: float, log: Vector) -> tuple[int, bool]:
        for k in range(len(log)):
            _, ended = advance(X, y, state, tol, log[k : k + 1])
            tell("step", state=state, distance=log[k, 0], bound=log[k, 1], ended=ended)
            if ended:
                return k + 1, True
        return len(log), False

    return watched


def polish_weights(problem: Problem, hulls: Hulls, a: Vector, claim: NearestPoint, tol: float) -> NearestPoint:
    """The claim of Wolfe's method from these weights, unless the claim given is better or within tol.

    A relative error of tol in the distance leaves one of its square root in the direction, so that of reduced hulls,
    whose direction is what classifiers take, the last digits are always made right.

    Where the distance is zero to rounding, that of Wolfe's method is always taken: combinations of fewer rows have
    smaller rounding errors.
    """
    if claim.distance > 0.0 and claim.stated <= (tol if hulls.upper is None else UNIT_ROUNDOFF):
        return claim
    with threads_for(0.0):
        if hulls.upper is None:
            other = NearestPoint.issue(problem, *wolfe(hulls.X, hulls.y, a))
        else:
            start = band_weights(hulls.X, hulls.y, hulls.upper, a)
            weights, direction = bounded_wolfe(hulls.X, hulls.y, hulls.upper, start)
            other = NearestPoint.issue(problem, weights, direction if problem.kernel is None else None, claim.mu)
    better = (other.stated, other.distance) < (claim.stated, claim.distance)
    return other if claim.distance == 0.0 or better else claim


def check_options(problem: Problem, polish: Any, record: Any) -> None:
    """Raise an error unless there are two classes and an offset, and options are True or False."""
    if problem.n_classes != 2:
        raise DataError(
            f"Nearest points are those of two classes, and these data have {problem.n_classes}. Take two at a time."
        )
    if problem.n_rows == 0 or np.bincount(problem.y, minlength=2).min() == 0:
        raise DataError("Nearest points are those of two classes, and one of these has no rows.")
    if not problem.fit_intercept:
        raise OptionError("The plane between nearest points has an offset. Pose the problem with fit_intercept=True.")
    for name, value in (("polish", polish), ("record", record)):
        if not isinstance(value, (bool, np.bool_)):
            raise OptionError(f"The {name!r} parameter must be True or False. Got {value!r}.")


def solution_of(
    problem: Problem, claim: NearestPoint, tol: float, done: int, budget: int, trace: Descent | None
) -> Solution:
    """The Solution: the plane midway between the points, and the claim, which has the weights of the rows."""
    rounded = done < budget or claim.stated <= claim.rounding
    status = Status.SOLVED if claim.stated <= tol else Status.ROUNDED if rounded else Status.STOPPED
    return Solution(model_of(problem, claim), claim, status, History(max(done, 1), max(done, 1), trace=trace))


def model_of(problem: Problem, claim: NearestPoint) -> Plane | Expansion:
    """The plane that a claim is about; w = 0 where hulls meet."""
    if claim.kernel is not None:
        return Expansion(problem.kernel, problem.support_rows(claim.support), np.array(claim.w), claim.b)
    if claim.bound > 0.0 or claim.mu is not None:
        return Plane(np.array(claim.w), claim.b)
    return Plane(np.zeros(problem.n_features), 0.0)
