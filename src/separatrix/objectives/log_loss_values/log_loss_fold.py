"""The primal and the dual value of penalised log losses, from blocks of rows in two passes.

The first adds up losses, and how much probability each class gives to each rival; then it is known by which factors
probabilities are balanced. The second adds up entropies and the normal of the balanced ones. Rows that are all at hand
have both by one pass: see `log_loss_dual`.
"""

from typing import NamedTuple

import numpy as np

from separatrix.objectives.log_loss import (
    balancing_factors,
    entropies,
    flow_between_classes,
    losses_and_probabilities,
    rival_log_odds,
    scaled_probabilities,
    score_gradients,
)
from separatrix.objectives.values import ROUNDING, Values
from separatrix.problem import Plane, Problem
from separatrix.problem.fold import CentredSum, Fold, added
from separatrix.products import score_size
from separatrix.rows import Vector


class Losses(NamedTuple):
    """Sums over rows of losses and of the flow between classes, the largest score, and whether there is an offset."""

    loss: float
    flow: Vector
    largest: float
    balanced: bool

    def merged(self, other: "Losses") -> "Losses":
        """The sums over the rows of both."""
        return added(self, other)._replace(largest=max(self.largest, other.largest), balanced=self.balanced)


class Entropies(NamedTuple):
    """Sums over rows of the dual point: entropies, probabilities of rivals, and the normal."""

    entropy: float
    rivals: float
    normal: CentredSum


def log_loss_fold(C: float, w: Vector, b: Vector) -> Fold:
    """The values of planes w of shape (planes, d), whose own probabilities make the dual point."""

    def rival_probabilities(block: Problem) -> tuple[Vector, Vector, Vector]:
        scores = Plane(w, b).scores(block.X)
        return scores, *losses_and_probabilities(rival_log_odds(scores, block.y))

    def first_pass(block: Problem, first: int) -> Losses:
        scores, losses, q = rival_probabilities(block)
        largest = float(np.abs(scores).max(initial=0.0)) + max(score_size(block.X, plane) for plane in w)
        flow = flow_between_classes(q, block.y, block.cost, block.n_classes)
        return Losses(C * float(block.cost @ losses), flow, largest, block.fit_intercept)

    def second_pass(found: Losses) -> Fold:
        factors = balancing_factors(found.flow) if found.balanced else np.ones_like(found.flow)

        def tally(block: Problem, first: int) -> Entropies:
            q, weights = scaled_probabilities(rival_probabilities(block)[2], block.y, factors), C * block.cost
            normal = CentredSum.of(block, -weights[:, None] * score_gradients(q, block.y))
            return Entropies(float(weights @ entropies(q)), float(weights @ q.sum(axis=1)), normal)

        return Fold(tally, added, lambda dual: values(found, dual))

    def values(found: Losses, dual: Entropies) -> Values:
        square, dual_square = float(np.sum(w * w)), float(np.sum(dual.normal.total**2))
        of_scores = ROUNDING * dual.rivals * (1.0 + found.largest + float(np.abs(b).max()))
        rounding = ROUNDING * (square + found.loss + dual_square) + of_scores
        return Values(0.5 * square + found.loss, max(dual.entropy - 0.5 * dual_square, 0.0), rounding)

    return Fold(first_pass, Losses.merged, second_pass)
