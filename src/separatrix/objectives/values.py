"""What an objective makes of a model and a dual point: two values that enclose the optimum.

dual <= optimum <= primal,      ||w - w*||^2 <= 2 (primal - dual)   where 1/2 ||w||^2 is part of the objective
"""

from typing import NamedTuple, Protocol

import numpy as np

from separatrix.enclosures.interval import Interval, quotient_up, sum_up
from separatrix.problem import Problem
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector

ROUNDING = 64.0 * UNIT_ROUNDOFF  # by which weights that are added up may differ from what they are compared with


class Values(NamedTuple):
    """An upper bound of the primal value of a model, a lower bound of the optimum, and how much is rounding.

    Both hold for the doubles as they are stored. `rounding` is the width of the enclosures that they are ends of.
    """

    primal: float
    dual: float
    rounding: float

    @classmethod
    def of(cls, primal: Interval, dual: Interval, radius: float = 0.0) -> "Values":
        """The outer ends of two enclosures; of the dual value rounding may have taken more, by so far a radius."""
        widths = [end.high - end.low for end in (primal, dual) if end.high - end.low < np.inf]
        return cls(primal.high, dual.low, float(sum(widths)) + (2.0 * radius if radius < np.inf else 0.0))

    @property
    def gap(self) -> float:
        """P - D, rounded up, which is never negative."""
        if not self.primal < np.inf:
            return np.inf
        return max(sum_up(self.primal, -self.dual), 0.0)

    @property
    def relative(self) -> float:
        """The gap as a part of the larger value, which counts as 2.2e-308 where it is smaller, rounded up."""
        gap, size = self.gap, max(abs(self.primal), abs(self.dual), TINY)
        return quotient_up(gap, size) if 0.0 < gap < np.inf and size < np.inf else gap


NO_VALUES = Values(np.inf, -np.inf, 0.0)  # where nothing is bounded


class DualPoint(NamedTuple):
    """Dual variables: the rows that have one, and their alpha. Objectives that make their own need none."""

    support: np.ndarray
    alpha: Vector

    def within(self, block: Problem, first: int) -> "DualPoint":
        """The part in a block of rows that begins with row number `first`, by the numbers of rows in the block."""
        if first == 0 and (not self.support.size or self.support[-1] < block.n_rows):
            return self
        inside = (self.support >= first) & (self.support < first + block.n_rows)
        return DualPoint(self.support[inside] - first, self.alpha[inside])


def best_multiple(linear: float, quadratic: float) -> float:
    """The t from 0 to 1 with the largest t linear - t^2 quadratic / 2: the best multiple of a feasible point."""
    if not linear > 0.0:
        return 0.0
    return min(1.0, linear / quadratic) if quadratic > 0.0 else 1.0


NO_DUAL_POINT = DualPoint(np.zeros(0, dtype=np.int64), np.zeros(0))


class Objective(Protocol):
    """What is minimised: the only place that knows a formulation."""

    @property
    def formula(self) -> str:
        """The objective as text, for people."""

    @property
    def penalised(self) -> bool:
        """Whether 1/2 ||w||^2 is part of it, so that the gap bounds how far w is from the optimal one."""

    @property
    def unproved(self) -> str:
        """What to say where nothing is proved."""

    def conclusion(self, most: str) -> str:
        """What a relative gap of at most so much means, for people."""

    def separates(self, values: Values) -> bool:
        """Whether values are those of planes that keep every row on its own side, which is proved besides."""

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """The primal value of planes and the dual value of alpha, repaired to be feasible, from the rows."""
