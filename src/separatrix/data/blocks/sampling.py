"""Rows drawn at random from blocks: as many as fit into memory, each set of so many with the same chance.

Which rows these are depends on how many there are and on the seed alone, not on how they are cut or who reads them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from separatrix.data.blocks.block_source import BlockSource
from separatrix.data.blocks.blocks import Blocks
from separatrix.data.blocks.census import length
from separatrix.data.blocks.preparing.kinds import FindingKinds, Kinds
from separatrix.data.encode import features
from separatrix.data.prepare.columns import Columns, below
from separatrix.data.table import labels_from_text
from separatrix.errors import DataError, counted
from separatrix.rows import Vector


class SampledRows(NamedTuple):
    """Rows drawn from blocks, with their labels or numbers and their weights; how many there are in all, the seed."""

    X: Any
    y: np.ndarray
    weights: Vector | None
    n_all: int
    seed: int

    @property
    def is_whole(self) -> bool:
        """Whether these are all rows."""
        return self.y.size == self.n_all

    @property
    def words(self) -> str:
        """What these rows are.

        >>> SampledRows(None, np.zeros(1_000), None, 30_000_000, 0).words
        'a random sample of 1,000 of 30,000,000 rows, seed 0'
        """
        if self.is_whole:
            return f"all {counted(self.n_all, 'row')}"
        return f"a random sample of {self.y.size:,} of {counted(self.n_all, 'row')}, seed {self.seed}"


class Sizes(NamedTuple):
    """How many rows each block has, and the kinds of their columns."""

    rows: tuple[int, ...]
    kinds: Kinds

    def merged(self, other: "Sizes") -> "Sizes":
        """Those of these and of other blocks."""
        return Sizes(self.rows + other.rows, self.kinds.merged(other.kinds))


@dataclass(frozen=True, eq=False)
class Measuring:
    """The task of the first pass: the rows of a block, and with `kinds` what its columns hold."""

    source: BlockSource
    kinds: bool

    def __call__(self, block: int) -> Sizes:  # noqa: D102, the class says it
        raw = self.source.read(block)
        n = length(raw)
        known = n and self.kinds and (isinstance(raw.X, Columns) or not sparse.issparse(raw.X))
        return Sizes((n,), FindingKinds(self.source).of(raw, block) if known else Kinds({}))


class Taken(NamedTuple):
    """Rows of some blocks, in their order."""

    parts: tuple[tuple[Any, Any, Any], ...]

    def merged(self, other: "Taken") -> "Taken":
        """Those of these and of the blocks that follow."""
        return Taken(self.parts + other.parts)


@dataclass(frozen=True, eq=False)
class Taking:
    """The task of the second pass: the rows of a block that were drawn, by their numbers in all blocks."""

    source: BlockSource
    drawn: np.ndarray
    firsts: np.ndarray

    def __call__(self, block: int) -> Taken:  # noqa: D102, the class says it
        first, stop = np.searchsorted(self.drawn, self.firsts[block : block + 2])
        if first == stop:
            return Taken(())
        places = self.drawn[first:stop] - self.firsts[block]
        raw = self.source.read(block)
        if raw.y is None:
            raise DataError(
                f"{self.source.place(block)}: there are no labels. Give them in each block, or say target=."
            )
        X = raw.X.rows(places) if isinstance(raw.X, Columns) else features(raw.X, checked=False)[places]
        weights = None if raw.weights is None else np.asarray(raw.weights, dtype=np.float64)[places]
        return Taken(((X, np.asarray(raw.y)[places], weights),))


def sample_rows(blocks: Blocks, n_rows: int, seed: int = 0, raw: bool = False) -> SampledRows:
    """Draw rows from blocks, all where there are no more than that: two passes.

    With `raw`, rows are columns of words and numbers, which a Preparation makes features of, not one array.

    >>> from separatrix import read_blocks
    >>> X = np.arange(1_000.0)[:, None]
    >>> one, two = (sample_rows(read_blocks(X, X[:, 0] % 2, rows_per_block=size), 10) for size in (7, 300))
    >>> bool((one.X == two.X).all()), one.words
    (True, 'a random sample of 10 of 1,000 rows, seed 0')
    """
    source: Any = blocks.source.with_kinds({}) if raw else blocks.source
    count = source.count
    found = blocks.runner.run(Measuring(source, raw).__call__, Sizes.merged, count) if count else Sizes((), Kinds({}))
    total = sum(found.rows)
    if not total:
        raise DataError("There are no rows in any block. Give at least one.")
    typed = source.with_kinds(names_of(found.kinds)) if raw and found.kinds.columns else source
    drawn = np.arange(total)
    if total > n_rows:
        drawn = np.sort(np.random.default_rng(seed).choice(total, n_rows, replace=False, shuffle=False))
    firsts = np.concatenate([[0], np.cumsum(found.rows)])
    taken = blocks.runner.run(Taking(typed, drawn, firsts).__call__, Taken.merged, count)
    X, y, weights = zip(*taken.parts, strict=True)
    labels = np.concatenate(y)
    if getattr(source, "labels_as_written", False):
        labels = labels_from_text(labels.tolist(), apart=True)
    given = None if weights[0] is None else np.concatenate(weights)
    return SampledRows(joined(list(X)), labels, given, total, seed)


def names_of(kinds: Kinds) -> Mapping[str, str]:
    """The kinds of columns by their names."""
    return {name: own.name for name, own in kinds.columns.items()}


def joined(parts: list[Any]) -> Any:
    """Rows one below the other."""
    if isinstance(parts[0], Columns):
        return below(parts)
    return sparse.vstack(parts, format="csr") if any(map(sparse.issparse, parts)) else np.concatenate(parts)
