"""A bar for searches that take more than a moment, on a terminal; or a function of the user's."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from separatrix.errors import OptionError
from separatrix.estimators.progress_line import PATIENCE, is_terminal, no_progress_lines

Report = Callable[[int, int], object]


@contextmanager
def shown_progress(progress: Any, title: str) -> Iterator[Report]:
    """What is told of the number of fits done and of all: a function, a bar, or nothing.

    A bar is shown where `progress` is True, and after two seconds on a terminal where it is None.
    """
    with no_progress_lines():
        if callable(progress):
            yield progress
        elif progress is False or (progress is None and not is_terminal(sys.stderr)):
            yield lambda done, total: None
        elif progress is None or progress is True:
            bar = Bar(title, 0.0 if progress else PATIENCE)
            try:
                yield bar.update
            finally:
                bar.end()
        else:
            raise OptionError(f"The 'progress' parameter must be a function, True, False or None. Got {progress!r}.")


class Bar:
    """A bar on the standard error that appears after some seconds, and vanishes at the end."""

    def __init__(self, title: str, patience: float) -> None:
        self.title, self.since = title, time.perf_counter() + patience
        self.bar: Any = None
        self.task: Any = None

    def update(self, done: int, total: int) -> None:
        """Move the bar."""
        if self.bar is None and time.perf_counter() >= self.since:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = BarColumn(bar_width=24), TextColumn("{task.description}", markup=False), TimeRemainingColumn()
            self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self.task = self.bar.add_task(self.title, total=total)
            self.bar.start()
        if self.bar is not None:
            words = f"{self.title}: {done:,} of {total:,} fits"
            self.bar.update(self.task, completed=done, total=total, description=words)

    def end(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()
