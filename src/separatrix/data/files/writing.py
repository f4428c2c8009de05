"""Write a file whole or not at all: the earlier file stays until all of the new one is on the disk."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

from separatrix.errors import naming


@contextmanager
def written(path: str | os.PathLike[str], binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file, of text or of bytes, that appears under its name only when it is whole.

    The earlier file of that name stays until the end, and for good if anything goes wrong, Ctrl-C included.

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
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "A folder has this name: give the name of a file", os.fspath(path))
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe, which must not be replaced
        with naming(os.fspath(path)), open(path, "w+b" if binary else "w", **how_to_encode(binary)) as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))  # of a link, what it points to
    draft = target.with_name(f".{target.name[:50]}.{secrets.token_hex(6)}.tmp")  # 255 bytes at most, 4 for a letter
    try:
        with explained(path, draft, target):
            with opened(draft, target, binary) as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(draft, target)
    finally:
        with suppress(OSError):
            draft.unlink()
    sync_folder(target.parent)


def how_to_encode(binary: bool) -> dict[str, Any]:
    """How text becomes bytes, which are left as they are."""
    return {} if binary else {"encoding": "utf-8", "newline": "\n"}


def opened(draft: Path, target: Path, binary: bool = False) -> IO[Any]:
    """A new file with the permissions of the target and, if allowed, its owner, so that nobody else can read it."""
    there = target.stat() if target.exists() else None
    mode = 0o666 if there is None else 0o600  # of which the umask takes its part, as for any new file
    opener = partial(os.open, mode=mode)
    stream = open(draft, "x+b" if binary else "x", opener=opener, **how_to_encode(binary))  # noqa: SIM115
    if there is not None:
        with suppress(OSError, AttributeError):  # only root can give a file away; Windows has no chown
            os.chown(draft, -1, there.st_gid)
            os.chown(draft, there.st_uid, -1)
        same_group = os.stat(draft).st_gid == there.st_gid
        with suppress(OSError):  # a disk without permissions
            os.chmod(draft, stat.S_IMODE(there.st_mode) & (~0 if same_group else ~stat.S_IRWXG))
    return stream


def sync_folder(folder: Path) -> None:
    """Wait until the name of a new file is on the disk, too, where the system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def explained(path: str | os.PathLike[str], draft: Path, target: Path) -> Iterator[None]:
    """Explain errors of the system for the file that the user named; errors of other files pass unchanged."""
    try:
        yield
    except OSError as problem:
        if problem.filename is not None and str(problem.filename) not in (str(draft), str(target)):
            raise
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
