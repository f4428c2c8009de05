"""Columns of a file as the matrix that a model takes which was fitted to numbers alone.

The model may know the names of its features, else only their number. Then the columns of numbers are the features, in
their order, if there are as many.
"""

import re
from collections.abc import Sequence

import numpy as np

from separatrix.data.prepare.columns import Column, Columns, Words
from separatrix.data.table import is_finite_number
from separatrix.errors import DataError, counted

SPARSE_PAIR = re.compile(r"\s*\d+:\S+(\s+\d+:\S+)*\s*")  # of LIBSVM text
MAX_NAMES_SHOWN = 5


def feature_columns(columns: Columns, known: Sequence[str], labels_last: bool = False) -> tuple[str, ...]:
    """Which columns of a file are the features of a model.

    Parameters
    ----------
    columns : Columns
        The file.
    known : sequence of str
        The names of the features; x1, x2 and so on stand for features that have none.
    labels_last : bool
        Whether the last column of numbers may be one too many, as it holds the labels.

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
        are = "is" if len(absent) == 1 else "are"
        raise DataError(
            f"{counted(len(absent), 'column')} that the model takes {are} missing: {named(absent)}. The columns are "
            f"{named(columns.names)}."
        )
    found = [name for name, values in zip(columns.names, columns.values, strict=True) if is_numeric(values)]
    if labels_last and len(found) == len(known) + 1 and found[-1] == columns.names[-1]:
        found.pop()
    if len(found) != len(known):
        raise DataError(
            f"The model takes {counted(len(known), 'feature')} and knows no names of them, but the table has "
            f"{counted(len(found), 'column')} of numbers{': ' if found else ''}{named(found)}. {advice(columns)}"
        )
    return tuple(found)


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
    """A column as floats; one that was read as text, too."""
    if not isinstance(values, Words):
        return np.asarray(values, dtype=np.float64)
    if not is_numeric(values):
        strange = next(word for word in values.words if not is_finite_number(word))
        raise DataError(f"Column {name!r} holds {strange[:40]!r}, but the model takes numbers there.")
    return np.array([*map(float, values.words), np.nan])[values.codes]  # the last, -1, is a missing one


def named(names: Sequence[str]) -> str:
    """The first of some names."""
    return ", ".join(map(repr, names[:MAX_NAMES_SHOWN])) + (", ..." if len(names) > MAX_NAMES_SHOWN else "")
