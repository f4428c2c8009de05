"""The study: from a table to what can be known about separating its classes, and the classifier to use.

In order: what was done to the columns; whether planes separate the classes, with proof; how the classifiers compare by
cross-validation; the chosen one, with C from its cross-validated path where it has one, fitted to all rows.
"""

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from separatrix.analysis.separability import Separability, separability
from separatrix.certificates.claims.proves_fit import proves_fit
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.prepare.prepared_column import PreparedColumn
from separatrix.errors import DataError, counted
from separatrix.estimators.base import gathered
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.selection.compare import compare
from separatrix.selection.comparison import Comparison, Entry
from separatrix.selection.error_path import ErrorPath, error_over_C
from separatrix.selection.folds import stratified_sample
from separatrix.selection.trials import some_rows
from separatrix.selection.verdict import verdict, witness_table
from separatrix.threads import cached_property

PACKAGES = ("separatrix", "numpy", "scipy", "scikit-learn", "numba", "python-flint")
SOME_ROWS = 5_000  # asked first whether their classes overlap
SHARES = 0.2, 0.6, 0.2  # of the time: the verdict, the comparison, the path

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """What a study found.

    Parameters
    ----------
    name, target : str
        The file, and its column with the labels.
    X, y : ndarray or csr_array, ndarray
        The features that were made of the columns, and the labels.
    separability : Separability
        Whether planes separate the classes, about the numbers as they are.
    comparison : Comparison
        How the classifiers did.
    path : ErrorPath or None
        The error over C, of the chosen classifier or else of a linear SVM.
    model : Pipeline
        The preparation and the chosen classifier, fitted to all rows.
    why : str
        Why this one.
    warnings : tuple of str
        What its fit had to say.
    seed, seconds : int, float
        Of the random numbers; how long it took.
    command, check : str
        How to get the same again, and how to recompute the certificate.
    """

    name: str
    target: str
    X: Any
    y: np.ndarray
    separability: Separability
    comparison: Comparison
    path: ErrorPath | None
    model: Pipeline
    why: str
    warnings: tuple[str, ...]
    seed: int
    seconds: float
    command: str
    check: str = ""

    @cached_property
    def _classes(self) -> tuple[np.ndarray, np.ndarray]:
        return np.unique(self.y, return_counts=True)

    @property
    def classes(self) -> np.ndarray:
        """The labels."""
        return self._classes[0]

    @property
    def counts(self) -> np.ndarray:
        """How many rows each of them has."""
        return self._classes[1]

    @property
    def columns(self) -> tuple[PreparedColumn, ...]:
        """What is known of each column and was done to it."""
        return self.model[0].columns_

    @property
    def notes(self) -> list[str]:
        """The same in sentences."""
        return self.model[0].notes_

    @property
    def chosen(self) -> str:
        """The name of the chosen classifier."""
        return self.comparison.chosen.name

    @property
    def classifier(self) -> Any:
        """The chosen classifier, fitted to the features."""
        return self.model[-1]

    @property
    def entry(self) -> Entry:
        """What cross-validation found of it."""
        return self.comparison.entry(self.chosen)

    @property
    def confusion(self) -> np.ndarray:
        """Rows by their class (down) and the class predicted for them when they were left out (across)."""
        return self.entry.confusion

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.y)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features."""
        return self.model[0].feature_names_out_

    @property
    def verdict(self) -> list[str]:
        """The answer in a few sentences."""
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
    def versions(self) -> dict[str, str]:
        """What it was computed with."""
        return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}

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
            "certificate": {
                "kind": type(self.classifier.certificate_).__name__,
                "error": self.classifier.certificate_.stated,
                "proof": self.classifier.certificate_.proof,
                "proves_fit": proves_fit(self.classifier.certificate_),
            },
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
    """Find out what can be known about separating the classes of a table.

    Parameters
    ----------
    X, y : frame, Columns, array or scipy.sparse matrix; array of labels
        The rows, numbers and words, and their classes.
    name, target, command, check : str
        The file, its column with the labels, and the commands to do it again and to verify it, to be shown.
    algorithms, cv, random_state
        As for `compare`.
    time_limit : float or None
        About how many seconds the study may take; at least one classifier is tried whatever it takes.
    progress : callable or None
        Called with how many steps are done, how many there are, and what comes next.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix.selection.study import study
    >>> iris = load_iris(as_frame=True)
    >>> names = iris.target_names[iris.target]
    >>> found = study(iris.data, names, algorithms=["linear SVM", "Gaussian discriminant", "least squares"])
    >>> found.separability.pairs["versicolor", "virginica"].kind, found.chosen
    ('overlap', 'Gaussian discriminant')
    >>> found.model.predict(iris.data[:1]).tolist()
    ['setosa']
    """
    started = time.monotonic()
    labels = several_classes(np.asarray(y), name)
    say, preparation, limits = progress or silence, Preparation(target or None), shares(time_limit)
    say(0, 1, "separability")
    found = judged_as_it_is(X, labels, preparation, limits[0])
    how: dict[str, Any] = {"cv": cv, "preparation": preparation, "random_state": random_state}
    comparison = compare(X, labels, algorithms=algorithms, time_limit=limits[1], progress=say, **how)
    say(1, 1, "error over C")
    path = path_of(comparison, X, labels, how | {"time_limit": limits[2]})
    say(1, 1, "the chosen classifier on all rows")
    estimator, why = choice(comparison, path)
    features = (prepared := clone(preparation).fit(X)).transform(X)
    del X  # it is as large as its features, and the caller may have let go of it, too
    return Study(
        name=name,
        target=target,
        X=features,
        y=labels,
        separability=found,
        comparison=comparison,
        path=path,
        model=Pipeline([("preparation", prepared), ("classifier", estimator)]),
        why=why,
        warnings=fitted(estimator, features, labels),
        seed=random_state,
        seconds=time.monotonic() - started,
        command=command,
        check=check,
    )


def silence(done: int, total: int, what: str) -> None:
    """Nobody wants to know how far it is."""


def shares(time_limit: float | None) -> tuple[float | None, ...]:
    """Seconds for the verdict, for the comparison and for the path."""
    return (None, None, None) if time_limit is None else tuple(part * time_limit for part in SHARES)


def several_classes(labels: np.ndarray, name: str) -> np.ndarray:
    """The labels, unless they are of a single class, or of none."""
    classes = np.unique(labels)
    if classes.size < 2:
        rows = f": {classes[0]!s} in all {counted(labels.size, 'row')}" if classes.size else ""
        raise DataError(
            f"{name} holds {counted(classes.size, 'class', 'classes')} only{rows}. A study needs two or more."
        )
    return labels


def fitted(estimator: Any, X: Any, y: np.ndarray) -> tuple[str, ...]:
    """Fit a classifier; what it has to say about that."""
    messages: list[str] = []
    token = gathered.set(messages)
    try:
        estimator.fit(X, y)
    finally:
        gathered.reset(token)
    return tuple(messages)


def judged_as_it_is(X: Any, y: np.ndarray, preparation: Preparation, time_limit: float | None) -> Separability:
    """Whether planes separate the classes: a proof about the numbers as they are, which scaling would round.

    Classes that overlap in some of the rows overlap in all of them, so that of many rows some are asked first.
    """
    if len(y) > SOME_ROWS:
        some = stratified_sample(np.unique(y, return_inverse=True)[1], SOME_ROWS, least=2, seed=0)
        found = judged_as_it_is(some_rows(X, some), y[some], preparation, time_limit)
        if found.kind == "overlap" and found.proved and np.array_equal(found.classes, np.unique(y)):
            return replace(found, rows=some)
    raw = clone(preparation).set_params(scale=False, reference=True).fit(X)
    found = separability(raw.transform(X), y, time_limit=time_limit)
    return replace(found, feature_names=raw.feature_names_out_)


def path_of(comparison: Comparison, X: Any, y: np.ndarray, how: dict[str, Any]) -> ErrorPath | None:
    """The error over C on the rows of the comparison, of the chosen classifier if it has a C, else of a linear SVM."""
    chosen, index = comparison.chosen.estimator, comparison.index
    X, y = (some_rows(X, index), y[index]) if index.size < len(y) else (X, y)
    return error_over_C(chosen if hasattr(chosen, "C") else LinearSVM(), X, y, **how)


def choice(comparison: Comparison, path: ErrorPath | None) -> tuple[Any, str]:
    """The classifier to use, unfitted, and why; C is changed only where the path says that this helps."""
    entry = comparison.chosen
    estimator = clone(entry.estimator)
    best, others = comparison.best, [other for other in comparison.ranked if other is not comparison.best]
    like = sum(not other.differs for other in others)
    why = f"{best.name} has the least cross-validated error of {counted(1 + len(others), 'classifier')} at their "
    why += f"defaults, {100 * best.mean:.2f} %" + (
        f", but {like:,} of the others cannot be told from it." if like else "."
    )
    if entry is not best:
        name = f"{entry.name[:1].upper()}{entry.name[1:]}"
        why += f" {name}, {100 * entry.mean:.2f} %, is within one standard error of it, and its fits are proved."
    if path is None or not hasattr(estimator, "C"):
        return estimator, why
    at_best, here = int(np.argmin(path.mean)), int(np.argmin(np.abs(np.log(path.values / estimator.C))))
    spread = float(path.errors[at_best].std(ddof=1)) / np.sqrt(path.errors.shape[1])
    if path.mean[here] - path.mean[at_best] > spread:
        why += f" C = {path.best:g} instead of {estimator.C:g} lessens its error by more than one standard error."
        estimator.C = path.best
    return estimator, why
