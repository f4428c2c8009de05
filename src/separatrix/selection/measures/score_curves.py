"""What scores of one class are worth at every threshold: ROC, precision over recall, calibration, with intervals.

    at threshold t, rows with a score of at least t are called:
    recall = called of the class / of the class     false alarms = called of others / others
    precision = called of the class / called

Intervals are those of Clopper and Pearson (1934) for the counts at each threshold by itself.
"""

from typing import NamedTuple

import numpy as np

from separatrix.analysis.scoring import calibration
from separatrix.errors import DataError
from separatrix.rows import Vector
from separatrix.selection.differences import exact_interval

MAX_POINTS_WITH_INTERVALS = 120


class ScoreCounts(NamedTuple):
    """Rows called at each threshold, descending: those of the class, and others; the first threshold calls none."""

    thresholds: Vector
    hits: Vector
    alarms: Vector
    n_own: int
    n_others: int

    @property
    def recall(self) -> Vector:
        """The part of the class that is called."""
        return self.hits / self.n_own

    @property
    def false_alarm_rate(self) -> Vector:
        """The part of the others that is called."""
        return self.alarms / self.n_others

    @property
    def precision(self) -> Vector:
        """The part of the called that is of the class; 1 where none is called."""
        called = self.hits + self.alarms
        return np.where(called > 0, self.hits / np.maximum(called, 1), 1.0)

    @property
    def area(self) -> float:
        """The area under the ROC curve: the chance that a row of the class scores above another one."""
        return float(np.trapezoid(self.recall, self.false_alarm_rate))

    @property
    def average_precision(self) -> float:
        """The mean of the precisions at the rows of the class, each called together with all that score no less."""
        return float(np.sum(np.diff(self.recall) * self.precision[1:]))


def score_counts(scores: Vector, own: np.ndarray) -> ScoreCounts:
    """Count the rows that each threshold calls.

    >>> found = score_counts(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, True, False, True]))
    >>> found.hits.tolist(), found.alarms.tolist(), found.area
    ([0.0, 1.0, 2.0, 2.0], [0.0, 0.0, 1.0, 2.0], 0.875)
    """
    n_own = int(own.sum())
    if n_own in (0, own.size) or np.isnan(scores).any():
        raise DataError("Curves need scores of rows of the class and of others, and none that is not a number.")
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.append(ordered[1:] != ordered[:-1], True)  # of the rows with the same score
    hits, alarms = np.cumsum(own[order])[last], np.cumsum(~own[order])[last]
    return ScoreCounts(
        np.append(np.inf, ordered[last]),
        np.append(0.0, hits),
        np.append(0.0, alarms),
        n_own,
        own.size - n_own,
    )


def intervals(hits: Vector, totals: Vector) -> tuple[Vector, Vector]:
    """The ends of the 95 % interval of each part; from 0 to 1 where there is nothing to count."""
    pairs = [exact_interval(hit, int(total)) if total else (0.0, 1.0) for hit, total in zip(hits, totals, strict=True)]
    low, high = np.transpose(pairs)
    return low, high


def some_points(counts: ScoreCounts) -> np.ndarray:
    """Places of thresholds that stand for all of them: equally far apart along the curve, both ends among them."""
    along = counts.recall + counts.false_alarm_rate
    if along.size <= MAX_POINTS_WITH_INTERVALS:
        return np.arange(along.size)
    return np.unique(np.searchsorted(along, np.linspace(0.0, along[-1], MAX_POINTS_WITH_INTERVALS)))


class CalibrationPoint(NamedTuple):
    """Rows of similar predicted probability: how many, its mean, how often it came true, and the interval of that."""

    rows: int
    predicted: float
    observed: float
    low: float
    high: float


def calibration_points(probabilities: Vector, own: np.ndarray) -> list[CalibrationPoint]:
    """Predicted probabilities in tenths, and how often they came true.

    >>> found = calibration_points(np.array([0.91, 0.95, 0.99, 0.95]), np.array([True, True, False, True]))
    >>> [(point.rows, point.predicted, point.observed) for point in found]
    [(4, 0.95, 0.75)]
    """
    found = []
    for each in calibration(probabilities, own):
        low, high = exact_interval(each.observed * each.rows, each.rows)
        found.append(CalibrationPoint(each.rows, each.predicted, each.observed, low, high))
    return found
