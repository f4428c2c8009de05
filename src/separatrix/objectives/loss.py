"""What a score g costs, for a class y = -1 or +1 by the margin m = y g, for a number y by the residual r = y - g.

Compiled loops take any of them without being compiled again.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from separatrix.compiling import inner


class Kind(IntEnum):
    """Which formula."""

    PERCEPTRON = 0  # max(0, -m): Rosenblatt, 1958
    THERMAL = 1  # no loss: steps of the perceptron's that fade with |g| / parameter; Frean, 1992
    HINGE = 2  # max(0, 1 - m): Cortes and Vapnik, 1995
    SQUARED_HINGE = 3  # max(0, parameter - m)^2 / 2
    LOGISTIC = 4  # log(1 + exp(-m))
    EXPONENTIAL = 5  # exp(-m): Freund and Schapire, 1997
    SQUARED = 6  # r^2 / 2: Widrow and Hoff, 1960
    EPSILON = 7  # max(0, |r| - parameter): Vapnik, 1995
    SQUARED_EPSILON = 8  # max(0, r^2 - parameter)
    HEBB = 9  # -g^2 / 2, not bounded, so that the steps grow: Hebb, 1949
    OJA = 10  # -g^2 / 2, with a decay that keeps w bounded: Oja, 1982


class Loss(NamedTuple):
    """A formula and the number in it, if it has one.

    Examples
    --------
    >>> from separatrix.objectives import Kind, Loss, slope, value
    >>> tube = Loss(Kind.EPSILON, 0.5)
    >>> value(tube, 1.0, 3.0), slope(tube, 1.0, 3.0)  # g = 1, y = 3: half of the way is free
    (1.5, -1.0)
    """

    kind: int
    parameter: float = 0.0


@inner
def value(loss, score, target):
    """What a score costs; 0 for rules that are no loss."""
    kind, parameter = loss
    margin, residual = target * score, target - score
    if kind == Kind.PERCEPTRON:
        return max(0.0, -margin)
    if kind == Kind.HINGE:
        return max(0.0, 1.0 - margin)
    if kind == Kind.SQUARED_HINGE:
        return 0.5 * max(0.0, parameter - margin) ** 2
    if kind == Kind.LOGISTIC:
        return np.log1p(np.exp(-abs(margin))) + max(0.0, -margin)
    if kind == Kind.EXPONENTIAL:
        return np.exp(-margin)
    if kind == Kind.SQUARED:
        return 0.5 * residual**2
    if kind == Kind.EPSILON:
        return max(0.0, abs(residual) - parameter)
    if kind == Kind.SQUARED_EPSILON:
        return max(0.0, residual**2 - parameter)
    if kind in (Kind.HEBB, Kind.OJA):
        return -0.5 * score**2
    return 0.0


@inner
def slope(loss, score, target):
    """Derivative by the score; at a kink the one that makes a step: a tie is a mistake."""
    kind, parameter = loss
    margin, residual = target * score, target - score
    if kind == Kind.PERCEPTRON:
        return -target if margin <= 0.0 else 0.0
    if kind == Kind.HINGE:
        return -target if margin <= 1.0 else 0.0
    if kind == Kind.LOGISTIC:
        return -target / (1.0 + np.exp(margin))
    if kind == Kind.SQUARED:
        return -residual
    if kind == Kind.EXPONENTIAL:
        return -target * np.exp(-margin)
    if kind == Kind.SQUARED_HINGE:
        return -target * max(0.0, parameter - margin)
    if kind == Kind.THERMAL:
        return -target * np.exp(margin / parameter) if margin <= 0.0 else 0.0
    if kind == Kind.EPSILON:
        return (1.0 if residual <= -parameter else 0.0) - (1.0 if residual >= parameter else 0.0)
    if kind == Kind.SQUARED_EPSILON:
        return -2.0 * residual if residual**2 >= parameter else 0.0
    return -score


@inner
def distance_to_kink(loss, score, target):
    """How far a score is from the nearest place where the slope jumps; infinitely where it never does.

    >>> distance_to_kink(Loss(Kind.HINGE), 0.25, 1.0), distance_to_kink(Loss(Kind.LOGISTIC), 0.25, 1.0)
    (0.75, inf)
    """
    kind, parameter = loss
    if kind == Kind.PERCEPTRON:
        return abs(score)
    if kind == Kind.THERMAL:  # its steps follow the score too, so each of them needs a precise one
        return max(0.0, target * score)
    if kind == Kind.HINGE:
        return abs(1.0 - target * score)
    if kind == Kind.EPSILON:
        return abs(abs(target - score) - parameter)
    if kind == Kind.SQUARED_EPSILON:
        return abs(abs(target - score) - np.sqrt(parameter))
    return np.inf


@inner
def decay(loss, score):
    """What w shrinks by besides, times the rate: g^2 for Oja's rule.

    >>> decay(Loss(Kind.OJA), 3.0), decay(Loss(Kind.HEBB), 3.0)
    (9.0, 0.0)
    """
    return score**2 if loss.kind == Kind.OJA else 0.0
