"""In which order rows are presented: their own, reshuffled before each pass, or drawn with replacement.

Long tables are reshuffled in two steps that memory likes: blocks of neighbouring rows in random order, then the rows
of each pool of blocks in random order. Every row is as likely in every place, and neighbours seldom meet.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled

LONG = 2**14  # rows from which on they are reshuffled by blocks
BLOCK, POOL = 16, 64  # rows that stay close to each other, rows that are mixed with each other
SOON = 4  # how many places early a row of a short table is asked for
PLACES_A_CALL = 2**18  # row numbers to hold for several passes; longer passes use the same memory again


class Orders(NamedTuple):
    """Some passes, each a row of row numbers; and which row to ask the memory for at each place, if any."""

    order: np.ndarray
    ahead: np.ndarray

    def part(self, places: slice) -> "Orders":
        """The same places of all passes."""
        return Orders(*(np.ascontiguousarray(numbers[:, places]) for numbers in self))


def arranged(
    n: int, rng: np.random.Generator | None, max_iter: int, most: int, replace: bool = False
) -> Iterator[Orders]:
    """Blocks of passes in the order to present the rows: 1 pass, then 1, 2, 4, up to `most`.

    How passes are grouped does not change their order. The memory of a block is used again for the next one.
    """
    drawing = None if rng is None else Drawing(n, rng, replace)
    orders, done = Orders(np.arange(n)[None], np.zeros((1, 0 if rng is None else n), dtype=np.int64)), 0
    while done < max_iter:
        passes = min(max(1, done), most, PLACES_A_CALL // n or 1, max_iter - done)
        if passes != len(orders.order):
            orders = Orders(*(np.repeat(numbers[-1:], passes, axis=0) for numbers in orders))
        if drawing is not None:
            drawing.into(orders)
        yield orders
        done += passes


class Drawing:
    """Random orders, one after the other."""

    def __init__(self, n: int, rng: np.random.Generator, replace: bool = False):
        self.rng, self.replace = rng, replace
        self.rows = np.arange(n)
        self.blocks = np.arange(-(-n // BLOCK) if n >= LONG and not replace else 0)

    def into(self, orders: Orders) -> None:
        """Write down the next passes, and the row to ask for at each place."""
        for order, ahead in zip(*orders, strict=True) if self.blocks.size else ():
            shuffle(self.blocks, self.bits(self.blocks.size)[0])
            mix(self.blocks, order, ahead, self.bits(order.size)[0])
        if self.replace:
            orders.order[:] = self.rng.integers(0, self.rows.size, orders.order.shape)
            orders.ahead[:] = np.roll(orders.order, -SOON)
        elif not self.blocks.size:
            draw(self.rows, orders.order, orders.ahead, self.bits(self.rows.size, len(orders.order)))

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
            ahead[q, p] = rows[min(p + SOON, n - 1)]


@compiled
def mix(blocks, order, ahead, bits):
    """Write out the rows of the blocks in their order, and put the rows of each pool in random order.

    A pool is asked for, block by block, while the one before it is presented.
    """
    p = 0
    for block in blocks:
        for i in range(block * BLOCK, min((block + 1) * BLOCK, order.size)):
            order[p] = i
            ahead[max(0, p - POOL)] = i
            p += 1
    for p in range(order.size - POOL, order.size):
        ahead[p] = order[order.size - 1]
    for first in range(0, order.size, POOL):
        shuffle(order[first : first + POOL], bits[first : first + POOL])
