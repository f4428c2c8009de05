"""Batches that can only be had in order: from a function that makes an iterator of them, or from a compressed file.

A pass over all of them in order reads each once: the stream stays open between two blocks, and goes on where it is.
Several threads may ask for neighbours in any order; a block that was passed over is kept for the thread that wants it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from threading import Lock
from typing import Any, Self

from separatrix.data.blocks.block_source import BlockForm
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.files.source import Reading
from separatrix.errors import DataError, OptionError, counted
from separatrix.threads import cores

MAX_BATCHES_KEPT_PER_CORE = 2


class BatchSource:
    """Blocks that come in order only; how many there are is known after a pass.

    Parameters
    ----------
    batches : function
        Makes an iterator of the batches, which must be the same each time. Where it can be pickled, so can the source.
    form : BlockForm
        How to take a batch.
    places : function of int, or None
        Where a batch is, in words.

    Examples
    --------
    >>> import numpy as np
    >>> source = BatchSource(lambda: ((np.full((2, 1), k), [k, k]) for k in range(3)))
    >>> source.count, source.read(2).y, source.read(0).y
    (3, [2, 2], [0, 0])
    """

    def __init__(
        self, batches: Callable[[], Iterable[Any]], form: BlockForm | None = None, name: str = "batch"
    ) -> None:
        self.batches, self.form, self.name = batches, form or BlockForm(), name
        self.known_count: int | None = None
        self._lock = Lock()
        self._close()

    @classmethod
    def of(cls, batches: Callable[[], Iterable[Any]], reading: Reading) -> "BatchSource":
        """A source whose first batch says how all of them are to be taken."""
        one = checked_iterable(batches())
        if isinstance(one, Iterator) and one is batches():
            raise OptionError(
                "The function makes the same iterator each time, which can be gone through once only. Let it make a "
                "new one for each pass."
            )
        first = next(iter(one), None)
        return cls(batches, BlockForm() if first is None else BlockForm.of(first, reading))

    def _close(self) -> None:
        self._next = 0
        self._stream: Iterator[Any] | None = None
        self._kept: dict[int, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = Lock()
        self._close()

    @property
    def count(self) -> int:
        """How many blocks there are; a pass of its own where none was made yet."""
        if self.known_count is None:
            for _ in self.in_order():
                pass
        assert self.known_count is not None
        return self.known_count

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of frames."""
        return () if self.form.roles is None else self.form.roles.features

    def in_order(self) -> Iterator[RawBlock]:
        """All blocks, one after the other; at the end it is known how many there are."""
        count = 0
        for batch in checked_iterable(self.batches()):
            count += 1
            yield self.form(batch)
        self.known_count = count

    def read(self, block: int) -> RawBlock:
        """The rows of a block; those before it are read, too, unless the one before it was the last that was read."""
        with self._lock:
            try:
                batch = self._kept.pop(block) if block in self._kept else self._advance(block)
            except BaseException:
                self._close()
                raise
        return self.form(batch)

    def place(self, block: int) -> str:
        """Where a block is, in words."""
        return f"{self.name} {block}"

    def with_kinds(self, kinds: Mapping[str, str]) -> Self:
        """A source of the same blocks as columns of these kinds; with no kinds, each block has its own."""
        found = copy(self)  # which opens a stream of its own
        found.form = self.form.with_kinds(kinds)
        return found

    def _advance(self, block: int) -> Any:
        """Go on to a block, from the start if it has gone by."""
        if self._stream is None or block < self._next:
            self._close()
            self._stream = iter(checked_iterable(self.batches()))
        for batch in self._stream:
            number, self._next = self._next, self._next + 1
            if number == block:
                return batch
            self._kept[number] = batch
            if len(self._kept) > MAX_BATCHES_KEPT_PER_CORE * cores():
                self._kept.pop(min(self._kept))
        raise DataError(
            f"There were {counted(self._next, 'batch', 'batches')} in this pass, and {self.known_count or block + 1} "
            "in the first: the function must make an iterator of the same batches each time that it is called."
        )


def checked_iterable(batches: Any) -> Any:
    """What a function made, which must be iterable."""
    if not hasattr(batches, "__iter__"):
        raise OptionError(
            f"The function must make an iterator of batches (X, y). Got {type(batches).__name__}: write it as a "
            "generator."
        )
    return batches
