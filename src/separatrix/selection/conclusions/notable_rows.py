"""Rows of a study worth a look, with the columns that matter: those that prove the verdict, and those missed."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.rows import Vector
from separatrix.selection.conclusions.left_out import left_out_codes

if TYPE_CHECKING:
    from separatrix.selection.study import Study

MAX_ROWS_SHOWN, MAX_VALUES_SHOWN = 30, 8  # of the rows that prove a verdict
MAX_MISSED_SHOWN = 12


def witness_table(study: "Study") -> tuple[str, list[dict[str, Any]]]:
    """A title, and the rows that prove the verdict: those that overlap, those on the plane, or those on the margin."""
    found = study.separability
    weights = np.zeros(0)
    if found.kind == "complete":
        rows, title = found.support, "The rows that hold the widest margin"
    elif found.kind == "quasi-complete":
        rows, title = found.on_plane, "Rows on the plane"
    else:
        rows, weights, title = found.witness, found.weights, "The rows that no plane separates"
    if not rows.size:
        return "", []
    shown = rows[:MAX_ROWS_SHOWN]
    title += f" (the first {MAX_ROWS_SHOWN} of {rows.size:,})" if rows.size > MAX_ROWS_SHOWN else ""
    names = columns_that_matter(study)
    return title, [
        {
            "row": int(row),
            "line": study.line_of(int(row)),
            "class": str(study.y[row]),
            "weight": float(weights[i]) if weights.size else None,
            "values": values_of(found, int(np.flatnonzero(found.rows == row)[0]), names),
        }
        for i, row in enumerate(shown)
    ]


def missed_table(study: "Study") -> list[dict[str, Any]]:
    """Rows that a fit which had not seen them predicted wrong, those of the rarest class first."""
    truth, predicted, index = study.entry.truth, left_out_codes(study), study.comparison.index
    if not predicted.size:
        return []
    if study.test is not None and study.test.index.size:
        truth, predicted = np.append(truth, study.test.truth), np.append(predicted, study.test.predicted)
        index = np.append(index, study.test.index)
    wrong = np.flatnonzero((predicted != truth) & (predicted >= 0))
    sizes = np.bincount(truth, minlength=study.classes.size)
    order = wrong[np.lexsort((index[wrong], sizes[truth[wrong]]))][:MAX_MISSED_SHOWN]
    labels = study.classes
    return [
        {
            "row": int(index[i]),
            "line": study.line_of(int(index[i])),
            "class": str(labels[truth[i]]),
            "predicted": str(labels[predicted[i]]),
        }
        for i in order
    ]


def columns_that_matter(study: "Study") -> list[str]:
    """The features with the largest effects on the scores of the chosen classifier, or that differ most by class."""
    effects = effects_of(study.classifier, study.X)
    if effects is None:
        effects = class_differences(study.X, study.y)
    order = np.argsort(-effects, kind="stable")
    raw = list(study.separability.feature_names)
    return [study.feature_names[j] for j in order if study.feature_names[j] in raw] or raw


def effects_of(classifier: Any, X: Any) -> Vector | None:
    """How far a standard deviation of each feature moves the scores; None without coefficients of the features."""
    weights = getattr(classifier, "coef_", None)
    if weights is None or np.shape(weights)[-1] != X.shape[1]:
        return None
    return np.abs(np.atleast_2d(weights)).max(axis=0) * deviations(X)


def deviations(X: Any) -> Vector:
    """The standard deviation of each column, of dense or sparse rows."""
    if isinstance(X, np.ndarray):
        return X.std(axis=0)
    mean = np.asarray(X.mean(axis=0)).ravel()
    return np.sqrt(np.maximum(np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2, 0.0))


def class_differences(X: Any, y: np.ndarray) -> Vector:
    """The range of the means of the classes in each column, in its standard deviations."""
    means = np.array([np.asarray(X[np.flatnonzero(y == label)].mean(axis=0)).ravel() for label in np.unique(y)])
    spread = deviations(X)
    return np.ptp(means, axis=0) / np.where(spread > 0.0, spread, 1.0)


def values_of(found: Any, row: int, names: list[str]) -> dict[str, float]:
    """The features of a row that matter most, by name; of a sparse row those of them that are not 0."""
    X, place = found.problem.X, {name: j for j, name in enumerate(found.feature_names)}
    if isinstance(X, np.ndarray):
        return {name: float(X[row, place[name]]) for name in names[:MAX_VALUES_SHOWN]}
    own = slice(X.indptr[row], X.indptr[row + 1])
    stored = dict(zip(X.indices[own].tolist(), X.data[own].tolist(), strict=True))
    kept = [name for name in names if place[name] in stored][:MAX_VALUES_SHOWN]
    return {name: float(stored[place[name]]) for name in kept}
