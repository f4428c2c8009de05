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
from separatrix.objectives.form import Form
from separatrix.objectives.measurement import NO_CORRECTION, Correction, excess_sum, is_uncertain, measured
from separatrix.objectives.values import ROUNDING, DualPoint, Values
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
        return nu_margin_values(self, problem, (w, float(b)), dual)

    def enclosed_total(self, problem: Problem) -> Interval:
        """What all alpha add up to at least: nu W, or twice what the rarer class weighs where that is less."""
        whole = self.nu * enclosed_sum(problem.cost)
        if not problem.fit_intercept:
            return whole
        sides = [2.0 * enclosed_sum(problem.cost[problem.signs == side]) for side in (-1, 1)]
        return Interval(min(end.low for end in (whole, *sides)), min(end.high for end in (whole, *sides)))

    def feasible(self, problem: Problem, dual: DualPoint) -> tuple[Vector, Correction] | None:
        """Alpha of the support rows, filled up so that each class has half of nu W, and what balances both; or None."""
        upper, signs = problem.cost[dual.support], problem.signs[dual.support]
        alpha = np.clip(np.nan_to_num(dual.alpha), 0.0, upper)
        sides = (-1, 1) if problem.fit_intercept else (0,)
        least = self.enclosed_total(problem).high / len(sides)
        for side in sides:
            own = (signs == side) | (side == 0)
            n_rows = np.count_nonzero((problem.signs == side) | (side == 0))
            found = filled_up(alpha[own], upper[own], least, every=np.count_nonzero(own) == n_rows)
            if found is None:
                return None
            alpha[own] = found
        correction = Correction.of(alpha * signs) if problem.fit_intercept else NO_CORRECTION
        return None if correction is None else (alpha, correction)


@np.errstate(over="ignore", invalid="ignore")
def nu_margin_values(
    objective: NuMargin, problem: Problem, plane: tuple[Vector, float], dual: DualPoint, exact: bool = False
) -> Values:
    """Primal and dual value; by sums that are rounded once where rounding is a part of them."""
    point, signs = objective.feasible(problem, dual), problem.signs[dual.support]
    found = None if point is None else measured(problem, plane, dual.support, signs * point[0], point[1], exact)
    if found is None:
        return Values(np.inf, -np.inf, 0.0)
    if found.vanishes:  # w = 0, and the mixtures of both classes are one point
        return Values(0.0, 0.0, 0.0)
    margins = problem.signs * found.scores.value
    rho, _ = objective.best_margin(problem, margins)
    short = rho - margins
    slack = Enclosed(short, found.scores.radius + 2.0 * UNIT_ROUNDOFF * np.abs(short))
    L = rho * objective.enclosed_total(problem) - excess_sum(problem.cost, slack)
    primal = -0.5 * (L * (L / found.square)) if L.low > 0.0 and found.square.low > 0.0 else Interval(0.0, 0.0)
    values = Values.of(primal, -0.5 * found.dual_square)
    return nu_margin_values(objective, problem, plane, dual, exact=True) if is_uncertain(values, found) else values


def filled_up(alpha: Vector, upper: Vector, least: float, every: bool) -> Vector | None:
    """Alpha of a class that adds up to at least so much; `every` says whether all rows of the class have an alpha.

    Where all of them are at their bounds, they add up to what the class weighs, which is enough by the definition of
    the total.
    """
    found = filled(alpha, upper, least * (1.0 + ROUNDING))
    if found is None:
        found = np.where(alpha > 0.0, upper, 0.0)
    reached = enclosed_sum(found)
    if reached.low >= least:
        return found
    full = every and np.array_equal(found, upper)
    return found if full and reached.high >= least * (1.0 - ROUNDING) else None


def largest_nu(problem: Problem) -> float:
    """The largest feasible nu of two classes, 2 min(W+, W-) / W: half of nu W must fit into each.

    >>> from separatrix.problem import Problem
    >>> largest_nu(Problem(np.zeros((4, 1)), np.array([0, 0, 0, 1])))
    0.5
    """
    weights = np.bincount(problem.y, problem.cost, minlength=2)
    return float(2.0 * weights.min() / weights.sum())


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
