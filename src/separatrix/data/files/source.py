"""Where rows are read from: a file, the standard input, which is given as "-", or an open file; and its format.

The extension says which format it is, and whether the file is compressed. Where that leaves it open, the first line
that is neither blank nor a comment does: it is LIBSVM text if it looks like that, and delimited text if not. Text in
another encoding than UTF-8 is converted to it.
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

from separatrix.data.files.compressed import COMPRESSED, decompressed
from separatrix.data.files.number_style import MISSING, NumberStyle
from separatrix.errors import FormatError, OptionError, naming, option

Readable: TypeAlias = str | os.PathLike[str] | IO[bytes] | IO[str]
Format = Literal["delimited", "svmlight", "columnar", "spreadsheet"]

STDIN = "<stdin>"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
WIDE_MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
EXTENSIONS: Mapping[str, Format] = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "delimited"),
    **dict.fromkeys((".svm", ".libsvm", ".svmlight"), "svmlight"),
    **dict.fromkeys((".parquet", ".arrow", ".feather"), "columnar"),
    **dict.fromkeys((".xlsx", ".xlsm"), "spreadsheet"),
}
NOT_READ = frozenset({".xls", ".ods", ".json", ".npy", ".npz", ".pkl", ".7z", ".rar", ".zst"})
# A label, then a first index:value; commas and the like would make it a line of a delimited file.
SVMLIGHT_LINE = re.compile(rb"\s*[^\s:,;|]+\s+(?:[+-]?\d+|qid):[^\s,;|]*(?:\s|$)")


class Source(NamedTuple):
    """A file open for bytes, its name for messages, its format, and what was done to open it."""

    stream: Any
    name: str
    format: Format
    notes: tuple[str, ...] = ()


class Dialect(NamedTuple):
    """How delimited text is written; what is None is found in the file.

    `missing` are words for missing values beside the usual ones, and `header` is whether the first line has the names
    of the columns.
    """

    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()
    header: bool | None = None

    @property
    def style(self) -> NumberStyle:
        """How numbers are written, "" where that is to be found."""
        words = frozenset(word.strip().lower() for word in self.missing)
        return NumberStyle(self.decimal or "", self.thousands or "", MISSING | words)


class Reading(NamedTuple):
    """How to read a source.

    `kinds` says which columns are known to hold numbers, words or dates, and `others` what the remaining ones hold;
    "guess": numbers, unless a cell is neither a number nor missing; "either": the same for each block by itself. In
    columnar files the type of a column says that, and "number" refuses any other type. `labelled`: the labels must be
    there, in the last column by default; otherwise they may be. `first_index` is where the indices of LIBSVM text count
    from, 0 or 1.

    Columns in `drop` are no features, nor are those in `carry`, whose cells come with the rows as they are written;
    "all" carries every column, features among them. `weights` names the column with the weights of the rows. `known`
    has, for columns of words, spellings of missing values that are words there.
    """

    target: str | int | None = None
    dialect: Dialect = Dialect()
    kinds: Mapping[str, str] = {}
    others: Literal["number", "text", "guess", "either"] = "guess"
    labelled: bool = True
    rows_per_block: int = 1024  # the cells of so many rows of text stay in the cache
    first_index: int | None = None
    n_features: int | None = None
    drop: tuple[str | int, ...] = ()
    carry: tuple[str | int, ...] | Literal["all"] = ()
    weights: str | int | None = None
    known: Mapping[str, frozenset[str]] = {}


class Block(NamedTuple):
    """Rows of a source, some or all: columns or a sparse matrix, their labels if there are any, and where from."""

    X: Any
    labels: Any
    target: str = ""  # the column that held the labels
    name: str = ""
    first_index: int | None = None  # where the indices of LIBSVM text count from
    lines: Any = None  # on which line of the file each row begins, where it has lines
    carried: Any = None  # columns that are no features, as they are written
    weights: Any = None
    skipped: int = 0  # rows without a label
    notes: tuple[str, ...] = ()  # what was recognised or left out, for people


@contextmanager
def opened(path: Readable, rewindable: bool = False, encoding: str | None = None) -> Iterator[Source]:
    """Open a source for bytes; one that can be rewound is read into memory where it is a pipe."""
    if not isinstance(path, (str, os.PathLike)):
        name = getattr(path, "name", None)
        name = name if isinstance(name, str) else "<stream>"
        yield _source(io.BytesIO(_content(path, name)), name, encoding)
        return
    name = STDIN if os.fspath(path) == "-" else os.fspath(path)
    with naming(name):
        if name == STDIN:
            stream = _standard_input()
            yield _source(io.BytesIO(stream.read()) if rewindable else stream, name, encoding)
            return
        with open(path, "rb") as stream:
            kept = stream if stream.seekable() or not rewindable else io.BytesIO(stream.read())
            yield _source(kept, name, encoding)


def _source(stream: Any, name: str, encoding: str | None) -> Source:
    inner = name
    if Path(name).suffix.lower() in COMPRESSED:
        stream, inner = decompressed(stream, name)
    extension = Path(inner).suffix.lower()
    if extension in NOT_READ:
        raise FormatError(f"{name}: {extension} files are not read. Save the table as CSV or Parquet.")
    known = EXTENSIONS.get(extension)
    notes: tuple[str, ...] = ()
    if known in (None, "delimited"):
        stream, notes = as_utf8(stream, name, encoding)
    if known is None:
        known = "svmlight" if SVMLIGHT_LINE.match(_first_line(stream)) else "delimited"
    if known == "columnar" and inner != name:
        stream = io.BytesIO(stream.read())
    return Source(stream, name, known, notes)


def as_utf8(stream: Any, name: str, encoding: str | None) -> tuple[Any, tuple[str, ...]]:
    """The bytes of a text in UTF-8, and what was found; a byte order mark says that it is UTF-16 or UTF-32."""
    found = encoding
    if encoding is None:
        start = stream.peek(4)[:4] if hasattr(stream, "peek") else stream.getbuffer()[:4].tobytes()
        found = next((wide for mark, wide in WIDE_MARKS.items() if start.startswith(mark)), None)
    if found is None or found.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig"):
        return stream, ()
    try:
        text = stream.read().decode(found)
    except LookupError:
        raise OptionError(
            f"{option('encoding', encoding)} is no encoding that Python knows. Say utf-8, utf-16, latin-1, cp1252, "
            "cp1251, shift_jis, gb18030, ..."
        ) from None
    except UnicodeError as error:
        raise FormatError(
            f"{name}: the text is not in {found} ({error}). Say {option('encoding')} which it is."
        ) from None
    notes = () if encoding else (f"the text is in {found.upper()}",)
    return io.BytesIO(text.removeprefix("\ufeff").encode("utf-8", "surrogatepass")), notes


def _first_line(stream: Any) -> bytes:
    """The first line that is neither blank nor a comment; the position in the stream does not change."""
    start = stream.tell() if stream.seekable() else None
    lines = stream.peek(2**16).splitlines() if start is None else iter(stream.readline, b"")
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
    advice = f"Say {option('encoding')} in which encoding it is, such as latin-1 or cp1252, or save it as UTF-8 text."
    problem = f"the byte 0x{error.object[error.start]:02x} is not UTF-8. {advice}"
    if not isinstance(stream, io.BufferedReader) or not stream.seekable():
        return FormatError(f"{name}: {problem}")
    stream.seek(0)  # text is decoded ahead of the line that is read, so the line has to be counted again
    number = next((i for i, line in enumerate(stream, start=1) if line.decode("utf-8", "ignore").encode() != line), 1)
    return FormatError.at(name, number, problem)
