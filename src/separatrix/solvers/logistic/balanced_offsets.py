"""Offsets for given normals, so that probabilities are balanced: Newton's method on a log loss of b alone.

    minimise  sum_i c_i log(1 + sum_j exp(m_ij + b_j - b_i)),      b_i that of the row's own class

m_ij are the log-odds of rivals (`objectives.log_loss`). The derivative along a step only grows, so that a line search
by doubling and halving finds where it is small. Where a class is rare, or weighs little, its offset is far away, and
steps that are too short or too long are no sign of rounding.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from separatrix.objectives.log_loss import (
    directional_derivatives,
    probabilities,
    rival_log_odds,
    rival_probabilities,
    score_gradients,
)
from separatrix.objectives.log_loss_loops import ENTRIES_PER_LOSS, worth_compiling
from separatrix.problem import Problem
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.threads import row_chunks, summed

MAX_PASSES = 300  # over all rows; 3 are usual
MIN_PASSES = 20  # that a budget always has time for
NEAR_BALANCE = 1e-9  # imbalance, as part of the rivals' weight, from which on a lack of progress is rounding


class Derivatives(NamedTuple):
    """Gradient and Hessian of the loss by the offsets, and the weighted sum of the rivals' probabilities."""

    gradient: Vector
    rival_weight: float
    hessian: Vector

    @property
    def imbalance(self) -> float:
        """The sum of the sizes of the gradient's entries."""
        return float(np.abs(self.gradient).sum())

    @property
    def near_balance(self) -> bool:
        """Whether a lack of progress from here on is rounding."""
        return self.imbalance <= NEAR_BALANCE * self.rival_weight


DerivativesAt = Callable[[Vector], Derivatives]


def balancing_shift(problem: Problem, log_odds: Vector, budget: Budget | None = None) -> Vector:
    """The change of the offsets that balances probabilities, from the log-odds of rivals.

    Where the time of a budget is over, only as far as some passes get.
    """
    weights, y = problem.cost / problem.cost.max(), problem.y
    if log_odds.shape[1] == 1:
        derivatives_at = binary_derivatives(weights, y, log_odds, worth_compiling(problem.X))
    else:
        derivatives_at = multinomial_derivatives(weights, y, log_odds)
    b = np.zeros(log_odds.shape[1])
    here, passes = derivatives_at(b), 1
    while here.imbalance > 1e-13 * here.rival_weight and passes < MAX_PASSES:
        if passes >= MIN_PASSES and budget is not None and budget.seconds <= 0.0:
            break
        following, there, more = line_search(derivatives_at, b, here, newton_step(here, log_odds))
        passes += more
        unmoved = float(np.abs(following - b).max()) <= 1e-14 * (1.0 + float(np.abs(b).max()))
        if (unmoved or here.near_balance) and not there.imbalance < 0.5 * here.imbalance:
            return b if here.imbalance <= there.imbalance else following
        b, here = following, there
    return b


def newton_step(here: Derivatives, log_odds: Vector) -> Vector:
    """A Newton step, or a gradient step where nothing is curved; at most as long as the largest log-odds."""
    hessian, k = here.hessian, len(here.gradient)
    if k > 1:  # a common shift of all offsets changes nothing
        hessian = hessian + (1e-8 * here.rival_weight + TINY) * np.eye(k)
    step = np.asarray(-np.linalg.lstsq(hessian, here.gradient, rcond=1e-14)[0], dtype=np.float64)
    if not float(step @ here.gradient) < 0.0:
        step = -here.gradient / max(here.imbalance, TINY)
    longest = float(np.abs(step).max())
    if longest <= 1.0:
        return step
    limit = 1.0 + float(np.abs(log_odds[np.isfinite(log_odds)]).max(initial=0.0))
    return step / longest * min(longest, limit)


def line_search(
    derivatives_at: DerivativesAt, b: Vector, here: Derivatives, step: Vector
) -> tuple[Vector, Derivatives, int]:
    """Offsets where the derivative along a step is between -30 % and 50 % of the first, derivatives there, passes."""
    first, low, high, t, passes = -float(here.gradient @ step), 0.0, np.inf, 1.0, 0
    while True:
        there, passes = derivatives_at(b + t * step), passes + 1
        slope = float(there.gradient @ step)
        if here.near_balance or -0.3 * first <= slope <= 0.5 * first or passes == 60:
            return b + t * step, there, passes
        low, high = (low, t) if slope > 0.0 else (t, high)
        t = 0.5 * (low + high) if high < np.inf else 2.0 * t


def multinomial_derivatives(weights: Vector, y: np.ndarray, log_odds: Vector) -> DerivativesAt:
    """Derivatives at offsets of several classes."""

    def derivatives_at(b: Vector) -> Derivatives:
        moved = log_odds + rival_log_odds(np.broadcast_to(b, log_odds.shape), y) if b.any() else log_odds
        q = rival_probabilities(moved)
        p = probabilities(q, y)
        hessian = np.diag(weights @ p) - (weights * p.T) @ p
        return Derivatives(weights @ score_gradients(q, y), float(weights @ q.sum(axis=1)), hessian)

    return derivatives_at


def binary_derivatives(weights: Vector, y: np.ndarray, log_odds: Vector, in_loop: bool) -> DerivativesAt:
    """Derivatives at the offset of two classes, computed on all cores."""
    chunks = row_chunks(len(y), ENTRIES_PER_LOSS * len(y))

    def derivatives_at(b: Vector) -> Derivatives:
        def of_chunk(chunk: slice) -> tuple[float, float, float]:
            each = directional_derivatives(log_odds[chunk], 1.0 - 2.0 * y[chunk, None], float(b[0]), in_loop)
            weighted, q = weights[chunk] * each, np.abs(each)
            weight = float(weights[chunk] @ q)
            return float(weighted.sum()), weight, weight - float(np.abs(weighted) @ q)

        gradient, weight, hessian = summed(of_chunk, chunks)
        return Derivatives(np.array([gradient]), weight, np.array([[hessian]]))

    return derivatives_at
