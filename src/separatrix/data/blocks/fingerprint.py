"""The fingerprint of rows in blocks, by one pass; other tallies of the same rows can be made in it."""

from typing import Any, NamedTuple

from separatrix.data.blocks.block_source import BlockSource
from separatrix.data.blocks.blocks import Blocks
from separatrix.data.blocks.census import length
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.fingerprint import Fingerprint
from separatrix.data.row_fingerprint import NO_ROWS, RowSums
from separatrix.errors import DataError


class Hashing(NamedTuple):
    """The sums of a block of rows; with `numbers`, their targets are numbers to predict."""

    numbers: bool

    def __call__(self, raw: RawBlock) -> RowSums:  # noqa: D102, the class says it
        return RowSums.of(raw.X, raw.y, raw.weights, self.numbers) if length(raw) else NO_ROWS


class OnePass(NamedTuple):
    """The task of a pass that makes several tallies of each block, which are merged one by one."""

    source: BlockSource
    tallies: tuple[Any, ...]  # functions of a RawBlock

    def __call__(self, block: int) -> tuple[Any, ...]:  # noqa: D102, the class says it
        raw = self.source.read(block)
        try:
            return tuple(tally(raw) for tally in self.tallies)
        except DataError as refusal:
            raise raw.located(refusal, self.source.place(block)) from None

    def over(self, blocks: Blocks) -> tuple[Any, ...]:
        """The tallies of all blocks."""
        found: tuple[Any, ...] = blocks.runner.run(self.__call__, merged, self.source.count)
        return found


def merged(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tallies of some blocks and of others."""
    return tuple(mine.merged(theirs) for mine, theirs in zip(one, other, strict=True))


def fingerprint_of_blocks(blocks: Blocks, numbers: bool = False) -> Fingerprint:
    """The fingerprint of rows in blocks, whichever these are.

    >>> from separatrix import read_blocks
    >>> X, y = [[0.0, 2.0], [1.0, 0.0], [3.0, 0.0]], ["no", "yes", "yes"]
    >>> one, two = read_blocks([(X, y)]), read_blocks([(X[1:], y[1:]), (X[:1], y[:1])])
    >>> fingerprint_of_blocks(one) == fingerprint_of_blocks(two)
    True
    """
    (found,) = OnePass(blocks.source, (Hashing(numbers),)).over(blocks)
    return found.fingerprint
