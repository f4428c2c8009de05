"""Read a CSV or TSV file with a header: columns of numbers and of words, labels in one of them.

The format is RFC 4180 (2005) with any one-character delimiter, in UTF-8 with or without a byte order mark. Rows are
converted a block at a time and a column at a time; the cell that is no number is searched for only when that fails.

What kind a column is may be given. Otherwise a column is of words if any cell of it is neither a number nor missing,
unless nearly all are numbers: then that cell is a mistake, and the message names it. Words for what is missing, such
as N/A, are words where no cell is a number.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from separatrix.data.files.source import Block, Reading, Source, not_utf8
from separatrix.data.prepare.columns import Column, Columns, Words, below
from separatrix.data.table import find_column, is_finite_number, labels_from_text, shortened
from separatrix.errors import DataError, FormatError, OptionError

MISSING = frozenset({"", "na", "n/a", "#n/a", "#na", "<na>", "nan", "null", "none", "?", "-"})  # in any case
# What is missing among numbers may be a word among words: "None" for a class, "-" beside "+", "NULL" for a surname.
MISSING_WORDS = frozenset({"", "NA", "NaN", "nan", "?", "null"})
DELIMITERS = ",;\t|"
MIN_NUMERIC_SHARE = 0.9  # of the cells of a column: where more are numbers, the others are mistakes
# numbers to people, not to programs: 52,5 and 1,105.2 and 5 %
FOREIGN_NUMBER = re.compile(r"[+-]?\d+(,\d+)+(\.\d+)?|[+-]?\d{1,3}(\.\d{3})+,\d+|[+-]?\d+([.,]\d+)?\s*%")

Record = tuple[int, list[str]]


class Header(NamedTuple):
    """The names of the columns, and the line on which they stand."""

    columns: list[str]
    line: int


class NotNumbersError(Exception):
    """Columns taken for numbers hold words."""

    def __init__(self, columns: list[str]) -> None:
        super().__init__(columns)
        self.columns = columns


def delimited_blocks(source: Source, reading: Reading) -> Iterator[Block]:
    """Some rows at a time; NotNumbersError where a column that was guessed to hold numbers holds words."""
    with _records(source, reading, least=2 if reading.labelled else 1) as (header, records):
        chosen = _target_column(source, reading, header)
        target = "" if chosen is None else header.columns[chosen]
        empty = True
        while block := list(islice(records, reading.rows_per_block)):
            empty = False
            cells = dict(zip(header.columns, zip(*(fields for _, fields in block), strict=True), strict=True))
            labels = (
                None if chosen is None else _labels(cells.pop(target), block, source.name, target, reading.labelled)
            )
            yield Block(_columns(cells, block, source.name, reading), labels, target, source.name)
        if empty and reading.labelled:
            raise FormatError.at(source.name, header.line, "there are no rows below the header: add at least one.")


def read_delimited(source: Source, reading: Reading) -> Block:
    """All rows; a column that turns out to be of words is read again from the start, as it is written."""
    kinds = dict(reading.kinds)
    while True:
        source.stream.seek(0)
        try:
            whole = _joined(delimited_blocks(source, reading._replace(kinds=kinds)), source.name)
        except NotNumbersError as found:
            kinds |= dict.fromkeys(found.columns, "text")
            continue
        columns = dict(zip(whole.X.names, whole.X.values, strict=True))
        # a column without a single number may hold words that were taken for missing numbers
        empty = [name for name, own in columns.items() if not isinstance(own, Words) and np.isnan(own).all()]
        if reading.others != "guess" or not empty:
            break
        kinds |= dict.fromkeys(empty, "text")
    labels = None if whole.labels is None else labels_from_text(whole.labels, apart=True)
    if reading.others == "guess":
        _refuse_typing_errors(source, reading, columns)
        fractions = labels is not None and labels.dtype.kind == "f"
        labels = np.array(whole.labels) if fractions else labels  # commands take 0.5 for a name
    return whole._replace(labels=labels)


def _joined(blocks: Iterator[Block], name: str) -> Block:
    """Blocks of which there must be at least one, one below the other."""
    first = next(blocks, None)
    if first is None:  # which is an error only of those who need rows
        raise FormatError(f"{name}: there are no rows below the header: add at least one.")
    parts, labels = [first.X], None if first.labels is None else list(first.labels)
    for block in blocks:
        parts.append(block.X)
        if labels is not None:
            labels += block.labels
    return first._replace(X=below(parts), labels=labels)


@contextmanager
def _records(source: Source, reading: Reading, least: int) -> Iterator[tuple[Header, Iterator[Record]]]:
    """The header, with at least so many columns, and the rows of cells below; both with their lines."""
    delimiter = reading.delimiter
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise OptionError(f"delimiter must be one character, no quote and no line end. Got {delimiter!r}.")
    text = io.TextIOWrapper(source.stream, encoding="utf-8", newline="")
    try:
        lines = _text_lines(text, source.name)
        opening = _first_lines(lines, source.name)
        separator = delimiter or _delimiter_of(source.name, opening[-1])
        records = _rows(chain(opening, lines), source.name, separator)
        line, columns = next(records, (1, [""]))  # a file with nothing but quotes
        yield Header(_checked_header(columns, source.name, line, separator, least), line), records
    except UnicodeDecodeError as error:
        raise not_utf8(source.stream, source.name, error) from error
    finally:
        text.detach()  # or the stream would be closed with it


def _target_column(source: Source, reading: Reading, header: Header) -> int | None:
    """The place of the target column; None where there is none and labels are optional."""
    if not reading.labelled:
        return header.columns.index(str(reading.target)) if reading.target in header.columns else None
    try:
        return find_column(header.columns, -1 if reading.target is None else reading.target)
    except DataError as error:
        raise FormatError.at(source.name, header.line, str(error)) from error


def _text_lines(stream: io.TextIOWrapper, name: str) -> Iterator[str]:
    """Lines without the byte order mark; what is no text is refused here, where the line is known."""
    for number, line in enumerate(stream, start=1):
        if "\0" in line:
            raise FormatError.at(name, number, "a NUL byte: this is no text file. Save it as UTF-8 text.")
        yield line.removeprefix("\ufeff") if number == 1 else line


def _first_lines(lines: Iterator[str], name: str) -> list[str]:
    """The lines up to and with the first that is not blank, kept so that line numbers stay right."""
    opening = []
    for line in lines:
        opening.append(line)
        if line.strip():
            return opening
    raise FormatError(f"{name}: the file is empty. Expected a header line with the column names, then rows.")


def _delimiter_of(name: str, header: str) -> str:
    if Path(name).suffix.lower() in (".tsv", ".tab"):
        return "\t"
    unquoted = re.sub(r'"[^"]*"', "", header)
    return max(DELIMITERS, key=unquoted.count)  # the first of equals, so a comma where there is none at all


def _rows(lines: Iterator[str], name: str, delimiter: str) -> Iterator[Record]:
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
            problem = (
                f"the line has {len(fields)} fields but the header has {width} (delimiter {delimiter!r}): "
                "add or remove cells, or put quotes around a cell that holds the delimiter."
            )
            raise FormatError.at(name, start, problem)
        yield start, fields


def _checked_header(header: list[str], name: str, line: int, delimiter: str, least: int) -> list[str]:
    columns = [column.strip() for column in header]
    numbers = [column for column in columns if is_finite_number(column)]
    fraction = next((column for column in numbers if not column.isdigit()), None)
    repeated, times = Counter(columns).most_common(1)[0]
    if len(columns) < least:
        problem = (
            f"{columns[0]!r} is the only column (delimiter {delimiter!r}): the labels need at least one "
            "column of numbers beside them. Give delimiter= if the cells are separated by something else."
        )
    elif "" in columns:
        problem = (
            f"column {columns.index('') + 1} has no name: name it, or remove it if it only numbers the rows "
            "(pandas leaves it out with index=False)."
        )
    elif len(numbers) == len(columns):
        shown = ", ".join(columns[:5])
        problem = f"the first line holds only numbers ({shown}): add a line with the names of the columns."
    elif len(columns) > 2 and len(numbers) == len(columns) - 1 and fraction is not None:
        problem = f"the first line looks like a row, as it holds {fraction}: add a line with the names of the columns."
    elif times > 1:
        problem = f"two columns have the name {repeated!r}: rename one of them."
    else:
        return columns
    raise FormatError.at(name, line, problem)


def _labels(cells: Sequence[str], block: list[Record], name: str, column: str, required: bool) -> list[Any]:
    """Labels without blanks around them; a missing one is None, or an error where all are required."""
    labels = [cell.strip() for cell in cells]
    if MISSING_WORDS.isdisjoint(labels):
        return labels
    if not required:
        return [None if label in MISSING_WORDS else label for label in labels]
    line, label = next((line, label) for (line, _), label in zip(block, labels, strict=True) if label in MISSING_WORDS)
    problem = f"the label in column {column!r} is missing ({label!r}): fill it in or remove the row."
    raise FormatError.at(name, line, problem)


def _columns(cells: Mapping[str, Sequence[str]], block: list[Record], name: str, reading: Reading) -> Columns:
    """The columns of a block, but that of the labels."""
    values: list[Column] = []
    words: list[str] = []
    for column, own in cells.items():
        kind = reading.kinds.get(column, reading.others)
        if kind == "text":
            stripped = (cell.strip() for cell in own)
            values.append(Words.of(None if cell in MISSING_WORDS else cell for cell in stripped))
            continue
        try:
            values.append(_numbers(own))
        except ValueError as error:
            if kind == "number":
                raise _not_a_number(own, block, name, column) from error
            words.append(column)
    if words:
        raise NotNumbersError(words)
    return Columns(tuple(cells), tuple(values), len(block))


def _numbers(cells: Sequence[str]) -> np.ndarray:
    """Cells as numbers, NaN where one is missing; ValueError if one is neither."""
    try:
        return _floats(cells)
    except ValueError:
        return _floats(["nan" if is_missing(cell) else cell for cell in cells])


def _floats(cells: Sequence[str]) -> np.ndarray:
    if "_" in "".join(cells):  # Python reads "1_000" as a number, no other program does
        raise ValueError("underscore")
    return np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no number."""
    return cell.strip().lower() in MISSING


def _not_a_number(cells: Sequence[str], block: list[Record], name: str, column: str) -> FormatError:
    """The error that names the first cell that is no number."""
    for (line, _), cell in zip(block, cells, strict=True):
        try:
            _numbers([cell])
        except ValueError:
            hint = "a decimal comma must be a point" if re.fullmatch(r"\s*[+-]?\d*,\d+\s*", cell) else ""
            problem = (
                f"column {column!r} holds {shortened(cell)}, which is no number: "
                f"{hint or 'write a number, NA if it is missing, or turn the column into numbers first'}."
            )
            return FormatError.at(name, line, problem)
    raise AssertionError("called for cells that are all numbers")


def _refuse_typing_errors(source: Source, reading: Reading, columns: Mapping[str, Column]) -> None:
    """Refuse a column of words nearly all of which are numbers, naming the first that is not."""
    for column, values in columns.items():
        if not isinstance(values, Words) or column in reading.kinds:
            continue
        counts = values.counts
        numeric = np.array([is_finite_number(word) for word in values.words], dtype=bool)
        foreign = np.array([FOREIGN_NUMBER.fullmatch(word) is not None for word in values.words], dtype=bool)
        known, total = counts[numeric].sum(), counts.sum()
        if counts[foreign | numeric].sum() > MIN_NUMERIC_SHARE * total > known:
            wrong = values.words[int(np.argmax(foreign))]
            problem = ": write numbers with a decimal point, without other commas and without %."
        elif not numeric.all() and known > MIN_NUMERIC_SHARE * total:
            wrong = next(word for word in values.words if not is_finite_number(word) and not is_missing(word))
            problem = (
                f", which is no number, while {known:,} of its {total:,} cells are: correct it, or write NA if it is "
                "missing."
            )
        else:
            continue
        line = _line_of(wrong, column, source, reading)
        raise FormatError.at(source.name, line, f"column {column!r} holds {shortened(wrong)}{problem}")


def _line_of(word: str, column: str, source: Source, reading: Reading) -> int:
    source.stream.seek(0)
    with _records(source, reading, least=2 if reading.labelled else 1) as (header, records):
        j = header.columns.index(column)
        return next(line for line, fields in records if fields[j].strip() == word)
