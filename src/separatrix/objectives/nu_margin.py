"""The objective of the nu support vector machine and of novelty detection, and their dual.

    1/2 ||w||^2 - nu W rho + sum_i c_i max(0, rho - y_i (w.x_i + b)),     rho >= 0,  W = sum_i c_i

    dual   -1/2 ||sum_i alpha_i y_i x_i||^2,     0 <= alpha_i <= c_i,  sum_i alpha_i >= nu W,  sum_i alpha_i y_i = 0

(Schoelkopf, Smola, Williamson and Bartlett, 2000). With all rows on one side and no offset it is novelty detection
(Schoelkopf, Platt, Shawe-Taylor, Smola and Williamson, 2001). Divided by W, alpha is at most 1/N and adds up to nu.

A plane is judged at its best scale and its best rho: along t (w, b, rho) the objective is a parabola, so that

    P = -L^2 / (2 ||w||^2),     L = max over rho of  nu W rho - sum_i c_i max(0, rho - y_i (w.x_i + b))

and 0, that of w = 0, where L is not positive. The value does not depend on the length of (w, b): solutions are stored
with rho = 1, as those of a soft margin are, whose C is 1 / rho. A nu of more than 2 min(W+, W-) / W is infeasible, and
counts as that.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix.enclosures import Enclosed, Interval, enclosed_sum
from separatrix.enclosures.elementwise import shifted
from separatrix.objectives.bounds.feasible_point import FeasiblePoint
from separatrix.objectives.bounds.measurement import Measurement, measured, refined
from separatrix.objectives.bounds.meeting_mixtures import mixtures_meet
from separatrix.objectives.form import Form
from separatrix.objectives.soft_margin_sums import Price, losses_of
from separatrix.objectives.values import NO_VALUES, ROUNDING, DualPoint, Values
from separatrix.problem import Problem
from separatrix.rows import UNIT_ROUNDOFF, Vector


@dataclass(frozen=True)
class NuMargin:
    """The objective: nu bounds the part of the rows with margin errors from above, and that of support rows from below.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives import NuMargin
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.zeros((4, 1)), np.array([0, 0, 1, 1]))
    >>> NuMargin(nu=0.5).best_margin(problem, np.array([1.0, 2.0, 3.0, 4.0]))  # rho = 2, and 2 * 2 - 1
    (2.0, 3.0)
    """

    nu: float = 0.5

    squared: ClassVar[bool] = False
    penalised: ClassVar[bool] = False  # for planes of one length; the claim's has another
    unproved: ClassVar[str] = "Nothing is proved: there is no feasible dual point."

    @property
    def formula(self) -> str:
        """The objective as text, for people."""
        return f"1/2 ||w||^2 + sum (max(0, rho - y (w.x + b)) - {self.nu:g} rho), also over rho"

    def conclusion(self, most: str) -> str:
        """What a relative gap of at most so much means, for people."""
        return f"No plane has a better objective by more than {most} of it; anyone can check it again from the data."

    def separates(self, values: Values) -> bool:
        """Margin errors are allowed."""
        return False

    def upper(self, cost: Vector) -> Vector:
        """The upper bound of alpha, for each row."""
        return cost

    def dual_ridge(self, cost: Vector) -> Vector:
        """How much slack a unit of alpha buys, for each row: none."""
        return np.zeros(cost.shape)

    def form(self, problem: Problem) -> Form:
        """The dual variables, one for each row; t is rho."""
        nothing = np.zeros(problem.n_rows)
        signs = problem.signs.astype(np.float64)
        return Form(signs, nothing, self.upper(problem.cost), nothing, -1.0, self.total(problem))

    def total(self, problem: Problem) -> float:
        """What all alpha add up to: nu W, or twice what the rarer class weighs where that is less."""
        most = largest_nu(problem) if problem.fit_intercept else 1.0
        return min(self.nu, most) * float(problem.cost.sum())

    def best_margin(self, problem: Problem, margins: Vector) -> tuple[float, float]:
        """The rho, never negative, with the largest L for these margins of all rows, and L."""
        cost, total = problem.cost, self.total(problem)
        order = np.argsort(margins, kind="stable")
        inside = np.cumsum(cost[order])
        place = min(int(np.searchsorted(inside, total * (1.0 - ROUNDING))), margins.size - 1)
        rho = max(float(margins[order[place]]), 0.0)
        return rho, total * rho - float(cost @ np.maximum(0.0, rho - margins))

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows; in the space of a kernel w are the coefficients of the support rows."""
        total = self.enclosed_total(problem)
        spare = spare_rows(problem, dual, total)
        if spare.size:
            w = np.append(w, np.zeros(spare.size)) if problem.kernel is not None else w
            dual = DualPoint(np.append(dual.support, spare), np.append(dual.alpha, np.zeros(spare.size)))
        point = self.feasible(problem, dual, total)
        if point is None:
            return NO_VALUES
        if not np.any(w) and mixtures_meet(problem, point, total):
            return Values(0.0, 0.0, 0.0)

        @np.errstate(over="ignore", invalid="ignore", divide="ignore")
        def attempt(exact: bool) -> Values:
            found = measured(problem, (w, float(b)), point, exact)
            if found is None:
                return NO_VALUES
            return Values.of(self.primal(problem, found, total), -0.5 * found.dual_square)

        return refined(problem, attempt)

    def primal(self, problem: Problem, found: Measurement, total: Interval) -> Interval:
        """The objective at the best scale of a plane, and at a rho that is the best but for rounding."""
        margins = Enclosed(found.scores.value * problem.signs, found.scores.radius)
        rho, _ = self.best_margin(problem, margins.value)
        slack = shifted(Enclosed(-margins.value, margins.radius), rho)
        L = total * rho - losses_of(Price(1.0), problem.cost, slack)
        return -0.5 * (L / found.square * L) if L.low > 0.0 and found.square.low > 0.0 else Interval(0.0, 0.0)

    def enclosed_total(self, problem: Problem) -> Interval:
        """What all alpha add up to, in real numbers."""
        most = self.nu * enclosed_sum(problem.cost)
        if not problem.fit_intercept:
            return most
        sides = [2.0 * enclosed_sum(problem.cost[problem.y == side]) for side in (0, 1)]
        return Interval(*(min(ends) for ends in zip(*((each.low, each.high) for each in (most, *sides)), strict=True)))

    def feasible(self, problem: Problem, dual: DualPoint, total: Interval) -> FeasiblePoint | None:
        """Alpha of the support rows, filled up to at least nu W, each class to half of it; None where it cannot be."""
        cost, signs = problem.cost[dual.support], problem.signs[dual.support]
        alpha = np.clip(np.nan_to_num(dual.alpha), 0.0, cost)
        sides, others = (-1, 1) if problem.fit_intercept else (0,), problem.cost > 0.0
        others[dual.support] = False
        for side in sides:
            own = (signs == side) | (side == 0)
            found = filled_up(alpha[own], cost[own], total / float(len(sides)))
            if found is None and (others & ((problem.signs == side) | (side == 0))).any():
                return None
            alpha[own] = cost[own] if found is None else found  # all that the class weighs is enough
        if not problem.fit_intercept:
            return FeasiblePoint(dual.support, alpha * signs)
        point = FeasiblePoint.balanced(dual.support, alpha * signs)
        return point if point.beta.any() else None


def largest_nu(problem: Problem) -> float:
    """The largest feasible nu of two classes, 2 min(W+, W-) / W: half of nu W must fit into each.

    >>> from separatrix.problem import Problem
    >>> largest_nu(Problem(np.zeros((4, 1)), np.array([0, 0, 0, 1])))
    0.5
    """
    weights = np.bincount(problem.y, problem.cost, minlength=2)
    return float(2.0 * weights.min() / weights.sum())


def spare_rows(problem: Problem, dual: DualPoint, total: Interval) -> np.ndarray:
    """A row more for each class whose support rows weigh its part of a total, but for rounding."""
    found, sides = [], (-1, 1) if problem.fit_intercept else (0,)
    used = np.zeros(problem.n_rows, dtype=bool)
    used[dual.support[dual.alpha > 0.0]] = True
    for side in sides:
        own = (problem.signs == side) | (side == 0)
        need, most = total / float(len(sides)), enclosed_sum(problem.cost[own & used])
        if most.low < need.high and need.low <= most.high * (1.0 + ROUNDING):
            others = own.copy()
            others[dual.support] = False
            row = int(np.argmax(problem.cost * others))
            found += [row] if others[row] else []
    return np.array(found, dtype=np.int64)


def filled_up(alpha: Vector, upper: Vector, total: Interval) -> Vector | None:
    """min(t alpha, upper) that adds up to at least a total for certain; None where no t is large enough.

    What rounding leaves out is added to the entry with the most room.
    """
    found = filled(alpha, upper, total.high)
    if found is None:
        return None
    missing = total.high - enclosed_sum(found).low
    if missing > 0.0:
        place = int(np.argmax(upper - found))
        found[place] = min(found[place] + 2.0 * missing + 8.0 * UNIT_ROUNDOFF * total.high, upper[place])
    return found if enclosed_sum(found).low >= total.high else None


@np.errstate(invalid="ignore")
def filled(alpha: Vector, upper: Vector, total: float) -> Vector | None:
    """min(t alpha, upper) with the t for which it adds up to a total; None where no t is large enough.

    >>> filled(np.array([1.0, 2.0, 0.5]), np.array([4.0, 3.0, 1.0]), 7.0).tolist()  # t is 3, then 2 and 1 are full
    [3.0, 3.0, 1.0]
    """
    inside = alpha > 0.0
    most = float(upper[inside].sum())
    if total >= most:
        return np.where(inside, upper, 0.0) if total <= most * (1.0 + ROUNDING) else None
    ratio = np.where(inside, upper / np.where(inside, alpha, 1.0), np.inf)  # the t at which each is full
    order = np.argsort(ratio, kind="stable")
    full = np.concatenate([[0.0], np.cumsum(upper[order])])  # of those that are full first
    rest = np.concatenate([np.cumsum(alpha[order][::-1])[::-1], [0.0]])  # alpha of the others
    reached = full[:-1] + ratio[order] * rest[:-1]  # the sum where one more is full
    place = int(np.searchsorted(np.where(np.isfinite(reached), reached, np.inf), total))
    t = (total - full[place]) / rest[place] if rest[place] > 0.0 else 0.0
    return np.minimum(t * alpha, upper)
