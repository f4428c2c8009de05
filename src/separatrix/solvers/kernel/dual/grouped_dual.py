"""One dual for every kernel machine: how the formulations differ, and how an answer is read back.

    min 1/2 sum_pq beta_p beta_q K(x_p, x_q) + 1/2 sum_p ridge_p alpha_p^2 - sum_p required_p alpha_p
    0 <= alpha_p <= upper_p,    beta_p = s_p alpha_p,    sum over each group g of beta_p = total_g

    soft margin          a variable a row, s = y, required 1; one group, total 0
    epsilon-insensitive  two a row, s = +-1, required s y - epsilon; one group, total 0
    nu regression        two a row, s = +-1, required s y; groups by s, totals +-C nu W / 2; b_+- = b +- epsilon
    nu margin            a variable a row, s = y, required 0; groups by y, totals +-nu W / 2; b_+- = b -+ rho
    novelty              a variable a row, s = 1, required 0; one group, total nu W; b = -rho
    enclosing ball       a variable a row, s = 1, required nu W K_ii / 2; one group, total nu W

The multiplier of a group is its offset b_g. W is the sum of all costs; rows that cost nothing have no variable. Targets
are measured from a centre in units of their spread, and alpha of nu margins in units in which all add up to 1 / mean
K_ii, so that scores are of the size 1.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.problem import Problem
from separatrix.rows import TINY, Vector
from separatrix.solvers.kernel.block_smo import Dual
from separatrix.solvers.svm.best_offset import least_offset

NEGLIGIBLE_ALPHA = 1e-14  # part of the largest alpha, below which one is rounding
INFORMATIVE_GAP = 1e-3  # relative gap below which w = 0 is not the optimum


class Answer(NamedTuple):
    """The dual variable and the coefficient of each row, and the offset."""

    dual: Vector
    coefficients: Vector
    b: float

    @classmethod
    def of(cls, claim: DualityGap) -> "Answer":
        """What a claim says of each row."""
        dual, coefficients = np.zeros((2, claim.n_rows))
        dual[claim.support], coefficients[claim.support] = claim.alpha, claim.w
        return cls(dual, coefficients, float(claim.b))

    def claim(self, problem: Problem) -> DualityGap:
        """The certificate, from the rows."""
        size = np.abs(self.dual)
        support = np.flatnonzero(size > NEGLIGIBLE_ALPHA * size.max(initial=0.0))
        return DualityGap.issue(problem, self.coefficients[support], self.b, self.dual[support], support)


@dataclass(frozen=True, eq=False)
class GroupedDual:
    """The dual of a problem of distinct rows, and the total of each group; none without an offset.

    What is claimed of alpha is `unit` times that of the dual. `mirror` is the other variable of the row of each, where
    rows have two.
    """

    problem: Problem
    dual: Dual
    totals: Vector
    unit: float = 1.0

    mirror: ClassVar[np.ndarray | None] = None
    initial_violation: ClassVar[float] = 0.5  # at which Newton rounds begin, in units of `size`

    def variables(self, rows: Vector) -> Vector:
        """Alpha of all variables, from what a claim says of each row."""
        return rows[self.dual.row] / self.unit

    def initial(self) -> Vector:
        """A feasible alpha: the same part of every bound within a group."""
        if not self.totals.any():
            return np.zeros(self.dual.y.size)
        upper = self.dual.upper
        parts = np.abs(self.totals) / np.maximum(np.bincount(self.dual.group, upper, self.totals.size), TINY)
        return upper * np.minimum(parts, 1.0)[self.dual.group]

    def beta(self, alpha: Vector) -> Vector:
        """The sum of s alpha over the variables of each row."""
        return self.dual.beta(alpha, self.problem.n_rows)

    def group_sums(self, alpha: Vector) -> Vector:
        """The sum of s alpha over each group."""
        sums = np.bincount(self.dual.group, self.dual.y * alpha, self.totals.size).astype(np.float64)
        return sums[: self.totals.size]

    def violations(self, scores: Vector, offsets: Vector) -> Vector:
        """What is required of each variable, less what scores of the rows give it."""
        dual, g = self.dual, scores[self.dual.row]
        return dual.required - dual.y * (g + offsets[dual.group] if offsets.size else g)

    def offsets(self, scores: Vector) -> Vector:
        """The best offset of each group for scores of all rows, or the middle of all that are."""
        dual, squared = self.dual, bool(self.dual.ridge.any())
        turns = dual.y * dual.required - scores[dual.row]
        weights = 1.0 / dual.ridge if squared else np.where(np.isfinite(dual.upper), dual.upper, 1.0)
        groups = [np.flatnonzero(dual.group == g) for g in range(self.totals.size)]
        pairs = zip(groups, self.totals.tolist(), strict=True)
        found = [least_offset(turns[own], dual.y[own] > 0.0, weights[own], squared, total) for own, total in pairs]
        return np.array(found)

    def balanced(self, alpha: Vector) -> Vector:
        """A feasible alpha near another: where totals are 0, the heavier side is scaled down."""
        if self.totals.any():
            return self.initial()
        positive = self.dual.y > 0.0
        sides = np.array([float(alpha[~positive].sum()), float(alpha[positive].sum())])
        scaled = alpha * (sides.min() / np.maximum(sides, TINY))[positive.view(np.int8)]
        return scaled if self.totals.size else alpha

    def size(self, offsets: Vector) -> float:
        """The size of what scores are compared with."""
        return 1.0

    def cancels(self, alpha: Vector, offsets: Vector, tol: float) -> bool:
        """Whether alpha that violates by tol cancels within rows, so that the alternative seems to have the optimum."""
        return False

    def alternative(self) -> "GroupedDual | None":
        """Another dual that may have the optimum."""
        return None

    def answers(self, alpha: Vector, offsets: Vector) -> list[Answer]:
        """What may be claimed of an alpha of all variables and the offset of each group: both as they are."""
        return [Answer(alpha, self.dual.y * alpha, float(offsets[0]) if offsets.size else 0.0)]

    def claim(self, alpha: Vector, offsets: Vector) -> DualityGap:
        """The first answer's claim that proves something, or the best; one of the value 0 is that of w = 0."""
        claims: list[DualityGap] = []
        for answer in self.answers(alpha, offsets):
            claims.insert(0, answer.claim(self.problem))
            if claims[0].stated <= INFORMATIVE_GAP and claims[0].primal != 0.0:
                break
        return min(claims, key=lambda claim: claim.stated)


def margin_dual(problem: Problem) -> GroupedDual:
    """The dual of a soft or hard margin between two classes."""
    cost, objective, everything = problem.cost, problem.objective, np.arange(problem.n_rows)
    signs, required = problem.signs.astype(np.float64), np.ones(cost.size)
    bounds = objective.upper(cost), objective.dual_ridge(cost)
    dual = Dual(signs, *bounds, required, np.zeros(cost.size, dtype=np.int64), everything)
    return GroupedDual(problem, dual, np.zeros(int(problem.fit_intercept)))


@np.errstate(divide="ignore")
def dual_of(problem: Problem) -> tuple[Dual, Vector]:
    """The dual of the problem's objective by its `form`: a further multiplier makes a group of each sign."""
    objective: Any = problem.objective
    form = objective.form(problem)
    row = np.tile(np.arange(problem.n_rows), form.signs.size // problem.n_rows)
    two, total = bool(form.border) and problem.fit_intercept, abs(form.total)
    group = ((form.signs < 0.0) & two).astype(np.int64)
    kept = np.flatnonzero(problem.cost[row])
    kept = kept[np.argsort(group[kept], kind="stable")]
    parts: tuple[Any, ...] = (form.signs, form.upper, form.ridge, form.required, group, row)
    totals = np.full(int(problem.fit_intercept or bool(form.border)), total)
    if two:
        totals = np.array([0.5 * total, -0.5 * total])
    return Dual(*(each[kept] for each in parts)), totals
