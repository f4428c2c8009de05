"""Where rows are read from: a file, or the standard input, which is given as "-"."""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from separatrix.errors import naming

STDIN = "<stdin>"


@contextmanager
def source(path: str | os.PathLike[str]) -> Iterator[tuple[Any, str]]:
    """A file open for bytes whose beginning can be looked at, and its name for messages."""
    if os.fspath(path) == "-":
        with naming(STDIN):
            yield standard_input(), STDIN
        return
    with naming(os.fspath(path)), open(path, "rb") as stream:
        yield stream, os.fspath(path)


def standard_input() -> IO[bytes]:
    """The bytes of the standard input, which a process may have been started without."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "The standard input is closed: give the name of a file, or a pipe", STDIN)
    return sys.stdin.buffer


def kept(stream: IO[bytes]) -> Any:
    """The standard input, to be read more than once."""
    content: Any = io.BytesIO(stream.read())
    content.name = STDIN
    return content
