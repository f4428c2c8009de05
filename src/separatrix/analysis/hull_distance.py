"""How far apart the convex hulls of two classes are, from raw data.

    minimise  ||p - q||   over    p = sum a_i x_i  of one class,  q = sum a_i x_i  of the other,     a >= 0,  sums of 1

The plane halfway between the nearest points is the one with the largest margin, which is half their distance.
"""

from typing import Any, Literal, NamedTuple, Self

import numpy as np

from separatrix.certificates import NearestPoint
from separatrix.data.encode import Encoded, encode
from separatrix.errors import DataError, OptionError
from separatrix.estimators.base import warn_not_certified
from separatrix.problem import Solution, Status
from separatrix.rows import Vector
from separatrix.solvers.hulls.gilbert import gilbert
from separatrix.solvers.hulls.mdm import mdm
from separatrix.solvers.hulls.nearest_points import MAX_ITER, TOL, Descent
from separatrix.solvers.hulls.schlesinger_kozinec import schlesinger_kozinec

ALGORITHMS = {"gilbert": gilbert, "mdm": mdm, "schlesinger_kozinec": schlesinger_kozinec}


class Plane(NamedTuple):
    """w.x + b = 0, scaled so that the nearest rows have w.x + b = -1 and 1."""

    w: Vector
    b: float


class HullDistance(float):
    """The distance between two convex hulls: a number, with the points that it is measured between.

    Attributes
    ----------
    points : ndarray of shape (2, d)
        The nearest points, that of the first class in sorted order first.
    support : ndarray of int
        The rows that the two points are mixtures of.
    weights : ndarray of float
        Their weights, positive and with a sum of 1 in each class.
    margin : float
        Half of the distance: how far the nearest rows are from the plane.
    plane : Plane or None
        w and b of the plane halfway between the points; None where the hulls meet.
    certificate : NearestPoint
        The distance and its lower bound, recomputed from the data by `certificate.error`.
    n_iter : int
        Steps of the algorithm.
    trace : Descent or None
        Distance and bound at each step, before the polish, where that was asked for.

    Examples
    --------
    >>> from separatrix import hull_distance
    >>> found = hull_distance([[0, 0], [2, 1], [2, -1]], ["no", "yes", "yes"])
    >>> found.points.tolist(), found.support.tolist(), found.weights.tolist()
    ([[0.0, 0.0], [2.0, 0.0]], [0, 1, 2], [1.0, 0.5, 0.5])
    >>> found > 1.9, found == 2 * found.margin  # it is a number
    (True, True)
    """

    points: Vector
    support: np.ndarray
    weights: Vector
    margin: float
    plane: Plane | None
    certificate: NearestPoint
    n_iter: int
    trace: Descent | None

    @classmethod
    def of(cls, solution: Solution, encoded: Encoded) -> Self:
        """The distance from a solution, with the rows numbered as in the data of the user."""
        claim = solution.certificate
        found = cls(claim.distance)
        found.points = claim.points(encoded.problem)
        found.support, found.weights = encoded.kept[claim.support], claim.weights
        found.margin = claim.distance / 2
        found.plane = Plane(solution.w, float(solution.b)) if claim.bound > 0.0 else None
        found.certificate, found.n_iter, found.trace = claim, solution.iterations, solution.trace
        return found

    def __repr__(self) -> str:
        return f"HullDistance({float(self)!r}, by {self.support.size} rows)"

    def __str__(self) -> str:
        return repr(float(self))


def hull_distance(
    X: Any,
    y: Any,
    algorithm: Literal["gilbert", "mdm", "schlesinger_kozinec"] = "mdm",
    *,
    tol: float = TOL,
    max_iter: int = MAX_ITER,
    polish: bool = True,
    record: bool = False,
) -> HullDistance:
    """Find how far the convex hulls of two classes are apart, by their nearest points.

    Classes that a plane separates are as far apart as its margins can be wide: the distance is 2 / ||w|| of the
    support vector machine with a hard margin. Hulls that meet have the distance 0.0: two mixtures of rows, one of each
    class, are in the same place but for rounding. (To rounding, a gap narrower than about 1e-15 of the rows is none.
    Whether a plane separates at all is decided exactly by `separability`, not here.)

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows.
    y : array of n labels
        Their classes, two of them.
    algorithm : {"mdm", "gilbert", "schlesinger_kozinec"}
        The one of Mitchell, Dem'yanov and Malozemov (1974), of Gilbert (1966), or of Kozinec (1964) and Schlesinger.
    tol : float
        The relative error of the distance that the certificate must reach.
    max_iter : int
        Steps of the algorithm at most.
    polish : bool
        Whether Wolfe's method (1976) finishes what the algorithm began; without it the last digits take very long.
    record : bool
        Keep distance and lower bound of every step of the algorithm in `trace`.

    Returns
    -------
    HullDistance
        The distance, as a float, with the nearest points, the plane between them and the certificate.

    Notes
    -----
    Dense rows are copied once, in float64 and measured from their mean, so that large offsets cost no digits.

    Examples
    --------
    >>> from separatrix import LinearSVM, hull_distance
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, 1, -1, -1]
    >>> found = hull_distance(X, y)
    >>> float(found), (found.plane.w + 0.0).tolist(), found.plane.b + 0.0  # the plane is x1 = 0
    (2.0, [1.0, 0.0], 0.0)
    >>> abs(found - LinearSVM(C=float("inf")).fit(X, y).margin_width_) < 1e-8
    True
    >>> hull_distance([[0.0], [2.0], [1.0]], ["a", "a", "b"])  # b is between two a
    HullDistance(0.0, by 3 rows)
    """
    if algorithm not in ALGORITHMS:
        raise OptionError(f"The 'algorithm' parameter must be one of {tuple(ALGORITHMS)}. Got {algorithm!r}.")
    encoded = encode(X, y)
    check_two(encoded.classes.tolist())
    solution = ALGORITHMS[algorithm](encoded.problem, tol=tol, max_iter=max_iter, polish=polish, record=record)
    if solution.status is not Status.SOLVED:
        more = f"Raise max_iter={max_iter}" if polish else f"Raise max_iter={max_iter}, let it polish"
        warn_not_certified(
            f"hull_distance reached a relative error of {solution.certificate.stated:.2g} where tol={tol:g} was asked "
            f"for. {solution.status} {more if solution.status is Status.STOPPED else 'Scale the features'}, or accept "
            "the error by a larger tol."
        )
    return HullDistance.of(solution, encoded)


def check_two(classes: list[Any]) -> None:
    """Refuse more than two classes."""
    if len(classes) > 2:
        raise DataError(
            f"The distance is that of the hulls of two classes, but y has {len(classes)}: {classes[:5]}"
            f"{' and more' if len(classes) > 5 else ''}. Take pairs: the rows of two classes at a time, or one class "
            "against the rest."
        )
