"""Offsets for normals that are given, so that probabilities are in balance: Newton's method on a log loss of b alone.

    minimise  sum_i c_i log(1 + sum_j exp(m_ij + b_j - b_i)),      b_i that of the row's own class

m_ij are the leads of rivals (`losses.logistic_loss`). The derivative along a step only grows, so that the place where
it is small is found by doubling and halving. Where a class is rare, or weighs little, its offset is far away, and steps
that are too short or too long are no sign of rounding.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from separatrix.objectives.log_loss import probabilities, pulls_along, rivalry, slopes, wrong_of
from separatrix.objectives.log_loss_loops import RESPONSE, worthwhile
from separatrix.problem import Problem
from separatrix.rows import TINY, Vector
from separatrix.threads import stretches, summed

MOST_LOOKS, MOST_TRIES = 300, 60  # at all rows, and for one step; as a rule 3 are enough
ENOUGH = 1e-13  # part of what flows that may be out of balance
NEAR = 1e-9  # part of it from which on what does not get better is rounding
NOTHING = 1e-14  # part of offsets that a step may be, which is rounding
DAMPED = 1e-8  # part of all that is wrong that curvature is taken for at least, where there are several offsets
LEFT, BEYOND = 0.3, 0.5  # part of the first derivative that may be left where the loss falls, and where it rises


class Flow(NamedTuple):
    """Derivatives of the loss by the offsets, all that is wrong, and the matrix of second derivatives."""

    slope: Vector
    wrong: float
    bent: Vector

    @property
    def size(self) -> float:
        """How much is out of balance."""
        return float(np.abs(self.slope).sum())


FlowAt = Callable[[Vector], Flow]


def shift(problem: Problem, ahead: Vector) -> Vector:
    """By how much to move offsets, from rivals' leads: then probabilities are in balance."""
    weights, y = problem.cost / problem.cost.max(), problem.y
    if ahead.shape[1] == 1:
        flow_at = flow_of_two(weights, y, ahead, worthwhile(problem.X))
    else:
        flow_at = flow_of_several(weights, y, ahead)
    b = np.zeros(ahead.shape[1])
    flow, looks = flow_at(b), 1
    while flow.size > ENOUGH * flow.wrong and looks < MOST_LOOKS:
        following, then, more = along(flow_at, b, flow, step_from(flow, ahead))
        looks += more
        small = float(np.abs(following - b).max()) <= NOTHING * (1.0 + float(np.abs(b).max()))
        if (small or flow.size <= NEAR * flow.wrong) and not then.size < 0.5 * flow.size:
            return b if flow.size <= then.size else following
        b, flow = following, then
    return b


def step_from(flow: Flow, ahead: Vector) -> Vector:
    """A step of Newton's method; where nothing is curved it goes downhill, and past all leads at most."""
    bent = flow.bent + (DAMPED * flow.wrong + TINY) * np.eye(len(flow.slope)) if len(flow.slope) > 1 else flow.bent
    step = np.asarray(-np.linalg.lstsq(bent, flow.slope, rcond=1e-14)[0], dtype=np.float64)
    if not float(step @ flow.slope) < 0.0:
        step = -flow.slope / max(flow.size, TINY)
    longest = float(np.abs(step).max())
    if longest <= 1.0:
        return step
    furthest = 1.0 + float(np.abs(ahead[np.isfinite(ahead)]).max(initial=0.0))
    return step / longest * min(longest, furthest)


def along(flow_at: FlowAt, b: Vector, flow: Flow, step: Vector) -> tuple[Vector, Flow, int]:
    """Offsets as far along a step as is good, what flows there, and how many looks that took."""
    first, near = -float(flow.slope @ step), flow.size <= NEAR * flow.wrong
    low, high, t, looks = 0.0, np.inf, 1.0, 0
    while True:
        then, looks = flow_at(b + t * step), looks + 1
        value = float(then.slope @ step)
        if near or -LEFT * first <= value <= BEYOND * first or looks == MOST_TRIES:
            return b + t * step, then, looks
        low, high = (low, t) if value > 0.0 else (t, high)
        t = 0.5 * (low + high) if high < np.inf else 2.0 * t


def flow_of_several(weights: Vector, y: np.ndarray, ahead: Vector) -> FlowAt:
    """What flows where offsets are moved."""

    def flow_at(b: Vector) -> Flow:
        wrong = wrong_of(ahead + rivalry(np.broadcast_to(b, ahead.shape), y) if b.any() else ahead)
        p = probabilities(wrong, y)
        bent = np.diag(weights @ p) - (weights * p.T) @ p
        return Flow(weights @ slopes(wrong, y), float(weights @ wrong.sum(axis=1)), bent)

    return flow_at


def flow_of_two(weights: Vector, y: np.ndarray, ahead: Vector, quick: bool) -> FlowAt:
    """The same for two classes, on all cores."""
    parts = stretches(len(y), RESPONSE * len(y))

    def flow_at(b: Vector) -> Flow:
        def part_of(part: slice) -> tuple[float, float, float]:
            slope = pulls_along(ahead[part], 1.0 - 2.0 * y[part, None], float(b[0]), quick)
            pulled, wrong = weights[part] * slope, np.abs(slope)
            flow = float(weights[part] @ wrong)
            return float(pulled.sum()), flow, flow - float(np.abs(pulled) @ wrong)

        slope, flow, bent = summed(part_of, parts)
        return Flow(np.array([slope]), flow, np.array([[bent]]))

    return flow_at
