"""Where blocks come from: each is read by its number, by itself, as often as it is asked for."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from scipy import sparse

from separatrix.data.blocks.frame_roles import FrameRoles
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.files.source import Reading
from separatrix.data.prepare.frames import frame_length, frame_slice, is_frame
from separatrix.errors import DataError, OptionError


class BlockSource(Protocol):
    """A sequence of blocks; it can be pickled, and holds no rows that are not in memory anyway.

    One whose labels are text "as written", as those of delimited files are, says so by an attribute
    `labels_as_written`: whether they are numbers is then decided for all blocks together.
    """

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

    def with_kinds(self, kinds: Mapping[str, str]) -> Self:
        """A source of the same blocks as columns of these kinds; with no kinds, each block has its own."""


class BlockForm(NamedTuple):
    """How to take a batch that a user has: a pair or triple of rows, labels and weights, or a frame with all of them.

    Examples
    --------
    >>> import pandas as pd
    >>> from separatrix.data.files.source import Reading
    >>> frame = pd.DataFrame({"age": [30, 40], "ill": ["no", "yes"]})
    >>> form = BlockForm.of(frame, Reading("ill"))
    >>> form(frame).X.tolist(), form(frame).y.tolist()
    ([[30.0], [40.0]], ['no', 'yes'])
    """

    roles: FrameRoles | None = None  # of the columns, where rows are frames

    @classmethod
    def of(cls, batch: Any, reading: Reading) -> "BlockForm":
        """The form of batches of which this is the first."""
        rows = batch[0] if isinstance(batch, (tuple, list)) and len(batch) else batch
        if not is_frame(rows):
            return cls()
        alone = rows is batch
        if alone and reading.labelled and reading.target is None:
            raise OptionError("A frame that holds its labels itself needs target=, the name of their column.")
        return cls(FrameRoles.of(rows, reading._replace(labelled=alone and reading.labelled)))

    def with_kinds(self, kinds: Mapping[str, str]) -> "BlockForm":
        """The form that takes frames as columns of these kinds."""
        return self if self.roles is None else BlockForm(self.roles._replace(kinds=kinds))

    def __call__(self, batch: Any) -> RawBlock:  # noqa: D102, the class says it
        if isinstance(batch, (tuple, list)):
            if len(batch) not in (2, 3) and not isinstance(batch, RawBlock):
                raise DataError(
                    f"A block must be a pair (X, y) or a triple (X, y, weights). Got {len(batch)} parts: put rows and "
                    "labels of a block together."
                )
            raw = RawBlock(*batch)
        else:
            raw = RawBlock(batch)
        if self.roles is not None and is_frame(raw.X):
            return self.roles.block(raw.X, raw.y, raw.weights)
        return raw


class ArraySource:
    """Blocks that are arrays, sparse matrices or frames already."""

    def __init__(self, blocks: Sequence[Any], reading: Reading | None = None) -> None:
        self.form = BlockForm.of(blocks[0], reading or Reading()) if len(blocks) else BlockForm()
        self.blocks = list(blocks)

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self.blocks)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of frames."""
        return () if self.form.roles is None else self.form.roles.features

    def read(self, block: int) -> RawBlock:
        """The rows of a block."""
        return self.form(self.blocks[block])

    def place(self, block: int) -> str:
        """Where a block is, in words."""
        return f"block {block}"

    def with_kinds(self, kinds: Mapping[str, str]) -> Self:
        """A source of the same blocks as columns of these kinds; with no kinds, each block has its own."""
        found = copy(self)
        found.form = self.form.with_kinds(kinds)
        return found


class FileMap(NamedTuple):
    """Where an array is in a file, which is small to send, while a memory map would be sent with all of its rows."""

    path: str
    dtype: np.dtype
    shape: tuple[int, ...]
    offset: int
    order: str

    @classmethod
    def of(cls, array: Any) -> Any:
        """The place of a whole memory map; any other array as it is."""
        if not isinstance(array, np.memmap) or array.filename is None or isinstance(array.base, np.ndarray):
            return array
        order = "C" if array.flags.c_contiguous else "F"
        return cls(str(array.filename), array.dtype, array.shape, array.offset, order)

    def array(self) -> np.memmap:
        """The memory map again, for reading."""
        return np.memmap(self.path, self.dtype, "r", self.offset, self.shape, self.order)  # type: ignore[call-overload]


class SlicedSource:
    """Slices of rows of an array that need not be in memory, such as a memory map, or of a frame that is."""

    def __init__(self, X: Any, y: Any, weights: Any, rows_per_block: int, reading: Reading | None = None) -> None:
        n = frame_length(X) if is_frame(X) else int(X.shape[0])
        parts = [
            None if part is None else part if hasattr(part, "shape") else np.asarray(part) for part in (y, weights)
        ]
        for part, name in zip(parts, ("y", "sample_weight"), strict=True):
            if part is not None and len(part) != n:
                raise DataError(f"X has {n:,} rows, but {name} has {len(part):,}. Each row needs one.")
        self.form = BlockForm.of(X if y is None else (X, y), reading or Reading())
        self.X, self.y, self.weights = X, *parts
        self.ends = [*range(0, n, rows_per_block), n]

    def __getstate__(self) -> dict[str, Any]:
        return {name: FileMap.of(value) for name, value in vars(self).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        arrays = {name: value.array() if isinstance(value, FileMap) else value for name, value in state.items()}
        vars(self).update(arrays)

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self.ends) - 1

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of a frame."""
        return () if self.form.roles is None else self.form.roles.features

    def read(self, block: int) -> RawBlock:
        """The rows of a block."""
        start, stop = self.ends[block], self.ends[block + 1]
        X, y, weights = (
            None if each is None else rows_of(each, start, stop) for each in (self.X, self.y, self.weights)
        )
        raw = self.form(X if y is None else (X, y, weights))
        numbers = np.arange(start, stop) if raw.numbers is None else raw.numbers + start
        return raw._replace(numbers=numbers)

    def place(self, block: int) -> str:
        """Where a block is, in words."""
        return f"rows {self.ends[block]:,} to {self.ends[block + 1] - 1:,}"

    def with_kinds(self, kinds: Mapping[str, str]) -> Self:
        """A source of the same blocks as columns of these kinds; with no kinds, each block has its own."""
        found = copy(self)
        found.form = self.form.with_kinds(kinds)
        return found


def rows_of(whole: Any, start: int, stop: int) -> Any:
    """Some rows of an array, sparse matrix, series or frame."""
    if is_frame(whole):
        return frame_slice(whole, start, stop)
    part = whole[start:stop]
    return part if sparse.issparse(part) else np.asarray(part)
