"""The hinge machine over blocks where w = 0 is its optimum: one class lies among the other, which has more weight.

    w = 0,     b = -1 or 1, so that every row of the heavier class is on the margin

There alpha = C c in the lighter class, and any alpha of the other will do that has the same sum, and the same weighted
sum of rows. With so many rows on the margin no band tells them apart. An affine function of the rows, clipped to 0 and
1, does, and is the derivative of a convex function whose minimum Newton's method finds in some passes:

    minimise over u    sum over the heavier class of c_i psi(u.z_i) - sum over the lighter class of c_i u.z_i

with psi'(t) = max(0, min(1, t)). The first step, from the same share of each row, is that of least squares.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.objectives.dual_rule import FlatHingeRule
from separatrix.problem import Problem, Solution
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold, as_it_is
from separatrix.problem.scaled_rows import ScaledRows
from separatrix.rows import Vector
from separatrix.solvers.blocks.hinge_claim import claimed, solution_of
from separatrix.solvers.blocks.newton import Machine, Response, block_coordinates, newton_pass
from separatrix.solvers.blocks.side_by_side import Steps
from separatrix.solvers.budget import Budget

OPTIMISM = 10.0  # times columns / rows: part by which the optimum of a sample may be below that of all rows
MAX_PASSES = 20
MAX_SHARE = 1e6  # of a coefficient of u, beyond which nearly all shares are clipped
LAST_STEP_RTOL = 1e-12  # length of a step, as part of u, after which nothing is left to gain


@dataclass(frozen=True)
class ClippedShares:
    """The function whose gradient is what the classes differ by, in the number of their rows and in their sums."""

    lighter: int

    def at_zero(self, problem: BlockedProblem) -> float:
        """Shares of 0 are no start."""
        return np.inf

    def respond(self, block: Problem, scores: Vector) -> Response:
        """Value and gradient of the rows of a block; curvature is that of the rows whose share is not clipped."""
        t, own = scores[:, 0], block.y == self.lighter
        share = np.where(own, -1.0, np.clip(t, 0.0, 1.0))
        value = np.where(own, -t, share * (t - 0.5 * share))
        curved = ~own & (t > 0.0) & (t < 1.0)
        return Response(float(block.cost @ value), (block.cost * share)[:, None], curved)

    def hessian(self, rows: ScaledRows, block: Problem, curvature: Any) -> Vector:
        """The Hessian by u."""
        return rows.gram(block.cost * curvature)


def may_be_flat(some: Problem, objective_of_optimum: float) -> bool:
    """Whether w = 0 is nearly as good as the optimum of some rows, where there is an offset."""
    lightest = float(min(some.cost[some.y == side].sum() for side in (0, 1)))
    nearly = 1.0 - OPTIMISM * (some.n_features + 1) / some.n_rows
    return some.fit_intercept and objective_of_optimum >= nearly * 2.0 * some.objective.C * lightest


def flat_steps(problem: BlockedProblem, some: Problem, tol: float, budget: Budget) -> Steps[Solution | None]:
    """The solution w = 0, if that is the optimum; some rows tell coordinates."""
    weights = problem.census.weights
    lighter, coordinates = int(np.argmin(weights)), block_coordinates(some)
    loss, start = ClippedShares(lighter), np.zeros((coordinates.width, 1))
    start[-1] = min(weights) / max(weights)
    machine = Machine(start, np.zeros(coordinates.width), np.inf, LAST_STEP_RTOL)
    for _ in range(MAX_PASSES):
        if machine.done or budget.spent():
            break
        (sums,) = yield newton_pass(loss, coordinates, [as_it_is], [machine.candidate])
        with np.errstate(all="ignore"):
            machine.take(sums)
        if not np.abs(machine.candidate.end).max() < MAX_SHARE:  # there is no minimum
            return None
    u, a = coordinates.plane(machine.V[:, 0])
    rule = FlatHingeRule(problem.objective.C, u, float(a), lighter)
    plane = np.zeros(problem.n_features), 1.0 - 2.0 * float(lighter)
    values = yield problem.objective.fold(*plane, rule)
    values = (yield values) if isinstance(values, Fold) else values
    claim = claimed(problem, plane, rule, values)
    return solution_of(claim, tol, budget) if claim.stated <= tol else None
