"""Cross-validation of many regressors on the same folds, with tests of their differences.

    error of a method = the mean over folds of its mean absolute error on the fold after a fit to the other folds

A difference is tested by the corrected resampled t test over folds (Nadeau and Bengio, 2003), with Holm's correction.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import stdtrit
from sklearn.base import clone

from separatrix.errors import counted
from separatrix.selection.candidates import Candidate, fewer_passes
from separatrix.selection.cross_validate import FoldResult, Trial, combine
from separatrix.selection.differences import CONFIDENCE, Interval, corrected_error, corrected_t
from separatrix.selection.prepared_folds import Split
from separatrix.selection.ranking import rank_entries
from separatrix.selection.regression.comparison import (
    MEAN,
    MEDIAN,
    RegressionComparison,
    RegressionEntry,
    significant,
)
from separatrix.selection.regression.folds import NumberFolds
from separatrix.selection.regression.units import InUnits
from separatrix.selection.trials import TimeBudget, select_candidates, try_candidates
from separatrix.selection.tuned import n_fits

METHOD_SHARE = 0.5  # of the time of a comparison, for all fits of one method


def compare_regressors(
    split: Split[NumberFolds], algorithms: Any, budget: TimeBudget, tune: bool = False
) -> RegressionComparison:
    """Compare regressors on folds that are there already; `algorithms` as for `compare`.

    With `tune`, methods whose row has a grid of options choose them within the training rows of each fold.
    """
    data = split.data
    candidates, left_out = select_candidates(algorithms, data.size, split.seed, tune, "regression")
    candidates = [within_time(candidate, budget.seconds, len(data.folds)) for candidate in candidates]
    entries, not_reached = try_candidates(candidates, data, budget, make_entry)
    guesses = baselines(data)
    ranked = rank_entries([*entries, *guesses], data.test_train_ratio, p_value_of_folds, significant)
    table = with_r2(ranked, guesses[0].root_mean_square)
    notes = (*split.notes, *fewer_passes(candidates), summary(table))
    how = {"spread": float(np.std(data.y)), "preparation": data.preparation}
    return RegressionComparison(table, left_out | not_reached, notes, split.n_folds, data.repeats, split.index, **how)


def within_time(candidate: Candidate, seconds: float, folds: int) -> Candidate:
    """A method of the registry whose single fits end in time: all of one method take half of the seconds at most.

    A fit that ends early is the best so far, and states its true gap.
    """
    method = candidate.estimator
    if not (isinstance(method, InUnits) and np.isfinite(seconds) and hasattr(method.estimator, "time_limit")):
        return candidate
    fits = folds * (1 if method.grid is None else n_fits(method.grid(np.eye(2))))
    limited = clone(method).set_params(estimator__time_limit=METHOD_SHARE * seconds / fits)
    return candidate._replace(estimator=limited)


def make_entry(candidate: Candidate, trial: Trial, data: NumberFolds, baseline: bool = False) -> RegressionEntry:
    """The entry of a method in the table, with the mean of its errors and their interval."""
    mean, low, high = np.nan, np.nan, np.nan
    if not trial.failure:
        mean = float(trial.errors.mean())
        low, high = interval(trial.errors, data.test_train_ratio)
    return RegressionEntry(
        name=candidate.name,
        estimator=candidate.estimator,
        position=candidate.position,
        mean=mean,
        low=low,
        high=high,
        truth=data.y,
        baseline=baseline,
        **trial._asdict(),
    )


def interval(errors: np.ndarray, ratio: float) -> Interval:
    """The corrected interval of a mean error over folds; none is negative.

    >>> low, high = interval(np.array([1.0, 2.0, 3.0]), ratio=0.5)  # 2 ± 4.303 sqrt(5 / 6)
    >>> low, round(high, 3)
    (0.0, 5.928)
    """
    mean = float(np.mean(errors))
    half = float(stdtrit(errors.size - 1, (1.0 + CONFIDENCE) / 2.0)) * corrected_error(errors, ratio)
    return Interval(max(0.0, mean - half), mean + half)


def p_value_of_folds(entry: RegressionEntry, best: RegressionEntry, ratio: float) -> float:
    """The p-value of the corrected t test of the differences over folds."""
    return corrected_t(entry.errors - best.errors, ratio)[1]


def baselines(data: NumberFolds) -> list[RegressionEntry]:
    """The entries of those that always predict the mean, and the median, of the training rows."""
    from sklearn.dummy import DummyRegressor

    last = np.iinfo(np.int32).max
    guesses: dict[str, Callable[[np.ndarray], Any]] = {MEAN: np.mean, MEDIAN: np.median}
    found = []
    for name, guess in guesses.items():
        candidate = Candidate(name, DummyRegressor(strategy=name.split()[-1]), last)
        values = [float(guess(data.y[fold.train])) for fold in data.folds]
        pairs = zip(data.folds, values, strict=True)
        results = [FoldResult(np.full(fold.test.size, value), 0.0, 0.0, None) for fold, value in pairs]
        found.append(make_entry(candidate, combine(results, data, ()), data, baseline=True))
    return found


def with_r2(table: tuple[RegressionEntry, ...], of_mean: float) -> tuple[RegressionEntry, ...]:
    """The entries with the part of the squared error of the mean that each removes."""
    return tuple(
        entry if entry.failure else replace(entry, r2=1.0 - (entry.root_mean_square / of_mean) ** 2) for entry in table
    )


def summary(table: tuple[RegressionEntry, ...]) -> str:
    """A sentence on which methods are better than others at the level of significance."""
    results = [entry for entry in table if not (entry.failure or entry.baseline)]
    if not results:
        return "No method has a result."
    best, guess = results[0], min((entry for entry in table if entry.baseline), key=lambda entry: entry.mean)
    if not (guess.differs and guess.mean > best.mean):
        return f"No method is shown to be better than always saying {guess.name}."
    unsure = [entry.name for entry in results[1:] if not entry.differs]
    if unsure:
        return f"{counted(len(unsure), 'other method')} cannot be told from {best.name} at 5 %; more repeats may do it."
    return f"{best.name} is better than {'all others' if results[1:] else 'saying ' + guess.name}, at 5 %."
