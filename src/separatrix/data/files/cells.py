"""The cells of some rows of a text file, a column at a time: as they are written, as numbers, as words.

Small files and broken ones are read by Python's csv module. The rows of large files are found in their bytes by
compiled loops, up to one that is odd: that one and all below it are left to the csv module, which knows the whole
format and says what is wrong.
"""

import io
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np

from separatrix.compiling import informed_numba, loaded
from separatrix.data.files.cell_bounds import COMPLETE, DOUBLED, Bounds, find_cells, parsed_numbers
from separatrix.data.files.number_style import NumberStyle
from separatrix.data.files.opening import SAMPLE_BYTES, Opening
from separatrix.data.files.records import rows, text_lines
from separatrix.data.files.source import Source, not_utf8
from separatrix.data.prepare.columns import Words

MIN_BYTES_FOR_LOOPS = 3 * 2**17  # below, the csv module is fast enough
MIN_BYTES_FOR_IMPORT = 2**24  # below, importing numba takes longer than the csv module
BYTES_PER_CHUNK = 2**18
CELLS_PER_CALL = 2**16  # whose text stays in the cache while its columns are read


class Cells(Protocol):
    """Some rows of a file."""

    @property
    def lines(self) -> np.ndarray:
        """The line on which each row begins."""

    def texts(self, column: int) -> Sequence[str]:
        """The cells of a column as they are written."""

    def numbers(self, column: int, style: NumberStyle, truth: bool) -> tuple[np.ndarray, list[str]]:
        """The cells of a column as numbers, and the different ones that are none."""


class ListedCells(NamedTuple):
    """Rows that are lists of texts."""

    lines: np.ndarray
    rows: list[list[str]]

    def texts(self, column: int) -> Sequence[str]:
        """The cells of a column as they are written."""
        return [row[column] for row in self.rows]

    def numbers(self, column: int, style: NumberStyle, truth: bool) -> tuple[np.ndarray, list[str]]:
        """The cells of a column as numbers, and the different ones that are none."""
        return style.values(self.texts(column), truth)


class CellsInBytes(NamedTuple):
    """Rows by the places of their cells in UTF-8 text."""

    lines: np.ndarray
    content: bytes
    starts: np.ndarray
    ends: np.ndarray
    kinds: np.ndarray

    def texts(self, column: int, places: Any = slice(None)) -> Sequence[str]:
        """The cells of a column as they are written, or those of some rows."""
        starts, ends = self.starts[places, column].tolist(), self.ends[places, column].tolist()
        content = self.content
        found: dict[bytes, str] = {}
        cells = [content[start:end] for start, end in zip(starts, ends, strict=True)]
        for cell in set(cells):
            found[cell] = cell.decode("utf-8")
        texts = [found[cell] for cell in cells]
        if (self.kinds[places, column] == DOUBLED).any():
            doubled = (self.kinds[places, column] == DOUBLED).tolist()
            texts = [text.replace('""', '"') if own else text for text, own in zip(texts, doubled, strict=True)]
        return texts

    def numbers(self, column: int, style: NumberStyle, truth: bool) -> tuple[np.ndarray, list[str]]:
        """The cells of a column as numbers, and the different ones that are none."""
        thousands = style.thousands if style.thousands.isascii() else ""
        text = np.frombuffer(self.content, dtype=np.uint8)
        bounds = np.ascontiguousarray(self.starts[:, column]), np.ascontiguousarray(self.ends[:, column])
        numbers, left = parsed_numbers(text, bounds, style.decimal, thousands)
        if not left.size:
            return numbers, []
        numbers[left], strange = style.values(self.texts(column, left), truth)
        return numbers, strange


def as_words(texts: Sequence[str], style: NumberStyle, known: frozenset[str] = frozenset()) -> Words:
    """Cells as words without blanks around them; spellings of missing are missing, but for known words."""
    plain = {cell: cell.strip() for cell in set(texts)}
    words = {cell: None if style.is_missing(word) and word not in known else word for cell, word in plain.items()}
    return Words.of(words[cell] for cell in texts)


def cells_of(source: Source, opening: Opening, rows_per_block: int, rows_per_call: int = 0) -> Iterator[Cells]:
    """The rows below the names of the columns, at most so many at a time; compiled loops may take more in a call."""
    pending, line = opening.pending, opening.next_line
    if len(pending) >= SAMPLE_BYTES // 2:  # there is more than a sample
        pending += source.stream.read(SAMPLE_BYTES)
    by_loops = opening.delimiter.isascii() and opening.style.decimal.isascii()
    if len(pending) >= MIN_BYTES_FOR_LOOPS and by_loops and has_loops(source.stream):
        found = RowsInBytes(source.stream, pending, line, opening, rows_per_call or rows_per_block)
        yield from found
        pending, line = found.pending, found.line
    yield from listed_cells(source, opening, pending, line, rows_per_block)


def has_loops(stream: Any) -> bool:
    """Whether compiled loops are there: numba is imported, or the file is worth importing it."""
    size = 0
    if isinstance(stream, io.BytesIO):
        size = stream.getbuffer().nbytes
    elif isinstance(stream, io.BufferedReader) and isinstance(stream.raw, io.FileIO):
        size = os.fstat(stream.fileno()).st_size
    return (loaded() or size >= MIN_BYTES_FOR_IMPORT) and informed_numba() is not None


def load_loops(size: int) -> None:
    """Have compiled loops at hand for so many bytes that come in parts, if they are worth importing numba."""
    if size >= MIN_BYTES_FOR_IMPORT:
        informed_numba()


def listed_cells(source: Source, opening: Opening, pending: bytes, line: int, rows_per_block: int) -> Iterator[Cells]:
    """Rows as the csv module reads them."""
    lines = text_lines(pending, source.stream, source.name, line)
    records = rows(lines, source.name, opening.delimiter, line, len(opening.columns))
    try:
        while block := list(islice(records, rows_per_block)):
            yield ListedCells(np.array([line for line, _ in block]), [cells for _, cells in block])
    except UnicodeDecodeError as error:
        raise not_utf8(source.stream, source.name, error) from error


class RowsInBytes:
    """Rows that compiled loops find in the bytes of a stream, up to an odd one; then `pending` and `line` say where.

    Parameters
    ----------
    stream : binary stream
        What follows `pending`.
    pending : bytes
        The first bytes.
    line : int
        The number of their first line.
    opening : Opening
        The delimiter and the columns.
    n_rows : int
        How many rows come at a time, at most.
    """

    def __init__(self, stream: Any, pending: bytes, line: int, opening: Opening, n_rows: int) -> None:
        self.stream, self.pending, self.line = stream, pending, line
        self.delimiter, self.n_columns = ord(opening.delimiter), len(opening.columns)
        self.n_rows = max(1, min(n_rows, CELLS_PER_CALL // self.n_columns))

    def __iter__(self) -> Iterator[Cells]:
        last = False
        while not last:
            more = self.stream.read(BYTES_PER_CHUNK)
            last = len(more) < BYTES_PER_CHUNK
            self.pending += more
            if not self.pending.isascii() and not is_utf8(self.pending, last):
                return
            state = COMPLETE
            at = 0
            while at < len(self.pending) and state == COMPLETE:
                cells, at, state, whole = self._next(at, last)
                if len(cells.lines):
                    yield cells
                if not whole:
                    break
            self.pending = self.pending[at:]
            if state != COMPLETE:
                return

    def _next(self, at: int, last: bool) -> tuple[CellsInBytes, int, int, bool]:
        """Some rows from a place on, the place after them, how the search ended, and whether all rows were found."""
        bounds = Bounds.empty(self.n_rows, self.n_columns)
        text = np.frombuffer(self.pending, dtype=np.uint8)
        n, at, self.line, state = find_cells(text, at, self.line, last, self.delimiter, bounds)
        starts, ends, kinds, lines = (own[:n] for own in bounds)
        return CellsInBytes(lines, self.pending, starts, ends, kinds), at, state, n == self.n_rows


def is_utf8(content: bytes, whole: bool) -> bool:
    """Whether bytes are UTF-8, perhaps cut within their last character."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return not whole and error.start >= len(content) - 3
    return True
