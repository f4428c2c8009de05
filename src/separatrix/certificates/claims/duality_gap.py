"""The gap between what a plane costs and what no plane can be below.

    primal    P = 1/2 ||w||^2 + sum_i c_i loss(y_i (w.x_i + b))
    dual      D = sum_i alpha_i - sum_i give_i alpha_i^2 / 2 - 1/2 ||sum_i alpha_i y_i x_i||^2  <=  min P

    0 <= alpha_i <= upper_i,     sum_i alpha_i y_i = 0 where there is an offset

Whatever alpha is, D is a lower bound once alpha is feasible, so it is made feasible first: it is cut to its bounds,
and the heavier side is scaled down. Then P - D bounds what any other plane could gain, and ||w - w*||^2 <= 2 (P - D).
"""

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.certificates.arithmetic.exact_slacks import slacks
from separatrix.certificates.claims.separator import Separator
from separatrix.errors import DataError, at_most
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.products import combination, parts, score_size
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector, length, read_only

ROUNDED = 64.0 * UNIT_ROUNDOFF  # part of the terms of a sum that rounding may move it by
FEW_COST = 10.0  # times what alpha adds up to: where all rows together cost no more, alpha says enough of rounding
DEAR = 1e-9  # part of the primal value that rounding of slack may leave in doubt
MANY = 0.1  # of all rows
SOME = 100  # rows that tell where all are
FAR = 1e3  # scores of the centre, in units of the margin, from which it is worth subtracting

GAP_IN_WORDS = (
    "Two numbers are compared: the objective that this fit reaches, and a bound that no fit whatever can be below. "
    "They differ by the gap, so a better fit could gain no more than that."
)


class Values(NamedTuple):
    """What a problem makes of a plane and of alpha: the primal and the dual value, and the rounding in both."""

    primal: float
    dual: float
    rounding: float

    @property
    def gap(self) -> float:
        """P - D, which is never negative but for rounding."""
        return max(self.primal - self.dual, 0.0) if self.primal < np.inf else np.inf

    @property
    def relative(self) -> float:
        """The gap as a part of the larger value."""
        return self.gap / max(abs(self.primal), abs(self.dual), TINY) if self.gap < np.inf else np.inf


@dataclass(frozen=True, eq=False, repr=False)
class DualityGap:
    """The claim that no plane has an objective lower by more than the gap.

    Attributes
    ----------
    w, b : ndarray, float
        The plane.
    objective : SoftMargin
        What is minimised: the loss and C.
    support, alpha : ndarray
        The rows with a part in the dual point, and their dual variables.
    values : Values
        Primal and dual value when the claim was made, and how far rounding may have moved them.
    n_rows : int
        How many rows the claim is about.
    separator : Separator or None
        For a hard margin, that every row is on its own side.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates import DualityGap
    >>> from separatrix.objectives import SoftMargin
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[0.0], [2.0]]), np.array([0, 1]))
    >>> claim = DualityGap.issue(problem, np.array([1.0]), -1.0, np.array([0.5, 0.5]), SoftMargin(C=1.0))
    >>> claim.primal, claim.dual, claim.error(problem)  # w = 1 and b = -1 are optimal
    (0.5, 0.5, 0.0)
    """

    w: Vector
    b: float
    objective: SoftMargin
    support: np.ndarray
    alpha: Vector
    values: Values
    n_rows: int
    separator: Separator | None = None

    about_model: ClassVar[bool] = True
    same_length: ClassVar[tuple[str, ...]] = ("support", "alpha")
    plain: ClassVar[str] = GAP_IN_WORDS

    @classmethod
    def issue(
        cls,
        problem: Problem,
        w: Vector,
        b: float,
        alpha: Vector,
        objective: SoftMargin,
        again: bool = True,
        support: np.ndarray | None = None,
    ) -> "DualityGap":
        """State the claim, with the figures that the problem gives it; alpha has one number a row, or a row of support.

        Margins are worked out again unless the problem, which a solver has just looked at, may remember them.
        """
        if support is None:
            support = np.flatnonzero(alpha != 0.0)
            alpha = alpha[support]
        margins = problem.margins(w, b, again)
        found, normal = valued(problem, objective, w, b, support, alpha, margins)
        separator = Separator.issue(problem, w, b) if objective.hard else None
        kept = read_only(np.array(w)), float(b), objective, read_only(support), read_only(alpha)
        claim = cls(*kept, found, problem.n_rows, separator)
        claim.__dict__.update(_margins=margins, _normal=normal)
        return claim

    def __getstate__(self) -> dict:
        """What a copy needs: not what was computed from some rows."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    @property
    def margins(self) -> Vector | None:
        """y g(x) of each row when the claim was made, while remembered: they save a look, and prove nothing."""
        return self.__dict__.get("_margins")

    @property
    def normal(self) -> Vector | None:
        """What alpha made of w when the claim was made, while remembered."""
        return self.__dict__.get("_normal")

    @property
    def coordinates(self) -> Coordinates | None:
        """In which the plane was found, while remembered: rows like these are of moderate size in them."""
        return self.__dict__.get("_coordinates")

    @property
    def bend(self) -> tuple[np.ndarray, Vector] | None:
        """Which rows fell short of a squared hinge, and sum_i c_i a_i a_i' over them, while remembered."""
        return self.__dict__.get("_bend")

    def remember(self, coordinates: Coordinates, bend: tuple[np.ndarray, Vector] | None) -> None:
        """Keep coordinates for a fit that starts from this one, and what curves in them."""
        self.__dict__.update(_coordinates=coordinates, _bend=bend)

    def forget(self) -> None:
        """Give memory back: in a row of fits, each from the one before, only the last should remember so much."""
        self.__dict__.pop("_margins", None)
        self.__dict__.pop("_bend", None)

    @property
    def primal(self) -> float:
        """The objective of the plane, when the claim was made."""
        return self.values.primal

    @property
    def dual(self) -> float:
        """What no plane can be below."""
        return self.values.dual

    @property
    def stated(self) -> float:
        """The relative gap when the claim was made; infinite where a hard margin does not keep every row."""
        return self.values.relative if self.separator is None or self.separator.proof else np.inf

    @property
    def doubt(self) -> float:
        """How far rounding may move the relative gap."""
        return self.values.rounding / max(abs(self.primal), TINY)

    @property
    def distance(self) -> float:
        """How far w can be from the optimal one at most."""
        return float(np.sqrt(2.0 * (self.values.gap + self.values.rounding)))

    @property
    def proof(self) -> bool:
        """Whether there is a bound at all."""
        return self.stated < np.inf

    def error(self, problem: Problem) -> float:
        """(P - D) / max(`|P|`, `|D|`), from the rows; infinite where no margin is kept or no rows support it."""
        return self.restated(problem).stated

    def restated(self, problem: Problem) -> "DualityGap":
        """The claim with figures from the problem."""
        if self.w.shape != (problem.n_features,) or self.n_rows != problem.n_rows or problem.n_planes != 1:
            raise DataError(
                f"The certificate is for {self.n_rows} rows of {self.w.size} features in two classes, but the problem "
                f"has {problem.shape} and {problem.n_classes} classes. Check it with the data that the model is for."
            )
        places = np.concatenate([[-1], self.support, [problem.n_rows]])
        if np.any(np.diff(places) <= 0):  # a row that is named twice would have twice its bound
            return replace(self, values=Values(np.inf, -np.inf, 0.0))
        return DualityGap.issue(problem, self.w, self.b, self.alpha, self.objective, support=self.support)

    def __repr__(self) -> str:
        return f"DualityGap({self.n_rows} rows, stated={self.stated:.3g})"

    def __str__(self) -> str:
        digits = 12
        lines = [f"DualityGap: minimise {self.objective.formula}, over {self.n_rows:,} rows"]
        if self.objective.hard and self.primal < np.inf:
            reached, most = 1.0 / np.sqrt(2.0 * self.primal), 1.0 / np.sqrt(2.0 * self.dual)
            lines += [
                f"  margin       {reached:.{digits}g} on each side of the plane",
                f"  upper bound  {most:.{digits}g} for every plane",
            ]
        else:
            lines += [
                f"  primal       {self.primal:.{digits}g}, the objective of this plane",
                f"  dual         {self.dual:.{digits}g}, which no plane is below",
            ]
        near = f"within {self.distance:.2g} of the optimal one" if self.distance < np.inf else "at no known distance"
        lines += [
            f"  gap          at most {at_most(self.stated + self.doubt)} of it, by {self.support.size:,} support rows",
            f"  w            {near}; ||w|| = {length(self.w):.4g}",
        ]
        return "\n".join([*lines, self.sentence])

    @property
    def sentence(self) -> str:
        """What the gap means."""
        if not self.proof:
            return "Nothing is proved: the plane does not keep every row on its own side."
        what = "margin" if self.objective.hard else "objective"
        most = at_most(self.stated + self.doubt)
        return f"No plane has a better {what} by more than {most} of it; anyone can check it again from the data."


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def valued(
    problem: Problem, objective: SoftMargin, w: Vector, b: float, support: np.ndarray, alpha: Vector, margins: Vector
) -> tuple[Values, Vector]:
    """Both values from the data, and what alpha makes of w."""
    cost = problem.cost
    signs = problem.signs[support]
    alpha = feasible(alpha, objective.upper(cost[support]), signs, problem.fit_intercept)
    total, normal = float(alpha.sum()), normal_of(problem, support, alpha * signs)
    square, dual_square = float(w @ w), float(normal @ normal)
    # a margin is rounded by some units of the scores
    largest = max(float(margins.max(initial=0.0)), -float(margins.min(initial=0.0)))
    blur = ROUNDED * (1.0 + abs(b) + max(largest, score_size(problem.X, w)))
    if objective.hard:
        least = least_margin(problem, w, b, margins, blur)
        primal = 0.5 * square / least**2 if least > 0.0 else np.inf  # the plane scaled to reach 1
        dual = 0.5 * (total / dual_square**0.5) ** 2 if dual_square > 0.0 else np.inf if total > 0.0 else 0.0
        return Values(primal, dual, ROUNDED * primal), normal
    losses = float(objective.losses(margins, cost).sum())
    given = 0.0
    if objective.squared:  # in this order nothing overflows
        given = 0.5 * float(np.sum(objective.give(cost[support]) * alpha * alpha))
    sums, doubt = ROUNDED * (square + losses + dual_square), total * blur  # a unit of margin costs alpha, at least
    if objective.boxed and objective.C * float(cost.sum()) > FEW_COST * total:
        more, dear = dear_slack(problem, objective, w, b, margins, blur, 0.5 * square + losses)
        losses, doubt = losses + more, max(doubt, dear)
    return Values(0.5 * square + losses, total - given - 0.5 * dual_square, sums + doubt), normal


def dear_slack(
    problem: Problem, objective: SoftMargin, w: Vector, b: float, margins: Vector, blur: float, primal: float
) -> tuple[float, float]:
    """What rounding takes from rows that fall short, which cost C a unit and not alpha; and what stays in doubt."""
    short = np.flatnonzero(margins <= 1.0 + blur)
    cost = problem.cost[short]
    doubt = objective.C * float(cost.sum()) * blur
    if not DEAR * primal < doubt < np.inf:
        return 0.0, doubt
    slack = slacks(problem.X, problem.signs, short, w, b)
    more = objective.C * float(cost @ (np.maximum(0.0, slack) - np.maximum(0.0, 1.0 - margins[short])))
    return more, ROUNDED * objective.C * float(cost @ np.abs(slack))


def least_margin(problem: Problem, w: Vector, b: float, margins: Vector, blur: float) -> float:
    """The margin of the nearest row, where rounding hides which that is, too."""
    least = float(margins.min())
    if not ROUNDED * least < blur < np.inf or not least > 0.0:
        return least
    near = np.flatnonzero(margins <= least + 2.0 * blur)
    return 1.0 - float(slacks(problem.X, problem.signs, near, w, b).max())


def feasible(alpha: Vector, upper: Vector, signs: np.ndarray, balanced: bool) -> Vector:
    """The nearest alpha within bounds, the heavier side scaled down so that both weigh the same."""
    alpha = np.minimum(np.fmax(alpha, 0.0), upper)  # what is not a number becomes 0
    if not balanced:
        return alpha
    sides = np.array([float(alpha @ (signs < 0)), float(alpha @ (signs > 0))])
    return alpha * (sides.min() / np.maximum(sides, TINY))[(signs > 0).view(np.int8)]


def normal_of(problem: Problem, support: np.ndarray, signed: Vector) -> Vector:
    """sum_i alpha_i y_i x_i, measured from a centre where rows are far from the origin: both sides weigh the same."""
    if support.size > MANY * problem.n_rows:  # one pass over all is quicker than a copy of so many
        X, pull = problem.X, np.zeros(problem.n_rows)
        pull[support] = signed
    else:
        X, pull = rows.take(problem.X, support), signed
    normal = combination(X, pull)
    if not problem.fit_intercept or not support.size:
        return normal
    centre = centre_of(problem.X, support)
    if isinstance(X, rows.CSR) or float(np.abs(centre) @ np.abs(normal)) < FAR:
        return normal - float(pull.sum()) * centre
    return sum((matrix - centre).T @ pull[part] for part, matrix in parts(X))


def centre_of(X: rows.Rows, support: np.ndarray) -> Vector:
    """The mean of some of the rows: any point among them will do, and a mean has no row that is far from it."""
    some = rows.take(X, support[:: -(-support.size // SOME)])
    return combination(some, np.full(rows.n_rows(some), 1.0 / rows.n_rows(some)))
