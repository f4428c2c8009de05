"""The objective of a support vector machine and its dual (Cortes and Vapnik, 1995).

    hinge           1/2 ||w||^2 + sum_i c_i slack_i         0 <= alpha_i <= c_i
    squared hinge   1/2 ||w||^2 + sum_i c_i slack_i^2       0 <= alpha_i
    hard margin     1/2 ||w||^2, every slack 0              0 <= alpha_i

    slack_i = max(0, 1 - y_i (w.x_i + b)),     c_i = C times what an error on row i costs

    dual   sum_i alpha_i - sum_i give_i alpha_i^2 / 2 - 1/2 ||sum_i alpha_i y_i x_i||^2,     sum_i alpha_i y_i = 0

give_i is 1 / (2 c_i) for the squared hinge, else 0. Without offset b the sum of alpha_i y_i is free. Every feasible
alpha gives a lower bound, so alpha is repaired first: clipped to its bounds, and the heavier class scaled down.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix.objectives.dual_rule import DualRule
from separatrix.objectives.kernel_margin import kernel_margin_values
from separatrix.objectives.soft_margin_sums import soft_margin_fold, soft_margin_values
from separatrix.objectives.values import DualPoint, Values
from separatrix.problem import Problem
from separatrix.problem.fold import Fold
from separatrix.rows import Vector


@dataclass(frozen=True)
class SoftMargin:
    """The objective: C, infinite for the hard margin, and whether slacks are squared.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives import SoftMargin
    >>> objective = SoftMargin(C=2.0)
    >>> objective.losses(np.array([1.5, 0.25]), cost=np.ones(2)).tolist()  # a slack of 0.75 costs 2 each
    [0.0, 1.5]
    """

    C: float = 1.0
    squared: bool = False

    penalised: ClassVar[bool] = True  # 1/2 ||w||^2 is part of it
    unproved: ClassVar[str] = "Nothing is proved: the plane does not keep every row on its own side."

    @property
    def hard(self) -> bool:
        """Whether no slack is allowed."""
        return np.inf == self.C

    @property
    def boxed(self) -> bool:
        """Whether alpha is bounded above."""
        return not (self.hard or self.squared)

    @property
    def formula(self) -> str:
        """The objective as text, for people."""
        if self.hard:
            return "1/2 ||w||^2 with y (w.x + b) >= 1 on every row"
        power = "^2" if self.squared else ""
        return f"1/2 ||w||^2 + {self.C:g} sum max(0, 1 - y (w.x + b)){power}"

    def conclusion(self, most: str) -> str:
        """What a relative gap of at most so much means, for people."""
        what = "margin" if self.hard else "objective"
        return f"No plane has a better {what} by more than {most} of it; anyone can check it again from the data."

    def separates(self, values: Values) -> bool:
        """Whether every row must be on its own side, which is proved besides."""
        return self.hard

    def upper(self, cost: Vector) -> Vector:
        """The upper bound of alpha, for each row."""
        return self.C * cost if self.boxed else np.full(cost.shape, np.inf)

    def dual_ridge(self, cost: Vector) -> Vector:
        """How much slack a unit of alpha buys, for each row."""
        return 0.5 / (self.C * cost) if self.squared and not self.hard else np.zeros(cost.shape)

    def losses(self, margins: Vector, cost: Vector) -> Vector:
        """What each row costs at its margin y g; slack on a hard margin costs infinitely much."""
        slack = 1.0 - margins
        np.maximum(0.0, slack, out=slack)
        if self.hard:
            return np.where(slack > 0.0, np.inf, 0.0)
        if self.squared:
            slack *= slack
        slack *= cost  # in place: new memory takes longer than these products
        slack *= self.C
        return slack

    def primal(self, w: Vector, margins: Vector, cost: Vector) -> float:
        """The objective of a plane, from its margins."""
        return 0.5 * float(w @ w) + float(self.losses(margins, cost).sum())

    def dual(self, normal: Vector, alpha: Vector, cost: Vector) -> float:
        """The dual objective of a feasible alpha, from normal = sum_i alpha_i y_i x_i."""
        given = (
            float(np.sum(self.dual_ridge(cost) * alpha * alpha)) if self.squared else 0.0
        )  # in this order no overflow
        return float(alpha.sum()) - 0.5 * given - 0.5 * float(normal @ normal)

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows; in the space of a kernel w are the coefficients of the support rows."""
        if problem.kernel is None:
            return soft_margin_values(self, problem, (w, float(b)), dual)
        return kernel_margin_values(self, problem, w, float(b), dual)

    def fold(self, w: Vector, b: float | Vector, dual: DualPoint | DualRule) -> Fold:
        """Primal and dual value, from blocks of rows."""
        return soft_margin_fold(self, (w, float(b)), dual)
