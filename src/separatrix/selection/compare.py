"""Cross-validation of many classifiers on the same folds, with tests of their differences.

    error of a method = the mean over folds of its error rate on the fold after a fit to the other folds

Everything that learns from data learns from the training rows of a fold alone, the preparation of the features too
(Stone, 1974; Kohavi, 1995; for the tests see `differences`).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np

from separatrix.errors import OptionError
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
    y: Any,
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
    X : array, scipy.sparse matrix, frame, or object with `len` and a method `rows(index)`
        The rows. What is not yet numbers needs a `preparation` that understands it.
    y : array of n labels or numbers
        Their classes; for regression what is to be predicted.
    cv : int, splitter of scikit-learn, or iterable of pairs of indices
        Stratified folds, of which a class with fewer rows makes fewer, as is noted; or any other division of all rows.
    repeats : int
        How many times to divide the rows into folds, differently each time; not for a splitter.
    scoring : str, scorer or None
        What methods are ranked by. None or "error": the error rate; "balanced", "auc", "logloss", "f1" or "recall"; any
        scorer of scikit-learn or its name. For regression a scorer; None: the mean absolute error.
    groups : array of n values or None
        Rows of one group are never both learnt from and tested with.
    positive : label or None
        The class that recall and F1 are of. None: of two classes 1 beside 0 or -1, else the rarer one; of more the
        mean over all.
    class_weight : "balanced", mapping of labels to numbers, or None
        Given to every classifier that takes it; the others are left out.
    n_jobs : int or None
        Folds that are fitted at a time, in as many processes; -1: one for each core.
    algorithms : mapping of names to unfitted estimators, list of names, or None
        Any classifiers, or regressors, with scikit-learn's interface; or names out of the registry; or all of the
        registry that suit the data.
    preparation : unfitted transformer, "none" or None
        Fitted to the training rows of each fold and put before every classifier. None: dense columns are standardised,
        sparse ones left as they are. "none": all are left as they are.
    sample : int or None
        Of more rows than this a stratified sample is used; None: all.
    time_limit : float or None
        Seconds for all methods. Those of the registry are left out by what a fit is predicted to cost, which is the
        same on every machine: quick ones come first, and the linear SVM and logistic discrimination are always tried.
        Of other methods none is begun after that time.
    random_state : int, RandomState or None
        Determines the folds, the sample, and the random numbers of estimators that were given none.
    progress : function or None
        Called after every fit as `progress(done, total, name)`.
    task : {"classification", "regression"}
        What y holds: classes, whose errors are rates, or numbers, whose errors are in the units of y. C and epsilon of
        regressors of the registry are multiples of the standard deviation of y.

    Returns
    -------
    Comparison or RegressionComparison
        One entry for each method, the best first; `print` it.

    Notes
    -----
    The interval of an error rate and the test of a difference to the best take account of training sets that overlap
    (see `separatrix.selection.differences`). Warnings of the methods are kept in their entries, and a method that fails
    is an entry with the reason. With one `random_state` all but the seconds is the same every time, also with a time
    limit, as long as all methods are of the registry.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from separatrix import compare
    >>> comparison = compare(*load_breast_cancer(return_X_y=True), algorithms=["linear SVM", "least squares"])
    >>> comparison.best.name, comparison.best.proofs.all_proved, comparison.baseline.differs
    ('linear SVM', True, True)
    """
    if task not in ("classification", "regression"):
        raise OptionError(f"The 'task' parameter must be 'classification' or 'regression'. Got {task!r}.")
    budget = TimeBudget(time_limit, progress)
    how: dict[str, Any] = {"cv": cv, "repeats": repeats, "preparation": preparation, "sample": sample}
    how |= {"random_state": random_state, "groups": groups, "scoring": scoring}
    if task == "regression":
        for name, value in {"positive": positive, "class_weight": class_weight}.items():
            if value is not None:
                raise OptionError(f"The {name!r} parameter is about classes. Leave it out for regression.")
        return compare_regressors(split_numbers(X, y, **how), algorithms, budget, n_jobs=n_jobs)
    split = split_data(X, y, **how, positive=positive)
    return compare_on(split, algorithms, budget, class_weight=class_weight, n_jobs=n_jobs)


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
