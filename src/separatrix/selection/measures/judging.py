"""How wrong the predictions of a fitted model are for test rows: classes by a metric, numbers by their distance."""

from collections.abc import Callable
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
    """Test rows of classes: the codes of their classes, all labels, the metric, and the weights of the rows or None."""

    truth: np.ndarray
    classes: np.ndarray
    metric: Metric
    weights: Vector | None = None

    def judge(self, model: Any, test: Any) -> Judgement:
        """Predict the test rows, check that the labels are classes, and measure."""
        labels = one_prediction_a_row(model, test, self.truth.size)
        codes = np.minimum(np.searchsorted(self.classes, labels), self.classes.size - 1)
        unknown = labels[self.classes[codes] != labels]
        if unknown.size:
            raise DataError(f"predict gave the label {unknown.tolist()[0]!r}, which is none of the classes.")
        rate = float(np.average(codes != self.truth, weights=self.weights))
        judged = Judged(model, test, self.classes[self.truth], self.truth, codes, self.classes, self.weights)
        return Judgement(codes, rate, rate if self.metric.name == "error" else self.metric.loss(judged))


@dataclass(frozen=True)
class NumberJudge:
    """Test rows with numbers, the metric or None for the mean absolute error, and the weights of the rows or None."""

    truth: Vector
    metric: Metric | None
    weights: Vector | None = None

    def judge(self, model: Any, test: Any) -> Judgement:
        """Predict the test rows, check that the numbers are finite, and measure."""
        numbers = one_prediction_a_row(model, test, self.truth.size).astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(numbers))
        if bad.size:
            raise DataError(f"predict gave {numbers[bad[0]]} for {counted(bad.size, 'row')} of a fold.")
        error = float(np.average(np.abs(self.truth - numbers), weights=self.weights))
        judged = Judged(model, test, self.truth, self.truth, numbers, np.empty(0), self.weights)
        return Judgement(numbers, error, error if self.metric is None else self.metric.loss(judged))


def class_loss(
    codes: np.ndarray, classes: np.ndarray, metric: Metric, weights: Vector | None = None
) -> Callable[[Any, Any, np.ndarray], float]:
    """The metric as a function of a model, test rows, and their numbers among all rows, whose class codes are known."""

    def loss(model: Any, rows: Any, index: np.ndarray) -> float:
        own = None if weights is None else weights[index]
        return ClassJudge(codes[index], classes, metric, own).judge(model, rows).loss

    return loss


def number_loss(
    numbers: Vector, metric: Metric | None, weights: Vector | None = None
) -> Callable[[Any, Any, np.ndarray], float]:
    """The metric as a function of a model, test rows, and their numbers among all rows, whose targets are known."""

    def loss(model: Any, rows: Any, index: np.ndarray) -> float:
        own = None if weights is None else weights[index]
        return NumberJudge(numbers[index], metric, own).judge(model, rows).loss

    return loss


def one_prediction_a_row(model: Any, test: Any, n: int) -> np.ndarray:
    """What a model predicts for n test rows; a DataError where it is not one value a row."""
    found = np.asarray(model.predict(test))
    if found.shape != (n,):
        raise DataError(f"predict gave an array of shape {found.shape} for {counted(n, 'row')}.")
    return found
