"""Expansions over support rows in ball arithmetic, for sums that are a tiny part of their terms.

    f_i = sum_j c_j K(x_i, x_j)

Products of rows, kernel values and their sums are balls of many digits, of which doubles are made in the end
(Johansson, 2017). A thousand values take some milliseconds.
"""

from typing import Any

import numpy as np

from separatrix import rows
from separatrix.enclosures.products import Enclosed
from separatrix.kernels.rows_of import as_rows, taken
from separatrix.products import dense_rows
from separatrix.rows import SMALLEST, UNIT_ROUNDOFF, Vector

BITS = 400  # of a number: squares of doubles are summed without rounding where they are within 80 decades
MAX_VALUES = 2**14  # kernel values that are computed
MAX_ENTRIES = 2**16  # numbers in the rows


def expansion_in_balls(kernel: Any, X: Any, support: np.ndarray, coefficients: Vector) -> Enclosed | None:
    """The expansion of each row for each column of the coefficients; None where there are too many, or no such form."""
    from flint import arb, arb_mat, ctx  # imported on first need, as doubles mostly do

    over = kernel.over if kernel.by_products else kernel
    if over.in_balls(arb(1), arb(1), arb(1)) is None:
        return None
    encoded = kernel.encoder(X)(X) if kernel.by_products else as_rows(X)
    if not is_affordable(encoded, support.size):
        return None
    with ctx.workprec(BITS):
        A = balls(dense_rows(encoded, np.arange(rows.n_rows(encoded))))
        B = balls(dense_rows(taken(encoded, support), np.arange(support.size)))
        products, left, right = A * B.transpose(), squares(A), squares(B)
        K = arb_mat([[over.in_balls(products[i, j], a, b) for j, b in enumerate(right)] for i, a in enumerate(left)])
        return as_doubles(K * balls(coefficients))


def is_affordable(encoded: Any, n_support: int) -> bool:
    """Whether so few values are asked for, of rows with so few numbers, none of them empty."""
    n, d = rows.n_rows(encoded), rows.n_columns(encoded)
    return 0 < n * n_support <= MAX_VALUES and 0 < n * d <= MAX_ENTRIES


def balls(matrix: Vector) -> Any:
    """A matrix of doubles, exactly."""
    from flint import arb, arb_mat

    return arb_mat([[arb(value) for value in row] for row in matrix.tolist()])


def squares(M: Any) -> list[Any]:
    """<x, x> of each row."""
    return [sum((M[i, j] * M[i, j] for j in range(M.ncols())), 0 * M[i, 0]) for i in range(M.nrows())]


def as_doubles(found: Any) -> Enclosed:
    """The nearest doubles, and how far off they may be."""
    shape = found.nrows(), found.ncols()
    entries = found.entries()
    value = np.array([float(each.mid()) for each in entries]).reshape(shape)
    radius = np.array([float(each.rad()) for each in entries]).reshape(shape)
    return Enclosed(value, (1.0 + 1e-10) * (radius + 2.0 * UNIT_ROUNDOFF * np.abs(value)) + 4.0 * SMALLEST)
