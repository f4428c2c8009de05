"""Whether a point is in a reduced convex hull, proved in exact arithmetic either way.

    inside     p = sum_i a_i x_i,   sum_i a_i = 1,   0 <= a_i <= mu c_i         rational weights a
    outside    <u, p>  >  max over R(X, mu) of <u, x>                           a direction u

The maximum is that of the extreme point along u: rows are given all the weight that they may have, the furthest first.
All numbers are fractions of whole numbers, so that nothing is rounded. Weights in doubles make p up to rounding; exact
ones come from them by a change of a few, which a linear system over the fractions gives.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.linalg import qr

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import fraction
from separatrix.rows import Vector

RANK_RTOL = 1e-12  # of the largest pivot: a row nearer than this to the span of the others is left out
ROOM_RTOL = 1e-9  # of its bound, by which the weight of a row must be away from both ends to be changed


def exact_bounds(cost: Vector, mu: float) -> list[Any]:
    """mu c_i of each row; where rounding has mu below the smallest there is, the bounds for that one.

    >>> sum(exact_bounds(np.ones(49), 1 / 49)) >= 1  # a little less in doubles
    True
    """
    weights, factor = [fraction(value) for value in cost.tolist()], fraction(mu)
    total = sum(weights, fraction(0.0))
    return [value * factor if factor * total >= 1 else value / total for value in weights]


def proves_outside(X: Vector, bounds: list[Any], p: Vector, u: Vector) -> bool:
    """Whether p is further along u than every point of the reduced hull of the rows X.

    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> bounds = exact_bounds(np.ones(3), 0.5)  # the hull is [0.5, 1.5]
    >>> [proves_outside(X, bounds, np.array([value]), np.array([1.0])) for value in (1.5, np.nextafter(1.5, 2))]
    [False, True]
    """
    if not u.any():
        return False
    scores = [row[0] for row in exact.products(np.vstack([X, p]), [exact.integer_direction(u)])]
    own = scores.pop()
    return bool(own > furthest_value(scores, bounds))


def furthest_value(scores: list[int], bounds: list[Any]) -> Any:
    """The largest mean of scores with weights within bounds: all that the largest may have, then the next."""
    left, furthest = fraction(1.0), fraction(0.0)
    for i in sorted(range(len(scores)), key=lambda i: -scores[i]):
        share = min(left, bounds[i])
        furthest, left = furthest + share * scores[i], left - share
        if left == 0:
            break
    return furthest


def proving_weights(X: Vector, bounds: list[Any], p: Vector, weights: Vector) -> list[Any] | None:
    """Weights near those that are given which make p exactly, and are within their bounds; None if none were found.

    >>> X, bounds = np.array([[0.0], [1.0], [2.0]]), exact_bounds(np.ones(3), 0.5)
    >>> a = proving_weights(X, bounds, np.array([0.75]), np.array([0.45, 0.35, 0.2]))
    >>> a[1] + 2 * a[2], sum(a)  # 0.35 + 0.4 is 0.75 only in decimal fractions
    (3/4, 1)
    """
    a = [fraction(value) for value in weights.tolist()]
    used = [i for i, share in enumerate(a) if share]
    missing = [
        fraction(value) - sum((a[i] * fraction(X[i, j]) for i in used), fraction(0.0)) for j, value in enumerate(p)
    ]
    missing.append(1 - sum(a, fraction(0.0)))
    if any(missing):
        upper = np.array([float(Fraction(int(bound.p), int(bound.q))) for bound in bounds])
        changes = exact_change(X, upper, weights, missing)
        if changes is None:
            return None
        for i, change in changes:
            a[i] += change
    return a if all(0 <= share <= bound for share, bound in zip(a, bounds, strict=True)) else None


def exact_change(X: Vector, bounds: Vector, weights: Vector, missing: list[Any]) -> list[tuple[int, Any]] | None:
    """Changes of the weights of few rows, away from their bounds, that add what is missing; None if there are none."""
    from flint import fmpq_mat

    room = np.minimum(weights, bounds - weights)
    free = np.flatnonzero(room > ROOM_RTOL * bounds)
    if not free.size:
        return None
    extended = np.column_stack([X[free], np.ones(free.size)])
    sizes = np.maximum(np.abs(extended).max(axis=0), np.finfo(float).tiny)
    _, R, order = qr((extended / sizes).T * room[free], mode="economic", pivoting=True)  # rows with room come first
    pivots = np.abs(np.diag(R))
    basis = free[order[: int(np.count_nonzero(pivots > RANK_RTOL * pivots.max()))]]
    entries: list[Any] = []
    for j, value in enumerate(missing):
        column = X[basis, j].tolist() if j < X.shape[1] else [1.0] * basis.size
        entries += [*map(fraction, column), value]
    reduced, rank = fmpq_mat(len(missing), basis.size + 1, entries).rref()
    solvable = int(rank) == basis.size and all(reduced[k, k] == 1 for k in range(basis.size))
    return [(int(i), reduced[k, basis.size]) for k, i in enumerate(basis)] if solvable else None
