"""One dual for every kernel machine: how the formulations differ, and how an answer is read back.

    min 1/2 sum_pq beta_p beta_q K(x_p, x_q) + 1/2 sum_p ridge_p alpha_p^2 - sum_p required_p alpha_p
    0 <= alpha_p <= upper_p,    beta_p = s_p alpha_p,    sum over each group g of beta_p = total_g

    soft margin          a variable a row, s = y, required 1; one group, total 0
    epsilon-insensitive  two a row, s = +-1, required s y - epsilon; one group, total 0
    nu regression        two a row, s = +-1, required s y; groups by s, totals +-C nu W / 2; b_+- = b +- epsilon
    nu margin            a variable a row, s = y, required 0; groups by y, totals +-nu W / 2; b_+- = b -+ rho
    novelty              a variable a row, s = 1, required 0; one group, total nu W; b = -rho

The multiplier of a group is its offset b_g. W is the sum of all costs; rows that cost nothing have no variable. Targets
are measured from a centre in units of their spread, and alpha of nu margins in units in which all add up to 1 / mean
K_ii, so that scores are of the size 1.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.problem import Problem
from separatrix.rows import TINY, Vector
from separatrix.solvers.kernel.block_smo import Dual
from separatrix.solvers.regression.linear_svr import Scale
from separatrix.solvers.svm.best_offset import least_offset

NEGLIGIBLE_ALPHA = 1e-14  # part of the largest alpha, below which one is rounding


class Answer(NamedTuple):
    """The dual variable and the coefficient of each row, the offset, and by how much the model's is less."""

    dual: Vector
    coefficients: Vector
    b: float
    threshold: float = 0.0

    def claim(self, problem: Problem) -> DualityGap:
        """The certificate, from the rows."""
        size = np.abs(self.dual)
        support = np.flatnonzero(size > NEGLIGIBLE_ALPHA * size.max(initial=0.0))
        return DualityGap.issue(problem, self.coefficients[support], self.b, self.dual[support], support)


@dataclass(frozen=True, eq=False)
class GroupedDual:
    """The dual of a problem of distinct rows, and the total of each group; none without an offset."""

    problem: Problem
    dual: Dual
    totals: Vector

    def beta(self, alpha: Vector) -> Vector:
        """The sum of s alpha over the variables of each row."""
        return self.dual.beta(alpha, self.problem.n_rows)

    def group_sums(self, alpha: Vector) -> Vector:
        """The sum of s alpha over each group."""
        return np.bincount(self.dual.group, self.dual.y * alpha, self.totals.size)[: self.totals.size]

    def offsets(self, scores: Vector) -> Vector:
        """The best offset of each group for scores of all rows, or the middle of all that are."""
        dual, squared = self.dual, bool(self.dual.ridge.any())
        turns = dual.y * dual.required - scores[dual.row]
        weights = 1.0 / dual.ridge if squared else np.where(np.isfinite(dual.upper), dual.upper, 1.0)
        groups = [np.flatnonzero(dual.group == g) for g in range(self.totals.size)]
        pairs = zip(groups, self.totals.tolist(), strict=True)
        found = [least_offset(turns[own], dual.y[own] > 0.0, weights[own], squared, total) for own, total in pairs]
        return np.array(found)

    def answer(self, alpha: Vector, offsets: Vector) -> Answer:
        """What is claimed of an alpha of all variables and the offset of each group: both as they are."""
        return Answer(alpha, self.dual.y * alpha, float(offsets[0]) if offsets.size else 0.0)

    def answers(self, alpha: Vector, offsets: Vector) -> list[Answer]:
        """What may be claimed."""
        return [self.answer(alpha, offsets)]


def margin_dual(problem: Problem) -> GroupedDual:
    """The dual of a soft or hard margin between two classes."""
    cost, objective, everything = problem.cost, problem.objective, np.arange(problem.n_rows)
    signs, required = problem.signs.astype(np.float64), np.ones(cost.size)
    bounds = objective.upper(cost), objective.dual_ridge(cost)
    dual = Dual(signs, *bounds, required, np.zeros(cost.size, dtype=np.int64), everything)
    return GroupedDual(problem, dual, np.zeros(int(problem.fit_intercept)))


@dataclass(frozen=True, eq=False)
class TubeDual(GroupedDual):
    """Regression: beta and b in units of the targets' spread."""

    scale: Scale

    @classmethod
    def of(cls, problem: Problem) -> "TubeDual":
        """The dual of an epsilon-insensitive loss, or of the nu form, where epsilon is a multiplier."""
        scale = Scale.of(problem)
        return cls(problem, *dual_of(scale.problem(problem)), scale)

    def answer(self, alpha: Vector, offsets: Vector) -> Answer:
        """Beta and b in units of the targets; b is in the middle of the offsets of two groups."""
        beta, b = self.scale.unit * self.beta(alpha), float(offsets.mean()) if offsets.size else 0.0
        return Answer(beta, beta, self.scale.centre + self.scale.unit * b)


@dataclass(frozen=True, eq=False)
class NuMarginDual(GroupedDual):
    """Margins whose width is a multiplier, rho: alpha = unit times that of the dual."""

    unit: float

    @classmethod
    def of(cls, problem: Problem, diagonal: Vector) -> "NuMarginDual":
        """The dual of two classes, or of novelty detection where there is no offset; K_ii of each row is given."""
        dual, totals = dual_of(problem)
        unit = float(np.abs(totals).sum()) * max(float(diagonal.mean()), TINY)
        return cls(problem, dual._replace(upper=dual.upper / unit), totals / unit, unit)

    def answer(self, alpha: Vector, offsets: Vector) -> Answer:
        """The plane with rho = 1, or 0 where there is none; for novelty as it is, with rho for a threshold."""
        beta = self.unit * self.beta(alpha)
        if offsets.size == 1:
            return Answer(beta, beta, 0.0, -self.unit * float(offsets[0]))
        rho, b = 0.5 * self.unit * float(offsets[1] - offsets[0]), self.unit * float(offsets.mean())
        return Answer(np.abs(beta), beta / rho, b / rho) if rho > 0.0 else self.no_plane(alpha)

    def answers(self, alpha: Vector, offsets: Vector) -> list[Answer]:
        """The plane, and w = 0, which is the optimum where the sums of both classes can be equal."""
        return [self.answer(alpha, offsets), self.no_plane(alpha)]

    def no_plane(self, alpha: Vector) -> Answer:
        """Alpha with coefficients of 0."""
        return Answer(self.unit * np.abs(self.beta(alpha)), np.zeros(self.problem.n_rows), 0.0)


def dual_of(problem: Problem) -> tuple[Dual, Vector]:
    """The dual of the problem's objective by its `form`: a further multiplier makes a group of each sign."""
    objective: Any = problem.objective
    form = objective.form(problem)
    row = np.tile(np.arange(problem.n_rows), form.signs.size // problem.n_rows)
    kept = np.flatnonzero(problem.cost[row])
    two = bool(form.border) and problem.fit_intercept
    group = ((form.signs < 0.0) & two).astype(np.int64)
    parts = (form.signs, form.upper, form.ridge, form.required, group, row)
    total = abs(form.total)
    totals = (
        np.array([0.5 * total, -0.5 * total])
        if two
        else np.full(int(problem.fit_intercept or bool(form.border)), total)
    )
    return Dual(*(each[kept] for each in parts)), totals
