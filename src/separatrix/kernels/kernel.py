"""What every kernel has: its values for all pairs of rows, and sums and products with other kernels.

    K(x, z) = <phi(x), phi(z)>

A kernel is an encoder, which makes vectors of rows, and a function of the inner products of these vectors: `over`,
the kernel of the encoded rows, which is the kernel itself where rows are vectors already. A solver encodes all rows
once, multiplies blocks of them, and has `over.of_products` turn the products into kernel values in place.
"""

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from separatrix.errors import OptionError
from separatrix.kernels.distances import row_squares
from separatrix.kernels.enclosed_kernel import EnclosedKernel
from separatrix.kernels.rows_of import as_rows, row_count, taken
from separatrix.kernels.tiles import check_values, expansion, kernel_matrix
from separatrix.rows import Vector

BLOCK_ENTRIES = 2**24  # kernel values that are held at once


class Kernel(EnclosedKernel):
    """A function of two rows; frozen, comparable, and printed as the Python that makes it.

    `a + b`, `a * b` and `2.0 * a` are kernels. `by_products` says whether `over.of_products` makes its values of inner
    products, `shift_invariant` whether it depends on differences of rows alone and has `of_distances`.

    Examples
    --------
    >>> from separatrix.kernels import Linear, RBF
    >>> kernel = RBF(gamma=0.5) + 2.0 * Linear()
    >>> kernel
    RBF(gamma=0.5) + 2.0 * Linear()
    >>> kernel.matrix([[0.0], [1.0]]).round(4).tolist()
    [[1.0, 0.6065], [0.6065, 3.0]]
    """

    __array_ufunc__ = None  # NumPy's numbers leave a product with a kernel to the kernel
    by_products: bool = True
    is_linear: ClassVar[bool] = False  # whether it is the inner product of the rows themselves
    shift_invariant: bool = False
    positive_definite: bool = True  # whether Mercer's condition holds for all rows
    rows_are_values: bool = False  # whether rows are kernel values with all training rows

    @property
    def over(self) -> "Kernel":
        """The kernel of encoded rows."""
        return self

    def encoder(self, X: Any) -> Callable[[Any], Any]:
        """Return what makes vectors of rows, for `over`.

        Parameters
        ----------
        X : rows
            The training rows, which fix what the columns of the vectors are.

        Returns
        -------
        callable
            `encoder(X)(Z)` are the vectors of rows Z; rows as they are where the kernel is not `by_products`.
        """
        return as_rows

    def resolved(self, X: Any, y: Any = None, weights: Any = None) -> Self:
        """Return the kernel with numbers in place of what depends on the training rows, as gamma="scale" does.

        Parameters
        ----------
        X : rows
            The training rows.
        y : array or None
            Their classes, which gamma="nearest" needs.
        weights : array or None
            How often each row counts in what is computed of them; None: once.

        Returns
        -------
        Kernel
            A function of two rows alone.
        """
        return self

    def matrix(self, A: Any, B: Any = None) -> Vector:
        """Compute K(a, b) for all rows a of A and b of B, or of A.

        A are the training rows: they settle what the kernel leaves to the data, as gamma="scale" does.

        Parameters
        ----------
        A : rows
            Array, sparse matrix or, for symbolic kernels, a sequence of sets or texts.
        B : rows or None
            Other rows. None: those of A, which gives a symmetric matrix.

        Returns
        -------
        ndarray of shape (len(A), len(B))
            The values, float64.
        """
        kernel = self.resolved(A)
        encode = kernel.encoder(A)
        return kernel_matrix(kernel.over, encode(A), None if B is None else encode(B))

    def diagonal(self, A: Any) -> Vector:
        """Compute K(a, a) for each row a of A.

        Parameters
        ----------
        A : rows
            As for `matrix`.

        Returns
        -------
        ndarray of shape (len(A),)
            The values, float64.
        """
        kernel = self.resolved(A)
        squares = row_squares(kernel.encoder(A)(A))
        if kernel.over.shift_invariant:
            return kernel.over.of_distances(np.zeros_like(squares))
        with np.errstate(all="ignore"):
            values = kernel.over.of_products(squares.copy(), squares, squares)
        check_values(values, kernel)
        return values

    def expansion(self, rows: Any, coefficients: Vector, X: Any) -> Vector:
        """Compute sum_j coefficients_j K(x, rows_j) for each row x of X, in blocks of bounded memory.

        Parameters
        ----------
        rows : rows
            The support rows, which settle the columns of symbolic ones.
        coefficients : ndarray of shape (n_support,) or (n_support, n_machines)
            A number for each of them.
        X : rows
            Other rows.

        Returns
        -------
        ndarray of shape (len(X),) or (len(X), n_machines)
            The sums, float64.
        """
        encode = self.encoder(rows)
        support, others = encode(rows), encode(X)
        if self.by_products:
            return expansion(self.over, support, coefficients, others)
        n = row_count(others)
        into = np.zeros((n, *coefficients.shape[1:]))
        step = max(64, BLOCK_ENTRIES // max(1, row_count(support)))
        for first in range(0, n, step):
            part = np.arange(first, min(first + step, n))
            into[part] = self.values_between(support, taken(others, part)).T @ coefficients
        return into

    def values_between(self, support: Any, others: Any) -> Vector:
        """K of encoded support rows with other encoded rows."""
        return kernel_matrix(self.over, support, others) if self.by_products else self.matrix(support, others)

    def of_products(self, P: np.ndarray, left_squares: np.ndarray, right_squares: np.ndarray) -> np.ndarray:
        """Turn products <a, b> into kernel values, in place where that is possible; returns them.

        Parameters
        ----------
        P : ndarray
            Inner products, float32 or float64, which may be overwritten.
        left_squares, right_squares : ndarray
            <a, a> and <b, b>, in shapes that broadcast to P: (m, 1) and (n,) for a tile of m x n products.

        Returns
        -------
        ndarray
            Kernel values, of the shape and type of P.
        """
        raise OptionError(f"{self!r} is no function of inner products. Use its `matrix`.")

    def of_distances(self, D: np.ndarray) -> np.ndarray:
        """Turn squared distances ||a - b||^2 into kernel values, in place; returns them.

        Parameters
        ----------
        D : ndarray
            Squared distances, which are overwritten.

        Returns
        -------
        ndarray
            Kernel values, of the shape and type of D.
        """
        raise OptionError(f"{self!r} is no function of distances. Use its `matrix`.")

    def feature_map(self, X: Any) -> Vector:
        """Compute phi(x) of each row, where phi has few enough components to be written down.

        Parameters
        ----------
        X : rows
            As for `matrix`.

        Returns
        -------
        ndarray of shape (len(X), n_components)
            Vectors whose inner products are the kernel.
        """
        raise OptionError(f"{self!r} has no explicit feature map here. Use its `matrix`.")

    def __add__(self, other: object) -> "Kernel":
        from separatrix.kernels.composition import Sum

        return Sum((self, other)) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: object) -> "Kernel":
        from separatrix.kernels.composition import Product
        from separatrix.kernels.scaling import Scaled

        if isinstance(other, Real):
            return Scaled(float(other), self)
        return Product((self, other)) if isinstance(other, Kernel) else NotImplemented

    __rmul__ = __mul__
