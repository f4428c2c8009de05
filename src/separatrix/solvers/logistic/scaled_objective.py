"""The objective of logistic discrimination in scaled coordinates, its derivatives, and the gap of a point.

    minimise  F(V) = 1/2 sum_j penalty_j ||V_j||^2 + sum_i weights_i loss_i(V'z_i)

Arrays with a row for each row of the data and a column for each plane are stored plane by plane, so that what is done
for all rows of a plane runs on vector units, and are filled in blocks that stay in the cache.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.objectives.log_loss import (
    hessian_product,
    plane_probabilities,
    rival_log_odds,
    weighted_loss_gradient,
)
from separatrix.objectives.log_loss_curvature import gauged, hessian
from separatrix.objectives.log_loss_loops import worth_compiling
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.logistic.design import Design, Response
from separatrix.threads import cached_property


@dataclass(frozen=True, eq=False)
class ScaledObjective:
    """F in scaled coordinates: the rows, the cost of a unit of each row's loss, and the penalty of each coordinate."""

    design: Design
    weights: Vector
    penalty: Vector
    n_planes: int

    @classmethod
    def of(cls, design: Design) -> "ScaledObjective":
        """F of the problem that the rows are from."""
        problem, objective = design.problem, design.problem.objective
        penalty = design.coordinates.penalties if objective.penalised else np.zeros(design.width)
        return cls(design, objective.unit * problem.cost, penalty, problem.n_planes)

    @property
    def y(self) -> np.ndarray:
        """The class of each row."""
        return self.design.problem.y

    @property
    def columns(self) -> int:
        """The number of coefficients of all planes."""
        return self.n_planes * self.design.width

    @cached_property
    def in_loop(self) -> bool:
        """Whether losses are computed by compiled loops."""
        return self.n_planes == 1 and self.design.stored is not None and worth_compiling(self.design.stored)

    @property
    def unpenalised(self) -> bool:
        """Whether there is no penalty: maximum likelihood."""
        return not self.penalty.any()

    def for_rows(self) -> Vector:
        """Space for a number of each row and plane, stored plane by plane."""
        return np.empty((self.n_planes, len(self.weights))).T

    def hessian(self, point: "Point", budget: Budget | None = None) -> Vector:
        """The Hessian, made definite for a common shift of all planes, which changes no loss.

        With a budget it raises TimeOverError where the time is over before all pairs of planes are done.
        """

        def gram(weights: Vector) -> Vector:
            if budget is not None:
                budget.check_time()
            return self.design.gram(weights)

        H = hessian(gram, self.weights, point.rival_prob, self.y)
        H[np.diag_indices(len(H))] += np.tile(self.penalty, self.n_planes)
        return gauged(H, self.n_planes)

    def hessian_times(self, point: "Point", V: Vector, scores: Vector) -> Vector:
        """H V in one pass over the rows, which fills in the scores of V."""

        def curvature(own: Vector, part: slice) -> Response:
            scores[part] = own
            return hessian_product(point.prob[part], self.weights[part], own), 0.0

        product = self.design.sweep(V, curvature)[0]
        product += self.penalty[:, None] * V
        return product

    def gap(self, gradient: Vector, offset_curvature: Vector) -> float:
        """The duality gap of planes with such a gradient: 1/2 ||gradient by W||^2, exact but for the offsets.

        The offsets add about how much better ones would lower F: without that w = 0 would pass as optimal at any b.
        """
        scale = self.design.coordinates.scale
        by_w = scale[:, None] * gradient[: scale.size]
        gap = 0.5 * float(np.vdot(by_w, by_w))
        if self.design.coordinates.offset:
            lengths = gradient[-1] / np.sqrt(np.maximum(offset_curvature, TINY))
            gap += 0.5 * float(lengths @ lengths)
        return gap


class Point:
    """F at the planes V: its value, gradient and an estimate of the duality gap; log-odds that are known are given."""

    def __init__(self, objective: ScaledObjective, V: Vector, log_odds: Vector | None = None):
        design, weights = objective.design, objective.weights
        self.objective, self.V, self.rival_prob = objective, V, objective.for_rows()
        self.log_odds = objective.for_rows() if log_odds is None else log_odds

        def from_log_odds(_: object, part: slice) -> Response:
            y = objective.y[part]
            return weighted_loss_gradient(self.log_odds[part], y, weights[part], self.rival_prob[part])

        def from_scores(scores: Vector, part: slice) -> Response:
            self.log_odds[part] = rival_log_odds(scores, objective.y[part])
            return from_log_odds(scores, part)

        if objective.in_loop:
            unknown = V if log_odds is None else None
            gradient, loss = design.binary_loss_and_gradient(unknown, weights, self.log_odds, self.rival_prob)
        elif log_odds is None:
            gradient, loss = design.sweep(V, from_scores)
        else:
            gradient, loss = design.gather(objective.n_planes, from_log_odds)
        self.value = loss + 0.5 * float(objective.penalty @ np.sum(V * V, axis=1))
        self.gradient = gradient + objective.penalty[:, None] * V

    @cached_property
    def prob(self) -> Vector:
        """The probabilities that curvature is made of."""
        return plane_probabilities(self.rival_prob, self.objective.y)

    @cached_property
    def offset_curvature(self) -> Vector:
        """The second derivative of the loss by the offset of each plane."""
        p, weights = self.prob, self.objective.weights
        return np.array([(weights * column) @ (1.0 - column) for column in p.T])

    @cached_property
    def gap(self) -> float:
        """An estimate of the duality gap."""
        return self.objective.gap(self.gradient, self.offset_curvature)

    def or_better(self, other: "Point") -> "Point":
        """The one with the smaller gap of two points; where both gaps are as large as F, that with the smaller F."""
        mine, theirs = ((min(point.gap, point.value), point.value) for point in (self, other))
        return self if mine < theirs else other  # of NaN the other one
