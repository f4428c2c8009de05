"""Data frames of pandas, polars and Arrow, through narwhals, without importing any of the three.

As one array, a frame becomes floats: 64-bit, or 32-bit if every column is. Integers and booleans become floats and
missing values NaN; a column of text or dates is refused. As columns, text becomes words, and dates, also those that are
text, become their year, month, weekday and a number of days.
"""

import math
import numbers
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from decimal import Decimal
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from separatrix.data.prepare.columns import Column, Columns, Words, as_text, beside
from separatrix.data.prepare.dates import TYPED, date_columns, date_format, days_of_words
from separatrix.data.table import shortened
from separatrix.errors import DataError

MICROSECONDS_PER_DAY = 86_400e6
ROWS_PER_CHUNK = 8192


def is_frame(X: Any) -> bool:
    """Whether X is a data frame: of pandas, polars, Arrow, or another library that narwhals knows.

    A lazy frame is one, too, which the other functions refuse with advice.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> is_frame(pd.DataFrame({"a": [1.0]})), is_frame(np.ones((1, 1)))
    (True, False)
    """
    if isinstance(X, (np.ndarray, list, tuple)):
        return False
    try:
        return isinstance(nw.from_native(X, pass_through=True), (nw.DataFrame, nw.LazyFrame))
    except ValueError:  # only a frame can have two columns of one name, and frame_values says so
        return True


def frame_values(frame: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Turn a frame of numbers into one array, in C order, and its column names; refuse any other column by name.

    Examples
    --------
    >>> import pandas as pd
    >>> values, names = frame_values(pd.DataFrame({"age": [30, 40], "ill": [True, None]}))
    >>> values.tolist(), names
    ([[30.0, 1.0], [40.0, nan]], ('age', 'ill'))
    """
    table = _narwhal(frame)
    names = _names(table)
    return _array([table.get_column(name) for name in table.columns], names, len(table)), names


def frame_columns(
    frame: Any,
    words: Container[str] = (),
    numbers_only: bool = False,
    dates: Mapping[str, str] | None = None,
    numbers: Container[str] = (),
) -> Columns:
    """Turn a frame into columns of numbers and of words; dates become their parts.

    The columns named in `words` are of words whatever they hold: numbers are as they would be written. With
    `numbers_only`, words and dates in the others are refused, as `frame_values` does. Which columns of words are
    `dates`, and how they are written, is found out unless it is given. Dates in `numbers` are days since 1970 alone.

    Examples
    --------
    >>> import pandas as pd
    >>> frame_columns(pd.DataFrame({"age": [30, None], "sex": ["f", None], "old": [False, True]}))
    Columns(2 rows: 2 columns of numbers, 1 of words)
    """
    table = _narwhal(frame)
    names = _names(table)
    parts = []
    for own, name in zip(table.columns, names, strict=True):
        column = table.get_column(own)
        values: Column
        if name in words:
            values = _words(column)
        elif numbers_only:
            values = _numbers(column, name)
        elif column.dtype in (nw.Date, nw.Datetime):
            values = _days(column)
            if name not in numbers:
                parts.append(date_columns(name, values, TYPED))
                continue
        else:
            values = _column(column, name)
        how = None
        if isinstance(values, Words) and name not in words:
            how = date_format(values) if dates is None else dates.get(name)
        parts.append(_one_column(name, values, how, len(table)))
    return beside(parts) if parts else Columns((), (), len(table))


def _one_column(name: str, values: Column, how: str | None, n_rows: int) -> Columns:
    """A column as it is, or as the parts of its dates where it is known how these are written."""
    if how is None or not isinstance(values, Words):
        return Columns((name,), (values,), n_rows)
    days, strange = days_of_words(values, how)
    if strange:
        raise DataError(f"Column {name!r} held dates in fit ({how}), and holds {shortened(strange[0])} now.")
    return date_columns(name, days, how)


def _days(column: Any) -> np.ndarray:
    """Dates as days since 1970, NaN where one is missing."""
    days = np.asarray(column.to_numpy()).astype("datetime64[us]")
    return np.where(np.isnat(days), np.nan, days.astype(np.int64) / MICROSECONDS_PER_DAY)


def _column(column: Any, name: str) -> Column:
    """A column as floats where it holds numbers or booleans, else as words."""
    objects = column.dtype in (nw.Object, nw.Unknown)
    if column.dtype in (nw.String, nw.Categorical, nw.Enum) or (objects and _has_text(column)):
        return _words(column)
    return _numbers(column, name)


def _has_text(column: Any) -> bool:
    return any(isinstance(cell, str) for cell in column.to_list())


def _words(column: Any) -> Words:
    return Words.joined([Words.of(_cells(part)) for part in _chunks(column)])


def _cells(column: Any) -> list[str | None]:
    """Words as text, None where one is missing."""
    # as a Python float, the 0.1 of 32 bits would have more digits
    cells = column.to_numpy() if column.dtype == nw.Float32 else column.to_list()
    pairs = zip(cells, column.is_null(), strict=True)
    return [None if gone or cell != cell else as_text(cell) for cell, gone in pairs]


def _chunks(column: Any) -> list[Any]:
    """A column in chunks, of which only one at a time becomes Python objects; an empty column is one chunk."""
    return [column[start : start + ROWS_PER_CHUNK] for start in range(0, max(len(column), 1), ROWS_PER_CHUNK)]


def frame_labels(frame: Any, name: str) -> np.ndarray:
    """The labels in a column of a frame, in the type that fits them; a missing one is an error."""
    table = _narwhal(frame)
    column = table.get_column(table.columns[_names(table).index(name)])
    if column.dtype == nw.String and not column.null_count():
        return np.concatenate([np.array(part.to_list(), dtype=np.str_) for part in _chunks(column)])
    if (plain := _plain_numbers(column)) is not None:
        return plain
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_list()
    missing = np.array([isinstance(value, float) and math.isnan(value) for value in values], dtype=bool)
    missing |= np.asarray(column.is_null().to_numpy(), dtype=bool)
    if missing.any():
        row = int(np.argmax(missing))
        raise DataError(f"The label in column {name!r}, row {row} (from 0), is missing: fill it in or drop the row.")
    texts = sum(isinstance(value, str) for value in values)
    if 0 < texts < len(values):
        raise DataError(f"Column {name!r} mixes text and other labels: make them all text, or all numbers.")
    return np.array(values.tolist())


def _plain_numbers(column: Any) -> np.ndarray | None:
    """Numbers or truth values, none of them missing, in the types of Python; None for any others."""
    if not (column.dtype.is_numeric() or column.dtype == nw.Boolean) or column.null_count():
        return None
    values = np.asarray(column.to_numpy())
    wide = {"i": np.int64, "u": np.int64, "f": np.float64, "b": np.bool_}.get(values.dtype.kind)
    if wide is None or values.dtype == np.uint64 or bool((values != values).any()):
        return None
    return values.astype(wide)


def frame_rows(frame: Any, index: np.ndarray) -> Any:
    """Some rows of a frame, by their numbers, as a frame of the same kind."""
    return _narwhal(frame)[index.tolist(), :].to_native()


def frame_names(frame: Any) -> tuple[str, ...]:
    """The names of the columns, as text; two of one name are an error."""
    return _names(_narwhal(frame))


def frame_part(frame: Any, names: Sequence[str]) -> Any:
    """Some columns, by their names as text, as a frame of the same kind."""
    table = _narwhal(frame)
    own = _names(table)
    return table[:, [own.index(name) for name in names]].to_native()


def frame_length(frame: Any) -> int:
    """How many rows there are."""
    return len(_narwhal(frame))


def frame_slice(frame: Any, start: int, stop: int) -> Any:
    """Rows that follow each other, as a frame of the same kind."""
    return _narwhal(frame)[start:stop].to_native()


def _narwhal(frame: Any) -> Any:
    """The frame as a DataFrame of narwhals; frames that cannot be read are refused."""
    try:
        table = nw.from_native(frame, pass_through=True)
    except ValueError as error:
        raise DataError(f"The frame has two columns of one name: rename one of them. {error}") from error
    if isinstance(table, nw.LazyFrame):
        raise DataError(f"A lazy frame ({type(frame).__name__}) holds no values yet: call its collect() first.")
    if not isinstance(table, nw.DataFrame):
        raise DataError(f"A data frame was expected. Got {type(frame).__name__}: use pandas, polars or pyarrow.")
    return table


def _names(table: Any) -> tuple[str, ...]:
    names = tuple(str(name) for name in table.columns)
    repeated, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise DataError(f"The frame has two columns of the name {repeated!r}: rename one of them.")
    return names


def _array(columns: Sequence[Any], names: Sequence[str], n_rows: int) -> np.ndarray:
    """Columns of numbers side by side."""
    narrow = bool(columns) and all(column.dtype == nw.Float32 for column in columns)
    values = np.empty((n_rows, len(columns)), dtype=np.float32 if narrow else np.float64)
    for j, (column, name) in enumerate(zip(columns, names, strict=True)):
        values[:, j] = _numbers(column, name)
    return values


def _numbers(column: Any, name: str) -> np.ndarray:
    """A column as floats."""
    if column.dtype == nw.Float32:
        return np.asarray(column.to_numpy(), dtype=np.float32)
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)
    if column.dtype in (nw.Object, nw.Unknown):
        return _numbers_of_objects(column, name)
    raise _not_numbers(column, name, _first_value(column))


def _numbers_of_objects(column: Any, name: str) -> np.ndarray:
    """Floats from a column whose type does not tell what it holds: Python objects, sparse pandas columns, all nulls."""
    values = column.to_numpy()
    if values.dtype.kind in "fiub":
        return np.asarray(values, dtype=np.float64)
    missing = np.asarray(column.is_null().to_numpy(), dtype=bool)
    result = np.full(len(values), np.nan)
    for value in values[~missing]:
        # float("3") would work, too, and silently turn text into numbers
        if not isinstance(value, (numbers.Real, Decimal, np.bool_)):
            raise _not_numbers(column, name, value)
    result[~missing] = values[~missing].astype(np.float64)
    return result


def _not_numbers(column: Any, name: str, example: object) -> DataError:
    return DataError(
        f"Column {name!r} has the type {column.dtype} and is not numeric: it holds {shortened(example, 59)}. Drop the "
        "column or turn it into numbers first: with astype(float) for numbers kept as text, days since some day for "
        "dates, one column of 0 and 1 for each category."
    )


def _first_value(column: Any) -> object:
    present = column.drop_nulls().head(1).to_list()
    return present[0] if present else None
