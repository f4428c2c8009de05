"""The geometry of a plane g(x) = w.x + b = 0: its distances, intercepts and feet of perpendiculars.

distance of x   g(x) / ||w||, positive on the side of w        of the origin   |b| / ||w||
foot of x       x - g(x) / ||w||^2 w                           intercept on axis j   -b / w_j
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.errors import DataError
from separatrix.options import finite_array
from separatrix.rows import Vector, length


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """A line in the plane, a plane in space, a hyperplane in more dimensions: all x with w.x + b = 0.

    Parameters
    ----------
    w : array of shape (d,)
        The normal, not zero: `coef_[0]` of a fitted model of two classes.
    b : float
        The offset: `intercept_[0]`.

    Examples
    --------
    >>> from separatrix import Hyperplane
    >>> line = Hyperplane([3, 4], -12)
    >>> line.distance_from_origin, line.intercepts.tolist()
    (2.4, [4.0, 3.0])
    >>> line.distances([[4, 3], [0, 0]]).tolist(), line.feet([[4, 3]]).round(12).tolist()
    ([2.4, -2.4], [[2.56, 1.08]])
    """

    w: Any
    b: float = 0.0

    def __post_init__(self) -> None:
        """Check that there is a plane, and keep it as numbers of float64."""
        w, b = finite_array("w", self.w, (None,)), float(finite_array("b", self.b, ()))
        if not w.any():
            raise DataError(
                f"A plane has a finite normal w other than 0, and a finite b. Got w={self.w!r}, b={self.b!r}."
            )
        w.flags.writeable = False
        object.__setattr__(self, "w", w)
        object.__setattr__(self, "b", b)

    @property
    def unit_normal(self) -> Vector:
        """w / ||w||, at right angles to the plane and on the side where g is positive."""
        return self.w / length(self.w)

    @property
    def distance_from_origin(self) -> float:
        """How far the origin is from the plane: `|b| / ||w||`."""
        return abs(self.b) / length(self.w)

    @property
    def intercepts(self) -> Vector:
        """Where the plane cuts each axis: -b / w_j, infinite for a parallel axis, NaN for one in the plane."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where((self.w == 0.0) & (self.b != 0.0), np.inf, -self.b / self.w) + 0.0

    def distances(self, X: Any) -> Vector:
        """Measure how far rows are from the plane, with the sign of g: positive on the side of w.

        Parameters
        ----------
        X : array of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
            g(x) / ||w||.
        """
        return (self.points(X) @ self.w + self.b) / length(self.w)

    def feet(self, X: Any) -> Vector:
        """Find the foot of the perpendicular from each row: the point of the plane that is nearest to it.

        Parameters
        ----------
        X : array of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n, d)
            x - g(x) / ||w||^2 w.
        """
        return self.points(X) - np.outer(self.distances(X), self.unit_normal)

    def points(self, X: Any) -> Vector:
        """Rows with as many numbers as w has, checked."""
        return finite_array("X", X, (None, self.w.size))
