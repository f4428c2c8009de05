"""How often each word of a column occurs, in bounded memory.

Up to a number of different words the counts are exact. Beyond it the rarest are forgotten, and all counts lowered by as
much as the most frequent of these had (Misra and Gries, 1982; merged as by Agarwal and others, 2012): a count is then
too low by at most `error`, which is at most one row in MAX_WORDS.
"""

from typing import NamedTuple

import numpy as np

from separatrix.data.prepare.columns import Words

MAX_WORDS = 2**16


class WordCounts(NamedTuple):
    """Rows, rows without a word, the counts of words, and by how much these may be too low."""

    rows: int
    missing: int
    counts: dict[str, int]
    error: int = 0

    @classmethod
    def of(cls, column: Words) -> "WordCounts":
        """The counts of a column of a block."""
        pairs = zip(column.words, column.counts.tolist(), strict=True)
        counts = {word: count for word, count in pairs if count}
        return cls(column.codes.size, int((column.codes < 0).sum()), counts).limited()

    def merged(self, other: "WordCounts") -> "WordCounts":
        """The counts of these and of other blocks."""
        counts = dict(self.counts)
        for word, count in other.counts.items():
            counts[word] = counts.get(word, 0) + count
        rows, missing = self.rows + other.rows, self.missing + other.missing
        return WordCounts(rows, missing, counts, self.error + other.error).limited()

    def limited(self) -> "WordCounts":
        """The counts of at most MAX_WORDS words."""
        if len(self.counts) <= MAX_WORDS:
            return self
        lost = int(np.partition(np.fromiter(self.counts.values(), dtype=np.int64), -MAX_WORDS - 1)[-MAX_WORDS - 1])
        counts = {word: count - lost for word, count in self.counts.items() if count > lost}
        return self._replace(counts=counts, error=self.error + lost)
