"""The objective of the smallest ball around rows, and its dual (Tax and Duin, 1999).

    nu W R^2 + sum_i c_i max(0, ||x_i - a||^2 - R^2),     W = sum_i c_i

    dual   sum_i alpha_i ||x_i||^2 - ||sum_i alpha_i x_i||^2 / S,     0 <= alpha_i <= c_i,  S = sum_i alpha_i <= nu W

At most a part nu of the rows is outside. For a given centre a the best R is the distance that a part nu of the rows
exceeds. alpha is repaired to be feasible: clipped, and multiplied to add up to nu W, or to a little less. Its value is
the same whatever point rows are measured from.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix import rows
from separatrix.enclosures import Enclosed, Interval, enclosed_combination, enclosed_dot, enclosed_sum
from separatrix.objectives.measurement import NO_CORRECTION, excess_sum, measured
from separatrix.objectives.nu_margin import filled
from separatrix.objectives.soft_margin_sums import normal_of, squared_length
from separatrix.objectives.values import ROUNDING, DualPoint, Values
from separatrix.problem import Problem
from separatrix.products import row_parts
from separatrix.rows import CSR, SMALLEST, UNIT_ROUNDOFF, Vector, rounding_bound


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

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows; w is the centre, or its coefficients in the space of a kernel."""
        return ball_values(self, problem, w, dual)


@np.errstate(over="ignore", invalid="ignore")
def ball_values(objective: EnclosingBall, problem: Problem, w: Vector, dual: DualPoint) -> Values:
    """Primal and dual value of a centre and of a dual point that is filled up to nu W, or to a little less."""
    total, upper = objective.nu * enclosed_sum(problem.cost), problem.cost[dual.support]
    alpha = filled(np.clip(np.nan_to_num(dual.alpha), 0.0, upper), upper, total.low * (1.0 - ROUNDING))
    if alpha is None or not enclosed_sum(alpha).high <= total.low or not alpha.any():
        return Values(np.inf, -np.inf, 0.0)
    found = distances_and_spread(problem, w, dual.support, alpha)
    if found is None:
        return Values(np.inf, -np.inf, 0.0)
    squares, spread = found
    square = objective.best_square(problem, np.maximum(squares.value, 0.0))
    beyond = squares.value - square
    excess = Enclosed(beyond, squares.radius + 2.0 * UNIT_ROUNDOFF * np.abs(beyond))
    return Values.of(square * total + excess_sum(problem.cost, excess), spread)


def distances_and_spread(
    problem: Problem, w: Vector, support: np.ndarray, alpha: Vector
) -> tuple[Enclosed, Interval] | None:
    """||x_i - a||^2 of each row, and sum_i alpha_i ||x_i||^2 - ||sum_i alpha_i x_i||^2 / sum_i alpha_i."""
    total = enclosed_sum(alpha)
    if problem.kernel is None or problem.kernel.is_linear:
        centre = w if problem.kernel is None else normal_of(problem, support, w)
        squares = squared_distances(problem.X, centre)
        own = Enclosed(squares.value[support], squares.radius[support])
        linear = enclosed_dot(alpha, own.value, alpha * own.radius)
        normal = enclosed_combination(rows.take(problem.X, support), alpha, centre)
        return squares, (linear - squared_length(normal) / total).positive_part
    found = measured(problem, (w, 0.0), support, alpha, NO_CORRECTION)
    if found is None:
        return None
    lengths, error = problem.kernel.diagonal(problem.X), problem.kernel.largest_error(problem.X)
    value = lengths - 2.0 * found.scores.value + found.square.middle
    terms = np.abs(lengths) + 2.0 * np.abs(found.scores.value) + found.square.high
    squares = Enclosed(value, error + 2.0 * found.scores.radius + found.square.radius + 8.0 * UNIT_ROUNDOFF * terms)
    linear = enclosed_dot(alpha, lengths[support], alpha * error)
    return squares, (linear - found.dual_square / total).positive_part


def squared_distances(X: rows.Rows, centre: Vector) -> Enclosed:
    """||x - centre||^2 of each row, from the differences."""
    into = np.empty(rows.n_rows(X))
    for part, matrix in row_parts(X, slice(0, rows.n_rows(X)), max(1, 2**20 // max(1, centre.size))):
        off = (matrix.toarray() if isinstance(X, CSR) else matrix) - centre
        into[part] = np.einsum("ij,ij->i", off, off)
    return Enclosed(into, rounding_bound(centre.size + 4) * into + centre.size * SMALLEST)


def squared_lengths(problem: Problem) -> Vector:
    """||x||^2 of each row, in the space of the kernel where there is one."""
    return problem.squares if problem.kernel is None else problem.kernel.diagonal(problem.X)
