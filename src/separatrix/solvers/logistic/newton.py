"""Newton's method for log losses: damped, with the exact Hessian or by conjugate gradients.

    H step = -gradient,      V += t step

F is convex, so that its derivative along the step only grows, and a line search by doubling and halving finds where it
is small; where classes are far apart a full step is too short. With a factored Hessian convergence is quadratic
(Kantorovich, 1948). With many columns the system is solved by preconditioned conjugate gradients, only as accurately
as the step deserves (Dembo, Eisenstat and Steihaug, 1982).
"""

from collections.abc import Callable

import numpy as np

from separatrix.objectives.log_loss import directional_derivatives, score_differences
from separatrix.objectives.log_loss_curvature import Factor
from separatrix.objectives.log_loss_loops import ENTRIES_PER_LOSS
from separatrix.rows import Vector
from separatrix.solvers.budget import TimeOverError
from separatrix.solvers.logistic.preconditioners import MakePreconditioner, Preconditioner
from separatrix.solvers.logistic.scaled_objective import Point, ScaledObjective
from separatrix.solvers.logistic.stopping import Stopping
from separatrix.solvers.watching import tell
from separatrix.threads import row_chunks, summed

MIN_RELATIVE_DECREASE = 1e-24  # predicted decrease of F, as part of F, below which a step is rounding
MAX_STALLED_STEPS = 12  # of Newton by conjugate gradients that lowered neither the gap nor F
MAX_PRODUCTS = 500  # of the Hessian for one step
MIN_PROGRESS = 0.5  # of a product, as part of the mean of all before, below which a step far from the optimum ends
FORCING = 1e-3  # gap that a step near the optimum leaves, as part of that before
NEAR_GAPS = 1e-6  # gap that is asked for, as part of the present one, from which on a point is near the optimum


def exact_newton(objective: ScaledObjective, point: Point, stopping: Stopping) -> Point:
    """Newton's method with a factored Hessian, to the gap that is asked for, or as far as double precision goes."""
    least, stalled = np.inf, 0
    best = point
    while True:
        tell("newton", objective=objective, V=point.V, value=point.value)
        if stopping.reached(point) and not objective.unpenalised:
            return point
        try:
            step = solve_planes(Factor(objective.hessian(point, stopping.budget)), -point.gradient)
        except TimeOverError:
            return best
        if objective.n_planes > 1:  # no loss knows the mean of all planes, and the penalty is least where it is zero
            step -= (point.V + step).mean(axis=1, keepdims=True)
        decrease = -float(np.sum(point.gradient * step))
        gap = 0.5 * decrease if objective.unpenalised else point.gap
        # in the tails of the loss a step but halves the gradient, which quarters the gap
        fell = gap < 0.5 * least
        stalled = 0 if fell or decrease > 1e-13 * point.value else stalled + 1
        best, least = (point, gap) if gap < least else (best, least)
        if not decrease > MIN_RELATIVE_DECREASE * point.value or stalled >= 2 or stopping.budget.spent():
            return best
        if not fell and decrease <= stopping.tol * point.value and stopping.certified(point):
            return point
        point = line_searched(objective, point, step, objective.design.scores(step), fresh=objective.design.kept)


def solve_planes(factor: Factor, R: Vector) -> Vector:
    """The inverse of a factored Hessian times a matrix with a column for each plane."""
    return factor.solve(R.T.ravel()).reshape(R.shape[1], -1).T


def newton_cg(
    objective: ScaledObjective, point: Point, make_preconditioner: MakePreconditioner, stopping: Stopping
) -> Point:
    """Newton's method by conjugate gradients, to the gap that is asked for or until steps lower it no more.

    A preconditioner is made anew once the products since the last time have cost as much as making it does.
    """
    least, lowest, stalled, products = np.inf, np.inf, 0, 0.0
    best, precondition = point, None
    while True:
        stalled = 0 if point.gap < 0.9 * least or point.value < (1.0 - 1e-9) * lowest else stalled + 1
        lowest = min(lowest, point.value)
        best, least = point.or_better(best), min(least, point.gap)
        if stopping.reached(point) or stalled >= MAX_STALLED_STEPS or stopping.budget.spent():
            return best
        if stalled % 4 == 3 and stopping.certified(point):
            return point
        if precondition is None or products >= precondition.products:
            try:
                precondition, products = make_preconditioner(point), 0.0
            except TimeOverError:
                return best
        step, scores, made = conjugate_gradients(objective, point, precondition, stopping)
        products += made
        if not -np.sum(point.gradient * step) > MIN_RELATIVE_DECREASE * point.value:
            return best
        point = line_searched(objective, point, step, scores, fresh=False)


def conjugate_gradients(
    objective: ScaledObjective, point: Point, precondition: Preconditioner, stopping: Stopping
) -> tuple[Vector, Vector, int]:
    """A step that solves H step = -gradient as accurately as it deserves, its scores, and how many products it took.

    The residual is what the gradient would be after the step if F were quadratic. Its gap may be the one asked for at
    the end. Before, the step is good enough where its last part brought little (Nash and Sofer, 1990).
    """
    target = 0.3 * stopping.tol * point.value
    residual = -point.gradient
    step, direction = np.zeros_like(residual), precondition(residual)
    step_scores, scores = np.zeros_like(point.rival_prob), objective.for_rows()
    square, decrease = float(np.vdot(residual, direction)), 0.0
    near = point.gap * NEAR_GAPS <= target
    for made in range(1, MAX_PRODUCTS + 1):
        image = objective.hessian_times(point, direction, scores)
        curvature = float(np.vdot(direction, image))
        if not curvature > 0.0:
            break
        rate = square / curvature
        step += rate * direction
        scores *= rate
        step_scores += scores
        image *= rate
        residual -= image
        gained = 0.5 * rate * square
        decrease += gained
        gap = objective.gap(residual, point.offset_curvature)
        enough = gap <= FORCING * point.gap if near else made * gained <= MIN_PROGRESS * decrease
        if enough or gap <= target or stopping.budget.left <= 0:
            break
        scaled = precondition(residual)
        previous, square = square, float(np.vdot(residual, scaled))
        direction *= square / previous
        direction += scaled
    return step, step_scores, made


def line_searched(objective: ScaledObjective, point: Point, step: Vector, scores: Vector, fresh: bool) -> Point:
    """The point that a line search finds along a step; `fresh` recomputes its scores, so that no rounding adds up."""
    change = score_differences(scores, objective.y)
    t = line_search(objective, point, step, change)
    if fresh:
        return Point(objective, point.V + t * step)
    change *= t
    change += point.log_odds
    return Point(objective, point.V + t * step, change)


def line_search(objective: ScaledObjective, point: Point, step: Vector, change: Vector) -> float:
    """t where the derivative of F along point + t step is between -3 % and 20 % of the size of the first one."""
    linear = float(objective.penalty @ np.sum(point.V * step, axis=1))
    quadratic = float(objective.penalty @ np.sum(step * step, axis=1))
    derivative = derivative_along(objective, point, change)
    first = -float(np.sum(point.gradient * step))
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(60):
        value = linear + t * quadratic + derivative(t)
        if -0.03 * first <= value <= 0.2 * first:
            break
        low, high = (low, t) if value > 0.0 else (t, high)
        t = 0.5 * (low + high) if high < np.inf else 2.0 * t
    return t


def derivative_along(objective: ScaledObjective, point: Point, change: Vector) -> Callable[[float], float]:
    """The derivative by t of the losses whose log-odds are those of the point and t times the change."""
    chunks = row_chunks(len(change), change.size * ENTRIES_PER_LOSS)

    def derivative(t: float) -> float:
        def of_losses(chunk: slice) -> tuple[float]:
            each = directional_derivatives(point.log_odds[chunk], change[chunk], t, objective.in_loop)
            return (float(objective.weights[chunk] @ each),)

        return float(summed(of_losses, chunks)[0])

    return derivative
