"""A bar on the terminal for the passes over blocks of rows: which pass it is, and how many blocks are done."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from separatrix.cli.terminal import Terminal
from separatrix.data.runners import DaskRunner
from separatrix.estimators.progress_line import is_terminal, no_progress_lines
from separatrix.problem.runner import LocalRunner, Runner


class ShownRunner:
    """A runner whose passes are shown, and the blocks of a pass that are done here or by the workers of a cluster.

    Parameters
    ----------
    inner : Runner
        Who works through the blocks.
    shown : function of int and int
        Called with the number of the pass, from 1, and how many blocks of how many are done.
    """

    def __init__(self, inner: Runner, shown: Callable[[int, int, int], None]) -> None:
        self.inner, self.shown, self.passes = inner, shown, 0
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return LocalRunner, ()  # elsewhere nothing is shown

    def run(self, task: Callable[[int], Any], merge: Callable[[Any, Any], Any], count: int) -> Any:
        """What a task makes of the blocks 0 to count - 1, merged as `Merger` does."""
        done = self._begun(count)
        if isinstance(self.inner, DaskRunner):
            return replace(self.inner, done=done).run(task, merge, count)

        def counting(block: int) -> Any:
            found = task(block)
            done(1)
            return found

        return self.inner.run(counting, merge, count)

    def in_order(self, task: Callable[[int, Any], Any], state: Any, count: int) -> Any:
        """What a task makes of a state, block by block."""
        done = self._begun(count)
        if isinstance(self.inner, DaskRunner):
            return replace(self.inner, done=done).in_order(task, state, count)

        def counting(block: int, before: Any) -> Any:
            after = task(block, before)
            done(1)
            return after

        return self.inner.in_order(counting, state, count)

    def _begun(self, count: int) -> Callable[[int], None]:
        """Show a new pass; returns what counts its blocks."""
        self.passes += 1
        number, blocks = self.passes, 0
        self.shown(number, 0, count)

        def done(more: int) -> None:
            nonlocal blocks
            with self._lock:
                blocks = min(count, blocks + more)  # a task whose worker died may be done twice
                self.shown(number, blocks, count)

        return done


@contextmanager
def shown_passes(inner: Runner) -> Iterator[Runner]:
    """A runner whose passes are a bar on the terminal while the context lasts; without a terminal, nothing is shown."""
    if not is_terminal(sys.stderr):
        yield inner
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("blocks"),
        TimeElapsedColumn(),
    )
    with no_progress_lines(), Progress(*columns, console=Terminal(stderr=True), transient=True) as progress:
        bar = progress.add_task("pass 1", total=None)

        def show(number: int, blocks: int, count: int) -> None:
            progress.update(bar, description=f"pass {number}", completed=blocks, total=count)

        yield ShownRunner(inner, show)
