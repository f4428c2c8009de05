"""The objective of the smallest ball around rows, and its dual (Tax and Duin, 1999).

    nu W R^2 + sum_i c_i max(0, ||x_i - a||^2 - R^2),     W = sum_i c_i

    dual   sum_i alpha_i ||x_i||^2 - ||sum_i alpha_i x_i||^2 / (nu W),     0 <= alpha_i <= c_i,  sum_i alpha_i = nu W

At most a part nu of the rows is outside. For a given centre a the best R is the distance that a part nu of the rows
exceeds. alpha is repaired to be feasible: clipped, and multiplied to add up to nu W.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix import rows
from separatrix.enclosures import Enclosed, Interval, enclosed_combination, enclosed_sum
from separatrix.enclosures.elementwise import INFLATED, dot, summed_with
from separatrix.objectives.bounds.feasible_point import FeasiblePoint
from separatrix.objectives.bounds.measurement import measured
from separatrix.objectives.bounds.mercer import checked_matrix
from separatrix.objectives.nu_margin import filled
from separatrix.objectives.soft_margin_sums import Price, losses_of, squared_length
from separatrix.objectives.values import NO_VALUES, ROUNDING, DualPoint, Values
from separatrix.problem import Problem
from separatrix.problem.distinct import row_bytes
from separatrix.products import parts
from separatrix.rows import SMALLEST, UNIT_ROUNDOFF, Rows, Vector, rounding_bound


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

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows; w is the centre, or its coefficients in the space of a kernel.

        Squared distances and mixtures are measured from the centre itself, which no term of the dual value depends on.
        """
        if problem.kernel is not None and is_one_point(problem) and enclosed_sum(w) == Interval.of(1.0):
            return Values(0.0, 0.0, 0.0)
        total = self.nu * enclosed_sum(problem.cost)
        alpha = self.feasible(problem, dual, total)
        if alpha is None:
            return NO_VALUES
        found = from_centre(problem, w, dual.support, alpha)
        if found is None:
            return NO_VALUES
        squares, mixture = found
        radius = self.best_square(problem, squares.value)
        beyond = squares.value - radius
        slack = Enclosed(beyond, INFLATED * (squares.radius + UNIT_ROUNDOFF * np.abs(beyond)))
        primal = total * radius + losses_of(Price(1.0), problem.cost, slack)
        own = Enclosed(squares.value[dual.support], squares.radius[dual.support])
        linear, weight = dot(alpha, own), enclosed_sum(alpha)
        return Values.of(primal, (linear - mixture / weight).positive_part if weight.low > 0.0 else Interval(0.0, 0.0))

    def feasible(self, problem: Problem, dual: DualPoint, total: Interval) -> Vector | None:
        """Alpha of the support rows within its bounds, filled up to at most nu W; None where there is too little."""
        upper = problem.cost[dual.support]
        alpha = np.clip(np.nan_to_num(dual.alpha), 0.0, upper)
        if self.nu == 1.0 and dual.support.size == problem.n_rows:
            return upper  # which adds up to W
        found = filled(alpha, upper, total.low)
        if found is None:
            return None
        beyond = enclosed_sum(found).high - total.low
        if beyond > 0.0:
            place = int(np.argmax(found))
            found[place] = max(found[place] - 2.0 * beyond - 8.0 * UNIT_ROUNDOFF * total.low, 0.0)
        return found if enclosed_sum(found).high <= total.low else None


def from_centre(problem: Problem, w: Vector, support: np.ndarray, alpha: Vector) -> tuple[Enclosed, Interval] | None:
    """||x - a||^2 of each row from the centre a, and ||sum_i alpha_i (x_i - a)||^2."""
    if problem.kernel is None:
        return distances_from(problem.X, w), squared_length(
            enclosed_combination(rows.take(problem.X, support), alpha, w)
        )
    total = enclosed_sum(alpha)
    found = measured(problem, (w, 0.0), FeasiblePoint(support, alpha))
    if found is None:
        return None
    lengths = enclosed_lengths(problem)
    twice = Enclosed(-2.0 * found.scores.value, 2.0 * found.scores.radius)
    square = Enclosed(np.full(problem.n_rows, found.square.middle), np.full(problem.n_rows, found.square.radius))
    squares = summed_with(summed_with(lengths, twice), square)
    kept = np.maximum(squares.value, 0.0)
    along = dot(alpha, Enclosed(found.scores.value[support], found.scores.radius[support]))
    mixture = found.dual_square - 2.0 * (total * along) + total.square() * found.square
    return Enclosed(kept, squares.radius), mixture.positive_part


def distances_from(X: Rows, centre: Vector) -> Enclosed:
    """||x - centre||^2 of each row, from its differences."""
    value, lost = np.empty((2, rows.n_rows(X)))
    for part, matrix in parts(X):
        moved = (matrix if isinstance(matrix, np.ndarray) else matrix.toarray()) - centre
        value[part] = np.einsum("ij,ij->i", moved, moved)
        lost[part] = 4.0 * centre.size * SMALLEST * moved.any(axis=1)
    return Enclosed(value, rounding_bound(centre.size + 4) * value + lost)


def is_one_point(problem: Problem) -> bool:
    """Whether all rows of a kernel are equal."""
    found = list(row_bytes(problem.X)) if not problem.kernel.rows_are_values else []
    return len(set(found)) == 1


def enclosed_lengths(problem: Problem) -> Enclosed:
    """K(x, x) of each row."""
    if not problem.kernel.positive_definite:
        matrix = checked_matrix(problem)
        assert matrix is not None
        values = matrix.values.diagonal().copy()
        return Enclosed(values, np.full(values.shape, matrix.shift))
    return problem.kernel.enclosed_diagonal(problem.X)


def squared_lengths(problem: Problem) -> Vector:
    """||x||^2 of each row, in the space of the kernel where there is one."""
    return problem.squares if problem.kernel is None else problem.kernel.diagonal(problem.X)
