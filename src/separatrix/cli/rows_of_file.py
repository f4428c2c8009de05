"""Rows of a file for tasks other than classes: without a target, or with numbers for one."""

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np

from separatrix.cli.options import columns_of, dialect_of, say_notes, target_of
from separatrix.data.files.reading import read_columns
from separatrix.data.files.source import Block
from separatrix.data.prepare.columns import Columns, beside
from separatrix.data.table import find_column
from separatrix.data.task import MAX_DISTINCT_CLASSES, as_numbers, check_numbers, task_of
from separatrix.errors import DataError, FormatError, counted


def rows_alone(arguments: argparse.Namespace, others: Literal["text", "guess"] = "guess") -> Block:
    """All columns of a file but the target, which need not be there; labels of LIBSVM text are passed over."""
    target, how = target_of(arguments), columns_of(arguments)
    whole = read_columns(arguments.file, None, dialect_of(arguments), others=others, labelled=False, **how)
    say_notes(whole)
    if target is None:
        return whole
    if not isinstance(whole.X, Columns):
        raise FormatError(f"{whole.name} is LIBSVM text, which has no column names. Leave --target {target} out.")
    try:
        name = whole.X.names[find_column(whole.X.names, target)]
    except DataError as error:
        raise FormatError(f"{whole.name}: {error}") from None
    return whole._replace(X=whole.X.without(name), target=name)


@contextmanager
def rows_by_line(raw: Block) -> Iterator[None]:
    """Let errors in the data name rows by their lines in the file, where it has lines."""
    try:
        yield
    except FormatError:
        raise
    except DataError as error:
        if raw.lines is None:
            raise
        lines = raw.lines

        def line(found: re.Match[str]) -> str:
            row = int(found[1])
            return f"line {lines[row]} of {raw.name}" if row < len(lines) else found[0]

        raise type(error)(re.sub(r"\brow (\d+)(?: \(from 0\))?", line, str(error), count=1)) from None


def with_target_among_columns(raw: Block) -> Block:
    """The rows of a file whose last column, numbers, was read as the target: it is a column like the others."""
    column = Columns((raw.target,), (check_numbers(raw.labels, raw.name, raw.target),), len(raw.X))
    return raw._replace(X=beside([raw.X, column]), labels=None, target="")


def taken_for_numbers(raw: Block) -> str:
    """A line that says why a target was taken for numbers, and how to have it taken for classes."""
    return f"separatrix: {described(raw)}, so it is predicted as a number. --task classification takes it for classes."


def taken_for_classes(raw: Block) -> str:
    """A line that says that many different numbers were taken for classes; empty where there are few, or words."""
    numbers = as_numbers(raw.labels)
    if numbers is None or np.unique(numbers).size <= MAX_DISTINCT_CLASSES:
        return ""
    return f"separatrix: {described(raw)}, taken for classes. --task regression predicts them as numbers."


def refuse_many_classes(raw: Block) -> None:
    """Refuse a target of numbers that has as many classes as different values, for a command about classes."""
    if raw.labels is not None and task_of(raw.labels) == "regression":
        raise DataError(
            f"{raw.name}: {described(raw)}: these are no classes. Name another --target, or predict the numbers by "
            "separatrix fit --task regression."
        )


def taken_for_no_target(raw: Block) -> str:
    """A line that says why a file whose last column holds numbers is searched for unusual rows."""
    return (
        f"separatrix: no --target was given, and {described(raw)}: unusual rows are searched for. "
        f"--target {raw.target} predicts that column."
    )


def described(raw: Block) -> str:
    """What the target holds."""
    values = np.unique(np.asarray(raw.labels)).size
    column: Any = repr(raw.target) if raw.target else "the target"
    return f"{column} holds {values:,} different numbers in {counted(len(raw.labels), 'row')}"
