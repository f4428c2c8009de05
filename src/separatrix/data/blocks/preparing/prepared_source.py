"""Blocks of features that a Preparation makes of the columns of other blocks, each by itself when it is read."""

from typing import Any

import numpy as np

from separatrix.data.blocks.census import length
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.errors import DataError


class PreparedSource:
    """The features of blocks; a pure function of the number of a block and of what the Preparation has learned.

    Parameters
    ----------
    inner : BlockSource
        Reads the columns.
    preparation : Preparation
        Makes features of them.
    """

    feature_names: tuple[str, ...] = ()  # as of a Preparation's features in memory, which is an array

    def __init__(self, inner: Any, preparation: Any) -> None:
        self.inner = inner.with_kinds(preparation.kinds_) if preparation.columns_ else inner
        self.preparation = preparation
        self.labels_as_written = bool(getattr(inner, "labels_as_written", False))

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return self.inner.count

    def with_kinds(self, kinds: Any) -> "PreparedSource":
        """Itself: its features are numbers, whatever they were made of."""
        return self

    def read(self, block: int) -> RawBlock:
        """The features of a block."""
        raw = self.inner.read(block)
        if not length(raw):
            return raw._replace(X=np.empty((0, len(self.preparation.feature_names_out_))))
        try:
            return raw._replace(X=self.preparation.transform(raw.X))
        except DataError as refusal:
            raise raw.located(refusal, self.place(block)) from None

    def place(self, block: int) -> str:
        """Where a block is, in words."""
        return self.inner.place(block)
