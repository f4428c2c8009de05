"""Logistic discrimination over blocks of rows: Newton's method from the optimum of a sample.

    minimise  1/2 ||W||^2 + C sum_i c_i loss_i                the loss and its derivatives: `objectives.log_loss`

Passes: one for the sample, about three of Newton's method (`newton`), two for the certificate. Where the Hessian of all
planes would have more than 3,000^2 entries, products with it take its place (`newton_cg`), a pass for each.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.certificates.restating import restating_fold, unmeasured_gap
from separatrix.objectives import LogLoss
from separatrix.objectives.log_loss import (
    hessian_product,
    plane_probabilities,
    rival_log_odds,
    weighted_loss_gradient,
)
from separatrix.objectives.log_loss_curvature import multinomial_hessian
from separatrix.problem import History, Plane, Problem, Solution
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import as_it_is
from separatrix.problem.scaled_rows import ScaledRows
from separatrix.rows import Vector
from separatrix.solvers.blocks.newton import (
    Response,
    block_coordinates,
    check_size,
    has_hessian,
    newton,
    status_of,
)
from separatrix.solvers.blocks.newton_cg import Objective, newton_cg
from separatrix.solvers.blocks.sample_of_rows import sample
from separatrix.solvers.budget import Budget
from separatrix.solvers.logistic.logistic import logistic as logistic_in_memory
from separatrix.solvers.options import number, positive, whole
from separatrix.threads import threads_for

SAMPLE_TOL = 1e-6  # relative gap to which the sample is solved
MAX_SAMPLE_C = 1e4  # for which it is solved: it may be separated where all rows are not
LAST_STEP_RTOL = 1e-6  # length of a step, as part of V, whose square is nothing: convergence is quadratic


@dataclass(frozen=True)
class LogLosses:
    """The log loss of each row, times C and its cost."""

    C: float

    def at_zero(self, problem: BlockedProblem) -> float:
        """The loss of all rows where all scores are 0."""
        return float(self.C * np.log(problem.n_classes) * sum(problem.census.weights))

    def respond(self, block: Problem, scores: Vector) -> Response:
        """Loss and gradient of the rows of a block; curvature is made of the probabilities of rivals."""
        rival_prob = np.empty(scores.shape)
        log_odds = rival_log_odds(scores, block.y)
        gradient, loss = weighted_loss_gradient(log_odds, block.y, self.C * block.cost, rival_prob)
        return Response(loss, gradient, rival_prob)

    def hessian(self, rows: ScaledRows, block: Problem, curvature: Any) -> Vector:
        """The Hessian by the planes, one after the other."""
        weights = self.C * block.cost
        if curvature.shape[1] > 1:
            return multinomial_hessian(rows, weights, curvature, block.y)
        q = curvature[:, 0]
        return rows.gram(weights * q * (1.0 - q))

    def product(self, block: Problem, curvature: Any, change: Vector) -> Vector:
        """The Hessian of each row's loss by its scores, times a change of these."""
        return hessian_product(plane_probabilities(curvature, block.y), self.C * block.cost, change)

    def weights(self, block: Problem, curvature: Any) -> Vector:
        """How much each row curves the loss by its score for each plane."""
        p = plane_probabilities(curvature, block.y)
        return (self.C * block.cost)[:, None] * p * (1.0 - p)


def logistic(
    problem: BlockedProblem,
    *,
    C: float = 1.0,
    start: Plane | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
    time_limit: float | None = None,
) -> Solution:
    """Minimise as `logistic.logistic` does; `max_iter` bounds the passes of Newton's method.

    With C infinite nothing is penalised: then the classes must overlap.

    >>> from separatrix.data.blocks import read_blocks
    >>> blocks = read_blocks(np.array([[-1.0], [1.0]]), np.array([0, 1]), rows_per_block=1)
    >>> solution = logistic(blocks.encoded().problem, C=1.0)  # w = 2 / (1 + exp(w))
    >>> bool(abs(solution.w[0] * (1 + np.exp(solution.w[0])) - 2) < 1e-9), solution.certificate.stated < 1e-9
    (True, True)
    """
    objective = LogLoss(positive("C", C), problem.n_classes)
    accuracy = number("tol", tol, above=0.0, most=1.0)
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    budget = Budget(whole("max_iter", max_iter), seconds)
    if not objective.penalised:  # whose certificate is made of the Hessian
        check_size(problem, problem.n_planes)
    problem, passes = problem.posed(objective).counting()
    with threads_for(0.0), np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        few = sample(problem)
        coordinates = block_coordinates(few)
        of_sample = min(objective.C, MAX_SAMPLE_C)
        near = start or logistic_in_memory(few, C=of_sample, tol=SAMPLE_TOL, time_limit=time_limit).model
        V = coordinates.vector(np.atleast_2d(near.w), np.atleast_1d(near.b)).T
        loss, penalised = LogLosses(objective.unit), objective.penalised
        if has_hessian(problem, problem.n_planes):
            (V,) = newton(problem, loss, coordinates, ([as_it_is], [V]), budget, LAST_STEP_RTOL, penalised=penalised)
        else:
            V = newton_cg(Objective(problem, loss, coordinates, budget), few, V, accuracy)
        w, b = coordinates.plane(V.T)
        if problem.n_planes > 1:
            w, b = w - w.mean(axis=0), b - b.mean()
        plane = Plane.of(w, b)
        claim = problem.over(restating_fold(unmeasured_gap(problem, plane.w, plane.b)))
    return Solution(plane, claim, status_of(claim, accuracy, budget), History(budget.used, passes.passes))
