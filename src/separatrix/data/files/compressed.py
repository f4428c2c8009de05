"""Compressed files: .gz, .bz2, .xz, and .zip archives of one file. What is inside is read as if it were not."""

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from pathlib import PurePath
from typing import Any

from separatrix.errors import FormatError

COMPRESSED = frozenset({".gz", ".bz2", ".xz", ".zip"})
BROKEN = (EOFError, OSError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError)


def decompressed(stream: Any, name: str) -> tuple[Any, str]:
    """A stream of what a compressed file holds, and the name that tells its format.

    >>> inside, name = decompressed(io.BytesIO(gzip.compress(b"age,ill")), "patients.csv.gz")
    >>> inside.read(), name
    (b'age,ill', 'patients.csv')
    """
    extension = PurePath(name).suffix.lower()
    try:
        if extension == ".zip":
            inside, inner = only_member(stream, name)
        else:
            opener: Any = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}[extension]
            inside, inner = opener(stream, "rb"), name[: -len(extension)]
        inside.peek(1)
    except BROKEN as error:
        raise FormatError(f"{name}: no {extension} file that can be read: {' '.join(str(error).split())}.") from None
    return io.BufferedReader(Guarded(inside, name)), inner


def only_member(stream: Any, name: str) -> tuple[Any, str]:
    """The one file in an archive, hidden ones and folders apart."""
    seekable = stream if stream.seekable() else io.BytesIO(stream.read())
    archive = zipfile.ZipFile(seekable)
    names = [
        each
        for each in archive.namelist()
        if not each.endswith("/") and not each.startswith("__MACOSX/") and not PurePath(each).name.startswith(".")
    ]
    if len(names) != 1:
        shown = ", ".join(names[:5]) or "none"
        raise FormatError(f"{name}: an archive of one file is expected, and it holds {len(names)} ({shown}).")
    return archive.open(names[0]), names[0]


class Guarded(io.RawIOBase):
    """A decompressed stream whose errors name the file."""

    def __init__(self, inside: Any, name: str) -> None:
        super().__init__()
        self.inside, self.name = inside, name

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """Whether it can be read again."""
        return bool(self.inside.seekable())

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place."""
        return int(self.inside.seek(place, whence))

    def tell(self) -> int:
        """The place."""
        return int(self.inside.tell())

    def readinto(self, buffer: Any) -> int:
        """Read some bytes."""
        try:
            content = self.inside.read(len(buffer))
        except BROKEN as error:
            raise FormatError(f"{self.name}: the file is damaged: {' '.join(str(error).split())}.") from None
        buffer[: len(content)] = content
        return len(content)
