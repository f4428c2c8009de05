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

import numpy as np

from separatrix import rows
from separatrix.objectives.values import ROUNDING, DualPoint, Values
from separatrix.problem import Problem
from separatrix.problem.exact_slacks import slacks
from separatrix.products import combination, parts, score_size
from separatrix.rows import TINY, Vector


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

    @property
    def hard(self) -> bool:
        """Whether no slack is allowed."""
        return np.inf == self.C

    @property
    def boxed(self) -> bool:
        """Whether alpha is bounded above."""
        return not (self.hard or self.squared)

    @property
    def penalised(self) -> bool:
        """Whether 1/2 ||w||^2 is part of it."""
        return True

    @property
    def formula(self) -> str:
        """The objective as text, for people."""
        if self.hard:
            return "1/2 ||w||^2 with y (w.x + b) >= 1 on every row"
        power = "^2" if self.squared else ""
        return f"1/2 ||w||^2 + {self.C:g} sum max(0, 1 - y (w.x + b)){power}"

    @property
    def unproved(self) -> str:
        """What to say where nothing is proved."""
        return "Nothing is proved: the plane does not keep every row on its own side."

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

    def give(self, cost: Vector) -> Vector:
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
        given = float(np.sum(self.give(cost) * alpha * alpha)) if self.squared else 0.0  # in this order no overflow
        return float(alpha.sum()) - 0.5 * given - 0.5 * float(normal @ normal)

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows."""
        return soft_margin_values(problem, self, w, float(b), dual)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def soft_margin_values(problem: Problem, objective: SoftMargin, w: Vector, b: float, dual: DualPoint) -> Values:
    """Primal and dual value of a soft or hard margin, with a bound on what rounding made of them."""
    margins, signs, cost = problem.margins(w, b), problem.signs[dual.support], problem.cost[dual.support]
    alpha = feasible(dual.alpha, objective.upper(cost), signs, problem.fit_intercept)
    total, normal = float(alpha.sum()), normal_of(problem, dual.support, alpha * signs)
    square, dual_square = float(w @ w), float(normal @ normal)
    largest = max(float(margins.max(initial=0.0)), -float(margins.min(initial=0.0)))
    of_margins = ROUNDING * (1.0 + abs(b) + max(largest, score_size(problem.X, w)))
    if objective.hard:
        least = least_margin(problem, w, b, of_margins)
        primal = 0.5 * square / least**2 if least > 0.0 else np.inf  # the plane scaled to reach 1
        bound = 0.5 * (total / dual_square**0.5) ** 2 if dual_square > 0.0 else np.inf if total > 0.0 else 0.0
        return Values(primal, bound, ROUNDING * primal)
    losses = float(objective.losses(margins, problem.cost).sum())
    of_sums, of_slacks = ROUNDING * (square + losses + dual_square), total * of_margins  # slack costs alpha, at least
    max_cost_ratio = 10.0  # of all rows to the sum of alpha, up to which alpha prices the rounding of slacks
    if objective.boxed and objective.C * float(problem.cost.sum()) > max_cost_ratio * total:
        more, rounding = violators_again(problem, objective, (w, b), of_margins, 0.5 * square + losses)
        losses, of_slacks = losses + more, max(of_slacks, rounding)
    return Values(0.5 * square + losses, objective.dual(normal, alpha, cost), of_sums + of_slacks)


def violators_again(
    problem: Problem, objective: SoftMargin, plane: tuple[Vector, float], of_margins: float, primal: float
) -> tuple[float, float]:
    """What rounding took from the slacks of violators, each of which costs C a unit, and what it may still hide.

    Slacks are computed without rounding where their rounding could matter: 1e-9 of the primal value.
    """
    margins = problem.margins(*plane)
    violators = np.flatnonzero(margins <= 1.0 + of_margins)
    cost = problem.cost[violators]
    rounding = objective.C * float(cost.sum()) * of_margins
    if not 1e-9 * primal < rounding < np.inf:
        return 0.0, rounding
    slack = slacks(problem.X, problem.signs, violators, *plane)
    more = objective.C * float(cost @ (np.maximum(0.0, slack) - np.maximum(0.0, 1.0 - margins[violators])))
    return more, ROUNDING * objective.C * float(cost @ np.abs(slack))


def least_margin(problem: Problem, w: Vector, b: float, of_margins: float) -> float:
    """The margin of the nearest row, computed without rounding among the rows that rounding cannot tell apart."""
    margins = problem.margins(w, b)
    least = float(margins.min())
    if not ROUNDING * least < of_margins < np.inf or not least > 0.0:
        return least
    nearest = np.flatnonzero(margins <= least + 2.0 * of_margins)
    return 1.0 - float(slacks(problem.X, problem.signs, nearest, w, b).max())


def feasible(alpha: Vector, upper: Vector, signs: np.ndarray, balanced: bool) -> Vector:
    """The nearest alpha within bounds, the heavier class scaled down so that sum_i alpha_i y_i = 0."""
    alpha = np.minimum(np.fmax(alpha, 0.0), upper)  # what is not a number becomes 0
    if not balanced:
        return alpha
    sides = np.array([float(alpha @ (signs < 0)), float(alpha @ (signs > 0))])
    return alpha * (sides.min() / np.maximum(sides, TINY))[(signs > 0).view(np.int8)]


def normal_of(problem: Problem, support: np.ndarray, signed: Vector) -> Vector:
    """sum_i alpha_i y_i x_i, measured from a centre where rows are far from the origin: both sides weigh the same."""
    if support.size > 0.1 * problem.n_rows:  # one pass over all rows is quicker than a copy of so many
        X, weights = problem.X, np.zeros(problem.n_rows)
        weights[support] = signed
    else:
        X, weights = rows.take(problem.X, support), signed
    normal = combination(X, weights)
    if not problem.fit_intercept or not support.size:
        return normal
    centre = centre_of(problem.X, support)
    max_score_of_centre = 1e3  # in units of the margin: beyond, the centre is subtracted from each row first
    if isinstance(X, rows.CSR) or float(np.abs(centre) @ np.abs(normal)) < max_score_of_centre:
        return normal - float(weights.sum()) * centre
    return sum((matrix - centre).T @ weights[part] for part, matrix in parts(X))


def centre_of(X: rows.Rows, support: np.ndarray, most_rows: int = 100) -> Vector:
    """The mean of some of the rows: any point among them will do, and a mean has no row that is far from it."""
    some = rows.take(X, support[:: -(-support.size // most_rows)])
    return combination(some, np.full(rows.n_rows(some), 1.0 / rows.n_rows(some)))
