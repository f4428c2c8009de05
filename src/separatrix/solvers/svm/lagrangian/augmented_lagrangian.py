"""Support vector machines with many columns, by an augmented Lagrangian whose steps are Newton's.

    min 1/2 ||w||^2 + sum_i c_i max(0, required_i - y_i (<w, x_i> + b))^p,    p = 1 (hinge) or 2 (squared hinge)

Of a classifier 1 is required; each row twice, with y = 1 and y = -1, makes regression (`objectives.form`). The hinge
has a corner. Held near a guess a of the dual variables it has none: with s_i = required_i - y_i (<w, x_i> + b),

    phi(w, b) = 1/2 ||w||^2 + sum_i max { alpha_i s_i - (alpha_i - a_i)^2 / (2 sigma_i) :  0 <= alpha_i <= c_i }

is smooth, piecewise quadratic, and alpha_i = clip(a_i + sigma_i s_i, 0, c_i) attains the maximum. Minimise phi, let
alpha be the next guess, and repeat: this is the proximal point method on the dual (Rockafellar, 1976), which converges
for every sigma and the faster the larger it is. Within, a semismooth Newton step solves with
I + sum_J sigma_i x_i x_i' over the rows J whose alpha_i is strictly between its bounds, by conjugate gradients until
these have cost as much as a factor (`newton_system`), and then by factors (Li, Sun and Toh, 2018; Yan and Li, 2020);
the line search works on stored scores, without another pass over the rows.
The squared hinge is smooth already: it is phi itself with a = 0, sigma_i = 2 c_i and no upper bound (Keerthi and
DeCoste, 2005).

Three things make it quick. sigma_i = kappa c_i grows slowly: then J changes little from one guess to the next. The
first step after a new guess holds the old J for the new one, and so goes where phi would have its minimum if no row
met a bound. And conjugate gradients end early while line searches cut their steps.
"""

from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled
from separatrix.rows import TINY, Rows, Vector, n_columns, n_entries
from separatrix.solvers.svm.best_offset import least_offset
from separatrix.solvers.svm.lagrangian.dual_coordinate_descent import balanced, dual_coordinate_descent
from separatrix.solvers.svm.lagrangian.newton_system import NewtonSystems, System
from separatrix.solvers.svm.lagrangian.row_products import Curvature, add_up, pick, row_scores

INITIAL_PASSES = 200  # of coordinate descent, which is good at finding the support rows
INITIAL_RATIO = 0.15  # of the gap after ten of its passes to that before, beyond which Newton's steps are quicker
RESIDUAL_RATIO = 0.1  # of the gap that complementarity leaves, to which w and alpha may disagree
BIAS_FLOOR = 1e-8  # relative to all rows: keeps the bias where no row is free
MAX_INITIAL_SIGMA = 30.0  # of sigma_i ||x_i||^2
MAX_SIGMA_GROWTH = 1e8  # beyond which rounding errors of the scores count
MAX_STEPS_PER_GUESS = 50
MAX_STALLED_STEPS, PROGRESS_RATIO = 300, 0.99  # steps in which the gap does not fall to this part
MAX_PRODUCTS_PER_STEP = 500
POLISH_GAP, POLISH_STEPS = 1e-16, 6  # relative gap to polish to, and steps at most
POLISH_KAPPA = 1e3  # kappa to polish with, at least: with far larger ones rounding of the scores moves alpha
POLISH_OPERATIONS = 3e7  # of a factor, in operations of products with vectors, for which polishing is cheap
FREE_PRODUCTS = 10  # products with the curvature that a factor may always cost
LINE_SEARCH_SLOPE = 0.1  # part of the first slope that may be left


class Task(NamedTuple):
    """The problem as it was given."""

    X: Rows
    systems: NewtonSystems
    y: Vector
    required: Vector
    cost: Vector
    top: Vector
    squared: bool
    with_bias: bool
    tol: float
    deadline: float

    def primal(self, w: Vector, scores: Vector) -> float:
        """What is minimised, at a plane with these scores."""
        slack = np.maximum(0.0, self.required - self.y * scores)
        return 0.5 * float(w @ w) + float(self.cost @ (slack * slack if self.squared else slack))

    def dual(self, normal: Vector, alpha: Vector) -> float:
        """What is below it, for a feasible alpha whose normal this is."""
        given = float(np.sum(alpha * alpha / (4.0 * self.cost))) if self.squared else 0.0
        return float(alpha @ self.required) - given - 0.5 * float(normal @ normal)


@dataclass
class Point:
    """A plane and its dual variables; scores and normal = sum_i y_i alpha_i x_i are kept up to date with them."""

    w: Vector
    b: float
    scores: Vector
    alpha: Vector
    normal: Vector
    free: np.ndarray
    steps: int = 0
    operations: float = 0.0  # that conjugate gradients took so far


@dataclass
class Best:
    """The best of both sides so far."""

    w: Vector
    b: float
    alpha: Vector
    primal: float = np.inf
    dual: float = -np.inf

    def gap(self) -> float:
        """Relative duality gap."""
        return (self.primal - self.dual) / max(abs(self.primal), TINY)


class Proximal(NamedTuple):
    """What holds alpha: the guess that it is held near to, how loosely, and its bounds; and what rows require."""

    required: Vector
    centre: Vector
    sigma: Vector
    top: Vector


class Moves(NamedTuple):
    """Room for the rows whose alpha moved, y times by how much, and the rows that are free."""

    rows: np.ndarray
    amounts: Vector
    free: np.ndarray


@compiled
def maximise_alpha(y, scores, proximal, alpha, moves):
    """alpha = clip(centre + sigma s, 0, top), in place; lists the moves, and the rows that are free.

    Returns how many rows moved and how many are free.
    """
    n_moved = n_free = 0
    required, centre, sigma, top = proximal
    for i in range(y.size):
        target = centre[i] + sigma[i] * (required[i] - y[i] * scores[i])
        new = min(max(target, 0.0), top[i])
        if new != alpha[i]:
            moves.rows[n_moved] = i
            moves.amounts[n_moved] = y[i] * (new - alpha[i])
            alpha[i] = new
            n_moved += 1
        if 0.0 < target < top[i]:
            moves.free[n_free] = i
            n_free += 1
    return n_moved, n_free


@compiled
def normal_along(y, scores, along, proximal, t):
    """sum_i y_i alpha_i along_i, where alpha is the maximiser at scores + t along."""
    required, centre, sigma, top = proximal
    total = 0.0
    for i in range(y.size):
        target = centre[i] + sigma[i] * (required[i] - y[i] * (scores[i] + t * along[i]))
        total += y[i] * min(max(target, 0.0), top[i]) * along[i]
    return total


def augmented_lagrangian(
    X: Rows,
    y: Vector,
    cost: Vector,
    *,
    required: Vector | None = None,
    squared: bool = False,
    fit_intercept: bool = True,
    start: tuple[Vector, float, Vector | None] | None = None,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    deadline: float | None = None,
    shared: NewtonSystems | None = None,
) -> tuple[Vector, float, Vector, int]:
    """Plane, bias, dual variables in balance and number of Newton steps, once the relative gap is within `tol`.

    `required` is 1 for each row unless it is given. `start` is a plane, its bias and dual variables or None. `deadline`
    is a time of `perf_counter` after which the best so far is returned. `shared` keeps inner products of these rows.
    """
    top = np.full(y.size, np.inf) if squared else cost
    wanted, end = np.ones(y.size) if required is None else required, np.inf if deadline is None else deadline
    task = Task(X, NewtonSystems(X, shared), y, wanted, cost, top, squared, fit_intercept, tol, end)
    if start is None and required is not None:  # coordinate descent knows classes only
        start = np.zeros(n_columns(X)), 0.0, np.zeros(y.size)
    point = first_point(task, start, min(max_iter, INITIAL_PASSES))
    best = Best(point.w, point.b, point.alpha)
    consider(task, point, best)
    kappa = min(30.0, max(1.0, (1e-2 / max(best.gap(), 1e-16)) ** 0.5))
    kappa = iterate(task, point, best, kappa, max_iter)
    moved = start is None or point.steps > 0
    if moved and best.gap() <= tol and is_cheap_to_polish(task, point):
        point.operations = max(point.operations, POLISH_OPERATIONS)  # by factors
        most = min(max_iter, point.steps + POLISH_STEPS)
        iterate(task._replace(tol=POLISH_GAP), point, best, max(kappa, POLISH_KAPPA), most)
    return best.w, best.b, best.alpha, point.steps


def iterate(task: Task, point: Point, best: Best, kappa: float, max_iter: int) -> float:
    """Guess after guess, in place, until the gap is within the tolerance; returns how loose the last was held."""
    origin, usual = np.zeros(task.y.size), 1.0 / (1.0 / task.cost + task.systems.squares / MAX_INITIAL_SIGMA)
    least, since = best.gap(), point.steps
    while not proved(task, point, best) and point.steps < max_iter and perf_counter() < task.deadline:
        if best.gap() < PROGRESS_RATIO * least:
            least, since = best.gap(), point.steps
        if point.steps > since + MAX_STALLED_STEPS:  # no further progress in double precision
            break
        before = point.steps
        if task.squared:
            minimise(task, point, Proximal(task.required, origin, 2.0 * task.cost, task.top), max_iter)
        else:
            proximal = Proximal(task.required, point.alpha.copy(), kappa * usual, task.top)
            minimise(task, point, proximal, max_iter)
        consider(task, point, best)
        kappa = min(MAX_SIGMA_GROWTH, kappa * growth(point.steps - before))
    return kappa


def is_cheap_to_polish(task: Task, point: Point) -> bool:
    """Whether Newton's directions come from a factor that costs little, so that the last digits do."""
    return task.systems.operations(point.free) <= max(point.operations, POLISH_OPERATIONS)


def proved(task: Task, point: Point, best: Best) -> bool:
    """Whether the gap is within the tolerance, also when counted again from the rows: sums kept up to date drift."""
    if best.gap() > task.tol:
        return False
    best.primal = task.primal(best.w, row_scores(task.X, best.w) + best.b)
    best.dual = task.dual(normal_of(task, best.alpha), best.alpha)
    if best.gap() > task.tol:
        point.scores = row_scores(task.X, point.w) + point.b
        point.normal = normal_of(task, point.alpha)
    return best.gap() <= task.tol


def normal_of(task: Task, alpha: Vector) -> Vector:
    """sum_i y_i alpha_i x_i."""
    normal, rows = np.zeros(n_columns(task.X)), np.flatnonzero(alpha)
    add_up(task.X, rows, (task.y * alpha)[rows], normal)
    return normal


def growth(steps: int) -> float:
    """By how much to let sigma grow, after so many steps for one guess; too many for one, and it has to come down."""
    if steps >= MAX_STEPS_PER_GUESS:
        return 0.3
    return 2.0 if steps <= 2 else 1.5 if steps <= 4 else 1.3


def first_point(task: Task, start: tuple[Vector, float, Vector | None] | None, max_passes: int) -> Point:
    """Where to begin: what was given, or what some passes of coordinate descent find."""
    X, y, free = task.X, task.y, np.zeros(0, dtype=np.int64)
    if start is None:
        w, b, alpha, _ = dual_coordinate_descent(
            X, y, task.cost, squared=task.squared, fit_intercept=task.with_bias, tol=task.tol,
            max_iter=max_passes, max_ratio=INITIAL_RATIO, deadline=task.deadline, squares=task.systems.squares,
        )  # fmt: skip
    elif start[2] is None:
        w, b, alpha = start[0].copy(), float(start[1]), np.zeros(y.size)
    else:
        w, b, alpha = start[0].copy(), float(start[1]), np.clip(start[2], 0.0, task.top)
        free = np.flatnonzero((alpha > 0.0) & (alpha < task.top))
    return Point(w, b, row_scores(X, w) + b, alpha, normal_of(task, alpha), free)


def minimise(task: Task, point: Point, proximal: Proximal, max_iter: int) -> None:
    """Minimise phi around a guess, in place, until w and alpha agree as well as the gap deserves."""
    y, n = task.y, task.y.size
    moves = Moves(np.empty(n, dtype=np.int64), np.empty(n), np.empty(n, dtype=np.int64))
    held = point.free  # those of the guess before; from the second step on, those who are free now
    for step in range(MAX_STEPS_PER_GUESS):
        n_moved, n_free = maximise_alpha(y, point.scores, proximal, point.alpha, moves)
        add_up(task.X, moves.rows[:n_moved], moves.amounts[:n_moved], point.normal)
        point.free = moves.free[:n_free].copy()
        if (step and agrees(task, point)) or point.steps >= max_iter or perf_counter() >= task.deadline:
            return
        if step or not held.size:
            held = point.free
        along, bias_along = direction(task, point, held, proximal)
        point.steps += 1
        slope = float((point.w - point.normal) @ along) - float(y @ point.alpha) * bias_along
        if slope >= 0.0:  # only if the old rows were held: the next step holds the new ones
            continue
        scores_along = row_scores(task.X, along) + bias_along
        t = line_search(task, point, proximal, along, scores_along, slope)
        point.w = point.w + t * along
        point.b += t * bias_along
        point.scores += t * scores_along


def direction(task: Task, point: Point, held: np.ndarray, proximal: Proximal) -> tuple[Vector, float]:
    """Newton's direction if the held rows, and no others, follow their scores without bounds.

    Conjugate gradients solve for it, until they have taken as long as the factor of a matrix would have.
    """
    X, y, centre, sigma = pick(task.systems.matrix, held), task.y[held], proximal.centre, proximal.sigma[held]
    beyond = y * (centre[held] + sigma * (task.required[held] - y * point.scores[held]) - point.alpha[held])
    downhill, bias_downhill = point.normal - point.w, float(task.y @ point.alpha) + float(beyond.sum())
    if held is not point.free:
        add_up(X, np.arange(held.size), beyond, downhill)
    floor = BIAS_FLOOR * float(proximal.sigma.sum()) if task.with_bias else np.inf
    product_operations = 4.0 * n_entries(X) + 2.0 * point.w.size
    if task.systems.operations(held) <= point.operations + FREE_PRODUCTS * product_operations:
        step = task.systems.solve(System(held, sigma, downhill, bias_downhill, floor))
        if step is not None:
            return step
    step, n_products = Curvature(X, sigma, floor).solve(downhill, bias_downhill, MAX_PRODUCTS_PER_STEP, task.deadline)
    point.operations += n_products * product_operations
    return step


def agrees(task: Task, point: Point) -> bool:
    """Whether what keeps w from sum_i y_i alpha_i x_i adds little to the gap."""
    away = point.w - point.normal
    value = task.primal(point.w, point.scores)
    left = value - 0.5 * float(point.w @ point.w) - float(point.alpha @ (task.required - task.y * point.scores))
    if task.squared:
        left = 0.0  # alpha attains the maximum that makes the loss: nothing is left to complementarity
    return 0.5 * float(away @ away) <= max(RESIDUAL_RATIO * left, 0.3 * task.tol * value)


def line_search(
    task: Task, point: Point, proximal: Proximal, along: Vector, scores_along: Vector, slope: float
) -> float:
    """How far to go: where the derivative of phi, which only grows, is a tenth of the first one or less."""
    here, square = float(point.w @ along), float(along @ along)

    def derivative(t: float) -> float:
        return here + t * square - normal_along(task.y, point.scores, scores_along, proximal, t)

    low, high, t = 0.0, np.inf, 1.0
    for _ in range(60):
        value = derivative(t)
        if abs(value) <= LINE_SEARCH_SLOPE * abs(slope):
            break
        low, high = (low, t) if value > 0.0 else (t, high)
        t = 0.5 * (low + high) if high < np.inf else 2.0 * t
    return t


def consider(task: Task, point: Point, best: Best) -> None:
    """Keep the plane, with the bias that is best for it, and the dual variables if they are better than before."""
    y, scores, b = task.y, point.scores, point.b
    repaired, normal = point.alpha, point.normal
    if task.with_bias:
        b = least_offset(y * task.required - (scores - point.b), y > 0.0, task.cost, task.squared)
        scores = scores + (b - point.b)
        free = np.zeros(y.size, dtype=bool)
        free[point.free] = True
        repaired = balanced(point.alpha, y, task.top, free)
        moved = np.flatnonzero(repaired != point.alpha)
        normal = point.normal.copy()
        add_up(task.X, moved, (y * (repaired - point.alpha))[moved], normal)
    value = task.primal(point.w, scores)
    if value < best.primal:
        best.w, best.b, best.primal = point.w, b, value
    value = task.dual(normal, repaired)
    if value > best.dual:
        best.alpha, best.dual = repaired.copy(), value
