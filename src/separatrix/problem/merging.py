"""Results of blocks, merged in an order that depends on their number alone.

    1   2   3   4   5
    +---+   +---+   |      neighbours as soon as both are there, then pairs of neighbours, ...
      12      34    |
      +-------+     |
         1234       |
         +----------+
            12345

The answer then has the same bits however many threads or workers there are, and no more results are held than the
logarithm of the number of blocks.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

Found = TypeVar("Found")


class Merger(Generic[Found]):
    """What results come to, one after the other in the order of their blocks.

    Examples
    --------
    >>> from separatrix.problem.merging import Merger
    >>> merger = Merger(lambda one, other: f"({one}{other})")
    >>> for name in "12345":
    ...     merger.add(name)
    >>> merger.result()
    '(((12)(34))5)'
    """

    def __init__(self, merge: Callable[[Found, Found], Found]) -> None:
        self.merge = merge
        self.parts: list[tuple[int, Found]] = []  # how many times each was merged, and what it is

    def add(self, found: Found) -> None:
        """Take the result of the next block."""
        level = 0
        while self.parts and self.parts[-1][0] == level:
            found, level = self.merge(self.parts.pop()[1], found), level + 1
        self.parts.append((level, found))

    def result(self) -> Found:
        """What all results come to; there must be one at least."""
        found = self.parts.pop()[1]
        while self.parts:
            found = self.merge(self.parts.pop()[1], found)
        return found
