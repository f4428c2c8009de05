"""The objective of the smallest ball around rows, and its dual (Tax and Duin, 1999).

    nu W R^2 + sum_i c_i max(0, ||x_i - a||^2 - R^2),     W = sum_i c_i

    dual   sum_i alpha_i ||x_i||^2 - ||sum_i alpha_i x_i||^2 / (nu W),     0 <= alpha_i <= c_i,  sum_i alpha_i = nu W

At most a part nu of the rows is outside. For a given centre a the best R is the distance that a part nu of the rows
exceeds. alpha is repaired to be feasible: clipped, and multiplied to add up to nu W.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix.objectives.measurement import measured
from separatrix.objectives.nu_margin import filled
from separatrix.objectives.values import ROUNDING, DualPoint, Values
from separatrix.problem import Problem
from separatrix.rows import Vector


@dataclass(frozen=True)
class EnclosingBall:
    """The objective: the part nu of the rows that may be outside.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.enclosing_ball import EnclosingBall
    >>> from separatrix.problem import Problem
    >>> rows = Problem(np.zeros((4, 1)), np.ones(4), fit_intercept=False)
    >>> EnclosingBall(nu=0.25).best_square(rows, np.array([1.0, 4.0, 2.0, 9.0]))  # one of four may be outside
    4.0
    """

    nu: float = 0.5

    squared: ClassVar[bool] = False
    penalised: ClassVar[bool] = False
    unproved: ClassVar[str] = "Nothing is proved: there is no feasible dual point."

    @property
    def formula(self) -> str:
        """The objective as text, for people."""
        return f"sum ({self.nu:g} R^2 + max(0, ||x - a||^2 - R^2)) over a and R"

    def conclusion(self, most: str) -> str:
        """What a relative gap of at most so much means, for people."""
        return f"No ball has a better objective by more than {most} of it; anyone can check it again from the data."

    def separates(self, values: Values) -> bool:
        """Rows of one class are not separated."""
        return False

    def upper(self, cost: Vector) -> Vector:
        """The upper bound of alpha, for each row."""
        return cost

    def total(self, problem: Problem) -> float:
        """What all alpha add up to."""
        return self.nu * float(problem.cost.sum())

    def best_square(self, problem: Problem, squares: Vector) -> float:
        """The least R^2 for which rows outside weigh at most nu of all, from their squared distances."""
        order = np.argsort(-squares, kind="stable")
        outside = np.cumsum(problem.cost[order])  # weight of this row and of all that are farther off
        first = int(np.searchsorted(outside, self.total(problem) * (1.0 + ROUNDING), side="right"))
        return float(squares[order[min(first, squares.size - 1)]])

    @np.errstate(over="ignore", invalid="ignore")
    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows; w is the centre, or its coefficients in the space of a kernel."""
        total, alpha = self.total(problem), np.nan_to_num(dual.alpha)
        upper = problem.cost[dual.support]
        repaired = filled(np.clip(alpha, 0.0, upper), upper, total)
        if repaired is None:
            return Values(np.inf, -np.inf, 0.0)
        found = measured(problem, w, 0.0, dual.support, repaired)
        if not found.bounds:
            return Values(np.inf, -np.inf, 0.0)
        lengths = squared_lengths(problem)
        squares = np.maximum(lengths - 2.0 * found.scores + found.square, 0.0)
        radius = self.best_square(problem, squares)
        primal = total * radius + float(problem.cost @ np.maximum(0.0, squares - radius))
        linear, quadratic = float(repaired @ lengths[dual.support]), found.dual_square / total
        of_squares = 2.0 * found.of_scores + ROUNDING * (float(lengths.max(initial=0.0)) + found.square)
        rounding = 2.0 * total * of_squares + ROUNDING * (primal + linear) + found.of_dual_square / total
        return Values(primal, max(linear - quadratic, 0.0), rounding)


def squared_lengths(problem: Problem) -> Vector:
    """||x||^2 of each row, in the space of the kernel where there is one."""
    return problem.squares if problem.kernel is None else problem.kernel.diagonal(problem.X)
