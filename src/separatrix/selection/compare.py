"""Cross-validation of many classifiers on the same folds, with tests of their differences.

    error of a method = the mean over folds of its error rate on the fold after a fit to the other folds

Everything that learns from data learns from the training rows of a fold alone, the preparation of the features too
(Stone, 1974; Kohavi, 1995; for the tests see `differences`).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from separatrix.data.blocks import Blocks
from separatrix.data.prepare.preparation import Preparation
from separatrix.errors import OptionError
from separatrix.selection.blocks.sampled import drawn
from separatrix.selection.candidates import Candidate, fewer_passes, with_class_weight, with_metric, within_seconds
from separatrix.selection.comparison import BASELINE, Comparison, Entry
from separatrix.selection.cross_validate import Trial, cross_validate
from separatrix.selection.differences import loss_interval
from separatrix.selection.prepared_folds import PreparedFolds, Split, split_data
from separatrix.selection.ranking import rank_entries, summary
from separatrix.selection.regression.compare import compare_regressors
from separatrix.selection.regression.comparison import RegressionComparison
from separatrix.selection.regression.folds import split_numbers
from separatrix.selection.trials import TimeBudget, select_candidates, try_candidates


def compare(
    X: Any,
    y: Any = None,
    *,
    cv: Any = 5,
    repeats: int = 1,
    scoring: Any = None,
    groups: Any = None,
    positive: Any = None,
    class_weight: Any = None,
    n_jobs: int | None = None,
    algorithms: Mapping[str, Any] | Iterable[str] | None = None,
    preparation: Any = None,
    sample: int | None = 50_000,
    time_limit: float | None = None,
    random_state: Any = 0,
    progress: Callable[[int, int, str], Any] | None = None,
    task: Literal["classification", "regression"] = "classification",
) -> Comparison | RegressionComparison:
    """Try many classifiers or regressors on the same data by cross-validation, and say which are better than others.

    Parameters
    ----------
    X, y : array, scipy.sparse matrix, frame, or object with `len` and a method `rows(index)`; n labels or numbers
        The rows and their targets; what is no number needs a `preparation`. Or Blocks, of which a sample is drawn.
    cv : int, splitter of scikit-learn, or iterable of pairs of indices
        Stratified folds, of which a class with fewer rows makes fewer, as is noted; or any other division of all rows.
    repeats, groups : int, array of n values or None
        How often to divide rows into folds; rows of one group are never both learnt from and tested with.
    scoring, positive : str, scorer or None; label or None
        What ranks: "error", "balanced", "auc", "logloss", "f1", "recall", any scorer of scikit-learn or its name; for
        regression a scorer, None: the mean absolute error. `positive` is the class that recall and F1 are of. None: of
        two classes 1 beside 0 or -1, else the rarer one; of more the mean over all.
    class_weight, n_jobs : "balanced", mapping of labels to numbers, or None; int or None
        Given to every classifier that takes it, the others are left out; how many folds are fitted at a time.
    algorithms : mapping of names to unfitted estimators, list of names, or None
        Any estimators with scikit-learn's interface; or names out of the registry; or all of it that suit the data.
    preparation, sample : unfitted transformer, "none" or None; int or None
        Fitted to the training rows of each fold and put before every method. None: dense columns are standardised,
        sparse ones left as they are. "none": all are. Of more rows than `sample` a stratified sample is used.
    time_limit : float or None
        Seconds for all methods. Those of the registry are left out by what their fits are predicted to cost, quick ones
        first; the linear SVM and logistic discrimination are always tried. Others are not begun after that time.
    random_state, progress : int, RandomState or None; function or None
        Of the folds, the sample, and estimators without one; called after every fit as `progress(done, total, name)`.
    task : {"classification", "regression"}
        What y holds: classes, or numbers. C and epsilon of regressors of the registry are multiples of its deviation.

    Returns
    -------
    Comparison or RegressionComparison
        One entry for each method, the best first; `print` it. Intervals and tests of differences to the best take
        account of training sets that overlap. All but the seconds is the same every time.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from separatrix import compare
    >>> comparison = compare(*load_breast_cancer(return_X_y=True), algorithms=["linear SVM", "least squares"])
    >>> comparison.best.name, comparison.best.proofs.all_proved, comparison.baseline.differs
    ('linear SVM', True, True)
    """
    check_task(task, {"positive": positive, "class_weight": class_weight})
    folds = {"cv": cv, "repeats": repeats, "groups": groups, "scoring": scoring}
    how: dict[str, Any] = folds | {"preparation": preparation, "sample": sample, "random_state": random_state}
    X, y, how, note, budget = *rows_of_blocks(X, y, how), TimeBudget(time_limit, progress)
    if task == "regression":
        return compare_regressors(noted(split_numbers(X, y, **how), note), algorithms, budget, n_jobs=n_jobs)
    split = noted(split_data(X, y, **how, positive=positive), note)
    return compare_on(split, algorithms, budget, class_weight=class_weight, n_jobs=n_jobs)


def rows_of_blocks(X: Any, y: Any, how: dict[str, Any]) -> tuple[Any, Any, dict[str, Any], list[str]]:
    """A sample of the rows of blocks and what is said of it; other rows as they are."""
    if not isinstance(X, Blocks):
        return X, y, how, []
    raw = isinstance(how["preparation"], Preparation)
    rows = drawn(X, how["sample"], how["random_state"], raw, y=y, groups=how["groups"])
    return rows.X, rows.y, how | {"sample": None}, [f"Compared on {rows.words}."]


def noted(split: Any, note: list[str]) -> Any:
    """Folds with what is to be said of them first."""
    return replace(split, notes=[*note, *split.notes])


def check_task(task: str, about_classes: Mapping[str, Any]) -> None:
    """Refuse an unknown task, and options about classes where numbers are predicted."""
    if task not in ("classification", "regression"):
        raise OptionError(f"The 'task' parameter must be 'classification' or 'regression'. Got {task!r}.")
    for name, value in about_classes.items():
        if task == "regression" and value is not None:
            raise OptionError(f"The {name!r} parameter is about classes. Leave it out for regression.")


def compare_on(
    split: Split[PreparedFolds],
    algorithms: Any,
    budget: TimeBudget,
    tune: bool = False,
    class_weight: Any = None,
    n_jobs: int | None = None,
) -> Comparison:
    """Compare classifiers on folds that are there already; `algorithms` as for `compare`.

    With `tune`, methods whose row has a grid of options choose them within the training rows of each fold.
    """
    data = split.data
    candidates, left_out = select_candidates(algorithms, data.size, split.seed, tune)
    candidates, unweighted = with_class_weight(candidates, class_weight, data.classes)
    candidates, unmeasured = with_metric(candidates, data.metric)
    candidates, too_long = within_seconds(candidates, data.size, len(data.folds), budget.seconds)
    entries, not_reached = try_candidates(candidates, data, budget, make_entry, n_jobs)
    table = rank_entries([*entries, baseline(data)], data.test_train_ratio)
    notes = (*split.notes, *weights_note(class_weight), *fewer_passes(candidates), summary(table))
    not_tried = left_out | unweighted | unmeasured | too_long | not_reached
    return Comparison(table, not_tried, notes, split.n_folds, data.repeats, split.index, data.classes, data.preparation)


def weights_note(class_weight: Any) -> list[str]:
    """A sentence on the weights of the classes, where they have any."""
    if class_weight is None:
        return []
    if isinstance(class_weight, str):
        return ["Every class counts the same in the fits: its rows are weighted inversely to their number."]
    weights = ", ".join(f"{label} {weight:g}" for label, weight in class_weight.items())
    return [f"Rows count by their class in the fits: {weights}."]


def make_entry(candidate: Candidate, trial: Trial, data: PreparedFolds, baseline: bool = False) -> Entry:
    """The entry of a method in the table, with the mean of its errors and their interval."""
    mean, low, high = np.nan, np.nan, np.nan
    if not trial.failure:
        mean = float(np.nanmean(trial.errors)) if np.isfinite(trial.errors).any() else np.nan
        rows = data.metric.trials(data.codes)
        n = None if rows is None else int(np.count_nonzero(rows))
        low, high = loss_interval(trial.errors, n, data.test_train_ratio, data.metric.bounds)
    return Entry(
        name=candidate.name,
        estimator=candidate.estimator,
        position=candidate.position,
        mean=mean,
        low=low,
        high=high,
        classes=data.classes,
        truth=data.codes,
        baseline=baseline,
        metric=data.metric,
        **trial._asdict(),
    )


def baseline(data: PreparedFolds) -> Entry:
    """The entry of the classifier that always predicts the most frequent class of the training rows."""
    from sklearn.dummy import DummyClassifier

    guess = DummyClassifier(strategy="prior")  # the same labels as of "most_frequent", with the parts as probabilities
    trial = cross_validate(guess, data, lambda done: True)
    assert trial is not None
    return make_entry(Candidate(BASELINE, guess, position=np.iinfo(np.int32).max), trial, data, baseline=True)
