"""One test of a fitted classifier on rows that had no part in its choice: the metric and its interval.

A part of the rows, such as the error rate, has the exact interval of Clopper and Pearson (1934). Of any other metric,
such as an AUC, the interval has the quantiles of its values on rows drawn from the test rows with replacement (Efron,
1979).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

from separatrix.selection.comparison import finite
from separatrix.selection.measures.bootstrap import bootstrap_interval
from separatrix.selection.measures.judging import ClassJudge
from separatrix.selection.measures.metrics import Judged, Metric
from separatrix.selection.measures.remembered import Remembered
from separatrix.selection.measures.scored_rows import ScoredRows, scored_rows
from separatrix.theory.exact_interval import Interval, exact_interval


@dataclass(frozen=True, eq=False)
class ClassTest:
    """The results of a test.

    Attributes
    ----------
    source : str
        The file that the rows came from; empty where they were held out of the table.
    index : ndarray
        Which rows of the table they are; empty where they came from elsewhere.
    n_train : int
        How many rows the tested model was fitted to.
    classes, truth, predicted : arrays
        The labels, and the class of each test row and the one predicted for it as places in them.
    metric, loss, interval
        What methods are ranked by, as a loss; not a number where these rows do not tell.
    guess : float
        The loss of always saying the most frequent class of the training rows.
    scored : ScoredRows or None
        The scores of the class that is looked for.
    """

    source: str
    index: np.ndarray
    n_train: int
    classes: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    metric: Metric
    loss: float
    interval: Interval
    guess: float
    guess_error: float
    scored: ScoredRows | None

    @property
    def n_rows(self) -> int:
        """How many test rows there are."""
        return self.truth.size

    @property
    def error_rate(self) -> float:
        """The part of them that is predicted wrong."""
        return float(np.mean(self.predicted != self.truth))

    @property
    def error_interval(self) -> Interval:
        """The 95 % interval of the error rate."""
        return exact_interval(float((self.predicted != self.truth).sum()), self.n_rows)

    @property
    def confusion(self) -> np.ndarray:
        """Test rows by their class (down) and the class predicted for them (across)."""
        k = self.classes.size
        return np.bincount(self.truth * k + self.predicted, minlength=k * k).reshape(k, k)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and lists, ready for JSON."""
        table = self.confusion
        recall = np.diag(table) / np.where(table.sum(axis=1) > 0, table.sum(axis=1), np.nan)
        ends = sorted(self.metric.shown(end) for end in self.interval)
        return {
            "rows": self.n_rows,
            "source": self.source or "held out",
            "fitted_to_rows": self.n_train,
            "metric": self.metric.name,
            "score": finite(self.metric.shown(self.loss)),
            "score_interval": ends if np.isfinite(ends).all() else None,
            "score_of_guessing": finite(self.metric.shown(self.guess)),
            "error_rate": self.error_rate,
            "error_interval": list(self.error_interval),
            "confusion": table.tolist(),
            "recall": dict(zip(map(str, self.classes.tolist()), map(finite, recall), strict=True)),
        }


def tested_classes(
    model: Any,
    rows: Any,
    codes: tuple[np.ndarray, np.ndarray],
    classes: np.ndarray,
    metric: Metric,
    code: int | None,
) -> dict[str, Any]:
    """Test a fitted classifier; the fields of a ClassTest that say what it found.

    `codes` are those of the test rows and of the rows that the model was fitted to, `code` is that of the class whose
    scores are kept.
    """
    truth, train = codes
    judgement = ClassJudge(truth, classes, metric).judge(model, rows)
    guess = DummyClassifier(strategy="prior").fit(np.zeros((train.size, 1)), classes[train])
    guessed = ClassJudge(truth, classes, metric).judge(guess, np.zeros((truth.size, 1)))
    recorded = Remembered(model, rows) if not metric.by_predictions else None

    def loss_of(index: np.ndarray) -> float:
        labels = classes[truth[index]]
        return metric.loss(Judged(recorded, index, labels, truth[index], judgement.predicted[index], classes))

    return {
        "n_train": train.size,
        "classes": classes,
        "truth": truth,
        "predicted": judgement.predicted,
        "metric": metric,
        "loss": judgement.loss,
        "interval": interval_of(metric, truth, judgement.loss, loss_of),
        "guess": guessed.loss,
        "guess_error": guessed.error,
        "scored": None if code is None else scored_rows(model, rows, truth == code, classes, code),
    }


def interval_of(metric: Metric, truth: np.ndarray, loss: float, loss_of: Any) -> Interval:
    """The interval of a loss on test rows: exact for a part of them, else by a bootstrap; NaN where none is known."""
    trials = metric.trials(truth)
    if not np.isfinite(loss):
        return Interval(np.nan, np.nan)
    if trials is not None:
        n = int(np.count_nonzero(trials))
        return exact_interval(loss * n, n)
    return bootstrap_interval(loss, loss_of, truth.size)
