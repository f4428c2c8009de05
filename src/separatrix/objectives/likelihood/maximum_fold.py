"""How far planes are from a maximum of the likelihood, from blocks of rows: the bound of `curvature_bound`, in passes.

The first adds up moments, which tell coordinates; the second losses and the Hessian, whose factor makes y; the third
what the bound is made of. Where that Hessian was not computed well enough, a further pass mends it. All columns must
vary, and none may depend on others, or nothing is proved.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from separatrix.enclosures import enclosed_scores
from separatrix.enclosures.interval import Interval
from separatrix.objectives.likelihood.curvature_bound import (
    GOOD,
    MAX_ROUNDS,
    Probabilities,
    RowSums,
    Whitening,
    decrease_by_curvature,
    hessian_of,
    inverse_factor,
    row_sums,
    whitened_rows,
    whitening_of,
)
from separatrix.objectives.likelihood.dual_sums import Planes, primal_sums
from separatrix.objectives.values import NO_VALUES, Values
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.fold import Fold, added
from separatrix.problem.moments import SUM_OF_MOMENTS, Moments
from separatrix.problem.scaled_rows import ScaledRows
from separatrix.rows import Vector

if TYPE_CHECKING:
    from separatrix.objectives.logistic import LogLoss


# A decorator would be part of what is sent to workers, and can not be.
IGNORED: dict[str, Any] = {"over": "ignore", "invalid": "ignore", "divide": "ignore", "under": "ignore"}


class Curved(NamedTuple):
    """Sums over rows: how many they are, their losses, and the Hessian, of several planes without the first."""

    n_rows: int
    losses: Interval
    hessian: Vector


def maximum_fold(objective: "LogLoss", planes: Planes) -> Fold:
    """The loss of planes without a penalty, and a lower bound of it."""

    def from_curvature(found: tuple[Coordinates, Curved]) -> Fold:
        coordinates, curved = found
        return bounding_fold(objective, planes, curved, whitening_of(curved.hessian, coordinates))

    return curvature_fold(objective, planes).then(from_curvature)


def curvature_fold(objective: "LogLoss", planes: Planes) -> Fold:
    """Coordinates of the rows, their losses and the Hessian in these, in two passes."""

    def from_moments(moments: Moments) -> Fold:
        return SUM_OF_ROWS.then(lambda offset: curved_fold(objective, planes, coordinates_of(moments, offset)))

    return SUM_OF_MOMENTS.then(from_moments)


SUM_OF_ROWS = Fold(lambda block, first: block.fit_intercept, lambda one, other: one and other, bool)


def coordinates_of(moments: Moments, offset: bool) -> Coordinates:
    """Coordinates in which rows are of moderate size, by the mean and the spread of columns."""
    weight = float(moments.total_weight)
    spread = moments.total.diagonal() / weight
    mean = moments.mean if offset else np.zeros(spread.size)
    size = np.sqrt(spread if offset else spread + moments.mean**2)
    return Coordinates(mean, np.where(size > 0.0, size, 1.0), None, offset)


def curved_fold(objective: "LogLoss", planes: Planes, coordinates: Coordinates) -> Fold:
    """The pass for losses and the Hessian."""

    def tally(block: Problem, first: int) -> Curved:
        sums, scored = primal_sums(objective.unit, block, enclosed_scores(block.X, planes[0].T, planes[1]))
        weights = objective.unit * block.cost
        rows = ScaledRows(block.X, coordinates)
        with np.errstate(**IGNORED):
            return Curved(block.n_rows, sums.losses, hessian_of(rows, weights, scored.rival_prob, block.y))

    return Fold(tally, added, lambda curved: (coordinates, curved))


def bounding_fold(
    objective: "LogLoss", planes: Planes, curved: Curved, whitening: Whitening, rounds: int = MAX_ROUNDS
) -> Fold:
    """The pass for the bound, and others where it is not a good one yet."""

    def tally(block: Problem, first: int) -> RowSums:
        with np.errstate(**IGNORED):
            prob = Probabilities.of(enclosed_scores(block.X, planes[0].T, planes[1]))
            rows = partial(whitened_rows, block, whitening)
            return row_sums(block, rows, objective.unit * block.cost, prob, curved.n_rows)

    def verdict(sums: RowSums) -> Values | Fold:
        n_terms = (curved.n_rows + planes[0].shape[1]) * max(2, len(planes[0]))
        with np.errstate(**IGNORED):
            found = decrease_by_curvature(sums, n_terms)
        if found.error > GOOD and rounds > 1 and np.isfinite(sums.gram).all():
            better = whitening.followed_by(inverse_factor(sums.gram))
            return bounding_fold(objective, planes, curved, better, rounds - 1)
        if not found.most < np.inf:
            return Values(curved.losses.high, NO_VALUES.dual, 0.0)
        return Values.of(curved.losses, curved.losses - found.most, found.rounding)

    return Fold(tally, RowSums.merged, verdict)
