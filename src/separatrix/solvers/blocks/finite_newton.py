"""Support vector machines with squared hinges over blocks of rows: Newton's method from the optimum of a sample.

    minimise  1/2 ||w||^2 + C sum_i c_i slack_i^2,       slack_i = max(0, 1 - y_i (w.x_i + b))

The Hessian is that of the violators (Mangasarian, 2002; Keerthi and DeCoste, 2005). Several classes are told from the
rest by a plane each, all in the same passes: one for the sample, about three of Newton's method (`newton`), two for the
certificate. Its dual point is made of the plane, alpha_i = 2 C c_i slack_i (`SquaredHingeRule`), so that no alpha is
stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.certificates import Collected, DualityGap
from separatrix.certificates.restating import restating_fold, unmeasured_gap
from separatrix.objectives import SoftMargin
from separatrix.objectives.dual_rule import SquaredHingeRule
from separatrix.problem import History, Plane, Problem, Solution
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Question
from separatrix.problem.scaled_rows import ScaledRows
from separatrix.rows import Vector
from separatrix.solvers.blocks.newton import Response, block_coordinates, check_size, newton, status_of
from separatrix.solvers.blocks.sample_of_rows import sample
from separatrix.solvers.blocks.side_by_side import against_the_rest, questions_of
from separatrix.solvers.budget import Budget
from separatrix.solvers.options import first_planes, number, positive, whole
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.threads import threads_for

SAMPLE_TOL = 1e-6  # relative gap to which the sample is solved


@dataclass(frozen=True)
class SquaredHinges:
    """The squared slack of each row, times C and its cost."""

    C: float

    def at_zero(self, problem: BlockedProblem) -> float:
        """The loss of all rows where all scores are 0."""
        return self.C * sum(problem.census.weights)

    def respond(self, block: Problem, scores: Vector) -> Response:
        """Loss and gradient of the rows of a block; curvature is that of the violators."""
        slack = np.maximum(0.0, 1.0 - block.signs * scores[:, 0])
        weighted = self.C * block.cost * slack
        return Response(float(weighted @ slack), (-2.0 * weighted * block.signs)[:, None], slack > 0.0)

    def hessian(self, rows: ScaledRows, block: Problem, curvature: Any) -> Vector:
        """The generalised Hessian by the plane."""
        return rows.gram(2.0 * self.C * block.cost * curvature)


def squared_hinge(
    problem: BlockedProblem,
    *,
    C: float = 1.0,
    start: Any = None,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
) -> Solution:
    """Minimise as `svm.linear_svm` does with squared hinges, for a finite C; `max_iter` bounds the passes of Newton.

    `start` are planes [w..., b], as of another C.

    >>> from separatrix.data.blocks import read_blocks
    >>> blocks = read_blocks(np.array([[-1.0], [1.0]]), np.array([0, 1]), rows_per_block=1)
    >>> solution = squared_hinge(blocks.encoded().problem, C=1.0)  # w = 4 (1 - w)
    >>> solution.w.round(9).tolist(), solution.certificate.stated < 1e-12
    ([0.8], True)
    """
    objective = SoftMargin(positive("C", C), squared=True)
    accuracy = number("tol", tol, above=0.0, most=1.0)
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    budget = Budget(whole("max_iter", max_iter), seconds)
    check_size(problem, 1, problem.n_planes)
    problem, passes = problem.posed(objective).counting()
    questions = questions_of(problem)
    with threads_for(0.0), np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        few = sample(problem)
        coordinates = block_coordinates(few)
        planes = starts(few, questions, objective) if start is None else first_planes(few, start)
        initial = [coordinates.vector(plane[:-1], plane[-1])[:, None] for plane in planes]
        found = newton(problem, SquaredHinges(objective.C), coordinates, (questions, initial), budget)
        w, b = (np.array(each) for each in zip(*(coordinates.plane(V[:, 0]) for V in found), strict=True))
        claim = certificate(problem, w, b)
    plane = Plane.of(w, b)
    return Solution(plane, claim, status_of(claim, accuracy, budget), History(budget.used, passes.passes))


def starts(few: Problem, questions: Sequence[Question], objective: SoftMargin) -> list[Vector]:
    """The optimum [w..., b] of each plane for a sample."""
    how: dict[str, Any] = {"C": objective.C, "squared": True, "tol": SAMPLE_TOL}
    found = [linear_svm(ask(few), **how) for ask in questions]
    return [np.append(each.w, each.b) for each in found]


def certificate(problem: BlockedProblem, w: Vector, b: Vector) -> Any:
    """The claim about one plane, or about each of several, all in the same two passes."""
    C = problem.objective.C
    if problem.n_planes == 1:
        return problem.over(restating_fold(two_class_claim(problem, w[0], float(b[0]), C)))
    code = against_the_rest(problem.n_classes)
    sides = [problem.dichotomy(column) for column in code.T]
    claims = tuple(two_class_claim(*each, C) for each in zip(sides, w, b.tolist(), strict=True))
    return problem.over(restating_fold(Collected(code, claims)))


def two_class_claim(problem: BlockedProblem, w: Vector, b: float, C: float) -> DualityGap:
    """The claim about a plane, whose figures are not known yet."""
    return unmeasured_gap(problem, w, b, SquaredHingeRule(C, w, b))
