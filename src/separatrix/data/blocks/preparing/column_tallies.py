"""What the passes of a Preparation count of the columns of blocks: ranges and histograms of numbers, words, moments."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.data.blocks.preparing.order_statistics import Bracket, Histogram, keys_of
from separatrix.data.blocks.preparing.word_counts import WordCounts
from separatrix.data.files.mistakes import MAX_SPELLINGS
from separatrix.data.prepare.columns import Columns, Words, as_words
from separatrix.data.prepare.preparation import as_columns
from separatrix.data.prepare.prepared_column import Unit, check_size
from separatrix.data.table import is_finite_number
from separatrix.errors import DataError


class NumberCounts(NamedTuple):
    """Rows, rows without a number, the range, and how many numbers begin with the same bits."""

    rows: int
    missing: int
    low: float
    high: float
    histogram: Histogram

    @classmethod
    def of(cls, values: np.ndarray) -> "NumberCounts":
        """The counts of a column of a block."""
        there = values[~np.isnan(values)]
        low, high = (float(there.min()), float(there.max())) if there.size else (np.inf, -np.inf)
        return cls(values.size, values.size - there.size, low, high, Histogram.first(keys_of(there)))

    def merged(self, other: "NumberCounts") -> "NumberCounts":
        """The counts of these and of other blocks."""
        return NumberCounts(
            self.rows + other.rows,
            self.missing + other.missing,
            min(self.low, other.low),
            max(self.high, other.high),
            self.histogram.merged(other.histogram, 2**16),
        )


class TextCounts(NamedTuple):
    """The words of a column, how many rows have a number for one, the first that are none, and the block of these."""

    words: WordCounts
    numeric: int
    strange: tuple[str, ...]
    block: int

    @classmethod
    def of(cls, column: Words, block: int) -> "TextCounts":
        """The counts of a column of a block."""
        counted = [pair for pair in zip(column.words, column.counts.tolist(), strict=True) if pair[1]]
        strange: list[str] = []
        numeric = 0
        for word, count in counted:
            if is_finite_number(word):
                numeric += count
            elif len(strange) <= MAX_SPELLINGS:
                strange.append(word)
        return cls(WordCounts.of(column), numeric, tuple(strange), block if strange else -1)

    def merged(self, other: "TextCounts") -> "TextCounts":
        """The counts of these and of other blocks."""
        strange = dict.fromkeys((*self.strange, *other.strange))
        block = self.block if self.block >= 0 else other.block
        numeric = self.numeric + other.numeric
        return TextCounts(self.words.merged(other.words), numeric, tuple(strange)[: MAX_SPELLINGS + 1], block)


class Moments(NamedTuple):
    """How many numbers there are, their mean, and the sum of the squares of what they are off it."""

    n: int
    mean: float
    squares: float

    @classmethod
    def of(cls, values: np.ndarray) -> "Moments":
        """The moments of numbers."""
        if not values.size:
            return cls(0, 0.0, 0.0)
        mean = float(values.mean())
        return cls(values.size, mean, float(((values - mean) ** 2).sum()))

    def merged(self, other: "Moments") -> "Moments":
        """The moments of these and of other numbers (Chan, Golub and LeVeque, 1979)."""
        n = self.n + other.n
        if not (self.n and other.n):
            return self if self.n else other
        apart, share = other.mean - self.mean, other.n / n
        squares = self.squares + other.squares + apart * apart * self.n * share
        return Moments(n, self.mean + apart * share, squares)


class Refined(NamedTuple):
    """Of a column: histograms of the keys in each bracket, the moments of its numbers in their unit."""

    histograms: tuple[Histogram, ...]
    moments: Moments

    def merged(self, other: "Refined") -> "Refined":
        """Those of these and of other blocks."""
        pairs = zip(self.histograms, other.histograms, strict=True)
        return Refined(tuple(one.merged(two) for one, two in pairs), self.moments.merged(other.moments))


class Tallies(NamedTuple):
    """What is counted of each column; nothing where blocks have no rows. `dates` are the columns that were dates."""

    columns: Mapping[str, Any]
    dates: Mapping[str, str]

    def merged(self, other: "Tallies") -> "Tallies":
        """The tallies of these and of other blocks."""
        if not (self.columns and other.columns):
            return self if self.columns else other
        columns = {name: own.merged(other.columns[name]) for name, own in self.columns.items()}
        return Tallies(columns, self.dates)


@dataclass(frozen=True, eq=False)
class ColumnTask:
    """A pass over the columns of blocks, which are read as of their kinds."""

    source: Any
    kinds: Mapping[str, str]

    def __call__(self, block: int) -> Tallies:  # noqa: D102, the class says it
        raw = self.source.read(block)
        if not raw.shape[0]:
            return Tallies({}, {})
        try:
            columns = as_columns(raw.X)
            return Tallies(self.counted(columns, block), columns.dates)
        except DataError as refusal:
            raise raw.located(refusal, self.source.place(block)) from None

    def counted(self, columns: Columns, block: int) -> dict[str, Any]:
        """What is counted of the columns of a block."""
        raise NotImplementedError

    def numbers(self, name: str, columns: Columns) -> np.ndarray:
        """A column of numbers as doubles."""
        return np.asarray(columns[name], dtype=np.float64)


class CountingColumns(ColumnTask):
    """The counts of words and the ranges of numbers."""

    def counted(self, columns: Columns, block: int) -> dict[str, Any]:
        """What is counted of the columns of a block."""
        found: dict[str, Any] = {}
        for name, values in zip(columns.names, columns.values, strict=True):
            if self.kinds.get(name) == "text":
                words = values if isinstance(values, Words) else Words.of(as_words(values))
                found[name] = TextCounts.of(words, block)
            else:
                numbers = self.numbers(name, columns)
                check_size([name], numbers[:, None])
                found[name] = NumberCounts.of(numbers)
        return found


@dataclass(frozen=True, eq=False)
class RefiningColumns(ColumnTask):
    """Histograms within brackets, and the moments of columns that have a unit."""

    brackets: Mapping[str, tuple[Bracket, ...]]
    units: Mapping[str, Unit]

    def counted(self, columns: Columns, block: int) -> dict[str, Any]:
        """What is counted of the columns of a block."""
        found: dict[str, Any] = {}
        for name in {**self.brackets, **self.units}:
            values = self.numbers(name, columns)
            there = values[~np.isnan(values)]
            keys = keys_of(there)
            histograms = tuple(Histogram.of(own.within(keys)) for own in self.brackets.get(name, ()))
            unit = self.units.get(name)
            moments = Moments.of(there[:0] if unit is None else unit.of(there))
            found[name] = Refined(histograms, moments)
        return found
