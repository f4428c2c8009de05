"""The dual of regression: two variables a row, one for each side of the tube.

    min 1/2 sum_pq beta_p beta_q K(x_p, x_q) + 1/2 sum_p ridge_p alpha_p^2 - sum_p required_p alpha_p
    0 <= alpha_p <= upper_p,    beta_p = s_p alpha_p

    epsilon-insensitive   required s y - epsilon;   one group, sum of beta 0
    nu                    required s y;   sum of beta over each sign s = +-C nu W / 2;   b_+- = b +- epsilon

Both variables of a row may be above 0 together in the nu form alone, where epsilon is 0: what they have in common makes
up for the sum of all |beta|, which may then be less than C nu W. That is the machine of an epsilon of 0.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from separatrix.objectives import EpsilonInsensitive
from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.kernel.dual.grouped_dual import Answer, GroupedDual, dual_of
from separatrix.solvers.regression.linear_svr import Scale
from separatrix.threads import cached_property

MAX_CLOSED_TOL = 0.01  # of scores, at which a width below it is that of a closed tube
MAX_CANCELLED_RATIO = 0.5  # of what both signs of a regression add up to


@dataclass(frozen=True, eq=False)
class TubeDual(GroupedDual):
    """Regression: targets are measured from a centre, and in units, as beta and b are."""

    centre: float = 0.0

    initial_violation: ClassVar[float] = 0.2

    @classmethod
    def of(cls, problem: Problem) -> "TubeDual":
        """The dual of an epsilon-insensitive loss, or of the nu form, where epsilon is a multiplier."""
        scale = Scale.of(problem)
        return cls(problem, *dual_of(scale.problem(problem)), scale.unit, scale.centre)

    @cached_property
    def mirror(self) -> np.ndarray:
        """The variable of the same row with the other sign."""
        return np.roll(np.arange(self.dual.y.size), self.dual.y.size // 2)

    def variables(self, rows: Vector) -> Vector:
        """Beta of each row for the variable of its sign, in units of the targets' spread."""
        return np.maximum(self.dual.y * rows[self.dual.row], 0.0) / self.unit

    def cancels(self, alpha: Vector, offsets: Vector, tol: float) -> bool:
        """Whether the tube seems to be closed: pairs make up most of the totals, or epsilon is below a small tol."""
        if offsets.size < 2:
            return False
        common, total = float(np.minimum(alpha, alpha[self.mirror]).sum()), float(np.abs(self.totals).sum())
        narrow = tol <= MAX_CLOSED_TOL and float(offsets[0] - offsets[1]) <= 2.0 * tol
        return common > MAX_CANCELLED_RATIO * total or (narrow and common > 0.0)

    def alternative(self) -> "TubeDual | None":
        """For the nu form that of an epsilon of 0, whose beta may add up to less."""
        if not self.totals.any():
            return None
        closed = TubeDual.of(self.problem.posed(EpsilonInsensitive(self.problem.objective.C, 0.0)))
        return replace(closed, problem=self.problem)

    def answers(self, alpha: Vector, offsets: Vector) -> list[Answer]:
        """Beta and b in units of the targets; b is in the middle of the offsets of two groups."""
        beta, b = self.unit * self.beta(alpha), float(offsets.mean()) if offsets.size else 0.0
        return [Answer(beta, beta, self.centre + self.unit * b)]
