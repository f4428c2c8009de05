"""`separatrix predict MODEL FILE`: labels for the rows of a file of any length, in bounded memory."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from separatrix.cli.file_model import FileModel, file_model
from separatrix.cli.options import (
    KINDS,
    add_json,
    add_reading,
    columns_of,
    dialect_of,
    refuse_overwriting,
    say_notes,
)
from separatrix.cli.predictions import json_lines, label_lines, predicted, table_lines
from separatrix.cli.rows_of_file import rows_by_line
from separatrix.cli.streams import flush, visible, write_lines, write_note
from separatrix.data.files.reading import read_blocks
from separatrix.data.files.source import Block
from separatrix.data.files.writing import written
from separatrix.data.prepare.model_columns import ModelColumns
from separatrix.data.prepare.unseen_words import UnseenWords
from separatrix.data.task import is_number
from separatrix.errors import OptionError, counted
from separatrix.estimators.store.model_file import load
from separatrix.selection.regression.table import in_units

NAME = "predict"
SUMMARY = "predict the labels or numbers of the rows of a file"
DESCRIPTION = (
    "Write a label a line for the rows of FILE, which may have any length. What would break the line is escaped: "
    "\\n for a line break, \\t for a tab, and \\\\ for a backslash. If FILE has the column with the labels, too, how "
    "many of them are predicted correctly is said on the standard error. A regressor writes numbers, and how far off "
    "they are is said; a model of novelty writes inside or outside. A model that save() stored alone takes the "
    "columns of numbers: by the names that it knows, else in their order, without a last one that is too many. "
    "--proba, --id, --keep-columns and an output named .csv write a CSV table with a header, in which rows without an "
    "id have the line of FILE. Words that the fit did not see are counted on the standard error."
)
EXAMPLES = """examples:
  separatrix predict model.json new_patients.csv > labels.txt
  separatrix predict model.json new_patients.csv labels.txt --scores
  separatrix predict model.json new_patients.csv --proba --id patient --output predicted.csv
  cat new_patients.csv | separatrix predict model.json - --json"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("file", metavar="FILE", help=KINDS)
    parser.add_argument("output", metavar="OUTPUT", nargs="?", default="-", help="where to write (default: here)")
    parser.add_argument("-o", "--output", dest="table", metavar="FILE.csv", help="write a table with a header there")
    parser.add_argument("--proba", action="store_true", help="the probability of each class, in a table with a header")
    parser.add_argument("--scores", action="store_true", help="the values of the decision function after each label")
    parser.add_argument("--keep-columns", action="store_true", help="all columns of FILE, in a table with a header")
    add_reading(parser, target=False)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Predict block by block."""
    if arguments.table is not None and arguments.output != "-":
        raise OptionError(f"Both {arguments.output} and --output {arguments.table} are to be written. Give one.")
    path = arguments.table or arguments.output
    refuse_overwriting(path, arguments.file, arguments.model)
    model = file_model(load(arguments.model), arguments.model)
    check_wanted(arguments, model)
    as_table = bool(arguments.table or arguments.proba or arguments.id or arguments.keep_columns)
    as_table |= path.lower().endswith(".csv")
    rows, errors, unseen = 0, NumberErrors() if model.kind == "regressor" else LabelErrors(), UnseenWords()
    with output(path) as write:
        for block in read_for(arguments, model):
            model = model if rows else model.of_first_rows(block.X, labels_last=True)
            say_notes(block)
            with rows_by_line(block):
                found = predicted(model, block, arguments)
            if arguments.json:
                write(json_lines(found))
            elif as_table:
                write(table_lines(found, header=not rows))
            else:
                write(label_lines(found))
            if model.kind != "detector":
                errors.add(found.values, block)
            unseen.add(model.front, block.X)
            rows += len(found.values)
    for sentence in unseen.sentences:
        write_note(f"separatrix: {sentence}")
    if errors.known:
        write_note(errors.sentence)
    if not rows:
        write_note(f"{arguments.file}: no rows to predict.")
    return 0


def check_wanted(arguments: argparse.Namespace, model: FileModel) -> None:
    """Refuse options that the model cannot fulfil."""
    name = type(model.estimator).__name__
    if arguments.scores and model.kind == "regressor":
        raise OptionError(f"--scores: {name} predicts numbers and has no scores. Leave it out.")
    if arguments.proba and not hasattr(model.model, "predict_proba"):
        raise OptionError(
            f"--proba: {name} has no probabilities. Fit one that has (--algorithm logistic-discrimination), or wrap it "
            "in Calibrated in Python; --scores gives its scores."
        )


def read_for(arguments: argparse.Namespace, model: FileModel) -> Iterator[Block]:
    """The rows of the file in blocks, read as the model needs them."""
    front, how = model.front, columns_of(arguments) | {"known": model.known_words}
    if arguments.keep_columns:
        how["carry"] = "all"
    if isinstance(front, ModelColumns) and not front.named:
        how["others"] = "either"
    how["first_index"] = front.first_index_
    return read_blocks(arguments.file, front.kinds_, front.target, dialect_of(arguments, front), **how)


class LabelErrors:
    """How many labels of a file, where it has them, were predicted right."""

    def __init__(self) -> None:
        self.known = self.wrong = 0

    def add(self, labels: np.ndarray, block: Block) -> None:
        """Count the rows of a block."""
        right = matches(labels, block)
        self.known, self.wrong = self.known + right.size, self.wrong + int((~right).sum())

    @property
    def sentence(self) -> str:
        """The count in words."""
        right, rate = self.known - self.wrong, self.wrong / self.known
        return f"{right:,} of {counted(self.known, 'known label')} predicted correctly: error {rate:.2%}."


class NumberErrors:
    """How far predictions are from the numbers of a file, where it has them."""

    def __init__(self) -> None:
        self.known, self.absolute, self.squared = 0, 0.0, 0.0

    def add(self, numbers: np.ndarray, block: Block) -> None:
        """Add the errors of a block."""
        if block.labels is None:
            return
        pairs = zip(numbers.tolist(), list(block.labels), strict=True)
        errors = np.array([own - float(told) for own, told in pairs if told is not None and is_number(told)])
        self.known += errors.size
        self.absolute += float(np.abs(errors).sum())
        self.squared += float((errors**2).sum())

    @property
    def sentence(self) -> str:
        """The mean errors in words."""
        mean, rms = self.absolute / self.known, float(np.sqrt(self.squared / self.known))
        return (
            f"Off by {in_units(mean)} on average, {in_units(rms)} by root mean square ({counted(self.known, 'row')})."
        )


def matches(labels: np.ndarray, block: Block) -> np.ndarray:
    """Whether each label is the one in the file, for the rows that have one there."""
    if block.labels is None:
        return np.zeros(0, dtype=bool)
    pairs = [(own, told) for own, told in zip(labels.tolist(), list(block.labels), strict=True) if told is not None]
    return np.array([same_label(own, told) for own, told in pairs], dtype=bool)


def same_label(own: Any, told: Any) -> bool:
    """Whether a label is the one in a file, which may be text where the model knows numbers."""
    if isinstance(told, str) and not isinstance(own, str):
        try:
            return float(told) == float(own)
        except ValueError:
            return False
    return bool(own == told) or str(own) == str(told)


@contextmanager
def output(path: str) -> Iterator[Callable[[Iterable[str]], None]]:
    """The function that writes lines to the standard output, or to a file that appears only when it is whole.

    A file or a program gets the labels as they are; a terminal gets control characters escaped.
    """
    if path == "-":
        people = sys.stdout.isatty()
        yield lambda lines: write_lines(visible(line, keep="\n\t") for line in lines) if people else write_lines(lines)
        flush()
        return
    with written(path) as stream:
        yield stream.writelines
