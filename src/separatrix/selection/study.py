"""The study of a table: separability of its classes, comparison of classifiers, and the chosen one fitted to all rows.

In order: what was done to the columns; whether planes separate the classes, with proof; how the classifiers compare by
cross-validation; the chosen one, with C from its validation curve where it has one, fitted to all rows. The comparison
and the curve share their folds, to whose training rows the preparation is fitted once. A machine in the space of a
kernel chooses C and gamma within the training rows of each fold, and for the last fit within all rows.
"""

import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from separatrix.analysis.separability import Separability, separability
from separatrix.data.folds import stratified_sample
from separatrix.data.prepare.preparation import Preparation
from separatrix.errors import DataError, counted
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.selection.compare import compare_on
from separatrix.selection.comparison import Comparison, Entry
from separatrix.selection.findings import Findings, Progress, fit_and_collect_warnings
from separatrix.selection.grid_errors import GridErrors
from separatrix.selection.prepared_folds import some_rows, split_data
from separatrix.selection.trials import TimeBudget
from separatrix.selection.tuned import Tuned, n_settings
from separatrix.selection.validation_curve import ValidationCurve, curve_on
from separatrix.selection.verdict import verdict, witness_table

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

    def __repr__(self) -> str:
        return f"Study({self.name}: {self.separability.kind}, {self.chosen}, {100 * self.entry.mean:.2f} % wrong)"

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
            "separability": {"kind": found.kind, "proved": found.proved, "margin": found.margin},
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
    time_limit: float | None = 60.0,
    random_state: int = 0,
    command: str = "",
    check: str = "",
    progress: Progress | None = None,
) -> Study:
    """Test whether planes separate the classes of a table, compare classifiers, and fit the best to all rows.

    Columns of X may hold words. The options are those of `compare`, but `time_limit` is about the seconds of the whole
    study, and `name`, `target`, `command` and `check` are only shown.

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
    options = {"cv": cv, "preparation": preparation, "random_state": random_state}
    comparison, chosen, grid, path = cross_validation(X, labels, options, algorithms, limits[1:], report)
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
        command=command,
        check=check,
        grid=grid,
    )


def cross_validation(
    X: Any, y: np.ndarray, options: dict[str, Any], algorithms: Any, limits: list[Any], report: Progress
) -> tuple[Comparison, Any, GridErrors | None, ValidationCurve]:
    """Compare the classifiers, and compute the error over C of the chosen one or of a linear SVM on the same folds.

    The chosen one is returned unfitted, with the options that are best for all rows where it chooses them, and the
    errors of all of these.
    """
    budget = TimeBudget(limits[0], report)
    split = split_data(X, y, repeats=1, sample=SAMPLE_ROWS, **options)
    comparison = compare_on(split, algorithms, budget, tune=True)
    report(1, 1, "error over C")
    chosen, grid = clone(comparison.chosen.estimator), None
    if isinstance(chosen, Tuned):
        sample = some_rows(X, split.index)
        chosen, grid = chosen.chosen(clone(options["preparation"]).fit_transform(sample), y[split.index])
    model = clone(chosen) if hasattr(chosen, "C") else LinearSVM()
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
    why = f"{best.name} has the least cross-validated error of {counted(1 + len(others), 'classifier')}{options}, "
    why += f"{100 * best.mean:.2f} %"
    why += f", but {similar:,} of the others cannot be told from it." if similar else "."
    if entry is not best:
        name = f"{entry.name[:1].upper()}{entry.name[1:]}"
        why += f" {name}, {100 * entry.mean:.2f} %, is within one standard error of it, and its fits are proved."
    if isinstance(entry.estimator, Tuned):
        return estimator, f"{why} {tuning_sentence(entry.estimator, estimator)}"
    if not hasattr(estimator, "C"):
        return estimator, why
    at_best, at_default = int(np.argmin(path.mean)), int(np.argmin(np.abs(np.log(path.values / estimator.C))))
    standard_error = float(path.errors[at_best].std(ddof=1)) / np.sqrt(path.errors.shape[1])
    if path.mean[at_default] - path.mean[at_best] > standard_error:
        why += f" C = {path.best:g} instead of {estimator.C:g} lessens its error by more than one standard error."
        estimator.C = path.best
    return estimator, why


def tuning_sentence(tuned: Tuned, estimator: Any) -> str:
    """Which options were chosen, out of how many settings, and where."""
    grid = tuned.grid(np.eye(2))
    chosen = " and ".join(f"{name} = {getattr(estimator, name):.4g}" for name in grid)
    return (
        f"Its {chosen} err least of {n_settings(grid)} settings; in the comparison they were chosen within the "
        "training rows of each fold."
    )
