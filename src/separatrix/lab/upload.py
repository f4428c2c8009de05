"""A file that was dropped on the page: read in memory, two of its columns as points, or a projection of all of them.

The file comes with each request, so that nothing of it is kept. Its text is read as every command of the package reads
it: delimiters, decimal commas, missing values and words are recognised.
"""

import base64
import binascii
import io
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from separatrix.data.files.reading import read_columns
from separatrix.data.folds import stratified_sample
from separatrix.data.prepare.columns import Columns, Words, as_text
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.table import shortened
from separatrix.errors import DataError, FormatError, OptionError, counted
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.lab.limits import MAX_CLASSES, MAX_COLUMNS, MAX_MESSAGE_BYTES, MAX_POINTS
from separatrix.lab.points import CLASS_NAMES, MAX_COORDINATE, MAX_NAME, Points, labels_in_order
from separatrix.report.charts.projection import project
from separatrix.rows import Vector

TEXT_FILES = ("", ".csv", ".tsv", ".tab", ".txt", ".dat", ".data", ".svm", ".libsvm", ".svmlight")
USUAL_TARGETS = ("class", "target", "label", "species", "outcome", "y", "diagnosis")
PROJECTION_SECONDS = 5.0
PROJECTION_NAMES = {
    True: ("distance from the plane", "widest direction across"),
    False: ("first direction", "second direction"),
}


class Upload(NamedTuple):
    """The columns of a file, and what was recognised in it."""

    columns: Columns
    name: str
    notes: tuple[str, ...]

    def numeric(self, name: str) -> bool:
        """Whether a column holds numbers."""
        return not isinstance(self.columns[name], Words)


class Rows(NamedTuple):
    """Rows of a file that are drawn: their numbers, the codes of their classes and the names of these."""

    taken: np.ndarray
    codes: np.ndarray
    class_names: tuple[str, ...]
    notes: tuple[str, ...]


def uploaded(message: Mapping[str, Any]) -> Upload:
    r"""The file of a message: its name, and its bytes as base64.

    >>> text = base64.b64encode(b"size;weight;kind\n1,5;2;a\n2,5;3;b\n").decode()
    >>> uploaded({"name": "fruit.csv", "text": text}).columns
    Columns(2 rows: 2 columns of numbers, 1 of words)
    """
    given = message.get("name")
    name = PurePosixPath(str(given).replace("\\", "/")).name[:MAX_NAME] if isinstance(given, str) else ""
    name = "".join(letter for letter in name if letter.isprintable()) or "the file"
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in TEXT_FILES:
        raise FormatError(f"{name}: the lab reads CSV and other delimited text, not {suffix} files: save it as CSV.")
    text = message.get("text")
    if not isinstance(text, str) or not text:
        raise FormatError(f"{name}: there is nothing in it. Drop a file with a line of names and a line for each row.")
    if len(text) > MAX_MESSAGE_BYTES:
        raise FormatError(f"{name}: the file is larger than the lab takes: keep fewer rows or columns.")
    try:
        stream = io.BytesIO(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        raise FormatError(f"{name}: the bytes are not in base64: drop the file again.") from None
    stream.name = name
    block = read_columns(stream, labelled=False)
    if not isinstance(block.X, Columns):
        raise FormatError(f"{name}: this is LIBSVM text, whose columns have no names: convert it to CSV.")
    if block.X.shape[1] > MAX_COLUMNS:
        raise DataError(
            f"{name} has {block.X.shape[1]:,} columns, and the lab takes {MAX_COLUMNS}: leave some out, or use "
            "separatrix study, which takes any number."
        )
    return Upload(block.X, name, tuple(block.notes))


def table(upload: Upload) -> dict[str, Any]:
    """The columns of a file, and which of them are drawn at first."""
    names = upload.columns.names
    target = suggested_target(upload)
    x, y = suggested_pair(upload, target)
    said = [f"{upload.name}: {counted(len(upload.columns), 'row')}, {counted(len(names), 'column')}", *upload.notes]
    return {
        "kind": "table",
        "columns": [{"name": name, "numeric": upload.numeric(name)} for name in names],
        "x": x,
        "y": y,
        "target": target,
        "rows": len(upload.columns),
        "text": "; ".join(said) + ".",
    }


def suggested_target(upload: Upload) -> str | None:
    """The column that looks like classes: by its name, else words, else the last that has few values."""
    able = [name for name in upload.columns.names if 2 <= distinct(upload.columns[name]).size <= MAX_CLASSES]
    named = [name for name in able if name.lower() in USUAL_TARGETS]
    words = [name for name in able if not upload.numeric(name)]
    best = named or words[-1:] or able[-1:]
    return best[0] if best else None


def distinct(column: Any) -> np.ndarray:
    """The different values of a column that are there."""
    if isinstance(column, Words):
        return np.array([word for word, count in zip(column.words, column.counts, strict=True) if count])
    return np.unique(column[np.isfinite(column)])


def suggested_pair(upload: Upload, target: str | None) -> tuple[str, str]:
    """The two columns of numbers whose means differ most between the classes, in units of their spread."""
    numeric = [name for name in upload.columns.names if upload.numeric(name) and name != target]
    if len(numeric) < 2:
        raise DataError(
            f"{upload.name} has {counted(len(numeric), 'column')} of numbers besides the classes, and a picture needs "
            "two: drop a file with more."
        )
    if target is None:
        return numeric[0], numeric[1]
    codes = class_values(upload.columns[target])
    best = sorted(numeric, key=lambda name: -spread_ratio(upload.columns[name], codes))[:2]
    first, second = sorted(best, key=numeric.index)
    return first, second


def class_values(column: Any) -> np.ndarray:
    """The value of each row in a column of classes, as text; empty where it is missing."""
    if isinstance(column, Words):
        return np.array([*column.words, ""])[column.codes]
    return np.array([as_text(value) if np.isfinite(value) else "" for value in column.tolist()])


def spread_ratio(values: Any, codes: np.ndarray) -> float:
    """The variance of the class means over that within the classes."""
    known = np.isfinite(values) & (codes != "")
    x, own = values[known], codes[known]
    if x.size < 2 or np.ptp(x) == 0.0:
        return 0.0
    x = (x - x.mean()) / np.ptp(x)
    means = np.zeros(x.size)
    for code in np.unique(own):
        means[own == code] = x[own == code].mean()
    return float(np.var(means) / max(float(np.var(x - means)), 1e-12))


def rows_of(upload: Upload, target: Any, usable: np.ndarray) -> Rows:
    """The rows that have a class and are usable; at most as many as the lab draws, each class in proportion."""
    columns, notes = upload.columns, []
    if target is None:
        values = np.full(len(columns), CLASS_NAMES[0])
    else:
        values = class_values(columns[column_named(upload, "target", target)])
    index = np.flatnonzero(usable & (values != ""))
    if index.size < len(columns):
        notes.append(f"{counted(len(columns) - index.size, 'row')} with a missing value left out")
    if not index.size:
        raise DataError(f"{upload.name}: no row has a number in both columns and a class: choose other columns.")
    names = [name[:MAX_NAME].strip() for name in np.unique(values[index]).tolist()]
    if len(names) > MAX_CLASSES:
        raise DataError(
            f"The column {target!r} has {len(names):,} different values, and the lab takes {MAX_CLASSES} classes: "
            "choose another column for the classes."
        )
    _, order = labels_in_order(names)
    places = {value: place for place, value in enumerate(np.unique(values[index])[order].tolist())}
    codes = np.array([places[value] for value in values[index].tolist()])
    if index.size > MAX_POINTS:
        kept = stratified_sample(codes, MAX_POINTS, 1, 0)
        notes.append(f"{MAX_POINTS:,} of {index.size:,} rows are drawn, each class in proportion")
        index, codes = index[kept], codes[kept]
    return Rows(index, codes, tuple(names[place] for place in order.tolist()), tuple(notes))


def column_named(upload: Upload, role: str, name: Any) -> str:
    """A column by its name."""
    if not isinstance(name, str) or name not in upload.columns.names:
        raise OptionError(f"{role!r} must be a column of {upload.name}. Got {shortened(name)}: choose one of the list.")
    return name


def points_of_columns(upload: Upload, x: Any, y: Any, target: Any) -> dict[str, Any]:
    """Two columns of a file as points."""
    names = [column_named(upload, role, name) for role, name in (("x", x), ("y", y))]
    for name in names:
        if not upload.numeric(name):
            raise DataError(f"The column {name!r} holds words: choose one of numbers, or take it for the classes.")
    if x == y:
        raise OptionError(f"Both axes show {x!r}: choose two different columns.")
    if target in names:
        raise OptionError(f"The column {target!r} is an axis already: choose another column for the classes.")
    values = np.column_stack([np.asarray(upload.columns[name], dtype=np.float64) for name in names])
    usable: np.ndarray = np.all(np.abs(values) <= MAX_COORDINATE, axis=1)
    rows = rows_of(upload, target, usable)
    return message_of(upload, values[rows.taken], rows, (names[0], names[1]))


def points_of_projection(upload: Upload, target: Any) -> dict[str, Any]:
    """The columns of numbers projected on two directions: across the plane between the classes, and along it."""
    target = column_named(upload, "target", target)
    kept = tuple(name for name in upload.columns.names if upload.numeric(name) and name != target)
    rows = rows_of(upload, target, np.ones(len(upload.columns), dtype=bool))
    return projected(upload, kept, rows)


def projected(upload: Upload, names: tuple[str, ...], rows: Rows) -> dict[str, Any]:
    """Rows of some columns of numbers, standardised and projected."""
    if len(names) < 2:
        raise DataError(f"{upload.name} has too few columns of numbers for a picture: two or more are needed.")
    if len(rows.class_names) < 2:
        raise DataError(f"All rows are of the class {rows.class_names[0]!r}, and a projection needs two classes.")
    numbers = Columns(names, tuple(upload.columns[name] for name in names), len(upload.columns))
    X = Preparation(scale=True).fit_transform(numbers.rows(rows.taken))
    X = np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)
    model = LinearSVM(time_limit=PROJECTION_SECONDS).fit(X, rows.codes)
    found = project(model, X, rows.codes, most=MAX_POINTS)
    rows = rows._replace(notes=(*rows.notes, f"projected from {counted(len(names), 'column')}, each standardised"))
    return message_of(upload, found.points, rows, PROJECTION_NAMES[len(rows.class_names) == 2])


def message_of(upload: Upload, X: Vector, rows: Rows, names: tuple[str, str]) -> dict[str, Any]:
    """Points of a file as a page is sent them."""
    axes = [name[:MAX_NAME].strip() or role for name, role in zip(names, ("x1", "x2"), strict=True)]
    points = Points(X, rows.codes, None, (axes[0], axes[1]), rows.class_names)
    said = [f"{upload.name}: {counted(len(X), 'point')}", *upload.notes, *rows.notes]
    return {"kind": "points", "data": points.to_message(), "text": "; ".join(said) + "."}
