"""How far computed kernel values, and sums of them, can be from the true ones.

    |<x, z> computed - <x, z>|             <=  g_d ||x|| ||z||
    | ||x - z||^2 computed - ||x - z||^2 | <=  4 g_(d + 8) R^2,      R: the longest row, from the centre

g_k = k u / (1 - k u). Each kernel says what such errors become in its values (`Kernel.uncertainty`). A function of the
user's and a precomputed matrix are what they return: their values have no error.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.enclosures import Enclosed
from separatrix.kernels.distances import NO_SHIFT, centre, row_squares
from separatrix.kernels.rows_of import aligned, row_count
from separatrix.products import parts
from separatrix.rows import CSR, SMALLEST, UNIT_ROUNDOFF, Rows, Vector, rounding_bound

ROWS_PER_PRODUCT = 1024  # support rows at most whose terms linear algebra adds in one go


class Reach(NamedTuple):
    """Encoded rows: the largest and the least positive squared length, and how many terms a product has at most."""

    square: float
    least: float
    n_terms: int


class Uncertain(NamedTuple):
    """The largest size of a kernel value, and the largest error of a computed one."""

    largest: float
    error: float


def enclosed_expansion(kernel: Any, support: Any, coefficients: Vector, X: Any) -> Enclosed:
    """sum_j coefficients_j K(x, support_j) for each row x of X, with a bound on its rounding error.

    >>> from separatrix.kernels import RBF
    >>> X = np.array([[0.0], [1.0]])
    >>> found = enclosed_expansion(RBF(1.0), X, np.array([1.0, -1.0]), X)
    >>> bool((np.abs(found.value - [1 - np.exp(-1), np.exp(-1) - 1]) <= found.radius).all()), found.radius.max() < 1e-13
    (True, np.True_)
    """
    several = coefficients if coefficients.ndim == 2 else coefficients[:, None]
    n = row_count(support)
    added = min(n, ROWS_PER_PRODUCT) + -(-n // 128) + 2 if kernel.by_products else n + 2
    find = uniform_radius
    if kernel.by_products and kernel.over.relative_error is not None:
        find = relative_radius
    elif kernel.by_products and kernel.over.majorant is not None:
        find = majorant_radius
    value, radius = find(kernel, support, several, X, rounding_bound(added))
    shape = (len(value), *coefficients.shape[1:])
    return Enclosed(np.ascontiguousarray(value).reshape(shape), np.ascontiguousarray(radius).reshape(shape))


def relative_radius(kernel: Any, support: Any, coefficients: Vector, X: Any, of_sum: float) -> tuple[Vector, Vector]:
    """Sums over support rows, and their radii from an error of each value that is a part of this value.

    That part is a + g (||x||^2 + ||z||^2), so that rows which are far off, whose values are next to nothing, add nothing.
    """
    left, right = (kernel.encoder(support)(each) for each in (support, X))
    shift = centre(*aligned(left, right))
    squares = moved_squares(left, shift)[:, None]
    a, g = kernel.over.relative_error(max(widest(left), widest(right)))
    own = moved_squares(right, shift)[:, None]
    sizes = np.abs(coefficients)
    k = coefficients.shape[1]
    found = kernel.expansion(support, np.hstack([coefficients, sizes, sizes * squares]), X)
    value, terms, weighted = found[:, :k], found[:, k : 2 * k], found[:, 2 * k :]
    most = a + g * (float(squares.max(initial=0.0)) + float(own.max(initial=0.0)))
    inflated = 2.0 if most < 0.5 else np.inf  # exp(t) - 1 <= 2 t, and the sizes themselves are rounded
    return value, inflated * ((a + g * own + of_sum) * terms + g * weighted) + len(squares) * SMALLEST


def majorant_radius(kernel: Any, support: Any, coefficients: Vector, X: Any, of_sum: float) -> tuple[Vector, Vector]:
    """Sums over support rows, and their radii from an error of each value that is a part of what bounds this value."""
    left, right = (kernel.encoder(support)(each) for each in (support, X))
    n_terms = max(widest(left), widest(right))
    norms = [np.sqrt(row_squares(side)) * (1.0 + rounding_bound(n_terms)) for side in (left, right)]
    part, sizes = kernel.over.majorant(np.abs(coefficients), *norms, n_terms)
    return kernel.expansion(support, coefficients, X), 2.0 * (of_sum + part) * sizes + len(norms[0]) * SMALLEST


def uniform_radius(kernel: Any, support: Any, coefficients: Vector, X: Any, of_sum: float) -> tuple[Vector, Vector]:
    """Sums over support rows, and their radii from one bound on the error of every value."""
    sizes = np.abs(coefficients)
    known = uncertainty_on(kernel, support, X)
    if kernel.nonnegative:
        both = kernel.expansion(support, np.hstack([coefficients, sizes]), X)
        value, terms = both[:, : sizes.shape[1]], both[:, sizes.shape[1] :]
    else:
        value = kernel.expansion(support, coefficients, X)
        terms = np.broadcast_to(known.largest * sizes.sum(axis=0), value.shape)
    of_values = known.error * sizes.sum(axis=0) * (1.0 + rounding_bound(len(sizes)))
    return value, of_sum * terms + of_values + len(sizes) * SMALLEST


def uncertainty_on(kernel: Any, support: Any, X: Any) -> Uncertain:
    """The uncertainty of kernel values between some rows and others."""
    if not kernel.by_products:
        return kernel.uncertainty_of_parts(support, X)
    encode = kernel.encoder(support)
    return kernel.over.uncertainty(reach_of(*aligned(encode(support), encode(X)), kernel.over.shift_invariant))


def reach_of(left: Rows, right: Rows, centred: bool) -> Reach:
    """What bounds the errors of inner products, or of distances, between rows of two sides."""
    shift = centre(left, right) if centred else NO_SHIFT
    squares = np.concatenate([moved_squares(side, shift) for side in (left, right)])
    terms = max(widest(left), widest(right))
    most = float(squares.max(initial=0.0)) * (1.0 + rounding_bound(terms))
    return Reach(most, float(squares[squares > 0.0].min(initial=np.inf)) * (1.0 - rounding_bound(terms)), terms)


def moved_squares(X: Rows, shift: Vector) -> Vector:
    """||x - shift||^2 of each row; no shift is 0."""
    if not shift.size:
        return row_squares(X)
    into = np.empty(rows.n_rows(X))
    for part, matrix in parts(X):
        moved = (matrix.toarray() if isinstance(X, CSR) else matrix) - shift
        into[part] = np.einsum("ij,ij->i", moved, moved)
    return into


def widest(X: Rows) -> int:
    """How many entries a row has at most."""
    return int(np.diff(X.indptr).max(initial=0)) if isinstance(X, CSR) else X.shape[1]


def of_products(reach: Reach) -> Uncertain:
    """The uncertainty of inner products."""
    return Uncertain(reach.square, rounding_bound(reach.n_terms) * reach.square + reach.n_terms * SMALLEST)


def of_distances(reach: Reach) -> Uncertain:
    """The uncertainty of squared distances, from rows whose centre was subtracted first."""
    most = 4.0 * reach.square
    return Uncertain(most, rounding_bound(reach.n_terms + 8) * most + reach.n_terms * SMALLEST)


def affine(inner: Uncertain, factor: float, plus: float) -> Uncertain:
    """The uncertainty of factor v + plus."""
    largest = factor * inner.largest + abs(plus)
    return Uncertain(largest, factor * inner.error + 4.0 * UNIT_ROUNDOFF * largest)


def power(inner: Uncertain, degree: int) -> Uncertain:
    """The uncertainty of v^degree, by squaring."""
    most = inner.largest + inner.error
    largest = most**degree
    return Uncertain(largest, degree * most ** (degree - 1) * inner.error + 4.0 * degree * UNIT_ROUNDOFF * largest)
