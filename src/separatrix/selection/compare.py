"""Cross-validation of many classifiers on the same folds, with tests of their differences.

    error of a method = the mean over folds of its error rate on the fold after a fit to the other folds

Everything that learns from data learns from the training rows of a fold alone, the preparation of the features too
(Stone, 1974; Kohavi, 1995; for the tests see `differences`).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np

from separatrix.errors import OptionError
from separatrix.selection.candidates import Candidate, fewer_passes
from separatrix.selection.comparison import BASELINE, Comparison, Entry
from separatrix.selection.cross_validate import FoldResult, Trial, combine
from separatrix.selection.differences import error_interval
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
    cv: int = 5,
    repeats: int = 1,
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
    cv : int
        Folds. A class with fewer rows makes them fewer, which is noted.
    repeats : int
        How many times to divide the rows into folds, differently each time.
    algorithms : mapping of names to unfitted estimators, list of names, or None
        Any classifiers, or regressors, with scikit-learn's interface; or names out of the registry; or all of the
        registry that suit the data.
    preparation : unfitted transformer, "none" or None
        Fitted to the training rows of each fold and put before every classifier. None: dense columns are standardised,
        sparse ones left as they are. "none": all are left as they are.
    sample : int or None
        Of more rows than this a stratified sample is used; None: all.
    time_limit : float or None
        Seconds after which no further method is begun; quick ones come first, and at least one is tried to the end.
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
    is an entry with the reason. With one `random_state`, and no time limit, all but the seconds is the same every time.

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
    if task == "regression":
        return compare_regressors(split_numbers(X, y, **how, random_state=random_state), algorithms, budget)
    return compare_on(split_data(X, y, **how, random_state=random_state), algorithms, budget)


def compare_on(split: Split[PreparedFolds], algorithms: Any, budget: TimeBudget, tune: bool = False) -> Comparison:
    """Compare classifiers on folds that are there already; `algorithms` as for `compare`.

    With `tune`, methods whose row has a grid of options choose them within the training rows of each fold.
    """
    data = split.data
    candidates, left_out = select_candidates(algorithms, data.size, split.seed, tune)
    entries, not_reached = try_candidates(candidates, data, budget, make_entry)
    table = rank_entries([*entries, baseline(data)], data.test_train_ratio)
    notes = (*split.notes, *fewer_passes(candidates), summary(table))
    return Comparison(
        table, left_out | not_reached, notes, split.n_folds, data.repeats, split.index, data.classes, data.preparation
    )


def make_entry(candidate: Candidate, trial: Trial, data: PreparedFolds, baseline: bool = False) -> Entry:
    """The entry of a method in the table, with the mean of its errors and their interval."""
    mean, low, high = np.nan, np.nan, np.nan
    if not trial.failure:
        mean = float(trial.errors.mean())
        low, high = error_interval(trial.errors, data.codes.size, data.test_train_ratio)
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
        **trial._asdict(),
    )


def baseline(data: PreparedFolds) -> Entry:
    """The entry of the classifier that always predicts the most frequent class of the training rows."""
    from sklearn.dummy import DummyClassifier

    candidate = Candidate(BASELINE, DummyClassifier(strategy="most_frequent"), position=np.iinfo(np.int32).max)
    most_frequent = [np.bincount(data.codes[fold.train]).argmax() for fold in data.folds]
    pairs = zip(data.folds, most_frequent, strict=True)
    results = [FoldResult(np.full(fold.test.size, code), 0.0, 0.0, None) for fold, code in pairs]
    return make_entry(candidate, combine(results, data, ()), data, baseline=True)
