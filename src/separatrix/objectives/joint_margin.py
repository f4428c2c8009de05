"""The objective of one support vector machine for several classes, and its dual (Crammer and Singer, 2001).

    primal   1/2 sum_k ||w_k||^2 + sum_i c_i slack_i,     slack_i = max(0, max over k of 1 - (g_y(x_i) - g_k(x_i)))
    dual     sum_i sum_k q_ik - 1/2 sum_k ||w_k||^2,      q_ik >= 0,    sum_k q_ik <= c_i

g_k(x) = w_k.x + b_k is the score of class k, y the class of row i, and every other class k a rival. c_i is C times what
an error on row i costs. In the dual w_k is the sum of (sum_j q_ij) x_i over the rows i of class k, less that of
q_ik x_i over all other rows. Offsets are not penalised, and demand besides that q is balanced between the classes:

    sum of q_ij over the rows of a class, all j    =    sum of q_ij over all rows of others, its own j

That is the constraint of multinomial logistic discrimination, and q is repaired in the same way: rows above their bound
are scaled down to it, and then all by factors that balance them (`log_loss.balancing_factors`).
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from separatrix.objectives.log_loss import (
    balancing_factors,
    flow_between_classes,
    scaled_probabilities,
    score_differences,
    score_gradients,
)
from separatrix.objectives.values import ROUNDING, DualPoint, Values
from separatrix.problem import Plane, Problem
from separatrix.problem.fold import CentredSum, Fold, added
from separatrix.products import score_size
from separatrix.rows import TINY, Vector


@dataclass(frozen=True)
class JointMargin:
    """The objective: C, what a unit of slack costs. The dual point has q of the support rows, a column for each class.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives import JointMargin
    >>> from separatrix.objectives.values import DualPoint
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[0.0], [2.0], [4.0]]), np.array([0, 1, 2]), 3)
    >>> q = np.array([[0.0, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.0]])  # each row with its neighbours
    >>> dual = DualPoint(np.arange(3), q)
    >>> JointMargin(C=1.0).values(problem, np.array([[-1.0], [0.0], [1.0]]), np.array([1.0, 0.0, -3.0]), dual)[:2]
    (1.0, 1.0)
    """

    C: float = 1.0

    penalised: ClassVar[bool] = True  # 1/2 sum ||w_k||^2 is part of it
    unproved: ClassVar[str] = "Nothing is proved: the objective of these planes is not finite."

    @property
    def formula(self) -> str:
        """The objective as text, for people."""
        return f"1/2 ||W||^2 + {self.C:g} sum max(0, 1 - (W x + b)_y + max of the other (W x + b))"

    def conclusion(self, most: str) -> str:
        """What a relative gap of at most so much means, for people."""
        return f"No planes have a better objective by more than {most} of it; anyone can check it again from the data."

    def separates(self, values: Values) -> bool:
        """Whether every row must be on its own side: never, as slack is allowed."""
        return False

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint) -> Values:
        """Primal and dual value, from the rows."""
        return self.fold(w, b, dual).over([problem])

    def fold(self, w: Vector, b: float | Vector, dual: DualPoint) -> Fold:
        """Primal and dual value, from blocks of rows: slacks and the flow between classes, then the dual point."""
        planes = Plane(w, b)

        def second_pass(found: Slacks) -> Fold:
            factors = balancing_factors(found.flow) if found.balanced else np.ones_like(found.flow)

            def tally(block: Problem, first: int) -> DualSums:
                return dual_sums(self.C, block, dual.within(block, first), factors)

            return Fold(tally, added, lambda sums: values_of(planes, found, sums))

        return Fold(
            lambda block, first: slack_sums(self.C, block, planes, dual.within(block, first)),
            Slacks.merged,
            second_pass,
        )


class Slacks(NamedTuple):
    """Sums over rows: what slack costs, how far rounding may move that, the flow of q; whether there are offsets."""

    losses: float
    rounding: float
    flow: Vector
    balanced: bool

    def merged(self, other: "Slacks") -> "Slacks":
        """The sums over the rows of both."""
        return added(self, other)._replace(balanced=self.balanced)


class DualSums(NamedTuple):
    """Sums over the rows of a dual point: q, and the normals, a column for each class."""

    total: float
    normal: CentredSum


@np.errstate(over="ignore", invalid="ignore")
def slack_sums(C: float, block: Problem, planes: Plane, dual: DualPoint) -> Slacks:
    """What a first pass over rows adds up."""
    scores = planes.scores(block.X)
    slack, costs = largest_violations(scores, block.y), C * block.cost
    sizes = max(score_size(block.X, w) for w in planes.w) + float(np.abs(planes.b).max())
    of_scores = ROUNDING * (1.0 + float(np.abs(scores).max(initial=0.0)) + sizes)
    rounding = of_scores * float(costs @ (slack > -of_scores))  # elsewhere there is no slack, whatever rounding does
    q, y = feasible(C, block, dual), block.y[dual.support]
    flow = flow_between_classes(q, y, np.ones(len(y)), block.n_classes)
    return Slacks(float(costs @ np.maximum(slack, 0.0)), rounding, flow, block.fit_intercept)


def dual_sums(C: float, block: Problem, dual: DualPoint, factors: Vector) -> DualSums:
    """What a second pass over rows adds up, with q made feasible."""
    y = block.y[dual.support]
    q = scaled_probabilities(feasible(C, block, dual), y, factors)
    return DualSums(float(q.sum()), CentredSum.of(block, -score_gradients(q, y), dual.support))


def values_of(planes: Plane, found: Slacks, sums: DualSums) -> Values:
    """Primal and dual value, with a bound on what rounding made of them."""
    square, dual_square = float(np.sum(planes.w * planes.w)), float(np.sum(sums.normal.total**2))
    rounding = ROUNDING * (square + found.losses + dual_square + sums.total) + found.rounding
    return Values(0.5 * square + found.losses, sums.total - 0.5 * dual_square, rounding)


def largest_violations(scores: Vector, y: np.ndarray) -> Vector:
    """1 - (the score of the own class less the largest of the others), for each row; slack where it is above 0.

    >>> largest_violations(np.array([[2.0, 0.5, 0.0], [2.0, 0.5, 0.0]]), np.array([0, 1])).tolist()
    [-0.5, 2.5]
    """
    violations = score_differences(scores, y)
    violations += 1.0
    violations[np.arange(len(y)), y] = -np.inf
    return violations.max(axis=1)


def feasible(C: float, block: Problem, dual: DualPoint) -> Vector:
    """q of the support rows with no negative number, 0 for the own class, each row scaled down to its bound.

    Where q is not a number for each support row and class, it is 0, which is feasible too.

    >>> block, q = Problem(np.ones((2, 1)), np.array([0, 1]), 3), np.array([[9.0, 3.0, 1.0], [-1.0, 0.0, 0.5]])
    >>> feasible(2.0, block, DualPoint(np.arange(2), q)).tolist()
    [[0.0, 1.5, 0.5], [0.0, 0.0, 0.5]]
    """
    support = dual.support
    if dual.alpha.shape != (support.size, block.n_classes):
        return np.zeros((support.size, block.n_classes))
    q = np.fmax(dual.alpha, 0.0)
    q[np.arange(support.size), block.y[support]] = 0.0
    q[~np.isfinite(q)] = 0.0
    bounds = np.maximum(C * block.cost[support], TINY)
    return q * (bounds / np.maximum(q.sum(axis=1), bounds))[:, None]
