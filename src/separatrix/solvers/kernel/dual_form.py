"""One dual for every kernel machine: how the formulations differ, and how an answer is read back.

    min 1/2 sum_pq beta_p beta_q K(x_p, x_q) + 1/2 sum_p ridge_p alpha_p^2 - sum_p required_p alpha_p,    beta_p = s_p alpha_p
    0 <= alpha_p <= upper_p,      sum over each group g of beta_p = total_g, whose multiplier is the offset b_g

    soft margin          a variable a row, s = y, required 1; one group, total 0
    epsilon-insensitive  two a row, s = +-1, required s y - epsilon; one group, total 0
    nu regression        two a row, s = +-1, required s y; groups by s, totals +-C nu W / 2; b_+- = b +- epsilon
    nu margin            a variable a row, s = y, required 0; groups by y, totals +-nu W / 2; b_+- = b -+ rho
    novelty              a variable a row, s = 1, required 0; one group, total nu W; b = -rho

W is the sum of all costs. Rows that cost nothing have no variable. Targets are measured from their centre in units of
their spread, and alpha of nu margins in units in which all add up to 1 / mean K_ii, so that scores are of the size 1.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.problem import Problem
from separatrix.rows import TINY, Vector
from separatrix.solvers.kernel.block_smo import Dual

NEGLIGIBLE_ALPHA = 1e-14  # part of the largest alpha, below which one is rounding


class Answer(NamedTuple):
    """What is claimed of each row: its dual variable and its coefficient; the offset, and what the model's is less by."""

    dual: Vector
    coefficients: Vector
    b: float
    threshold: float = 0.0

    def claim(self, problem: Problem) -> DualityGap:
        """The certificate, from the rows."""
        size = np.abs(self.dual)
        support = np.flatnonzero(size > NEGLIGIBLE_ALPHA * size.max(initial=0.0))
        return DualityGap.issue(problem, self.coefficients[support], self.b, self.dual[support], support)


@dataclass(frozen=True)
class Form:
    """The dual of a problem of distinct rows, and the total of each group; none without an offset."""

    problem: Problem
    dual: Dual
    totals: Vector

    def rows_of(self, alpha: Vector) -> Vector:
        """Beta of each row."""
        return self.dual.beta(alpha, self.problem.n_rows)

    def answer(self, alpha: Vector, offsets: Vector) -> Answer:
        """What is claimed of an alpha of all variables and the offset of each group."""
        raise NotImplementedError


class Margin(Form):
    """Soft and hard margins between two classes."""

    @classmethod
    def of(cls, problem: Problem) -> "Margin":
        """The dual of the problem's objective."""
        cost, objective, everything = problem.cost, problem.objective, np.arange(problem.n_rows)
        signs, required = problem.signs.astype(np.float64), np.ones(cost.size)
        bounds = objective.upper(cost), objective.dual_ridge(cost)
        dual = Dual(signs, *bounds, required, np.zeros(cost.size, dtype=np.int64), everything)
        return cls(problem, dual, np.zeros(int(problem.fit_intercept)))

    def answer(self, alpha: Vector, offsets: Vector) -> Answer:
        """Alpha and b as they are."""
        return Answer(alpha, self.dual.y * alpha, float(offsets[0]) if offsets.size else 0.0)


@dataclass(frozen=True)
class Tube(Form):
    """Regression: targets y = centre + spread y', beta in units of the spread."""

    centre: float
    spread: float

    @classmethod
    def of(cls, problem: Problem) -> "Tube":
        """The dual of an epsilon-insensitive loss, or of the nu form, where epsilon is a multiplier."""
        objective: Any = problem.objective
        kept = np.flatnonzero(problem.cost)
        y, cost = problem.y[kept], problem.cost[kept]
        centre, spread = middle_of(y, problem.fit_intercept)
        targets, signs = (y - centre) / spread, np.repeat([1.0, -1.0], kept.size)
        unit = 1.0 if objective.squared else spread
        upper, ridge = (np.tile(each, 2) for each in (objective.upper(cost) / unit, objective.dual_ridge(cost)))
        width = getattr(objective, "epsilon", 0.0) / spread
        required, group = signs * np.tile(targets, 2) - width, np.zeros(signs.size, dtype=np.int64)
        totals = np.zeros(int(problem.fit_intercept))
        if hasattr(objective, "nu"):
            group, half = (signs < 0.0).astype(np.int64), 0.5 * objective.total(cost) / spread
            totals = np.array([half, -half])
        return cls(problem, Dual(signs, upper, ridge, required, group, np.tile(kept, 2)), totals, centre, spread)

    def answer(self, alpha: Vector, offsets: Vector) -> Answer:
        """Beta and b in units of the targets; between the offsets of two groups is b, half their distance epsilon."""
        beta, b = self.spread * self.rows_of(alpha), float(offsets.mean()) if offsets.size else 0.0
        return Answer(beta, beta, self.centre + self.spread * b)


@dataclass(frozen=True)
class NuMargins(Form):
    """Margins whose width is a multiplier, rho: alpha = unit times that of the dual."""

    unit: float

    @classmethod
    def of(cls, problem: Problem, diagonal: Vector) -> "NuMargins":
        """The dual of two classes, or of novelty detection where there is no offset; K_ii of each row is given."""
        kept = np.flatnonzero(problem.cost)
        cost, signs = problem.cost[kept], problem.signs[kept].astype(np.float64)
        total = problem.objective.total(cost)
        unit = total * max(float(diagonal.mean()), TINY)
        two, none = problem.fit_intercept, np.zeros(kept.size)
        group = ((signs < 0.0) & two).astype(np.int64)
        totals = (np.array([0.5, -0.5]) if two else np.ones(1)) * (total / unit)
        return cls(problem, Dual(signs, cost / unit, none, none, group, kept), totals, unit)

    def answer(self, alpha: Vector, offsets: Vector) -> Answer:
        """The plane with rho = 1, or 0 where there is none; for novelty as it is, with rho for a threshold."""
        beta = self.unit * self.rows_of(alpha)
        if offsets.size == 1:
            return Answer(beta, beta, 0.0, max(-self.unit * float(offsets[0]), 0.0))
        rho, b = 0.5 * self.unit * float(offsets[1] - offsets[0]), self.unit * float(offsets.mean())
        if not rho > 0.0:
            return self.no_plane(alpha)
        return Answer(np.abs(beta), beta / rho, b / rho)

    def no_plane(self, alpha: Vector) -> Answer:
        """w = 0, the optimum where the sums of both classes can be equal."""
        return Answer(self.unit * np.abs(self.rows_of(alpha)), np.zeros(self.problem.n_rows), 0.0)


def middle_of(y: Vector, fit_intercept: bool) -> tuple[float, float]:
    """A number in the middle of targets, 0 without an offset, and how far off half of them are; never 0."""
    centre = float(np.median(y)) if fit_intercept and y.size else 0.0
    away = np.abs(y - centre)
    spread = float(np.median(away)) if away.size else 0.0
    spread = spread or float(away.max(initial=0.0)) or abs(centre)
    return centre, spread or 1.0
