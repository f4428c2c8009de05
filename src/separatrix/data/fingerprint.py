"""Which data a model is for: counts, and a hash of the numbers that does not depend on how they are kept.

Rows, labels and weights are hashed by SHA-256 as little-endian doubles, a few rows at a time. Where most numbers are
zero only the others are hashed, with their columns and how many each row has; what decides is the numbers, not whether
they came dense or sparse. So one set of numbers has one fingerprint as array, sparse matrix, frame or list.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import column_or_1d

from separatrix.data.encode import features, one_type, row_weights
from separatrix.errors import DataError, counted

CHUNK_ENTRIES = 2**17  # numbers that stay in the cache between being made and being hashed
MAX_CLASSES_COUNTED = 1000  # with more labels no counts are stored


@dataclass(frozen=True)
class Fingerprint:
    """How many rows, features and rows of each class, whether they are weighted, and a hash of all numbers.

    `classes` holds labels as text; it is None where y holds numbers, not labels.
    """

    rows: int
    features: int
    classes: dict[str, int] | None
    weighted: bool
    sha256: str

    def difference(self, other: "Fingerprint") -> str:
        """Say what differs in other data, from the coarse to the fine; an empty text where nothing does.

        Examples
        --------
        >>> from separatrix.data.fingerprint import fingerprint
        >>> one, other = fingerprint([[1.0], [2.0]], ["a", "b"]), fingerprint([[1.0], [3.0]], ["a", "b"])
        >>> one.difference(one), one.difference(other)
        ('', 'some numbers, labels or weights differ')
        """
        if self.rows != other.rows:
            return f"{counted(other.rows, 'row')} instead of {self.rows:,}"
        if self.features != other.features:
            return f"{counted(other.features, 'feature')} instead of {self.features:,}"
        if self.classes != other.classes:
            return f"classes {short(other.classes)} instead of {short(self.classes)}"
        if self.weighted != other.weighted:
            return "sample weights where there were none" if other.weighted else "no sample weights where there were"
        return "" if self.sha256 == other.sha256 else "some numbers, labels or weights differ"


def fingerprint(X: Any, y: Any, sample_weight: Any = None) -> Fingerprint:
    """Compute the fingerprint of training data.

    Parameters
    ----------
    X : array, scipy.sparse matrix, frame or list of rows
        Numbers; NaN may be among them, for pipelines that fill them in.
    y : array, series or list
        One label, or one number, for each row.
    sample_weight : array or None
        None is the same as 1 for every row.

    Returns
    -------
    Fingerprint
        Equal for equal numbers, labels and weights in the same order, however they are kept. 0.0 and -0.0 are equal.

    Examples
    --------
    >>> from scipy import sparse
    >>> from separatrix.data.fingerprint import fingerprint
    >>> X, y = [[0.0, 2.0], [1.0, 0.0], [3.0, 0.0]], ["no", "yes", "yes"]
    >>> found = fingerprint(X, y)
    >>> found == fingerprint(sparse.csc_array(X), y), found.classes
    (True, {'no': 1, 'yes': 2})
    """
    matrix = features(X, checked=False)
    n, d = matrix.shape
    kind, targets, classes = hashed_targets(y, n)
    weights = row_weights(sample_weight, n)
    weighted = bool((weights != 1.0).any())
    whole = hashlib.sha256(f"{n} {d} {kind} {weighted}".encode("ascii"))
    for digest in (*row_digests(matrix), targets, hashlib.sha256(plain(weights)).digest() if weighted else b""):
        whole.update(digest)
    return Fingerprint(n, d, classes, weighted, whole.hexdigest())


def row_digests(matrix: Any) -> tuple[bytes, ...]:
    """Hashes of the rows: of all numbers, or of those that are not zero, their columns and their counts."""
    n, d = matrix.shape
    n_there = matrix.count_nonzero() if sparse.issparse(matrix) else np.count_nonzero(matrix)
    if 2 * n_there > n * d:
        values = hashlib.sha256(b"dense")
        for block in blocks(matrix, d):
            values.update(plain(block.toarray() if sparse.issparse(block) else block))
        return (values.digest(),)
    values, columns, counts = (hashlib.sha256(name) for name in (b"values", b"columns", b"counts"))
    for block in blocks(matrix, max(1, n_there // max(n, 1)) if sparse.issparse(matrix) else d):
        there, places, sizes = stored(block)
        values.update(plain(there))
        columns.update(places.astype("<i8").data)
        counts.update(sizes.astype("<i8").data)
    return values.digest(), columns.digest(), counts.digest()


def blocks(matrix: Any, entries_a_row: int) -> Iterator[Any]:
    """Chunks of rows of about CHUNK_ENTRIES numbers."""
    step = max(1, CHUNK_ENTRIES // max(1, entries_a_row))
    return (matrix[first : first + step] for first in range(0, matrix.shape[0], step))


def stored(block: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The numbers of some rows that are not zero, row by row, their columns, and how many each row has."""
    if not sparse.issparse(block):
        starts = np.arange(len(block) + 1) * block.shape[1]
        flat = np.flatnonzero(block)
        counts = np.diff(np.searchsorted(flat, starts))
        return block.ravel()[flat], flat - np.repeat(starts[:-1], counts), counts
    if not block.data.all():  # zeros that are stored
        block = block.copy()
        block.eliminate_zeros()
    return block.data, block.indices, np.diff(block.indptr)


def plain(block: np.ndarray) -> memoryview:
    """Numbers as the bytes of little-endian doubles in C order, with one zero and one NaN."""
    numbers = np.add(block, 0.0, dtype=np.float64, order="C")  # -0.0 + 0.0 is 0.0
    if np.isnan(numbers.sum()):
        numbers[np.isnan(numbers)] = np.nan
    return numbers.astype("<f8", copy=False).data


def hashed_targets(y: Any, n: int) -> tuple[str, bytes, dict[str, int] | None]:
    """The kind of y, its hash, and how many rows each class has, where y holds labels."""
    if y is None:
        raise DataError("The fingerprint of data needs y, one label for each row. Got None.")
    mixed = isinstance(y, (list, tuple)) and any(isinstance(label, str) for label in y)
    try:
        given = one_type(column_or_1d(np.asarray(y, dtype=object if mixed else None)))
    except (TypeError, ValueError) as problem:
        raise DataError(f"y cannot be read as one label for each row. {problem}") from None
    if given.size != n:
        raise DataError(f"X has {n} rows, but y has {given.size} labels. Each row needs one label.")
    if given.dtype.kind in "biuf":
        kind, numbers = "bool" if given.dtype.kind == "b" else "number", given.astype(np.float64)
        digest = hashlib.sha256(plain(numbers)).digest()
        return kind, digest, None if (numbers % 1.0).any() else class_counts(given)
    texts, codes = np.unique(given.astype(str), return_inverse=True)
    labels = hashlib.sha256("\0".join(texts.tolist()).encode("utf-8", "surrogatepass"))
    labels.update(codes.astype("<i8").data)
    return "text", labels.digest(), class_counts(given.astype(str))


def class_counts(y: np.ndarray) -> dict[str, int] | None:
    """How many rows each label has; None where there are too many for labels."""
    found, counts = np.unique(y, return_counts=True)
    names = [str(int(label)) if y.dtype.kind == "f" else str(label) for label in found.tolist()]
    return dict(zip(names, counts.tolist(), strict=True)) if found.size <= MAX_CLASSES_COUNTED else None


def short(classes: dict[str, int] | None) -> str:
    """Counts of classes for a message."""
    if classes is None:
        return "that are numbers"
    text = ", ".join(f"{label!r}: {count:,}" for label, count in list(classes.items())[:4])
    return f"{{{text}{', ...' if len(classes) > 4 else ''}}}"
