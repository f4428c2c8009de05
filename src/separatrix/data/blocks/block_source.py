"""Where blocks come from: each is read by its number, by itself, as often as it is asked for."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np


class RawBlock(NamedTuple):
    """Rows as a source has them, with a label or a number and a weight each, if it has these."""

    X: Any
    y: Any = None
    weights: Any = None


class BlockSource(Protocol):
    """A sequence of blocks; it can be pickled, and holds no rows that are not in memory anyway."""

    @property
    def count(self) -> int:
        """How many blocks there are."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """One name for each column; none where columns have no names."""

    def read(self, block: int) -> RawBlock:
        """The rows of a block."""

    def place(self, block: int) -> str:
        """Where a block is, in words, for messages: a file and a part of it."""


class ArraySource:
    """Blocks that are arrays, sparse matrices or frames already."""

    feature_names: tuple[str, ...] = ()

    def __init__(self, blocks: Sequence[Any]) -> None:
        self.blocks = [RawBlock(*block) if isinstance(block, tuple) else RawBlock(block) for block in blocks]

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self.blocks)

    def read(self, block: int) -> RawBlock:
        """The rows of a block."""
        return self.blocks[block]

    def place(self, block: int) -> str:
        """Where a block is, in words."""
        return f"block {block}"


class SlicedSource:
    """Slices of rows of an array that need not be in memory, such as a memory map."""

    feature_names: tuple[str, ...] = ()

    def __init__(self, X: Any, y: Any, weights: Any, rows_per_block: int) -> None:
        self.X, self.y, self.weights = X, y, weights
        self.ends = [*range(0, len(X), rows_per_block), len(X)]

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self.ends) - 1

    def read(self, block: int) -> RawBlock:
        """The rows of a block."""
        part = slice(self.ends[block], self.ends[block + 1])
        return RawBlock(*(None if each is None else np.asarray(each[part]) for each in (self.X, self.y, self.weights)))

    def place(self, block: int) -> str:
        """Where a block is, in words."""
        return f"rows {self.ends[block]:,} to {self.ends[block + 1] - 1:,}"
