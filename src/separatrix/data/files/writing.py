"""Write a file whole or not at all: what was there stays until all of the new one is on the disk."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """Open a text file that appears under its name only when it is whole.

    Parameters
    ----------
    path : path
        Where to write. What is there stays until the end, and for good if anything goes wrong, Ctrl-C among it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from separatrix.data.files.writing import written
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "answer.txt")
    ...     with written(file) as stream:
    ...         _ = stream.write("42")
    ...     file.read_text()
    '42'
    """
    target = Path(os.path.realpath(path))  # of a link, what it points to
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "A folder has this name: give the name of a file", os.fspath(path))
    if target.exists() and not target.is_file():  # a device such as /dev/null, which must not be replaced
        with open(target, "w", encoding="utf-8") as stream:
            yield stream
        return
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        with explained(path):
            stream = open(draft, "x", encoding="utf-8", newline="\n")  # noqa: SIM115
        with stream:
            yield stream
            with explained(path):
                stream.flush()
                os.fsync(stream.fileno())
        with explained(path):
            if target.exists():
                os.chmod(draft, stat.S_IMODE(target.stat().st_mode))
            os.replace(draft, target)
    finally:
        with suppress(OSError):
            draft.unlink()
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the name of a new file is on the disk too, where the system can tell."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors of the system in words that are about the file that the user named."""
    try:
        yield
    except OSError as problem:
        folder = os.path.dirname(os.path.realpath(path))
        reasons = {
            errno.ENOENT: f"The folder {folder} does not exist: make it first",
            errno.ENOTDIR: f"{folder} is not a folder: choose another place",
            errno.EACCES: f"The folder {folder} must not be written to: choose another one",
            errno.EROFS: f"The disk of {folder} must not be written to: choose another one",
            errno.ENOSPC: "The disk is full: make room, or choose another one",
        }
        reason = reasons.get(problem.errno or 0, problem.strerror or "The file cannot be written")
        raise OSError(problem.errno, reason, os.fspath(path)) from None
