"""Scores of one class for rows that a fit had not seen: what curves are drawn from and thresholds chosen by."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from separatrix.errors import DataError
from separatrix.rows import Vector
from separatrix.selection.measures.metrics import class_scores, for_all_classes
from separatrix.selection.prepared_folds import PreparedFolds


class ScoredRows(NamedTuple):
    """The score of the class that is looked for, whether each row is of it, and its probability where there is one.

    Scores are not a number for rows that were never tested.
    """

    scores: Vector
    own: np.ndarray
    probabilities: Vector | None

    @property
    def tested(self) -> "ScoredRows":
        """The rows that have a score."""
        there = ~np.isnan(self.scores)
        return ScoredRows(
            self.scores[there], self.own[there], None if self.probabilities is None else self.probabilities[there]
        )

    @property
    def both_there(self) -> bool:
        """Whether there are rows of the class and others, without which there is no curve."""
        return bool(self.own.any() and not self.own.all())


def scored_rows(model: Any, rows: Any, own: np.ndarray, classes: np.ndarray, code: int) -> ScoredRows | None:
    """Score rows for one class by a fitted model; None where it has no score of each class."""
    try:
        scores = class_scores(model, rows, classes)[:, code]
    except (DataError, ValueError):  # no scores, or scores of pairs of classes
        return None
    probabilities = None
    if hasattr(model, "predict_proba"):
        probabilities = for_all_classes(model, np.asarray(model.predict_proba(rows)), classes, 0.0)[:, code]
    return ScoredRows(scores, own, probabilities)


def left_out_scores(estimator: Any, data: PreparedFolds, code: int) -> ScoredRows | None:
    """Score every row for one class by the fit of the fold that it was left out of; None where there are no scores."""
    own = data.codes == code
    scores, probabilities = np.full(own.size, np.nan), np.full(own.size, np.nan)
    for k, fold in enumerate(data.folds):
        train, test = data.rows(k)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fits of the comparison have told theirs
            model = clone(estimator).fit(train, data.y[fold.train])
            found = scored_rows(model, test, own[fold.test], data.classes, code)
        if found is None:
            return None
        scores[fold.test] = found.scores
        if found.probabilities is not None:
            probabilities[fold.test] = found.probabilities
    known = bool(np.isfinite(probabilities).any())
    return ScoredRows(scores, own, probabilities if known else None)
