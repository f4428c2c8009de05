"""Statistics of columns and their preparation: many columns of numbers at a time, columns of words one by one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.data.finite_numbers import MAX_MAGNITUDE
from separatrix.data.prepare.columns import Column, Words, as_words
from separatrix.data.prepare.plain_columns import plain_column
from separatrix.errors import DataError, counted

MISSING, OTHER, PRESENT = "(missing)", "(other)", "(present)"
ENTRIES_PER_GROUP = 2**17  # of columns that are prepared together, which fit into a cache


@dataclass(frozen=True)
class PreparedColumn:
    """The statistics of a column and how it is prepared.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        "number", "text", "presence" (a number of which only matters whether it is there) or "left out".
    missing : int
        In how many rows it has no value.
    done : str
        What is done to it, in words.
    low, median, high : float or None
        Of its numbers.
    centre, scale : float
        A number x becomes (x - centre) / scale.
    categories : tuple of str
        Of its words, those with a column of their own; of a presence, there and missing.
    """

    name: str
    kind: str
    missing: int = 0
    done: str = ""
    low: float | None = None
    median: float | None = None
    high: float | None = None
    centre: float = 0.0
    scale: float = 1.0
    categories: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in ("number", "text", "presence", "left out"):
            raise ValueError(f"{self.kind!r} is no kind of column")
        if not (np.isfinite([self.centre, self.scale]).all() and self.scale > 0.0):
            raise ValueError(
                f"column {self.name!r} cannot be divided by {self.scale} after {self.centre} is subtracted"
            )
        if self.kind == "number" and (self.median is None or not np.isfinite(self.median)):
            raise ValueError(f"column {self.name!r} cannot have the median {self.median}")

    @property
    def features(self) -> list[str]:
        """The names of the features that it becomes."""
        if self.kind == "number":
            return [self.name]
        return [f"{self.name}={category}" for category in self.categories]


def column_groups(columns: list[tuple[Any, Column]], n_rows: int) -> Iterator[tuple[list[Any], Any]]:
    """Consecutive columns of numbers, side by side in arrays that fit into a cache; columns of words one by one."""
    most = max(1, ENTRIES_PER_GROUP // n_rows) if n_rows else 1
    start = 0
    while start < len(columns):
        stop = start + 1
        if isinstance(columns[start][1], Words):
            yield [columns[start][0]], columns[start][1]
        else:
            while stop < min(len(columns), start + most) and not isinstance(columns[stop][1], Words):
                stop += 1
            yield (
                [name for name, _ in columns[start:stop]],
                np.column_stack([np.asarray(own) for _, own in columns[start:stop]]),
            )
        start = stop


class NumberStatistics(NamedTuple):
    """Of a column of numbers: rows, rows without one, the range and the median; mean and deviation with gaps filled."""

    rows: int
    missing: int
    low: float = np.nan
    median: float = np.nan
    high: float = np.nan
    mean: float = 0.0
    spread: float = 1.0


class Unit(NamedTuple):
    """The middle of the range of numbers, and half of its length, in which also numbers of 1e-200 have squares.

    Far from 0, numbers keep the digits in which they differ.
    """

    centre: Any
    size: Any

    @classmethod
    def between(cls, low: Any, high: Any) -> "Unit":
        """The unit of numbers within a range."""
        size = 0.5 * high - 0.5 * low
        return cls(0.5 * low + 0.5 * high, np.where(size > 0.0, size, 1.0)[()])

    def of(self, values: Any) -> Any:
        """Numbers in this unit."""
        return (values - self.centre) / self.size


def describe_numbers(
    names: list[str], values: np.ndarray, scale: bool, reference: bool = False
) -> Iterator[PreparedColumn]:
    """The range, median, mean and standard deviation of columns of numbers, and how they are prepared."""
    values = np.asarray(values, dtype=np.float64)
    missing = np.isnan(values)
    counts = len(values) - missing.sum(axis=0)
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    check_size(names, values)
    order = np.sort(values, axis=0)  # what is missing comes last
    places = np.maximum(np.stack([(counts - 1) // 2, counts // 2]), 0)
    median = np.take_along_axis(order, places, axis=0).mean(axis=0)
    unit = Unit.between(low, high)
    filled = unit.of(np.where(missing, median, values))
    mean, spread = unit.centre + filled.mean(axis=0) * unit.size, filled.std(axis=0) * unit.size
    gone = len(values) - counts
    for j, name in enumerate(names):
        known = (float(column[j]) for column in (low, median, high, mean, spread))
        yield describe_number(name, NumberStatistics(len(values), int(gone[j]), *known), scale, reference)


def describe_number(name: str, found: NumberStatistics, scale: bool, reference: bool = False) -> PreparedColumn:
    """How a column of numbers is prepared."""
    gone, bounds = found.missing, (found.low, found.median, found.high)
    if gone == found.rows:
        return PreparedColumn(name, "left out", gone, "no row has a value")
    if found.low == found.high and gone:
        return describe_presence(name, found.rows, gone, bounds, reference)
    if found.low == found.high:
        return PreparedColumn(name, "left out", gone, f"the same value, {found.low:g}, in every row", *bounds)
    done = f"{counted(gone, 'missing value')} filled with the median {found.median:g}" if gone else ""
    to = (found.mean, found.spread or 1.0) if scale else (0.0, 1.0)
    return PreparedColumn(name, "number", gone, done, *bounds, *to)


def describe_presence(
    name: str, n: int, missing: int, bounds: tuple[float, float, float], reference: bool
) -> PreparedColumn:
    """How a column with a single value is prepared: filling gaps with the median would make it constant."""
    done = f"{bounds[0]:g} in {counted(n - missing, 'row')}, missing in the others"
    categories = (MISSING,) if reference else (MISSING, PRESENT)
    return PreparedColumn(name, "presence", missing, done, *bounds, categories=categories)


def check_size(names: list[str], values: np.ndarray) -> None:
    """Refuse infinities and numbers too large to square."""
    if np.fmax.reduce(np.abs(values), axis=None, initial=0.0) <= MAX_MAGNITUDE:
        return
    row, j = (int(place) for place in np.argwhere(np.abs(values) > MAX_MAGNITUDE)[0])
    raise DataError(
        f"Column {names[j]!r} holds {float(values[row, j]):g} in row {row} (from 0), an infinity or a number too large "
        "to square. Put a finite number there, or leave it empty if it is missing."
    )


def describe_words(name: str, column: Words, most: int, reference: bool = False) -> PreparedColumn:
    """How a column of words is prepared; the categories are the most frequent words, in alphabetical order."""
    counts = column.counts
    present = np.flatnonzero(counts)
    words = tuple(column.words[j] for j in present.tolist())
    rows = column.codes.size, int((column.codes < 0).sum())
    return describe_counts(name, (words, counts[present]), rows, most, reference)


def describe_counts(
    name: str,
    found: tuple[tuple[str, ...], np.ndarray],
    rows: tuple[int, int],
    most: int,
    reference: bool = False,
    beyond: int = 0,
) -> PreparedColumn:
    """How a column is prepared that has these words, so often each; `beyond` so many, the rarest were not counted.

    `rows` are the number of all rows, and of those without a word.
    """
    words, counts = found
    n, missing = rows
    if not words and not beyond:
        return PreparedColumn(name, "left out", missing, "no row has a value")
    if len(words) == 1 and not missing and not beyond:
        return PreparedColumn(name, "left out", 0, f"the same word, {words[0]!r}, in every row")
    rare_all = counts.max(initial=0) * 20 < n
    if beyond and rare_all:
        return PreparedColumn(name, "left out", missing, f"more than {beyond:,} words, none of them in a row of twenty")
    if len(words) > most and rare_all and len(words) > (n - missing) / 2:
        return PreparedColumn(name, "left out", missing, f"{len(words):,} words: nearly every row has its own")
    frequent = sorted(range(len(words)), key=lambda j: (-counts[j], words[j]))
    kept, rare = frequent[:most], frequent[most:]
    categories = sorted(category(words[j]) for j in kept[int(reference) :])
    categories = [OTHER] * bool(rare or beyond) + [MISSING] * bool(missing) + categories
    done = f"{counted(len(categories), 'column')} of 0 and 1"
    done += f", {words[kept[0]]!r} is 0 in all" * reference
    done += f", the {'rarest' if beyond else f'{len(rare):,} rarest'} words share one" * bool(rare or beyond)
    done += ", missing is one" * bool(missing)
    return PreparedColumn(name, "text", missing, done, categories=tuple(categories))


def category(word: str) -> str:
    """The category of a word: itself, in quotes where it reads like the category of missing or of other words."""
    return f"'{word}'" if word.strip("'") in (MISSING, OTHER) else word


def match_kind(own: PreparedColumn, column: Column) -> Column:
    """Convert a column to the kind that it had in fit."""
    if own.kind == "text":
        return column if isinstance(column, Words) else Words.of(as_words(column))
    if isinstance(column, Words):
        column = plain_column(column)  # a file has True where a frame had a truth value
    if isinstance(column, Words):
        raise DataError(f"Column {own.name!r} held numbers in fit, and holds words such as {column.words[:3]} now.")
    if own.kind == "presence":
        return Words(np.where(np.isnan(column), -1, 0), (PRESENT,))
    return column


def transform_columns(columns: list[PreparedColumn], values: Any) -> np.ndarray:
    """The features of columns: one for each column of numbers, one for each category of any other."""
    if not isinstance(values, Words):
        check_size([own.name for own in columns], values)
        filled = np.where(np.isnan(values), np.array([own.median for own in columns], dtype=np.float64), values)
        return (filled - np.array([own.centre for own in columns])) / np.array([own.scale for own in columns])
    (own,) = columns
    place = {name: j for j, name in enumerate(own.categories)}  # a global function is called category
    other = place.get(OTHER, -1)
    codes = np.array([place.get(category(word), other) for word in values.words] + [place.get(MISSING, -1)], np.int64)
    chosen = codes[values.codes]
    result = np.zeros((chosen.size, len(own.categories)))
    known = np.flatnonzero(chosen >= 0)
    result[known, chosen[known]] = 1.0
    return result
