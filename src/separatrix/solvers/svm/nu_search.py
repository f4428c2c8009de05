"""Nu forms of many features and many rows, by a search for the C or the epsilon that nu stands for.

    nu machine       S(C) = sum_i alpha_i / C of the soft margin falls as C grows:        S(C) = nu W
    nu regression    S(epsilon) = sum_i |beta_i| falls as epsilon grows:                  S(epsilon) = C nu W

The answer of each step is a claim about the nu form, whose gap goes with the square of what is missed. The search ends
with the first that is within tol.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.solvers.goal import Goal

MAX_STEPS = 60
GROWTH, MAX_GROWTH = 8.0, 1e6  # of the parameter while the root is not enclosed: the first factor, and the largest
MIN_SHARE = 0.1  # of an interval that a step leaves at least on either side
MAX_INNER_STEPS = 500  # of the solver in each step
INNER_TOL = 0.1  # part of the gap that is asked for, to which each step is solved


class Tried(NamedTuple):
    """A parameter, by how much the sum of its dual variables is above the one that is asked for, and the claim."""

    parameter: float
    excess: float
    claim: DualityGap


def searched(attempt: Callable[[float], Tried], first: float, goal: Goal, max_steps: int = MAX_STEPS) -> DualityGap:
    """The claim of the best parameter that was tried, from a first one, which is positive.

    `attempt` solves for a parameter; its excess falls as the parameter grows.
    """
    low: Tried | None = None
    high: Tried | None = None
    best, parameter, growth = None, first, GROWTH
    for _ in range(max_steps):
        tried = attempt(parameter)
        best = tried if best is None or tried.claim.stated < best.claim.stated else best
        if best.claim.stated <= goal.tol or goal.budget.left <= 0 or tried.excess == 0.0:
            break
        low, high = (tried, high) if tried.excess > 0.0 else (low, tried)
        if low is None or high is None:
            parameter *= growth if high is None else 1.0 / growth
            growth = min(growth * growth, MAX_GROWTH)
        else:
            parameter = between(low, high)
    assert best is not None
    return best.claim


def between(low: Tried, high: Tried) -> float:
    """Where the excess would be 0 if it were linear in the logarithm, away from both ends."""
    share = low.excess / (low.excess - high.excess)
    share = min(max(share, MIN_SHARE), 1.0 - MIN_SHARE)
    return float(low.parameter * (high.parameter / low.parameter) ** share)


def inner_goal(goal: Goal) -> dict[str, Any]:
    """The options of the fit of a step."""
    seconds = None if goal.budget.seconds == np.inf else max(goal.budget.seconds, 1e-3)
    return {
        "tol": INNER_TOL * goal.tol,
        "max_iter": max(1, min(goal.budget.left, MAX_INNER_STEPS)),
        "time_limit": seconds,
    }
