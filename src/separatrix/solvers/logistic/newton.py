"""Newton's method for log losses: damped, with the exact matrix or by conjugate gradients.

    minimise  F(V) = 1/2 sum_j penalty_j ||V_j||^2 + sum_i weights_i loss_i(V'z_i)

A step solves H step = -gradient, and goes as far along it as the derivative of F falls: it only grows, so that the
place where it is small is found by halving and doubling. Where classes are far apart full steps are too short, and are
taken several at once. With the matrix factored the convergence is quadratic (Kantorovich, 1948); with many rows or
columns the system is solved only as well as the step deserves, by conjugate gradients with a preconditioner (Dembo,
Eisenstat and Steihaug, 1982).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from separatrix.objectives.log_loss import curved, probabilities, pulls_along, respond, rivalry
from separatrix.objectives.log_loss_curvature import Design, Factor, Response, gauged
from separatrix.objectives.log_loss_loops import RESPONSE, worthwhile
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.threads import cached_property, stretches, summed

FLOOR = 1e-24  # part of F that a step may gain, below which it is rounding
STALE = 2  # steps that bring nothing, near the end
NEAR = 1e-13  # part of F that a step may gain, from which on the end is near
FLAT, STILL_FALLING = 0.2, 0.03  # part of the first derivative that is small where F rises, and where it falls on
PRODUCTS_A_STEP = 1000
LOOSEST, TIGHTEST = 0.2, 0.01  # residuals of conjugate gradients

Precondition = Callable[[Vector], Vector]
Prepare = Callable[["Point"], Precondition]


@dataclass(frozen=True, eq=False)
class Task:
    """F: the rows, what a unit of each row's loss costs, and the penalty of each coordinate."""

    design: Design
    weights: Vector
    penalty: Vector
    n_planes: int

    @property
    def y(self) -> np.ndarray:
        """The class of each row."""
        return self.design.problem.y

    @cached_property
    def quick(self) -> bool:
        """Whether losses are computed by compiled loops."""
        return self.n_planes == 1 and self.design.plain is not None and worthwhile(self.design.plain)

    @property
    def likelihood(self) -> bool:
        """Whether nothing is penalised."""
        return not self.penalty.any()

    def bends(self, point: "Point") -> Vector:
        """The second derivative of the loss by the offset of each plane."""
        if self.n_planes == 1:
            wrong = point.wrong[:, 0]
            weighted = self.weights * wrong
            return np.array([weighted.sum() - weighted @ wrong])
        p = probabilities(point.wrong, self.y)
        return self.weights @ (p * (1.0 - p))

    def hessian(self, point: "Point") -> Vector:
        """The matrix of second derivatives, gauged."""
        H = self.design.hessian(self.weights, point.wrong)
        H[np.diag_indices(len(H))] += np.tile(self.penalty, self.n_planes)
        return gauged(H, self.n_planes)

    def times(self, point: "Point", V: Vector, scores: Vector) -> Vector:
        """H V, from the rows; the scores of V are put in their place besides."""

        def answer(own: Vector, part: slice) -> Response:
            scores[part] = own
            return self.weights[part, None] * curved(point.wrong[part], self.y[part], own), 0.0

        return self.design.sweep(V, answer)[0] + self.penalty[:, None] * V


class Point:
    """Planes V, and what the rows make of them; `ahead` are the rivals' leads where they are known."""

    def __init__(self, task: Task, V: Vector, ahead: Vector | None = None):
        n = len(task.weights)
        self.V, self.wrong = V, np.empty((n, task.n_planes))
        self.ahead = np.empty((n, task.n_planes)) if ahead is None else ahead
        if task.quick:
            new = V if ahead is None else None
            pulled, lost = task.design.look_at_two(new, task.weights, self.ahead, self.wrong)
        elif ahead is None:
            pulled, lost = task.design.sweep(V, lambda scores, part: self.first_respond(task, scores, part))
        else:
            pulled, lost = task.design.gather(task.n_planes, lambda rows, part: self.respond(task, part))
        self.value = lost + 0.5 * float(task.penalty @ np.sum(V * V, axis=1))
        self.gradient = pulled + task.penalty[:, None] * V
        scale = task.design.coordinates.scale
        self.gap = 0.5 * float(np.sum((scale[:, None] * self.gradient[: scale.size]) ** 2))  # of the dual, but for b
        if task.design.coordinates.offset:
            self.gap += self.to_gain(task)

    def to_gain(self, task: Task) -> float:
        """About what F could gain by better offsets: without it planes of no slope would look solved at any b."""
        lengths = self.gradient[-1] / np.sqrt(np.maximum(task.bends(self), TINY))
        return 0.5 * float(lengths @ lengths)

    def first_respond(self, task: Task, scores: Vector, part: slice) -> Response:
        """How much some rows pull and lose, from their scores."""
        self.ahead[part] = rivalry(scores, task.y[part])
        return self.respond(task, part)

    def respond(self, task: Task, part: slice) -> Response:
        """How much some rows pull and lose, from the leads of their rivals."""
        return respond(self.ahead[part], task.y[part], task.weights[part], self.wrong[part])


def exact_newton(task: Task, point: Point, budget: Budget, enough: float = 0.0) -> Point:
    """Planes as good as rounding allows, or whose gap is within a part `enough` of F; H is factored at each step."""
    least, stale = np.inf, 0
    best = point
    while True:
        if point.gap <= enough * point.value and not task.likelihood:
            return point
        step = solve_planes(Factor(task.hessian(point)), -point.gradient)
        gain = -float(np.sum(point.gradient * step))
        left = 0.5 * gain if task.likelihood else point.gap
        # in the tails of the loss a step but halves the gradient, which quarters the gap
        stale = 0 if left < 0.5 * least or gain > NEAR * point.value else stale + 1
        best, least = (point, left) if left < least else (best, least)
        if not gain > FLOOR * point.value or stale >= STALE or budget.spent():
            return best
        step = step - step.mean(axis=1, keepdims=True) if task.n_planes > 1 else step
        point = moved(task, point, step, task.design.scores(step), fresh=task.design.kept)


def solve_planes(factor: Factor, R: Vector) -> Vector:
    """The inverse of a factored H times a matrix with a column for each plane."""
    return factor.solve(R.T.ravel()).reshape(R.shape[1], -1).T


def newton_cg(
    task: Task, point: Point, prepare: Prepare, enough: float, budget: Budget, patience: float = np.inf
) -> tuple[Point, bool]:
    """Planes, and whether the gap that they leave is within a part `enough` of F, after at most so many products."""
    least, stale, products = np.inf, 0, 0
    best = point
    while True:
        target = enough * point.value
        stale = 0 if point.gap < 0.9 * least else stale + 1
        best, least = (point, point.gap) if point.gap < least else (best, least)
        if point.gap <= target or stale >= 10 * STALE or products > patience or budget.spent():
            return best, least <= target
        loose = float(np.clip(0.5 * np.sqrt(target / point.gap), TIGHTEST, LOOSEST))
        step, along, used = conjugate_gradients(task, point, prepare(point), loose, budget)
        products += used
        if not -np.sum(point.gradient * step) > FLOOR * point.value:
            return best, least <= target
        point = moved(task, point, step, along, fresh=False)


def conjugate_gradients(
    task: Task, point: Point, precondition: Precondition, loose: float, budget: Budget
) -> tuple[Vector, Vector, int]:
    """A step that solves H step = -gradient to a residual that is a part of the gradient, its scores, and products."""
    residual = -point.gradient
    step, direction = np.zeros_like(residual), precondition(residual)
    along, scores = np.zeros_like(point.wrong), np.empty_like(point.wrong)
    square = first = float(np.sum(residual * direction))
    used = 0
    while used < PRODUCTS_A_STEP:
        used += 1
        image = task.times(point, direction, scores)
        curvature = float(np.sum(direction * image))
        if not curvature > 0.0:
            break
        rate = square / curvature
        step += rate * direction
        along += rate * scores
        residual -= rate * image
        scaled = precondition(residual)
        previous, square = square, float(np.sum(residual * scaled))
        if square <= loose**2 * first or budget.left <= 0:
            break
        direction = scaled + (square / previous) * direction
    return step, along, used


def moved(task: Task, point: Point, step: Vector, scores: Vector, fresh: bool) -> Point:
    """The point as far along a step as is good; `fresh` computes its scores anew, so that no rounding adds up."""
    along = rivalry(scores, task.y)
    along[along == -np.inf] = 0.0  # a row against itself
    t = how_far(task, point, step, along)
    return Point(task, point.V + t * step, None if fresh else point.ahead + t * along)


def how_far(task: Task, point: Point, step: Vector, along: Vector) -> float:
    """Where the derivative of F along a step is a small part of the first one."""
    here = float(task.penalty @ np.sum(point.V * step, axis=1))
    square = float(task.penalty @ np.sum(step * step, axis=1))

    def derivative(t: float) -> float:
        return here + t * square + summed(lambda part: (pull(t, part),), parts)[0]

    def pull(t: float, part: slice) -> float:
        return float(task.weights[part] @ pulls_along(point.ahead[part], along[part], t, task.quick))

    parts = stretches(len(along), along.size * RESPONSE)
    first = -float(np.sum(point.gradient * step))
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(60):
        value = derivative(t)
        if -STILL_FALLING * first <= value <= FLAT * first:
            break
        low, high = (low, t) if value > 0.0 else (t, high)
        t = 0.5 * (low + high) if high < np.inf else 2.0 * t
    return t
