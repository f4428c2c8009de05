"""The mean slack of both classes, added: the robust linear program (Bennett and Mangasarian, 1992) and its dual.

    primal    P = sum_i c_i slack_i,     slack_i = max(0, 1 - y_i (w.x_i + b)),     sum of c_i = 1 in each class
    dual      D = sum_i alpha_i  <=  min P

    0 <= alpha_i <= c_i,     sum_i alpha_i y_i x_i = 0,     sum_i alpha_i y_i = 0 where there is an offset

Both are enclosed. The primal value has a bound on the rounding of each slack, which is computed again with one rounding
where the bound is no small part of it. The dual value is that of an alpha whose sums vanish in real numbers
(`mean_slack_dual`). Where none is known, alpha = 0 is used, which says that P is not below 0.
"""

from dataclasses import dataclass

import numpy as np

from separatrix import rows
from separatrix.enclosures import Enclosed, Interval
from separatrix.enclosures.exact_sums import exact_affine
from separatrix.objectives.mean_slack.dual_value import class_weights, dual_value
from separatrix.objectives.mean_slack.repair import shares
from separatrix.objectives.soft_margin_sums import (
    MAX_CHEAP_ENTRIES,
    Price,
    is_affordable,
    losses_of,
    margins_of,
    slacks_of,
)
from separatrix.objectives.values import DualPoint, Values
from separatrix.problem import Problem
from separatrix.rows import UNIT_ROUNDOFF, Vector

MAX_ROUNDING = 1e-12  # part of a slack, or of all, that may be rounding before it is computed with one rounding


@dataclass(frozen=True)
class MeanSlack:
    """The objective: what the slacks of each class cost on average, added over both.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives import DualPoint, MeanSlack
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0]))
    >>> dual = DualPoint(np.arange(3), np.array([0.5, 1.0, 0.5]))
    >>> MeanSlack().values(problem, np.array([0.0]), 1.0, dual)[:2]  # class 1 is in the middle: no plane helps
    (2.0, 2.0)
    """

    @property
    def formula(self) -> str:
        """The objective as text, for people."""
        return "the mean slack of each class, added"

    @property
    def penalised(self) -> bool:
        """Whether 1/2 ||w||^2 is part of it."""
        return False

    @property
    def unproved(self) -> str:
        """What to say where nothing is proved."""
        return "Nothing is proved: the plane does not keep every row on its own side."

    def conclusion(self, most: str) -> str:
        """What a relative gap of at most so much means, for people."""
        return f"No plane has a lower value by more than {most} of it; anyone can check it again from the data."

    def separates(self, values: Values) -> bool:
        """Whether there is no slack, so that every row is on its own side, which is proved besides."""
        return values.primal == 0.0

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows."""
        return Values.of(primal_value(problem, w, float(b)), lower_bound(problem, dual))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def primal_value(problem: Problem, w: Vector, b: float) -> Interval:
    """Enclose the mean slack of each class, added. Planes with w = 0 and b from -1 to 1 have the value 2."""
    if not w.any() and abs(b) <= 1.0:
        return Interval.of(2.0)
    slack, total = enclosed_slacks(problem, w, b), Interval(0.0, 0.0)
    counting = ~(slack.value <= -slack.radius)
    for side in (0, 1):
        own = np.flatnonzero(counting & (problem.y == side))
        if own.size:
            weights, whole = class_weights(problem, side)
            losses = losses_of(Price(1.0), weights[own], Enclosed(slack.value[own], slack.radius[own]))
            total += losses / whole
    return total


@np.errstate(over="ignore", invalid="ignore")
def enclosed_slacks(problem: Problem, w: Vector, b: float) -> Enclosed:
    """1 - y (w.x + b) of each row, also where that is negative; rounded once where rounding counts and rows are few."""
    found = slacks_of(margins_of(problem, (w, b)))
    unsure = ~(found.radius <= MAX_ROUNDING * np.abs(found.value)) & ~(found.value < -found.radius)
    cost, counting = shares(problem), np.maximum(found.value + found.radius, 0.0)
    few = rows.n_entries(problem.X) <= MAX_CHEAP_ENTRIES
    if not few and float(cost @ (found.radius * (counting > 0.0))) <= MAX_ROUNDING * float(cost @ counting):
        return found
    index = np.flatnonzero(~(found.value < -found.radius) if few else unsure)
    if index.size and is_affordable(problem, index):
        signs = problem.signs[index].astype(np.float64)
        exact = exact_affine(problem.X, index, (w, b), np.ones(index.size), -signs)
        found.value[index], found.radius[index] = exact
    return found


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def lower_bound(problem: Problem, dual: DualPoint) -> Interval:
    """Enclose the dual value of a feasible alpha next to the one that is given."""
    if not dual.support.size:
        return Interval(0.0, 0.0)
    alpha, upper = np.zeros(problem.n_rows), np.zeros(problem.n_rows)
    alpha[dual.support] = dual.alpha
    for side in (0, 1):
        own = problem.y == side
        weights, whole = class_weights(problem, side)
        upper[own] = weights[own] / whole.high
    return dual_value(problem, alpha, (1.0 - 4.0 * UNIT_ROUNDOFF) * upper)
