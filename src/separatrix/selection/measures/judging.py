"""How wrong the predictions of a fitted model are for test rows: classes by a metric, numbers by their distance."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import DataError, counted
from separatrix.rows import Vector
from separatrix.selection.measures.metrics import Judged, Metric


class Judgement(NamedTuple):
    """What is predicted (class codes or numbers), its error rate or mean absolute error, and the loss of the metric."""

    predicted: np.ndarray
    error: float
    loss: float


@dataclass(frozen=True)
class ClassJudge:
    """Test rows of classes: the codes of their classes, all labels, and the metric."""

    truth: np.ndarray
    classes: np.ndarray
    metric: Metric

    def judge(self, model: Any, test: Any) -> Judgement:
        """Predict the test rows, check that the labels are classes, and measure."""
        labels = one_prediction_a_row(model, test)
        codes = np.minimum(np.searchsorted(self.classes, labels), self.classes.size - 1)
        unknown = labels[self.classes[codes] != labels]
        if unknown.size:
            raise DataError(f"predict gave the label {unknown.tolist()[0]!r}, which is none of the classes.")
        rate = float(np.mean(codes != self.truth))
        judged = Judged(model, test, self.classes[self.truth], self.truth, codes, self.classes)
        return Judgement(codes, rate, rate if self.metric.name == "error" else self.metric.loss(judged))


@dataclass(frozen=True)
class NumberJudge:
    """Test rows with numbers, and the metric; None for the mean absolute error."""

    truth: Vector
    metric: Metric | None

    def judge(self, model: Any, test: Any) -> Judgement:
        """Predict the test rows, check that the numbers are finite, and measure."""
        numbers = one_prediction_a_row(model, test).astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(numbers))
        if bad.size:
            raise DataError(f"predict gave {numbers[bad[0]]} for {counted(bad.size, 'row')} of a fold.")
        error = float(np.mean(np.abs(self.truth - numbers)))
        judged = Judged(model, test, self.truth, self.truth, numbers, np.empty(0))
        return Judgement(numbers, error, error if self.metric is None else self.metric.loss(judged))


def one_prediction_a_row(model: Any, test: Any) -> np.ndarray:
    """What a model predicts for test rows; a DataError where it is not one value a row."""
    found = np.asarray(model.predict(test))
    if found.shape != (test.shape[0],):
        raise DataError(f"predict gave an array of shape {found.shape} for {counted(test.shape[0], 'row')}.")
    return found
