"""The smallest ball around rows in the space of a kernel (Tax and Duin, 1999).

    min over a and R    nu W R^2 + sum_i c_i max(0, ||phi(x_i) - a||^2 - R^2),      W = sum_i c_i

    dual   max sum_i alpha_i K(x_i, x_i) - ||sum_i alpha_i phi(x_i)||^2 / (nu W)
           0 <= alpha_i <= c_i,     sum_i alpha_i = nu W

a = sum_i alpha_i phi(x_i) / (nu W). Where K(x, x) is the same for all rows, as for an RBF, alpha is that of novelty
detection: the plane that keeps the rows from the origin cuts the ball's cap off the sphere that they are on.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.objectives.enclosing_ball import EnclosingBall, is_one_point, squared_lengths
from separatrix.problem import Expansion, Problem, Solution, Status
from separatrix.rows import Vector
from separatrix.solvers.kernel.dual.dual_optimum import Limits, dual_optimum
from separatrix.solvers.kernel.dual.nu_margin_dual import BallDual
from separatrix.solvers.kernel.kernel_space import KernelSpace
from separatrix.solvers.options import number


@dataclass(frozen=True, eq=False)
class Ball:
    """A ball in the space of a kernel: its centre a = sum_j coefficients_j phi(x_j), ||a||^2, and its radius."""

    kernel: Any
    rows: Any
    coefficients: Vector
    centre_square: float
    radius: float

    def scores(self, X: Any) -> Vector:
        """R^2 - ||phi(x) - a||^2 of each row: negative outside."""
        scores = self.kernel.expansion(self.rows, self.coefficients, X)
        return self.radius**2 - (self.kernel.diagonal(X) - 2.0 * scores + self.centre_square)


def enclosing_ball(
    problem: Problem,
    *,
    nu: float = 0.5,
    tol: float = 1e-6,
    max_iter: int = 100_000,
    time_limit: float | None = None,
    cache_mb: float | None = None,
    space: KernelSpace | None = None,
    start: DualityGap | None = None,
) -> Solution:
    """Find the smallest ball around all but a part nu of the rows, to a relative gap of tol.

    All rows are of class 1, and the problem has no offset. A nu below what one row weighs asks for a ball around all.

    >>> from separatrix.kernels import Linear
    >>> rows = Problem(np.array([[1.0], [2.0], [5.0]]), np.ones(3), 2, fit_intercept=False, kernel=Linear())
    >>> ball = enclosing_ball(rows, nu=0.1).model
    >>> round(float(ball.coefficients @ ball.rows[:, 0]), 6), round(ball.radius, 6)  # from 1 to 5
    (3.0, 2.0)
    """
    posed = problem.posed(EnclosingBall(number("nu", nu, above=0.0, most=1.0)))
    limits = Limits(tol, max_iter, time_limit, cache_mb)
    found = dual_optimum(posed, BallDual.of, limits, space, start)
    found = at_one_point(posed, found) if is_one_point(posed) else found
    model = found.model
    scores = problem.kernel.expansion(model.rows, model.coefficients, problem.X)
    claim: Any = found.certificate
    index = claim.support if isinstance(claim, DualityGap) else claim.coefficients_of
    used = index[found.certificate.w != 0.0]
    square = max(float(model.coefficients @ scores[used]), 0.0)
    distances = np.maximum(squared_lengths(problem) - 2.0 * scores + square, 0.0)
    radius = float(np.sqrt(posed.objective.best_square(posed, distances)))
    return replace(found, model=Ball(model.kernel, model.rows, model.coefficients, square, radius))


def at_one_point(problem: Problem, found: Solution) -> Solution:
    """The ball around rows that are all equal: its centre is one of them, by no sum that is rounded."""
    claim: Any = found.certificate
    w = np.zeros(claim.support.size)
    w[0] = 1.0
    claim = DualityGap.issue(problem, w, claim.b, claim.alpha, claim.support)
    model = Expansion(problem.kernel, problem.support_rows(claim.support[:1]), w[:1], claim.b)
    return replace(found, model=model, certificate=claim, status=Status.SOLVED)
