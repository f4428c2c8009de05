"""`separatrix COMMAND`: what the commands share: their parser, how they fail, and what they return.

0    done
1    what was to be checked does not hold
2    the command cannot be carried out: one line on the standard error says why
130  interrupted
"""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence

from separatrix.cli import fit, predict, separable, study, verify
from separatrix.cli.options import escaping, remark
from separatrix.errors import SeparatrixError
from separatrix.version import __version__

COMMANDS = (study, fit, predict, separable, verify)


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out a command and return its exit code.

    Parameters
    ----------
    argv : sequence of str or None
        The words after `separatrix`; None: those of this process.

    Examples
    --------
    >>> from separatrix.cli.main import main
    >>> main(["verify", "no-such-model.json", "data.csv"])
    2
    """
    with escaping():
        return carried_out(argv)


def carried_out(argv: Sequence[str] | None) -> int:
    """The exit code of a command; what goes wrong is one line."""
    arguments = parser().parse_args(argv)
    try:
        with warnings.catch_warnings():  # those of this package are said by the commands
            warnings.simplefilter("ignore")
            code = int(arguments.run(arguments))
            sys.stdout.flush()  # here, where a closed pipe is no failure
            return code
    except KeyboardInterrupt:
        return failed("interrupted", 130)
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (SeparatrixError, ImportError) as error:
        return failed(str(error))
    except OSError as error:
        return failed(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except MemoryError:
        return failed("not enough memory for this table. Give fewer rows or columns, or store it as float32 Parquet.")


def failed(message: str, code: int = 2) -> int:
    """Say in one line why a command ended."""
    remark("separatrix: " + " ".join(message.split()))
    return code


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line, like all others."""

    def error(self, message: str) -> None:  # type: ignore[override]
        """End with the message and where to read more."""
        sys.exit(failed(f"{message}. See {self.prog} --help."))


class Help(argparse.HelpFormatter):
    """Prose as wide as the terminal, examples as they are written."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    whole = Parser(
        prog="separatrix",
        description="Linear classifiers you can trust: every fit comes with a certificate that anyone can recheck.",
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
