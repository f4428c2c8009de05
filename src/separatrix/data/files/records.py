"""Rows of cells of delimited text, by the csv module of Python, with the line on which each begins."""

import csv
import io
from collections.abc import Iterator
from typing import Any

from separatrix.errors import FormatError

Record = tuple[int, list[str]]


class Remaining(io.RawIOBase):
    """Bytes that were read already, then the stream that they came from."""

    def __init__(self, pending: bytes, stream: Any) -> None:
        super().__init__()
        self.pending, self.stream = memoryview(pending), stream

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes."""
        if not self.pending:
            content = self.stream.read(len(buffer))
            buffer[: len(content)] = content
            return len(content)
        size = min(len(buffer), len(self.pending))
        buffer[:size], self.pending = self.pending[:size], self.pending[size:]
        return size


def text_lines(pending: bytes, stream: Any, name: str, first: int) -> Iterator[str]:
    """Lines of UTF-8 text; what is no text is refused here, where the line is known."""
    text = io.TextIOWrapper(io.BufferedReader(Remaining(pending, stream)), encoding="utf-8", newline="")
    for number, line in enumerate(text, start=first):
        if "\0" in line:
            raise FormatError.at(name, number, "a NUL byte: this is no text file. Save it as UTF-8 text.")
        yield line


def rows(lines: Iterator[str], name: str, delimiter: str, first: int = 1, width: int = 0) -> Iterator[Record]:
    """Rows of cells with the line each one starts on, all as long as the first, or of the given width.

    >>> list(rows(iter(["a;b", "", "1;2"]), "file", ";"))
    [(1, ['a', 'b']), (3, ['1', '2'])]
    """
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + first
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
