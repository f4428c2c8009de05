"""What predicts: a model gives each row a score, or one for each class."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from separatrix.enclosures.decisions import lead_of_largest, lead_of_signs, settled_scores
from separatrix.rows import Rows, Vector


class Model(Protocol):
    """Scores of rows: a Plane in the space of the features, or an expansion over support rows in that of a kernel."""

    def scores(self, X: Rows) -> Vector:
        """g of each row, of shape (n,), or (n, n_classes) for a model of several scores."""


@dataclass(frozen=True, eq=False)
class Expansion:
    """A plane in the space of a kernel: g(x) = sum_j coefficients_j K(x, x_j) + b over the support rows x_j.

    Parameters
    ----------
    kernel : Kernel
        The inner product.
    rows : rows
        The support rows, as the kernel takes them.
    coefficients : ndarray of shape (n_support,), or (n_machines, n_support) for several
        y alpha of each support row.
    b : float, or ndarray of shape (n_machines,)
        Offset.
    """

    kernel: Any
    rows: Any
    coefficients: Vector
    b: float | Vector

    def scores(self, X: Any) -> Vector:
        """g of each row, or of each row and machine."""
        return self.kernel.expansion(self.rows, self.coefficients.T, X) + self.b


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane, or one for each of several classes: g(x) = w.x + b.

    Parameters
    ----------
    w : ndarray of shape (d,), or (n_classes, d) for several
        Normal of the plane.
    b : float, or ndarray of shape (n_classes,)
        Offset.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Plane
    >>> plane = Plane(np.array([1.0, -1.0]), 0.5)
    >>> plane.scores(np.array([[2.0, 1.0], [0.0, 1.0]])).tolist(), plane.extended.tolist()
    ([1.5, -0.5], [1.0, -1.0, 0.5])
    """

    w: Vector
    b: float | Vector

    @classmethod
    def of(cls, W: Vector, b: Vector) -> "Plane":
        """The planes whose normals are the rows of W; a single one has a vector and a number."""
        return cls(W[0], float(b[0])) if len(W) == 1 else cls(W, b)

    @property
    def extended(self) -> Vector:
        """[w, b] in one array, as `start=` takes it."""
        return np.concatenate([self.w, np.expand_dims(self.b, -1)], axis=-1)

    def scores(self, X: Rows) -> Vector:
        """g of each row, or of each row and plane; those that rounding could turn are rounded once."""
        return settled_scores(X, self.w.T, self.b)


@dataclass(frozen=True, eq=False)
class PlanesOfCode(Plane):
    """Planes each of which tells some classes from others, so that the signs of all scores count.

    Parameters
    ----------
    w : ndarray of shape (n_planes, d)
        Normals of the planes.
    b : ndarray of shape (n_planes,)
        Offsets.
    decode : function or None
        Makes scores of classes of those of planes; none may change by more than all of these together.
    """

    decode: Callable[[Vector], Vector] | None = None

    def scores(self, X: Rows) -> Vector:
        """g of each row and plane; those whose rounding could turn the decision are rounded once."""
        return settled_scores(X, self.w.T, self.b, self.lead)

    def lead(self, scores: Vector) -> Vector:
        """By how much the decision is clear, in units of a score: of all signs, and of the classes."""
        by_signs = lead_of_signs(scores)
        if self.decode is None or scores.ndim == 1:
            return by_signs
        return np.minimum(by_signs, lead_of_largest(self.decode(scores)) / scores.shape[1])
