"""`separatrix COMMAND`: the parser of all commands, how they fail, and what they return.

0    done
1    what was to be checked does not hold
2    the command cannot be carried out: one line on the standard error says why
130  interrupted; in the same way 143 for SIGTERM and 129 for SIGHUP
"""

import argparse
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from separatrix.cli import export, fit, lab, path, predict, score, separable, study, verify
from separatrix.cli.streams import flush, notes_after_success, streams, write_note
from separatrix.errors import SeparatrixError, on_command_line
from separatrix.version import __version__

COMMANDS = (study, fit, path, predict, score, separable, verify, export, lab)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with the words that follow `separatrix`, by default those of this process; return its exit code.

    Examples
    --------
    >>> from separatrix.cli.main import main
    >>> main(["verify", "no-such-model.json", "data.csv"])
    2
    """
    with streams():
        return run_command(argv)


def run_command(argv: Sequence[str] | None) -> int:
    """Run a command and return its exit code; an error is told in one line."""
    code = 0
    token = on_command_line.set(True)
    try:
        with terminable(), warnings.catch_warnings():  # commands show the warnings of this package themselves
            arguments = parser().parse_args(argv)
            warnings.simplefilter("ignore")
            with notes_after_success():
                code = int(arguments.run(arguments))
            flush()  # here, where a closed pipe is no failure
            return code
    except Terminated as end:
        return fail(f"ended by {end.signal.name}", 128 + end.signal)
    except KeyboardInterrupt:
        return fail("interrupted", 130)
    except BrokenPipeError:  # the reader of a pipe has closed it
        return code
    except SeparatrixError as error:
        return fail(str(error))
    except ImportError as error:  # which some packages explain in many lines
        return fail(" ".join(str(error).split()))
    except OSError as error:
        return fail(told(error))
    except MemoryError:
        return fail("not enough memory for this table. Give fewer rows or columns, or store it as float32 Parquet.")
    finally:
        on_command_line.reset(token)


def told(error: OSError) -> str:
    """What the system refused, in a line."""
    if isinstance(error, FileNotFoundError) and not has_working_directory():
        name = "" if error.filename is None else f"{error.filename}: "
        return f"{name}the working directory has been deleted. Change to one that exists (cd), or give absolute paths."
    return str(error) if error.filename is None else f"{error.filename or repr('')}: {error.strerror}"


def has_working_directory() -> bool:
    """Whether the folder that relative paths begin with still exists."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def fail(message: str, code: int = 2) -> int:
    """Write in one line why a command ended, and return its exit code."""
    write_note(f"separatrix: {message}")
    return code


class Terminated(KeyboardInterrupt):
    """A signal asks the process to end: like Ctrl-C, so that drafts of files are removed on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = signal.Signals(number)


@contextmanager
def terminable() -> Iterator[None]:
    """Raise `Terminated` at SIGTERM and SIGHUP, unless the process ignores them or has handlers of its own."""

    def end(number: int, frame: Any) -> None:
        raise Terminated(number)

    known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    here = threading.current_thread() is threading.main_thread()  # the only one that may set handlers
    ours = [each for each in known if here and signal.getsignal(each) is signal.SIG_DFL]
    try:
        for each in ours:
            signal.signal(each, end)
        yield
    finally:
        for each in ours:
            signal.signal(each, signal.SIG_DFL)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are told in one line, as all others are."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """End with the message and where to read more."""
        sys.exit(fail(f"{message}. See {self.prog} --help."))

    def exit(self, status: int = 0, message: str | None = None) -> None:  # type: ignore[override]
        """End after the help or the version was written, which may fail like any answer."""
        flush()
        sys.exit(status)


class Help(argparse.HelpFormatter):
    """Prose as wide as the terminal, examples as they are written."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    whole = Parser(
        prog="separatrix",
        description="Linear and kernel classifiers you can trust: every fit comes with a certificate that anyone can "
        "recheck.",
        epilog="example: separatrix study patients.csv --target disease",
    )
    whole.add_argument("--version", action="version", version=f"separatrix {__version__}")
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)
    for command in COMMANDS:
        own = commands.add_parser(
            command.NAME,
            help=command.SUMMARY,
            description=command.DESCRIPTION,
            epilog=command.EXAMPLES,
            formatter_class=Help,
        )
        command.add_options(own)
        own.set_defaults(run=command.run)
    return whole
