"""Least distance programming (Lawson and Hanson, 1974, chapter 23): the shortest v that satisfies inequalities.

    minimise ||v||   subject to   <v, z_i> >= 1  for every row z_i

Its dual is the point of the convex hull of the rows that is nearest to the origin, sum a_i z_i with a >= 0 and
sum a_i = 1. The vector v points there, and 1 / ||v||, the largest margin, is the distance. Non-negative least squares
finds both at once, from

    minimise ||sum u_i z_i||^2 + (t sum u_i - 1)^2   subject to   u >= 0,         a = u / sum u_j

for any t > 0. It is well conditioned where t is about the margin, so each solution gives the t of the next. (Versions
of SciPy that solve normal equations need that most.)
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from separatrix.rows import Vector


class LeastDistance(NamedTuple):
    """The vector v, scaled so that the least <v, z_i> is 1, and the weights a of the nearest point of the hull."""

    v: Vector
    weights: Vector


MAX_RESCALINGS = 8
MIN_MARGIN_RATIO = 0.1  # of the margin to t, from which on t is not adapted further
ZERO_LENGTH = 1e-14  # of a sum of unit vectors, relative to its weights: zero but for rounding


def least_distance(Z: Vector) -> LeastDistance | None:
    """Find the plane through the origin with the largest margin on rows that belong on its positive side, if any.

    >>> shortest = least_distance(np.array([[2.0, 0.0], [0.0, 2.0], [5.0, 5.0]]))
    >>> shortest.v.round(9).tolist(), shortest.weights.round(9).tolist()  # the margin is sqrt(2)
    ([0.5, 0.5], [0.5, 0.5, 0.0])
    >>> least_distance(np.array([[1.0, 0.0], [-1.0, 0.0]])) is None
    True
    """
    lengths = np.linalg.norm(Z, axis=1)
    if not (lengths > 0.0).all():
        return None  # the origin itself is a row
    units, best = Z / lengths[:, None], None  # very long rows would dominate the others
    for u, t in hull_points(units, lengths):
        point, total = u @ units, float(np.sum(u / lengths))
        distance = float(np.linalg.norm(point))
        if not distance > ZERO_LENGTH * u.sum():
            break
        v = shortest_feasible(units, 1.0 / lengths, [point, minimum_norm_solution(units, 1.0 / lengths, u > 0.0)])
        best = best if v is None else LeastDistance(v, u / lengths / total)
        if distance > MIN_MARGIN_RATIO * t * total:
            break
    return best


def hull_points(units: Vector, lengths: Vector) -> Iterator[tuple[Vector, float]]:
    """Yield weights u and the t that they belong to, each t the margin of the weights before."""
    t = float(lengths.min())  # no margin exceeds the shortest row
    for _ in range(MAX_RESCALINGS):
        u = hull_weights(units, t / lengths)
        if u is None:
            return
        yield u, t
        t = float(np.linalg.norm(u @ units)) / float(np.sum(u / lengths))
        if not t > 0.0:
            return


ITERATIONS_PER_ROW = 30  # of non-negative least squares, at most; 3 are usual, ties need more


def hull_weights(units: Vector, heights: Vector) -> Vector | None:
    """Non-negative u with sum u_i (unit_i, height_i) nearest to the unit of the last axis; None where nnls gives up."""
    axis = np.append(np.zeros(units.shape[1]), 1.0)
    try:
        u, _ = nnls(np.vstack([units.T, heights]), axis, maxiter=ITERATIONS_PER_ROW * len(units))
    except (RuntimeError, np.linalg.LinAlgError):
        return None
    return u if u.any() else None


def minimum_norm_solution(units: Vector, heights: Vector, active: np.ndarray) -> Vector:
    """The shortest v with <v, unit_i> = height_i for the active rows.

    It has the direction of the nearest point, without the cancellation of large sums where the margin is small.
    """
    return np.linalg.lstsq(units[active], heights[active], rcond=None)[0]


def shortest_feasible(units: Vector, heights: Vector, candidates: list[Vector]) -> Vector | None:
    """The shortest of some vectors after each is scaled to <v, unit_i> >= height_i; None where none can be."""
    smallest = [float((units @ v / heights).min()) for v in candidates]
    scaled = [v / factor for v, factor in zip(candidates, smallest, strict=True) if factor > 0.0]
    return min(scaled, key=np.linalg.norm, default=None)
