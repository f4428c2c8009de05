"""Kernels that are functions of the inner product of two rows.

    linear         x.z
    polynomial     (gamma x.z + coef0)^degree
    sigmoid        tanh(gamma x.z + coef0)         positive semi-definite for some gamma and coef0 only
    exponential    base^(x.z)

A polynomial is the inner product of monomials (Boser, Guyon and Vapnik, 1992): in two dimensions (x.z)^2 is that of
(x1^2, sqrt(2) x1 x2, x2^2). A coef0 above 0 adds those of lower degree.
"""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb, factorial, prod, sqrt
from typing import Any, Self

import numpy as np

from separatrix import rows
from separatrix.enclosures.elementwise import INFLATED
from separatrix.enclosures.products import Enclosed
from separatrix.errors import OptionError
from separatrix.kernels.gamma import Gamma, checked_gamma, resolved_gamma, settled
from separatrix.kernels.kernel import Kernel
from separatrix.kernels.rows_of import as_rows
from separatrix.options import number, whole
from separatrix.products import dense_rows
from separatrix.rows import SMALLEST, UNIT_ROUNDOFF, Vector

MAX_MONOMIALS = 100_000


@dataclass(frozen=True)
class Linear(Kernel):
    """The inner product itself, x.z.

    Examples
    --------
    >>> from separatrix.kernels import Linear
    >>> Linear().matrix([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [[5.0, 11.0], [11.0, 25.0]]
    """

    is_linear = True

    def of_products(self, P: np.ndarray, left_squares: np.ndarray, right_squares: np.ndarray) -> np.ndarray:
        """x.z as it is."""
        return P

    def enclosed_of_products(self, P: Enclosed, left_squares: Enclosed, right_squares: Enclosed) -> Enclosed:
        """x.z as it is."""
        return P

    def in_balls(self, product: Any, left_square: Any, right_square: Any) -> Any:
        """x.z as it is."""
        return product

    def feature_map(self, X: Any) -> Vector:
        """Return the rows, dense."""
        numbers = as_rows(X)
        return dense_rows(numbers, np.arange(rows.n_rows(numbers)))


@dataclass(frozen=True)
class Polynomial(Kernel):
    """(gamma x.z + coef0)^degree.

    Parameters
    ----------
    degree : int
        1 or more.
    coef0 : float
        With 0 all monomials have the degree; above 0 lower ones are there too; below 0 it is not positive definite.
    gamma : float, "scale" or "auto"
        Factor of the product, above 0, or scikit-learn's rules for it.

    Examples
    --------
    >>> from separatrix.kernels import Polynomial
    >>> kernel, X = Polynomial(degree=2), [[1.0, 2.0], [3.0, -1.0]]
    >>> kernel.matrix(X).tolist()
    [[25.0, 1.0], [1.0, 100.0]]
    >>> kernel.feature_map(X).round(3).tolist()  # x1^2, sqrt(2) x1 x2, x2^2
    [[1.0, 2.828, 4.0], [9.0, -4.243, 1.0]]
    """

    degree: int = 3
    coef0: float = 0.0
    gamma: Gamma = 1.0

    @property
    def positive_definite(self) -> bool:  # type: ignore[override]
        """Whether no lower term has a negative sign."""
        return self.coef0 >= 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", whole("degree", self.degree))
        object.__setattr__(self, "coef0", number("coef0", self.coef0))
        object.__setattr__(self, "gamma", checked_gamma(self.gamma))

    def resolved(self, X: Any, y: Any = None, weights: Any = None) -> Self:
        """Settle gamma."""
        return replace(self, gamma=resolved_gamma(self.gamma, X, y, weights))

    def of_products(self, P: np.ndarray, left_squares: np.ndarray, right_squares: np.ndarray) -> np.ndarray:
        """(gamma P + coef0)^degree, in place."""
        P *= settled(self.gamma)
        P += self.coef0
        return whole_power(P, self.degree)

    def enclosed_of_products(self, P: Enclosed, left_squares: Enclosed, right_squares: Enclosed) -> Enclosed:
        """(gamma P + coef0)^degree: t -> t^m changes by at most m (abs t + r)^(m - 1) r within a radius r."""
        base = affine(P, settled(self.gamma), self.coef0)
        largest = np.abs(base.value) + base.radius
        slope = self.degree * whole_power(largest, self.degree - 1) if self.degree > 1 else 1.0
        value = whole_power(base.value.copy(), self.degree)
        rounding = 2.0 * self.degree * UNIT_ROUNDOFF * np.abs(value)
        return Enclosed(value, (1.0 + 1e-12) * (slope * base.radius + rounding) + 2.0 * self.degree * SMALLEST)

    def in_balls(self, product: Any, left_square: Any, right_square: Any) -> Any:
        """(gamma x.z + coef0)^degree."""
        return (product * settled(self.gamma) + self.coef0) ** self.degree

    def feature_map(self, X: Any) -> Vector:
        """Compute all monomials of the degree in x, and in the constant sqrt(coef0) where that is not 0."""
        kernel = self.resolved(X)
        if kernel.coef0 < 0.0:
            raise OptionError(f"With coef0 below 0 a polynomial has no real feature map. Got {kernel!r}.")
        variables = sqrt(settled(kernel.gamma)) * Linear().feature_map(X)
        if kernel.coef0:
            variables = np.column_stack([variables, np.full(len(variables), sqrt(kernel.coef0))])
        return monomials(variables, kernel.degree)


@dataclass(frozen=True)
class Sigmoid(Kernel):
    """tanh(gamma x.z + coef0), which is positive semi-definite for some parameters only.

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        Factor of the product, above 0, or scikit-learn's rules for it.
    coef0 : float
        What is added to it.

    Examples
    --------
    >>> from separatrix import psd_defect
    >>> from separatrix.kernels import Sigmoid
    >>> psd_defect(Sigmoid(gamma=1.0, coef0=-1.0).matrix([[0.5], [1.0], [2.0]])).holds
    False
    """

    positive_definite = False  # for some parameters and rows only
    gamma: Gamma = 1.0
    coef0: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", checked_gamma(self.gamma))
        object.__setattr__(self, "coef0", number("coef0", self.coef0))

    def resolved(self, X: Any, y: Any = None, weights: Any = None) -> Self:
        """Settle gamma."""
        return replace(self, gamma=resolved_gamma(self.gamma, X, y, weights))

    def of_products(self, P: np.ndarray, left_squares: np.ndarray, right_squares: np.ndarray) -> np.ndarray:
        """tanh(gamma P + coef0), in place."""
        P *= settled(self.gamma)
        P += self.coef0
        return np.tanh(P, out=P)

    def enclosed_of_products(self, P: Enclosed, left_squares: Enclosed, right_squares: Enclosed) -> Enclosed:
        """tanh(gamma P + coef0), which is nowhere steeper than 1 and within four units of the last place."""
        base = affine(P, settled(self.gamma), self.coef0)
        return Enclosed(np.tanh(base.value), INFLATED * (base.radius + 8.0 * UNIT_ROUNDOFF))

    def in_balls(self, product: Any, left_square: Any, right_square: Any) -> Any:
        """tanh(gamma x.z + coef0)."""
        return (product * settled(self.gamma) + self.coef0).tanh()


@dataclass(frozen=True)
class Exponential(Kernel):
    """base^(x.z): for sets as rows of 0 and 1 and base 2, the number of their common subsets.

    Parameters
    ----------
    base : float
        Above 1.

    Examples
    --------
    >>> from separatrix.kernels import Exponential
    >>> Exponential(base=2.0).matrix([[1.0, 1.0], [1.0, 0.0]]).tolist()
    [[4.0, 2.0], [2.0, 2.0]]
    """

    base: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", number("base", self.base, above=1.0))

    def of_products(self, P: np.ndarray, left_squares: np.ndarray, right_squares: np.ndarray) -> np.ndarray:
        """base^P, in place."""
        P *= np.log2(self.base).item()
        return np.exp2(P, out=P)

    def enclosed_of_products(self, P: Enclosed, left_squares: Enclosed, right_squares: Enclosed) -> Enclosed:
        """base^P, off by e^t - 1 <= t + t^2 of it where the exponent of e is off by t <= 1."""
        rate = float(np.log2(self.base))
        exponent = rate * P.value
        off = rate * P.radius + 6.0 * UNIT_ROUNDOFF * np.abs(exponent) + 8.0 * UNIT_ROUNDOFF  # more than ln 2 of it
        value = np.exp2(exponent)
        radius = np.where(off <= 1.0, INFLATED * value * (off + off * off), np.inf)
        return Enclosed(value, radius + 2.0 * SMALLEST)

    def in_balls(self, product: Any, left_square: Any, right_square: Any) -> Any:
        """base^x.z."""
        return type(product)(self.base) ** product


def affine(P: Enclosed, factor: float, more: float) -> Enclosed:
    """factor P + more."""
    scaled = factor * P.value
    value = scaled + more
    rounding = UNIT_ROUNDOFF * (np.abs(scaled) + np.abs(value))
    return Enclosed(value, INFLATED * (factor * P.radius + rounding) + 2.0 * SMALLEST)


def whole_power(P: np.ndarray, degree: int) -> np.ndarray:
    """P^degree in place, by squaring; NumPy's power of any two numbers takes ten times as long."""
    base = P.copy()
    for bit in f"{degree:b}"[1:]:
        P *= P
        if bit == "1":
            P *= base
    return P


def monomials(X: Vector, degree: int) -> Vector:
    """All products of so many columns, each times the root of the number of orders of its factors.

    Examples
    --------
    >>> from separatrix.kernels.inner_product import monomials
    >>> monomials(np.array([[1.0, 2.0]]), 3).round(3).tolist()  # 1, sqrt(3) 2, sqrt(3) 4, 8
    [[1.0, 3.464, 6.928, 8.0]]
    """
    n, d = X.shape
    if comb(d + degree - 1, degree) > MAX_MONOMIALS:
        raise OptionError(
            f"The feature map of degree {degree} in {d} variables has {comb(d + degree - 1, degree):,} components, "
            f"more than {MAX_MONOMIALS:,}. Use the kernel's `matrix`."
        )
    factors = list(combinations_with_replacement(range(d), degree))
    into = np.empty((n, len(factors)))
    for place, columns in enumerate(factors):
        orders = factorial(degree) // prod(factorial(times) for times in Counter(columns).values())
        into[:, place] = sqrt(orders) * X[:, columns].prod(axis=1)
    return into
