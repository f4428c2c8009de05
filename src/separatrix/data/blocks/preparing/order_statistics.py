"""Exact order statistics of numbers in blocks, by histograms whose buckets are refined from pass to pass.

The bits of a double, read as a whole number and turned over for negative ones, are ordered as the doubles are. One
pass counts by the first 16 of the 64 bits. Each further pass counts within the one bucket that has the wanted number,
by as many bits as its capacity allows, until a bucket is a single number: one or two passes for most columns, four
at most.
"""

from typing import NamedTuple

import numpy as np

FIRST_SHIFT = 48  # bits that the first pass leaves out
MAX_BUCKETS = 2**12  # of a further pass, for each column
SIGN = np.uint64(1 << 63)


def keys_of(values: np.ndarray) -> np.ndarray:
    """Whole numbers that are ordered as these doubles are; none may be NaN.

    >>> keys = keys_of(np.array([-2.0, -0.0, 0.0, 1e-300, 3.0]))
    >>> bool((np.diff(keys.astype(object)) >= 0).all()), keys[1] == keys[2]
    (True, np.True_)
    """
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)  # -0.0 + 0.0 is 0.0
    return np.where(bits & SIGN, ~bits, bits | SIGN)


def value_of(key: int) -> float:
    """The double of a key.

    >>> [value_of(int(key)) for key in keys_of(np.array([-2.5, 0.0, 7.0]))]
    [-2.5, 0.0, 7.0]
    """
    number = np.uint64(key)
    bits = number ^ SIGN if number & SIGN else ~number
    return float(np.array(bits, dtype=np.uint64).view(np.float64))


class Histogram(NamedTuple):
    """How many keys are in each bucket; a bucket is a key without its last `shift` bits."""

    shift: int
    buckets: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, keys: np.ndarray, shift: int = 0, most: int = MAX_BUCKETS) -> "Histogram":
        """The histogram of keys with at most so many buckets."""
        buckets, counts = np.unique(keys >> np.uint64(shift), return_counts=True)
        return cls(shift, buckets, counts.astype(np.int64)).limited(most)

    @classmethod
    def first(cls, keys: np.ndarray) -> "Histogram":
        """The histogram by the first bits alone, of which there are few enough to be counted in place."""
        counts = np.bincount((keys >> np.uint64(FIRST_SHIFT)).astype(np.int64), minlength=1)
        buckets = np.flatnonzero(counts)
        return cls(FIRST_SHIFT, buckets.astype(np.uint64), counts[buckets].astype(np.int64))

    def coarser(self, shift: int) -> "Histogram":
        """The histogram by fewer bits."""
        if shift == self.shift:
            return self
        buckets, places = np.unique(self.buckets >> np.uint64(shift - self.shift), return_inverse=True)
        return Histogram(shift, buckets, np.bincount(places, self.counts, buckets.size).astype(np.int64))

    def limited(self, most: int) -> "Histogram":
        """The finest histogram of the same keys with at most so many buckets."""
        found = self
        while found.buckets.size > most:
            found = found.coarser(found.shift + 1)
        return found

    def merged(self, other: "Histogram", most: int = MAX_BUCKETS) -> "Histogram":
        """The histogram of both; the same whatever is merged first, as the number of buckets alone decides its bits."""
        shift = max(self.shift, other.shift)
        one, two = self.coarser(shift), other.coarser(shift)
        buckets, places = np.unique(np.concatenate([one.buckets, two.buckets]), return_inverse=True)
        counts = np.bincount(places, np.concatenate([one.counts, two.counts]), buckets.size).astype(np.int64)
        return Histogram(shift, buckets, counts).limited(max(most, 1))


class Bracket(NamedTuple):
    """Keys from `low` to `high` among which the one of a rank is, counted from the first of them."""

    low: int = 0
    high: int = 2**64 - 1
    rank: int = 0

    @property
    def found(self) -> bool:
        """Whether only one key is left."""
        return self.low == self.high

    def within(self, keys: np.ndarray) -> np.ndarray:
        """The keys of the bracket."""
        return keys[(keys >= np.uint64(self.low)) & (keys <= np.uint64(self.high))]

    def narrowed(self, histogram: Histogram) -> "Bracket":
        """The bucket that has the rank, of a histogram of the keys within."""
        ends = np.cumsum(histogram.counts)
        place = int(np.searchsorted(ends, self.rank, side="right"))
        low = int(histogram.buckets[place]) << histogram.shift
        before = int(ends[place - 1]) if place else 0
        return Bracket(low, low + (1 << histogram.shift) - 1, self.rank - before)
