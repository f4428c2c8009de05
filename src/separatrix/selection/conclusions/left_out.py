"""What was predicted for rows by fits that had not seen them: in cross-validation, at the threshold if there is one."""

from typing import TYPE_CHECKING

import numpy as np

from separatrix.rows import Vector
from separatrix.selection.measures.metrics import Judged

if TYPE_CHECKING:
    from separatrix.selection.study import Study


def left_out_codes(study: "Study") -> np.ndarray:
    """The class predicted for each row of the comparison when it was left out, by its code; -1 where it never was."""
    if not study.entry.predicted.size:
        return np.empty(0, dtype=np.intp)
    if study.threshold is None or study.scored is None:
        return study.entry.predicted[0]
    scores, code = study.scored.scores, study.threshold.code
    return np.where(np.isnan(scores), -1, np.where(scores >= study.threshold.value, code, 1 - code))


def left_out_loss(study: "Study") -> float:
    """The loss of the metric in cross-validation; at the threshold, where there is one, over all rows at once."""
    metric = study.entry.metric
    if study.threshold is None or not metric.by_predictions:
        return study.entry.mean
    predicted = left_out_codes(study)
    there = predicted >= 0
    truth = study.entry.truth[there]
    return metric.loss(Judged(None, None, study.classes[truth], truth, predicted[there], study.classes))


def left_out_error(study: "Study") -> float:
    """The part of the rows that is predicted wrong when left out."""
    if study.threshold is None:
        return study.entry.error_rate
    predicted = left_out_codes(study)
    there = predicted >= 0
    return float(np.mean(predicted[there] != study.entry.truth[there]))


def unseen_confusion(study: "Study") -> np.ndarray:
    """Rows by their class and the class predicted for them: those of the cross-validation, and those held out."""
    k, predicted = study.classes.size, left_out_codes(study)
    pairs = (study.entry.truth * k + predicted)[predicted >= 0] if predicted.size else np.empty(0, int)
    table = np.bincount(pairs, minlength=k * k).reshape(k, k)
    return table + study.test.confusion if study.test is not None and study.test.index.size else table


def unseen_recall(study: "Study") -> Vector:
    """The part of each class that is found by a fit that had not seen it; NaN where no row of it was tested."""
    totals = study.confusion.sum(axis=1)
    return np.where(totals > 0, np.diag(study.confusion) / np.maximum(totals, 1), np.nan)
