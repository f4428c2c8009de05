"""How well predictions meet the labels or numbers of rows that have them: errors, per class, and of probabilities.

The error is the part of the rows with a wrong label, and the balanced error the mean over classes of that part. The log
loss is the mean of -log p(label), the Brier score the mean of the squared differences of p and 0 or 1, summed over
classes. AUC is the part of pairs, one row of the class and one of another, that scores have in the right order; for
several classes it is the mean over classes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from separatrix.rows import Vector

MIN_PROBABILITY = float(np.finfo(np.float64).tiny)  # below, a logarithm would be infinite
CALIBRATION_BINS = 10


@dataclass(frozen=True)
class CalibrationBin:
    """Rows whose predicted probability is in an interval: how many, its mean, and how often it came true."""

    low: float
    high: float
    rows: int
    predicted: float
    observed: float


@dataclass(frozen=True)
class ClassScores:
    """How well classes are told apart.

    `confusion` counts rows by their label, then by what is predicted; labels that the model does not know come last.
    Figures that need probabilities or scores are None where there are none.
    """

    classes: tuple[str, ...]
    confusion: np.ndarray
    error: float
    balanced_error: float
    recall: tuple[float, ...]
    precision: tuple[float, ...]
    f1: tuple[float, ...]
    log_loss: float | None = None
    brier: float | None = None
    auc: float | None = None
    calibration: tuple[CalibrationBin, ...] = ()


@dataclass(frozen=True)
class NumberScores:
    """How far predicted numbers are off: mean absolute, root mean squared and largest error, and R squared."""

    rows: int
    mean_absolute_error: float
    root_mean_squared_error: float
    largest_error: float
    r2: float


def score_classes(
    labels: np.ndarray,
    predicted: np.ndarray,
    classes: tuple[str, ...],
    probabilities: Any = None,
    scores: Any = None,
) -> ClassScores:
    """Score predictions of classes.

    Parameters
    ----------
    labels, predicted : arrays of n codes
        The classes of the rows, and what is predicted; a label beyond the classes is one that the model does not know.
    classes : tuple of str
        The names of the classes.
    probabilities : array of shape (n, n_classes) or None
        Of the classes.
    scores : array of shape (n,) or (n, n_classes), or None
        Of the decision function.

    Examples
    --------
    >>> import numpy as np
    >>> found = score_classes(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]), ("no", "yes"))
    >>> found.error, round(found.balanced_error, 3), found.confusion.tolist()
    (0.25, 0.167, [[2, 1], [0, 1]])
    """
    k = max(len(classes), int(labels.max(initial=0)) + 1)
    confusion = np.zeros((k, len(classes)), dtype=np.int64)
    np.add.at(confusion, (labels, predicted), 1)
    right = np.zeros(k)
    right[: len(classes)] = np.diagonal(confusion)
    rows, found = confusion.sum(axis=1), confusion.sum(axis=0)
    there = rows > 0
    recall = np.divide(right, rows, out=np.full(k, np.nan), where=there)
    known = right[: len(classes)]
    precision = np.divide(known, found, out=np.full(len(classes), np.nan), where=found > 0)
    both = rows[: len(classes)] + found
    f1 = np.divide(2.0 * known, both, out=np.full(len(classes), np.nan), where=both > 0)
    usable = labels < len(classes)
    given = {} if probabilities is None else of_probabilities(labels[usable], np.asarray(probabilities)[usable])
    # scores of two classes have no ties where probabilities are rounded to 1; of several they are not comparable
    preferred = (scores, probabilities) if len(classes) == 2 else (probabilities, scores)
    ranks = next((each for each in preferred if each is not None), None)
    return ClassScores(
        classes,
        confusion,
        1.0 - float(right.sum()) / max(labels.size, 1),
        1.0 - float(recall[there].mean()) if there.any() else np.nan,
        tuple(recall[: len(classes)].tolist()),
        tuple(precision.tolist()),
        tuple(f1.tolist()),
        auc=None if ranks is None else mean_auc(labels[usable], np.asarray(ranks)[usable], len(classes)),
        **given,
    )


def of_probabilities(labels: np.ndarray, probabilities: np.ndarray) -> dict[str, Any]:
    """The log loss, the Brier score and the calibration of probabilities."""
    own = probabilities[np.arange(labels.size), labels]
    truth = np.zeros_like(probabilities)
    truth[np.arange(labels.size), labels] = 1.0
    if probabilities.shape[1] == 2:
        said, came_true = probabilities[:, 1], labels == 1
    else:
        said, came_true = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    return {
        "log_loss": float(-np.log(np.maximum(own, MIN_PROBABILITY)).mean()),
        "brier": float(np.square(probabilities - truth).sum(axis=1).mean()),
        "calibration": calibration(said, came_true),
    }


def calibration(said: Vector, came_true: np.ndarray) -> tuple[CalibrationBin, ...]:
    """Probabilities in intervals of equal width, those without rows left out, and how often they came true."""
    place = np.minimum((said * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    found = []
    for j in np.unique(place).tolist():
        rows = place == j
        low, high = j / CALIBRATION_BINS, (j + 1) / CALIBRATION_BINS
        means = float(said[rows].mean()), float(came_true[rows].mean())
        found.append(CalibrationBin(low, high, int(rows.sum()), *means))
    return tuple(found)


def mean_auc(labels: np.ndarray, scores: np.ndarray, n_classes: int) -> float | None:
    """The area under the ROC curve: of the second of two classes, or the mean over classes against the rest."""
    if scores.ndim == 1 or n_classes == 2:
        return auc(scores if scores.ndim == 1 else scores[:, -1], labels == 1)
    if scores.shape[1] != n_classes:
        return None
    areas = [auc(scores[:, j], labels == j) for j in range(n_classes)]
    known = [area for area in areas if area is not None]
    return float(np.mean(known)) if known else None


def auc(scores: Vector, positive: np.ndarray) -> float | None:
    """The part of pairs of a positive and another row that scores order rightly, ties by half (Mann and Whitney, 1947).

    >>> auc(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))
    0.875
    """
    n = int(positive.sum())
    if n in (0, positive.size):
        return None
    return float((rankdata(scores)[positive].sum() - n * (n + 1) / 2) / (n * (positive.size - n)))


def score_numbers(truth: Vector, predicted: Vector) -> NumberScores:
    """Score predictions of numbers.

    >>> score_numbers(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])).r2
    0.5
    """
    residuals = truth - predicted
    squares = float(np.square(truth - truth.mean()).sum())
    return NumberScores(
        truth.size,
        float(np.abs(residuals).mean()),
        float(np.sqrt(np.square(residuals).mean())),
        float(np.abs(residuals).max()),
        1.0 - float(np.square(residuals).sum()) / squares if squares > 0.0 else np.nan,
    )
