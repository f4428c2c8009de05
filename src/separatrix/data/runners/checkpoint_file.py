"""A file of the results of passes: a zip archive of one `.npz` for each, which `numpy.load` reads too.

The archive has the names `question`, then `pass_0000.npz` and so on. A pass is added by writing all of the file anew
under another name, which then replaces it: what stands under the name is whole at any time.
"""

import io
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.data.files.writing import written
from separatrix.data.runners.plain_values import DamagedError, UnstorableError, put_together, taken_apart
from separatrix.errors import FormatError, OptionError
from separatrix.version import __version__

FORMAT = "separatrix checkpoint 1"


class CheckpointFile:
    """The passes that a file holds.

    Parameters
    ----------
    path : path
        Where the file is, or will be.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.question, self.n_passes = "", 0
        if self.path.exists() and not self.path.is_file():
            raise OptionError(f"A checkpoint is a file, and {self.path} is a folder or a device. Name another place.")
        if self.path.exists():
            lines = self.member("question").decode("utf-8", "replace").splitlines()
            if len(lines) != 2 or lines[0] != self.heading:
                raise FormatError(
                    f"{self.path} is the checkpoint of {lines[0] if lines else 'nothing'!r:.80}, and this is "
                    f"{self.heading!r}. Delete the file, or name another one."
                )
            self.question = lines[1]
            with zipfile.ZipFile(self.path) as archive:
                self.n_passes = len(archive.namelist()) - 1

    @property
    def heading(self) -> str:
        """What the file says it is: results of another version may have other bits."""
        return f"{FORMAT} of version {__version__}"

    def begin(self, question: str) -> None:
        """Write a file without passes."""
        with written(self.path, binary=True) as stream, zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("question", f"{self.heading}\n{question}")
        self.question = question

    def read(self, place: int) -> tuple[str, bool, Any]:
        """What pass number `place` asked, whether its result is there, and the result."""
        try:
            with np.load(io.BytesIO(self.member(name_of(place))), allow_pickle=False) as content:
                asked, stored, text = (str(content[name][()]) for name in ("asked", "stored", "text"))
                arrays = [content[f"array_{j}"] for j in range(len(content.files) - 3)]
            return asked, stored == "True", put_together(text, arrays)
        except (DamagedError, OSError, ValueError, KeyError) as problem:
            raise self.damaged(problem) from None

    def add(self, asked: str, result: Any) -> Any:
        """Store the result of the next pass, unless it has no plain form; returned is what reading it would give."""
        try:
            text, arrays = taken_apart(result)
            stored, result = True, put_together(text, [np.load(io.BytesIO(npy(each))) for each in arrays])
        except UnstorableError:
            stored, text, arrays = False, "null", []
        content = io.BytesIO()
        named: dict[str, Any] = {f"array_{j}": each for j, each in enumerate(arrays)}
        np.savez(content, asked=asked, stored=str(stored), text=text, **named)
        with written(self.path, binary=True) as stream:
            with open(self.path, "rb") as before:
                shutil.copyfileobj(before, stream)
            with zipfile.ZipFile(stream, "a") as archive:
                archive.writestr(name_of(self.n_passes), content.getvalue())
        self.n_passes += 1
        return result

    def member(self, name: str) -> bytes:
        """One part of the archive."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                return archive.read(name)
        except (zipfile.BadZipFile, KeyError, EOFError, zipfile.zlib.error) as problem:  # type: ignore[attr-defined]
            raise self.damaged(problem) from None

    def damaged(self, problem: Exception) -> FormatError:
        """Say that the file is not what it should be."""
        return FormatError(f"{self.path} is no checkpoint, or is damaged: {problem}. Delete it, or name another file.")


def name_of(place: int) -> str:
    """The name of a pass in the archive."""
    return f"pass_{place:04}.npz"


def npy(array: np.ndarray) -> bytes:
    """An array as a file has it, in its order in memory."""
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue()
