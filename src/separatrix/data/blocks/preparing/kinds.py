"""What kind of values each column holds, found by one pass: numbers, words, or dates that are written as words.

A column is of words where any block has a word in it, and of dates where all words of all blocks are dates in one way
of writing them, and in one way only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.prepare.columns import Column, Columns, Words
from separatrix.data.prepare.dates import DATE, PATTERNS, TYPED, day_of, part_names
from separatrix.data.prepare.preparation import as_columns
from separatrix.errors import DataError

EVERY_WAY = tuple(PATTERNS)


class Kind(NamedTuple):
    """What a column holds in some blocks: whether words, whether anything, and in which ways all of it are dates."""

    words: bool
    there: bool
    ways: tuple[str, ...]

    def merged(self, other: "Kind") -> "Kind":
        """What it holds in these blocks and in others."""
        ways = tuple(way for way in self.ways if way in other.ways)
        return Kind(self.words or other.words, self.there or other.there, ways)

    @property
    def name(self) -> str:
        """The kind as a Preparation says it."""
        if self.ways == (TYPED,):
            return DATE + TYPED
        if not self.words:
            return "number"
        return DATE + self.ways[0] if self.there and len(self.ways) == 1 else "text"


def kind_of(column: Column) -> Kind:
    """What a column holds.

    >>> kind_of(Words.of(["14.3.2024", None])).name, kind_of(np.array([1.0, np.nan])).name
    ('date dotted', 'number')
    """
    if not isinstance(column, Words):
        there = not bool(np.isnan(column).all())
        return Kind(False, there, () if there else EVERY_WAY)
    counts = column.counts.tolist()
    words = [word for word, count in zip(column.words, counts, strict=True) if count]
    ways = tuple(way for way in EVERY_WAY if all(day_of(word, way) is not None for word in words))
    return Kind(True, bool(words), ways)


class Kinds(NamedTuple):
    """The kinds of the columns of some blocks; none where these have no rows."""

    columns: Mapping[str, Kind]

    def merged(self, other: "Kinds") -> "Kinds":
        """The kinds of these and of other blocks."""
        if not (self.columns and other.columns):
            return self if self.columns else other
        if self.columns.keys() != other.columns.keys():
            strange = sorted(self.columns.keys() ^ other.columns.keys())[0]
            raise DataError(f"Some blocks have a column {strange!r}, and some have none. Give all the same columns.")
        return Kinds({name: own.merged(other.columns[name]) for name, own in self.columns.items()})


@dataclass(frozen=True, eq=False)
class FindingKinds:
    """The task of the pass: the kinds of the columns of a block, each as that block has them."""

    source: Any

    def __call__(self, block: int) -> Kinds:  # noqa: D102, the class says it
        return self.of(self.source.read(block), block)

    def of(self, raw: RawBlock, block: int) -> Kinds:
        """The kinds of the columns of a block that is read already; errors name its place."""
        try:
            return kinds_of(as_columns(raw.X)) if raw.shape[0] else Kinds({})
        except DataError as refusal:
            raise raw.located(refusal, self.source.place(block)) from None


def kinds_of(columns: Columns) -> Kinds:
    """The kinds of columns; the parts of typed dates are one column again."""
    parts = {part: name for name in columns.dates for part in part_names(name)}
    found: dict[str, Kind] = {}
    for name, values in zip(columns.names, columns.values, strict=True):
        if name in parts:
            found[parts[name]] = Kind(False, True, (TYPED,))
        else:
            found[name] = kind_of(values)
    return Kinds(found)
