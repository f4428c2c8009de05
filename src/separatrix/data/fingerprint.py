"""Fingerprints of training data: counts, and a hash of the numbers that does not depend on how they are stored.

Rows may also be texts or sets, which count as one feature.

Rows, labels and weights are hashed by SHA-256 as little-endian doubles, a chunk of rows at a time. Where most numbers
are zero only the others are hashed, with their columns and how many each row has; this depends on the numbers, not on
their storage. So one set of numbers has one fingerprint as array, sparse matrix, frame or list.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import column_or_1d

from separatrix.data.encode import features, one_type, row_weights
from separatrix.data.encode_kernel import is_symbolic
from separatrix.errors import DataError

ENTRIES_PER_CHUNK = 2**17  # numbers that stay in the cache between being made and being hashed
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


def fingerprint(X: Any, y: Any, sample_weight: Any = None) -> Fingerprint:
    """Compute the fingerprint of rows, which may hold NaN, of a label or number for each, and of their weights.

    It is equal for equal numbers, labels and weights in the same order; 0.0 and -0.0 are equal, and no weights are the
    same as a weight of 1 for every row.

    Examples
    --------
    >>> from scipy import sparse
    >>> from separatrix.data.fingerprint import fingerprint
    >>> X, y = [[0.0, 2.0], [1.0, 0.0], [3.0, 0.0]], ["no", "yes", "yes"]
    >>> found = fingerprint(X, y)
    >>> found == fingerprint(sparse.csc_array(X), y), found.classes
    (True, {'no': 1, 'yes': 2})
    """
    return hashed(X, sample_weight, lambda n: hash_targets(y, n))


def fingerprint_of_rows(X: Any, sample_weight: Any = None) -> Fingerprint:
    """Compute the fingerprint of rows that have neither labels nor numbers to predict, and of their weights.

    >>> fingerprint_of_rows([[0.0, 2.0], [1.0, 0.0]]) == fingerprint_of_rows([[0.0, 2.0], [1.0, 0.5]])
    False
    """
    return hashed(X, sample_weight, lambda n: ("rows alone", b"", None))


def hashed(X: Any, sample_weight: Any, targets_of: Callable[[int], tuple[str, bytes, Any]]) -> Fingerprint:
    """The fingerprint of rows, of their weights, and of what `targets_of` says of the targets of so many rows."""
    symbolic = is_symbolic(X)
    rows: Any = list(X) if symbolic else features(X, checked=False)
    n, d = (len(rows), 1) if symbolic else rows.shape
    kind, targets, classes = targets_of(n)
    weights = row_weights(sample_weight, n)
    weighted = bool((weights != 1.0).any())
    whole = hashlib.sha256(f"{n} {d} {kind} {weighted}".encode("ascii"))
    for digest in (symbol_digest(rows), targets) if symbolic else (*row_digests(rows), targets):
        whole.update(digest)
    if weighted:
        whole.update(hashlib.sha256(canonical_bytes(weights)).digest())
    return Fingerprint(n, d, classes, weighted, whole.hexdigest())


def symbol_digest(rows: list[Any]) -> bytes:
    """A hash of texts and sets, whatever the order of the elements of a set."""
    seen = hashlib.sha256(b"symbols")
    for row in rows:
        text = f"t{row}" if isinstance(row, str) else f"s{sorted(map(repr, row))}"
        content = text.encode("utf-8", "surrogatepass")
        seen.update(f"{len(content)} ".encode("ascii") + content)
    return seen.digest()


def row_digests(matrix: Any) -> tuple[bytes, ...]:
    """Hashes of the rows: of all numbers, or of those that are not zero, their columns and their counts."""
    n, d = matrix.shape
    n_there = matrix.count_nonzero() if sparse.issparse(matrix) else np.count_nonzero(matrix)
    if 2 * n_there > n * d:
        values = hashlib.sha256(b"dense")
        for block in row_chunks(matrix, d):
            values.update(canonical_bytes(block.toarray() if sparse.issparse(block) else block))
        return (values.digest(),)
    values, columns, counts = (hashlib.sha256(name) for name in (b"values", b"columns", b"counts"))
    for block in row_chunks(matrix, max(1, n_there // max(n, 1)) if sparse.issparse(matrix) else d):
        there, places, sizes = non_zeros(block)
        values.update(canonical_bytes(there))
        columns.update(places.astype("<i8").data)
        counts.update(sizes.astype("<i8").data)
    return values.digest(), columns.digest(), counts.digest()


def row_chunks(matrix: Any, entries_a_row: int) -> Iterator[Any]:
    """Chunks of rows of about ENTRIES_PER_CHUNK numbers."""
    step = max(1, ENTRIES_PER_CHUNK // max(1, entries_a_row))
    return (matrix[first : first + step] for first in range(0, matrix.shape[0], step))


def non_zeros(block: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


def canonical_bytes(block: np.ndarray) -> memoryview:
    """Numbers as the bytes of little-endian doubles in C order, with one zero and one NaN."""
    numbers = np.add(block, 0.0, dtype=np.float64, order="C")  # -0.0 + 0.0 is 0.0
    if np.isnan(numbers.sum()):
        numbers[np.isnan(numbers)] = np.nan
    return numbers.astype("<f8", copy=False).data


def hash_targets(y: Any, n: int) -> tuple[str, bytes, dict[str, int] | None]:
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
        digest = hashlib.sha256(canonical_bytes(numbers)).digest()
        return kind, digest, None if (numbers % 1.0).any() else count_classes(given)
    texts, codes = np.unique(given.astype(str), return_inverse=True)
    labels = hashlib.sha256("\0".join(texts.tolist()).encode("utf-8", "surrogatepass"))
    labels.update(codes.astype("<i8").data)
    return "text", labels.digest(), count_classes(given.astype(str))


def count_classes(y: np.ndarray) -> dict[str, int] | None:
    """How many rows each label has; None where there are too many for labels."""
    found, counts = np.unique(y, return_counts=True)
    names = [str(int(label)) if y.dtype.kind == "f" else str(label) for label in found.tolist()]
    return dict(zip(names, counts.tolist(), strict=True)) if found.size <= MAX_CLASSES_COUNTED else None
