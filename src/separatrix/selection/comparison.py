"""The results of a comparison: one entry for each method, in the order of their errors."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from separatrix.errors import at_most
from separatrix.rows import Vector
from separatrix.selection.measures.metrics import ERROR, Metric
from separatrix.selection.ranked import Ranked

BASELINE = "most frequent class"


@dataclass(frozen=True)
class Proofs:
    """The certificates of a method over all folds.

    `kind` names them, `proved` counts the folds with a proof about the planes of the fit out of `folds`, `worst` is the
    largest error stated, rounding included. That no plane separates the classes is no proof about the one that was
    fitted.
    """

    kind: str
    proved: int
    folds: int
    worst: float

    @property
    def all_proved(self) -> bool:
        """Whether there is a proof in every fold."""
        return self.proved == self.folds

    @property
    def answer(self) -> str:
        """Whether the fits are proved to be the best of their kind, and to which part of the objective: for a table."""
        if self.all_proved:
            return f"to {at_most(self.worst)}" if self.worst else "yes"
        return f"{self.proved} of {self.folds}" if self.proved else "no"

    def __str__(self) -> str:
        if self.all_proved:
            return f"proved to {at_most(self.worst)}" if self.worst else "proved"
        return f"proved in {self.proved} of {self.folds}" if self.proved else "not proved"


@dataclass(frozen=True, eq=False)
class Entry:
    """A method and its results in cross-validation.

    Attributes
    ----------
    name : str
        Its name.
    estimator : object
        The unfitted estimator with its options.
    errors : ndarray
        What the metric makes of each fold, as a loss: its error rate, unless another metric was asked for.
    mean, low, high : float
        Their mean, and a 95 % interval for it. NaN where it failed.
    plain_errors : ndarray
        Its error rate in each fold, whatever the metric.
    metric : Metric
        What methods are ranked by.
    p : float
        The p-value of its difference to the best, corrected for the number of methods.
    differs : bool
        Whether p is below 0.05: the difference to the best is significant.
    fit_seconds, predict_seconds : float or None
        Median over the folds of the seconds of a fit, and of predicting the test rows.
    proofs : Proofs or None
        A summary of its certificates; None where it has none.
    warnings : tuple of str
        The first of each kind of warning, and in how many folds there was one.
    failure : str
        Why there is no result; empty where there is.
    classes : ndarray
        The labels.
    truth : ndarray of shape (n,)
        The class of each row, as a place in `classes`.
    predicted : ndarray of shape (repeats, n)
        The class that was predicted when the row was among the test rows; -1 where it never was.
    """

    name: str
    estimator: Any
    position: int
    errors: Vector
    plain_errors: Vector
    mean: float
    low: float
    high: float
    fit_seconds: float | None
    predict_seconds: float | None
    proofs: Proofs | None
    warnings: tuple[str, ...]
    failure: str
    classes: np.ndarray = field(repr=False)
    truth: np.ndarray = field(repr=False)
    predicted: np.ndarray = field(repr=False)
    p: float = np.nan
    differs: bool = False
    baseline: bool = False
    metric: Metric = ERROR

    @property
    def error_rate(self) -> float:
        """The part of the rows that are wrong when they are left out, whatever the metric."""
        return float(self.plain_errors.mean()) if self.plain_errors.size else np.nan

    @property
    def score(self) -> float:
        """The mean of the metric as it is known: recall and not what is missed."""
        return self.metric.shown(self.mean)

    @property
    def confusion(self) -> np.ndarray:
        """Rows by their class (down) and the class predicted for them (across), added up over the repeats."""
        k = self.classes.size
        pairs = (self.truth * k + self.predicted)[self.predicted >= 0] if self.predicted.size else np.empty(0, int)
        return np.bincount(pairs, minlength=k * k).reshape(k, k)

    @property
    def recall(self) -> Vector:
        """The part of each class that is found when left out; NaN where no row of it was tested."""
        table = self.confusion
        totals = table.sum(axis=1)
        return np.where(totals > 0, np.diag(table) / np.maximum(totals, 1), np.nan)

    @property
    def precision(self) -> Vector:
        """The part of the rows predicted as each class that are of it; NaN where it is never predicted."""
        table = self.confusion
        totals = table.sum(axis=0)
        return np.where(totals > 0, np.diag(table) / np.maximum(totals, 1), np.nan)

    @property
    def predictions(self) -> np.ndarray:
        """The label that was predicted for each row when it was among the test rows; of the first repeat."""
        return self.classes[self.predicted[0]] if self.predicted.size else self.classes[:0]

    @property
    def wrong(self) -> Vector:
        """For each row the fraction of its predictions that were wrong; NaN where it was never tested."""
        tested = self.predicted >= 0
        wrong = ((self.predicted != self.truth) & tested).sum(axis=0)
        return np.where(tested.any(axis=0), wrong / np.maximum(tested.sum(axis=0), 1), np.nan)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and lists, ready for JSON; None stands for what is not there."""
        proofs, ok = self.proofs, bool(np.isfinite([self.low, self.high]).all())
        return {
            "name": self.name,
            "baseline": self.baseline,
            "metric": self.metric.name,
            "score": finite(self.score),
            "score_interval": sorted(self.metric.shown(end) for end in (self.low, self.high)) if ok else None,
            "error_rate": finite(self.error_rate),
            "errors": [finite(error) for error in self.errors],
            "mean": finite(self.mean),
            "low": finite(self.low),
            "high": finite(self.high),
            "p": finite(self.p),
            "differs": self.differs,
            "fit_seconds": self.fit_seconds,
            "predict_seconds": self.predict_seconds,
            "certificate": None if proofs is None else asdict(proofs) | {"worst": finite(proofs.worst)},
            "warnings": list(self.warnings),
            "failure": self.failure,
            "confusion": self.confusion.tolist(),
            "recall": [finite(part) for part in self.recall],
            "precision": [finite(part) for part in self.precision],
        }


def finite(value: float) -> float | None:
    """The number, or None in place of NaN and infinities, which JSON does not have."""
    return float(value) if np.isfinite(value) else None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Ranked[Entry]):
    """A table of methods, the best first. Two tables are equal if they differ in nothing but seconds.

    Made by `compare`. `print` it for the table; `rich.print` gives it colours.

    Attributes
    ----------
    rows : tuple of Entry
        By their mean error and then as in the registry: never by time. Then those that failed, last the baseline,
        which always says the most frequent class.
    left_out : dict
        Methods that were not tried, each with the reason.
    notes : tuple of str
        Rows left out, fewer folds, how the features were prepared.
    n_folds, repeats : int
        How the rows were divided.
    index : ndarray
        The rows of the data that took part.
    classes : ndarray
        The labels.
    preparation : object or None
        The unfitted transformer that was fitted anew to each training set.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from separatrix import compare
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> comparison = compare(X, y, algorithms=["linear SVM", "least squares", "logistic discrimination"])
    >>> print(comparison.without_times())
    5-fold cross-validation: 569 rows, 2 classes
    <BLANKLINE>
     # algorithm               error %  95 % interval  worse?    fit  proved
     1 logistic discrimination    2.11     0.0 to 5.5  best           to ...
     2 linear SVM                 3.34     0.0 to 7.4  unsure         to ...
     3 least squares              3.69     0.0 to 9.3  unsure         to ...
       most frequent class       37.26   33.3 to 41.4  yes
    <BLANKLINE>
    Columns were standardised by the training rows of each fold.
    2 other methods are not shown to be worse than logistic discrimination, at 5 %;
    more repeats may show it.
    >>> comparison.best.confusion.tolist()  # classes down, predictions across
    [[204, 8], [4, 353]]
    """

    rows: tuple[Entry, ...]
    left_out: dict[str, str]
    notes: tuple[str, ...]
    n_folds: int
    repeats: int
    index: np.ndarray
    classes: np.ndarray
    preparation: Any = None

    @property
    def metric(self) -> Metric:
        """What methods are ranked by."""
        return self.rows[-1].metric

    @property
    def baseline(self) -> Entry:
        """The entry of the classifier that always predicts the most frequent class."""
        return self.rows[-1]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and lists, ready for JSON."""
        return {
            "metric": self.metric.name,
            "rows": [entry.to_dict() for entry in self.rows],
            "best": self.best.name,
            "chosen": self.chosen.name,
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
            "n_folds": self.n_folds,
            "repeats": self.repeats,
            "n_rows": int(self.index.size),
            "classes": self.classes.tolist(),
        }

    def __repr__(self) -> str:
        wrong = f"{100 * self.best.error_rate:.2f} % wrong"
        measured = wrong if self.metric.name == "error" else f"{self.metric.title} {self.metric.text(self.best.mean)}"
        return f"Comparison({len(self.rows) - 1} methods, best: {self.best.name!r}, {measured})"

    def to_frame(self) -> Any:
        """The table as a frame of pandas, one row for each method, the best first."""
        from separatrix.selection.frames import comparison_frame

        return comparison_frame(self)

    def _repr_html_(self) -> str:
        from separatrix.selection.frames import comparison_html

        return comparison_html(self)

    def __str__(self) -> str:
        from separatrix.selection.table import as_text

        return as_text(self)

    def __rich__(self) -> Any:
        from separatrix.selection.table import as_rich

        return as_rich(self)
