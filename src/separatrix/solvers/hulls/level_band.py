"""Better initial weights for the nearest points of reduced hulls of many rows: only rows near the level are free.

    a_i = u_i  where s_i is well below the level of its class,     a_i = 0  where it is well above

At the optimum the weights are so, for the scores s_i = y_i <d, x_i> of d = p - q. For the d that a few steps have found
most rows are told by their scores, too, and only those in a band about the level are not. A round sorts the rows by
their scores, makes the band optimal by Wolfe's method with bounds, whose passes are then short, and has a new d. Unless
that is optimal, the next band is wider.
"""

import numpy as np

from separatrix.certificates.arithmetic.reduced_hull import extreme_values, extreme_weights
from separatrix.products import combination, dense_rows, scores
from separatrix.rows import Rows, Vector, length, n_columns
from separatrix.solvers.hulls.bounded_wolfe import BoundedCorral, minimise_with_bounds
from separatrix.solvers.hulls.wolfe import ERROR_TOLERANCE, MAX_STALLED_CORRALS

MAX_ROUNDS = 6
MIN_BAND_ROWS, BAND_ROWS_A_COLUMN = 200, 6  # of each class, on either side of its level
BAND_PART = 0.02  # of all rows
MAX_CYCLES = 2000  # of Wolfe's method in a round
ERROR_RTOL = 1e-12  # of the squared distance: the rest is done by Wolfe's method with all rows
MEETING_DISTANCE = 1e-9  # in units of the largest number: such points tell no direction


def band_weights(X: Rows, y: np.ndarray, upper: Vector, weights: Vector) -> Vector:
    """Weights nearer to the optimum than those that are given, or these; for few rows, these.

    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((2000, 2)), np.repeat([-1, 1], 1000)
    >>> X[:, 0] += y
    >>> a = band_weights(X, y, np.full(2000, 0.0015), np.full(2000, 0.001))
    >>> round(length(y @ X) / 1000, 3), round(length((y * a) @ X), 3)  # of the means, of the nearest points
    (2.012, 0.91)
    """
    size = max(MIN_BAND_ROWS, BAND_ROWS_A_COLUMN * n_columns(X), int(BAND_PART * y.size))
    best, d = weights, combination(X, y * weights)
    shortest = length(d)
    s = y * scores(X, d)
    for _ in range(MAX_ROUNDS):
        if 4 * size > y.size or shortest <= MEETING_DISTANCE:
            break
        a, band = sorted_weights(y, upper, s, size)
        a[band] = optimal_band(X, y, upper, a, band)
        d = combination(X, y * a)
        distance, s = length(d), y * scores(X, d)
        low, high = extreme_values(y * s, (y > 0).astype(int), upper)
        if distance < shortest:
            best, shortest = a, distance
        if distance**2 - (low - high) <= ERROR_RTOL * distance**2:
            break
        size *= 2
    return best


def sorted_weights(y: np.ndarray, upper: Vector, s: Vector, size: int) -> tuple[Vector, np.ndarray]:
    """The weights of the extreme points along scores s, and the rows about the level of either class."""
    a, band = np.zeros(y.size), []
    for side in (-1, 1):
        own = np.flatnonzero(y == side)
        a[own] = extreme_weights(-s[own], upper[own])
        order = own[np.argsort(s[own], kind="stable")]
        level = int(np.count_nonzero(a[own]))
        band.append(order[max(0, level - size) : level + size])
    return a, np.concatenate(band)


def optimal_band(X: Rows, y: np.ndarray, upper: Vector, a: Vector, band: np.ndarray) -> Vector:
    """The weights of the rows of a band with which p - q is shortest, all others as they are."""
    rows, outside = dense_rows(X, band), a.copy()
    outside[band] = 0.0
    corral = BoundedCorral(rows, y[band], upper[band], a[band], combination(X, y * outside))
    shortest, stalled = np.inf, 0
    for _ in range(MAX_CYCLES):
        v = minimise_with_bounds(corral)
        distance = corral.measure_again()
        stalled = 0 if distance < shortest * (1.0 - ERROR_TOLERANCE) else stalled + 1
        shortest = min(shortest, distance)
        if stalled > MAX_STALLED_CORRALS or distance <= MEETING_DISTANCE:
            break
        if not corral.free(corral.violators(y[band] * scores(rows, v))):
            break
    return corral.weights
