"""In which order rows are presented: their own, reshuffled before each pass, or drawn with replacement.

Long tables are reshuffled in two steps, so that rows that are near in memory are read together: blocks of neighbouring
rows are put in random order, then the rows of each pool of blocks. Every row is equally likely in every place, and
neighbours seldom follow each other.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled

MIN_ROWS_FOR_BLOCKS = 2**14  # shorter tables fit the cache, and are reshuffled row by row
BLOCK_ROWS, POOL_ROWS = 16, 64  # rows that move together; rows that are shuffled among each other afterwards
PREFETCH_DISTANCE = 4  # how many places early a row of a short table is fetched
MAX_ROW_NUMBERS = 2**18  # held for several passes at once; longer passes are written one at a time


class Passes(NamedTuple):
    """Some passes, each a row of row numbers; and the row to prefetch at each place, if any."""

    order: np.ndarray
    ahead: np.ndarray

    def part(self, places: slice) -> "Passes":
        """Some places of each pass."""
        return Passes(*(np.ascontiguousarray(numbers[:, places]) for numbers in self))


def passes_of(
    n: int, rng: np.random.Generator | None, max_iter: int, max_passes: int, replace: bool = False
) -> Iterator[Passes]:
    """Blocks of passes in the order to present the rows: 1 pass, then 1, 2, 4, up to `max_passes`.

    How passes are grouped does not change their order. The memory of a block is used again for the next one.
    """
    shuffler = None if rng is None else Shuffler(n, rng, replace)
    passes, done = Passes(np.arange(n)[None], np.zeros((1, 0 if rng is None else n), dtype=np.int64)), 0
    while done < max_iter:
        count = min(max(1, done), max_passes, MAX_ROW_NUMBERS // n or 1, max_iter - done)
        if count != len(passes.order):
            passes = Passes(*(np.repeat(numbers[-1:], count, axis=0) for numbers in passes))
        if shuffler is not None:
            shuffler.write_into(passes)
        yield passes
        done += count


class Shuffler:
    """Random orders of the rows, one after the other."""

    def __init__(self, n: int, rng: np.random.Generator, replace: bool = False):
        self.rng, self.replace = rng, replace
        self.rows = np.arange(n)
        self.blocks = np.arange(-(-n // BLOCK_ROWS) if n >= MIN_ROWS_FOR_BLOCKS and not replace else 0)

    def write_into(self, passes: Passes) -> None:
        """Write the next passes, and the row to prefetch at each place."""
        for order, ahead in zip(*passes, strict=True) if self.blocks.size else ():
            shuffle(self.blocks, self.bits(self.blocks.size)[0])
            mix(self.blocks, order, ahead, self.bits(order.size)[0])
        if self.replace:
            passes.order[:] = self.rng.integers(0, self.rows.size, passes.order.shape)
            passes.ahead[:] = np.roll(passes.order, -PREFETCH_DISTANCE)
        elif not self.blocks.size:
            draw(self.rows, passes.order, passes.ahead, self.bits(self.rows.size, len(passes.order)))

    def bits(self, n: int, passes: int = 1) -> np.ndarray:
        """32 random bits for each of n places, by the pass, so that how passes are grouped does not matter."""
        words = (n + 1) // 2
        return self.rng.bit_generator.random_raw(passes * words).view(np.uint32).reshape(passes, 2 * words)


@compiled
def shuffle(order, bits):
    """Put numbers in random order, in place (Fisher and Yates, 1938), with 32 random bits for each."""
    for p in range(order.size - 1, 0, -1):
        q = (np.int64(bits[p]) * (p + 1)) >> 32  # a whole number below p + 1
        order[p], order[q] = order[q], order[p]


@compiled
def draw(rows, orders, ahead, bits):
    """Reshuffle the rows for each pass; each goes on from the one before."""
    n = rows.size
    for q in range(orders.shape[0]):
        shuffle(rows, bits[q])
        for p in range(n):
            orders[q, p] = rows[p]
            ahead[q, p] = rows[min(p + PREFETCH_DISTANCE, n - 1)]


@compiled
def mix(blocks, order, ahead, bits):
    """Write out the rows of the blocks in their order, and put the rows of each pool in random order.

    A pool is prefetched, block by block, while the one before it is presented.
    """
    p = 0
    for block in blocks:
        for i in range(block * BLOCK_ROWS, min((block + 1) * BLOCK_ROWS, order.size)):
            order[p] = i
            ahead[max(0, p - POOL_ROWS)] = i
            p += 1
    for p in range(order.size - POOL_ROWS, order.size):
        ahead[p] = order[order.size - 1]
    for first in range(0, order.size, POOL_ROWS):
        shuffle(order[first : first + POOL_ROWS], bits[first : first + POOL_ROWS])
