"""Read a file of any kind and any length a block of rows at a time, its columns numbers or words.

What kind a column is may be given: the one that a model was fitted with. Otherwise a column is of words if any cell of
it is neither a number nor missing, unless nearly all are numbers: then that cell is a mistake, and said to be one.
Words for what is missing, such as N/A, are words where no cell is a number.
"""

import io
import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from separatrix.data.files.delimited import (
    MISSING_WORDS,
    Record,
    checked_labels,
    filled,
    floats,
    header_and_records,
    is_missing,
    not_a_number,
    not_utf8,
    shortened,
    text_lines,
)
from separatrix.data.files.reading import (
    COLUMNAR,
    DELIMITED,
    SVMLIGHT,
    SVMLIGHT_LINE,
    UNKNOWN,
    columnar_batches,
    columnar_columns,
    columnar_names,
)
from separatrix.data.files.source import kept, source
from separatrix.data.files.svmlight import read_indexed, svmlight_blocks
from separatrix.data.prepare.columns import Column, Columns, Words, below, beside
from separatrix.data.prepare.frames import frame_columns, frame_labels
from separatrix.data.table import find_column, is_finite_number, labels_from_text
from separatrix.errors import DataError, FormatError, OptionError

ROWS = 4096
MOSTLY = 0.9  # numbers among the cells of a column: the others are mistakes
# numbers to people, not to programs: 52,5 and 1,105.2 and 5 %
FOREIGN_NUMBER = re.compile(r"[+-]?\d+(,\d+)+(\.\d+)?|[+-]?\d{1,3}(\.\d{3})+,\d+|[+-]?\d+([.,]\d+)?\s*%")


class Block(NamedTuple):
    """Some rows: columns or a sparse matrix, and their labels if the file has them."""

    X: Any
    labels: Any


class Raw(NamedTuple):
    """A whole file: columns or a sparse matrix, labels, the name of the column that held them, and the first index."""

    X: Any
    labels: np.ndarray
    target: str
    name: str
    first: int | None = None  # where the indices of LIBSVM text count from


class NotNumbersError(Exception):
    """Columns taken for numbers hold words."""

    def __init__(self, columns: list[str]) -> None:
        super().__init__(columns)
        self.columns = columns


def read_columns(
    path: str | os.PathLike[str],
    target: str | int | None = None,
    delimiter: str | None = None,
    *,
    words: frozenset[str] = frozenset(),
    first: int | None = None,
) -> Raw:
    r"""Read a whole file as columns of numbers and of words.

    Parameters
    ----------
    path : path, or "-" for the standard input
        Delimited text with a header, LIBSVM text, Parquet, Arrow or Feather.
    target : str or int, optional
        The column that holds the labels: its name, or its number counted from 0; the last one by default.
    delimiter : str, optional
        What separates the cells of delimited text; guessed by default.
    words : frozenset of str
        Columns that are of words whatever they hold.
    first : {0, 1}, optional
        Where the indices of LIBSVM text count from; guessed by default.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "people.csv")
    ...     _ = file.write_text("age,sex,ill\n30,f,no\n,m,yes\n")
    ...     raw = read_columns(file, "ill")
    >>> raw.X, raw.labels.tolist()
    (Columns(2 rows: 1 column of numbers, 1 of words), ['no', 'yes'])
    """
    with source(path) as (stream, name):
        kind = kind_of(stream, name)
        if kind == "columnar":
            return _whole_columnar(path, name, target, words)
        content = stream if os.fspath(path) != "-" else kept(stream)
        if kind == "svmlight":
            _no_target(target, name)
            table, first = read_indexed(content, first=first)
            return Raw(table.X, table.labels, "", name, first)
        return _whole_delimited(content, name, target, delimiter, words)


def stream_blocks(
    path: str | os.PathLike[str],
    kinds: Mapping[str, str],
    target: str | None = None,
    delimiter: str | None = None,
    rows: int = ROWS,
    first: int | None = None,
) -> Iterator[Block]:
    r"""Read a file a block of rows at a time, its columns of the kinds that a model knows.

    Parameters
    ----------
    path : path, or "-" for the standard input
        As for `read_columns`.
    kinds : mapping of name to "number" or "text"
        What the columns are; others are read as text. For LIBSVM text only their number matters.
    target : str or None
        The column that holds the labels, if there is one.
    delimiter : str, optional
        As for `read_columns`.
    rows : int
        How many rows a block has, at most.
    first : {0, 1}, optional
        As for `read_columns`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "people.csv")
    ...     _ = file.write_text("age\n30\n40\n50\n")
    ...     [len(block.X) for block in stream_blocks(file, {"age": "number"}, rows=2)]
    [2, 1]
    """
    with source(path) as (stream, name):
        kind = kind_of(stream, name)
        if kind == "svmlight":
            for X, labels in svmlight_blocks(stream, name, len(kinds), first=first):
                yield Block(X, labels)
        elif kind == "columnar":
            words = {column for column, kind in kinds.items() if kind == "text"}
            for frame in columnar_batches(path, rows):
                columns = frame_columns(frame, words)
                yield Block(columns.without(target), _known_labels(frame, target, columns))
        else:
            yield from delimited_blocks(stream, name, kinds, target, delimiter, rows)


def _known_labels(frame: Any, target: str | None, columns: Columns) -> Any:
    """The labels of a frame that is to be predicted, if all are there."""
    try:
        return frame_labels(frame, str(target)) if target in columns.names else None
    except DataError:
        return None


def kind_of(stream: Any, name: str) -> str:
    """What kind of file this is: by its extension, else by its first line."""
    extension = Path(name).suffix.lower()
    if extension in COLUMNAR:
        return "columnar"
    if extension in UNKNOWN:
        raise FormatError(f"{name}: {extension} files are not read. Save the table as CSV or Parquet.")
    if extension in SVMLIGHT or (extension not in DELIMITED and _looks_like_svmlight(stream)):
        return "svmlight"
    return "delimited"


def _looks_like_svmlight(stream: Any) -> bool:
    beginning = stream.peek(2**16) if hasattr(stream, "peek") else b""
    for line in beginning.splitlines():
        text = line.removeprefix(b"\xef\xbb\xbf").strip()
        if text and not text.startswith(b"#"):
            return SVMLIGHT_LINE.match(text) is not None
    return False


def _no_target(target: str | int | None, name: str) -> None:
    if target is not None:
        raise OptionError(
            f"{name} is LIBSVM text, which has its labels in front and no column names. Got the target {target!r}: "
            "leave it out."
        )


def delimited_blocks(
    stream: IO[bytes],
    name: str,
    kinds: Mapping[str, str] | None,
    target: str | None,
    delimiter: str | None = None,
    rows: int = ROWS,
    words: frozenset[str] = frozenset(),
) -> Iterator[Block]:
    """Rows of delimited text; without kinds, columns are of numbers unless they are among the words."""
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    try:
        columns, _, records = header_and_records(text_lines(text, name), name, delimiter, least=1)
        chosen = columns.index(target) if target in columns else None
        while block := list(islice(records, rows)):
            cells = list(zip(*(fields for _, fields in block), strict=True))
            labels = None if chosen is None else _labels(cells[chosen], block, name, columns[chosen], kinds)
            yield Block(_block_columns(cells, block, name, columns, kinds, words, chosen), labels)
    except UnicodeDecodeError as error:
        raise not_utf8(name if os.path.exists(name) else stream, name, error) from error
    finally:
        text.detach()  # or the stream would be closed with it


def _labels(
    cells: tuple[str, ...], block: list[Record], name: str, column: str, kinds: Mapping[str, str] | None
) -> list[Any]:
    """The labels; a missing one is an error, unless a model is there to tell it: then it is None."""
    if kinds is None:
        return checked_labels(cells, block, name, column)
    return [None if cell.strip() in MISSING_WORDS else cell.strip() for cell in cells]


def _block_columns(
    cells: list[tuple[str, ...]],
    block: list[Record],
    name: str,
    columns: list[str],
    kinds: Mapping[str, str] | None,
    words: frozenset[str],
    chosen: int | None,
) -> Columns:
    """The columns of a block but that of the labels."""
    names: list[str] = []
    values: list[Column] = []
    failed: list[str] = []
    for j, column in enumerate(columns):
        if j == chosen:
            continue
        names.append(column)
        if column in words or (kinds is not None and kinds.get(column) != "number"):
            stripped = (cell.strip() for cell in cells[j])
            values.append(Words.of(None if cell in MISSING_WORDS else cell for cell in stripped))
            continue
        try:
            values.append(_numbers(cells[j]))
        except ValueError as error:
            if kinds is not None:
                raise not_a_number(filled(cells[j]), block, name, column) from error
            failed.append(column)
    if failed:
        raise NotNumbersError(failed)
    return Columns(tuple(names), tuple(values), len(block))


def _numbers(cells: tuple[str, ...]) -> np.ndarray:
    try:
        return floats(cells)
    except ValueError:
        return floats(filled(cells))


def _whole_delimited(
    stream: Any, name: str, target: str | int | None, delimiter: str | None, known: frozenset[str]
) -> Raw:
    """All rows; a column that turns out to be of words is read again from the start."""
    column = _target_name(stream, name, target, delimiter)
    words = known
    while True:
        stream.seek(0)
        try:
            blocks = list(delimited_blocks(stream, name, None, column, delimiter, words=words))
            _some_numbers(blocks)
            break
        except NotNumbersError as found:
            words |= frozenset(found.columns)
    if not blocks:
        raise FormatError(f"{name}: there are no rows below the header: add at least one.")
    texts = [label for block in blocks for label in block.labels]
    labels = labels_from_text(texts, apart=True)
    labels = np.array(texts) if labels.dtype.kind == "f" else labels  # 0.5 and 1.5 are names of classes here
    parts = [block.X for block in blocks]
    blocks.clear()
    X = below(parts)
    _no_typing_errors(X, stream, name, delimiter, known)
    return Raw(X, labels, column, name)


def _some_numbers(blocks: list[Block]) -> None:
    """Refuse columns taken for numbers of which there is not one: what they hold may be words."""
    empty = [
        column
        for j, column in enumerate(blocks[0].X.names if blocks else ())
        if all(not isinstance(block.X.values[j], Words) and np.isnan(block.X.values[j]).all() for block in blocks)
    ]
    if empty:
        raise NotNumbersError(empty)


def _target_name(stream: Any, name: str, target: str | int | None, delimiter: str | None) -> str:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    try:
        columns, line, _ = header_and_records(text_lines(text, name), name, delimiter)
        return columns[find_column(columns, -1 if target is None else target)]
    except UnicodeDecodeError as error:
        raise not_utf8(name if os.path.exists(name) else stream, name, error) from error
    except FormatError:
        raise
    except DataError as error:
        raise FormatError.at(name, line, str(error)) from error
    finally:
        text.detach()


def _no_typing_errors(X: Columns, stream: Any, name: str, delimiter: str | None, known: frozenset[str]) -> None:
    """Refuse a column of words nearly all of which are numbers, naming the first that is not."""
    for column, values in zip(X.names, X.values, strict=True):
        if not isinstance(values, Words) or column in known:
            continue
        numeric = np.array([is_finite_number(word) for word in values.words], dtype=bool)
        counts = values.counts
        foreign = np.array([FOREIGN_NUMBER.fullmatch(word) is not None for word in values.words], dtype=bool)
        if counts[foreign | numeric].sum() > MOSTLY * counts.sum() > counts[numeric].sum():
            wrong = values.words[int(np.argmax(foreign))]
            line = _line_of(wrong, column, stream, name, delimiter)
            advice = "write numbers with a decimal point, without other commas and without %."
            raise FormatError.at(name, line, f"column {column!r} holds {shortened(wrong)}: {advice}")
        if not numeric.all() and counts[numeric].sum() > MOSTLY * counts.sum():
            wrong = next(word for word in values.words if not is_finite_number(word) and not is_missing(word))
            raise FormatError.at(
                name,
                _line_of(wrong, column, stream, name, delimiter),
                f"column {column!r} holds {shortened(wrong)}, which is no number, while {counts[numeric].sum():,} of "
                f"its {counts.sum():,} cells are: correct it, or write NA if it is missing.",
            )


def _line_of(word: str, column: str, stream: Any, name: str, delimiter: str | None) -> int:
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    try:
        columns, _, records = header_and_records(text_lines(text, name), name, delimiter)
        j = columns.index(column)
        return next(line for line, fields in records if fields[j].strip() == word)
    finally:
        text.detach()


def _whole_columnar(path: Any, name: str, target: str | int | None, words: frozenset[str]) -> Raw:
    names = columnar_names(path)
    chosen = find_column(names, -1 if target is None else target)
    if len(names) == 1:
        raise DataError(f"{name}: {names[0]!r} is the only column: add at least one column of numbers or words.")
    parts, labels = [], np.zeros(0)
    for j, frame in enumerate(columnar_columns(path)):
        if j == chosen:
            labels = frame_labels(frame, names[j])
        else:
            (values,) = frame_columns(frame, words).values  # as a copy, so that Arrow's memory serves the next column
            parts.append(Columns((names[j],), (values if isinstance(values, Words) else values.copy(),), len(frame)))
    if not len(labels):
        raise FormatError(f"{name}: the table has no rows: add at least one.")
    return Raw(beside(parts), labels, names[chosen], name)
