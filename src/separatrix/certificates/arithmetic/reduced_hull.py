"""Reduced convex hulls: the bounds of the weights, and the point that is furthest in a direction.

    R(X, mu) = { sum_i a_i x_i :  sum_i a_i = 1,  0 <= a_i <= mu c_i }          c_i the weight of row i, 1 by default

Its extreme point along u gives each row as much weight as it may have, those that are furthest along u first, until the
weights add up to 1: for equal weights floor(1 / mu) rows have mu each, and the next one has what is left (Mavroforakis
and Theodoridis, 2006; Tao, Wu and Wang, 2004).
"""

import numpy as np

from separatrix.rows import Vector

MASS_RTOL = 1e-12  # by which rounding may keep bounds such as 49 times 1/49 from a sum of 1


def extreme_weights(scores: Vector, upper: Vector) -> Vector:
    """The weights of the point of a reduced hull that is furthest along u, from the scores <u, x_i> of the rows.

    >>> extreme_weights(np.array([5.0, 1.0, 4.0, 2.0]), np.full(4, 0.4)).round(3).tolist()
    [0.4, 0.0, 0.4, 0.2]
    """
    order = np.argsort(-scores, kind="stable")
    bounds = upper[order]
    whole = int(np.searchsorted(np.cumsum(bounds), 1.0, side="right"))  # rows that have all they may have
    if whole == scores.size:
        return upper / upper.sum()  # all of them: rounding may have kept their sum from 1
    weights = np.zeros(scores.size)
    weights[order[:whole]] = bounds[:whole]
    weights[order[whole]] = min(max(1.0 - float(bounds[:whole].sum()), 0.0), bounds[whole])
    return weights


def extreme_value(scores: Vector, upper: Vector) -> float:
    """The largest <u, x> over a reduced hull, its support function along u, from the scores of the rows.

    >>> round(extreme_value(np.array([5.0, 1.0, 4.0, 2.0]), np.full(4, 0.4)), 6)
    4.0
    """
    weights = extreme_weights(scores, upper)
    used = np.flatnonzero(weights)
    highest = float(scores.max())
    return highest - float(weights[used] @ (highest - scores[used]))  # what all have in common costs no digits


def extreme_values(scores: Vector, y: np.ndarray, upper: Vector) -> tuple[float, float]:
    """The least score over the reduced hull of class 1, and the greatest over that of class 0."""
    one, other = y == 1, y == 0
    return -extreme_value(-scores[one], upper[one]), extreme_value(scores[other], upper[other])


def smallest_mu(y: np.ndarray, cost: Vector) -> float:
    """The smallest mu for which neither reduced hull is empty: one over the weight of the lighter class.

    >>> smallest_mu(np.array([0, 0, 0, 0, 1, 1]), np.ones(6))
    0.5
    """
    return 1.0 / float(np.bincount(y, cost, minlength=2).min())
