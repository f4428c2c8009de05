"""The reduced convex hull of rows: its extreme points, and which points are in it, with a proof.

R(X, mu) = { sum_i a_i x_i :  sum_i a_i = 1,  0 <= a_i <= mu c_i }          c_i the weight of row i, 1 by default
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from separatrix.certificates.arithmetic.containment import exact_bounds, proves_outside, proving_weights
from separatrix.certificates.arithmetic.reduced_hull import MASS_RTOL, extreme_value, extreme_weights
from separatrix.data.encode import features, row_weights
from separatrix.errors import DataError, OptionError
from separatrix.options import number
from separatrix.problem import Problem
from separatrix.rows import Vector, length
from separatrix.solvers.hulls.mdm import mdm

OUTLINE_RTOL = 1e-12  # of the size of the hull: a corner nearer than this to an edge is none
MAX_CORNERS = 100_000


class ExtremePoint(NamedTuple):
    """The point of a reduced hull that is furthest in a direction, and the weights of the rows that make it."""

    point: Vector
    weights: Vector


@dataclass(frozen=True, eq=False)
class Containment:
    """Whether a point is in a reduced hull, and the proof; true where it is proved to be inside.

    Attributes
    ----------
    inside : bool or None
        Whether the point is in the hull; None where rounding leaves it undecided, as it may on the boundary.
    weights : list of Fraction or None
        Of a point inside, weights of all rows that make it, in exact arithmetic.
    direction : ndarray or None
        Of a point outside, a direction along which it is further than every point of the hull, in exact arithmetic.
    distance : float
        How far the point is from the hull, 0 inside.

    Examples
    --------
    >>> from separatrix import reduced_hull
    >>> hull = reduced_hull([[0.0], [1.0], [2.0]], mu=0.5)  # from 0.5 to 1.5
    >>> inside, outside = hull.contains([0.75]), hull.contains([2.0])
    >>> inside.inside, inside.weights[1] + 2 * inside.weights[2], max(inside.weights) <= 0.5, sum(inside.weights)
    (True, Fraction(3, 4), True, Fraction(1, 1))
    >>> outside.inside, round(outside.distance, 9), bool(outside.direction[0] > 0)
    (False, 0.5, True)
    """

    inside: bool | None
    weights: list[Fraction] | None
    direction: Vector | None
    distance: float

    def __bool__(self) -> bool:
        return self.inside is True


@dataclass(frozen=True, eq=False, repr=False)
class ReducedHull:
    """The reduced convex hull of some rows.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The rows.
    mu : float
        The largest weight of a row in units of its own weight.
    sample_weight : ndarray of shape (n,)
        How often each row counts.

    Examples
    --------
    >>> from separatrix import reduced_hull
    >>> hull = reduced_hull([[0, 0], [1, 0], [0, 1], [1, 1]], mu=0.5)  # a square
    >>> sorted(hull.outline().tolist())  # the middles of its sides
    [[0.0, 0.5], [0.5, 0.0], [0.5, 1.0], [1.0, 0.5]]
    >>> hull.support_function([1.0, 0.0]), hull.extreme_point([2.0, 1.0]).point.tolist()
    (1.0, [1.0, 0.5])
    """

    X: Vector
    mu: float
    sample_weight: Vector

    @property
    def upper(self) -> Vector:
        """The largest weight that each row may have."""
        return self.mu * self.sample_weight

    def support_function(self, u: Any) -> float:
        """Compute the largest <u, x> over the hull.

        Parameters
        ----------
        u : array of d numbers
            A direction, of any length.

        Returns
        -------
        float
            The mean of <u, x_i> over the rows furthest along u, each with as much weight as it may have.
        """
        return extreme_value(self.X @ self._vector("u", u), self.upper)

    def extreme_point(self, u: Any) -> ExtremePoint:
        """Find the point of the hull that is furthest along u.

        Parameters
        ----------
        u : array of d numbers
            A direction. Where several points are as far, the one with the first rows is found.

        Returns
        -------
        ExtremePoint
            The point and the weights of all rows: mu times their own for the furthest, 0 for most.
        """
        weights = extreme_weights(self.X @ self._vector("u", u), self.upper)
        return ExtremePoint(weights @ self.X, weights)

    def contains(self, p: Any) -> Containment:
        """Decide whether a point is in the hull, with a proof in exact arithmetic.

        Parameters
        ----------
        p : array of d numbers
            The point.

        Returns
        -------
        Containment
            Inside with the weights that make the point, outside with a direction, or undecided.
        """
        point = self._vector("p", p)
        problem = Problem(
            np.vstack([self.X, point]), np.arange(len(self.X) + 1) < len(self.X), 2,
            np.append(self.sample_weight, 2.0 / self.mu),
        )  # fmt: skip
        claim = mdm(problem, mu=self.mu).certificate
        bounds = exact_bounds(self.sample_weight, self.mu)
        if claim.distance > 0.0 and proves_outside(self.X, bounds, point, -claim.w):
            return Containment(False, None, -claim.w, claim.distance)
        weights = np.zeros(len(self.X) + 1)
        weights[claim.support] = claim.weights
        for candidate in (weights[:-1], self._central_weights(point)):
            found = None if candidate is None else proving_weights(self.X, bounds, point, candidate)
            if found is not None:
                return Containment(True, [Fraction(int(each.p), int(each.q)) for each in found], None, 0.0)
        return Containment(None, None, None, claim.distance)

    def outline(self) -> Vector:
        """Find the corners of the hull of rows of two features, in counter-clockwise order.

        Returns
        -------
        ndarray of shape (n_corners, 2)
            The corners; one where the hull is a point, two where it is a segment.
        """
        if self.X.shape[1] != 2:
            raise DataError(f"An outline is drawn in two dimensions, and these rows have {self.X.shape[1]} features.")
        least = OUTLINE_RTOL * max(length(np.ptp(self.X, axis=0)), np.finfo(float).tiny)
        first, last = self.extreme_point([-1.0, 0.0]).point, self.extreme_point([1.0, 0.0]).point
        if length(last - first) <= least:
            first, last = self.extreme_point([0.0, -1.0]).point, self.extreme_point([0.0, 1.0]).point
        if length(last - first) <= least:
            return first[None]
        return np.array([first, *self._beyond(first, last, least), last, *self._beyond(last, first, least)])

    def _beyond(self, first: Vector, last: Vector, least: float) -> list[Vector]:
        """The corners from one point to another, on the right of the way: each edge is tried for a point beyond it."""
        found: list[Vector] = []
        pending = [(first, last)]
        while pending and len(found) < MAX_CORNERS:
            start, end = pending.pop()
            normal = np.array([end[1] - start[1], start[0] - end[0]])
            size = length(normal)
            corner = self.extreme_point(normal).point if size > least else start
            if size <= least or float((corner - start) @ normal) / size <= least:
                found.append(end)
            else:
                pending += [(corner, end), (start, corner)]
        return found[:-1]

    def _central_weights(self, point: Vector) -> Vector | None:
        """Weights that make the point, as far from their bounds as a linear program finds; None if it finds none.

        maximise t   where   X'a = p,   sum a = 1,   t u <= a <= (1 - t) u
        """
        n, upper = len(self.X), self.upper
        ends = sparse.csr_array(upper[:, None])
        A = sparse.vstack([sparse.hstack([-sparse.eye_array(n), ends]), sparse.hstack([sparse.eye_array(n), ends])])
        A_eq = np.pad(np.vstack([self.X.T, np.ones(n)]), ((0, 0), (0, 1)))
        found = linprog(
            np.append(np.zeros(n), -1.0), A, np.concatenate([np.zeros(n), upper]), A_eq, np.append(point, 1.0),
            bounds=[(0.0, None)] * n + [(None, 0.5)],
        )  # fmt: skip
        return np.clip(found.x[:-1], 0.0, upper) if found.x is not None else None

    def _vector(self, name: str, given: Any) -> Vector:
        """A point or a direction as d finite numbers."""
        try:
            vector = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            vector = np.empty(0)
        if vector.shape != (self.X.shape[1],) or not np.isfinite(vector).all():
            raise OptionError(f"The {name!r} parameter must hold {self.X.shape[1]} finite numbers. Got {given!r}.")
        return vector

    def __repr__(self) -> str:
        return f"ReducedHull({self.X.shape[0]} rows x {self.X.shape[1]} features, mu={self.mu:g})"


def reduced_hull(X: Any, mu: float, sample_weight: Any = None) -> ReducedHull:
    """Describe the reduced convex hull of rows: mixtures in which no row has a weight above mu.

    For mu = 1 it is the convex hull, for mu = 1/n the mean of the rows alone; in between it becomes smaller with mu
    (Crisp and Burges, 1999). Its extreme points are means of some 1/mu rows, so that a single row moves it little.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows.
    mu : float
        The largest weight of a row, at least 1/n.
    sample_weight : array of n numbers or None
        How often each row counts: its weight is at most mu times this. Rows of weight 0 take no part.

    Returns
    -------
    ReducedHull
        With its `support_function`, `extreme_point`, `contains` and, in two dimensions, `outline`.

    Examples
    --------
    >>> from separatrix import reduced_hull
    >>> hull = reduced_hull([[0.0], [1.0], [2.0], [7.0]], mu=0.4)
    >>> round(hull.support_function([1.0]), 9), hull.extreme_point([1.0]).weights.round(9).tolist()  # 2.8 + 0.8 + 0.2
    (3.8, [0.0, 0.2, 0.4, 0.4])
    >>> bool(hull.contains([3.0])), bool(hull.contains([4.0]))
    (True, False)
    """
    matrix = features(X)
    rows = np.asarray(matrix if isinstance(matrix, np.ndarray) else matrix.toarray(), dtype=np.float64)
    weights = np.ones(len(rows)) if sample_weight is None else row_weights(sample_weight, len(rows))
    value, least = number("mu", mu, above=0.0), 1.0 / float(weights.sum())
    if value < least * (1.0 - MASS_RTOL):
        raise OptionError(
            f"The 'mu' parameter must be at least {least:.6g} for these rows, one over their number or weight: below, "
            f"weights of at most mu cannot add up to 1. Got {mu!r}."
        )
    return ReducedHull(rows, value, weights)
