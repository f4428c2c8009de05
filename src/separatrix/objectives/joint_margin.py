"""The objective of one support vector machine for several classes, and its dual (Crammer and Singer, 2001).

    primal   1/2 sum_k ||w_k||^2 + sum_i c_i slack_i,     slack_i = max(0, max over k of 1 - (g_y(x_i) - g_k(x_i)))
    dual     sum_i sum_k q_ik - 1/2 sum_k ||w_k||^2,      q_ik >= 0,    sum_k q_ik <= c_i

g_k(x) = w_k.x + b_k is the score of class k, y the class of row i, and every other class k a rival. c_i is C times what
an error on row i costs. In the dual w_k is the sum of (sum_j q_ij) x_i over the rows i of class k, less that of
q_ik x_i over all other rows. Offsets are not penalised, and demand besides that q is balanced between the classes:

    sum of q_ij over the rows of a class, all j    =    sum of q_ij over all rows of others, its own j

That is the constraint of multinomial logistic discrimination, and q is repaired in the same way: rows above their bound
are scaled down to it, and then all by factors that balance them (`log_loss.balancing_factors`). What rounding leaves of
the balance of a class is made up for by one row of it, or of a class that all are balanced with, which is part of the
enclosure of the dual value.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from separatrix.enclosures import (
    Enclosed,
    Interval,
    enclosed_combination,
    enclosed_scores,
    enclosed_square,
    enclosed_sum,
)
from separatrix.enclosures.exact_sums import exact_affine, exact_combination, exact_total, product_below
from separatrix.objectives.likelihood.dual_sums import side_by_side
from separatrix.objectives.log_loss import (
    balancing_factors,
    flow_between_classes,
    scaled_probabilities,
    score_differences,
    score_gradients,
)
from separatrix.objectives.soft_margin_sums import is_affordable, is_uncertain, losses_of, squared_length
from separatrix.objectives.values import DualPoint, Values, best_multiple
from separatrix.problem import Problem
from separatrix.problem.fold import Fold, centre_of
from separatrix.rows import CSR, TINY, UNIT_ROUNDOFF, Vector, dense_row, n_entries, rounding_bound, take


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
    (1.0000000000..., 0.9999999999...)
    """

    C: float = 1.0

    squared: ClassVar[bool] = False
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
        """Primal and dual value, from the rows; by sums that are rounded once, where rounding is part of their gap."""
        planes = np.atleast_2d(w), np.atleast_1d(b)
        scores = enclosed_scores(problem.X, planes[0].T, planes[1])
        known = Known(0.5 * enclosed_square(planes[0]), slack_sums(self.C, problem, scores, dual))
        found = dual_sums(self.C, known.sums, problem, dual)
        values = known.values(found)
        if not is_uncertain(values, known.primal.radius + found.radius, problem.n_planes * n_entries(problem.X)):
            return values
        slack = slacks_of(scores, problem.y)
        counting = np.flatnonzero(~(slack.value < -slack.radius))
        if is_affordable(problem, np.repeat(counting, problem.n_planes)):
            exactly = with_exact_scores(problem, planes, counting, scores)
            known = known._replace(sums=slack_sums(self.C, problem, exactly, dual))
        return known.values(with_exact_sums(self.C, known.sums, problem, dual, found))

    def fold(self, w: Vector, b: float | Vector, dual: DualPoint) -> Fold:
        """Primal and dual value, from blocks of rows: slacks and the flow between classes, then the dual point."""
        planes = np.atleast_2d(w), np.atleast_1d(b)

        def second_pass(sums: SlackSums) -> Fold:
            known = Known(0.5 * enclosed_square(planes[0]), sums)
            return Fold(
                lambda block, first: dual_sums(self.C, sums, block, dual.within(block, first)),
                DualSums.merged,
                known.values,
            )

        def first_pass(block: Problem, first: int) -> SlackSums:
            scores = enclosed_scores(block.X, planes[0].T, planes[1])
            return slack_sums(self.C, block, scores, dual.within(block, first))

        return Fold(first_pass, SlackSums.merged, second_pass)


class SlackSums(NamedTuple):
    """Sums over rows: what slack costs, and the flow of q; then the centre of rows, and whether there are offsets."""

    losses: Interval
    flow: Vector
    centre: Vector | None
    balanced: bool

    def merged(self, other: "SlackSums") -> "SlackSums":
        """The sums over the rows of both."""
        centre = other.centre if self.centre is None else self.centre
        return SlackSums(self.losses + other.losses, self.flow + other.flow, centre, self.balanced)

    @property
    def factors(self) -> Vector:
        """What q of each class and rival is multiplied by to be balanced but for rounding."""
        return np.minimum(balancing_factors(self.flow), 1.0) if self.balanced else np.ones_like(self.flow)

    @property
    def hub(self) -> int:
        """The class that all others are balanced with: that of the largest flow."""
        return int(np.argmax(self.flow.sum(axis=0) + self.flow.sum(axis=1)))


class Reserve(NamedTuple):
    """How much q may change in one row, and how far that row is from the centre, in three ways for each class k.

    By more q of a row of class k, which is not at its bound; by less q of one of class k for the hub; by less q of one
    of the hub for class k.
    """

    size: Vector
    distances: Vector

    def merged(self, other: "Reserve") -> "Reserve":
        """That of the rows of both."""
        first = self.size >= other.size
        return Reserve(np.maximum(self.size, other.size), np.where(first[..., None], self.distances, other.distances))


class DualSums(NamedTuple):
    """Sums over the rows of a dual point: q, u of each class, and the normals; its reserve, and the hub."""

    total: Interval
    surplus: tuple[Interval, ...]
    normal: Enclosed
    reserve: Reserve | None
    hub: int

    def merged(self, other: "DualSums") -> "DualSums":
        """The sums over the rows of both."""
        surplus = tuple(a + b for a, b in zip(self.surplus, other.surplus, strict=True))
        reserve = None if self.reserve is None or other.reserve is None else self.reserve.merged(other.reserve)
        return DualSums(self.total + other.total, surplus, self.normal.plus(other.normal), reserve, self.hub)

    def feasible(self) -> "DualSums | None":
        """The sums of a point that is balanced, whatever the signs of s; None where no row of a class has enough."""
        if self.reserve is None:
            return self
        moved = np.array([abs(each).high for each in self.surplus])
        moved[self.hub] = 0.0
        every = float(moved.sum()) * (1.0 + 1e-12)
        (room, own, back), (at_room, at_own, at_back) = self.reserve
        of_hub = room[self.hub] > every
        if not (((room > moved) | (back >= moved)).all() and (of_hub | (own >= moved) | (moved == 0.0)).all()):
            return None
        out = np.where((room > moved)[:, None], at_room, at_back)  # where s_k is negative
        into = at_room[self.hub] if of_hub else at_own  # where it is positive
        off = moved[:, None] * np.maximum(out, into) * (1.0 + 1e-12)
        off[self.hub] = off.sum(axis=0) * (1.0 + 1e-12)
        normal = Enclosed(self.normal.value, (self.normal.radius + off.T) * (1.0 + 1e-15))
        return self._replace(total=self.total + Interval(-every, every), normal=normal)

    @property
    def square(self) -> Interval:
        """Enclose the sum of ||N_k||^2."""
        return squared_length(Enclosed(*(each.ravel() for each in self.normal)))

    @property
    def radius(self) -> float:
        """How far rounding may move the value of this very point."""
        return (self.total - 0.5 * self.square).radius

    @property
    def value(self) -> Interval:
        """The dual value of the best multiple of a feasible point."""
        square = self.square
        t = best_multiple(self.total.low, square.high)
        return t * self.total - 0.5 * t * (t * square)


class Known(NamedTuple):
    """What is known after the first pass: 1/2 sum ||w_k||^2, and the sums over all rows."""

    penalty: Interval
    sums: SlackSums

    @property
    def primal(self) -> Interval:
        """The objective of the planes."""
        return self.penalty + self.sums.losses

    def values(self, found: DualSums) -> Values:
        """Primal and dual value; no q at all, whose value is 0, where none is feasible."""
        feasible = found.feasible()
        if feasible is None:
            return Values.of(self.primal, Interval(0.0, 0.0), found.radius)
        return Values.of(self.primal, feasible.value, feasible.radius)


@np.errstate(over="ignore", invalid="ignore")
def slack_sums(C: float, block: Problem, scores: Enclosed, dual: DualPoint) -> SlackSums:
    """What a first pass over rows adds up."""
    q, y = feasible(C, block, dual), block.y[dual.support]
    losses = losses_of(JointMargin(C), block.cost, slacks_of(scores, block.y))
    flow = flow_between_classes(q, y, np.ones(len(y)), block.n_classes)
    centred = block.fit_intercept and not isinstance(block.X, CSR) and dual.support.size > 0
    centre = centre_of(block.X, dual.support) if centred else None
    return SlackSums(losses, flow, centre, block.fit_intercept)


def slacks_of(scores: Enclosed, y: np.ndarray) -> Enclosed:
    """1 - (the score of the own class less the largest of the others) of each row, also where that is negative."""
    value, own = largest_violations(scores.value, y), (np.arange(len(y)), y)
    size = np.abs(scores.value).max(axis=1, initial=0.0)
    radius = scores.radius.max(axis=1, initial=0.0) + scores.radius[own]
    return Enclosed(value, radius + 8.0 * UNIT_ROUNDOFF * (1.0 + size))


@np.errstate(over="ignore", invalid="ignore")
def dual_sums(C: float, sums: SlackSums, block: Problem, dual: DualPoint) -> DualSums:
    """What a second pass over rows adds up, with q made feasible but for rounding."""
    y, centre = block.y[dual.support], sums.centre
    q = scaled_probabilities(feasible(C, block, dual), y, sums.factors)
    signed = -score_gradients(q, y)
    normal = enclosed_combination(take(block.X, dual.support), signed, centre)
    total = enclosed_sum(q.ravel())
    if not block.fit_intercept:
        return DualSums(total, (), normal, None, sums.hub)
    surplus = tuple(enclosed_sum(np.ascontiguousarray(column)) for column in signed.T)
    origin = np.zeros(block.n_features) if centre is None else centre
    return DualSums(total, surplus, normal, reserve_of(C, block, dual.support, q, sums.hub, origin), sums.hub)


def reserve_of(C: float, block: Problem, support: np.ndarray, q: Vector, hub: int, centre: Vector) -> Reserve:
    """The reserve of the rows of a block."""
    k, y = block.n_classes, block.y[support]
    used = np.zeros(block.n_rows)
    used[support] = q.sum(axis=1) * (1.0 + 1e-14)
    room = np.maximum(C * block.cost * (1.0 - 1e-14) - used, 0.0)
    size, distances = np.zeros((3, k)), np.zeros((3, k, block.n_features))
    for c in range(k):
        ways = ((np.arange(block.n_rows), np.where(block.y == c, room, 0.0)),
                (support, np.where(y == c, q[:, hub], 0.0)),
                (support, np.where(y == hub, q[:, c], 0.0)))  # fmt: skip
        for way, (numbers, sizes) in enumerate(ways):
            place = int(np.argmax(sizes)) if sizes.size else 0
            if sizes.size and sizes[place] > 0.0:
                size[way, c] = sizes[place]
                distances[way, c] = np.abs(dense_row(block.X, int(numbers[place])) - centre)
    return Reserve(size, distances)


def with_exact_scores(problem: Problem, planes: tuple[Vector, Vector], index: np.ndarray, scores: Enclosed) -> Enclosed:
    """Scores of which those of some rows are rounded once."""
    value, radius = scores.value.copy(), scores.radius.copy()
    plus, times = np.zeros(index.size), np.ones(index.size)
    for k, (w, b) in enumerate(zip(*planes, strict=True)):
        value[index, k], radius[index, k] = exact_affine(problem.X, index, (w, float(b)), plus, times)
    return Enclosed(value, radius)


def with_exact_sums(C: float, sums: SlackSums, problem: Problem, dual: DualPoint, found: DualSums) -> DualSums:
    """The sums of a dual point with normals and surpluses that are rounded once, if that is affordable."""
    if not dual.support.size or not is_affordable(problem, np.repeat(dual.support, problem.n_planes)):
        return found
    y, X = problem.y[dual.support], take(problem.X, dual.support)
    q = scaled_probabilities(feasible(C, problem, dual), y, sums.factors)
    columns = np.ascontiguousarray(-score_gradients(q, y).T)
    if not problem.fit_intercept:
        return found._replace(normal=side_by_side([exact_combination(X, u) for u in columns]))
    centre = centre_of(problem.X, dual.support)
    surplus, normals = [], []
    for u in columns:
        high, low = exact_total(u)
        exact = exact_combination(X, u, (np.array([centre, centre]), np.array([-high, -low])))
        normals.append(Enclosed(exact.value, exact.radius + 4.0 * UNIT_ROUNDOFF * abs(low) * np.abs(centre)))
        surplus.append(Interval.of(high) + Interval.of(low, 2.0 * UNIT_ROUNDOFF * abs(low)))
    reserve = reserve_of(C, problem, dual.support, q, sums.hub, centre)
    return DualSums(found.total, tuple(surplus), side_by_side(normals), reserve, sums.hub)


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
    [[0.0, 1.49999..., 0.49999...], [0.0, 0.0, 0.5]]
    """
    support = dual.support
    if dual.alpha.shape != (support.size, block.n_classes):
        return np.zeros((support.size, block.n_classes))
    q = np.fmax(dual.alpha, 0.0)
    q[np.arange(support.size), block.y[support]] = 0.0
    q[~np.isfinite(q)] = 0.0
    cost = block.cost[support]
    bounds = np.maximum(product_below(np.full(cost.shape, C), cost), TINY)
    total = q.sum(axis=1) * (1.0 + rounding_bound(block.n_classes))  # so that no sum exceeds its bound
    over = total > bounds
    return np.where(over[:, None], q * (bounds / np.maximum(total, bounds) * (1.0 - 1e-15))[:, None], q)
