"""Cross-fitting: every row is scored by a model that has not seen it.

Scores of rows that a model was fitted to are too good: a machine with a large C or a narrow kernel separates them all.
What they say of new rows is learnt from the scores of rows that were left out.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import _num_samples

from separatrix.data.encode import features
from separatrix.data.finite_numbers import MAX_MAGNITUDE
from separatrix.data.folds import Fold, stratified_folds, usable_folds
from separatrix.errors import DataError, OptionError
from separatrix.estimators.calibration.column_scores import column_scores
from separatrix.estimators.reduction.subproblems import some_rows, some_values
from separatrix.options import whole
from separatrix.rows import Vector


class Sample(NamedTuple):
    """Rows with a weight: their numbers in X, their class codes, and what else is passed to `fit`."""

    X: Any
    kept: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    fit_params: dict[str, Any]
    by_pairs: bool  # whether X holds a value for each pair of rows, as a precomputed kernel does

    def rows(self, index: np.ndarray, among: np.ndarray) -> Any:
        """Some rows; of values for pairs of rows, those with the rows of `among`."""
        if self.by_pairs:
            return features(self.X, checked=False)[np.ix_(self.kept[index], self.kept[among])]
        return some_rows(self.X, self.kept[index])

    def fit(self, model: Any, index: np.ndarray) -> Any:
        """Fit a model to some rows."""
        passed = some_values(self.fit_params, self.kept[index])
        return model.fit(self.rows(index, index), self.classes[self.codes[index]], **passed)


def divided(sample: Sample, folds: Any, seed: int) -> Sequence[Fold]:
    """Stratified folds, at most as many as the rarest class has rows; or those of a splitter of scikit-learn."""
    n = sample.codes.size
    if hasattr(folds, "get_n_splits"):
        rows = sample.X if n == _num_samples(sample.X) else some_rows(sample.X, sample.kept)
        return [Fold(*map(np.asarray, pair)) for pair in folds.split(rows, sample.classes[sample.codes])]
    if not isinstance(folds, (int, np.integer)):
        raise OptionError(
            f"The 'folds' parameter must be a whole number of at least 2, or a splitter of scikit-learn. Got {folds!r}."
        )
    n_folds = usable_folds(sample.codes, sample.classes, whole("folds", folds, least=2))
    return stratified_folds(sample.codes, n_folds, 1, seed)


def out_of_fold_scores(models: Sequence[Any], sample: Sample, folds: Sequence[Fold]) -> tuple[Vector, np.ndarray]:
    """Fit a model to the training rows of each fold; returns the scores of all test rows, and which rows these are."""
    scores: list[Vector] = []
    for number, (model, fold) in enumerate(zip(models, folds, strict=True)):
        missing = np.setdiff1d(np.arange(sample.classes.size), sample.codes[fold.train])
        if missing.size:
            raise DataError(
                f"Fold {number + 1} of {len(folds)} has no row of the class {sample.classes.tolist()[missing[0]]!r} to "
                "learn from. Give folds that are stratified, or fewer."
            )
        sample.fit(model, fold.train)
        scores.append(column_scores(model, sample.rows(fold.test, fold.train), sample.classes.size))
    found, tested = np.concatenate(scores), np.concatenate([fold.test for fold in folds])
    check_scores(found, type(models[0]).__name__)
    return found, tested


def check_scores(scores: Vector, name: str) -> None:
    """Refuse scores that no map can be fitted to."""
    bad = scores[~(np.abs(scores) <= MAX_MAGNITUDE)]
    if bad.size:
        raise DataError(
            f"{name} gives the score {bad[0]} for rows that it was not fitted to, the first of {bad.size} such scores. "
            "A map to probabilities needs moderate ones: scale the features, or regularise more (a smaller C)."
        )
