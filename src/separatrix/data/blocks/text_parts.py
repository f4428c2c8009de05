"""Text files cut at ends of lines into parts that can be read by themselves; line ends in quotes are none.

A quote opens a cell where it follows a delimiter or an end of a line, and one inside of a quoted cell is written as two
(RFC 4180, 2005), so that a place is outside of quotes after an even number of them. Text that uses quotes otherwise is
not cut.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

QUOTE, LINE_END = 0x22, 0x0A


class Part(NamedTuple):
    """Bytes of a file, and the number of the line that they begin with."""

    path: str
    start: int
    stop: int
    line: int

    def content(self) -> bytes:
        """The bytes."""
        with open(self.path, "rb") as stream:
            stream.seek(self.start)
            return stream.read(self.stop - self.start)


def parts_of_text(path: str, start: int, line: int, size: int, delimiter: str | None) -> list[Part] | None:
    r"""Parts of about so many bytes, from a place on; None where quotes are used otherwise.

    Without a delimiter, quotes mean nothing.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     size = file.write(b'a,b\n1,"x\ny"\n')
    ...     file.flush()
    ...     [part[1:] for part in parts_of_text(file.name, 0, 1, 8, ",")]
    [(0, 4, 1), (4, 12, 2)]
    """
    found = []
    with open(path, "rb") as stream:
        for place, content in pieces(stream, start, max(1, size), delimiter is not None):
            if delimiter is not None and not well_quoted(content, delimiter):
                return None
            found.append(Part(path, place, place + len(content), line))
            line += content.count(b"\n")
    return found


def pieces(stream: Any, start: int, size: int, quoted: bool) -> Iterator[tuple[int, bytes]]:
    """Bytes that begin and end between two lines, and their places."""
    stream.seek(start)
    content, last = b"", False
    while not last:
        wanted = max(size, len(content))  # more and more, where no line ends
        more = stream.read(wanted)
        content, last = content + more, len(more) < wanted
        end = len(content) if last else last_line_end(content, quoted)
        if end:
            yield start, content[:end]
        start, content = start + end, content[end:]


def last_line_end(content: bytes, quoted: bool) -> int:
    """The place after the last line that ends outside of quotes; 0 where none does."""
    if not quoted or b'"' not in content:
        return content.rfind(b"\n") + 1
    text = np.frombuffer(content, dtype=np.uint8)
    ends, quotes = np.flatnonzero(text == LINE_END), np.flatnonzero(text == QUOTE)
    outside = ends[np.searchsorted(quotes, ends) % 2 == 0]
    return int(outside[-1]) + 1 if outside.size else 0


def well_quoted(content: bytes, delimiter: str) -> bool:
    """Whether every quote opens a cell, closes one, or is one of two inside of one."""
    if b'"' not in content:
        return True
    text = np.frombuffer(content, dtype=np.uint8)
    quotes = np.flatnonzero(text == QUOTE)
    if quotes.size % 2 or not delimiter.isascii():
        return False
    around = np.frombuffer(f'{delimiter}"\r\n'.encode("ascii"), dtype=np.uint8)
    opening, closing = quotes[0::2], quotes[1::2]
    before = np.isin(text[opening - 1], around) | (opening == 0)
    after = np.isin(text[np.minimum(closing + 1, text.size - 1)], around)
    return bool(before.all() and after.all())
