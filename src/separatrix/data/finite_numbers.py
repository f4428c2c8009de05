"""Which numbers can be used: finite ones whose squares neither overflow nor vanish in sums."""

from typing import Any

import numpy as np
from scipy import sparse

from separatrix.errors import DataError
from separatrix.threads import row_chunks, summed

MAX_MAGNITUDE, MIN_MAGNITUDE = 1e100, 1e-100  # squares of larger numbers overflow in sums, of smaller ones underflow


def check_finite(matrix: Any, names: tuple[str, ...] = ()) -> None:
    """Refuse NaN, infinities and numbers too large to square, naming the first of them."""
    values = matrix.data if sparse.issparse(matrix) else matrix
    if moderate(values):
        return
    largest = largest_size(values)
    check_not_tiny(largest)
    if not largest <= MAX_MAGNITUDE:  # True for NaN
        raise too_large(matrix, names)


def largest_size(values: np.ndarray) -> float:
    """The largest size of numbers, NaN if one is NaN."""
    return max(-float(values.min()), float(values.max())) if values.size else 0.0


def check_not_tiny(largest: float) -> None:
    """Refuse rows whose largest number is not 0 and too small to square."""
    if 0.0 < largest < MIN_MAGNITUDE:
        raise DataError(
            f"Input X contains no number large enough to square: the largest size is {largest:.3g}. Scale the "
            f"features: it must be at least {MIN_MAGNITUDE:g}, unless all are 0."
        )


def too_large(matrix: Any, names: tuple[str, ...] = ()) -> DataError:
    """The error that names the first NaN, infinity or number too large to square."""
    values = matrix.data if sparse.issparse(matrix) else matrix
    bad = ~(np.abs(values) <= MAX_MAGNITUDE)
    if sparse.issparse(matrix):
        k = int(np.flatnonzero(bad)[0])
        i, j = int(np.searchsorted(matrix.indptr, k, side="right")) - 1, int(matrix.indices[k])
    else:
        i, j = (int(place) for place in np.argwhere(bad)[0])
    value = float(matrix[i, j])
    column = f"column {j}" + (f" ({names[j]!r})" if names else "")
    if np.isnan(value):
        found, advice = "NaN", "Remove these rows, or fill them in, for example with sklearn.impute.SimpleImputer."
    elif np.isinf(value):
        found, advice = "an infinity (inf)", "Remove these rows, or put a finite number there."
    else:
        found, advice = "a number too large to square", "Scale the features: the largest size for use is 1e100."
    return DataError(
        f"Input X contains {found}: {value} in row {i}, {column}, the first of {np.count_nonzero(bad)} such values. "
        f"{advice}"
    )


def moderate(values: np.ndarray) -> bool:
    """Whether the sum of all squares shows, in one pass, that none is too large and not all are too small."""
    flat = values.ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        (square,) = summed(lambda part: (float(np.dot(flat[part], flat[part])),), row_chunks(flat.size, flat.size))
        return bool(MIN_MAGNITUDE * flat.size < np.sqrt(square) < MAX_MAGNITUDE)  # False for NaN
