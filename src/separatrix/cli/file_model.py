"""A stored model for files: how their columns are read for it, and the table that it takes from them."""

import argparse
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import is_outlier_detector, is_regressor
from sklearn.pipeline import Pipeline

from separatrix.cli.options import column, columns_of, dialect_of, say_notes, target_of
from separatrix.data.encode_kernel import is_symbolic
from separatrix.data.files.number_style import MISSING
from separatrix.data.files.reading import read_columns
from separatrix.data.files.source import Block
from separatrix.data.prepare.columns import Columns
from separatrix.data.prepare.model_columns import ModelColumns, by_place
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.prepare.text_column import TextColumn
from separatrix.errors import OptionError
from separatrix.estimators.calibration.threshold import without_threshold

Kind = Literal["classifier", "regressor", "detector"]


class FileModel(NamedTuple):
    """What makes features of the columns of a file, and the model that takes them."""

    front: Any  # Preparation, TextColumn or ModelColumns
    model: Any

    @property
    def estimator(self) -> Any:
        """The last step."""
        return self.model[-1] if isinstance(self.model, Pipeline) else self.model

    @property
    def claimant(self) -> Any:
        """The estimator that has the certificate: the last step, or the one that it has a threshold for."""
        return without_threshold(self.estimator)

    @property
    def kind(self) -> Kind:
        """What is predicted: classes, numbers, or whether a row is outside."""
        if is_regressor(self.estimator):
            return "regressor"
        return "detector" if is_outlier_detector(self.estimator) else "classifier"

    @property
    def known_words(self) -> dict[str, frozenset[str]]:
        """For columns of words, spellings of missing values that are words to the model."""
        columns = getattr(self.front, "columns_", ())
        found = {own.name: frozenset(word for word in own.categories if word.lower() in MISSING) for own in columns}
        return {name: words for name, words in found.items() if words}

    def table(self, X: Any) -> Any:
        """The columns of a file that the model was given, in its order, without those that it knows nothing of."""
        if isinstance(self.front, ModelColumns):
            return self.front.table(X)
        columns = getattr(self.front, "columns_", ())
        if not isinstance(X, Columns) or not columns:
            return X.without(self.front.target) if isinstance(X, Columns) else X
        given = dict(zip(X.names, X.values, strict=True))
        names = [own.name for own in columns if own.name in given]
        return Columns(tuple(names), tuple(given[name] for name in names), len(X), self.front.dates_)

    def of_first_rows(self, X: Any, labels_last: bool = False) -> "FileModel":
        """A model that knows the names of the columns of a file, by its first rows, where it knew none."""
        front = self.front
        return self._replace(front=front.with_names_of(X, labels_last) if isinstance(front, ModelColumns) else front)


def file_model(model: Any, path: str) -> FileModel:
    """A loaded model for files; one whose rows no file has is refused."""
    if isinstance(model, Pipeline) and isinstance(model[0], (Preparation, TextColumn)):
        rest = model[1:]
        return FileModel(model[0], rest[0] if len(rest.steps) == 1 else rest)
    if not hasattr(model, "predict"):
        raise OptionError(f"{path} holds a {type(model).__name__}, which predicts nothing. Use load() in Python.")
    if is_symbolic(getattr(model, "support_vectors_", None)):
        raise OptionError(
            f"{path} holds a {type(model).__name__} of texts or sets that was stored alone. Use load() in Python, or "
            "store what separatrix fit makes of a file with a column of texts."
        )
    return FileModel(ModelColumns(model), by_place(model) if isinstance(model, Pipeline) else model)


def read_as_fitted(arguments: argparse.Namespace, model: FileModel) -> Block:
    """The rows of the file, with columns and indices read as they were in the fit, and a target if it has one."""
    front, labelled = model.front, model.kind != "detector"
    target = target_of(arguments) if arguments.target is not None else front.target
    known = {name: kind for name, kind in front.kinds_.items() if kind != "number"}
    how = columns_of(arguments) | {"known": model.known_words, "first_index": front.first_index_}
    if how["weights"] is None and "weights" in front.reading_:
        (how["weights"],) = map(column, front.reading_["weights"])
    dialect = dialect_of(arguments, front)
    raw = read_columns(arguments.file, target if labelled else None, dialect, kinds=known, labelled=labelled, **how)
    say_notes(raw)
    return raw


def labels_like(classifier: Any, labels: np.ndarray) -> np.ndarray:
    """The labels of a file in the type of those that the model learnt: 0.5 and True are text to commands."""
    known = getattr(classifier, "classes_", None)
    if labels.dtype.kind != "U" or (known is not None and known.dtype.kind not in "fb"):
        return labels
    if known is not None and known.dtype.kind == "b":
        return labels == "True" if set(labels.tolist()) <= {"True", "False"} else labels
    try:
        return labels.astype(np.float64)
    except ValueError:
        return labels
