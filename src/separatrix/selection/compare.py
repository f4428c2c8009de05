"""All methods on the same folds of the same data, the differences tested.

    error of a method = the mean over folds of the part of the fold that it gets wrong after learning from the others

Everything that learns from data learns from the training rows of a fold alone, the preparation of the features too
(Stone, 1974; Kohavi, 1995; for the tests see `differences`).
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from separatrix.data.encode import features, labels
from separatrix.errors import DataError, OptionError, counted
from separatrix.selection.candidates import Candidate, Size, cheapest_first, fewer_passes, given, named, registered
from separatrix.selection.comparison import Comparison, Entry, rounded
from separatrix.selection.differences import corrected_t, error_interval, holm, sign_test
from separatrix.selection.folds import stratified_folds, stratified_sample, usable_folds
from separatrix.selection.trials import Prepared, Trial, run, some_rows
from separatrix.solvers.options import number, whole

BASELINE = "most frequent class"
SIGNIFICANT = 0.05
NO_PREPARATION = "none"


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
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> comparison = compare(X, y, algorithms=["linear SVM", "least squares", "logistic discrimination"])
    >>> print(comparison.without_times())
    5-fold cross-validation: 569 rows, 2 classes
    <BLANKLINE>
     # algorithm               error %  95 % interval  worse?    fit  certificate
     1 logistic discrimination    2.11     0.0 to 5.5  best           proved ...
     2 linear SVM                 3.34     0.0 to 7.4  unsure         proved ...
     3 least squares              3.69     0.0 to 9.3  unsure         proved ...
       most frequent class       37.26   33.3 to 41.4  yes
    <BLANKLINE>
    Columns were standardised by the training rows of each fold.
    2 other methods cannot be told from logistic discrimination at 5 %.
    """
    found, codes = labels(y, row_count(X))
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    n_folds = usable_folds(codes, found, whole("cv", cv, least=2))
    clock = Clock(None if time_limit is None else number("time_limit", time_limit, above=0.0), progress)
    notes = [] if n_folds == cv else [fewer_folds(codes, found, n_folds, cv)]
    rows, transformer, said = prepared_by(X, preparation)
    index = np.arange(codes.size)
    if sample is not None:
        index = stratified_sample(codes, whole("sample", sample), n_folds, seed)
    if index.size < codes.size:
        notes.append(f"A stratified sample of {index.size:,} out of {codes.size:,} rows was used (sample={sample}).")
        rows, codes = some_rows(rows, index), codes[index]
    folds = stratified_folds(codes, n_folds, whole("repeats", repeats), seed)
    data = Prepared(rows, codes, found, folds, transformer)
    candidates, left_out = wanted(algorithms, data.size, seed)
    notes += [said, *fewer_passes(candidates)]
    entries, late = tried(candidates, data, clock)
    table = tested([*entries, baseline(data)], data)
    notes += [verdict(table)]
    return Comparison(table, left_out | late, tuple(notes), n_folds, repeats, index, found, transformer)


def row_count(X: Any) -> int:
    """How many rows there are."""
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    try:
        return len(X)
    except TypeError:
        raise DataError(
            f"X must be an array, a sparse matrix, a frame, or have len and a method rows(index). Got "
            f"{type(X).__name__}."
        ) from None


def fewer_folds(codes: np.ndarray, classes: np.ndarray, n_folds: int, asked: int) -> str:
    """Why there are not as many folds as asked for."""
    rarest = classes.tolist()[int(np.bincount(codes).argmin())]
    return f"{n_folds} folds in place of {asked}, as the class {rarest!r} has {counted(n_folds, 'row')} only."


def prepared_by(X: Any, preparation: Any) -> tuple[Any, Any, str]:
    """The rows, what prepares them in each fold, and a sentence on it."""
    if preparation is not None and not isinstance(preparation, str):
        if isinstance(preparation, type) or not (hasattr(preparation, "fit") and hasattr(preparation, "transform")):
            raise OptionError(
                f"The 'preparation' parameter must be an unfitted transformer, 'none' or None. Got {preparation!r}."
            )
        return X, preparation, f"{type(preparation).__name__} was fitted to the training rows of each fold."
    if isinstance(preparation, str) and preparation != NO_PREPARATION:
        raise OptionError(f"The 'preparation' parameter must be a transformer, 'none' or None. Got {preparation!r}.")
    if callable(getattr(X, "rows", None)):
        raise DataError(
            f"X is a {type(X).__name__}, whose rows only a 'preparation' can turn into numbers. Give one: a "
            "transformer with fit and transform that takes such objects."
        )
    matrix = features(X)
    if preparation == NO_PREPARATION or sparse.issparse(matrix):
        return matrix, None, "The features were used as they come."
    from sklearn.preprocessing import StandardScaler

    return matrix, StandardScaler(), "Columns were standardised by the training rows of each fold."


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
        clock.tell((place + 1) * n_folds, total, candidate.name)
    return entries, late


def entry_of(candidate: Candidate, trial: Trial, data: Prepared, baseline: bool = False) -> Entry:
    """What a trial says of a method."""
    mean, low, high = np.nan, np.nan, np.nan
    if not trial.failure:
        mean = float(trial.errors.mean())
        low, high = error_interval(trial.errors, data.codes.size, test_ratio(data))
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


def test_ratio(data: Prepared) -> float:
    """Rows tested with for each row learnt from."""
    return sum(fold.test.size for fold in data.folds) / sum(fold.train.size for fold in data.folds)


def baseline(data: Prepared) -> Entry:
    """Always the most frequent class of the training rows."""
    from sklearn.dummy import DummyClassifier

    candidate = Candidate(BASELINE, DummyClassifier(strategy="most_frequent"), position=np.iinfo(np.int32).max)
    trial = run(candidate.estimator, data, lambda done: True)
    if trial is None or trial.failure:
        raise DataError(f"Not even the most frequent class can be predicted: {trial and trial.failure}")
    return entry_of(candidate, trial, data, baseline=True)


def tested(entries: list[Entry], data: Prepared) -> tuple[Entry, ...]:
    """The entries in their order, each with the test of its difference to the best."""
    order = sorted(entries, key=lambda entry: (entry.baseline, bool(entry.failure), rank(entry), entry.position))
    best, ratio = order[0], test_ratio(data)
    others = [entry for entry in order[1:] if not entry.failure]
    if best.failure:
        return tuple(order)
    corrected = holm(np.array([surprise(entry, best, ratio) for entry in others]))
    p = {id(entry): float(value) for entry, value in zip(others, corrected, strict=True)}
    return tuple(
        replace(entry, p=p[id(entry)], differs=p[id(entry)] < SIGNIFICANT) if id(entry) in p else entry
        for entry in order
    )


def rank(entry: Entry) -> float:
    """The mean error, without what the order of a sum may change."""
    return 0.0 if entry.failure else rounded(entry.mean)


def surprise(entry: Entry, best: Entry, ratio: float) -> float:
    """The p-value of a difference, by folds and by rows: the larger, for neither alone is to be trusted."""
    _, by_folds = corrected_t(entry.errors - best.errors, ratio)
    rows = np.sign(entry.wrong - best.wrong)
    return max(by_folds, sign_test(int(np.count_nonzero(rows > 0)), int(np.count_nonzero(rows < 0))))


def verdict(table: tuple[Entry, ...]) -> str:
    """What the table comes to, in a sentence."""
    ranked = [entry for entry in table if not (entry.failure or entry.baseline)]
    if not ranked:
        return "No method has a result."
    best, last = ranked[0], table[-1]
    if not (last.differs and last.mean > best.mean):
        return f"No method is shown to be better than always saying the {BASELINE}."
    unsure = [entry.name for entry in ranked[1:] if not entry.differs]
    if unsure:
        return f"{counted(len(unsure), 'other method')} cannot be told from {best.name} at 5 %."
    return f"{best.name} is better than {'all others' if ranked[1:] else 'saying the ' + BASELINE}, at 5 %."
