"""All methods on the same folds of the same data, the differences tested.

    error of a method = the mean over folds of the part of the fold that it gets wrong after learning from the others

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
from separatrix.selection.differences import error_interval
from separatrix.selection.division import divide
from separatrix.selection.ranking import ranked, verdict
from separatrix.selection.trials import Prepared, Tested, Trial, run, summed_up
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
        How often to divide the rows into folds, differently each time.
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
        Decides the folds, the sample, and the random numbers of estimators that were given none.
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
    clock = Clock(None if time_limit is None else number("time_limit", time_limit, above=0.0), progress)
    division = divide(X, y, cv=cv, repeats=repeats, preparation=preparation, sample=sample, random_state=random_state)
    data = division.data
    candidates, left_out = wanted(algorithms, data.size, division.seed)
    entries, late = tried(candidates, data, clock)
    table = ranked([*entries, baseline(data)], data.ratio)
    notes = (*division.notes, *fewer_passes(candidates), verdict(table))
    return Comparison(
        table, left_out | late, notes, division.n_folds, repeats, division.index, data.classes, data.preparation
    )


def wanted(algorithms: Any, size: Size, seed: int) -> tuple[list[Candidate], dict[str, str]]:
    """What to try, in which order, and what not to."""
    if algorithms is None:
        candidates, left_out = registered(size, seed)
        return cheapest_first(candidates, size), left_out
    if isinstance(algorithms, Mapping):
        return given(algorithms, seed), {}
    if isinstance(algorithms, str) or not isinstance(algorithms, Iterable):
        raise OptionError(
            "The 'algorithms' parameter must map names to estimators, or be a list of names, or None. Got "
            f"{algorithms!r}."
        )
    return cheapest_first(named(algorithms, size, seed), size), {}


class Clock:
    """What is left of the time, and whom to tell how far things are."""

    def __init__(self, seconds: float | None, progress: Callable[[int, int, str], Any] | None) -> None:
        self.seconds = seconds
        self.deadline = np.inf if seconds is None else time.perf_counter() + seconds
        self.tell: Callable[[int, int, str], Any] = progress or (lambda done, total, name: None)

    @property
    def over(self) -> bool:
        """Whether the time is used up."""
        return time.perf_counter() >= self.deadline


def tried(candidates: list[Candidate], data: Prepared, clock: Clock) -> tuple[list[Entry], dict[str, str]]:
    """Entries of the candidates for whom there was time, and the others with the reason."""
    entries: list[Entry] = []
    late: dict[str, str] = {}
    n_folds = len(data.folds)
    total = len(candidates) * n_folds
    for place, candidate in enumerate(candidates):
        enough = any(not entry.failure for entry in entries)

        def go_on(done: int, before: int = place * n_folds, name: str = candidate.name, enough: bool = enough) -> bool:
            clock.tell(before + done, total, name)
            return not (enough and clock.over)

        trial = None if enough and clock.over else run(candidate.estimator, data, go_on)
        if trial is None:
            late[candidate.name] = f"the time limit of {clock.seconds:g} s was used up"
        else:
            entries.append(entry_of(candidate, trial, data))
        if trial is None or trial.failure:
            clock.tell((place + 1) * n_folds, total, candidate.name)
    return entries, late


def entry_of(candidate: Candidate, trial: Trial, data: Prepared, baseline: bool = False) -> Entry:
    """What a trial says of a method."""
    mean, low, high = np.nan, np.nan, np.nan
    if not trial.failure:
        mean = float(trial.errors.mean())
        low, high = error_interval(trial.errors, data.codes.size, data.ratio)
    return Entry(
        name=candidate.name,
        estimator=candidate.estimator,
        position=candidate.position,
        errors=trial.errors,
        mean=mean,
        low=low,
        high=high,
        fit_seconds=trial.fit_seconds,
        predict_seconds=trial.predict_seconds,
        proofs=trial.proofs,
        warnings=trial.warnings,
        failure=trial.failure,
        classes=data.classes,
        truth=data.codes,
        predicted=trial.predicted,
        baseline=baseline,
    )


def baseline(data: Prepared) -> Entry:
    """Always the most frequent class of the training rows."""
    from sklearn.dummy import DummyClassifier

    candidate = Candidate(BASELINE, DummyClassifier(strategy="most_frequent"), position=np.iinfo(np.int32).max)
    guesses = [np.full(fold.test.size, np.bincount(data.codes[fold.train]).argmax()) for fold in data.folds]
    trial = summed_up([Tested(guess, 0.0, 0.0, None) for guess in guesses], data, ())
    return entry_of(candidate, trial, data, baseline=True)
