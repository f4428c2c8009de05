"""Columns as they stand in a file or a frame, numbers or words, before they are made into features."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from separatrix.errors import DataError, counted


class Words(NamedTuple):
    """A column of words: a number for each row, and the words that the numbers stand for; -1 is a missing word.

    Examples
    --------
    >>> from separatrix.data.prepare.columns import Words
    >>> column = Words.of(["red", None, "blue", "red"])
    >>> column.codes.tolist(), column.words
    ([0, -1, 1, 0], ('red', 'blue'))
    """

    codes: np.ndarray
    words: tuple[str, ...]

    @classmethod
    def of(cls, cells: Iterable[Any]) -> "Words":
        """Number words in the order of their first rows; None and NaN are missing ones."""
        numbers: dict[str, int] = {}
        codes = [-1 if cell is None or cell != cell else numbers.setdefault(cell, len(numbers)) for cell in cells]
        return cls(np.array(codes, dtype=np.int32), tuple(numbers))

    def rows(self, index: Any) -> "Words":
        """Select rows."""
        return Words(self.codes[index], self.words)

    @property
    def counts(self) -> np.ndarray:
        """How many rows hold each word."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.words))

    @classmethod
    def joined(cls, parts: Sequence["Words"]) -> "Words":
        """Parts of one column, one below the other."""
        numbers: dict[str, int] = {}
        codes = []
        for part in parts:
            own = np.array([numbers.setdefault(word, len(numbers)) for word in part.words] + [-1], dtype=np.int32)
            codes.append(own[part.codes])  # the last, -1, is that of missing words
        return cls(np.concatenate(codes), tuple(numbers))


Column: TypeAlias = np.ndarray | Words


def as_text(value: Any) -> str:
    """A value as a word: whole numbers in full, others as they read back the same."""
    if isinstance(value, Decimal):
        value = float(value)
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if number and value == value // 1:
        return str(int(value))
    return str(value)


def as_words(column: np.ndarray) -> list[str | None]:
    """Numbers where there are to be words: as they would be written."""
    return [None if value != value else as_text(value) for value in column.tolist()]


@dataclass(frozen=True, eq=False, repr=False)
class Columns:
    """Columns of `n_rows` rows, each with a name of its own: floats, NaN where one is missing, or words.

    `dates` says how columns were written that are here as the parts of their dates.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.data.prepare.columns import Columns, Words
    >>> people = Columns(("age", "sex"), (np.array([30.0, 40.0]), Words.of(["f", "m"])), 2)
    >>> people
    Columns(2 rows: 1 column of numbers, 1 of words)
    >>> people.rows([1])["sex"].words
    ('f', 'm')
    """

    names: tuple[str, ...]
    values: tuple[Column, ...]
    n_rows: int
    dates: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.n_rows

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, len(self.names)

    def __getitem__(self, name: str) -> Column:
        return self.values[self.names.index(name)]

    def rows(self, index: Any) -> "Columns":
        """Select rows."""
        index = np.asarray(index)
        parts = tuple(column.rows(index) if isinstance(column, Words) else column[index] for column in self.values)
        return replace(self, values=parts, n_rows=len(index))

    def without(self, name: object) -> "Columns":
        """The other columns, if there is one of this name."""
        if name not in self.names:
            return self
        others = [j for j, own in enumerate(self.names) if own != name]
        return replace(self, names=tuple(self.names[j] for j in others), values=tuple(self.values[j] for j in others))

    def __repr__(self) -> str:
        words = sum(isinstance(column, Words) for column in self.values)
        numbers = counted(len(self.names) - words, "column")
        return f"Columns({counted(self.n_rows, 'row')}: {numbers} of numbers, {words:,} of words)"


def below(parts: list[Columns], mixed: bool = False) -> Columns:
    """Columns of the same names, one below the other; the list is emptied, so that memory is freed on the way.

    Where parts of a column are numbers and parts are words, it is refused, or with `mixed` they become words.
    """
    names, dates, n_rows = parts[0].names, parts[0].dates, sum(len(part) for part in parts)
    by_column = [list(column) for column in zip(*(part.values for part in parts), strict=True)]
    parts.clear()
    values: list[Column] = []
    for pieces in by_column:
        words = [piece for piece in pieces if isinstance(piece, Words)]
        if words and mixed:
            words = [piece if isinstance(piece, Words) else Words.of(as_words(piece)) for piece in pieces]
        if words and len(words) < len(pieces):
            raise DataError(f"Column {names[len(values)]!r} holds numbers in some rows and words in others.")
        values.append(Words.joined(words) if words else np.concatenate(pieces))
        pieces.clear()
    return Columns(names, tuple(values), n_rows, dates)


def beside(parts: Iterable[Columns]) -> Columns:
    """Columns of the same rows, side by side."""
    given = list(parts)
    names = tuple(name for part in given for name in part.names)
    dates = {name: how for part in given for name, how in part.dates.items()}
    values = tuple(column for part in given for column in part.values)
    return Columns(names, values, given[0].n_rows if given else 0, dates)
