"""Options and input files that several commands have, and their answers as JSON."""

import argparse
import json
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from separatrix.cli.streams import visible, write_note_after_success
from separatrix.data.files.reading import read_columns
from separatrix.data.files.source import Block, Dialect
from separatrix.data.prepare.columns import Columns
from separatrix.data.samples import builtin
from separatrix.errors import OptionError

KINDS = "CSV, TSV, Parquet, Arrow, .xlsx or LIBSVM text, compressed or not; - is the standard input"
SAMPLE = "breast_cancer"


def add_data(parser: argparse.ArgumentParser, sample: bool = False) -> None:
    """The file with the rows, and how to read it; for some commands a sample will do."""
    more = {"nargs": "?", "help": f"{KINDS} (default: a sample)"} if sample else {"help": KINDS}
    parser.add_argument("file", metavar="FILE", **more)  # type: ignore[arg-type]
    add_reading(parser)


def sample() -> Block:
    """The rows that are used where no file is given: scikit-learn's breast cancer data."""
    table = builtin(SAMPLE)
    columns = Columns(table.feature_names, tuple(np.asarray(table.X).T), table.n_rows)
    return Block(columns, table.labels, table.target, f"{SAMPLE} (sample)")


def add_reading(parser: argparse.ArgumentParser, target: bool = True) -> None:
    """How to read a file."""
    if target:
        parser.add_argument(
            "-t",
            "--target",
            metavar="COLUMN",
            help="the column with the labels or numbers, by name or number from 0 (default: last)",
        )
    group = parser.add_argument_group("how the file is written, where it is not recognised")
    group.add_argument(
        "--delimiter",
        metavar="CHAR",
        type=delimiter,
        help=r"what separates the cells of a text file, \t for a tab",
    )
    group.add_argument("--decimal", metavar="CHAR", help="the decimal mark, such as a comma")
    group.add_argument("--thousands", metavar="CHAR", help="what stands between thousands, such as a comma")
    group.add_argument("--encoding", metavar="NAME", help="of a text file, such as latin-1 (default: UTF-8)")
    group.add_argument("--missing", metavar="WORDS", help="words for missing values, such as unknown,-9")
    group.add_argument(
        "--header", action=argparse.BooleanOptionalAction, help="whether the first line has the names of the columns"
    )
    columns = parser.add_argument_group("columns that are no features")
    columns.add_argument("--drop", metavar="COLUMN", action="append", default=[], help="leave it out; may be repeated")
    columns.add_argument(
        "--id", metavar="COLUMN", action="append", default=[], help="leave it out, and name the rows by it"
    )


def add_weights(parser: argparse.ArgumentParser) -> None:
    """Which column has the weights of the rows."""
    parser.add_argument("--weights", metavar="COLUMN", help="the column with the weights of rows, which is no feature")


def dialect_of(arguments: argparse.Namespace, front: Any = None) -> Dialect:
    """How the file is written, as the command line says, and what a model remembers of words for missing values."""
    given = tuple(arguments.missing.split(",")) if arguments.missing is not None else ()
    remembered = () if front is None else front.reading_.get("missing", ())
    return Dialect(
        arguments.delimiter,
        arguments.decimal,
        arguments.thousands,
        arguments.encoding,
        given or remembered,
        arguments.header,
    )


def columns_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Which columns of the file are no features, as the command line says; that of groups or times is carried alone."""
    weights = getattr(arguments, "weights", None)
    drop, carry = arguments.drop, arguments.id
    if (order := getattr(arguments, "group", None) or getattr(arguments, "time", None)) is not None:
        drop, carry = [*drop, *carry], [order]
    return {
        "drop": tuple(map(column, drop)),
        "carry": tuple(map(column, carry)),
        "weights": None if weights is None else column(weights),
    }


def read_file(arguments: argparse.Namespace, **how: Any) -> Block:
    """All rows of the file that the command line names; what was recognised in it is said."""
    raw = read_columns(arguments.file, target_of(arguments), dialect_of(arguments), **columns_of(arguments), **how)
    say_notes(raw)
    return raw


def say_notes(raw: Block) -> None:
    """Say what was recognised in a file, or left out."""
    if raw.notes:
        write_note_after_success(f"separatrix: {raw.name}: {'; '.join(raw.notes)}.")


def reading_words(arguments: argparse.Namespace) -> list[str]:
    """The words of a command line that have a file read in the same way again."""
    given = arguments.delimiter
    words = [] if given is None else ["--delimiter", r"\t" if given == "\t" else given]
    for name in ("decimal", "thousands", "encoding", "missing"):
        value = getattr(arguments, name)
        words += [] if value is None else [f"--{name}", value]
    words += [] if arguments.header is None else ["--header" if arguments.header else "--no-header"]
    for name in ("drop", "id"):
        words += [word for value in getattr(arguments, name) for word in (f"--{name}", value)]
    return words


def add_task(parser: argparse.ArgumentParser) -> None:
    """What is to be done with the rows."""
    parser.add_argument(
        "--task",
        choices=("classification", "regression", "novelty"),
        help="predict classes or numbers, or find unusual rows (default: what the target looks like)",
    )


def delimiter(text: str) -> str:
    r"""What separates cells; a tab may be written as \t."""
    return "\t" if text == r"\t" else text


def refuse_overwriting(output: str | os.PathLike[str], *inputs: str | None) -> None:
    """Refuse to write over a file that is read, or to the end of it; "-" is a standard stream, perhaps redirected."""
    written = status(output, sys.stdout)
    if written is None or not stat.S_ISREG(written.st_mode):
        return
    for path in inputs:
        read = None if path is None else status(path, sys.stdin)
        if read is not None and os.path.samestat(written, read):
            name = "The standard output" if os.fspath(output) == "-" else os.fspath(output)
            raise OptionError(f"{name} is the file that is read, too: choose another name for what is written.")


def status(path: str | os.PathLike[str], standard: Any) -> os.stat_result | None:
    """The status of a file, or of what a standard stream was redirected to; None if there is none."""
    try:
        return os.fstat(standard.fileno()) if os.fspath(path) == "-" else os.stat(path)
    except (OSError, AttributeError):  # no such file; a stream that is closed or none of the system's
        return None


def remember_reading(preparation: Any, first_index: int | None, arguments: argparse.Namespace) -> None:
    """Let a model know what other files need to be read in the same way.

    Where the indices of LIBSVM text count from is not guessed at again; words for missing values and the column of
    weights need not be said again.
    """
    if first_index is not None:
        preparation.first_index_ = first_index
    given = {"missing": dialect_of(arguments).missing, "weights": (getattr(arguments, "weights", None),)}
    if known := {name: words for name, words in given.items() if words and words[0] is not None}:
        preparation.reading_ = known


def checked_number(kind: type, holds: Callable[[Any], bool], meaning: str) -> Callable[[str], Any]:
    """Make the type of an option that is a number for which a condition holds."""

    def read(text: str) -> Any:
        with suppress(ValueError):
            if holds(kind(text)):
                return kind(text)
        raise argparse.ArgumentTypeError(f"{text} is no {meaning}")

    return read


seconds = checked_number(float, lambda time: time > 0, "number of seconds above 0")
folds = checked_number(int, lambda number: number >= 2, "whole number of at least 2")
seed = checked_number(int, lambda number: 0 <= number < 2**32, f"whole number from 0 to {2**32 - 1}")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Whether the answer is for a program."""
    parser.add_argument("--json", action="store_true", help="write the answer as JSON")


def target_of(arguments: argparse.Namespace) -> str | int | None:
    """The target column: a name, or a number."""
    return None if arguments.target is None else column(arguments.target)


def column(text: str) -> str | int:
    """A column by its name, or by its number."""
    try:
        return int(text)
    except ValueError:
        return text


def as_json(answer: Any) -> str:
    """An answer as strict JSON; where the output cannot show a character, as JSON in ASCII."""
    text = json.dumps(plain(answer), allow_nan=False, ensure_ascii=False, indent=2)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        shown = False
    else:
        shown = visible(text) == text
    # of the controls, JSON leaves DEL as it is
    return text if shown else json.dumps(plain(answer), allow_nan=False, indent=2).replace("\x7f", r"\u007f")


def plain(value: Any) -> Any:
    """A value in the types that JSON has; what is not finite becomes text.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.cli.options import plain
    >>> plain({"a": np.array([1.0, np.inf]), "b": np.int64(3), 4: None})
    {'a': [1.0, 'inf'], 'b': 3, '4': None}
    """
    if isinstance(value, dict):
        return {str(key): plain(own) for key, own in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(own) for own in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
