"""What a kernel says of the rounding of its values: bounds on those of linear algebra, and balls of any precision.

A kernel of products or distances has `enclosed_of_products` or `enclosed_of_distances`, and `in_balls`, for use by
`enclosed_values` and `expansion_in_balls`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.enclosures.products import Enclosed, enclosed_scores
from separatrix.kernels.enclosed_values import enclosed_diagonal, enclosed_sums, enclosed_values
from separatrix.kernels.expansion_in_balls import expansion_in_balls
from separatrix.kernels.rows_of import taken
from separatrix.rows import SMALLEST, Vector


class EnclosedKernel:
    """Kernel values with a bound on the error of each; infinite where a kernel knows none."""

    over: Any
    by_products: bool
    encoder: Callable[[Any], Callable[[Any], Any]]
    matrix: Callable[..., Vector]
    of_products: Callable[..., Vector]
    of_distances: Callable[..., Vector]

    def enclosed_expansion(self, X: Any, support: np.ndarray, coefficients: Vector) -> Enclosed:
        """Compute sum_j coefficients_j K(x, x_j) for each training row x, with a bound on the rounding of each sum.

        Parameters
        ----------
        X : rows
            The training rows.
        support : ndarray of int
            The numbers of the rows x_j.
        coefficients : ndarray of shape (n_support, n_machines)
            A number for each of them.

        Returns
        -------
        Enclosed
            The sums, of shape (len(X), n_machines), and how far each is from the true one at most.
        """
        encoded = self.encoder(X)(X)
        if self.by_products:
            return enclosed_sums(self.over, taken(encoded, support), coefficients, encoded)
        found = self.enclosed_matrix(encoded, taken(encoded, support))
        off = (1.0 + 1e-10) * (found.radius @ np.abs(coefficients)) + 4.0 * len(support) * SMALLEST
        return enclosed_scores(found.value, coefficients, 0.0).plus(Enclosed(np.zeros_like(off), off))

    def expansion_in_balls(self, X: Any, support: np.ndarray, coefficients: Vector) -> Enclosed | None:
        """Compute an expansion as `enclosed_expansion` does, with many more digits.

        Parameters
        ----------
        X, support, coefficients
            As for `enclosed_expansion`.

        Returns
        -------
        Enclosed or None
            The sums, rounded in the end; None where there are too many, or K has no form in balls.
        """
        return expansion_in_balls(self, X, support, coefficients)

    def enclosed_matrix(self, A: Any, B: Any) -> Enclosed:
        """Compute K(a, b) for all rows a of A and b of B, with a bound on the rounding of each value.

        Parameters
        ----------
        A, B : rows
            As for `matrix`; the kernel must be resolved.

        Returns
        -------
        Enclosed
            The values, and how far each is from the true one at most; infinite where that is not known.
        """
        if not self.by_products:
            values = self.matrix(A, B)
            return Enclosed(values, np.full(values.shape, np.inf))
        encode = self.encoder(A)
        return enclosed_values(self.over, encode(A), encode(B))

    def enclosed_diagonal(self, A: Any) -> Enclosed:
        """Compute K(a, a) for each row a of A, with a bound on the rounding of each value.

        Parameters
        ----------
        A : rows
            As for `matrix`; the kernel must be resolved.

        Returns
        -------
        Enclosed
            The values, and how far each is from the true one at most.
        """
        return enclosed_diagonal(self.over, self.encoder(A)(A))

    def enclosed_of_products(self, P: Enclosed, left_squares: Enclosed, right_squares: Enclosed) -> Enclosed:
        """Turn enclosed products <a, b> into enclosed kernel values.

        Parameters
        ----------
        P : Enclosed
            Inner products, which may be overwritten.
        left_squares, right_squares : Enclosed
            <a, a> and <b, b>, in shapes that broadcast to P.

        Returns
        -------
        Enclosed
            The values; without a bound, unless a kernel gives one.
        """
        values = self.of_products(P.value, left_squares.value, right_squares.value)
        return Enclosed(values, np.full(values.shape, np.inf))

    def enclosed_of_distances(self, D: Enclosed) -> Enclosed:
        """Turn enclosed squared distances into enclosed kernel values.

        Parameters
        ----------
        D : Enclosed
            Squared distances, which may be overwritten.

        Returns
        -------
        Enclosed
            The values; without a bound, unless a kernel gives one.
        """
        values = self.of_distances(D.value)
        return Enclosed(values, np.full(values.shape, np.inf))

    def in_balls(self, product: Any, left_square: Any, right_square: Any) -> Any:
        """Compute K from <x, z>, <x, x> and <z, z> in ball arithmetic.

        Parameters
        ----------
        product, left_square, right_square : flint.arb
            The inner products.

        Returns
        -------
        flint.arb or None
            The value; None where a kernel has no such form.
        """
        return None
