"""The factor gamma of a kernel: a number, or a rule that makes one of the training rows.

    "scale"      1 / (d v),  v the variance of all entries of the rows; 1 where that is 0
    "auto"       1 / d
    "nearest"    1 / (2 sigma^2),  sigma the distance of the closest rows of different classes

The first two are scikit-learn's. A sigma that is large beside the distance of the classes gives too flat a surface, a
small one follows single rows; one comparable to the distance of their closest members is between the two.
"""

from typing import Any

import numpy as np

from separatrix import rows
from separatrix.errors import DataError, OptionError
from separatrix.kernels.distances import block_of, centre, squared_distances
from separatrix.kernels.rows_of import as_rows
from separatrix.kernels.tiles import tiles
from separatrix.options import number
from separatrix.products import parts, row_slice
from separatrix.rows import CSR, TINY, Rows, Vector
from separatrix.threads import parallel_map

Gamma = float | str
RULES = ("scale", "auto")


def checked_gamma(gamma: Any, rules: tuple[str, ...] = RULES) -> Gamma:
    """A number above 0, or one of the rules."""
    if isinstance(gamma, str) and gamma in rules:
        return gamma
    try:
        return number("gamma", gamma, above=0.0)
    except OptionError as problem:
        choices = ", ".join(map(repr, rules))
        raise OptionError(f"{str(problem).replace('. Got', f', or one of {choices}. Got')}") from None


def settled(gamma: Gamma) -> float:
    """The number that gamma is, if it is one already."""
    if isinstance(gamma, str):
        raise OptionError(
            f"gamma={gamma!r} is a number only once the rows are known. Call kernel.resolved(X, y) first."
        )
    return gamma


def resolved_gamma(gamma: Gamma, X: Any, y: Any = None, weights: Any = None) -> float:
    """The number that gamma is for these rows and their classes.

    Examples
    --------
    >>> from separatrix.kernels.gamma import resolved_gamma
    >>> X, y = [[0.0, 0.0], [0.0, 2.0], [4.0, 2.0]], ["a", "a", "b"]
    >>> resolved_gamma("auto", X), resolved_gamma("nearest", X, y)  # sigma = 4
    (0.5, 0.03125)
    """
    if not isinstance(gamma, str):
        return gamma
    numbers = as_rows(X)
    if gamma == "nearest":
        return nearest_gamma(numbers, y)
    d = max(1, rows.n_columns(numbers))
    spread = variance(numbers, weights) if gamma == "scale" else 1.0
    return 1.0 / (d * spread) if spread > 0.0 else 1.0


def variance(X: Rows, weights: Vector | None = None) -> float:
    """Variance of all entries, zeros that are not stored included; each row counts by its weight."""
    n, d = rows.n_rows(X), rows.n_columns(X)
    counts = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    size, total = max(float(counts.sum()), TINY) * max(1, d), 0.0
    mean = sum(float(counts[part] @ np.asarray(block.sum(axis=1)).ravel()) for part, block in parts(X)) / size
    for part, block in parts(X):
        if isinstance(X, CSR):
            stored = np.diff(block.indptr)
            squares = block.copy()
            squares.data = np.square(block.data - mean)
            each = np.asarray(squares.sum(axis=1)).ravel() + (d - stored) * mean**2
        else:
            each = np.square(block - mean).sum(axis=1)
        total += float(counts[part] @ each)
    return total / size


def nearest_gamma(X: Rows, y: Any) -> float:
    """1 / (2 sigma^2) for the smallest distance above 0 of rows of different classes; takes all pairs of rows."""
    if y is None:
        raise OptionError(
            "gamma='nearest' needs the classes of the rows. Call kernel.resolved(X, y) first; where there are none, as "
            "in regression and novelty detection, give gamma a number, 'scale' or 'auto'."
        )
    labels, codes = np.unique(np.asarray(y), return_inverse=True)
    if codes.shape != (rows.n_rows(X),):
        raise DataError(f"There are {rows.n_rows(X)} rows, but the classes have the shape {codes.shape}.")
    shift = centre(X, X)

    least = np.inf
    for c in range(labels.size - 1):
        A, B = (rows.take(X, np.flatnonzero(side)) for side in (codes == c, codes > c))
        least = min(least, smallest_square(A, B, shift))
    if not np.isfinite(least):
        raise DataError(
            "gamma='nearest' needs two rows of different classes that are not equal. Got "
            f"{rows.n_rows(X)} rows of {labels.size} classes without any. Give gamma a number."
        )
    return 0.5 / least


def smallest_square(A: Rows, B: Rows, shift: Vector) -> float:
    """The smallest squared distance above 0 of a row of A and a row of B."""

    def smallest(tile: tuple[slice, slice]) -> float:
        D = squared_distances(block_of(row_slice(A, tile[0]), shift), block_of(row_slice(B, tile[1]), shift))
        return float(D[D > 0.0].min(initial=np.inf))

    return min(parallel_map(smallest, tiles(rows.n_rows(A), rows.n_rows(B))))
