"""Options of the protocol of a study: test rows, groups that stay together, times, and a threshold."""

import argparse
import os
import shlex
from contextlib import suppress
from typing import Any

import numpy as np

from separatrix.cli.file_model import FileModel
from separatrix.cli.options import dialect_of
from separatrix.data.files.reading import read_columns
from separatrix.data.files.source import Block
from separatrix.data.prepare.columns import Words
from separatrix.data.prepare.dates import date_format, days_of_words
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.table import is_finite_number
from separatrix.errors import DataError, OptionError
from separatrix.rows import Vector

ABOUT_CLASSES = ("recall", "cost")
ABOUT_TARGETS = ("test", "group", "time", *ABOUT_CLASSES)


def add_protocol(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("rows that are held out, and how rows are divided")
    group.add_argument(
        "--test",
        type=part_or_file,
        metavar="PART|FILE",
        help="the part of the rows that is held out for one test of the choice, 0 for none, or a file with other rows "
        "for it (default: 0.2, where that is 40 rows or more)",
    )
    either = group.add_mutually_exclusive_group()
    either.add_argument(
        "--group", metavar="COLUMN", help="rows with the same value are never both learnt from and tested with"
    )
    either.add_argument(
        "--time", metavar="COLUMN", help="a number or a date: always learn from earlier rows and test with later ones"
    )
    group = parser.add_argument_group("the threshold of the class that is looked for, of two")
    either = group.add_mutually_exclusive_group()
    either.add_argument("--recall", type=float, metavar="PART", help="find at least this part of the class")
    either.add_argument(
        "--cost",
        type=two_costs,
        metavar="ALARM,MISS",
        help="the least cost, of false alarms and of missed rows of the class, such as 1,10",
    )


def part_or_file(text: str) -> float | str:
    """A part of the rows, or the name of a file."""
    try:
        part = float(text)
    except ValueError:
        return text
    if not 0.0 <= part <= 0.9:
        raise argparse.ArgumentTypeError(f"{text} is no part of the rows from 0 to 0.9")
    return part


def two_costs(text: str) -> tuple[float, float]:
    """The costs of a false alarm and of a miss."""
    with suppress(ValueError):
        alarm, miss = map(float, text.split(","))
        return alarm, miss
    raise argparse.ArgumentTypeError(f"{text} is not two costs, of a false alarm and of a miss, such as 1,10")


def protocol_words(arguments: argparse.Namespace) -> list[str]:
    """The words of a command line that ask the same again."""
    words = []
    for name in ABOUT_TARGETS:
        value = getattr(arguments, name)
        shown = ",".join(f"{each:g}" for each in value) if isinstance(value, tuple) else value
        shown = f"{value:g}" if isinstance(value, float) else shown
        words += [] if value is None else [f"--{name}", shlex.quote(shown)]
    return words


def check_protocol(arguments: argparse.Namespace, task: str | None) -> None:
    """Refuse options that a study of this task has no use for, or that need a file."""
    useless = {"novelty": ABOUT_TARGETS, "regression": ABOUT_CLASSES}.get(task or "", ())
    for name in useless:
        if getattr(arguments, name) is not None:
            about = "classes" if name in ABOUT_CLASSES else "a target"
            raise OptionError(f"--{name} is about {about}, and this is a study of {task}: leave it out.")
    if isinstance(arguments.test, str) and arguments.file is not None:
        with suppress(OSError):
            if os.path.samefile(arguments.test, arguments.file):
                raise OptionError(f"--test {arguments.test} is the file that is studied. A test needs other rows.")


def protocol_options(arguments: argparse.Namespace, task: str, raw: Block) -> dict[str, Any]:
    """What a study is asked about its protocol."""
    check_protocol(arguments, task)
    if task == "novelty":
        return {}
    test = test_rows(arguments, raw) if isinstance(arguments.test, str) else arguments.test
    found = {"test": test, "groups": None, "times": None}
    if arguments.group is not None:
        found["groups"] = complete(raw, "--group", arguments).codes
    if arguments.time is not None:
        found["times"] = times_of(complete(raw, "--time", arguments), raw, arguments.decimal)
    return found if task == "regression" else found | {"recall": arguments.recall, "cost": arguments.cost}


def test_rows(arguments: argparse.Namespace, raw: Block) -> tuple[Any, Any, str]:
    """The rows of the test file, read as those of the studied file were, with their target and their name."""
    front = Preparation(raw.target or None).fit(raw.X)
    known = {name: kind for name, kind in front.kinds_.items() if kind != "number"}
    how: dict[str, Any] = {"kinds": known, "known": FileModel(front, None).known_words, "first_index": raw.first_index}
    found = read_columns(arguments.test, raw.target or None, dialect_of(arguments), **how)
    return found.X, found.labels, os.path.basename(found.name)


def complete(raw: Block, option: str, arguments: argparse.Namespace) -> Words:
    """The column that an option names, which must have a value in every row."""
    (name,), (column,) = raw.carried.names, raw.carried.values
    words = dialect_of(arguments).style.missing
    missing = np.array([word.strip().lower() in words for word in column.words] + [True])[column.codes]
    if missing.any():
        where = place_of(raw, int(missing.argmax()))
        raise DataError(f"{raw.name}: {option} {name} has no value in {where}: fill it in, or leave the row out.")
    return column


def times_of(column: Words, raw: Block, decimal: str | None) -> Vector:
    """Numbers, or the days since 1970 of dates."""
    texts = [word.replace(decimal, ".") if decimal else word for word in column.words]
    if all(map(is_finite_number, texts)):
        return np.array(texts, dtype=np.float64)[column.codes]
    if how := date_format(column):
        return days_of_words(column, how)[0]
    strange = next((word for word in texts if not is_finite_number(word)), texts[0])
    row = int(np.flatnonzero(column.codes == texts.index(strange))[0])
    raise DataError(
        f"{raw.name}: --time {raw.carried.names[0]} holds {strange!r} in {place_of(raw, row)}. Times are numbers, or "
        "dates that are all written in one way, such as 2024-03-14."
    )


def place_of(raw: Block, row: int) -> str:
    """Where a row is in its file."""
    return f"row {row} (from 0)" if raw.lines is None else f"line {raw.lines[row]}"
