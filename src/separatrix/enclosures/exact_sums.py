"""Scores of rows and sums over rows with one rounding each, where a bound on the roundings of a plain sum is too large.

A score near the margin is a small difference of large terms, and what a large C makes of its rounding error may exceed
the rest of an objective. A product of two doubles is the sum of two others (Dekker, 1971), and any number of doubles
can be added with one rounding (Shewchuk, 1997), so that every digit is right.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import fsum, isfinite

import numpy as np

from separatrix import rows
from separatrix.enclosures.products import Enclosed
from separatrix.products import as_matrix
from separatrix.rows import CSR, SMALLEST, TINY, UNIT_ROUNDOFF, Rows, Vector, halves

ENTRIES_PER_CHUNK = 2**16  # Python floats that are held at a time
MIN_EXACT = TINY / UNIT_ROUNDOFF**2  # from which on the error of a product is a double
UNDERFLOW = 8.0 * SMALLEST  # that a product of two doubles may lose, where its parts are too small for doubles


def exact_affine(X: Rows, index: np.ndarray, plane: tuple[Vector, float], plus: Vector, times: Vector) -> Enclosed:
    """plus_i + times_i (w.x_i + b) of some rows, each rounded once; times are 1 or -1.

    A slack is 1 - y (w.x + b), a residual y - (w.x + b).

    >>> one = np.ones(1)
    >>> found = exact_affine(np.array([[0.1]]), np.array([0]), (np.array([10.0]), 0.0), one, -one)
    >>> 1.0 - 10.0 * 0.1, found.value.tolist()
    (0.0, [-5.551115123125783e-17])
    """
    found, (w, b) = np.empty(index.size), plane
    place = 0
    for part in chunks(X, index):
        for terms in row_terms(rows.take(X, part), w):
            sign = float(times[place])
            found[place] = added([float(plus[place]), sign * b, *(sign * term for term in terms)])
            place += 1
    width = rows.n_columns(X) + 1
    return enclosed(found, width)


def slacks(X: Rows, signs: np.ndarray, index: np.ndarray, w: Vector, b: float) -> Vector:
    """1 - y (w.x + b) of some rows, each rounded once; no product may overflow."""
    return exact_affine(X, index, (w, b), np.ones(index.size), -1.0 * signs[index]).value


def exact_combination(X: Rows, u: Vector, more: tuple[Vector, Vector] | None = None) -> Enclosed:
    """The sum of u_i x_ij over the rows, plus v_k z_kj over a few `more` dense rows z, each column rounded once.

    >>> X, u = np.array([[1e16], [1.0], [-1e16]]), np.ones(3)
    >>> exact_combination(X, u).value.tolist(), exact_combination(X, u, (np.array([[0.5]]), np.array([2.0]))).value
    ([1.0], array([2.]))
    """
    extra = [[] for _ in range(rows.n_columns(X))] if more is None else column_terms(*more)
    found = np.array([added([*terms, *rest]) for terms, rest in zip(column_terms(X, u), extra, strict=True)])
    return enclosed(found, rows.n_rows(X) + 2)


def exact_total(u: Vector) -> tuple[float, float]:
    """The sum of u as two doubles, with an error of the order of 1e-32 of it."""
    terms = u.tolist()
    high = added(terms)
    return (high, added([*terms, -high])) if isfinite(high) else (high, 0.0)


def added(terms: list[float]) -> float:
    """The sum with one rounding; what overflows is not a number."""
    try:
        return fsum(terms)
    except (OverflowError, ValueError):
        return np.nan


def enclosed(found: Vector, n_products: int) -> Enclosed:
    """Sums that are rounded once; without a bound where one of them overflowed."""
    radius = 2.0 * UNIT_ROUNDOFF * np.abs(found) + n_products * UNDERFLOW
    return Enclosed(found, np.where(np.isfinite(found), radius, np.inf))


def chunks(X: Rows, index: np.ndarray) -> Iterator[np.ndarray]:
    """Divide an index of rows into chunks."""
    step = max(1, ENTRIES_PER_CHUNK * rows.n_rows(X) // max(1, rows.n_entries(X)))
    for first in range(0, index.size, step):
        yield index[first : first + step]


def row_terms(X: Rows, w: Vector) -> Iterator[list[float]]:
    """Yield for each row the doubles whose sum is w.x."""
    if isinstance(X, CSR):
        values, weights, ends = X.data.astype(np.float64), w[X.indices], X.indptr.tolist()
    else:
        values, weights = X.astype(np.float64).ravel(), np.tile(w, len(X))
        ends = list(range(0, values.size + 1, X.shape[1])) if X.shape[1] else [0] * (len(X) + 1)
    high, low = (part.tolist() for part in two_product(values, weights))
    for first, last in pairwise(ends):
        yield high[first:last] + low[first:last]


def column_terms(X: Rows, u: Vector) -> Iterator[list[float]]:
    """Yield for each column the doubles whose sum is u.x."""
    if isinstance(X, CSR):
        columns = as_matrix(X).tocsc()
        parts = ((columns.data[a:b], u[columns.indices[a:b]]) for a, b in pairwise(columns.indptr))
    else:
        parts = ((np.asarray(column, dtype=np.float64), u) for column in X.T)
    for values, weights in parts:
        high, low = two_product(values, weights)
        yield high.tolist() + low.tolist()


def two_product(a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """Write a b as the sum of two doubles: the rounded product and its rounding error."""
    rounded = a * b
    (c, d), (e, f) = halves(a), halves(b)
    return rounded, d * f - (((rounded - c * e) - d * e) - c * f)


def product_below(a: Vector, b: Vector) -> Vector:
    """a b, or the double below it where rounding went up: never above the true product.

    >>> product_below(np.array([0.1, 0.5]), np.array([3.0, 3.0])).tolist()
    [0.3, 1.5]
    """
    rounded, error = two_product(a, b)
    uncertain = ~(np.abs(rounded) > MIN_EXACT)  # where the error itself may be rounded
    return np.where((error < 0.0) | uncertain, np.nextafter(rounded, 0.0), rounded)
