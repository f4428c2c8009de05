"""Cross-validation of many regressors on the same folds, with tests of their differences.

    error of a method = the mean over folds of its mean absolute error on the fold after a fit to the other folds

A difference is tested by the corrected resampled t test over folds (Nadeau and Bengio, 2003), with Holm's correction.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.errors import counted
from separatrix.selection.candidates import Candidate, fewer_passes, within_seconds
from separatrix.selection.cross_validate import Trial, cross_validate
from separatrix.selection.differences import corrected_t, loss_interval
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
from separatrix.selection.trials import TimeBudget, select_candidates, try_candidates


def compare_regressors(
    split: Split[NumberFolds], algorithms: Any, budget: TimeBudget, tune: bool = False, n_jobs: int | None = None
) -> RegressionComparison:
    """Compare regressors on folds that are there already; `algorithms` as for `compare`.

    With `tune`, methods whose row has a grid of options choose them within the training rows of each fold.
    """
    data = split.data
    candidates, left_out = select_candidates(algorithms, data.size, split.seed, tune, "regression")
    candidates, too_long = within_seconds(candidates, data.size, len(data.folds), budget.seconds)
    entries, not_reached = try_candidates(candidates, data, budget, make_entry, n_jobs)
    guesses = baselines(data)
    ranked = rank_entries([*entries, *guesses], data.test_train_ratio, p_value_of_folds, significant)
    table = with_r2(ranked, guesses[0].root_mean_square)
    notes = (*split.notes, *fewer_passes(candidates), summary(table))
    how = {"spread": float(np.std(data.y)), "preparation": data.preparation, "metric": data.metric}
    not_tried = left_out | too_long | not_reached
    return RegressionComparison(table, not_tried, notes, split.n_folds, data.repeats, split.index, **how)


def make_entry(candidate: Candidate, trial: Trial, data: NumberFolds, baseline: bool = False) -> RegressionEntry:
    """The entry of a method in the table, with the mean of its errors and their interval."""
    mean, low, high = np.nan, np.nan, np.nan
    if not trial.failure:
        mean = float(np.nanmean(trial.errors)) if np.isfinite(trial.errors).any() else np.nan
        bounds = (0.0, np.inf) if data.metric is None else data.metric.bounds
        low, high = loss_interval(trial.errors, None, data.test_train_ratio, bounds)
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


def p_value_of_folds(entry: RegressionEntry, best: RegressionEntry, ratio: float) -> float:
    """The p-value of the corrected t test of the differences over folds."""
    differences = entry.errors - best.errors
    return corrected_t(differences[np.isfinite(differences)], ratio)[1]


def baselines(data: NumberFolds) -> list[RegressionEntry]:
    """The entries of those that always predict the mean, and the median, of the training rows."""
    from sklearn.dummy import DummyRegressor

    last = np.iinfo(np.int32).max
    found = []
    for name in (MEAN, MEDIAN):
        guess = DummyRegressor(strategy=name.split()[-1])
        trial = cross_validate(guess, data, lambda done: True)
        assert trial is not None
        found.append(make_entry(Candidate(name, guess, last), trial, data, baseline=True))
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
        others = counted(len(unsure), "other method is", "other methods are")
        return f"{others} not shown to be worse than {best.name}, at 5 %; more repeats may show it."
    return f"{best.name} is better than {'all others' if results[1:] else 'saying ' + guess.name}, at 5 %."
