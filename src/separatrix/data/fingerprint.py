"""Fingerprints of training data: counts, and a hash of the numbers that does not depend on how they are stored.

Rows may also be texts or sets, which count as one feature.

Rows, labels and weights are hashed by SHA-256 as little-endian doubles, a chunk of rows at a time. Where most numbers
are zero only the others are hashed, with their columns and how many each row has; this depends on the numbers, not on
their storage. So one set of numbers has one fingerprint as array, sparse matrix, frame or list.

A table with words has the fingerprint of its numbers, then of each column of words. What it is read from does not
matter: words that are all numbers, truth values or dates count as the numbers that they are, so that a file and the
frame that another program makes of it have the same fingerprint, and labels 0.5 and "0.5" are the same.
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
from separatrix.data.prepare.columns import Columns, Words
from separatrix.data.prepare.frames import is_frame
from separatrix.data.prepare.plain_columns import SideBySide, plain_columns, plain_labels
from separatrix.data.prepare.preparation import as_columns
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

    It is equal for equal numbers, words, labels and weights in the same order; 0.0 and -0.0 are equal, and no weights
    are the same as a weight of 1 for every row. The names of columns do not matter.

    Examples
    --------
    >>> from scipy import sparse
    >>> from separatrix.data.fingerprint import fingerprint
    >>> X, y = [[0.0, 2.0], [1.0, 0.0], [3.0, 0.0]], ["no", "yes", "yes"]
    >>> found = fingerprint(X, y)
    >>> found == fingerprint(sparse.csc_array(X), y), found.classes
    (True, {'no': 1, 'yes': 2})
    """
    return hashed(X, sample_weight, lambda n: hash_targets(y, n, plain=True))


def earlier_fingerprint(X: Any, y: Any, sample_weight: Any = None) -> Fingerprint:
    """Compute the fingerprint that earlier versions had, of numbers alone; y is None for rows alone."""
    if y is None:
        return fingerprint_of_rows(X, sample_weight)
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
    rows: Any = list(X) if symbolic else matrix_of_table(X)
    n, d = (len(rows), 1) if symbolic else rows.shape
    kind, targets, classes = targets_of(n)
    weights = row_weights(sample_weight, n)
    weighted = bool((weights != 1.0).any())
    whole = hashlib.sha256(f"{n} {d} {kind} {weighted}".encode("ascii"))
    for digest in (symbol_digest(rows), targets) if symbolic else (*table_digests(rows), targets):
        whole.update(digest)
    if weighted:
        whole.update(hashlib.sha256(canonical_bytes(weights)).digest())
    return Fingerprint(n, d, classes, weighted, whole.hexdigest())


def matrix_of_table(X: Any) -> Any:
    """Rows as a matrix of numbers, or as columns side by side."""
    if isinstance(X, Columns) or is_frame(X):
        return SideBySide(plain_columns(as_columns(X)), len(X))
    if isinstance(X, np.ndarray) and X.dtype.kind in "OU" and X.ndim == 2:
        columns = [Words.of(None if cell is None or cell != cell else str(cell) for cell in own) for own in X.T]
        names = tuple(map(str, range(len(columns))))
        return SideBySide(plain_columns(Columns(names, tuple(columns), len(X))), len(X))
    return features(X, checked=False)


def table_digests(rows: Any) -> tuple[bytes, ...]:
    """Hashes of the numbers of a table, then of each column of words with its place."""
    if not isinstance(rows, SideBySide):
        return row_digests(rows)
    numbers = row_digests(rows.numbers) if rows.numbers.shape[1] else ()
    return (*numbers, *(word_digest(place, words) for place, words in rows.words))


def word_digest(place: int, column: Words) -> bytes:
    """A hash of a column of words, whatever the order in which they are numbered."""
    order = np.argsort(np.array(column.words, dtype=object), kind="stable") if column.words else np.zeros(0, np.intp)
    counts = column.counts
    order = order[counts[order] > 0]
    rank = np.full(len(column.words) + 1, -1, dtype=np.int64)  # the last is that of missing words
    rank[order] = np.arange(order.size)
    seen = hashlib.sha256(f"words {place} {order.size} ".encode("ascii"))
    for j in order.tolist():
        content = column.words[j].encode("utf-8", "surrogatepass")
        seen.update(f"{len(content)} ".encode("ascii") + content)
    seen.update(rank[column.codes].astype("<i8").data)
    return seen.digest()


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
    n_there = np.count_nonzero(matrix) if isinstance(matrix, np.ndarray) else matrix.count_nonzero()
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


def hash_targets(y: Any, n: int, plain: bool = False) -> tuple[str, bytes, dict[str, int] | None]:
    """The kind of y, its hash, and how many rows each class has, where y holds labels; texts may count as `plain`."""
    if y is None:
        raise DataError("The fingerprint of data needs y, one label for each row. Got None.")
    mixed = isinstance(y, (list, tuple)) and any(isinstance(label, str) for label in y)
    try:
        given = one_type(column_or_1d(np.asarray(y, dtype=object if mixed else None)))
    except (TypeError, ValueError) as problem:
        raise DataError(f"y cannot be read as one label for each row. {problem}") from None
    if given.size != n:
        raise DataError(f"X has {n} rows, but y has {given.size} labels. Each row needs one label.")
    given = plain_labels(given) if plain else given
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
