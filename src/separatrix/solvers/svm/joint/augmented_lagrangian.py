"""The joint machine by an augmented Lagrangian whose steps are Newton's.

    phi(V) = 1/2 sum_j penalty_j ||V_j||^2 + sum_i cost_i max over p of { p.t_i - width_i ||p - guess_i||^2 / 2 }

with p in the simplex is smooth and piecewise quadratic, and the p that attains the maxima is a projection
(`simplex_projection`). Minimise phi, let p be the next guess and repeat: this is the proximal point method on the dual,
which converges for all widths, and the faster the smaller they are (Rockafellar, 1976; Li, Sun and Toh, 2018). At a
minimum of phi the planes are those of p, and p is balanced between the classes, so that all that is left of the duality
gap is how far p is from the largest t_i of each row.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.joint.newton_step import newton_step
from separatrix.solvers.svm.joint.program import JointProgram, inverse
from separatrix.solvers.svm.joint.simplex_projection import Held, Response, respond, slope_along
from separatrix.solvers.watching import tell

WIDTH_RATIO = 0.3  # of the widths for one guess to those for the next, after few steps
FEW_STEPS, SOME_STEPS, MANY_STEPS, MAX_STEPS = 3, 8, 40, 100  # for one guess
MIN_WIDTH = 1e-9  # below which rounding of the scores counts
AGREEMENT = 0.1  # part of what p leaves of the gap, up to which planes and p may disagree
MAX_STALLED_STEPS, PROGRESS_RATIO = 100, 0.95  # steps in which the gap does not fall to this part
LINE_SEARCH_SLOPE = 0.1  # part of the first slope that may be left


@dataclass
class Point:
    """Planes, their scores, and the response of the rows to these; what is known of the gap."""

    V: Vector
    scores: Vector
    response: Response
    gradient: Vector
    primal: float
    dual: float
    apart: float  # by how much planes and p disagree, in units of the objective

    @property
    def gap(self) -> float:
        """The relative gap, as far as it can be told without a repair of p."""
        return (self.primal - self.dual) / max(abs(self.primal), TINY)


@dataclass
class Best:
    """The planes and the p with the best values so far, and the factor of the widths that comes next."""

    V: Vector
    prob: Vector
    width: float = 1.0
    primal: float = np.inf
    dual: float = -np.inf

    @property
    def gap(self) -> float:
        """The relative gap between both."""
        return (self.primal - self.dual) / max(abs(self.primal), TINY)

    def consider(self, point: Point) -> None:
        """Take over what is better."""
        if point.primal < self.primal:
            self.V, self.primal = point.V, point.primal
        if point.dual > self.dual:
            self.prob, self.dual = point.response.prob, point.dual


def augmented_lagrangian(program: JointProgram, best: Best, tol: float, budget: Budget) -> Best:
    """Planes and p whose relative gap is about tol, from others; or the best of them where the budget ends before.

    The smaller the width of the start, the nearer it must be.
    """
    V, guess, least, since = best.V, best.prob, np.inf, budget.used
    widest = float(program.widths.max())
    while True:
        before = budget.used
        point = minimised(program, V, program.held(guess, best.width), tol, best, budget)
        if best.gap < PROGRESS_RATIO * least:
            least, since = best.gap, budget.used
        steps = budget.used - before
        best.width = max(best.width * width_ratio(steps), MIN_WIDTH / widest)
        if best.gap <= tol or budget.left <= 0 or budget.used - since > MAX_STALLED_STEPS:
            return best
        V, guess = point.V, point.response.prob


def width_ratio(steps: int) -> float:
    """By how much to change the widths after so many steps for one guess."""
    if steps > MANY_STEPS:
        return 2.0
    return WIDTH_RATIO if steps <= FEW_STEPS else WIDTH_RATIO**0.5 if steps <= SOME_STEPS else 0.9


def minimised(program: JointProgram, V: Vector, held: Held, tol: float, best: Best, budget: Budget) -> Point:
    """The minimum of phi, as nearly as the gap deserves; keeps the best of the way there."""
    point = evaluated(program, V, program.scores(V), held)
    for step in range(MAX_STEPS):
        best.consider(point)
        tell("joint", program=program, V=point.V, prob=point.response.prob, width=best.width)
        agrees = point.apart <= max(AGREEMENT * point.response.left, 0.2 * tol * point.primal)
        if (step and agrees) or best.gap <= tol or budget.spent():
            break
        following = stepped(program, point, held, budget)
        if following is None:  # no further progress in double precision
            break
        point = following
    return point


def evaluated(program: JointProgram, V: Vector, scores: Vector, held: Held) -> Point:
    """Planes with the response of the rows, and what that makes of the gap."""
    response = respond(scores, held)
    sums, penalty, invert = program.weighted_sum(response.slopes), program.penalty, inverse(program.penalty)
    gradient = penalty[:, None] * V + sums
    primal = 0.5 * float(penalty @ np.sum(V * V, axis=1)) + response.losses
    balancing = balancing_cost(V[-1], response, float(invert.sum())) if program.coordinates.offset else 0.0
    apart = 0.5 * float(invert @ np.sum(gradient * gradient, axis=1)) + balancing
    dual = response.rivals - 0.5 * float(invert @ np.sum(sums * sums, axis=1)) - balancing
    return Point(V, scores, response, gradient, primal, dual, apart)


def balancing_cost(b: Vector, response: Response, square: float) -> float:
    """About how much of the dual value is lost where p is scaled down to be balanced between the classes.

    The planes that p makes then change too, by as much as rows of this mean square do.
    """
    excess, flow = np.abs(response.slopes.sum(axis=0)), np.abs(response.slopes).sum(axis=0)
    part = float(np.max(excess / np.maximum(flow, TINY)))
    return response.rivals * part + 0.5 * square * (part * response.rivals) ** 2 + float(excess @ np.abs(b))


def stepped(program: JointProgram, point: Point, held: Held, budget: Budget) -> Point | None:
    """The point after a Newton step and a line search; None where the step does not lower phi."""
    step = newton_step(program, point.response.prob, program.cost / held.width, point.gradient, budget)
    first = -float(np.vdot(point.gradient, step))
    if not first > 0.0:
        return None
    along, penalty = program.scores(step), program.penalty[:, None]
    linear, quadratic = float(np.sum(penalty * point.V * step)), float(np.sum(penalty * step * step))
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(60):
        slope = linear + t * quadratic + slope_along(point.scores, along, t, held)
        if abs(slope) <= LINE_SEARCH_SLOPE * first:
            break
        low, high = (low, t) if slope > 0.0 else (t, high)
        t = 0.5 * (low + high) if high < np.inf else 2.0 * t
    return evaluated(program, point.V + t * step, point.scores + t * along, held)
