"""Passes whose results are kept in a file, so that a fit whose process ended goes on from the last of them.

A fit asks the same passes in the same order if it has the same results, so those that the file has are answered from
it, and the next one is worked through. Each is asked by its number and a hash of its functions, w among what they
hold: a file of other rows or options is refused. The file holds numbers and names of classes, never code.
"""

import os
from collections.abc import Callable
from threading import Lock
from typing import Any

from separatrix.data.runners.checkpoint_file import CheckpointFile
from separatrix.data.runners.digest import digest
from separatrix.errors import DataError
from separatrix.problem.runner import LocalRunner, Runner


class CheckpointRunner:
    """A runner that keeps the result of each pass, and takes those that were kept before.

    Parameters
    ----------
    inner : Runner
        Who works through the blocks.
    path : path
        The file, made by the first pass.
    question : object
        What all passes are over, such as the source of the blocks.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from operator import add
    >>> from separatrix.data.runners import CheckpointRunner
    >>> from separatrix.problem.runner import LocalRunner
    >>> def square(block):
    ...     worked.append(block)
    ...     return block * block
    >>> worked = []
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "fit.checkpoint")
    ...     first = CheckpointRunner(LocalRunner(), file).run(square, add, 4)
    ...     again = CheckpointRunner(LocalRunner(), file).run(square, add, 4)
    >>> first, again, len(worked)
    (14, 14, 4)
    """

    def __init__(self, inner: Runner, path: str | os.PathLike[str], question: Any = None) -> None:
        self.inner, self.file, self.question = inner, CheckpointFile(path), digest(question)
        self.place, self.lock = 0, Lock()
        if self.file.question not in ("", self.question):
            raise self.refusal("its rows are others, or were changed since")

    def __reduce__(self) -> tuple[Any, ...]:
        return LocalRunner, ()  # on a worker, its own cores, without the file

    def run(self, task: Callable[[int], Any], merge: Callable[[Any, Any], Any], count: int) -> Any:
        """What a task makes of the blocks 0 to count - 1, merged as `Merger` does."""
        return self.kept(digest(("run", task, merge, count)), lambda: self.inner.run(task, merge, count))

    def in_order(self, task: Callable[[int, Any], Any], state: Any, count: int) -> Any:
        """What a task makes of a state, block by block."""
        asked = digest(("in order", task, state, count))
        return self.kept(asked, lambda: self.inner.in_order(task, state, count))

    def kept(self, asked: str, work: Callable[[], Any]) -> Any:
        """The result of the next pass, from the file or by work."""
        with self.lock:
            place, self.place = self.place, self.place + 1
            if place < self.file.n_passes:
                before, stored, result = self.file.read(place)
                if before != asked:
                    raise self.refusal(f"its pass {place + 1} is over other options or from other weights")
                return result if stored else work()
            if not self.file.question:
                self.file.begin(self.question)
            return self.file.add(asked, work())

    def refusal(self, reason: str) -> DataError:
        """Say that the file belongs to another fit."""
        return DataError(
            f"{self.file.path} is the checkpoint of another fit: {reason}. Give checkpoint= another name, or delete "
            "the file."
        )
