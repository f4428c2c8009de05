"""`separatrix predict MODEL FILE`: labels for the rows of a file of any length, in bounded memory."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, Literal

import numpy as np
from sklearn.base import is_outlier_detector, is_regressor
from sklearn.pipeline import Pipeline

from separatrix.cli.options import KINDS, add_json, add_reading, plain, refuse_overwriting
from separatrix.cli.streams import flush, visible, write_lines, write_note
from separatrix.data.encode_kernel import is_symbolic
from separatrix.data.files.reading import read_blocks
from separatrix.data.files.source import Block
from separatrix.data.files.writing import written
from separatrix.data.prepare.columns import Columns
from separatrix.data.prepare.numeric_columns import feature_columns
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.prepare.text_column import TextColumn
from separatrix.data.task import is_number
from separatrix.errors import OptionError, counted
from separatrix.estimators.store.model_file import load
from separatrix.selection.regression.table import in_units

NAME = "predict"
SUMMARY = "predict the labels or numbers of the rows of a file"
DESCRIPTION = (
    "Write a label a line for the rows of FILE, which may have any length. What would break the line is escaped: "
    "\\n for a line break, \\t for a tab, and \\\\ for a backslash. If FILE has the column with the labels, too, how "
    "many of them were met is said on the standard error. A regressor writes numbers, and how far off they are is "
    "said; a model of novelty writes inside or outside. A model that save() stored alone takes the columns of "
    "numbers: by the names that it knows, else in their order, without a last one that is too many."
)
LINE_BREAKS = "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"  # which end a line or a cell for some program
ESCAPED = str.maketrans({sign: sign.encode("unicode_escape").decode() for sign in (*LINE_BREAKS, "\\")})
EXAMPLES = """examples:
  separatrix predict model.json new_patients.csv > labels.txt
  separatrix predict model.json new_patients.csv labels.txt --scores
  cat new_patients.csv | separatrix predict model.json - --json"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("file", metavar="FILE", help=KINDS)
    parser.add_argument("output", metavar="OUTPUT", nargs="?", default="-", help="where to write (default: here)")
    parser.add_argument("--scores", action="store_true", help="the values of the decision function after each label")
    add_reading(parser, target=False)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Predict block by block."""
    refuse_overwriting(arguments.output, arguments.file, arguments.model)
    model = pipeline_of(load(arguments.model), arguments.model)
    preparation = model[0]
    how = {"delimiter": arguments.delimiter, "first_index": preparation.first_index_}
    blocks = read_blocks(arguments.file, preparation.kinds_, preparation.target, **how)
    kind = kind_of(model[-1])
    if arguments.scores and kind == "regressor":
        raise OptionError(f"--scores: {type(model[-1]).__name__} predicts numbers and has no scores. Leave it out.")
    rows, met = 0, NumbersMet() if kind == "regressor" else LabelsMet()
    with output(arguments.output) as write:
        for block in blocks:
            preparation = with_names_of_file(preparation, block.X)
            X = preparation.transform(block.X)
            labels = model[-1].predict(X)
            values = model[-1].decision_function(X) if arguments.scores else None
            if kind == "detector":
                write(label_lines(np.where(np.asarray(labels) < 0, "outside", "inside"), values, arguments.json))
            else:
                write(label_lines(labels, values, arguments.json, "number" if kind == "regressor" else "label"))
                met.add(labels, block)
            rows += len(labels)
    if met.known:
        write_note(met.sentence)
    if not rows:
        write_note(f"{arguments.file}: no rows to predict.")
    return 0


def pipeline_of(model: Any, path: str) -> Pipeline:
    """The preparation and the classifier; one that was stored alone gets a preparation that changes nothing."""
    if isinstance(model, Pipeline) and isinstance(model[0], (Preparation, TextColumn)):
        return model
    if isinstance(model, Pipeline) or not hasattr(model, "predict"):
        raise OptionError(
            f"{path} holds a {type(model).__name__}, which files cannot be given to. Use load() in Python."
        )
    if is_symbolic(getattr(model, "support_vectors_", None)):
        raise OptionError(
            f"{path} holds a {type(model).__name__} of texts or sets that was stored alone. Use load() in Python, or "
            "store what separatrix fit makes of a file with a column of texts."
        )
    preparation = Preparation(scale=False)
    preparation.columns_, preparation.sparse_ = (), True
    preparation.n_features_in_ = int(model.n_features_in_)
    names = getattr(model, "feature_names_in_", [f"x{j + 1}" for j in range(preparation.n_features_in_)])
    preparation.feature_names_out_ = tuple(str(name) for name in names)
    return Pipeline([("preparation", preparation), ("classifier", model)])


def with_names_of_file(preparation: Any, X: Any) -> Any:
    """The preparation with the names that a file has for features without any; the first block decides for all."""
    if not isinstance(preparation, Preparation) or preparation.columns_ or not isinstance(X, Columns):
        return preparation
    known = copy(preparation)
    known.feature_names_out_ = feature_columns(X, preparation.feature_names_out_, labels_last=True)
    return known


def kind_of(estimator: Any) -> Literal["classifier", "regressor", "detector"]:
    """What an estimator predicts: classes, numbers, or whether a row is outside."""
    if is_regressor(estimator):
        return "regressor"
    return "detector" if is_outlier_detector(estimator) else "classifier"


class LabelsMet:
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
        met = self.known - self.wrong
        return f"{met:,} of {counted(self.known, 'label')} met: {self.wrong / self.known:.2%} wrong."


class NumbersMet:
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


def label_lines(labels: np.ndarray, values: np.ndarray | None, machine: bool, key: str = "label") -> Iterator[str]:
    """One line for each row."""
    columns = None if values is None else values.reshape(len(labels), -1).tolist()
    for i, label in enumerate(labels.tolist()):
        if machine:
            yield json.dumps(plain({key: label} | ({"scores": columns[i]} if columns else {}))) + "\n"
        else:
            cells = [str(label).translate(ESCAPED), *(f"{value:.17g}" for value in (columns[i] if columns else ()))]
            yield "\t".join(cells) + "\n"


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
