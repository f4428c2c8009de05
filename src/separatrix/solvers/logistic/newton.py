"""Newton's method for log losses: damped, with the exact Hessian or by conjugate gradients.

    minimise  F(V) = 1/2 sum_j penalty_j ||V_j||^2 + sum_i weights_i loss_i(V'z_i)

A step solves H step = -gradient. F is convex, so that its derivative along the step only grows, and a line search by
doubling and halving finds where it is small; where classes are far apart a full step is too short. With a factored
Hessian convergence is quadratic (Kantorovich, 1948). With many columns the system is solved by preconditioned
conjugate gradients, only as accurately as the step deserves (Dembo, Eisenstat and Steihaug, 1982).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from separatrix.objectives.log_loss import (
    directional_derivatives,
    hessian_product,
    probabilities,
    rival_log_odds,
    weighted_loss_gradient,
)
from separatrix.objectives.log_loss_curvature import Factor, gauged, hessian
from separatrix.objectives.log_loss_loops import ENTRIES_PER_LOSS, worth_compiling
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.logistic.design import Design, Response
from separatrix.threads import cached_property, row_chunks, summed

MIN_RELATIVE_DECREASE = 1e-24  # predicted decrease of F, as part of F, below which a step is rounding

Preconditioner = Callable[[Vector], Vector]
MakePreconditioner = Callable[["Point"], Preconditioner]


@dataclass(frozen=True, eq=False)
class ScaledObjective:
    """F in scaled coordinates: the rows, the cost of a unit of each row's loss, and the penalty of each coordinate."""

    design: Design
    weights: Vector
    penalty: Vector
    n_planes: int

    @property
    def y(self) -> np.ndarray:
        """The class of each row."""
        return self.design.problem.y

    @cached_property
    def in_loop(self) -> bool:
        """Whether losses are computed by compiled loops."""
        return self.n_planes == 1 and self.design.stored is not None and worth_compiling(self.design.stored)

    @property
    def unpenalised(self) -> bool:
        """Whether there is no penalty: maximum likelihood."""
        return not self.penalty.any()

    def offset_curvature(self, point: "Point") -> Vector:
        """The second derivative of the loss by the offset of each plane."""
        if self.n_planes == 1:
            q = point.rival_prob[:, 0]
            weighted = self.weights * q
            return np.array([weighted.sum() - weighted @ q])
        p = probabilities(point.rival_prob, self.y)
        return self.weights @ (p * (1.0 - p))

    def hessian(self, point: "Point") -> Vector:
        """The Hessian, made definite for a common shift of all planes, which changes no loss."""
        H = hessian(self.design.gram, self.weights, point.rival_prob, self.y)
        H[np.diag_indices(len(H))] += np.tile(self.penalty, self.n_planes)
        return gauged(H, self.n_planes)

    def hessian_times(self, point: "Point", V: Vector, scores: Vector) -> Vector:
        """H V in one pass over the rows, which fills in the scores of V."""

        def curvature(own: Vector, part: slice) -> Response:
            scores[part] = own
            return self.weights[part, None] * hessian_product(point.rival_prob[part], self.y[part], own), 0.0

        return self.design.sweep(V, curvature)[0] + self.penalty[:, None] * V


class Point:
    """F at the planes V: its value, gradient and an estimate of the duality gap; log-odds that are known are given."""

    def __init__(self, objective: ScaledObjective, V: Vector, log_odds: Vector | None = None):
        shape, design, weights = (len(objective.weights), objective.n_planes), objective.design, objective.weights
        self.V, self.rival_prob = V, np.empty(shape)
        self.log_odds = np.empty(shape) if log_odds is None else log_odds

        def from_log_odds(_: object, part: slice) -> Response:
            y = objective.y[part]
            return weighted_loss_gradient(self.log_odds[part], y, weights[part], self.rival_prob[part])

        def from_scores(scores: Vector, part: slice) -> Response:
            self.log_odds[part] = rival_log_odds(scores, objective.y[part])
            return from_log_odds(scores, part)

        if objective.in_loop:
            unknown = V if log_odds is None else None
            gradient, loss = design.binary_loss_and_gradient(unknown, weights, self.log_odds, self.rival_prob)
        elif log_odds is None:
            gradient, loss = design.sweep(V, from_scores)
        else:
            gradient, loss = design.gather(objective.n_planes, from_log_odds)
        self.value = loss + 0.5 * float(objective.penalty @ np.sum(V * V, axis=1))
        self.gradient = gradient + objective.penalty[:, None] * V
        scale = design.coordinates.scale
        self.gap = 0.5 * float(np.sum((scale[:, None] * self.gradient[: scale.size]) ** 2))  # exact but for the offset
        if design.coordinates.offset:
            # about how much better offsets would lower F: without it w = 0 would pass as optimal at any b
            lengths = self.gradient[-1] / np.sqrt(np.maximum(objective.offset_curvature(self), TINY))
            self.gap += 0.5 * float(lengths @ lengths)


def exact_newton(objective: ScaledObjective, point: Point, budget: Budget, tol: float = 0.0) -> Point:
    """Newton's method with a factored Hessian, to a gap of tol F, or as far as double precision goes."""
    least, stalled = np.inf, 0
    best = point
    while True:
        if point.gap <= tol * point.value and not objective.unpenalised:
            return point
        step = solve_planes(Factor(objective.hessian(point)), -point.gradient)
        if objective.n_planes > 1:  # no loss knows the mean of all planes, and the penalty is least where it is zero
            step -= (point.V + step).mean(axis=1, keepdims=True)
        decrease = -float(np.sum(point.gradient * step))
        gap = 0.5 * decrease if objective.unpenalised else point.gap
        # in the tails of the loss a step but halves the gradient, which quarters the gap
        stalled = 0 if gap < 0.5 * least or decrease > 1e-13 * point.value else stalled + 1
        best, least = (point, gap) if gap < least else (best, least)
        if not decrease > MIN_RELATIVE_DECREASE * point.value or stalled >= 2 or budget.spent():
            return best
        point = line_searched(objective, point, step, objective.design.scores(step), fresh=objective.design.kept)


def solve_planes(factor: Factor, R: Vector) -> Vector:
    """The inverse of a factored Hessian times a matrix with a column for each plane."""
    return factor.solve(R.T.ravel()).reshape(R.shape[1], -1).T


def newton_cg(
    objective: ScaledObjective, point: Point, make_preconditioner: MakePreconditioner, tol: float, budget: Budget
) -> Point:
    """Newton's method by conjugate gradients, to a gap of tol F or until 20 steps have not lowered the gap."""
    least, stalled = np.inf, 0
    best = point
    while True:
        target = tol * point.value
        stalled = 0 if point.gap < 0.9 * least else stalled + 1
        best, least = (point, point.gap) if point.gap < least else (best, least)
        if point.gap <= target or stalled >= 20 or budget.spent():
            return best
        forcing = float(np.clip(0.5 * np.sqrt(target / point.gap), 0.01, 0.2))
        step, scores = conjugate_gradients(objective, point, make_preconditioner(point), forcing, budget)
        if not -np.sum(point.gradient * step) > MIN_RELATIVE_DECREASE * point.value:
            return best
        point = line_searched(objective, point, step, scores, fresh=False)


def conjugate_gradients(
    objective: ScaledObjective, point: Point, precondition: Preconditioner, forcing: float, budget: Budget
) -> tuple[Vector, Vector]:
    """A step with a residual of H step = -gradient of at most a part `forcing` of the gradient, and its scores."""
    residual = -point.gradient
    step, direction = np.zeros_like(residual), precondition(residual)
    step_scores, scores = np.zeros_like(point.rival_prob), np.empty_like(point.rival_prob)
    square = first = float(np.sum(residual * direction))
    for _ in range(1000):
        image = objective.hessian_times(point, direction, scores)
        curvature = float(np.sum(direction * image))
        if not curvature > 0.0:
            break
        rate = square / curvature
        step += rate * direction
        step_scores += rate * scores
        residual -= rate * image
        scaled = precondition(residual)
        previous, square = square, float(np.sum(residual * scaled))
        if square <= forcing**2 * first or budget.left <= 0:
            break
        direction = scaled + (square / previous) * direction
    return step, step_scores


def line_searched(objective: ScaledObjective, point: Point, step: Vector, scores: Vector, fresh: bool) -> Point:
    """The point that a line search finds along a step; `fresh` recomputes its scores, so that no rounding adds up."""
    change = rival_log_odds(scores, objective.y)
    change[change == -np.inf] = 0.0  # the own class
    t = line_search(objective, point, step, change)
    return Point(objective, point.V + t * step, None if fresh else point.log_odds + t * change)


def line_search(objective: ScaledObjective, point: Point, step: Vector, change: Vector) -> float:
    """t where the derivative of F along point + t step is between -3 % and 20 % of the size of the first one."""
    linear = float(objective.penalty @ np.sum(point.V * step, axis=1))
    quadratic = float(objective.penalty @ np.sum(step * step, axis=1))
    chunks = row_chunks(len(change), change.size * ENTRIES_PER_LOSS)

    def derivative(t: float) -> float:
        def of_losses(chunk: slice) -> tuple[float]:
            each = directional_derivatives(point.log_odds[chunk], change[chunk], t, objective.in_loop)
            return (float(objective.weights[chunk] @ each),)

        return linear + t * quadratic + summed(of_losses, chunks)[0]

    first = -float(np.sum(point.gradient * step))
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(60):
        value = derivative(t)
        if -0.03 * first <= value <= 0.2 * first:
            break
        low, high = (low, t) if value > 0.0 else (t, high)
        t = 0.5 * (low + high) if high < np.inf else 2.0 * t
    return t
