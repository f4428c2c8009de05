"""Sums of many doubles, with a proved bound on their rounding error.

    |computed - sum_i t_i| <= (k u / (1 - k u)) sum_i |t_i|          k: additions that a term may go through

In any order, terms of a block go through as many additions as it has terms (Higham, 2002, chapter 4). Blocks are short,
and their sums are added with one rounding (Shewchuk, 1997), so that k does not grow with the number of terms.
"""

from math import fsum, inf, isfinite

import numpy as np

from separatrix.enclosures.interval import Interval
from separatrix.rows import SMALLEST, UNIT_ROUNDOFF, Vector, rounding_bound

BLOCK = 128  # terms that are added in whatever order is fastest
MAX_EXACT_TERMS = 4096  # that are added with one rounding in all


def enclosed_sum(terms: Vector, radii: Vector | float = 0.0, roundings: int = 0) -> Interval:
    """Enclose the sum of terms, each of which is right but for its radius and so many relative roundings.

    >>> found = enclosed_sum(np.array([1e16, 1.0, -1e16]))
    >>> found.low <= 1.0 <= found.high, found.high - found.low < 1e-15
    (True, True)
    >>> enclosed_sum(np.full(100_000, 0.1)).radius < 1e-9
    True
    """
    size = float(np.abs(terms).sum())
    of_terms = rounding_bound(roundings) * size if roundings else 0.0
    if np.ndim(radii):
        of_terms += float(np.sum(radii)) * (1.0 + rounding_bound(np.size(radii)))
    else:
        of_terms += float(radii)
    if not isfinite(size) or not isfinite(of_terms):
        return Interval(-inf, inf)
    if terms.size <= MAX_EXACT_TERMS:
        total, of_blocks = fsum(terms.tolist()), 0.0
        if of_terms == 0.0 and fsum([*terms.tolist(), -total]) == 0.0:
            return Interval.of(total)
    else:
        whole = terms.size - terms.size % BLOCK
        blocks = terms[:whole].reshape(-1, BLOCK).sum(axis=1)
        total, of_blocks = fsum([*blocks.tolist(), *terms[whole:].tolist()]), rounding_bound(BLOCK) * size
    of_total = 2.0 * UNIT_ROUNDOFF * abs(total) if terms.size > 1 else 0.0
    return Interval.of(total, of_terms + of_blocks + of_total)


def enclosed_dot(a: Vector, b: Vector, radii: Vector | float = 0.0, roundings: int = 0) -> Interval:
    """Enclose sum_i a_i b_i; radii are those of the products, and so are further roundings.

    >>> found = enclosed_dot(np.array([0.1, 0.2]), np.array([3.0, -1.5]))
    >>> found.low < 0.1 * 3.0 - 0.2 * 1.5 < found.high, found.radius < 1e-15
    (True, True)
    """
    lost = min(np.count_nonzero(a), np.count_nonzero(b)) * SMALLEST  # by products that underflow
    return enclosed_sum(a * b, radii + lost if np.ndim(radii) == 0 else np.append(radii, lost), roundings + 1)


def enclosed_square(v: Vector) -> Interval:
    """Enclose ||v||^2, which is never negative."""
    return enclosed_dot(np.ravel(v), np.ravel(v)).positive_part
