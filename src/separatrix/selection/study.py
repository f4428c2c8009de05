"""The study of a table: separability of its classes, comparison of classifiers, and the chosen one fitted to all rows.

In order: what was done to the columns; whether planes separate the classes, with proof; how the classifiers compare by
cross-validation; the chosen one, with C from its validation curve where it has one, fitted to all rows. The comparison
and the curve share their folds, to whose training rows the preparation is fitted once. A machine in the space of a
kernel chooses C and gamma within the training rows of each fold, and for the last fit within all rows.
"""

import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from separatrix.analysis.separability import Separability, separability
from separatrix.data.files.source import Block
from separatrix.data.folds import stratified_sample
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.suspects import suspect_columns
from separatrix.errors import DataError, OptionError, counted
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.selection.compare import compare_on
from separatrix.selection.comparison import Comparison, Entry, finite
from separatrix.selection.conclusions.notable_rows import missed_table, witness_table
from separatrix.selection.conclusions.separation_words import separation_words, strictly_separable, weakly_separable
from separatrix.selection.conclusions.verdict import percent, verdict
from separatrix.selection.findings import Findings, Progress, fit_and_collect_warnings
from separatrix.selection.grid_errors import GridErrors
from separatrix.selection.measures.metrics import METRICS, Metric
from separatrix.selection.prepared_folds import some_rows, split_data
from separatrix.selection.trials import TimeBudget
from separatrix.selection.tuned import Tuned, n_settings
from separatrix.selection.validation_curve import ValidationCurve, curve_on

SAMPLE_ROWS = 50_000  # for cross-validation, as in `compare`
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
        """Rows by their class (down) and the class predicted for them when they were left out (across)."""
        return self.entry.confusion

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
            "recall": dict(zip(map(str, self.classes.tolist()), map(finite, self.entry.recall), strict=True)),
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
    time_limit: float | None = 60.0,
    random_state: int = 0,
    progress: Progress | None = None,
    **shown: Any,
) -> Study:
    """Test whether planes separate the classes of a table, compare classifiers, and fit the best to all rows.

    Columns of X may hold words. The options are those of `compare`, of which `metric` is its `scoring`, but
    `time_limit` is about the seconds of the whole study. `name`, `target` and what else is `shown` on a page, such as
    `command` and `check`, changes nothing.

    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> names = iris.target_names[iris.target]
    >>> found = study(iris.data, names, algorithms=["linear SVM", "Gaussian discriminant", "least squares"])
    >>> found.separability.pairs["versicolor", "virginica"].kind, found.chosen
    ('overlap', 'Gaussian discriminant')
    >>> found.model.predict(iris.data[:1]).tolist()
    ['setosa']
    """
    started = time.monotonic()
    labels = check_classes(np.asarray(y), name)
    report = progress or (lambda done, total, what: None)
    limits = [None] * 3 if time_limit is None else [share * time_limit for share in TIME_SHARES]
    preparation = Preparation(target or None)
    report(0, 1, "separability")
    found = raw_separability(X, labels, preparation, limits[0])
    suspects = tuple(suspect_columns(Block(X, labels)))
    options = {"cv": cv, "preparation": preparation, "random_state": random_state, "scoring": check_metric(metric)}
    asked = Asked(options | {"positive": positive}, algorithms, class_weight)
    comparison, chosen, grid, path = cross_validation(X, labels, asked, limits[1:], report)
    report(1, 1, "the chosen classifier on all rows")
    estimator, why = choose_classifier(comparison, chosen, path)
    features = (prepared := clone(preparation).fit(X)).transform(X)
    del X  # the rows are as large as their features, and the caller may have released them, too
    classes, counts = np.unique(labels, return_counts=True)
    return Study(
        name=name,
        target=target,
        columns=prepared.columns_,
        notes=prepared.notes_,
        feature_names=prepared.feature_names_out_,
        X=features,
        y=labels,
        classes=classes,
        counts=counts,
        separability=found,
        comparison=comparison,
        path=path,
        model=Pipeline([("preparation", prepared), ("classifier", estimator)]),
        why=why,
        warnings=fit_and_collect_warnings(estimator, features, labels),
        seed=random_state,
        seconds=time.monotonic() - started,
        grid=grid,
        class_weight=getattr(chosen, "class_weight", None),
        suspects=suspects,
        **shown,
    )


class Asked(NamedTuple):
    """What is asked of a comparison: options of the folds and of the metric, methods, and class weights."""

    options: dict[str, Any]
    algorithms: Any
    class_weight: Any


def check_metric(metric: str) -> str:
    """One of the metrics that a page can show."""
    if metric not in METRICS:
        raise OptionError(f"The 'metric' parameter must be one of {', '.join(METRICS)}. Got {metric!r}.")
    return metric


def cross_validation(
    X: Any, y: np.ndarray, asked: Asked, limits: list[Any], report: Progress
) -> tuple[Comparison, Any, GridErrors | None, ValidationCurve]:
    """Compare the classifiers, and compute the error over C of the chosen one or of a linear SVM on the same folds.

    The chosen one is returned unfitted, with the options that are best for all rows where it chooses them, and the
    errors of all of these.
    """
    budget = TimeBudget(limits[0], report)
    split = split_data(X, y, repeats=1, sample=SAMPLE_ROWS, **asked.options)
    comparison = compare_on(split, asked.algorithms, budget, tune=True, class_weight=asked.class_weight)
    report(1, 1, "error over C")
    chosen, grid = clone(comparison.chosen.estimator), None
    if isinstance(chosen, Tuned):
        sample = some_rows(X, split.index)
        chosen, grid = chosen.chosen(clone(asked.options["preparation"]).fit_transform(sample), y[split.index])
    model = clone(chosen) if hasattr(chosen, "C") else LinearSVM(class_weight=getattr(chosen, "class_weight", None))
    return comparison, chosen, grid, curve_on(split, model, None, TimeBudget(limits[1]))


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


def choose_classifier(comparison: Comparison, estimator: Any, path: ValidationCurve) -> tuple[Any, str]:
    """The chosen classifier, unfitted, and why; its C is changed only where that lessens the error clearly.

    One that has chosen its options itself keeps them.
    """
    entry = comparison.chosen
    best, others = comparison.best, [other for other in comparison.ranked if other is not comparison.best]
    similar = sum(not other.differs for other in others)
    tuned = " and ".join(each.name for each in comparison.ranked if isinstance(each.estimator, Tuned))
    options = f", {tuned} tuned and the others at their defaults" if tuned else " at their defaults"
    why = f"{best.name} has the {best_of(best.metric)} of {counted(1 + len(others), 'classifier')}{options}, "
    why += f"{value_of(best)}"
    why += f", but {similar:,} of the others are not shown to be worse." if similar else "."
    if entry is not best:
        name = f"{entry.name[:1].upper()}{entry.name[1:]}"
        why += f" {name}, {value_of(entry)}, is within one standard error of it, and its fits are proved."
    if isinstance(entry.estimator, Tuned):
        return estimator, f"{why} {tuning_sentence(entry.estimator, estimator)}"
    if not hasattr(estimator, "C"):
        return estimator, why
    at_best, at_default = int(np.argmin(path.mean)), int(np.argmin(np.abs(np.log(path.values / estimator.C))))
    standard_error = float(path.errors[at_best].std(ddof=1)) / np.sqrt(path.errors.shape[1])
    if path.mean[at_default] - path.mean[at_best] > standard_error:
        gain = "lessens its error" if entry.metric.name == "error" else f"improves its {entry.metric.title}"
        why += f" C = {path.best:g} instead of {estimator.C:g} {gain} by more than one standard error."
        estimator.C = path.best
    return estimator, why


def best_of(metric: Metric) -> str:
    """What the best classifier has."""
    return "least cross-validated error" if metric.name == "error" else f"best cross-validated {metric.title}"


def value_of(entry: Entry) -> str:
    """The metric of a classifier with its unit."""
    return percent(entry.score) if entry.metric.in_percent else entry.metric.text(entry.mean)


def tuning_sentence(tuned: Tuned, estimator: Any) -> str:
    """Which options were chosen, out of how many settings, and where."""
    grid = tuned.grid(np.eye(2))
    chosen = " and ".join(f"{name} = {getattr(estimator, name):.4g}" for name in grid)
    return (
        f"Its {chosen} err least of {n_settings(grid)} settings; in the comparison they were chosen within the "
        "training rows of each fold."
    )
