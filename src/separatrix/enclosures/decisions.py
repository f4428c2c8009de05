"""Scores whose sign, or whose largest, does not depend on how rows are stored.

Linear algebra adds the terms of a score in an order of its own for dense rows, for sparse ones, and for each size of
block. Where rounding could decide which class wins, the scores of a row are computed again, with one rounding each:
these are the same for every container. A tie is then one of the true scores, as nearly as doubles tell.
"""

from collections.abc import Callable

import numpy as np

from separatrix import rows
from separatrix.enclosures.exact_sums import exact_affine
from separatrix.enclosures.products import rounding_bounds
from separatrix.products import cached_rows, chunks_of, product, row_parts
from separatrix.rows import CSR, SMALLEST, Rows, Vector
from separatrix.threads import parallel_map

Lead = Callable[[Vector], Vector]  # by how much the decision of each row is clear, in units of a score

MAX_EXACT_ENTRIES = 2**22  # of rows whose scores are computed again; beyond, rounding decides


def lead_of_largest(scores: Vector) -> Vector:
    """By how much the decision is clear where the largest score wins, or for a single one its sign.

    >>> lead_of_largest(np.array([[3.0, 1.0, 2.5]])).tolist(), lead_of_largest(np.array([-2.0])).tolist()
    ([0.5], [2.0])
    """
    if scores.ndim == 1 or scores.shape[1] == 1:
        return np.abs(scores.reshape(len(scores)))
    top = np.partition(scores, -2, axis=1)[:, -2:]
    return top[:, 1] - top[:, 0]


def lead_of_signs(scores: Vector) -> Vector:
    """By how much the decision is clear where the sign of each score counts.

    >>> lead_of_signs(np.array([[3.0, -1.0, 2.5]])).tolist()
    [1.0]
    """
    return np.abs(scores.reshape(len(scores), -1)).min(axis=1, initial=np.inf)


def settled_scores(X: Rows, w: Vector, b: Vector | float, lead: Lead = lead_of_largest) -> Vector:
    """w.x + b of each row, for one plane or, with w of shape (d, p), for several.

    `lead` says by how much a decision is clear: it may not change by more than twice the change of any score.

    >>> X, w = np.array([[1e16, 1.0, -1e16]]), np.array([1.0, 1.0, 1.0])
    >>> settled_scores(X, w, -1.0).tolist(), (X @ w - 1.0).tolist()
    ([0.0], [-1.0])
    """
    found = np.empty((rows.n_rows(X), *w.shape[1:]))
    sizes = np.abs(w).sum(axis=0)

    def put(chunk: slice) -> np.ndarray:
        unsettled = [np.zeros(0, dtype=np.int64)]
        for part, matrix in row_parts(X, chunk, cached_rows(X)):
            found[part] = product(matrix, w) + b
            numbers = matrix.data if isinstance(X, CSR) else matrix
            largest = max(float(numbers.max(initial=0.0)), -float(numbers.min(initial=0.0)))
            radius = float(rounding_bounds(np.array(len(w) + 1))) * np.max(largest * sizes + np.abs(b))
            close = np.flatnonzero(~(lead(found[part]) > 2.0 * radius + SMALLEST * len(w)))
            unsettled.append(close + part.start)
        return np.concatenate(unsettled)

    with np.errstate(over="ignore", invalid="ignore"):
        index = np.concatenate(list(parallel_map(put, chunks_of(X))))
        if index.size:
            settle(X, index, (w, b), found, lead)
    return found


def settle(X: Rows, index: np.ndarray, planes: tuple[Vector, Vector | float], found: Vector, lead: Lead) -> None:
    """Replace the scores of those rows, among some, that rounding could turn."""
    w, b = planes
    some = rows.take(X, index)
    larger = some._replace(data=np.abs(some.data)) if isinstance(some, CSR) else np.abs(some)
    size = np.concatenate([product(part, np.abs(w)) for _, part in row_parts(larger, slice(0, index.size), 2**14)])
    radius = rounding_bounds(np.array(len(w) + 1)) * (size + np.abs(b)) + len(w) * SMALLEST
    close = ~(lead(found[index]) > 2.0 * (radius if radius.ndim == 1 else radius.max(axis=1)))
    close &= np.isfinite(found[index]).reshape(index.size, -1).all(axis=1)
    index = index[close]
    if index.size * (rows.n_entries(X) // max(1, rows.n_rows(X)) + 1) > MAX_EXACT_ENTRIES:
        return
    nothing, one = np.zeros(index.size), np.ones(index.size)
    if w.ndim == 1:
        found[index] = exact_affine(X, index, (w, float(np.ravel(b)[0])), nothing, one).value
        return
    for plane, offset in enumerate(np.broadcast_to(b, w.shape[1:])):
        found[index, plane] = exact_affine(X, index, (w[:, plane], float(offset)), nothing, one).value
