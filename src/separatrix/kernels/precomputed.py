"""Kernels whose values come from outside: a matrix that is given, or a function of the user's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.enclosures.products import Enclosed, enclosed_scores
from separatrix.errors import DataError, OptionError
from separatrix.kernels.kernel import Kernel
from separatrix.kernels.rows_of import as_given
from separatrix.kernels.tiles import check_values
from separatrix.options import flag
from separatrix.rows import Vector


@dataclass(frozen=True)
class Precomputed(Kernel):
    """Kernel values that are given in place of rows: K(x_i, x_j) of all training rows.

    A new row is the list of its values with the training rows. `matrix(A, B)` takes the columns B of such rows, those
    of the support rows, say.

    Examples
    --------
    >>> from separatrix.kernels import Precomputed
    >>> Precomputed().matrix([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0]], [0, 2]).tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """

    by_products = False
    positive_definite = False  # not known
    rows_are_values = True

    def encoder(self, X: Any) -> Callable[[Any], Any]:
        """Leave the values as they are."""
        return given_values

    def matrix(self, A: Any, B: Any = None) -> Vector:
        """Return the values of A, a square matrix, or its columns B.

        Parameters
        ----------
        A : array of shape (m, n)
            Values of m rows with the n training rows; m = n where B is None.
        B : array of int or None
            Numbers of training rows. None: all, and A must be square.

        Returns
        -------
        ndarray
            The values, float64.
        """
        K = given_values(A)
        if B is None:
            if K.shape[0] != K.shape[1]:
                raise DataError(f"A precomputed kernel matrix must be square, n x n. Got the shape {K.shape}.")
            return K
        columns = np.asarray(B)
        if columns.dtype.kind not in "iu" or columns.ndim != 1:
            raise DataError(f"Columns of a precomputed kernel are numbers of training rows. Got {B!r}.")
        if columns.size and not (columns.min() >= 0 and columns.max() < K.shape[1]):
            raise DataError(
                f"Rows of a precomputed kernel must have a value for each training row, also for number "
                f"{columns.max()}. Got the shape {K.shape}."
            )
        return K[:, columns]

    def expansion(self, rows: Any, coefficients: Vector, X: Any) -> Vector:
        """Sum the columns of X with the given numbers, or all where X has no others."""
        values = given_values(X)
        index = np.asarray(rows)
        if values.shape[1] == index.size and index.max(initial=-1) >= index.size:  # no columns but those of these rows
            return values @ coefficients
        return self.matrix(values, index) @ coefficients

    def diagonal(self, A: Any) -> Vector:
        """Return the diagonal of the square matrix A."""
        return self.matrix(A).diagonal().copy()

    def enclosed_expansion(self, X: Any, support: np.ndarray, coefficients: Vector) -> Enclosed:
        """Sum the columns of X with the given numbers: the values are what they are, and sums of them are rounded."""
        return enclosed_scores(np.ascontiguousarray(self.matrix(X, support)), coefficients, 0.0)

    def enclosed_diagonal(self, A: Any) -> Enclosed:
        """Return the diagonal of the square matrix A, which is what it is."""
        values = self.diagonal(A)
        return Enclosed(values, np.zeros_like(values))


@dataclass(frozen=True)
class Tabulated(Precomputed):
    """Values that were computed here, of a kernel that is positive definite: finite, symmetric, and not checked again.

    >>> K = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> Tabulated().expansion(np.array([1]), np.array([2.0]), K).tolist()
    [1.0, 2.0]
    """

    positive_definite = True

    def matrix(self, A: Any, B: Any = None) -> Vector:
        """Return the values as they are, or their columns B."""
        return A if B is None else A[:, B]

    def expansion(self, rows: Any, coefficients: Vector, X: Any) -> Vector:
        """Sum the columns of X with the given numbers, by one product that reads X once."""
        spread = np.zeros((X.shape[1], *coefficients.shape[1:]))
        spread[rows] = coefficients
        return X @ spread


@dataclass(frozen=True, repr=False)
class Function(Kernel):
    """Any Python function of rows.

    Parameters
    ----------
    function : callable
        f(A, B), which returns the matrix of K(a, b) for all rows a of A and b of B, as scikit-learn's callables do.
    pairs : bool
        Whether the function takes one row a and one row b instead, and returns the number K(a, b). Rows may then be
        anything.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.kernels import Function
    >>> Function(np.minimum.outer, pairs=False).matrix(np.array([1.0, 3.0]), np.array([2.0])).tolist()
    [[1.0], [2.0]]
    >>> Function(min, pairs=True).matrix([1.0, 3.0]).tolist()
    [[1.0, 1.0], [1.0, 3.0]]
    """

    function: Callable[..., Any]
    pairs: bool = False
    by_products = False
    positive_definite = False  # not known

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise OptionError(f"The 'function' parameter must be callable. Got {self.function!r}.")
        object.__setattr__(self, "pairs", flag("pairs", self.pairs))

    def __repr__(self) -> str:
        name = getattr(self.function, "__qualname__", None) or repr(self.function)
        return f"Function({name}, pairs={self.pairs})"

    def encoder(self, X: Any) -> Callable[[Any], Any]:
        """Leave rows as they are."""
        return as_given

    def called(self, A: Any, B: Any) -> Any:
        """What the function of all rows returns; an error of its own says how it was called."""
        try:
            return self.function(A, B)
        except Exception as problem:
            problem.add_note(
                f"{self!r} was called with all rows at once, and must return the matrix of all pairs. For a function "
                "of two single rows use separatrix.kernels.Function(f, pairs=True)."
            )
            raise

    def matrix(self, A: Any, B: Any = None) -> Vector:
        """Call the function, once or for each pair of rows."""
        other = A if B is None else B
        expected = number_of_rows(A), number_of_rows(other)
        if self.pairs:
            values: Any = [[self.function(a, b) for b in other] for a in A]
        else:
            values = self.called(A, other)
        try:
            K = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{self!r} must return numbers. Got {values!r}.") from None
        if K.size == 0:
            K = K.reshape(expected) if 0 in expected else K
        if K.shape != expected:
            raise DataError(
                f"{self!r} must return a matrix of the shape {expected}. Got the shape {K.shape}. Set pairs=True for a "
                "function of two single rows, as in Function(f, pairs=True); pairs=False for one of all rows."
            )
        check_values(K, self)
        return K

    def diagonal(self, A: Any) -> Vector:
        """Call the function for each row with itself."""
        size = number_of_rows(A)
        single = (A[place] if self.pairs else A[place : place + 1] for place in range(size))
        values = (self.function(row, row) for row in single)
        return np.array([np.asarray(value, dtype=np.float64).item() for value in values])


def number_of_rows(X: Any) -> int:
    """Number of rows of an array, a sparse matrix or a sequence."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def given_values(K: Any) -> Vector:
    """A kernel matrix as it was given, in float64."""
    try:
        values = np.array(K, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 2:
        raise DataError(f"A precomputed kernel is a matrix of numbers. Got {K!r}.")
    check_values(values, Precomputed())
    return values
