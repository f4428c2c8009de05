"""Columns of a file as the matrix for a model that was fitted to numbers alone.

The model may know the names of its features. If it knows only their number, the columns of numbers are the features, in
their order, if there are as many.
"""

import re
from collections.abc import Sequence

import numpy as np

from separatrix.data.prepare.columns import Column, Columns, Words
from separatrix.data.prepare.plain_columns import TRUTH, looked_up
from separatrix.data.table import is_finite_number
from separatrix.errors import DataError, counted

SPARSE_PAIR = re.compile(r"\s*\d+:\S+(\s+\d+:\S+)*\s*")  # of LIBSVM text


def feature_columns(columns: Columns, known: Sequence[str], labels_last: bool = False) -> tuple[str, ...]:
    """Which columns of a file are the features of a model, whose names are x1, x2 and so on where it knows none.

    With `labels_last`, the last column of numbers may be one too many, as it holds the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.data.prepare.columns import Columns, Words
    >>> from separatrix.data.prepare.numeric_columns import feature_columns
    >>> file = Columns(("id", "a", "b"), (Words.of(["p", "q"]), np.ones(2), np.zeros(2)), 2)
    >>> feature_columns(file, ["b", "a"]), feature_columns(file, ["x1", "x2"])
    (('b', 'a'), ('a', 'b'))
    """
    absent = [name for name in known if name not in columns.names]
    if not absent:
        return tuple(known)
    if list(known) != [f"x{j + 1}" for j in range(len(known))]:
        raise DataError(f"{missing_columns(absent, 'the model takes')} The columns are {quoted(columns.names)}.")
    found = [name for name, values in zip(columns.names, columns.values, strict=True) if is_numeric(values)]
    if labels_last and len(found) == len(known) + 1 and found[-1] == columns.names[-1]:
        found.pop()
    if len(found) != len(known):
        raise DataError(
            f"The model takes {counted(len(known), 'feature')} and knows no names of them, but the table has "
            f"{counted(len(found), 'column')} of numbers{': ' if found else ''}{quoted(found)}. {advice(columns)}"
        )
    return tuple(found)


def missing_columns(absent: Sequence[str], who: str) -> str:
    """The sentence that names columns which are missing."""
    are = "is" if len(absent) == 1 else "are"
    return f"{counted(len(absent), 'column')} that {who} {are} missing: {quoted(absent)}."


def advice(columns: Columns) -> str:
    """What to do about a table that does not fit."""
    if all(SPARSE_PAIR.fullmatch(name) for name in columns.names):
        return "It looks like LIBSVM text without labels: begin each line with one, such as 0."
    return "Give the columns that it was fitted to, in their order."


def matrix_of(columns: Columns, names: Sequence[str]) -> np.ndarray:
    """Some columns side by side, NaN where a number is missing."""
    return np.column_stack([numbers_of(name, columns[name]) for name in names])


def is_numeric(values: Column) -> bool:
    """Whether a column holds nothing but numbers, also where it was read as text."""
    return not isinstance(values, Words) or all(map(is_finite_number, values.words))


def numbers_of(name: str, values: Column) -> np.ndarray:
    """A column as floats; one that was read as text, too, and truth values as 1 and 0."""
    if isinstance(values, Words) and set(values.words) <= TRUTH.keys():
        return looked_up(values, TRUTH)
    if not isinstance(values, Words):
        return np.asarray(values, dtype=np.float64)
    if not is_numeric(values):
        strange = next(word for word in values.words if not is_finite_number(word))
        raise DataError(f"Column {name!r} holds {strange[:40]!r}, but the model takes numbers there.")
    return np.array([*map(float, values.words), np.nan])[values.codes]  # the last, -1, is a missing one


def quoted(names: Sequence[str], most: int = 5) -> str:
    """The first of some names, for a message."""
    return ", ".join(map(repr, names[:most])) + (", ..." if len(names) > most else "")
