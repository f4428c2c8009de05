"""The primal and the dual value of penalised log losses, each enclosed, as sums over rows in two passes.

    primal   1/2 ||W||^2 + sum_i C c_i loss_i
    dual     sum_i entropy(a_i) - 1/2 ||N||^2,     N_k = sum_i u_ik x_i,     u_i = e_i sum_j a_ij - a_i

The first pass adds up losses, and how much probability each class gives to each rival. Then it is known by which
factors probabilities are balanced (Osborne, 1960), and the second adds up entropies and the normals N of a = C c q,
where q are the planes' own probabilities: any doubles a_ij >= 0 with sum_j a_ij <= C c_i will do.

An offset demands besides that u_k adds up to 0 over the rows, for every class k, and rounding leaves s_k. The point
that is feasible moves |s_k| from the own class of one row to a rival, in class k or in a class h that all others are
balanced with, whichever the sign of s_k asks for. A row whose own class has the weight t of v = C c keeps at least t/2
of it, so that its entropy falls by at most |s_k| log(2 v / t); N_k and N_h differ by s_k (x - m), whatever the centre m
that rows are measured from. All of this is part of the enclosure.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separatrix.enclosures import (
    Enclosed,
    Interval,
    enclosed_combination,
    enclosed_scores,
    enclosed_square,
    enclosed_sum,
)
from separatrix.enclosures.exact_sums import exact_affine, exact_combination, exact_total
from separatrix.objectives.likelihood.row_bounds import DualRows, dual_rows, entropies_of, row_losses
from separatrix.objectives.log_loss import (
    balancing_factors,
    flow_between_classes,
    scaled_probabilities,
    score_gradients,
)
from separatrix.objectives.soft_margin_sums import is_affordable, is_uncertain, squared_length
from separatrix.objectives.values import Values, best_multiple
from separatrix.problem import Problem
from separatrix.problem.coordinates import spread_out
from separatrix.problem.fold import Fold, centre_of
from separatrix.products import dense_rows
from separatrix.rows import CSR, SMALLEST, UNIT_ROUNDOFF, Vector, length, n_entries
from separatrix.threads import parallel_map

if TYPE_CHECKING:
    from separatrix.objectives.logistic import LogLoss

ENTRIES_PER_CHUNK = 2**13  # losses that are computed together
MIN_COUNTING = 1e-3  # part of the mean radius of a loss below which exact scores would not help
MAX_TRIED_ROWS, MAX_RESERVE_ROWS = 4096, 32  # rows of a class of which one with much weight, near the centre, is kept
MIN_RESERVE = 0.25  # part of the largest weight of an own class that such a row has

Planes = tuple[Vector, Vector]  # w of shape (planes, d), and b


class PrimalSums(NamedTuple):
    """Sums over rows of losses and of the flow between classes; the centre of rows, and whether there is an offset.

    `noise` estimates what rounding of the scores adds to a gap: probabilities that are off by a relative error r are no
    better than those of other planes, and their normals are off by r times the rows.
    """

    losses: Interval
    flow: Vector
    noise: float
    centre: Vector | None
    balanced: bool

    def merged(self, other: "PrimalSums") -> "PrimalSums":
        """The sums over the rows of both."""
        centre = other.centre if self.centre is None else self.centre
        sums = self.losses + other.losses, self.flow + other.flow, self.noise + other.noise
        return PrimalSums(*sums, centre, self.balanced)

    @property
    def factors(self) -> Vector:
        """What probabilities of each class and rival are multiplied by to be balanced but for rounding."""
        return np.minimum(balancing_factors(self.flow), 1.0) if self.balanced else np.ones_like(self.flow)


class Reserve(NamedTuple):
    """A row of each class: the weight of its own class, C c, and how far it is from the centre in each column."""

    own: Vector
    weight: Vector
    distances: Vector

    @classmethod
    def of(cls, block: Problem, dual: DualRows, normal: Vector, centre: Vector) -> "Reserve":
        """Rows whose own class has much weight, of these one that is near the centre where the normals are large."""
        k, own = block.n_classes, dual.own
        kept, weight, distances = np.zeros(k), np.ones(k), np.zeros((k, block.n_features))
        size = np.abs(normal).sum(axis=1)
        for c in range(k):
            index = np.flatnonzero(block.y == c)
            index = index[:: max(1, index.size // MAX_TRIED_ROWS)]
            most = float(own[index].max(initial=0.0))
            if not 0.0 < most < np.inf:
                continue
            index = index[own[index] >= MIN_RESERVE * most]
            index = index[:: -(-index.size // MAX_RESERVE_ROWS)]
            away = np.abs(dense_rows(block.X, index) - centre)
            place = int(np.argmin(np.nan_to_num(away @ size, nan=np.inf)))
            kept[c], weight[c], distances[c] = own[index[place]], dual.weight[index[place]], away[place]
        return cls(kept, weight, distances)

    def merged(self, other: "Reserve") -> "Reserve":
        """That of the rows of both."""
        first = self.own >= other.own
        kept = zip(self, other, strict=True)
        return Reserve(*(np.where(first[:, None] if a.ndim > 1 else first, a, b) for a, b in kept))

    @property
    def slopes(self) -> Vector:
        """log(2 v / t), rounded up: what a unit of weight costs at most that is moved from the own class."""
        return np.log(2.0 * self.weight / self.own) * (1.0 + 1e-12) + 1e-12


class Scored(NamedTuple):
    """The scores of the rows, the probability of each rival, and how far rounding may move what the row costs."""

    scores: Enclosed
    rival_prob: Vector
    radii: Vector


class DualSums(NamedTuple):
    """Sums over the rows of a dual point: entropy, u of each plane, and the normals; and its reserve."""

    entropy: Interval
    surplus: tuple[Interval, ...]
    normal: Enclosed
    reserve: Reserve | None

    def merged(self, other: "DualSums") -> "DualSums":
        """The sums over the rows of both."""
        surplus = tuple(a + b for a, b in zip(self.surplus, other.surplus, strict=True))
        reserve = None if self.reserve is None or other.reserve is None else self.reserve.merged(other.reserve)
        return DualSums(self.entropy + other.entropy, surplus, self.normal.plus(other.normal), reserve)

    def feasible(self) -> "DualSums | None":
        """The sums of a point that is balanced; None where no row of a class has enough weight."""
        if self.reserve is None:
            return self
        (own, _, distances), slopes = self.reserve, self.reserve.slopes
        moved = np.array([abs(each).high for each in self.surplus])
        if moved.size == 1:  # of two classes one surplus is that of both
            moved = np.repeat(moved, 2)
        hub = int(np.argmax(own))
        moved[hub] = 0.0
        taken = moved.copy()
        taken[hub] = moved.sum() * (1.0 + 1e-12)
        if not (2.0 * taken < own).all():
            return None
        cost = float(moved @ np.maximum(slopes, slopes[hub])) * (1.0 + 1e-12)
        off = moved[:, None] * np.maximum(distances, distances[hub]) * (1.0 + 1e-12)
        off[hub] = off.sum(axis=0) * (1.0 + 1e-12)
        radius = self.normal.radius + (off.T if len(self.surplus) > 1 else off[hub][:, None])
        normal = Enclosed(self.normal.value, radius * (1.0 + 1e-15))
        return self._replace(entropy=self.entropy - Interval(0.0, cost), normal=normal)

    @property
    def radius(self) -> float:
        """How far rounding may move the value of this very point."""
        return (self.entropy - 0.5 * self.square).radius

    @property
    def square(self) -> Interval:
        """Enclose ||N||^2."""
        return squared_length(Enclosed(*(each.ravel() for each in self.normal)))

    @property
    def value(self) -> Interval:
        """The dual value of the best multiple t a of a feasible point, whose entropy is at least t times that of a."""
        square = self.square
        t = best_multiple(self.entropy.low, square.high)
        return t * self.entropy - 0.5 * t * (t * square)


class Known(NamedTuple):
    """What is known after the first pass: C, 1/2 ||W||^2, and the sums over all rows."""

    C: float
    penalty: Interval
    sums: PrimalSums

    @property
    def primal(self) -> Interval:
        """The objective of the planes."""
        return self.penalty + self.sums.losses

    def values(self, found: DualSums) -> Values:
        """Primal and dual value; no dual variables at all, whose value is 0, where none are feasible."""
        feasible = found.feasible()
        if feasible is None:
            return Values.of(self.primal, Interval(0.0, 0.0), found.radius)
        return Values.of(self.primal, feasible.value, feasible.radius + self.sums.noise)


def log_loss_sums(objective: "LogLoss", problem: Problem, planes: Planes) -> tuple[Known, Scored, Values]:
    """The values of planes; by sums that are rounded once, where rounding is a part of their gap.

    Without a penalty there is no dual point here, and so no bound yet.
    """
    penalty = penalty_of(objective, planes)
    sums, scored = primal_sums(objective.unit, problem, enclosed_scores(problem.X, planes[0].T, planes[1]))
    known = Known(objective.unit, penalty, sums)
    found = dual_sums(known, problem, scored.rival_prob) if objective.penalised else None
    values = unbounded(known) if found is None else known.values(found)
    radius = known.primal.radius + (0.0 if found is None else found.radius + known.sums.noise)
    measured = values if values.gap < np.inf else Values(values.primal, values.primal, 0.0)
    if not is_uncertain(measured, radius, problem.n_planes * n_entries(problem.X)):
        return known, scored, values
    exactly = with_exact_scores(problem, planes, scored)
    if exactly is not None:
        sums, scored = primal_sums(objective.unit, problem, exactly)
        known = Known(objective.unit, penalty, sums)
    if found is None:
        return known, scored, unbounded(known)
    found = dual_sums(known, problem, scored.rival_prob) if exactly is not None else found
    return known, scored, known.values(with_exact_sums(known, problem, scored.rival_prob, found))


def log_loss_fold(objective: "LogLoss", planes: Planes) -> Fold:
    """The values of planes, whose own probabilities make the dual point, from blocks of rows."""

    def first_pass(block: Problem) -> tuple[PrimalSums, Scored]:
        return primal_sums(objective.unit, block, enclosed_scores(block.X, planes[0].T, planes[1]))

    def second_pass(sums: PrimalSums) -> Fold:
        known = Known(objective.unit, penalty_of(objective, planes), sums)
        return Fold(
            lambda block, first: dual_sums(known, block, first_pass(block)[1].rival_prob),
            DualSums.merged,
            known.values,
        )

    return Fold(lambda block, first: first_pass(block)[0], PrimalSums.merged, second_pass)


def penalty_of(objective: "LogLoss", planes: Planes) -> Interval:
    """Enclose 1/2 ||W||^2, where that is part of the objective."""
    return 0.5 * enclosed_square(planes[0]) if objective.penalised else Interval(0.0, 0.0)


def unbounded(known: Known) -> Values:
    """The primal value alone."""
    return Values.of(known.primal, Interval(-np.inf, -np.inf))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def primal_sums(C: float, block: Problem, scores: Enclosed) -> tuple[PrimalSums, Scored]:
    """What a first pass over rows adds up, and what it finds for each row."""
    rival_prob, (radii, off) = np.empty(scores.value.shape), np.empty((2, block.n_rows))

    def sum_chunk(chunk: slice) -> Interval:
        of_chunk = Enclosed(*(each[chunk] for each in scores))
        losses, rival_prob[chunk], off[chunk] = row_losses(of_chunk, block.y[chunk])
        weights = C * block.cost[chunk]
        radii[chunk] = weights * losses.radius
        return enclosed_sum(weights * losses.value, radii[chunk] + SMALLEST, roundings=2)

    losses = sum(parallel_map(sum_chunk, chunks_of(block)), Interval(0.0, 0.0)).positive_part
    flow = np.zeros((block.n_classes, block.n_classes))
    if block.fit_intercept:
        flow = flow_between_classes(rival_prob, block.y, block.cost, block.n_classes)
    centred = block.fit_intercept and not isinstance(block.X, CSR) and block.n_rows > 0
    centre = centre_of(block.X, np.arange(block.n_rows)) if centred else None
    noise = float(radii @ np.minimum(off, 1.0)) + 0.5 * (length(mean_distance(block, centre)) * float(radii.sum())) ** 2
    return PrimalSums(losses, flow, noise, centre, block.fit_intercept), Scored(scores, rival_prob, radii)


def mean_distance(block: Problem, centre: Vector | None) -> Vector:
    """How far some of the rows are from a centre, or from the origin, in each column."""
    some = dense_rows(block.X, spread_out(block.n_rows, MAX_RESERVE_ROWS))
    return np.abs(some if centre is None else some - centre).mean(axis=0)


def chunks_of(block: Problem) -> list[slice]:
    """Chunks of row numbers, each so short that what is made of it stays in the cache."""
    step = max(1, ENTRIES_PER_CHUNK // block.n_planes)
    return [slice(first, min(first + step, block.n_rows)) for first in range(0, block.n_rows, step)]


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def dual_sums(known: Known, block: Problem, rival_prob: Vector) -> DualSums:
    """What a second pass over rows adds up, with probabilities balanced but for rounding."""
    factors, y, centre = known.sums.factors, block.y, known.sums.centre
    dual = DualRows(*(np.empty(shape) for shape in (rival_prob.shape, *[block.n_rows] * 3)))
    signed = np.empty(rival_prob.shape)

    def sum_chunk(chunk: slice) -> Interval:
        found = dual_rows(known.C, block.cost[chunk], scaled_probabilities(rival_prob[chunk], y[chunk], factors))
        for into, each in zip(dual, found, strict=True):
            into[chunk] = each
        signed[chunk] = -score_gradients(found.alpha, y[chunk])
        entropies = entropies_of(found)
        return enclosed_sum(entropies.value, entropies.radius)

    entropy = sum(parallel_map(sum_chunk, chunks_of(block)), Interval(0.0, 0.0))
    normal = enclosed_combination(block.X, signed, centre)
    if not block.fit_intercept:
        return DualSums(entropy, (), normal, None)
    origin = np.zeros(block.n_features) if centre is None else centre
    surplus = tuple(enclosed_sum(np.ascontiguousarray(column)) for column in signed.T)
    return DualSums(entropy, surplus, normal, Reserve.of(block, dual, normal.value, origin))


def with_exact_scores(problem: Problem, planes: Planes, scored: Scored) -> Enclosed | None:
    """Scores that are rounded once, of the rows whose loss is uncertain; None where these are too many."""
    scores, radii = scored.scores, scored.radii
    counting = np.flatnonzero(~(radii <= MIN_COUNTING * radii.mean()))
    if not is_affordable(problem, np.repeat(counting, problem.n_planes)):
        return None
    value, radius = scores.value.copy(), scores.radius.copy()
    plus, times = np.zeros(counting.size), np.ones(counting.size)
    for k, plane in enumerate(zip(*planes, strict=True)):
        value[counting, k], radius[counting, k] = exact_affine(problem.X, counting, plane, plus, times)
    return Enclosed(value, radius)


def with_exact_sums(known: Known, problem: Problem, rival_prob: Vector, found: DualSums) -> DualSums:
    """The sums of a dual point, with normals and surpluses that are rounded once, if that is affordable."""
    if not is_affordable(problem, np.repeat(np.arange(problem.n_rows), problem.n_planes)):
        return found
    q = scaled_probabilities(rival_prob, problem.y, known.sums.factors)
    dual = dual_rows(known.C, problem.cost, q)
    columns = np.ascontiguousarray(-score_gradients(dual.alpha, problem.y).T)
    if not problem.fit_intercept:
        return found._replace(normal=side_by_side([exact_combination(problem.X, u) for u in columns]))
    centre = centre_of(problem.X, np.arange(problem.n_rows))  # of sparse rows too, where it costs nothing now
    surplus, normals = [], []
    for u in columns:
        high, low = exact_total(u)
        exact = exact_combination(problem.X, u, (np.array([centre, centre]), np.array([-high, -low])))
        normals.append(Enclosed(exact.value, exact.radius + 4.0 * UNIT_ROUNDOFF * abs(low) * np.abs(centre)))
        surplus.append(Interval.of(high) + Interval.of(low, 2.0 * UNIT_ROUNDOFF * abs(low)))
    normal = side_by_side(normals)
    return DualSums(found.entropy, tuple(surplus), normal, Reserve.of(problem, dual, normal.value, centre))


def side_by_side(columns: list[Enclosed]) -> Enclosed:
    """Vectors as the columns of a matrix."""
    return Enclosed(*(np.array(each).T for each in zip(*columns, strict=True)))
