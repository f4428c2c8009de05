"""Data for a kernel machine: rows of numbers, sets or texts become vectors, or a matrix of kernel values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.data.encode import Encoded, features, row_weights, weighted_labels, weighted_numbers
from separatrix.errors import DataError
from separatrix.kernels import Precomputed
from separatrix.kernels.rows_of import taken
from separatrix.memory import available_bytes
from separatrix.problem import Problem
from separatrix.rows import Vector

SYMMETRY_RTOL = 1e-6  # of the largest kernel value: float32 values may differ by rounding


@dataclass(frozen=True, eq=False)
class EncodedKernel(Encoded):
    """An encoded problem, the kernel with all its numbers, and the rows that are in the problem, as they were given."""

    kernel: Any
    rows: Any


class Targets(NamedTuple):
    """Labels, the class code or number and the weight of each row that has a weight, and the numbers of these rows."""

    classes: np.ndarray
    values: np.ndarray
    weights: Vector
    kept: np.ndarray


def encode_kernel(
    X: Any, y: Any, kernel: Any, *, accept: Callable[[Targets], object] | None = None, **how: Any
) -> EncodedKernel:
    """Make the classification problem of rows X and labels y in the space of a kernel; options are those of `encode`.

    A kernel that is no function of inner products becomes the matrix of its values. `accept` may refuse the labels
    and weights before any kernel value is computed.

    >>> from separatrix.kernels import Tokens
    >>> encoded = encode_kernel(["good day", "bad day", "good"], [1, 0, 1], Tokens())
    >>> encoded.problem.kernel, encoded.problem.n_features, encoded.classes.tolist()
    (Linear(), 3, [0, 1])
    """

    def labelled(n: int) -> Targets:
        targets = Targets(*weighted_labels(y, n, **how))
        if accept is not None:
            accept(targets)
        return targets

    return in_space_of(kernel, X, labelled, how.get("sample_weight"))


def encode_kernel_numbers(X: Any, y: Any, kernel: Any, *, sample_weight: Any = None) -> EncodedKernel:
    """Make the regression problem of rows X and numbers y in the space of a kernel.

    >>> from separatrix.kernels import SetIntersection
    >>> encode_kernel_numbers([{1, 2}, {2}, {3}], [0.5, 1.0, 2.0], SetIntersection(), sample_weight=[1, 0, 1]).problem
    Problem(2 rows x 3 features, numbers, sparse)
    """
    return in_space_of(kernel, X, lambda n: Targets(np.empty(0), *weighted_numbers(y, n, sample_weight)), sample_weight)


def encode_kernel_rows(X: Any, kernel: Any, *, sample_weight: Any = None) -> EncodedKernel:
    """Make the problem of rows without targets in the space of a kernel: all are of class 1, and there is no offset.

    >>> from separatrix.kernels import Linear
    >>> problem = encode_kernel_rows([[1.0], [2.0]], Linear()).problem
    >>> problem.y.tolist(), problem.fit_intercept
    ([1, 1], False)
    """

    def same(n: int) -> Targets:
        weights = row_weights(sample_weight, n)
        kept = np.flatnonzero(weights)
        return Targets(np.empty(0), np.ones(kept.size, dtype=np.int32), weights[kept], kept)

    return in_space_of(kernel, X, same, sample_weight, n_classes=2)


def in_space_of(
    kernel: Any, X: Any, targets_of: Callable[[int], Targets], sample_weight: Any, n_classes: int = 0
) -> EncodedKernel:
    """Encode rows X, without those of no weight, with the targets that are made for their number.

    Where there are classes without labels, there is no offset.
    """
    rows = symbols(X) if is_symbolic(X) else features(X)
    n = len(rows) if is_symbolic(X) else rows.shape[0]
    if isinstance(kernel, Precomputed) and rows.shape[0] != rows.shape[1]:
        raise DataError(f"A precomputed kernel needs the square matrix of all training rows. Got {rows.shape}.")
    if isinstance(kernel, Precomputed) and not kernel.positive_definite:  # which is not known
        check_symmetry(rows)
    classes, values, weights, kept = targets_of(n)
    if kept.size < n:
        rows = rows[np.ix_(kept, kept)] if isinstance(kernel, Precomputed) else some_rows(rows, kept)
    counts = None if sample_weight is None else row_weights(sample_weight, n)[kept]
    settled = kernel.resolved(rows, values if classes.size else None, counts)
    if settled.by_products:
        encoded, inner = settled.encoder(rows)(rows), settled.over
    else:
        check_memory(settled, values.size)
        encoded, inner = settled.matrix(rows), settled if isinstance(settled, Precomputed) else Precomputed()
    problem = Problem(encoded, values, classes.size or n_classes, weights, not n_classes, kernel=inner)
    return EncodedKernel(problem, classes, kept, n, settled, rows)


def check_symmetry(K: Any) -> None:
    """Refuse kernel values of two rows that depend on their order."""
    off = np.abs(np.asarray(K - K.T if isinstance(K, np.ndarray) else (K - K.T).toarray(), dtype=np.float64))
    size = float(np.abs(K).max()) if off.size else 0.0
    if off.size and off.max() > SYMMETRY_RTOL * size:
        i, j = (int(place) for place in np.unravel_index(int(off.argmax()), off.shape))
        raise DataError(
            f"A precomputed kernel must be symmetric: K[{i}, {j}] is {K[i, j]:.6g}, and K[{j}, {i}] is {K[j, i]:.6g}. "
            "Use (K + K.T) / 2, if the difference is noise."
        )


def check_memory(kernel: Any, n: int) -> None:
    """Refuse a kernel whose values for all pairs of rows must be kept, where they would not fit."""
    needed, free = 8.0 * n * n, available_bytes()
    if needed > free and not isinstance(kernel, Precomputed):
        raise DataError(
            f"{kernel!r} is computed for all pairs of {n:,} rows at once, which takes {needed / 1e9:.1f} GB, and "
            f"{free / 1e9:.1f} GB are free. Use fewer rows, or a kernel of one kind of product, such as RBF."
        )


def is_symbolic(X: Any) -> bool:
    """Whether rows are sets or texts: a sequence or a series whose first row is one."""
    X = symbols(X)
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "OU":
        X = X.tolist()
    if not isinstance(X, Sequence) or isinstance(X, str) or not len(X):
        return False
    return isinstance(X[0], (str, bytes, set, frozenset))


def symbols(X: Any) -> Any:
    """The values of a series, a single column of a frame, as an array; other rows as they are.

    >>> import pandas as pd
    >>> symbols(pd.Series(["a text", "another"], index=[7, 9])).tolist()
    ['a text', 'another']
    """
    return X.to_numpy() if hasattr(X, "to_numpy") and len(getattr(X, "shape", ())) == 1 else X


def some_rows(rows: Any, index: np.ndarray) -> Any:
    """Rows with the given numbers, of numbers or symbols."""
    return taken(symbols(rows), index) if is_symbolic(rows) else rows[index]
