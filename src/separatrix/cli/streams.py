"""The standard output and error: what people are shown, and what happens where a stream is closed, full or limited.

Every word for people passes `say`, `remark` or, where rich lays it out, `Terminal`; labels for programs pass `put`.
"""

import errno
import io
import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from separatrix.errors import naming

OUTPUT = "the standard output"
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, formats, halves of a pair, ends of lines and paragraphs
JOINERS = "\u200c\u200d"  # formats that letters of Persian and parts of emoji are written with


def visible(text: str, keep: str = "\n") -> str:
    r"""Text with escapes for what steers a terminal or cannot be seen: controls, the direction of writing.

    Parameters
    ----------
    text : str
        What may hold labels, names of columns and names of files.
    keep : str
        The characters that stay as they are.

    Examples
    --------
    >>> from separatrix.cli.streams import visible
    >>> visible("\x1b[2J ill\r \u202eno")
    '\\x1b[2J ill\\r \\u202eno'
    """
    if text.isprintable():
        return text
    shown = (*keep, *JOINERS)
    return "".join(
        sign.encode("unicode_escape").decode() if unicodedata.category(sign) in UNSEEN and sign not in shown else sign
        for sign in text
    )


def say(text: str) -> None:
    """Write an answer of one line or several to the standard output; a reader may leave before its end."""
    with suppress(BrokenPipeError):  # the exit code is an answer, too
        put([visible(text) + "\n"])


def remark(text: str) -> None:
    """Write a line that is not part of the answer to the standard error; where nobody hears it, nothing happens."""
    with suppress(OSError):
        sys.stderr.write(visible(text, keep="") + "\n")


def put(lines: Iterable[str]) -> None:
    """Write lines as they are to the standard output; what prevents it is about that, and no file."""
    with naming(OUTPUT):
        sys.stdout.writelines(lines)


def flush() -> None:
    """Write what the standard output still holds back."""
    with naming(OUTPUT):
        sys.stdout.flush()


class Closed(io.TextIOBase):
    """A stream that the process was started without."""

    def write(self, text: str) -> int:
        """Refuse."""
        raise OSError(errno.EBADF, "It is closed: to do without the answer, write > /dev/null", OUTPUT)


@contextmanager
def streams() -> Iterator[None]:
    """Standard streams that can be written to while a command runs, and that have nothing left to fail with at its end.

    One that is closed refuses what is written to it, and its number is taken, so that no file gets it. Characters that
    a stream cannot hold are escaped.
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
    """Let a stream escape the characters that it cannot hold, which it would refuse; at the end it is empty."""
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
    """Send what a stream holds back, and all that follows, to nowhere."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        stream.flush()
