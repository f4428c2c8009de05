"""Kesler's construction (Nilsson, 1965): several classes as one set of vectors that must all be positive."""

from typing import Any

import numpy as np
from scipy import sparse

from separatrix.data.encode import features, labels
from separatrix.problem import kesler


def kesler_vectors(X: Any, y: Any, fit_intercept: bool = True) -> np.ndarray:
    """Compute the vectors that a linear machine for several classes must have on the positive side.

    A row x of class c gives one vector for every other class j, with [x, 1] in block c, -[x, 1] in block j and zeros
    elsewhere. A machine [w_1, b_1, ..., w_k, b_k] is right about every row exactly if its product with each of these
    vectors is positive. `Perceptron` uses them without storing them.

    Parameters
    ----------
    X : array of shape (n, d), scipy.sparse matrix or frame
        The rows.
    y : array of n labels
        Their classes, k of them.
    fit_intercept : bool
        Whether each row is extended by a 1 for the offset.

    Returns
    -------
    ndarray of shape (n (k - 1), k (d + 1))
        Row by row, and for each row by the classes in their sorted order.

    Examples
    --------
    >>> from separatrix import kesler_vectors
    >>> kesler_vectors([[5, 7], [1, 2], [3, 4]], ["a", "b", "c"])[:2].astype(int).tolist()
    [[5, 7, 1, -5, -7, -1, 0, 0, 0], [5, 7, 1, 0, 0, 0, -5, -7, -1]]
    """
    matrix = features(X)
    x = matrix.toarray() if sparse.issparse(matrix) else matrix
    classes, codes = labels(y, len(x))
    if fit_intercept:
        x = np.column_stack([x, np.ones(len(x), dtype=x.dtype)])
    return kesler.all_vectors(x, codes, classes.size)
