"""What a comparison ranks methods by: error rate, balanced error, AUC, log loss, F1, recall, or any scorer.

    error      part of the rows that are wrong                     balanced   mean over the classes of the part missed
    recall     part of the rows of a class that are found          f1         harmonic mean of recall and precision
    auc        chance that a row of the class scores above one of another class (Hanley and McNeil, 1982)
    logloss    mean of -log of the probability of the own class    cost       mean price, by a matrix of prices

Every one is kept as a loss, of which less is better: 1 - recall, 1 - F1, 1 - AUC, minus a scorer. It is shown as people
know it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import DataError, OptionError
from separatrix.rows import Vector

METRICS = ("error", "balanced", "auc", "logloss", "f1", "recall")
OF_A_CLASS = ("f1", "recall")  # which ask for the class that is looked for
LEAST_PROBABILITY = 1e-15  # that a log loss takes for 0, as scikit-learn does


class Judged(NamedTuple):
    """A fitted model and test rows with their labels, and the codes of their classes and of those predicted.

    Where numbers are predicted, there are no classes, and truth and predictions are numbers. Rows count by their
    weights, if any.
    """

    model: Any
    rows: Any
    labels: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    classes: np.ndarray
    weights: Vector | None = None

    def part(self, flags: np.ndarray, where: Any = slice(None)) -> float:
        """The mean of flags or numbers over some of the rows."""
        return float(np.average(flags[where], weights=None if self.weights is None else self.weights[where]))

    def sum(self, flags: np.ndarray) -> float:
        """The sum of flags over all rows."""
        return float(flags.sum() if self.weights is None else flags @ self.weights)


@dataclass(frozen=True)
class Metric:
    """A measure of predictions.

    Attributes
    ----------
    name : str
        How it is asked for.
    title : str
        What is shown, such as "recall of 1".
    loss_title : str
        What is minimised, such as "missed of 1".
    loss : function of Judged
        What is minimised.
    turned : float or None
        What is shown is this number minus the loss; None where the loss itself is shown.
    in_percent : bool
        Whether it is a part of something, between 0 and 1.
    positive : int or None
        The code of the class that is looked for.
    by_predictions : bool
        Whether it depends on the predicted classes alone.
    reads_rows : bool
        Whether it may look at more than what a model says of the rows.
    limits : tuple of float or None
        The least and the largest loss that there can be, where it is no part of something; None where not known.
    """

    name: str
    title: str
    loss_title: str
    loss: Callable[[Judged], float]
    turned: float | None = None
    in_percent: bool = True
    positive: int | None = None
    by_predictions: bool = True
    reads_rows: bool = False
    limits: tuple[float, float] | None = None

    @property
    def greater_is_better(self) -> bool:
        """Whether more of what is shown is better."""
        return self.turned is not None

    def shown(self, loss: float) -> float:
        """The value that people know."""
        return loss if self.turned is None else self.turned - loss

    def text(self, loss: float) -> str:
        """The value as text, in percent without the sign where it is a part."""
        return f"{100 * self.shown(loss):.2f}" if self.in_percent else f"{self.shown(loss):.4g}"

    def interval(self, low: float, high: float) -> str:
        """An interval of the loss, as an interval of what is shown."""
        ends = sorted((self.shown(low), self.shown(high)))
        return " to ".join(f"{100 * end:.1f}" if self.in_percent else f"{end:.3g}" for end in ends)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest loss that there can be."""
        if self.limits is not None:
            return self.limits
        return (0.0, 1.0) if self.in_percent else (0.0 if self.turned is None else -np.inf, np.inf)

    def trials(self, truth: np.ndarray) -> np.ndarray | None:
        """The rows of which the loss is the part that is wrong; None where it is no such part."""
        if self.name == "error":
            return np.full(truth.shape, True)
        return truth == self.positive if self.name == "recall" and self.positive is not None else None


def error_rate(judged: Judged) -> float:
    """The part of the rows for which another class is predicted."""
    return judged.part(judged.predicted != judged.truth)


ERROR = Metric("error", "error", "error", error_rate)


def metric_of(
    wanted: Any, classes: np.ndarray | None = None, counts: np.ndarray | None = None, positive: Any = None
) -> Metric:
    """The metric that a name, a scorer of scikit-learn, or a matrix of costs asks for.

    `positive` is the label that recall and F1 are of. By default, of two classes it is 1 beside 0 or -1, else the rarer
    one; of more classes the mean over all is taken.

    >>> metric_of("recall", np.array(["no", "yes"]), np.array([90, 10])).title
    'recall of yes'
    >>> metric_of("accuracy").title, metric_of("balanced", np.arange(3)).title
    ('accuracy', 'balanced accuracy')
    """
    if wanted is None or (isinstance(wanted, str) and wanted == "error"):
        return ERROR
    if classes is not None and isinstance(wanted, (list, tuple, np.ndarray)):
        return cost(wanted, classes)
    if not (isinstance(wanted, str) and wanted in METRICS) or classes is None:
        return scorer_metric(wanted)
    code = positive_code(classes, counts, positive)
    return NAMED[wanted](code if wanted in OF_A_CLASS or positive is not None else None, classes)


def positive_code(classes: np.ndarray, counts: np.ndarray | None, positive: Any) -> int | None:
    """The code of the class that is looked for; None for the mean over all of more than two classes."""
    labels = classes.tolist()
    if positive is not None:
        match = [code for code, label in enumerate(labels) if label == positive or str(label) == str(positive)]
        if not match:
            raise OptionError(f"There is no class {positive!r} to look for. The classes are {labels[:12]}.")
        return match[0]
    if len(labels) > 2:
        return None
    if [str(label) for label in labels] in (["0", "1"], ["-1", "1"], ["False", "True"]) or counts is None:
        return 1
    return 0 if counts[0] < counts[1] else 1


def balanced(positive: int | None, classes: np.ndarray) -> Metric:
    """The mean over the classes of the part that is missed."""
    return Metric("balanced", "balanced accuracy", "balanced error", lambda judged: float(missed(judged)), turned=1.0)


def recall(positive: int | None, classes: np.ndarray) -> Metric:
    """The part of the rows of a class that are not found; the mean over all classes where none is looked for."""
    of = "the classes" if positive is None else f"{classes[positive]}"
    return Metric(
        "recall", f"recall of {of}", f"missed of {of}", lambda judged: float(missed(judged, positive)),
        turned=1.0, positive=positive,
    )  # fmt: skip


def missed(judged: Judged, positive: int | None = None) -> float:
    """The part of a class that is not found, or the mean of these parts over the classes that are there."""
    truth, right = judged.truth, judged.predicted == judged.truth
    if positive is not None:
        return 1.0 - judged.part(right, truth == positive) if (truth == positive).any() else np.nan
    return float(np.mean([1.0 - judged.part(right, truth == code) for code in np.unique(truth)]))


def f1(positive: int | None, classes: np.ndarray) -> Metric:
    """One minus F1 of a class, or minus the mean over all of them."""
    of = "the classes" if positive is None else f"{classes[positive]}"
    codes = range(classes.size) if positive is None else [positive]

    def loss(judged: Judged) -> float:
        both = [(judged.truth == code, judged.predicted == code) for code in codes]
        sizes = [(judged.sum(own & said), judged.sum(own), judged.sum(said)) for own, said in both]
        return 1.0 - float(np.mean([2.0 * hits / (own + said) if own + said else 0.0 for hits, own, said in sizes]))

    return Metric("f1", f"F1 of {of}", f"1 - F1 of {of}", loss, turned=1.0, positive=positive)


def auc(positive: int | None, classes: np.ndarray) -> Metric:
    """One minus the area under the curve of recall over false alarms; of several classes the mean of each one's."""

    def loss(judged: Judged) -> float:
        scores = class_scores(judged.model, judged.rows, judged.classes)
        codes = [1] if scores.shape[1] == 2 else range(scores.shape[1])
        areas = [area(scores[:, code], judged.truth == code, judged.weights) for code in codes]
        return 1.0 - float(np.nanmean(areas)) if np.isfinite(areas).any() else np.nan

    return Metric("auc", "AUC", "1 - AUC", loss, turned=1.0, by_predictions=False)


def area(scores: Vector, own: np.ndarray, weights: Vector | None = None) -> float:
    """The chance that a row of the class scores above one of the others, ties half; NaN without both.

    >>> area(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, True, False, True]))
    0.875
    """
    counts = np.ones(own.size) if weights is None else weights
    positive, other = counts * own, counts * ~own
    if not (positive.any() and other.any()):
        return np.nan
    place = np.unique(scores, return_inverse=True)[1]
    tied = np.bincount(place, other)
    below = np.cumsum(tied) - 0.5 * tied
    return float(positive @ below[place] / (positive.sum() * other.sum()))


def class_scores(model: Any, rows: Any, classes: np.ndarray) -> Vector:
    """A score of each class, by decision_function or else by probabilities; the lowest for a class without training."""
    if hasattr(model, "decision_function"):
        found = np.asarray(model.decision_function(rows), dtype=np.float64)
        found = np.column_stack([-found, found]) if found.ndim == 1 else found
    elif hasattr(model, "predict_proba"):
        found = np.asarray(model.predict_proba(rows), dtype=np.float64)
    else:
        raise DataError(f"{type(model).__name__} has no decision_function and no predict_proba to compute an AUC from.")
    return for_all_classes(model, found, classes, -np.inf)


def for_all_classes(model: Any, found: Vector, classes: np.ndarray, missing: float) -> Vector:
    """Columns for all classes, where the training rows of a fold may have lacked some."""
    whole = np.full((len(found), classes.size), missing)
    whole[:, np.searchsorted(classes, model.classes_)] = found
    return whole


def logloss(positive: int | None, classes: np.ndarray) -> Metric:
    """The mean of -log of the probability of the own class."""

    def loss(judged: Judged) -> float:
        if not hasattr(judged.model, "predict_proba"):
            name = type(judged.model).__name__
            raise DataError(f"{name} gives no probabilities to compute a log loss from: wrap it by Calibrated.")
        found = for_all_classes(judged.model, np.asarray(judged.model.predict_proba(judged.rows)), judged.classes, 0.0)
        own = found[np.arange(judged.truth.size), judged.truth]
        return judged.part(-np.log(np.clip(own, LEAST_PROBABILITY, 1.0)))

    return Metric("logloss", "log loss", "log loss", loss, in_percent=False, by_predictions=False)


def cost(matrix: Any, classes: np.ndarray) -> Metric:
    """The mean price of predictions, where the matrix has the price of class j predicted for a row of class i.

    >>> cost([[0, 1], [10, 0]], np.array(["well", "ill"])).limits
    (0.0, 10.0)
    """
    try:
        prices = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        prices = np.empty(0)
    if prices.shape != (classes.size, classes.size) or not np.isfinite(prices).all():
        raise OptionError(
            f"A matrix of costs must have finite numbers, a row for each true and a column for each predicted class of "
            f"{classes.tolist()[:12]}. Got {matrix!r}."
        )

    def loss(judged: Judged) -> float:
        return judged.part(prices[judged.truth, judged.predicted])

    limits = float(prices.min()), float(prices.max())
    return Metric("cost", "mean cost", "mean cost", loss, in_percent=False, limits=limits)


NAMED: dict[str, Callable[[int | None, np.ndarray], Metric]] = {
    "balanced": balanced, "auc": auc, "logloss": logloss, "f1": f1, "recall": recall,
}  # fmt: skip


SCORES_FROM_0_TO_1 = (
    "accuracy", "average_precision", "balanced_accuracy", "f1", "jaccard", "precision", "recall", "roc_auc",
)  # fmt: skip


def scorer_metric(wanted: Any) -> Metric:
    """A scorer of scikit-learn, by its name or as a function of an estimator, rows and labels."""
    from sklearn.metrics import get_scorer

    try:
        scorer = get_scorer(wanted) if isinstance(wanted, str) else wanted
    except ValueError:
        scorer = None
    if not callable(scorer):
        raise OptionError(
            f"The 'scoring' parameter must be one of {', '.join(METRICS)}, a scorer of scikit-learn or its name. Got "
            f"{wanted!r}."
        )
    name = wanted if isinstance(wanted, str) else getattr(wanted, "__name__", "score")

    def loss(judged: Judged) -> float:
        weights = {} if judged.weights is None else {"sample_weight": judged.weights}
        return -float(scorer(judged.model, judged.rows, judged.labels, **weights))

    limits = loss_limits(wanted) if isinstance(wanted, str) else None
    return Metric(
        name, name, f"-{name}", loss, turned=0.0, in_percent=False, by_predictions=False,
        reads_rows=not hasattr(scorer, "_score_func"), limits=limits,
    )  # fmt: skip


def loss_limits(scorer: str) -> tuple[float, float] | None:
    """The least and the largest of minus the score, by the name of a scorer of scikit-learn; None where not known.

    >>> loss_limits("roc_auc"), loss_limits("neg_log_loss"), loss_limits("r2"), loss_limits("matthews_corrcoef")
    ((-1.0, 0.0), (0.0, inf), (-1.0, inf), None)
    """
    if scorer.startswith(SCORES_FROM_0_TO_1):
        return -1.0, 0.0
    if scorer.startswith("neg_"):
        return 0.0, np.inf
    return (-1.0, np.inf) if scorer in ("r2", "explained_variance") else None
