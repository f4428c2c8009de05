"""A line on the terminal for a fit that takes long, so that nobody has to guess whether it is still at work."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Event, Thread
from time import perf_counter
from typing import Any, TextIO

PATIENCE = 2.0  # seconds without a word
INTERVAL = 0.5  # seconds from one line to the next

_shown: ContextVar[bool] = ContextVar("shown", default=False)  # whether progress of this work is shown already


@contextmanager
def progress_line(estimator: Any, problem: Any) -> Iterator[None]:
    """Say after two seconds what is fitted and for how long, on a terminal or where `verbose` asks for it.

    `problem.shape` says what, anew for each line. A fit that is part of a larger one says nothing.
    """
    stream, verbose = sys.stderr, bool(getattr(estimator, "verbose", False))
    if _shown.get() or not (verbose or is_terminal(stream)):
        yield
        return
    with no_progress_lines():
        ended, name = Event(), type(estimator).__name__
        how = (stream, lambda: f"{name}: {problem.shape}", ended, is_terminal(stream))
        thread = Thread(target=show, args=how, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


@contextmanager
def no_progress_lines() -> Iterator[None]:
    """Keep fits from showing lines, where their progress is shown in another way."""
    before = _shown.set(True)
    try:
        yield
    finally:
        _shown.reset(before)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person may be reading."""
    return stream is not None and not stream.closed and stream.isatty()


def show(stream: TextIO, title: Callable[[], str], ended: Event, in_place: bool) -> None:
    """Write the line, again and again; it is removed from a terminal at the end."""
    start, shown = perf_counter(), False
    wait = PATIENCE
    with suppress(OSError, ValueError):  # a stream that was closed meanwhile
        while not ended.wait(wait):
            line = f"{title()}, {perf_counter() - start:.0f} s so far"
            stream.write(f"\r{line}\033[K" if in_place else f"{line}\n")
            stream.flush()
            shown, wait = True, INTERVAL if in_place else 2.0 * wait
        if shown and in_place:
            stream.write("\r\033[K")
            stream.flush()
