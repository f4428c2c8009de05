"""Where rows are read from: a file, the standard input, which is given as "-", or an open file; and its format.

The extension says which format it is. Where that leaves it open, the first line that is neither blank nor a comment
does: it is LIBSVM text if it looks like that, and delimited text with a header if not.
"""

import errno
import io
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeAlias

from separatrix.errors import FormatError, naming

Readable: TypeAlias = str | os.PathLike[str] | IO[bytes] | IO[str]
Format = Literal["delimited", "svmlight", "columnar"]

STDIN = "<stdin>"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
EXTENSIONS: Mapping[str, Format] = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "delimited"),
    **dict.fromkeys((".svm", ".libsvm", ".svmlight"), "svmlight"),
    **dict.fromkeys((".parquet", ".arrow", ".feather"), "columnar"),
}
NOT_READ = frozenset({".xlsx", ".xls", ".ods", ".json", ".npy", ".npz", ".pkl", ".zip", ".gz", ".bz2", ".xz"})
# A label, then a first index:value; commas and the like would make it a line of a delimited file.
SVMLIGHT_LINE = re.compile(rb"\s*[^\s:,;|]+\s+(?:[+-]?\d+|qid):[^\s,;|]*(?:\s|$)")


class Source(NamedTuple):
    """A file open for bytes, its name for messages, and its format."""

    stream: Any
    name: str
    format: Format


class Reading(NamedTuple):
    """How to read a source.

    `kinds` says which columns are known to hold numbers or words, and `others` what the remaining ones hold; "guess":
    numbers, unless a cell is neither a number nor missing. In columnar files the type of a column says that, and
    "number" refuses any other type. `labelled`: the labels must be there, in the last column by default; otherwise they
    may be. `first_index` is where the indices of LIBSVM text count from, 0 or 1.
    """

    target: str | int | None = None
    delimiter: str | None = None
    kinds: Mapping[str, str] = {}
    others: Literal["number", "text", "guess"] = "guess"
    labelled: bool = True
    rows_per_block: int = 1024  # the cells of so many rows of text stay in the cache
    first_index: int | None = None
    n_features: int | None = None


class Block(NamedTuple):
    """Rows of a source, some or all: columns or a sparse matrix, their labels if there are any, and where from."""

    X: Any
    labels: Any
    target: str = ""  # the column that held the labels
    name: str = ""
    first_index: int | None = None  # where the indices of LIBSVM text count from


@contextmanager
def opened(path: Readable, rewindable: bool = False) -> Iterator[Source]:
    """Open a source for bytes; one that can be rewound is read into memory where it is a pipe."""
    if not isinstance(path, (str, os.PathLike)):
        name = getattr(path, "name", None)
        name = name if isinstance(name, str) else "<stream>"
        yield _source(io.BytesIO(_content(path, name)), name)
        return
    name = STDIN if os.fspath(path) == "-" else os.fspath(path)
    with naming(name):
        if name == STDIN:
            stream = _standard_input()
            yield _source(io.BytesIO(stream.read()) if rewindable else stream, name)
            return
        with open(path, "rb") as stream:
            yield _source(stream if stream.seekable() or not rewindable else io.BytesIO(stream.read()), name)


def _source(stream: Any, name: str) -> Source:
    extension = Path(name).suffix.lower()
    if extension in NOT_READ:
        raise FormatError(f"{name}: {extension} files are not read. Save the table as CSV or Parquet.")
    by_first_line: Format = "delimited"
    if extension not in EXTENSIONS and SVMLIGHT_LINE.match(_first_line(stream)):
        by_first_line = "svmlight"
    return Source(stream, name, EXTENSIONS.get(extension, by_first_line))


def _first_line(stream: Any) -> bytes:
    """The first line that is neither blank nor a comment; the position in the stream does not change."""
    start = stream.tell() if stream.seekable() else None
    lines = stream.peek(2**16).splitlines() if start is None else stream
    stripped = (line.removeprefix(BYTE_ORDER_MARK).strip() for line in lines)
    found = next((line for line in stripped if line and not line.startswith(b"#")), b"")
    if start is not None:
        stream.seek(start)
    return found


def _standard_input() -> IO[bytes]:
    """The bytes of the standard input, which a process may have been started without."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "The standard input is closed: give the name of a file, or a pipe", STDIN)
    return sys.stdin.buffer


def _content(stream: IO[bytes] | IO[str], name: str) -> bytes:
    """The bytes of an open file, whose text becomes UTF-8."""
    try:
        content = stream.read()
    except UnicodeDecodeError as error:
        raise not_utf8(None, name, error) from error
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content


def not_utf8(stream: Any, name: str, error: UnicodeDecodeError) -> FormatError:
    """The error that names the first line that is not UTF-8, of a file on a disk."""
    advice = "Save the file as UTF-8 text (is it compressed, or in UTF-16 or Latin-1?)."
    problem = f"the byte 0x{error.object[error.start]:02x} is not UTF-8. {advice}"
    if not isinstance(stream, io.BufferedReader) or not stream.seekable():
        return FormatError(f"{name}: {problem}")
    stream.seek(0)  # text is decoded ahead of the line that is read, so the line has to be counted again
    number = next((i for i, line in enumerate(stream, start=1) if line.decode("utf-8", "ignore").encode() != line), 1)
    return FormatError.at(name, number, problem)
