"""Columns in one form, whatever they were read from: words that are all numbers, truth values or dates are numbers.

A file holds `True`, which a frame may hold as a truth value or as a word; a date is text there and perhaps a date here.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from separatrix.data.prepare.columns import Column, Columns, Words
from separatrix.data.prepare.dates import PARTS, date_format, days_of_words, part_names
from separatrix.data.table import is_finite_number

TRUTH = {"True": 1.0, "False": 0.0, "true": 1.0, "false": 0.0, "TRUE": 1.0, "FALSE": 0.0}


class SideBySide:
    """Columns of `n_rows` rows: those of numbers as a matrix that is made some rows at a time, and those of words.

    Parameters
    ----------
    columns : sequence of arrays and Words
        The columns.
    n_rows : int
        How many rows they have.
    """

    def __init__(self, columns: Sequence[Column], n_rows: int) -> None:
        self.shape = n_rows, len(columns)
        self.words = [(place, own) for place, own in enumerate(columns) if isinstance(own, Words)]
        self.numbers = Stacked([np.asarray(own) for own in columns if not isinstance(own, Words)], n_rows)


class Stacked:
    """Columns of numbers as a matrix, of which only the rows that are asked for are made."""

    def __init__(self, columns: list[np.ndarray], n_rows: int) -> None:
        self.columns, self.shape = columns, (n_rows, len(columns))

    def __getitem__(self, rows: Any) -> np.ndarray:
        return np.column_stack([own[rows] for own in self.columns])

    def count_nonzero(self) -> int:
        """How many entries are not 0."""
        return sum(int(np.count_nonzero(own)) for own in self.columns)


def plain_columns(columns: Columns) -> list[Column]:
    """Columns in their plain form; the parts of dates are one column again, of days.

    >>> plain_columns(Columns(("a", "b"), (Words.of(["1", "2.0"]), Words.of(["x", "1"])), 2))[0].tolist()
    [1.0, 2.0]
    """
    surplus = {part for name in columns.dates for part in part_names(name)[: len(PARTS) - 1]}
    pairs = zip(columns.names, columns.values, strict=True)
    return [plain_column(own) for name, own in pairs if name not in surplus]


def plain_column(column: Column) -> Column:
    """A column as numbers where its words are all numbers, truth values or dates, else as it is."""
    if not isinstance(column, Words):
        return column
    there = [word for word, count in zip(column.words, column.counts.tolist(), strict=True) if count]
    if all(map(is_finite_number, there)):
        return looked_up(column, {word: float(word) for word in there})
    if all(word in TRUTH for word in there):
        return looked_up(column, TRUTH)
    how = date_format(column)
    return column if how is None else days_of_words(column, how)[0]


def looked_up(column: Words, values: Mapping[str, float]) -> np.ndarray:
    """The value of each row's word, NaN where it is missing."""
    return np.array([values.get(word, np.nan) for word in column.words] + [np.nan])[column.codes]


def plain_labels(labels: np.ndarray) -> np.ndarray:
    """Labels as numbers where all of them are texts of numbers, as truth values where they are texts of these."""
    if labels.dtype.kind not in "UO":
        return labels
    texts = labels.astype(str)
    found, codes = np.unique(texts, return_inverse=True)
    if all(map(is_finite_number, found.tolist())):
        return found.astype(np.float64)[codes]
    if set(found.tolist()) <= {"True", "False"}:
        return (found == "True")[codes]
    return labels
