"""A fingerprint of rows that can be summed up over blocks: in whichever order, cut anywhere, stored in any way.

    h_i   = mix( sum_j mix(bits of x_ij, j) + mix(target of row i) + mix(weight of row i) )
    sum_i = mix(h_i, k)  modulo 2^64,  for k = 1, ..., 4

Entries that are 0 add nothing, so that sparse rows have the sums of dense ones. `mix` is the finalizer of SplitMix64
(Steele, Lea and Flood, 2014). Two sets of rows that differ by mistake have different sums, but for a chance of 2^-64;
unlike SHA-256 these are no protection from who wants to deceive, from whom the certificate protects.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from separatrix.data.encode import features, row_weights
from separatrix.data.fingerprint import MAX_CLASSES_COUNTED, Fingerprint
from separatrix.data.table import is_finite_number

ROWS = "rows:"  # how the hash begins
LANES = 4
ROWS_PER_CHUNK = 2**14
GOLDEN = 0x9E3779B97F4A7C15


class RowSums(NamedTuple):
    """What rows of a block amount to: their number, features, labels with their counts, weights, and the four sums."""

    rows: int
    features: int
    classes: dict[str, int] | None
    weighted: bool
    sums: tuple[int, ...] = (0,) * LANES

    @classmethod
    def of(cls, X: Any, y: Any, weights: Any = None, numbers: bool = False) -> "RowSums":
        """The sums of rows with labels, or with `numbers` to predict.

        >>> X, y = np.array([[0.0, 2.0], [1.0, 0.0]]), ["a", "b"]
        >>> RowSums.of(X, y) == RowSums.of(sparse.csr_array(X[::-1]), y[::-1])
        True
        >>> RowSums.of(X, y).sums == RowSums.of(X, ["b", "a"]).sums
        False
        """
        matrix = features(X, checked=False)
        n, d = matrix.shape
        targets, classes = number_hashes(y) if numbers else label_hashes(y)
        given = row_weights(weights, n)
        hashes = row_hashes(matrix) + targets + np.where(given == 1.0, 0, mixed(bits_of(given)))
        sums = tuple(int(mixed(hashes ^ np.uint64(lane + 1)).sum(dtype=np.uint64)) for lane in range(LANES))
        return cls(n, d, classes, bool((given != 1.0).any()), sums)

    def merged(self, other: "RowSums") -> "RowSums":
        """The sums of these and of other rows."""
        if not (self.rows and other.rows):
            return self if self.rows else other
        classes: dict[str, int] | None = None
        if self.classes is not None and other.classes is not None:
            classes = dict(self.classes)
            for label, count in other.classes.items():
                classes[label] = classes.get(label, 0) + count
            classes = classes if len(classes) <= MAX_CLASSES_COUNTED else None
        sums = tuple((one + two) % 2**64 for one, two in zip(self.sums, other.sums, strict=True))
        return RowSums(self.rows + other.rows, self.features, classes, self.weighted or other.weighted, sums)

    @property
    def fingerprint(self) -> Fingerprint:
        """The fingerprint of all rows."""
        classes = None if self.classes is None else dict(sorted(self.classes.items()))
        return Fingerprint(
            self.rows, self.features, classes, self.weighted, ROWS + "".join(f"{each:016x}" for each in self.sums)
        )


NO_ROWS = RowSums(0, 0, {}, False)


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Numbers of 64 bits whose bits all depend on all bits of those that are given."""
    found = numbers + np.uint64(GOLDEN)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


def bits_of(numbers: Any) -> np.ndarray:
    """The bits of doubles, with one zero and one NaN."""
    doubles = np.asarray(numbers, dtype=np.float64) + 0.0
    return np.where(np.isnan(doubles), np.nan, doubles).view(np.uint64)


def row_hashes(matrix: Any) -> np.ndarray:
    """A number of 64 bits for each row, by its entries that are not 0."""
    keys = mixed(np.arange(matrix.shape[1], dtype=np.uint64))
    if sparse.issparse(matrix):
        rows = sparse.csr_array(matrix, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        entries = np.concatenate([[np.uint64(0)], np.cumsum(mixed(bits_of(rows.data) ^ keys[rows.indices]))])
        return np.diff(entries[rows.indptr])
    found = np.empty(len(matrix), dtype=np.uint64)
    for first in range(0, len(matrix), ROWS_PER_CHUNK):
        bits = bits_of(matrix[first : first + ROWS_PER_CHUNK])
        found[first : first + ROWS_PER_CHUNK] = np.where(bits == 0, 0, mixed(bits ^ keys)).sum(axis=1, dtype=np.uint64)
    return found


def number_hashes(y: Any) -> tuple[np.ndarray, None]:
    """A number of 64 bits for each number to predict."""
    return mixed(mixed(bits_of(y))), None


def label_hashes(y: Any) -> tuple[np.ndarray, dict[str, int] | None]:
    """A number of 64 bits for each label, and how often each label is there; a number and its text are one label."""
    mixed_types = isinstance(y, (list, tuple)) and any(isinstance(label, str) for label in y)
    found, codes = np.unique(np.asarray(y, dtype=str if mixed_types else None), return_inverse=True)
    names = [label_name(label) for label in found.tolist()]
    hashes = np.array([text_hash(name) for name in names] or [0], dtype=np.uint64)
    counts: dict[str, int] = {}
    for name, count in zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True):
        counts[name] = counts.get(name, 0) + count
    return hashes[codes], counts if len(counts) <= MAX_CLASSES_COUNTED else None


def label_name(label: Any) -> str:
    """A label as text: whole numbers without a fraction, other numbers as Python writes them."""
    if isinstance(label, bool) or not is_finite_number(str(label)):
        return str(label)
    number = float(label)
    return str(int(number)) if number == number // 1 else repr(number)


def text_hash(text: str) -> int:
    """A number of 64 bits for a text."""
    content = text.encode("utf-8", "surrogatepass")
    words: Iterable[bytes] = (content[first : first + 8] for first in range(0, len(content), 8))
    found = np.array([len(content)], dtype=np.uint64)
    for word in words:
        found = mixed(found ^ np.uint64(int.from_bytes(word, "little")))
    return int(mixed(found)[0])
