"""What a model says of some rows, as lines: labels alone, a CSV table with a header, or JSON."""

import argparse
import csv
import io
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from separatrix.cli.file_model import FileModel
from separatrix.cli.options import plain
from separatrix.data.files.header import distinct
from separatrix.data.files.source import Block
from separatrix.data.prepare.columns import Columns, Words

LINE_BREAKS = "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"  # which end a line or a cell for some program
ESCAPED = str.maketrans({sign: sign.encode("unicode_escape").decode() for sign in (*LINE_BREAKS, "\\")})
KEYS = {"classifier": "label", "regressor": "number", "detector": "label"}


class Predictions(NamedTuple):
    """What is predicted for some rows, with what names the rows."""

    key: str
    values: np.ndarray
    shown: list[Any]  # as they are written
    scores: dict[str, list[float]]  # by the names of columns
    probabilities: dict[str, list[float]]  # by classes
    names: dict[str, list[str]]  # of rows: columns that are carried through, or their lines
    carried: bool


def predicted(model: FileModel, block: Block, arguments: argparse.Namespace) -> Predictions:
    """What a model says of the rows of a block."""
    X = model.front.transform(block.X)
    values = np.asarray(model.model.predict(X))
    shown = np.where(values < 0, "outside", "inside") if model.kind == "detector" else values
    classes = [str(label) for label in getattr(model.estimator, "classes_", ())]
    scores: dict[str, list[float]] = {}
    if arguments.scores:
        columns = np.asarray(model.model.decision_function(X)).reshape(len(values), -1).T.tolist()
        names = ["score"] if len(columns) == 1 else [f"score({name})" for name in score_names(classes, len(columns))]
        scores = dict(zip(names, columns, strict=True))
    found = model.model.predict_proba(X).T.tolist() if arguments.proba else []
    return Predictions(
        KEYS[model.kind],
        values,
        shown.tolist(),
        scores,
        dict(zip(classes, found, strict=True)) if found else {},
        row_names(block, len(values)),
        block.carried is not None,
    )


def score_names(classes: list[str], n_columns: int) -> list[str]:
    """What the columns of scores are about: classes, or their pairs by number."""
    return classes if len(classes) == n_columns else [str(j) for j in range(n_columns)]


def row_names(block: Block, n_rows: int) -> dict[str, list[str]]:
    """The columns that name rows: those that are carried through, or else the lines of the file."""
    if isinstance(block.carried, Columns):
        pairs = zip(block.carried.names, block.carried.values, strict=True)
        return {name: texts_of(own) for name, own in pairs if isinstance(own, Words)}
    return {} if block.lines is None else {"line": [str(line) for line in np.asarray(block.lines)[:n_rows].tolist()]}


def texts_of(column: Words) -> list[str]:
    """The texts of a column, empty where one is missing."""
    words = (*column.words, "")
    return [words[code] for code in column.codes.tolist()]


def label_lines(found: Predictions) -> Iterator[str]:
    """One line for each row: its label, then its scores."""
    columns = list(found.scores.values())
    for i, label in enumerate(found.shown):
        cells = [str(label).translate(ESCAPED), *(f"{column[i]:.17g}" for column in columns)]
        yield "\t".join(cells) + "\n"


def json_lines(found: Predictions) -> Iterator[str]:
    """One JSON object for each row."""
    scores = list(found.scores.values())
    for i, label in enumerate(found.shown):
        row: dict[str, Any] = {name: column[i] for name, column in found.names.items()} if found.carried else {}
        row[found.key] = label
        if scores:
            row["scores"] = [column[i] for column in scores]
        if found.probabilities:
            row["probabilities"] = {name: column[i] for name, column in found.probabilities.items()}
        yield json.dumps(plain(row)) + "\n"


def table_lines(found: Predictions, header: bool) -> Iterator[str]:
    """The lines of a CSV table, perhaps with the names of its columns first."""
    probabilities = {f"p({name})": column for name, column in found.probabilities.items()}
    columns = [*found.names.values(), [str(label) for label in found.shown]]
    columns += [[f"{value:.17g}" for value in own] for own in (*probabilities.values(), *found.scores.values())]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if header:
        names, _ = distinct([*found.names, "prediction", *probabilities, *found.scores])
        writer.writerow(names)
    writer.writerows(zip(*columns, strict=True))
    yield stream.getvalue()
