"""The gap between what planes cost and what no planes can be below, for every convex objective.

    primal    P, the objective of these planes           dual      D <= min P, the value of a feasible dual point

Whatever alpha is, D is a lower bound once alpha is feasible, so the objective repairs it first. Then P - D bounds what
any other planes could gain, and ||w - w*||^2 <= 2 (P - D) where 1/2 ||w||^2 is part of the objective.

Whether a value is that of planes which keep every row on its own side is not left to rounding: a Separator proves it
(hard margins, a mean slack of 0), and an Overlap may prove that none does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from separatrix.certificates.claims.bound import quoted
from separatrix.certificates.claims.certificate import Printed, about_all_rows, check_shape, names_rows_once
from separatrix.certificates.claims.overlap import Overlap
from separatrix.certificates.claims.separator import Separator
from separatrix.enclosures import Interval
from separatrix.enclosures.interval import root
from separatrix.errors import OptionError, at_least, at_most, counted
from separatrix.kernels import Kernel
from separatrix.objectives import NO_DUAL_POINT, DualPoint, Formulation, JointMargin, Values
from separatrix.objectives.dual_rule import DualRule
from separatrix.problem import Problem
from separatrix.problem.fold import INFINITE, Fold
from separatrix.rows import TINY, Vector, length, read_only


@dataclass(frozen=True, eq=False, repr=False)
class DualityGap(Printed):
    """The claim that no planes have an objective lower by more than the gap.

    Attributes
    ----------
    w, b : ndarray, float or ndarray
        The plane; for more than two classes a row of w and an entry of b for each.
    objective : Objective
        What is minimised: one of `separatrix.objectives.Formulation`, such as SoftMargin.
    support, alpha : ndarray
        The rows with a part in the dual point, and their dual variables, in a joint machine one for each class; none
        where the planes themselves make it.
    values : Values
        An upper bound of the primal value and a lower bound of the dual one when the claim was made, and how much of
        their difference may be rounding.
    n_rows : int
        How many rows the claim is about.
    separator : Separator or None
        For a hard margin or a mean slack of 0, that every row is on its own side.
    kernel : Kernel or None
        In whose space the plane is; w are then coefficients of the support rows: y alpha, or others.
    overlap : Overlap or None
        That no plane has a mean slack of 0, where that was asked for.
    weighted : bool
        Whether rows have weights c other than 1, which the objective then multiplies their losses with.
    rule : DualRule or None
        The dual point in place of support and alpha, where it has more rows than can be named.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates import DualityGap
    >>> from separatrix.objectives import LogLoss, SoftMargin
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[0.0], [2.0]]), np.array([0, 1])).posed(SoftMargin(C=1.0))
    >>> claim = DualityGap.issue(problem, np.array([1.0]), -1.0, np.array([0.5, 0.5]))
    >>> claim.primal, claim.dual, claim.error(problem)  # w = 1 and b = -1 are optimal
    (0.5000000000000..., 0.4999999999999..., ...e-14)
    >>> likely = Problem(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])).posed(LogLoss(np.inf))
    >>> claim = DualityGap.issue(likely, np.array([0.8]), -1.2)
    >>> round(claim.primal - claim.dual, 4)  # in truth w = 0.908 and b = -1.362 are better by 0.0051
    0.0053
    """

    w: Vector
    b: Any
    objective: Any
    support: np.ndarray
    alpha: Vector
    values: Values
    n_rows: int
    separator: Separator | None = None
    overlap: Overlap | None = None
    kernel: Any = None
    weighted: bool = False
    rule: DualRule | None = None

    about_model: ClassVar[bool] = True
    equal_lengths: ClassVar[tuple[str, ...]] = ("support", "alpha")
    with_columns: ClassVar[tuple[str, ...]] = ("alpha",)  # one for each class, where an objective has such
    field_types: ClassVar[Mapping[str, Any]] = {  # what files may hold
        "b": float | Vector,
        "objective": Formulation,
        "kernel": Kernel | None,
    }
    optional_fields: ClassVar[tuple[str, ...]] = ("overlap", "kernel", "weighted", "rule")
    explanation: ClassVar[str] = (
        "Two numbers are compared: the objective that this fit reaches, and a bound that no fit whatever can be below. "
        "They differ by the gap, so a better fit could gain no more than that."
    )

    @classmethod
    def issue(
        cls,
        problem: Problem,
        w: Vector,
        b: float | Vector,
        alpha: Vector | None = None,
        support: np.ndarray | None = None,
        again: bool = True,
        rule: DualRule | None = None,
    ) -> "DualityGap":
        """State the claim about the problem's objective, with the figures that the rows give it.

        alpha has one number for each row, or for each row of support; a rule takes the place of both. Margins are
        computed anew unless the problem, which a solver has just gone through, may remember them (`again=False`).
        """
        dual = NO_DUAL_POINT if alpha is None else dual_point(alpha, support)
        if again:
            problem.forget_margins()
        values = problem.objective.values(problem, w, b, dual if rule is None else rule.within(problem, 0))
        apart = problem.kernel is None and problem.objective.separates(values)
        separator = Separator.issue(problem, w, b) if apart else None
        offset = float(b) if np.ndim(b) == 0 else read_only(np.array(b))
        kept = read_only(np.array(w)), offset, problem.objective, read_only(dual.support), read_only(dual.alpha)
        weighted = bool((problem.cost != 1.0).any())
        return cls(*kept, values, problem.n_rows, separator, kernel=problem.kernel, weighted=weighted, rule=rule)

    @property
    def primal(self) -> float:
        """The objective of the planes, when the claim was made."""
        return self.values.primal

    @property
    def dual(self) -> float:
        """What no planes can be below."""
        return self.values.dual

    @property
    def stated(self) -> float:
        """The relative gap at most, rounding included; infinite where a row is not on the side that it should be on."""
        return self.values.relative if self.separator is None or self.separator.proof else np.inf

    @property
    def rounding(self) -> float:
        """How much of the relative gap may be rounding."""
        return self.values.rounding / max(abs(self.primal), TINY) if self.primal != 0.0 else 0.0

    @property
    def distance(self) -> float:
        """How far w can be from the optimal one at most; unknown without a penalty."""
        return root(2.0 * Interval.of(self.values.gap)).high if self.objective.penalised else np.inf

    @property
    def proof(self) -> bool:
        """Whether there is a bound at all."""
        return self.stated < np.inf

    def error(self, problem: Problem) -> float:
        """(P - D) / max(`|P|`, `|D|`), from the rows; infinite where the claim is about another objective, or fails."""
        if problem.objective not in (None, self.objective) or problem.kernel != self.kernel:
            return np.inf
        fresh, facts = self.restated(problem), (self.separator, self.overlap)
        return np.inf if any(fact is not None and fact.error(problem) > 0.0 for fact in facts) else fresh.stated

    def fold(self) -> Fold:
        """The error from blocks of rows, for soft and hard margins and penalised log losses."""
        if not hasattr(self.objective, "fold") or self.overlap is not None or self.kernel is not None:
            raise OptionError(f"The optimum of {self.objective.formula} is no sum over blocks. Check all rows at once.")
        if not has_dual_point(self):
            return INFINITE
        dual = DualPoint(self.support, self.alpha) if self.rule is None else self.rule
        values = self.objective.fold(self.w, self.b, dual)
        gap = values.then(lambda found: found.relative)
        if self.separator is None:
            return about_all_rows(self, gap)
        return about_all_rows(self, self.separator.fold().then(lambda error: np.inf if error > 0.0 else gap))

    def restated(self, problem: Problem) -> "DualityGap":
        """The claim with figures from the problem."""
        check_shape(self, problem)
        if not has_dual_point(self):
            return replace(self, values=Values(np.inf, -np.inf, 0.0))
        fresh = DualityGap.issue(
            problem.posed(self.objective), self.w, self.b, self.alpha, self.support, rule=self.rule
        )
        return fresh if self.overlap is None else replace(fresh, overlap=self.overlap.restated(problem))

    def __repr__(self) -> str:
        return f"DualityGap({self.n_rows} rows, stated={self.stated:.3g})"

    def __str__(self) -> str:
        lines = [f"DualityGap: minimise {formula_of(self)}, over {self.n_rows:,} rows", *figures(self)]
        if self.overlap is not None and self.overlap.proof:
            rows = counted(self.overlap.rows.size, "row")
            lines.append(f"  above 0      {rows} prove that no plane separates the classes")
        return "\n".join([*lines, meaning(self)])


def formula_of(claim: DualityGap) -> str:
    """What is minimised, with the weights of the rows where they have any."""
    formula = claim.objective.formula
    if claim.kernel is not None:
        formula = formula.replace("w.x", "<w, phi(x)>")
    weights = claim.weighted and "sum " in formula
    return f"{formula.replace('sum ', 'sum c ')} with the weight c of each row" if weights else formula


def figures(claim: DualityGap) -> list[str]:
    """Both values, the gap and the distance of w, a line each."""
    if getattr(claim.objective, "hard", False) and claim.primal < np.inf:
        reached, most = hard_margins(claim)
        lines = [
            f"  margin       {at_least(reached, 12)} on each side of the plane",
            f"  upper bound  {at_most(most, 12)} for every plane",
        ]
    else:
        lines = [
            f"  primal       {at_most(claim.primal, 12)}, the objective of this plane",
            f"  dual         {at_least(claim.dual, 12)}, which no plane is below",
        ]
    by = f", by {claim.support.size:,} support rows" if claim.support.size else ""
    if claim.rule is not None:
        by = f", by {claim.rule.support.size:,} rows near the margin and all that violate it"
    lines.append(f"  gap          {width(claim)}{by}")
    if claim.objective.penalised:
        near = f"within {at_most(claim.distance, 2)} of the optimal one" if claim.proof else "at no known distance"
        size = "" if claim.kernel is not None else f"; ||w|| = {length(claim.w):.4g}"
        lines.append(f"  w            {near}{size}")
    return lines


def hard_margins(claim: DualityGap) -> tuple[float, float]:
    """Of a hard margin: what the plane has at least on each side, and what every plane has at most."""
    one = Interval.of(1.0)
    reached = one / root(2.0 * Interval.of(claim.primal))
    most = (one / root(2.0 * Interval.of(claim.dual))).high if claim.dual > 0.0 else np.inf
    return max(reached.low, 0.0), most


def meaning(claim: DualityGap) -> str:
    """What the gap means, in a sentence."""
    if not claim.proof:
        return claim.objective.unproved
    if claim.separator is not None and not claim.objective.penalised:
        return "Every row lies strictly on its own side, with no slack; anyone can check it again from the data."
    if not is_informative(claim):
        return "Nothing more is proved: the gap may be as large as the objective itself."
    return claim.objective.conclusion(quoted(claim))


def width(claim: DualityGap) -> str:
    """The gap with its rounding, in words."""
    if not claim.proof:
        return "without a bound"
    if not is_informative(claim):
        return "as large as the objective itself"
    return f"at most {quoted(claim)} of it"


def is_informative(claim: DualityGap) -> bool:
    """Whether the gap, to one digit, is below the objective itself."""
    return float(quoted(claim)) < 1.0


def has_dual_point(claim: DualityGap) -> bool:
    """Whether a claim names each of its rows once, with a dual variable each, or one for each class of joint planes."""
    if claim.rule is not None:
        return claim.rule.is_about(claim.objective) and names_rows_once(claim.rule.support, claim.n_rows)
    columns = () if claim.alpha.ndim == 1 or not isinstance(claim.objective, JointMargin) else (len(claim.w),)
    return names_rows_once(claim.support, claim.n_rows) and claim.alpha.shape == (claim.support.size, *columns)


def dual_point(alpha: Vector, support: np.ndarray | None) -> DualPoint:
    """The rows with a dual variable that is not 0, and their alpha."""
    if support is None:
        support = np.flatnonzero(alpha != 0.0)
        alpha = alpha[support]
    return DualPoint(support, alpha)


def dual_variables(claim: DualityGap) -> Vector:
    """Alpha of each row, 0 for those without a part in the dual point."""
    alpha = np.zeros(claim.n_rows)
    alpha[claim.support] = claim.alpha
    return alpha
