"""Read a CSV or TSV file with a header: numbers in the feature columns, anything in the target column.

The format is RFC 4180 (2005) with any one-character delimiter, in UTF-8 with or without a byte order mark.
Rows are converted a block at a time and a column at a time; only when that fails is the cell to blame
looked for.
"""

import csv
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np

from separatrix.data.table import Table, find_column, is_finite_number, labels_from_text
from separatrix.errors import DataError, FormatError, OptionError

MISSING = frozenset({"", "na", "n/a", "#n/a", "#na", "<na>", "nan", "null", "none", "?", "-"})  # in any case
# What is missing among numbers may be a word among words: "None" for a class, "-" beside "+", "NULL" for a surname.
MISSING_WORDS = frozenset({"", "NA", "NaN", "nan", "?", "null"})
DELIMITERS = ",;\t|"
ROWS_PER_BLOCK = 1024

Record = tuple[int, list[str]]


def read_delimited(path: str | os.PathLike[str] | IO[str], target: str | int, *, delimiter: str | None = None) -> Table:
    r"""Read a delimited file with a header line into a Table.

    Labels that are all whole numbers become integers, labels that are all numbers become floats, and any
    others stay text, as do 1 and 01, which are the same number, written differently. Missing numbers become NaN: an
    empty cell, NA, N/A, #N/A, <NA>, NaN, null or none in capitals or not, ?, and a lone -.

    Parameters
    ----------
    path : path or open text file
        What to read.
    target : str or int
        The column that holds the labels: its name, or its number counted from 0 (from the end if negative).
    delimiter : str, optional
        What stands between two cells. By default a tab for .tsv and .tab, else whichever of comma,
        semicolon, tab and bar is most frequent in the header.

    Returns
    -------
    Table
        Every other column as a feature, in the order of the file.

    Raises
    ------
    FormatError
        If the file cannot be read; the message names the line.

    Examples
    --------
    >>> import io
    >>> table = read_delimited(io.StringIO("height;ill;age\n1.8;no;30\n1.6;yes;NA\n"), "ill")
    >>> table.feature_names, table.X[0].tolist(), table.labels.tolist()
    (('height', 'age'), [1.8, 30.0], ['no', 'yes'])
    """
    with opened(path) as (stream, name):
        try:
            return _read(text_lines(stream, name), name, target, delimiter)
        except UnicodeDecodeError as error:
            raise not_utf8(path, name, error) from error


def header_and_records(
    lines: Iterator[str], name: str, delimiter: str | None = None, least: int = 2
) -> tuple[list[str], int, Iterator[Record]]:
    """The names of the columns, at least so many, the line on which they stand, and the rows of cells below."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise OptionError(f"delimiter must be one character, no quote and no line end. Got {delimiter!r}.")
    opening = _first_line(lines, name)
    separator = delimiter or _delimiter_of(name, opening[-1])
    records = _records(_chained(opening, lines), name, separator)
    number, header = next(records, (1, [""]))  # a file with nothing but quotes
    return _checked_header(header, name, number, separator, least), number, records


def _read(lines: Iterator[str], name: str, target: str | int, delimiter: str | None) -> Table:
    columns, number, records = header_and_records(lines, name, delimiter)
    try:
        chosen = find_column(columns, target)
    except DataError as error:
        raise FormatError.at(name, number, str(error)) from error
    features = [j for j in range(len(columns)) if j != chosen]
    blocks: list[np.ndarray] = []
    labels: list[str] = []
    while block := list(islice(records, ROWS_PER_BLOCK)):
        by_column = list(zip(*(fields for _, fields in block), strict=True))
        labels += checked_labels(by_column[chosen], block, name, columns[chosen])
        blocks.append(_numbers(by_column, features, block, name, columns))
    if not blocks:
        raise FormatError.at(name, number, "there are no rows below the header: add at least one.")
    names = tuple(columns[j] for j in features)
    return Table(np.concatenate(blocks), labels_from_text(labels, apart=True), names, columns[chosen])


@contextmanager
def opened(path: str | os.PathLike[str] | IO[str]) -> Iterator[tuple[IO[str], str]]:
    """Open a path, or pass on a file that is open, with the name to use in messages."""
    if isinstance(path, (str, os.PathLike)):
        with open(path, encoding="utf-8", newline="") as stream:
            yield stream, os.fspath(path)
    else:
        name = getattr(path, "name", None)
        yield path, name if isinstance(name, str) else "<stream>"


def text_lines(stream: IO[str], name: str) -> Iterator[str]:
    """Lines without the byte order mark; what is no text is refused here, where the line is known."""
    for number, line in enumerate(stream, start=1):
        if not isinstance(line, str):
            raise FormatError.at(name, number, "the file is open in binary mode: open it as text.")
        if "\0" in line:
            raise FormatError.at(name, number, "a NUL byte: this is no text file. Save it as UTF-8 text.")
        yield line.removeprefix("\ufeff") if number == 1 else line


def _first_line(lines: Iterator[str], name: str) -> list[str]:
    """The lines up to and with the first that is not blank, kept so that line numbers stay right."""
    opening = []
    for line in lines:
        opening.append(line)
        if line.strip():
            return opening
    raise FormatError(f"{name}: the file is empty. Expected a header line with the column names, then rows.")


def _chained(opening: list[str], lines: Iterator[str]) -> Iterator[str]:
    yield from opening
    yield from lines


def _delimiter_of(name: str, header: str) -> str:
    if Path(name).suffix.lower() in (".tsv", ".tab"):
        return "\t"
    unquoted = re.sub(r'"[^"]*"', "", header)
    return max(DELIMITERS, key=unquoted.count)  # the first of equals, so a comma where there is none at all


def _records(lines: Iterator[str], name: str, delimiter: str) -> Iterator[Record]:
    """Rows of cells with the line each one starts on, all as long as the first."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    width = 0
    while True:
        start = reader.line_num + 1
        try:
            fields = next(reader, None)
        except csv.Error as error:
            problem = f"{error}. Close every quote, and write a quote inside a quoted cell as two."
            raise FormatError.at(name, start, problem) from error
        if fields is None:
            return
        if not fields or (len(fields) == 1 and not fields[0].strip()):
            continue
        width = width or len(fields)
        if len(fields) != width:
            raise FormatError.at(name, start, _ragged(len(fields), width, delimiter))
        yield start, fields


def _ragged(found: int, expected: int, delimiter: str) -> str:
    return (
        f"the line has {found} fields but the header has {expected} (delimiter {delimiter!r}): "
        "add or remove cells, or put quotes around a cell that holds the delimiter."
    )


def _checked_header(header: list[str], name: str, line: int, delimiter: str, least: int) -> list[str]:
    columns = [column.strip() for column in header]
    if len(columns) < least:
        problem = (
            f"{columns[0]!r} is the only column (delimiter {delimiter!r}): the labels need at least one "
            "column of numbers beside them. Give delimiter= if the cells are separated by something else."
        )
        raise FormatError.at(name, line, problem)
    if "" in columns:
        problem = (
            f"column {columns.index('') + 1} has no name: name it, or remove it if it only numbers the rows "
            "(pandas leaves it out with index=False)."
        )
        raise FormatError.at(name, line, problem)
    if all(is_finite_number(column) for column in columns):
        problem = (
            f"the first line holds only numbers ({', '.join(columns[:5])}): add a line with the names of the columns."
        )
        raise FormatError.at(name, line, problem)
    if len(columns) > 2 and sum(is_finite_number(column) for column in columns) >= len(columns) - 1:
        fraction = next((column for column in columns if is_finite_number(column) and not column.isdigit()), None)
        if fraction is not None:
            problem = (
                f"the first line looks like a row, as it holds {fraction}: add a line with the names of the columns."
            )
            raise FormatError.at(name, line, problem)
    repeated, times = Counter(columns).most_common(1)[0]
    if times > 1:
        raise FormatError.at(name, line, f"two columns have the name {repeated!r}: rename one of them.")
    return columns


def checked_labels(cells: Sequence[str], block: list[Record], name: str, column: str) -> list[str]:
    """Labels without blanks around them; a missing one is an error."""
    labels = [cell.strip() for cell in cells]
    if MISSING_WORDS.isdisjoint(labels):
        return labels
    line, label = next((line, label) for (line, _), label in zip(block, labels, strict=True) if label in MISSING_WORDS)
    problem = f"the label in column {column!r} is missing ({label!r}): fill it in or remove the row."
    raise FormatError.at(name, line, problem)


def _numbers(
    by_column: list[tuple[str, ...]], features: list[int], block: list[Record], name: str, columns: list[str]
) -> np.ndarray:
    """The feature columns of a block as floats, missing cells as NaN."""
    values = np.empty((len(block), len(features)))
    for place, j in enumerate(features):
        cells = by_column[j]
        try:
            values[:, place] = floats(cells)
        except ValueError:
            known = filled(cells)
            try:
                values[:, place] = floats(known)
            except ValueError as error:
                raise not_a_number(known, block, name, columns[j]) from error
    return values


def floats(cells: Sequence[str]) -> np.ndarray:
    """Cells as numbers; ValueError if one is none."""
    if "_" in "".join(cells):  # Python reads "1_000" as a number, no other program does
        raise ValueError("underscore")
    return np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no number.

    Examples
    --------
    >>> from separatrix.data.files.delimited import is_missing
    >>> [is_missing(cell) for cell in (" ", "n/a", "-", "-1", "zero")]
    [True, True, True, False, False]
    """
    return cell.strip().lower() in MISSING


def filled(cells: Sequence[str]) -> list[str]:
    """Cells with nan in the place of what is missing."""
    return ["nan" if is_missing(cell) else cell for cell in cells]


def not_a_number(cells: list[str], block: list[Record], name: str, column: str) -> FormatError:
    """The error that names the first cell that is no number."""
    for (line, _), cell in zip(block, cells, strict=True):
        try:
            floats([cell])
        except ValueError:
            hint = "a decimal comma must be a point" if re.fullmatch(r"\s*[+-]?\d*,\d+\s*", cell) else ""
            problem = (
                f"column {column!r} holds {shortened(cell)}, which is no number: "
                f"{hint or 'write a number, NA if it is missing, or turn the column into numbers first'}."
            )
            return FormatError.at(name, line, problem)
    raise AssertionError("called for cells that are all numbers")


def shortened(text: str, most: int = 60) -> str:
    """A cell to be shown in a message."""
    return repr(text if len(text) <= most else text[:most] + "...")


def not_utf8(path: object, name: str, error: UnicodeDecodeError) -> FormatError:
    """The error that names the first line that is not UTF-8."""
    advice = "Save the file as UTF-8 text (is it compressed, or in UTF-16 or Latin-1?)."
    problem = f"the byte 0x{error.object[error.start]:02x} is not UTF-8. {advice}"
    if not isinstance(path, (str, os.PathLike)):
        return FormatError(f"{name}: {problem}")
    # Text is decoded ahead of the line that is read, so the line has to be counted again.
    with open(path, "rb") as stream:
        number = next((i for i, line in enumerate(stream, start=1) if not _is_utf8(line)), 1)
    return FormatError.at(name, number, problem)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
