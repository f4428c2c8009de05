"""Counting the rows that planes misclassify, by tiles of rows in float32, up to a limit.

Rows whose scores are within the rounding error of float32 are counted in twice the precision of float64, so that the
count is exact.
"""

import numpy as np

from separatrix.compiling import inner
from separatrix.rows import TILE, row_score_twice, tile_scores
from separatrix.solvers.online.kesler import precise_lead


@inner
def count_errors(X, W, classes, best, limit):
    """Misclassified rows, those on the plane among them, counted up to a limit; and how many rows were read."""
    rounding = np.float32(best.relative_rounding * narrow(W, best.unit, best.planes32))
    errors, first, n = 0, 0, best.order.size
    while first < n and errors < limit:
        part = slice(first, min(first + TILE, n))
        for j in range(W.shape[0]):
            tile_scores(best.tiles, first // TILE, best.planes32[j], best.scores[j])
        found, unsure = count_tile(best.scores, best.targets[part], classes, rounding, best.n_errors[part])
        if unsure:
            found = 0
            for p in range(first, part.stop):
                found += is_error(X, best.order[p], best.targets[p], W, classes)
        errors += found
        first += TILE
    return errors, first


@inner
def count_tile(scores, targets, classes, rounding, n_errors):
    """Misclassified rows of a tile, added to `n_errors` too, and how many leads are within their rounding error."""
    zero = np.float32(0.0)
    errors = unsure = np.int32(0)
    for r in range(targets.size):
        lead = least_lead(scores, r, targets[r], classes)
        is_behind = np.int32(lead <= zero)
        errors += is_behind
        unsure += np.int32(abs(lead) <= rounding)
        n_errors[r] += is_behind
    return errors, unsure


@inner
def narrow(W, unit, into):
    """Planes for rows over the unit, in float32, divided by their largest entry; returns their length."""
    d, largest, square = W.shape[1] - 1, 0.0, 0.0
    for j in range(W.shape[0]):
        for k in range(d + 1):
            largest = max(largest, abs(W[j, k]) if k < d else abs(W[j, k]) / unit)
    for j in range(W.shape[0]):
        for k in range(d + 1):
            into[j, k] = W[j, k] / (largest if k < d else largest * unit) if largest > 0.0 else 0.0
            square += into[j, k] ** 2
    return np.sqrt(square)


@inner
def least_lead(scores, r, target, classes):
    """y g(x) of row r of a tile, or its least lead over a rival class."""
    if classes is None:
        return target * scores[0, r]
    least = np.float32(np.inf)
    for j in classes:
        if j != target:
            least = min(least, scores[target, r] - scores[j, r])
    return least


@inner
def is_error(X, i, target, W, classes):
    """Whether a row is misclassified or on the plane, in twice the precision."""
    if classes is None:
        return target * row_score_twice(X, i, W[0]) <= 0.0
    least = np.inf
    for j in classes:
        if j != target:
            least = min(least, precise_lead(X, i, W, target, j, None))
    return least <= 0.0
