"""Write a file whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """Open a text file that appears under its name only when it is whole.

    Parameters
    ----------
    path : path
        Where to write. What is there stays until the end, and for good if anything goes wrong.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from separatrix.data.writing import written
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "answer.txt")
    ...     with written(file) as stream:
    ...         _ = stream.write("42")
    ...     file.read_text()
    '42'
    """
    target = Path(path)
    if not target.is_file() and target.exists():  # a device such as /dev/null, or a folder, which says so
        with open(target, "w", encoding="utf-8") as stream:
            yield stream
        return
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~mask)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
