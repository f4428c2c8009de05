"""Sums and products of kernels, which are kernels again.

    (a + b)(x, z) = a(x, z) + b(x, z)          phi = (phi_a, phi_b)
    (a * b)(x, z) = a(x, z) b(x, z)            phi = all products of a component of phi_a and one of phi_b

Where all parts are functions of the same products, or of the same distances, so is the whole. A part that depends on
distances alone wants centred rows, another one rows as they are: such parts are computed one after the other.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from operator import add, mul
from typing import Any, Self

import numpy as np

from separatrix.enclosures.elementwise import multiplied, summed_with
from separatrix.enclosures.products import Enclosed
from separatrix.errors import OptionError
from separatrix.kernels.enclosed_several import EnclosedSeveral
from separatrix.kernels.kernel import Kernel
from separatrix.kernels.rows_of import as_given
from separatrix.kernels.scaling import checked_part, enclosed
from separatrix.kernels.tiles import check_values
from separatrix.rows import Vector


@dataclass(frozen=True, repr=False)
class Several(EnclosedSeveral, Kernel):
    """Kernels of the same two rows, whose values are put together by one operation."""

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        parts = [checked_part(part) for part in self.parts]
        if not parts:
            raise OptionError(f"A {type(self).__name__} needs at least one kernel. Got none.")
        flat = [inner for part in parts for inner in (part.parts if type(part) is type(self) else (part,))]
        object.__setattr__(self, "parts", tuple(flat))

    @property
    def by_products(self) -> bool:  # type: ignore[override]
        """Whether all parts are functions of the same products."""
        alike = len({part.shift_invariant for part in self.parts}) == 1
        return alike and all(part.by_products and part.over is part for part in self.parts)

    @property
    def positive_definite(self) -> bool:  # type: ignore[override]
        """Whether all parts are: sums and products of such kernels are, too (Schur, 1911)."""
        return all(part.positive_definite for part in self.parts)

    @property
    def shift_invariant(self) -> bool:  # type: ignore[override]
        """Whether all parts depend on distances alone."""
        return all(part.shift_invariant for part in self.parts)

    def put_together(self, values: Iterator[np.ndarray]) -> np.ndarray:
        """One array from those of the parts, the first of which may be overwritten."""
        raise NotImplementedError

    def resolved(self, X: Any, y: Any = None, weights: Any = None) -> Self:
        """Resolve every part."""
        return replace(self, parts=tuple(part.resolved(X, y, weights) for part in self.parts))

    def encoder(self, X: Any) -> Callable[[Any], Any]:
        """Make numbers of rows, or leave them to the parts."""
        return super().encoder(X) if self.by_products else as_given

    def matrix(self, A: Any, B: Any = None) -> Vector:
        """Compute the values of all parts for all pairs of rows."""
        if self.by_products:
            return super().matrix(A, B)
        K = self.put_together(part.matrix(A, B) for part in self.parts)
        check_values(K, self)
        return K

    def diagonal(self, A: Any) -> Vector:
        """Compute the values of all parts for each row with itself."""
        return self.put_together(part.diagonal(A) for part in self.parts)

    def of_products(self, P: np.ndarray, left_squares: np.ndarray, right_squares: np.ndarray) -> np.ndarray:
        """Values of all parts from the same products."""
        return self.put_together(part.of_products(P.copy(), left_squares, right_squares) for part in self.parts)

    def of_distances(self, D: np.ndarray) -> np.ndarray:
        """Values of all parts from the same distances."""
        return self.put_together(part.of_distances(D.copy()) for part in self.parts)


@dataclass(frozen=True, repr=False)
class Sum(Several):
    """The sum of kernels, written a + b.

    Parameters
    ----------
    parts : tuple of kernels
        What is added.

    Examples
    --------
    >>> from separatrix.kernels import Linear, RBF
    >>> RBF(gamma=1.0) + Linear() + Linear()
    RBF(gamma=1.0) + Linear() + Linear()
    """

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.parts))

    def put_together(self, values: Iterator[np.ndarray]) -> np.ndarray:
        """Add."""
        return reduce(lambda total, more: np.add(total, more, out=total), values)

    def enclosed_together(self, values: Iterator[Enclosed]) -> Enclosed:
        """Add."""
        return reduce(summed_with, values)

    def balls_together(self, values: Iterator[Any]) -> Any:
        """Add."""
        return reduce(add, values)


@dataclass(frozen=True, repr=False)
class Product(Several):
    """The product of kernels, written a * b.

    Parameters
    ----------
    parts : tuple of kernels
        What is multiplied.

    Examples
    --------
    >>> from separatrix.kernels import Linear, Polynomial
    >>> kernel = Linear() * Linear()
    >>> bool((kernel.matrix([[1.0], [2.0]]) == Polynomial(degree=2).matrix([[1.0], [2.0]])).all())
    True
    """

    def __repr__(self) -> str:
        return " * ".join(map(enclosed, self.parts))

    def put_together(self, values: Iterator[np.ndarray]) -> np.ndarray:
        """Multiply."""
        return reduce(lambda total, more: np.multiply(total, more, out=total), values)

    def enclosed_together(self, values: Iterator[Enclosed]) -> Enclosed:
        """Multiply."""
        return reduce(multiplied, values)

    def balls_together(self, values: Iterator[Any]) -> Any:
        """Multiply."""
        return reduce(mul, values)
