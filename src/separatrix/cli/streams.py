"""The standard output and error: how people and programs are answered, also where a stream is closed or full.

Text for people passes `write_answer`, `write_note` or, where rich lays it out, `Terminal`; labels for programs pass
`write_lines`.
"""

import errno
import io
import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from separatrix.errors import naming

OUTPUT = "the standard output"
INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, formats, surrogates, separators of lines
JOINERS = "\u200c\u200d"  # formats that letters of Persian and parts of emoji are written with


def visible(text: str, keep: str = "\n") -> str:
    r"""Text with escapes for what controls a terminal or cannot be seen, such as the direction of writing.

    The characters of `keep` stay as they are.

    Examples
    --------
    >>> from separatrix.cli.streams import visible
    >>> visible("\x1b[2J ill\r \u202eno")
    '\\x1b[2J ill\\r \\u202eno'
    """
    if text.isprintable():
        return text
    shown = (*keep, *JOINERS)
    hidden = {sign for sign in set(text) if unicodedata.category(sign) in INVISIBLE and sign not in shown}
    return text.translate({ord(sign): sign.encode("unicode_escape").decode() for sign in hidden})


def write_answer(text: str) -> None:
    """Write an answer of one line or several to the standard output; a reader may leave before its end."""
    with suppress(BrokenPipeError):  # the exit code is an answer, too
        write_lines([visible(text) + "\n"])


def write_note(text: str) -> None:
    """Write a line that is not part of the answer to the standard error; nothing happens if it is closed."""
    with suppress(OSError):
        sys.stderr.write(visible(text, keep="") + "\n")


_after_success: ContextVar[list[str] | None] = ContextVar("after_success", default=None)


def write_note_after_success(text: str) -> None:
    """Write a note when the command has ended well: a failure is one line. Outside of a command, write it now."""
    notes = _after_success.get()
    if notes is None:
        write_note(text)
    else:
        notes.append(text)


@contextmanager
def notes_after_success() -> Iterator[None]:
    """Write the notes that were kept for the end, unless it is a failure."""
    notes: list[str] = []
    token = _after_success.set(notes)
    try:
        yield
    finally:
        _after_success.reset(token)
    for note in notes:
        write_note(note)


def write_lines(lines: Iterable[str]) -> None:
    """Write lines as they are to the standard output; an error of the system names it, and no file."""
    with naming(OUTPUT):
        sys.stdout.writelines(lines)


def flush() -> None:
    """Write what the standard output has buffered."""
    with naming(OUTPUT):
        sys.stdout.flush()


class Closed(io.TextIOBase):
    """A stream that the process was started without."""

    def write(self, text: str) -> int:
        """Refuse."""
        raise OSError(errno.EBADF, "It is closed: to do without the answer, write > /dev/null", OUTPUT)


@contextmanager
def streams() -> Iterator[None]:
    """Make the standard streams writable while a command runs, and empty at its end, so that nothing fails later.

    A closed stream refuses what is written to it, and its number is taken, so that no file gets it. Characters that a
    stream cannot encode are escaped.
    """
    with ExitStack() as ending:
        for name in ("stdin", "stdout", "stderr"):
            if getattr(sys, name) is None:
                ending.callback(os.close, os.open(os.devnull, os.O_RDWR))
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:
                ending.callback(setattr, sys, name, None)
                setattr(sys, name, Closed())
            ending.enter_context(escaping(getattr(sys, name)))
        yield


@contextmanager
def escaping(stream: Any) -> Iterator[None]:
    """Let a stream escape the characters that it cannot encode, which it would refuse; at the end it is flushed."""
    errors = stream.errors if isinstance(stream, io.TextIOWrapper) else None
    refuses = errors in ("strict", "surrogateescape")
    if refuses:
        stream.reconfigure(errors="backslashreplace")
    try:
        yield
    finally:
        try:
            stream.flush()
        except OSError:  # the interpreter would try again at its end, and complain
            discard(stream)
        if refuses:
            stream.reconfigure(errors=errors)


def discard(stream: Any) -> None:
    """Send what a stream has buffered, and all that follows, to the null device."""
    with suppress(OSError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, stream.fileno())
        os.close(null_device)
        stream.flush()
