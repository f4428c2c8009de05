"""The first pass over blocks: it finds their rows, classes and weights, and refuses what cannot be used, by its place.

What a block lacks, others may have: a block may be empty, of one class, without a row that has a weight, or without a
number other than 0. Only all of them together are refused for it.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from separatrix.data.blocks.block_source import BlockSource
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.encode import checked_weights, features, finite_targets, label_array, numbered
from separatrix.data.finite_numbers import (
    MAX_MAGNITUDE,
    MIN_MAGNITUDE,
    check_not_tiny,
    largest_size,
    moderate,
    too_large,
)
from separatrix.errors import DataError

MAX_CLASSES = 100_000  # of which each task of the first pass holds a count


class LabelCount(NamedTuple):
    """The sum of the weights of the rows of a label, their number, and the first block that has one."""

    weight: float
    rows: int
    block: int


class Counts(NamedTuple):
    """What is counted of some blocks.

    The rows with a weight of each block; the number of features, and the first block that has rows; the labels, one
    None for numbers, and their types; the largest number.
    """

    sizes: tuple[int, ...]
    n_features: int
    block: int
    labels: dict[Any, LabelCount]
    types: frozenset[str]
    largest: float


@dataclass(frozen=True, eq=False)
class Counting:
    """The task of the first pass: count a block."""

    source: BlockSource
    numbers: bool = False

    def __call__(self, block: int) -> Counts:  # noqa: D102, the class says it
        return self.of(self.source.read(block), block)

    def of(self, raw: RawBlock, block: int) -> Counts:
        """The counts of a block that is read already; errors name its place."""
        try:
            return self._counted(raw, block)
        except DataError as refusal:
            raise raw.located(refusal, self.source.place(block)) from None

    def _counted(self, raw: RawBlock, block: int) -> Counts:
        n = length(raw)
        if not n:
            return Counts((0,), 0, -1, {}, frozenset(), 0.0)
        matrix = features(raw.X, checked=False)
        largest = checked_size(matrix, self.source.feature_names)
        if raw.y is None:
            raise DataError("there are no labels. Give them in each block, (X, y), or say target=.")
        weights = checked_weights(raw.weights, matrix.shape[0])
        kept = weights > 0.0
        labels, types = self._targets(raw, matrix.shape[0], weights, block)
        return Counts((int(kept.sum()),), matrix.shape[1], block, labels, types, largest)

    def _targets(
        self, raw: RawBlock, n: int, weights: np.ndarray, block: int
    ) -> tuple[dict[Any, LabelCount], frozenset[str]]:
        """The counts of each label among the rows that have a weight."""
        kept = weights > 0.0
        if self.numbers:
            finite_targets(raw.y, n)
            return {None: LabelCount(float(weights.sum()), int(kept.sum()), block)}, frozenset()
        given = label_array(raw.y)[0]
        if given.size != n:
            raise DataError(f"X has {n} rows, but y has {given.size} labels. Each row needs one label.")
        found, codes = numbered(given)
        if found.size > MAX_CLASSES:
            raise DataError(
                f"y has {found.size:,} different labels, at most {MAX_CLASSES:,} are classes. For numbers use a "
                "regressor."
            )
        sums, rows = np.bincount(codes, weights, found.size), np.bincount(codes[kept], minlength=found.size)
        triples = zip(found.tolist(), sums.tolist(), rows.tolist(), strict=True)
        labels = {label: LabelCount(weight, own, block) for label, weight, own in triples if own}
        return labels, frozenset([type_name(found.dtype)]) if labels else frozenset()

    def merged(self, one: Counts, other: Counts) -> Counts:
        """The counts of blocks that follow each other."""
        if one.block >= 0 <= other.block and one.n_features != other.n_features:
            places = self.source.place(other.block), self.source.place(one.block)
            raise DataError(
                f"{places[0]}: rows have {other.n_features} columns, and those of {places[1]} have {one.n_features}. "
                "Give all blocks the same columns."
            )
        labels = dict(one.labels)
        for label, found in other.labels.items():
            known = labels.get(label, LabelCount(0.0, 0, found.block))
            labels[label] = LabelCount(known.weight + found.weight, known.rows + found.rows, known.block)
        if len(labels) > MAX_CLASSES:
            raise DataError(f"y has more than {MAX_CLASSES:,} different labels. For numbers use a regressor.")
        first = one if one.block >= 0 else other
        types, largest = one.types | other.types, max(one.largest, other.largest)
        return Counts(one.sizes + other.sizes, first.n_features, first.block, labels, types, largest)

    def checked(self, found: Counts) -> Counts:
        """The counts of all blocks; what no block has is refused here."""
        if found.block < 0:
            raise DataError("There are no rows in any block. Give at least one block with rows.")
        if not sum(found.sizes):
            raise DataError(
                "sample_weight is zero for every row, which leaves no data. Give some row a positive weight."
            )
        check_not_tiny(found.largest)
        texts = [label for label in found.labels if isinstance(label, str)]
        others = [label for label in found.labels if not isinstance(label, str)]
        if texts and others and not self.numbers:
            text, other = texts[0], others[0]
            places = [self.source.place(found.labels[each].block) for each in (text, other)]
            raise DataError(
                f"y mixes text and other labels: {text!r} in {places[0]}, and {other!r} ({type(other).__name__}) in "
                f"{places[1]}. Use one type."
            )
        return found


def length(raw: RawBlock) -> int:
    """How many rows a block has; one without rows may have any shape."""
    return int(raw.X.shape[0]) if hasattr(raw.X, "shape") else len(raw.X)


def checked_size(matrix: Any, names: tuple[str, ...]) -> float:
    """The largest size of the numbers of a block, about; NaN, infinities and what is too large are refused."""
    values = matrix.data if sparse.issparse(matrix) else matrix
    if moderate(values):
        return MIN_MAGNITUDE
    largest = largest_size(values)
    if not largest <= MAX_MAGNITUDE:  # True for NaN
        raise too_large(matrix, names)
    return largest


def type_name(dtype: np.dtype) -> str:
    """The type of labels by which blocks are told apart; the lengths of texts do not matter."""
    return "U" if dtype.kind == "U" else dtype.str
