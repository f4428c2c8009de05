"""Scores in the space of a kernel whose sign does not depend on how rows are stored.

    g(x) = sum_j c_j K(x, x_j) + b

Linear algebra adds terms in an order of its own for dense rows, for sparse ones, and for each size of block. No score
exceeds sum_j |c_j| sqrt(K(x, x) K(x_j, x_j)); those that are a tiny part of that are computed again, row by row from
dense rows: what comes out then is the same for every container. With a linear kernel g is a plane, w.x + b.
"""

from typing import Any

import numpy as np

from separatrix import rows
from separatrix.enclosures.decisions import lead_of_signs, settled_scores
from separatrix.enclosures.exact_sums import exact_combination
from separatrix.kernels.kernel import Kernel
from separatrix.kernels.rows_of import as_rows
from separatrix.products import dense_rows
from separatrix.rows import Rows, Vector

CLOSE_RTOL = 1e-9  # part of the largest that a score could be, up to which rounding may have its sign
MAX_ENTRIES_AGAIN = 2**24  # of support rows for all scores that are computed again; beyond, rounding decides
MAX_PLANE_ENTRIES = 2**18  # of support rows whose sum is rounded once


def settled_expansion(kernel: Kernel, support: Any, coefficients: Vector, X: Any, b: Vector | float) -> Vector:
    """g of each row of X for each column of the coefficients, or of one vector of them.

    >>> from separatrix.kernels import Linear
    >>> support, c = np.array([[1e16], [1.0], [-1e16]]), np.ones(3)
    >>> settled_expansion(Linear(), support, c, np.array([[2.0]]), 0.0).tolist()  # w = 1e16 + 1 - 1e16
    [2.0]
    """
    kernel = kernel.resolved(support)
    if not (kernel.by_products and kernel.over is kernel and kernel.positive_definite):
        return kernel.expansion(support, coefficients, X) + b
    own, others = as_rows(support), as_rows(X)
    if kernel.is_linear and coefficients.size * rows.n_columns(own) <= MAX_PLANE_ENTRIES:
        columns = [exact_combination(own, column).value for column in coefficients.reshape(len(coefficients), -1).T]
        w = np.column_stack(columns) if coefficients.ndim == 2 else columns[0]
        if np.isfinite(w).all():
            return settled_scores(others, w, b, lead_of_signs)
    found = kernel.expansion(own, coefficients, others) + b
    lengths = [np.sqrt(kernel.diagonal(each)) for each in (others, own)]
    largest = np.multiply.outer(lengths[0], lengths[1] @ np.abs(coefficients)) + np.abs(b)
    close = np.flatnonzero((np.abs(found) <= CLOSE_RTOL * largest).reshape(len(found), -1).any(axis=1))
    if close.size * rows.n_rows(own) * rows.n_columns(own) <= MAX_ENTRIES_AGAIN:
        found[close] = row_by_row(kernel, own, coefficients, rows.take(others, close)) + b
    return found


def row_by_row(kernel: Kernel, support: Rows, coefficients: Vector, some: Rows) -> Vector:
    """The expansion of each of some rows by itself, all of them dense."""
    found = np.empty((rows.n_rows(some), *coefficients.shape[1:]))
    if not found.size:
        return found
    dense = dense_rows(support, np.arange(rows.n_rows(support)))
    for place in range(len(found)):
        found[place] = kernel.expansion(dense, coefficients, dense_rows(some, np.array([place])))[0]
    return found
