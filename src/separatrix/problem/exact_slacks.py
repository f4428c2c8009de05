"""Correctly rounded slacks of rows near the margin.

    slack_i = 1 - y_i (w.x_i + b)

is a small difference of large terms. Where C is large, its rounding error may cost more than the rest of the
objective. A product of two doubles is the sum of two others (Dekker, 1971), and any number of doubles can be added with
one rounding (Shewchuk, 1997), so that every digit of a slack is right.
"""

from collections.abc import Iterator
from math import fsum

import numpy as np

from separatrix import rows
from separatrix.rows import CSR, Rows, Vector, halves


def slacks(X: Rows, signs: np.ndarray, index: np.ndarray, w: Vector, b: float) -> Vector:
    """Compute 1 - y (w.x + b) of some rows, each rounded once; no product may overflow.

    >>> 1.0 - 10.0 * 0.1, slacks(np.array([[0.1]]), np.array([1]), np.array([0]), np.array([10.0]), 0.0).tolist()
    (0.0, [-5.551115123125783e-17])
    """
    found = [fsum(terms) for part in chunks(X, index) for terms in slack_terms(rows.take(X, part), signs[part], w, b)]
    return np.array(found, dtype=np.float64)


ENTRIES_PER_CHUNK = 2**16  # Python floats that are held at a time


def chunks(X: Rows, index: np.ndarray) -> Iterator[np.ndarray]:
    """Divide an index of rows into chunks."""
    step = max(1, ENTRIES_PER_CHUNK * rows.n_rows(X) // max(1, rows.n_entries(X)))
    for first in range(0, index.size, step):
        yield index[first : first + step]


def slack_terms(X: Rows, signs: np.ndarray, w: Vector, b: float) -> Iterator[list[float]]:
    """Yield for each row the doubles whose sum is its slack."""
    if isinstance(X, CSR):
        values, weights, ends = X.data.astype(np.float64), w[X.indices], X.indptr.tolist()
    else:
        values, weights = X.astype(np.float64).ravel(), np.tile(w, len(X))
        ends = list(range(0, values.size + 1, X.shape[1])) if X.shape[1] else [0] * (len(X) + 1)
    high, low = (part.tolist() for part in two_product(values, weights))
    for i, sign in enumerate((-1.0 * signs).tolist()):
        own = slice(ends[i], ends[i + 1])
        yield [1.0, sign * b, *(sign * term for term in high[own]), *(sign * term for term in low[own])]


def two_product(a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """Write a b as the sum of two doubles: the rounded product and its rounding error."""
    rounded = a * b
    (c, d), (e, f) = halves(a), halves(b)
    return rounded, d * f - (((rounded - c * e) - d * e) - c * f)
