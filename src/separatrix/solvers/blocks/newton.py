"""Newton's method for sums of smooth losses over blocks of rows, for one machine or several in the same passes.

    minimise  F(V) = 1/2 sum_j penalty_j ||V_j||^2 + sum_i loss_i(V'z_i),        z = [(x - centre) / scale, 1]

    H step = -gradient,      V += t step

A pass loads each block once. It adds up the gradient and the Hessian at a candidate, which is the whole step, and the
slope of F along the step at several shorter ones. F is convex, so that its slope along a step only grows: where it is
steep at the end of the whole step, the slopes tell where to cut it, and only that costs a further pass. From the
optimum of a sample three passes are usual. Scales are powers of two, by which rows are divided without rounding.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from separatrix.errors import OptionError
from separatrix.objectives.log_loss_curvature import Factor, gauged
from separatrix.problem import Problem, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.fold import Fold, Question
from separatrix.problem.scaled_rows import ScaledRows, column_coordinates
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget

SHORTER_STEPS = (2.0**-6, 2.0**-4, 2.0**-2, 2.0**-1)  # whose slopes are computed besides the whole step
MAX_FINAL_SLOPE = 0.5  # part of the first slope that may be left, with the other sign, where a step is accepted
MAX_HESSIAN_ENTRIES = 3000**2  # of all machines, in each block that is at work
MIN_RELATIVE_DECREASE = 1e-24  # predicted decrease of F, as part of F, below which a step is rounding
ROUNDED_DECREASE = 1e-13  # the same, below which steps that get no shorter are rounding
LAST_STEP_RTOL = 1e-9  # length of a step, as part of V, after which nothing is left to gain


class Response(NamedTuple):
    """The loss of the rows of a block, its gradient by their scores, and what its curvature is made of."""

    loss: float
    gradient: Vector
    curvature: Any


class RowLoss(Protocol):
    """A loss of each row as a function of its scores, which have a column for each plane of a machine."""

    def at_zero(self, problem: BlockedProblem) -> float:
        """The loss of all rows where all scores are 0."""

    def respond(self, block: Problem, scores: Vector) -> Response:
        """Loss and gradient of the rows of a block."""

    def hessian(self, rows: ScaledRows, block: Problem, curvature: Any) -> Vector:
        """The Hessian by the planes, one after the other."""


class Sums(NamedTuple):
    """What a pass adds up for a machine: the loss, its gradient and Hessian, and its slopes at shorter steps."""

    loss: float
    gradient: Vector
    hessian: Vector
    slopes: Vector

    def merged(self, other: "Sums") -> "Sums":
        """The sums over the rows of both."""
        loss, gradient = self.loss + other.loss, self.gradient + other.gradient
        return Sums(loss, gradient, self.hessian + other.hessian, self.slopes + other.slopes)


class Candidate(NamedTuple):
    """Planes to be evaluated: those before a step, and the step."""

    V: Vector
    step: Vector

    @property
    def end(self) -> Vector:
        """The planes at the end of the step."""
        return self.V + self.step


class Machine:
    """A machine's way from its start to the optimum, a pass at a time; a start that is worse than zeros is left."""

    def __init__(self, start: Vector, penalties: Vector, at_zero: float, last_step: float) -> None:
        self.penalty, self.at_zero, self.last_step = penalties[:, None], at_zero, last_step
        self.candidate, self.slope = Candidate(start, np.zeros_like(start)), 0.0
        self.V, self.done, self.least = start, False, np.inf

    def take(self, sums: Sums) -> None:
        """Go on with what a pass found at the candidate."""
        V = self.candidate.end
        gradient, value = sums.gradient + self.penalty * V, sums.loss + 0.5 * float(np.vdot(self.penalty * V, V))
        last = float(np.vdot(gradient, self.candidate.step))
        if not self.candidate.step.any() and V.any() and not value < self.at_zero:
            self.candidate = Candidate(np.zeros_like(V), np.zeros_like(V))
        elif not last <= -MAX_FINAL_SLOPE * self.slope:
            t = self.cut(sums, last)
            self.candidate, self.slope = Candidate(self.V, t * self.candidate.step), t * self.slope
        else:
            self.go_on(V, value, gradient, sums.hessian)

    def go_on(self, V: Vector, value: float, gradient: Vector, hessian: Vector) -> None:
        """Find the next step from planes that are taken, or end with them."""
        self.V = V
        step = self.newton_step(gradient, hessian)
        self.candidate, self.slope = Candidate(V, step), float(np.vdot(gradient, step))
        fell, self.least = -self.slope < 0.5 * self.least, min(self.least, -self.slope)
        size = abs(value)
        if not -self.slope > MIN_RELATIVE_DECREASE * size or (not fell and -self.slope <= ROUNDED_DECREASE * size):
            self.done = True
        elif np.linalg.norm(step) <= self.last_step * np.linalg.norm(V):
            self.V, self.done = V + step, True

    def newton_step(self, gradient: Vector, hessian: Vector) -> Vector:
        """The whole step; the mean of several planes, which changes no loss, goes to zero."""
        width, planes = gradient.shape
        H = hessian.copy()
        H[np.diag_indices(len(H))] += np.tile(self.penalty[:, 0], planes)
        step = -Factor(gauged(H, planes)).solve(gradient.T.ravel()).reshape(planes, width).T
        return step if planes == 1 else step - (self.V + step).mean(axis=1, keepdims=True)

    def cut(self, sums: Sums, last: float) -> float:
        """The part of the step where the slope of F vanishes, by false position between the steps that were tried."""
        V, step = self.candidate
        penalties = [float(np.vdot(self.penalty * (V + t * step), step)) for t in SHORTER_STEPS]
        slopes = [self.slope, *(sums.slopes + penalties).tolist(), last if np.isfinite(last) else np.inf]
        tried = (0.0, *SHORTER_STEPS, 1.0)
        place = next(k for k in range(1, len(tried)) if not slopes[k] <= 0.0)
        low, high, fall, rise = tried[place - 1], tried[place], slopes[place - 1], slopes[place]
        return low + (high - low) * (fall / (fall - rise) if rise < np.inf else 0.5)


def has_hessian(problem: BlockedProblem, planes: int, machines: int = 1) -> bool:
    """Whether Hessians fit into the memory of a worker."""
    columns = planes * (problem.n_features + problem.fit_intercept)
    return machines * float(columns) ** 2 <= MAX_HESSIAN_ENTRIES


def check_size(problem: BlockedProblem, planes: int, machines: int = 1) -> None:
    """Refuse Hessians that would fill the memory of a worker."""
    columns = planes * (problem.n_features + problem.fit_intercept)
    if not has_hessian(problem, planes, machines):
        raise OptionError(
            f"Newton's method over blocks of rows adds up {machines} matrices of {columns:,} x {columns:,} in each: "
            f"too large above {MAX_HESSIAN_ENTRIES:,} entries in all. Use fewer features, or rows in memory."
        )


def block_coordinates(few: Problem) -> Coordinates:
    """Coordinates for all rows from a sample of them, with scales that are powers of two."""
    found = column_coordinates(few)
    return found._replace(scale=np.exp2(np.rint(np.log2(found.scale))))


def newton(
    problem: BlockedProblem,
    loss: RowLoss,
    coordinates: Coordinates,
    machines: tuple[Sequence[Question], Sequence[Vector]],
    budget: Budget,
    last_step: float = LAST_STEP_RTOL,
    *,
    penalised: bool = True,
) -> list[Vector]:
    """The optimal V of each machine, given its question about a block and a V to start from."""
    (questions, starts), at_zero = machines, loss.at_zero(problem)
    penalties = coordinates.penalties if penalised else np.zeros(coordinates.width)
    found = [Machine(start, penalties, at_zero, last_step) for start in starts]
    while not all(each.done for each in found) and not budget.spent():
        active = [(each, ask) for each, ask in zip(found, questions, strict=True) if not each.done]
        candidates = [each.candidate for each, _ in active]
        sums = problem.over(newton_pass(loss, coordinates, [ask for _, ask in active], candidates))
        for (each, _), its in zip(active, sums, strict=True):
            each.take(its)
    return [each.V for each in found]


def newton_pass(
    loss: RowLoss, coordinates: Coordinates, questions: list[Question], candidates: list[Candidate]
) -> Fold:
    """The sums of each machine at its candidate."""
    planes = np.hstack([each for candidate in candidates for each in (candidate.V, candidate.step)])

    def tally(block: Problem, first: int) -> list[Sums]:
        rows = ScaledRows(block.X, coordinates)
        scores = np.empty((block.n_rows, planes.shape[1]))
        for part, z in rows.blocks():
            scores[part] = z @ planes
        each = np.split(scores, 2 * len(candidates), axis=1)
        found = []
        for k, ask in enumerate(questions):
            found.append(sums_of(loss, rows, ask(block), (each[2 * k], each[2 * k + 1])))
        return found

    return Fold(
        tally,
        lambda one, other: [mine.merged(theirs) for mine, theirs in zip(one, other, strict=True)],
        lambda found: found,
    )


@np.errstate(over="ignore", invalid="ignore")  # a step that is too long may overflow; then it is cut
def sums_of(loss: RowLoss, rows: ScaledRows, block: Problem, scores: tuple[Vector, Vector]) -> Sums:
    """The sums over a block, from the scores of its rows before a step and those of the step."""
    before, along = scores
    found = loss.respond(block, before + along)
    slopes = np.zeros(len(SHORTER_STEPS))
    if along.any():
        slopes = np.array([np.vdot(loss.respond(block, before + s * along).gradient, along) for s in SHORTER_STEPS])
    hessian = loss.hessian(rows, block, found.curvature)
    return Sums(found.loss, rows.weighted_sum(found.gradient), hessian, slopes)


def status_of(claim: Any, tol: float, budget: Budget) -> Status:
    """How the search ended, by the gap that was reached."""
    return Status.SOLVED if claim.stated <= tol else Status.STOPPED if budget.left <= 0 else Status.ROUNDED
