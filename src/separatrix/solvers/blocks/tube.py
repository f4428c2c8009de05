"""Regression with a tube over blocks: the objective of `objectives.epsilon_insensitive`, exact, in a few passes.

    minimise over w, b    1/2 ||w||^2 + sum_i c_i max(0, |y_i - w.x_i - b| - epsilon),     or the sum of the squares

Excesses as they are: as a hinge over blocks is solved (`hinge`), with two variables for each row. Squared: by Newton's
method from the optimum of a sample, as squared hinges are (`finite_newton`). Targets are measured from a centre and in
units of their spread, which both are those of a sample.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from separatrix.certificates.restating import restating_fold, unmeasured_gap
from separatrix.errors import DataError
from separatrix.objectives import NO_DUAL_POINT
from separatrix.objectives.dual_rule import SquaredTubeRule
from separatrix.problem import History, Plane, Problem, Solution
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold, as_it_is
from separatrix.problem.scaled_rows import ScaledRows
from separatrix.rows import Vector
from separatrix.solvers.blocks.hinge import LIMITS, Limits, all_rows_fold
from separatrix.solvers.blocks.hinge_bands import band_steps
from separatrix.solvers.blocks.hinge_claim import claimed, offset_fold, solution_of
from separatrix.solvers.blocks.hinge_start import near_steps
from separatrix.solvers.blocks.newton import Response, block_coordinates, check_size, newton, status_of
from separatrix.solvers.blocks.plane_in_view import TubeInView
from separatrix.solvers.blocks.sample_of_rows import sample, sample_fold
from separatrix.solvers.blocks.side_by_side import Steps, work_through
from separatrix.solvers.budget import Budget
from separatrix.solvers.goal import Goal
from separatrix.solvers.regression.linear_svr import FREE_RTOL, Scale, optimum
from separatrix.solvers.svm.linear_svm import coordinates_for
from separatrix.solvers.svm.route import MAX_COLUMNS
from separatrix.threads import threads_for

SAMPLE_TOL = 1e-6  # relative gap to which a sample is solved for squared excesses


def solve(
    problem: BlockedProblem,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    limits: Limits = LIMITS,
) -> Solution:
    """Minimise over blocks the EpsilonInsensitive that is the problem's objective.

    >>> from separatrix.data.blocks import read_blocks
    >>> from separatrix.objectives import EpsilonInsensitive
    >>> blocks = read_blocks(np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 2.0, 4.0]), rows_per_block=2)
    >>> problem = blocks.encoded(numbers=True).problem
    >>> solution = solve(problem.posed(EpsilonInsensitive(C=10.0, epsilon=0.5)))
    >>> solution.w.round(6).tolist(), round(solution.b, 6)  # the flattest line within 0.5 of all rows
    ([1.5], 0.5)
    """
    goal = Goal.of(tol, max_iter, time_limit)
    if problem.objective.squared:
        return squared_tube(problem, goal)
    found = work_through(problem, [steps(problem, goal, limits)])[0]
    return replace(found.answer, history=replace(found.answer.history, passes=found.passes))


def steps(problem: BlockedProblem, goal: Goal, limits: Limits) -> Steps[Solution]:
    """The passes for excesses as they are."""
    n, d = problem.n_rows, problem.n_features
    most = limits.most(d)
    if n <= limits.rows:
        everything = yield all_rows_fold(limits)
        if everything is not None:
            return optimum(everything.problem(problem.fit_intercept, problem.objective, 0), goal)
    if d > MAX_COLUMNS:
        raise DataError(
            f"Tubes over blocks are solved with a matrix of the features, for at most {MAX_COLUMNS:,} of them. Got "
            f"{d:,}. Choose features, or give rows in memory."
        )
    sample = yield sample_fold(problem, min(limits.sample, max(most // 2, 4 * d)))
    some = sample.problem(problem.fit_intercept, problem.objective, 0)
    found = optimum(some, goal)
    if not found.w.any():
        flat = yield from flat_steps(problem, goal)
        if flat is not None:
            return flat
    view, width = yield from near_steps(view_of(some, found.model), (some, sample.value), n, most, goal.budget)
    band, values = yield from band_steps(view, width, most, goal.budget)
    plane, objective = band.view.plane, problem.objective
    rule: Any = band.rule(plane)
    size = np.abs(rule.alpha)
    upper = objective.upper(band.problem.cost)
    free = np.minimum(size, upper - size) > FREE_RTOL * np.minimum(upper, size.max(initial=0.0))
    if problem.fit_intercept and not free.any():
        plane = plane[0], (yield offset_fold(*plane, objective.epsilon))
        values = objective.fold(*plane, band.rule(plane))
    return solution_of(claimed(problem, plane, band.rule(plane), (yield values)), goal.tol, goal.budget)


def view_of(some: Problem, plane: Plane) -> TubeInView:
    """A plane in coordinates of some rows, whose targets say how to measure those of all."""
    scale = Scale.of(some)
    coordinates = coordinates_for(some)
    v = coordinates.vector(plane.w / scale.unit, (float(plane.b) - scale.centre) / scale.unit)
    return TubeInView(coordinates, some.objective, v, scale)


def flat_steps(problem: BlockedProblem, goal: Goal) -> Steps[Solution | None]:
    """The plane w = 0 in the middle of all targets, where a tube around it holds every row; else None."""
    low, high = yield Fold(
        lambda block, first: (float(block.y.min()), float(block.y.max())),
        lambda one, other: (min(one[0], other[0]), max(one[1], other[1])),
        lambda ends: ends,
    )
    middle = 0.5 * low + 0.5 * high if problem.fit_intercept else 0.0
    if max(abs(low - middle), abs(high - middle)) > problem.objective.epsilon:
        return None
    plane = np.zeros(problem.n_features), middle
    values = yield problem.objective.fold(*plane, NO_DUAL_POINT)
    values = (yield values) if isinstance(values, Fold) else values
    return solution_of(claimed(problem, plane, NO_DUAL_POINT, values), goal.tol, goal.budget)


@dataclass(frozen=True)
class SquaredExcesses:
    """The squared excess of each row, times C and its cost; scores are measured from a centre of the targets."""

    C: float
    epsilon: float
    centre: float

    def at_zero(self, problem: BlockedProblem) -> float:
        """No plane is left for w = 0, which need not be a good one."""
        return np.inf

    def respond(self, block: Problem, scores: Vector) -> Response:
        """Loss and gradient of the rows of a block; curvature is that of the rows beyond the tube."""
        off = (block.y - self.centre) - scores[:, 0]
        excess = np.maximum(0.0, np.abs(off) - self.epsilon)
        weighted = self.C * block.cost * excess
        return Response(float(weighted @ excess), (-2.0 * np.copysign(weighted, off))[:, None], excess > 0.0)

    def hessian(self, rows: ScaledRows, block: Problem, curvature: Any) -> Vector:
        """The generalised Hessian by the plane."""
        return rows.gram(2.0 * self.C * block.cost * curvature)


def squared_tube(problem: BlockedProblem, goal: Goal) -> Solution:
    """The optimum for squared excesses."""
    check_size(problem, 1)
    objective = problem.objective
    problem, passes = problem.counting()
    with threads_for(0.0), np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        few = sample(problem)
        coordinates, centre = block_coordinates(few), Scale.of(few).centre
        near = optimum(few, Goal(SAMPLE_TOL, Budget(goal.budget.left, goal.budget.seconds)))
        start = coordinates.vector(near.w, float(near.b) - centre)[:, None]
        loss = SquaredExcesses(objective.C, objective.epsilon, centre)
        (V,) = newton(problem, loss, coordinates, ([as_it_is], [start]), goal.budget)
        w, b = coordinates.plane(V[:, 0])
        plane = w, float(b) + centre
        rule = SquaredTubeRule(objective.C, *plane, objective.epsilon)
        claim = problem.over(restating_fold(unmeasured_gap(problem, *plane, rule)))
    status = status_of(claim, goal.tol, goal.budget)
    return Solution(Plane(w, plane[1]), claim, status, History(goal.budget.used, passes.passes))
