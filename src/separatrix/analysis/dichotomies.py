"""Points in general position, and their dichotomies that planes can make, from raw data."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.data.encode import features
from separatrix.options import flag
from separatrix.rows import Vector
from separatrix.theory.counting.dichotomies import dichotomies
from separatrix.theory.counting.general_position import GeneralPosition, general_position


def in_general_position(X: Any, *, homogeneous: bool = False) -> GeneralPosition:
    """Decide whether points are in general position, exactly, and name rows that are not.

    Points of R^d are in general position for planes with an offset if no d + 1 of them are on one hyperplane, and for
    planes through the origin if any d of them are linearly independent. Neither follows from the other. Fewer points
    than that have to be independent all together.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The points. A number such as 0.1 means the double that it is stored as.
    homogeneous : bool
        Whether planes go through the origin.

    Returns
    -------
    GeneralPosition
        True where the points are in general position. Otherwise `rows` are a smallest set of dependent rows, and
        `coefficients` the integers with which they cancel.

    Raises
    ------
    DataError
        Where too many sets of rows would have to be examined, and no two rows are dependent.

    Examples
    --------
    >>> from separatrix import in_general_position
    >>> bool(in_general_position([[0, 0], [1, 0], [0, 1], [1, 1]]))  # the corners of a square
    True
    >>> print(in_general_position([[0, 0], [1, 0], [0, 1], [1, 1]], homogeneous=True))
    Not in general position: row 0 is the origin.
    row 0 = 0.
    """
    return general_position(dense_features(X), flag("homogeneous", homogeneous))


def separable_dichotomies(X: Any, *, homogeneous: bool = False) -> Iterator[np.ndarray]:
    """Enumerate all ways in which planes can divide points into two classes.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The points. A number such as 0.1 means the double that it is stored as.
    homogeneous : bool
        Whether planes go through the origin.

    Yields
    ------
    ndarray of n int
        -1 or +1 for each point, such that a plane has every point strictly on its own side. All on one side is one
        way, and each way comes with its opposite. Whether there is a plane is decided in exact arithmetic.

    Notes
    -----
    Points in general position have `cover_count(n, d)` of them, others have fewer. The time grows with their number,
    which is of order n^d, not with 2^n.

    Examples
    --------
    >>> from separatrix import cover_count, separable_dichotomies
    >>> square, line = [[0, 0], [1, 0], [0, 1], [1, 1]], [[0, 0], [1, 0], [2, 0], [3, 1]]
    >>> [sum(1 for _ in separable_dichotomies(points)) for points in (square, line)], cover_count(4, 2)
    ([14, 12], 14)
    """
    return dichotomies(dense_features(X), flag("homogeneous", homogeneous))


def dense_features(X: Any) -> Vector:
    """Rows of finite numbers as an array of doubles."""
    matrix = features(X)
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float64)
