"""Dual points of more rows than can be named: alpha follows from the margin of each row, but for the rows of a band.

In regression beta, with the sign of the residual, follows from how far a row is beyond the tube.

Any alpha within its bounds gives a lower bound once it is feasible, so a rule need not be right to be safe: a row whose
alpha rounding decides is counted with the alpha that it got, in the one pass that adds everything up.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from separatrix.enclosures.exact_sums import product_below
from separatrix.objectives.values import DualPoint
from separatrix.problem import Problem
from separatrix.products import scores
from separatrix.rows import Vector

NO_ROWS = np.zeros(0, dtype=np.int64)  # are named


@dataclass(frozen=True, eq=False)
class RuleOfPlane:
    """A dual point that is made of a plane, as it is optimal where the plane is.

    Attributes
    ----------
    C : float
        Of the objective.
    w, b : ndarray, float
        The plane.
    """

    C: float
    w: Vector
    b: float

    def residuals(self, block: Problem) -> Vector:
        """y - (w.x + b) of each row."""
        return block.y - (scores(block.X, self.w) + self.b)

    def with_named(self, alpha: Vector, named: DualPoint) -> DualPoint:
        """The dual point that has alpha, but for the rows that are named."""
        present = alpha != 0.0
        alpha[named.support], present[named.support] = named.alpha, True
        support = np.flatnonzero(present)
        return DualPoint(support, alpha[support])


@dataclass(frozen=True, eq=False)
class SquaredHingeRule(RuleOfPlane):
    """The dual point of a squared hinge: alpha_i = 2 C c_i max(0, 1 - y_i (w.x_i + b)).

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

    support: ClassVar[np.ndarray] = NO_ROWS

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
class SquaredTubeRule(RuleOfPlane):
    """The dual point of squared excesses of a tube: |beta_i| = 2 C c_i max(0, |y_i - w.x_i - b| - epsilon).

    Attributes
    ----------
    C : float
        Of the objective.
    w, b : ndarray, float
        The plane that the tube is around.
    epsilon : float
        Half the width of the tube.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.dual_rule import SquaredTubeRule
    >>> from separatrix.problem import Problem
    >>> rows = Problem.of_numbers(np.array([[1.0], [2.0]]), np.array([0.0, 2.0]))
    >>> point = SquaredTubeRule(2.0, np.array([1.0]), 0.0, 0.5).within(rows, 0)
    >>> point.support.tolist(), point.alpha.tolist()
    ([0], [-2.0])
    """

    epsilon: float

    support: ClassVar[np.ndarray] = NO_ROWS

    def is_about(self, objective: Any) -> bool:
        """Whether the objective is that of squared excesses of this tube."""
        wanted = "squared", "C", "epsilon"
        return [getattr(objective, name, None) for name in wanted] == [True, self.C, self.epsilon]

    def within(self, block: Problem, first: int) -> DualPoint:
        """The part in a block of rows, by the numbers of rows in the block."""
        off = self.residuals(block)
        excess = np.maximum(0.0, np.abs(off) - self.epsilon)
        support = np.flatnonzero(excess)
        beta = 2.0 * self.C * block.cost[support] * excess[support]
        return DualPoint(support, np.copysign(beta, off[support]))


@dataclass(frozen=True, eq=False)
class HingeBand(RuleOfPlane):
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

    support: np.ndarray
    alpha: Vector

    equal_lengths: ClassVar[tuple[str, ...]] = ("support", "alpha")

    def is_about(self, objective: Any) -> bool:
        """Whether the objective is a hinge of this C, and each named row has one alpha."""
        boxed = bool(getattr(objective, "boxed", False)) and objective.C == self.C
        return boxed and self.support.shape == self.alpha.shape

    def within(self, block: Problem, first: int) -> DualPoint:
        """The part in a block of rows that begins with row number `first`, by the numbers of rows in the block."""
        alpha = product_below(np.full(block.n_rows, self.C), block.cost)
        alpha[block.margins(self.w, self.b) >= 1.0] = 0.0
        return self.with_named(alpha, DualPoint(self.support, self.alpha).within(block, first))


@dataclass(frozen=True, eq=False)
class TubeBand(RuleOfPlane):
    """The dual point of a tube: |beta_i| = C c_i where |y_i - w.x_i - b| > epsilon, else 0, but for named rows.

    Attributes
    ----------
    C : float
        Of the objective.
    w, b : ndarray, float
        The plane that the tube is around.
    epsilon : float
        Half the width of the tube.
    support, alpha : ndarray
        The rows near the border of the tube, in order, and the beta of each.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.dual_rule import TubeBand
    >>> from separatrix.problem import Problem
    >>> rule = TubeBand(2.0, np.array([1.0]), 0.0, 0.5, np.array([2]), np.array([0.25]))
    >>> point = rule.within(Problem.of_numbers(np.array([[1.0], [2.0], [3.0]]), np.array([0.0, 2.0, 3.5])), 0)
    >>> point.support.tolist(), point.alpha.tolist()
    ([0, 2], [-2.0, 0.25])
    """

    epsilon: float
    support: np.ndarray
    alpha: Vector

    equal_lengths: ClassVar[tuple[str, ...]] = ("support", "alpha")

    def is_about(self, objective: Any) -> bool:
        """Whether the objective is that of this tube, and each named row has one beta."""
        wanted = "squared", "C", "epsilon"
        same = [getattr(objective, name, None) for name in wanted] == [False, self.C, self.epsilon]
        return same and self.support.shape == self.alpha.shape

    def within(self, block: Problem, first: int) -> DualPoint:
        """The part in a block of rows that begins with row number `first`, by the numbers of rows in the block."""
        off, beta = self.residuals(block), product_below(np.full(block.n_rows, self.C), block.cost)
        beta = np.where(np.abs(off) > self.epsilon, np.copysign(beta, off), 0.0)
        return self.with_named(beta, DualPoint(self.support, self.alpha).within(block, first))


@dataclass(frozen=True, eq=False)
class FlatHingeRule(RuleOfPlane):
    """The dual point of a hinge whose optimum is w = 0: alpha_i = C c_i in the lighter class, and clipped in the other.

    There alpha_i = C c_i max(0, min(1, w.x_i + b)), of a w and b that have nothing to do with the plane of the model:
    they balance both classes and their weighted sums of rows, wherever the one lies among the other.

    Attributes
    ----------
    C : float
        Of the objective.
    w, b : ndarray, float
        The affine function that is clipped.
    lighter : int
        The class with less weight, 0 or 1.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.dual_rule import FlatHingeRule
    >>> from separatrix.problem import Problem
    >>> rows = Problem(np.array([[0.0], [-1.0], [1.0]]), np.array([1, 0, 0]))
    >>> FlatHingeRule(2.0, np.array([0.0]), 0.5, 1).within(rows, 0).alpha.tolist()
    [2.0, 1.0, 1.0]
    """

    lighter: int

    support: ClassVar[np.ndarray] = NO_ROWS

    def is_about(self, objective: Any) -> bool:
        """Whether the objective is a hinge of this C."""
        return bool(getattr(objective, "boxed", False)) and objective.C == self.C

    def within(self, block: Problem, first: int) -> DualPoint:
        """The part in a block of rows, by the numbers of rows in the block."""
        share = np.clip(scores(block.X, self.w) + self.b, 0.0, 1.0)
        share[block.y == self.lighter] = 1.0
        support = np.flatnonzero(share)
        return DualPoint(support, product_below(np.full(support.size, self.C), block.cost[support]) * share[support])


DualRule: TypeAlias = SquaredHingeRule | SquaredTubeRule | HingeBand | TubeBand | FlatHingeRule
