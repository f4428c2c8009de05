"""The study of a table: separability of its classes, comparison of classifiers, one test, and the chosen one fitted.

In order: what was done to the columns; whether planes separate the classes, with proof; a part of the rows is held out;
how the classifiers compare by cross-validation of the others; the chosen one, with C from its validation curve where it
has one, and with a threshold where one is asked for; its error on the rows that were held out, once; and its fit to all
rows. The comparison and the curve share their folds, to whose training rows the preparation is fitted once. A machine
in the space of a kernel chooses C and gamma within the training rows of each fold, and for the last fit within all of
those that are not held out.
"""

import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from separatrix.analysis.separability import Separability, separability
from separatrix.data.files.source import Block
from separatrix.data.folds import stratified_sample
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.suspects import suspect_columns
from separatrix.errors import DataError, OptionError, counted
from separatrix.estimators.calibration.threshold import without_threshold
from separatrix.selection.comparison import Comparison, Entry, finite
from separatrix.selection.conclusions.left_out import unseen_confusion, unseen_recall
from separatrix.selection.conclusions.notable_rows import missed_table, witness_table
from separatrix.selection.conclusions.separation_words import separation_words, strictly_separable, weakly_separable
from separatrix.selection.conclusions.verdict import verdict
from separatrix.selection.findings import (
    Findings,
    Progress,
    fit_and_collect_warnings,
    model_words,
    prepared_fields,
    sampled_fields,
)
from separatrix.selection.grid_errors import GridErrors
from separatrix.selection.held_out.order import Order
from separatrix.selection.held_out.protocol import (
    Asked,
    Chosen,
    Rows,
    choose_on,
    divided,
    held_out_test,
    tested_elsewhere,
    tested_threshold,
)
from separatrix.selection.held_out.tested_classes import ClassTest
from separatrix.selection.held_out.threshold import Threshold, Wish
from separatrix.selection.measures.metrics import METRICS
from separatrix.selection.measures.scored_rows import ScoredRows
from separatrix.selection.prepared_folds import some_rows
from separatrix.selection.validation_curve import ValidationCurve

OVERLAP_SAMPLE_ROWS = 5_000  # that are tested first for an overlap of the classes
TIME_SHARES = 0.2, 0.6, 0.2  # of separability, the comparison and the validation curve


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Study(Findings):
    """The results of a study of classes."""

    y: np.ndarray
    classes: np.ndarray
    counts: np.ndarray  # of the rows of each class
    separability: Separability  # of the numbers as they are
    comparison: Comparison
    path: ValidationCurve  # the error over C, of the chosen classifier or else of a linear SVM
    grid: GridErrors | None = None  # the errors that its options were chosen by, where it has any
    class_weight: Any = None  # of all classifiers
    test: ClassTest | None = None  # of the choice, on rows that had no part in it
    scored: ScoredRows | None = None  # of the class that is looked for, each row of the comparison when left out
    threshold: Threshold | None = None  # of its score, where one was asked for
    positive: int | None = None  # the code of that class; None where all of several count alike

    task: ClassVar[str] = "classification"

    @property
    def chosen(self) -> str:
        """The name of the chosen classifier."""
        return self.comparison.chosen.name

    @property
    def classifier(self) -> Any:
        """The chosen classifier, fitted to the features."""
        return self.fitted

    @property
    def entry(self) -> Entry:
        """The results of the chosen classifier in cross-validation."""
        return self.comparison.entry(self.chosen)

    @property
    def confusion(self) -> np.ndarray:
        """Rows by their class (down) and the class predicted for them (across) by a fit that had not seen them.

        Those of the cross-validation, and those that were held out; the threshold decides, where there is one.
        """
        return unseen_confusion(self)

    @property
    def size(self) -> str:
        """Rows and features, and how many rows the first classes have."""
        shares = ", ".join(f"{label} {count:,}" for label, count in zip(self.classes[:6], self.counts, strict=False))
        return f"{super().size}; {shares}{', ...' if self.classes.size > 6 else ''}"

    @property
    def table(self) -> Any:
        """The comparison."""
        return self.comparison

    @property
    def verdict(self) -> list[str]:
        """The conclusions in a few sentences."""
        return verdict(self)

    @property
    def witness_title(self) -> str:
        """What the rows in `witness` are."""
        return witness_table(self)[0]

    @property
    def witness(self) -> list[dict[str, Any]]:
        """The rows that prove the verdict on separability."""
        return witness_table(self)[1]

    @property
    def missed(self) -> list[dict[str, Any]]:
        """Some rows that were predicted wrong when they were left out, those of the rarest class first."""
        return missed_table(self)

    def __repr__(self) -> str:
        return f"Study({self.name}: {self.separability.kind}, {self.chosen}, {100 * self.entry.error_rate:.2f} % wrong)"

    def to_dict(self) -> dict[str, Any]:
        """The findings in plain values."""
        found = self.separability
        return {
            "file": self.name,
            "target": self.target,
            "rows": self.n_rows,
            **sampled_fields(self),
            "features": len(self.feature_names),
            "classes": self.classes.tolist(),
            "counts": self.counts.tolist(),
            "notes": list(self.notes),
            "suspect_columns": [each._asdict() for each in self.suspects],
            "separability": {
                "kind": found.kind,
                "proved": found.proved,
                "margin": found.margin,
                "strictly_separable": strictly_separable(found),
                "weakly_separable": weakly_separable(found),
                "statement": separation_words(found, self.n_rows).sentence,
            },
            "class_weight": self.class_weight,
            "recall": dict(zip(map(str, self.classes.tolist()), map(finite, unseen_recall(self)), strict=True)),
            "test": None if self.test is None else self.test.to_dict(),
            "threshold": None if self.threshold is None else self.threshold.to_dict(),
            "fitted_to": model_words(self),
            "missed": self.missed,
            "comparison": self.comparison.to_dict(),
            "chosen": self.chosen,
            "why": self.why,
            "certificate": self.certificate,
            "verdict": self.verdict,
            "seed": self.seed,
            "versions": self.versions,
        }


def study(
    X: Any,
    y: Any,
    *,
    name: str = "the table",
    target: str = "",
    algorithms: Any = None,
    cv: int = 5,
    metric: str = "error",
    positive: Any = None,
    class_weight: Any = None,
    test: Any = None,
    groups: Any = None,
    times: Any = None,
    recall: float | None = None,
    cost: tuple[float, float] | None = None,
    time_limit: float | None = 60.0,
    random_state: int = 0,
    progress: Progress | None = None,
    **shown: Any,
) -> Study:
    """Test whether planes separate the classes of a table, compare classifiers, test the best once, and fit it.

    Columns of X may hold words. The options are those of `compare`, of which `metric` is its `scoring`, but
    `time_limit` is about the seconds of the whole study. `name`, `target` and what else is `shown` on a page, such as
    `command` and `check`, changes nothing. `test` is the part of the rows that is held out for one test, 0 for none, or
    a pair (X, y) of other rows; None holds a fifth out where that is 40 rows or more. No choice depends on test rows;
    the model is in the end fitted to all rows of X. Rows of one of the `groups` are never on both sides of a split, and
    with `times` every split tests with later rows than it learns from. Of two classes, `recall` or `cost`, that of a
    false alarm and that of a miss, choose the threshold of the class that is looked for.

    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> names = iris.target_names[iris.target]
    >>> found = study(iris.data, names, algorithms=["linear SVM", "Gaussian discriminant", "least squares"])
    >>> found.separability.pairs["versicolor", "virginica"].kind, found.model.predict(iris.data[:1]).tolist()
    ('overlap', ['setosa'])
    """
    started = time.monotonic()
    labels = check_classes(np.asarray(y), name)
    report = progress or (lambda done, total, what: None)
    limits = [None] * 3 if time_limit is None else [share * time_limit for share in TIME_SHARES]
    preparation = Preparation(target or None)
    options = {"random_state": random_state, "scoring": check_metric(metric), "positive": positive}
    wish = check_wish(Wish.of(recall, cost), np.unique(labels))
    asked = Asked(options | {"preparation": preparation}, cv, algorithms, class_weight, wish)
    rows = divided(X, labels, test, Order.of(groups, times, labels.size), cv, random_state)
    report(0, 1, "separability")
    table = table_fields(rows, preparation, limits[0])
    chosen = choose_on(rows, asked, limits[1:], report)
    report(1, 1, "the chosen classifier")
    tested = held_out_test(rows, chosen, preparation)
    features = (prepared := clone(preparation).fit(X)).transform(X)
    rows = rows._replace(X=None)
    del X  # the rows are as large as their features, and the caller may have released them, too
    messages = fit_and_collect_warnings(chosen.estimator, features, labels)
    tested = tested or tested_elsewhere(rows, chosen, prepared, chosen.estimator)
    return Study(
        name=name,
        target=target,
        **prepared_fields(prepared, rows.division.note),
        **table,
        X=features,
        model=Pipeline([("preparation", prepared), ("classifier", chosen.estimator)]),
        warnings=messages,
        seed=random_state,
        seconds=time.monotonic() - started,
        **chosen_fields(chosen, tested),
        **shown,
    )


def table_fields(rows: Rows, preparation: Preparation, time_limit: float | None) -> dict[str, Any]:
    """The fields of a study that describe its table: classes, whether planes separate them, columns to suspect."""
    return {
        "y": rows.labels,
        "classes": rows.classes,
        "counts": np.bincount(rows.codes),
        "separability": raw_separability(rows.X, rows.labels, preparation, time_limit),
        "suspects": tuple(suspect_columns(Block(rows.X, rows.labels))),
    }


def chosen_fields(chosen: Chosen, tested: ClassTest | None) -> dict[str, Any]:
    """The fields of a study that say what was chosen, by which errors, and what it does to test rows."""
    return {
        "comparison": chosen.comparison,
        "path": chosen.path,
        "why": chosen.why,
        "grid": chosen.grid,
        "class_weight": getattr(without_threshold(chosen.estimator), "class_weight", None),
        "test": tested,
        "scored": chosen.scored,
        "threshold": tested_threshold(chosen.threshold, tested),
        "positive": chosen.code,
    }


def check_wish(wish: Wish | None, classes: np.ndarray) -> Wish | None:
    """What a threshold is asked for, refused before the work where there are more than two classes."""
    if wish is not None and classes.size > 2:
        raise OptionError(
            f"A threshold for {wish.words} tells two classes apart, and there are {classes.size}. Leave it out."
        )
    return wish


def check_metric(metric: str) -> str:
    """One of the metrics that a page can show."""
    if metric not in METRICS:
        raise OptionError(f"The 'metric' parameter must be one of {', '.join(METRICS)}. Got {metric!r}.")
    return metric


def check_classes(labels: np.ndarray, name: str) -> np.ndarray:
    """The labels; a DataError where they are all of one class."""
    classes = np.unique(labels)
    if classes.size < 2:
        rows = f": {classes[0]!s} in all {counted(labels.size, 'row')}" if classes.size else ""
        raise DataError(
            f"{name} holds {counted(classes.size, 'class', 'classes')} only{rows}. A study needs two or more."
        )
    return labels


def raw_separability(X: Any, y: np.ndarray, preparation: Preparation, time_limit: float | None) -> Separability:
    """Whether planes separate the classes in the unscaled features: a proof about rounded ones would be about others.

    Classes that overlap in some of the rows overlap in all of them, so that of many rows a sample is tested first.
    """
    if len(y) > OVERLAP_SAMPLE_ROWS:
        sample = stratified_sample(np.unique(y, return_inverse=True)[1], OVERLAP_SAMPLE_ROWS, least=2, seed=0)
        found = raw_separability(some_rows(X, sample), y[sample], preparation, time_limit)
        if found.kind == "overlap" and found.proved and np.array_equal(found.classes, np.unique(y)):
            return replace(found, rows=sample)
    raw = clone(preparation).set_params(scale=False, reference=True).fit(X)
    found = separability(raw.transform(X), y, time_limit=time_limit)
    return replace(found, feature_names=raw.feature_names_out_)
