"""In which order rows are presented: their own, reshuffled before each pass, or drawn with replacement.

Long tables are reshuffled in two steps that memory likes: blocks of neighbouring rows in random order, then the rows
of each pool of blocks in random order. Every row is as likely in every place, and neighbours seldom meet.
"""

from collections.abc import Iterator

import numpy as np

from separatrix.rows import compiled

LONG = 2**14  # rows from which on they are reshuffled by blocks
BLOCK, POOL = 8, 128  # rows that stay close to each other, rows that are mixed with each other
PLACES_A_CALL = 2**18  # row numbers to hold for several passes; longer passes use the same memory again


def arranged(
    n: int, rng: np.random.Generator | None, max_iter: int, most: int, replace: bool = False
) -> Iterator[np.ndarray]:
    """Blocks of passes, each a row of row numbers in the order to present them: 1 pass, then 1, 2, 4, up to `most`.

    How passes are grouped does not change their order. The memory of a block is used again for the next one.
    """
    draw = None if rng is None else Drawing(n, rng, replace)
    orders, done = np.arange(n)[None], 0
    while done < max_iter:
        passes = min(max(1, done), most, PLACES_A_CALL // n or 1, max_iter - done)
        if passes != len(orders):
            orders = np.repeat(orders[-1:], passes, axis=0)
        for row in range(passes if draw is not None else 0):
            draw.into(orders[row])  # type: ignore[union-attr]
        yield orders
        done += passes


class Drawing:
    """Random orders, one after the other."""

    def __init__(self, n: int, rng: np.random.Generator, replace: bool = False):
        self.rng, self.replace = rng, replace
        self.rows = np.arange(n)
        self.blocks = np.arange(-(-n // BLOCK) if n >= LONG else 0)

    def into(self, order: np.ndarray) -> None:
        """Write the next order there."""
        if self.replace:
            order[:] = self.rng.integers(0, order.size, order.size)
        elif self.blocks.size:
            shuffle(self.blocks, self.bits(self.blocks.size))
            mix(self.blocks, order, self.bits(order.size))
        else:
            shuffle(self.rows, self.bits(order.size))
            order[:] = self.rows

    def bits(self, n: int) -> np.ndarray:
        """32 random bits for each of n places."""
        return self.rng.integers(0, 2**32, n, dtype=np.uint32)


@compiled
def shuffle(order, bits):
    """Put numbers in random order, in place (Fisher and Yates, 1938), with 32 random bits for each."""
    for p in range(order.size - 1, 0, -1):
        q = (np.int64(bits[p]) * (p + 1)) >> 32  # a whole number below p + 1
        order[p], order[q] = order[q], order[p]


@compiled
def mix(blocks, order, bits):
    """Write out the rows of the blocks in their order, and put the rows of each pool in random order."""
    p = 0
    for block in blocks:
        for i in range(block * BLOCK, min((block + 1) * BLOCK, order.size)):
            order[p] = i
            p += 1
    for first in range(0, order.size, POOL):
        shuffle(order[first : first + POOL], bits[first : first + POOL])
