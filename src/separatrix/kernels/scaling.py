"""A kernel times a number, and a kernel normalised: the change of one kernel's values.

scaled        s a(x, z)                              phi = sqrt(s) phi_a
normalised    a(x, z) / sqrt(a(x, x) a(z, z))        phi = phi_a / ||phi_a||
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Self

import numpy as np

from separatrix.enclosures.elementwise import INFLATED
from separatrix.enclosures.products import Enclosed
from separatrix.errors import DataError, OptionError
from separatrix.kernels.kernel import Kernel
from separatrix.kernels.precomputed import Precomputed
from separatrix.options import number
from separatrix.rows import SMALLEST, UNIT_ROUNDOFF, Vector


@dataclass(frozen=True, repr=False)
class Changed(Kernel):
    """One kernel whose values are changed."""

    part: Kernel

    @property
    def positive_definite(self) -> bool:  # type: ignore[override]
        """Whether the part is."""
        return self.part.positive_definite

    @property
    def by_products(self) -> bool:  # type: ignore[override]
        """As the part is."""
        return self.part.by_products

    @property
    def shift_invariant(self) -> bool:  # type: ignore[override]
        """As the part is."""
        return self.part.shift_invariant

    @property
    def over(self) -> Kernel:
        """The change of the kernel of encoded rows."""
        return self if self.part.over is self.part else replace(self, part=self.part.over)

    def encoder(self, X: Any) -> Callable[[Any], Any]:
        """Return that of the part."""
        return self.part.encoder(X)

    def resolved(self, X: Any, y: Any = None, weights: Any = None) -> Self:
        """Resolve the part."""
        return replace(self, part=self.part.resolved(X, y, weights))


@dataclass(frozen=True, init=False, repr=False)
class Scaled(Changed):
    """A positive number times a kernel, written 2.0 * a.

    Parameters
    ----------
    scale : float
        Above 0.
    part : kernel
        What is multiplied.

    Examples
    --------
    >>> from separatrix.kernels import Linear
    >>> (2.0 * Linear()).matrix([[1.0], [3.0]]).tolist()
    [[2.0, 6.0], [6.0, 18.0]]
    """

    scale: float = 1.0

    def __init__(self, scale: float, part: Kernel) -> None:
        object.__setattr__(self, "scale", number("scale", scale, above=0.0))
        object.__setattr__(self, "part", checked_part(part))

    def __repr__(self) -> str:
        return f"{self.scale!r} * {enclosed(self.part)}"

    def matrix(self, A: Any, B: Any = None) -> Vector:
        """Compute the scale times the part's values."""
        return self.scale * self.part.matrix(A, B)

    def diagonal(self, A: Any) -> Vector:
        """Compute the scale times the part's values."""
        return self.scale * self.part.diagonal(A)

    def of_products(self, P: np.ndarray, left_squares: np.ndarray, right_squares: np.ndarray) -> np.ndarray:
        """Values of the part times the scale, in place."""
        values = self.part.of_products(P, left_squares, right_squares)
        values *= self.scale
        return values

    def of_distances(self, D: np.ndarray) -> np.ndarray:
        """Values of the part times the scale, in place."""
        values = self.part.of_distances(D)
        values *= self.scale
        return values

    def enclosed_matrix(self, A: Any, B: Any) -> Enclosed:
        """Compute the scale times the part's values."""
        return self.times_scale(self.part.enclosed_matrix(A, B))

    def enclosed_diagonal(self, A: Any) -> Enclosed:
        """Compute the scale times the part's values."""
        return self.times_scale(self.part.enclosed_diagonal(A))

    def enclosed_of_products(self, P: Enclosed, left_squares: Enclosed, right_squares: Enclosed) -> Enclosed:
        """Values of the part times the scale."""
        return self.times_scale(self.part.enclosed_of_products(P, left_squares, right_squares))

    def enclosed_of_distances(self, D: Enclosed) -> Enclosed:
        """Values of the part times the scale."""
        return self.times_scale(self.part.enclosed_of_distances(D))

    def times_scale(self, found: Enclosed) -> Enclosed:
        """The scale times enclosed values."""
        value = self.scale * found.value
        radius = INFLATED * (self.scale * found.radius + UNIT_ROUNDOFF * np.abs(value))
        return Enclosed(value, radius + 2.0 * SMALLEST)

    def feature_map(self, X: Any) -> Vector:
        """Compute the part's map times the root of the scale."""
        return sqrt(self.scale) * self.part.feature_map(X)


@dataclass(frozen=True, repr=False)
class Normalized(Changed):
    """a(x, z) / sqrt(a(x, x) a(z, z)), the cosine in the space of the kernel; 0 where a(x, x) is 0.

    Parameters
    ----------
    part : kernel
        What is normalised.

    Examples
    --------
    >>> from separatrix.kernels import Linear, Normalized
    >>> Normalized(Linear()).matrix([[3.0, 4.0], [5.0, 0.0]]).tolist()
    [[1.0, 0.6], [0.6, 1.0]]
    """

    def __post_init__(self) -> None:
        checked_part(self.part)

    def __repr__(self) -> str:
        return f"Normalized({self.part!r})"

    def matrix(self, A: Any, B: Any = None) -> Vector:
        """Compute the values of the part over the roots of those of each row with itself."""
        if self.by_products:
            return super().matrix(A, B)
        kernel = self.resolved(A)
        K = kernel.part.matrix(A, B)
        left = roots(kernel.part.diagonal(A))
        K /= left[:, None] * (left if B is None else roots(kernel.part.diagonal(B)))
        return K

    def diagonal(self, A: Any) -> Vector:
        """Return 1 for each row, 0 where the kernel of a row with itself is 0."""
        return np.isfinite(roots(self.part.diagonal(A))).astype(np.float64)

    def of_products(self, P: np.ndarray, left_squares: np.ndarray, right_squares: np.ndarray) -> np.ndarray:
        """Values of the part, each over the roots of those of its rows with themselves, in place."""
        values = self.part.of_products(P, left_squares, right_squares)
        left, right = (
            roots(self.part.of_products(squares.copy(), squares, squares)) for squares in (left_squares, right_squares)
        )
        values /= left * right
        return values

    def of_distances(self, D: np.ndarray) -> np.ndarray:
        """Values of the part over that at distance 0, in place."""
        values = self.part.of_distances(D)
        values /= self.part.of_distances(np.zeros(1))
        return values

    def enclosed_matrix(self, A: Any, B: Any) -> Enclosed:
        """Compute the values of the part over the roots of those of each row with itself."""
        if self.by_products:
            return super().enclosed_matrix(A, B)
        left, right = self.part.enclosed_diagonal(A), self.part.enclosed_diagonal(B)
        return cosines(self.part.enclosed_matrix(A, B), Enclosed(*(each[:, None] for each in left)), right)

    def enclosed_diagonal(self, A: Any) -> Enclosed:
        """Return 1 for each row, 0 where the kernel of a row with itself is 0."""
        value = self.diagonal(A)
        return Enclosed(value, np.zeros_like(value))

    def enclosed_of_products(self, P: Enclosed, left_squares: Enclosed, right_squares: Enclosed) -> Enclosed:
        """Values of the part, each over the roots of those of its rows with themselves."""
        left, right = (
            self.part.enclosed_of_products(Enclosed(each.value.copy(), each.radius), each, each)
            for each in (left_squares, right_squares)
        )
        return cosines(self.part.enclosed_of_products(P, left_squares, right_squares), left, right)

    def enclosed_of_distances(self, D: Enclosed) -> Enclosed:
        """Values of the part over that at distance 0."""
        largest = self.part.enclosed_of_distances(Enclosed(*np.zeros((2, 1))))
        return cosines(self.part.enclosed_of_distances(D), largest, largest)

    def feature_map(self, X: Any) -> Vector:
        """Compute the part's map, each vector over its length."""
        vectors = self.part.feature_map(X)
        return vectors / roots(np.einsum("ij,ij->i", vectors, vectors))[:, None]


def cosines(values: Enclosed, left: Enclosed, right: Enclosed) -> Enclosed:
    """Values over the roots of those of their rows with themselves; 0 where one of these is 0 exactly.

    A root is off by less than its square is, relative to it. Cosines are from -1 to 1, so that none is off by over 2.
    """
    lengths = roots(left.value) * roots(right.value)
    found = values.value / lengths
    with np.errstate(divide="ignore", invalid="ignore"):
        off = [
            np.where(each.value > 0.0, each.radius / each.value, np.where(each.radius > 0.0, np.inf, 0.0))
            for each in (left, right)
        ]
        part = off[0] + off[1]
        radius = (values.radius / lengths + np.abs(found) * (part + 8.0 * UNIT_ROUNDOFF)) / (1.0 - part)
    radius = np.where(part < 0.5, INFLATED * radius + 2.0 * SMALLEST, 2.0)
    return Enclosed(found, np.where(np.isinf(lengths) & (part == 0.0), 0.0, np.minimum(radius, 2.0)))


def roots(diagonal: np.ndarray) -> np.ndarray:
    """sqrt(a(x, x)), and infinity where that is 0, so that what is divided by it becomes 0."""
    least = float(diagonal.min(initial=0.0))
    if least < 0.0:
        raise DataError(
            f"The kernel of a row with itself is {least:.3g}, below 0, so that it cannot be normalised: it is not "
            "positive semi-definite. Change its parameters."
        )
    return np.sqrt(np.where(diagonal > 0.0, diagonal, np.inf))


def checked_part(part: Any) -> Kernel:
    """A kernel that others may be made of."""
    if not isinstance(part, Kernel):
        raise OptionError(f"Kernels are made of kernels. Got {part!r}. Wrap functions in Function.")
    if isinstance(part, Precomputed):
        raise OptionError(f"{part!r} has no rows to share with other kernels. Combine the matrices before the fit.")
    return part


def enclosed(part: Kernel) -> str:
    """A kernel as a factor: in parentheses, unless it is printed by its name, as sums and multiples are not."""
    text = repr(part)
    return text if text.startswith(f"{type(part).__name__}(") else f"({text})"
