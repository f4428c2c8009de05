"""The scores of any classifier for rows and points, in blocks, and the support rows that it has."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from separatrix.data.encode_kernel import is_symbolic
from separatrix.errors import DataError, OptionError
from separatrix.report.charts.projection import row_mask
from separatrix.rows import Vector

if TYPE_CHECKING:
    from separatrix.report.charts.section import Section

MAX_KERNEL_VALUES = 1e8  # of all rows, or of all points of a grid, with the support rows: some seconds
MAX_BLOCK_NUMBERS = 2**22  # of rows that are scored at once
MAX_SCORE = 1e100  # infinite ones are drawn as these


def check_model(model: Any, X: Any) -> None:
    """Refuse what has no scores for points of a plane: other models, and rows that are no vectors."""
    if not (hasattr(model, "decision_function") and hasattr(model, "predict")):
        raise OptionError(
            f"A decision surface is made of the scores of a classifier, but {type(model).__name__} has no "
            "decision_function."
        )
    check_is_fitted(model)
    if not hasattr(model, "classes_"):
        raise OptionError(f"A decision surface needs classes_, which {type(model).__name__} has not.")
    if is_symbolic(X) or get_tags(model).input_tags.pairwise:
        kind = "sets or texts" if is_symbolic(X) else "values of a precomputed kernel"
        raise DataError(
            f"A decision surface is drawn over features, and these rows are {kind}. Draw model.decision_function(X)."
        )


def machine_of(model: Any) -> Any:
    """The classifier itself: the last step of a pipeline."""
    return model[-1] if isinstance(model, Pipeline) else model


def support(model: Any, matrix: Any) -> np.ndarray:
    """The support rows as a mask, if these are the rows of the fit."""
    machine, n = machine_of(model), matrix.shape[0]
    held, vectors = getattr(machine, "support_", None), getattr(machine, "support_vectors_", None)
    if held is None or (np.size(held) and np.max(held) >= n):
        return np.zeros(n, dtype=bool)
    if vectors is not None:
        rows = matrix[held]
        if machine is not model and len(model) > 1:
            with unnamed():
                rows = model[:-1].transform(rows)
        if not np.array_equal(dense(rows), dense(vectors)):
            return np.zeros(n, dtype=bool)
    return row_mask(held, n)


def scores_of(model: Any, points: Any, section: "Section | None" = None) -> Vector:
    """The scores of rows, or of points of a section, in blocks of bounded memory."""
    width = points.shape[1] if section is None else section.origin.size
    step = max(256, MAX_BLOCK_NUMBERS // max(1, width))
    found = []
    with unnamed():
        for first in range(0, points.shape[0], step):
            block = points[first : first + step]
            block = block if section is None else section.origin + block @ section.basis
            found.append(np.asarray(model.decision_function(block), dtype=np.float64))
    scores, k = np.concatenate(found), len(model.classes_)
    if scores.shape[1:] != ((k,) if k > 2 else ()):
        raise OptionError(
            f"A decision surface needs one score for each of the {k} classes (of two classes: for the second). "
            f"{type(model).__name__} gives scores of shape {scores.shape}."
        )
    return np.clip(scores, -MAX_SCORE, MAX_SCORE)


def predicted(scores: Vector) -> np.ndarray:
    """The codes of the classes that scores stand for."""
    return (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)


def dense(matrix: Any) -> Any:
    """Rows as an array."""
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


@contextmanager
def unnamed() -> Iterator[None]:
    """No warnings that rows have no names: they are made of numbers, in the order of the features."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield
