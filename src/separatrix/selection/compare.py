"""Cross-validation of many classifiers on the same folds, with tests of their differences.

    error of a method = the mean over folds of its error rate on the fold after a fit to the other folds

Everything that learns from data learns from the training rows of a fold alone, the preparation of the features too
(Stone, 1974; Kohavi, 1995; for the tests see `differences`).
"""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from separatrix.errors import OptionError
from separatrix.estimators.fit_cost import Size
from separatrix.selection.candidates import Candidate, cheapest_first, fewer_passes, given, named, registered
from separatrix.selection.comparison import BASELINE, Comparison, Entry
from separatrix.selection.cross_validate import FoldResult, Trial, combine, cross_validate
from separatrix.selection.differences import error_interval
from separatrix.selection.prepared_folds import PreparedFolds, Split, split_data
from separatrix.selection.ranking import rank_entries, summary
from separatrix.solvers.options import number


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
) -> Comparison:
    """Try many classifiers on the same data by cross-validation, and say which are better than others.

    Parameters
    ----------
    X : array, scipy.sparse matrix, frame, or object with `len` and a method `rows(index)`
        The rows. What is not yet numbers needs a `preparation` that understands it.
    y : array of n labels
        Their classes.
    cv : int
        Folds. A class with fewer rows makes them fewer, which is noted.
    repeats : int
        How many times to divide the rows into folds, differently each time.
    algorithms : mapping of names to unfitted classifiers, list of names, or None
        Any classifiers with scikit-learn's interface; or names out of the registry; or all of the registry that suit
        the data.
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

    Returns
    -------
    Comparison
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
    budget = TimeBudget(time_limit, progress)
    split = split_data(X, y, cv=cv, repeats=repeats, preparation=preparation, sample=sample, random_state=random_state)
    return compare_on(split, algorithms, budget)


class TimeBudget:
    """The seconds that a comparison may take, and the function that is told of its progress."""

    def __init__(self, seconds: float | None, progress: Callable[[int, int, str], Any] | None = None) -> None:
        self.seconds = np.inf if seconds is None else number("time_limit", seconds, above=0.0)
        self.deadline = time.perf_counter() + self.seconds
        self.report: Callable[[int, int, str], Any] = progress or (lambda done, total, name: None)

    @property
    def exhausted(self) -> bool:
        """Whether the deadline has passed."""
        return time.perf_counter() >= self.deadline


def compare_on(split: Split, algorithms: Any, budget: TimeBudget, tune: bool = False) -> Comparison:
    """Compare classifiers on folds that are there already; `algorithms` as for `compare`.

    With `tune`, methods whose row has a grid of options choose them within the training rows of each fold.
    """
    data = split.data
    candidates, left_out = select_candidates(algorithms, data.size, split.seed, tune)
    entries, not_reached = try_candidates(candidates, data, budget)
    table = rank_entries([*entries, baseline(data)], data.test_train_ratio)
    notes = (*split.notes, *fewer_passes(candidates), summary(table))
    return Comparison(
        table, left_out | not_reached, notes, split.n_folds, data.repeats, split.index, data.classes, data.preparation
    )


def select_candidates(
    algorithms: Any, size: Size, seed: int, tune: bool = False
) -> tuple[list[Candidate], dict[str, str]]:
    """The methods to try in their order, and those that are left out with the reason."""
    if algorithms is None:
        candidates, left_out = registered(size, seed, tune)
        return cheapest_first(candidates, size), left_out
    if isinstance(algorithms, Mapping):
        return given(algorithms, seed), {}
    if isinstance(algorithms, str) or not isinstance(algorithms, Iterable):
        raise OptionError(
            "The 'algorithms' parameter must map names to estimators, or be a list of names, or None. Got "
            f"{algorithms!r}."
        )
    return cheapest_first(named(algorithms, size, seed, tune), size), {}


def try_candidates(
    candidates: list[Candidate], data: PreparedFolds, budget: TimeBudget
) -> tuple[list[Entry], dict[str, str]]:
    """Entries of the candidates that were cross-validated, and the reason for those that the budget did not reach."""
    entries: list[Entry] = []
    not_reached: dict[str, str] = {}
    n_folds = len(data.folds)
    total = len(candidates) * n_folds
    for place, candidate in enumerate(candidates):
        may_stop = any(not entry.failure for entry in entries)  # one method is tried to the end, whatever it takes

        def proceed(
            done: int, before: int = place * n_folds, name: str = candidate.name, may_stop: bool = may_stop
        ) -> bool:
            budget.report(before + done, total, name)
            return not (may_stop and budget.exhausted)

        trial = None if may_stop and budget.exhausted else cross_validate(candidate.estimator, data, proceed)
        if trial is None:
            not_reached[candidate.name] = f"the time limit of {budget.seconds:g} s was used up"
        else:
            entries.append(make_entry(candidate, trial, data))
        if trial is None or trial.failure:
            budget.report((place + 1) * n_folds, total, candidate.name)
    return entries, not_reached


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
