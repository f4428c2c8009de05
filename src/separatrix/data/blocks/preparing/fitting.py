"""Fit a Preparation to rows in blocks: what it learns of rows in memory, by three to six passes.

    kinds       which columns hold words, numbers or dates
    counts      rows without a value, the range of numbers, the counts of words
    refinement  the medians, exactly; means and standard deviations in the first of these passes

Medians are exact. Counts of words are, up to 65,536 different words of a column (`word_counts.py`).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.data.blocks.preparing.column_tallies import (
    CountingColumns,
    Moments,
    NumberCounts,
    RefiningColumns,
    Tallies,
    TextCounts,
)
from separatrix.data.blocks.preparing.kinds import FindingKinds, Kinds
from separatrix.data.blocks.preparing.order_statistics import Bracket, value_of
from separatrix.data.blocks.preparing.word_counts import MAX_WORDS
from separatrix.data.files.mistakes import mistakes
from separatrix.data.files.number_style import MIN_NUMERIC_SHARE
from separatrix.data.prepare.dates import DATE
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.prepare.prepared_column import (
    NumberStatistics,
    PreparedColumn,
    Unit,
    describe_counts,
    describe_number,
)
from separatrix.errors import DataError, FormatError
from separatrix.problem.runner import Runner


def fit_preparation(preparation: Preparation, source: Any, runner: Runner) -> Preparation:
    """Learn from all blocks of a source what `Preparation.fit` learns from rows in memory."""
    apart = source.with_kinds({})
    count = apart.count
    if hasattr(source, "known_count"):
        source.known_count = count  # of one that is read in order, by a pass
    width = sparse_width(apart, count)
    if width is not None:
        return preparation.learn_sparse(width)
    found = runner.run(FindingKinds(apart).__call__, Kinds.merged, count) if count else Kinds({})
    if not found.columns:
        raise DataError("There are no rows to prepare in any block. Give at least one.")
    kinds = {name: own.name for name, own in found.columns.items()}
    typed = source.with_kinds(kinds)
    counts = runner.run(CountingColumns(typed, kinds).__call__, Tallies.merged, count)
    refuse_mistakes(counts.columns, source)
    numbers = {name: own for name, own in counts.columns.items() if isinstance(own, NumberCounts)}
    statistics = refined(numbers, Passes(typed, kinds, runner, count), bool(preparation.scale))
    dates = {name: kind.removeprefix(DATE) for name, kind in kinds.items() if kind.startswith(DATE)}
    return preparation.learn(described(preparation, counts.columns, statistics), dates)


def sparse_width(source: Any, count: int) -> int | None:
    """The number of columns of rows that are sparse matrices, which have no kinds; None for any others."""
    if getattr(source, "roles", None) is not None:
        return None  # which are columns of files or of dataframes
    first = next((X for X in (source.read(block).X for block in range(count)) if np.shape(X)[:1] != (0,)), None)
    return int(first.shape[1]) if first is not None and sparse.issparse(first) else None


def refuse_mistakes(columns: Mapping[str, Any], source: Any) -> None:
    """Refuse columns of files of text nearly all cells of which are numbers, as those of files in memory are."""
    if not getattr(source, "labels_as_written", False):
        return
    for name, own in columns.items():
        if not isinstance(own, TextCounts) or not own.strange:
            continue
        total = own.words.rows - own.words.missing
        if own.numeric > MIN_NUMERIC_SHARE * total:
            raise FormatError(f"{source.place(own.block)}: {mistakes(name, list(own.strange), own.numeric, total)}")


class Passes:
    """Further passes over columns of known kinds."""

    def __init__(self, source: Any, kinds: Mapping[str, str], runner: Runner, count: int) -> None:
        self.source, self.kinds, self.runner, self.count = source, kinds, runner, count

    def refine(self, brackets: Mapping[str, tuple[Bracket, ...]], units: Mapping[str, Unit]) -> Mapping[str, Any]:
        """One pass that counts within brackets, and sums up numbers in their units."""
        task = RefiningColumns(self.source, self.kinds, brackets, units)
        return self.runner.run(task.__call__, Tallies.merged, self.count).columns


def refined(numbers: Mapping[str, NumberCounts], passes: Passes, scale: bool) -> dict[str, NumberStatistics]:
    """The median, mean and standard deviation of columns of numbers that have two values at least."""
    varying = {name: own for name, own in numbers.items() if own.low < own.high}
    brackets = {name: middle(own) for name, own in varying.items()}
    units = {name: Unit.between(own.low, own.high) for name, own in varying.items()} if scale else {}
    moments: dict[str, Moments] = {}
    while open_brackets := {name: own for name, own in brackets.items() if not all(each.found for each in own)}:
        found = passes.refine(open_brackets, units)
        for name, own in open_brackets.items():
            pairs = zip(own, found[name].histograms, strict=True)
            brackets[name] = tuple(each.narrowed(histogram) for each, histogram in pairs)
        moments = moments or {name: found[name].moments for name in units}
        units = {}
    return {name: statistics_of(own, brackets.get(name, ()), moments.get(name)) for name, own in numbers.items()}


def middle(column: NumberCounts) -> tuple[Bracket, ...]:
    """Where the one or two numbers in the middle of a column are, by its first histogram."""
    there = column.rows - column.missing
    ranks = sorted({(there - 1) // 2, there // 2})
    return tuple(Bracket(rank=rank).narrowed(column.histogram) for rank in ranks)


def statistics_of(column: NumberCounts, brackets: tuple[Bracket, ...], moments: Moments | None) -> NumberStatistics:
    """What is known of a column, in the form that it has for rows in memory."""
    if not column.low <= column.high:
        return NumberStatistics(column.rows, column.missing)
    if column.low == column.high:
        return NumberStatistics(column.rows, column.missing, column.low, column.low, column.low)
    values = [value_of(own.low) for own in brackets]
    median = float(np.mean(values))
    mean, spread = 0.0, 1.0
    if moments is not None:
        unit = Unit.between(column.low, column.high)
        filled = moments.merged(Moments(column.missing, unit.of(median), 0.0))
        mean, spread = unit.centre + filled.mean * unit.size, float(np.sqrt(filled.squares / filled.n)) * unit.size
    return NumberStatistics(column.rows, column.missing, column.low, median, column.high, mean, spread)


def described(
    preparation: Preparation, columns: Mapping[str, Any], statistics: Mapping[str, NumberStatistics]
) -> list[PreparedColumn]:
    """How each column is prepared, in order."""
    most, reference = int(preparation.most_categories), bool(preparation.reference)
    found = []
    for name, own in columns.items():
        if not isinstance(own, TextCounts):
            found.append(describe_number(name, statistics[name], bool(preparation.scale), reference))
            continue
        words = tuple(own.words.counts)
        counts = np.fromiter(own.words.counts.values(), dtype=np.int64, count=len(words))
        beyond = MAX_WORDS if own.words.error else 0
        rows = own.words.rows, own.words.missing
        found.append(describe_counts(name, (words, counts), rows, most, reference, beyond))
    return found
