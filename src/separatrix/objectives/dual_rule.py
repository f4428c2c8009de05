"""Dual points of more rows than can be named: alpha follows from the margin of each row, but for the rows of a band.

Any alpha within its bounds gives a lower bound once it is feasible, so a rule need not be right to be safe: a row whose
alpha rounding decides is counted with the alpha that it got, in the one pass that adds everything up.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from separatrix.enclosures.exact_sums import product_below
from separatrix.objectives.values import DualPoint
from separatrix.problem import Problem
from separatrix.rows import Vector


@dataclass(frozen=True, eq=False)
class SquaredHingeRule:
    """The dual point of a squared hinge: alpha_i = 2 C c_i max(0, 1 - y_i (w.x_i + b)), which is optimal where w is.

    Attributes
    ----------
    C : float
        Of the objective.
    w, b : ndarray, float
        The plane that rows violate the margin of, or do not.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.dual_rule import SquaredHingeRule
    >>> from separatrix.problem import Problem
    >>> point = SquaredHingeRule(2.0, np.array([1.0]), 0.0).within(
    ...     Problem(np.array([[0.5], [3.0]]), np.ones(2, int)), 0
    ... )
    >>> point.support.tolist(), point.alpha.tolist()
    ([0], [2.0])
    """

    C: float
    w: Vector
    b: float

    support: ClassVar[np.ndarray] = np.zeros(0, dtype=np.int64)  # no row is named

    def is_about(self, objective: Any) -> bool:
        """Whether the objective is a squared hinge of this C."""
        soft = getattr(objective, "squared", False) and not getattr(objective, "hard", True)
        return bool(soft) and objective.C == self.C

    def within(self, block: Problem, first: int) -> DualPoint:
        """The part in a block of rows, by the numbers of rows in the block."""
        slack = np.maximum(0.0, 1.0 - block.margins(self.w, self.b))
        support = np.flatnonzero(slack)
        return DualPoint(support, 2.0 * self.C * block.cost[support] * slack[support])


@dataclass(frozen=True, eq=False)
class HingeBand:
    """The dual point of a hinge: alpha_i = C c_i where y_i (w.x_i + b) < 1, else 0, but for named rows.

    Attributes
    ----------
    C : float
        Of the objective.
    w, b : ndarray, float
        The plane that rows violate the margin of, or do not.
    support, alpha : ndarray
        The rows near the margin, in order, and the alpha of each.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.dual_rule import HingeBand
    >>> from separatrix.problem import Problem
    >>> rule = HingeBand(2.0, np.array([1.0]), 0.0, np.array([2]), np.array([0.25]))
    >>> point = rule.within(Problem(np.array([[0.5], [3.0], [1.0]]), np.array([1, 1, 1])), 0)
    >>> point.support.tolist(), point.alpha.tolist()
    ([0, 2], [2.0, 0.25])
    """

    C: float
    w: Vector
    b: float
    support: np.ndarray
    alpha: Vector

    equal_lengths: ClassVar[tuple[str, ...]] = ("support", "alpha")

    def is_about(self, objective: Any) -> bool:
        """Whether the objective is a hinge of this C, and each named row has one alpha."""
        return (
            bool(getattr(objective, "boxed", False))
            and objective.C == self.C
            and self.support.shape == self.alpha.shape
        )

    def within(self, block: Problem, first: int) -> DualPoint:
        """The part in a block of rows that begins with row number `first`, by the numbers of rows in the block."""
        alpha = product_below(np.full(block.n_rows, self.C), block.cost)
        present = block.margins(self.w, self.b) < 1.0
        named = DualPoint(self.support, self.alpha).within(block, first)
        alpha[named.support], present[named.support] = named.alpha, True
        support = np.flatnonzero(present)
        return DualPoint(support, alpha[support])


DualRule: TypeAlias = SquaredHingeRule | HingeBand
