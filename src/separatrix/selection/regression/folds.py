"""Data with a numeric target divided into folds, with features that are prepared within each of them.

error of a fold = mean over its rows of |y - prediction|, in the units of y
"""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from separatrix.data.folds import Fold, shuffled_folds
from separatrix.data.task import check_numbers
from separatrix.errors import DataError, counted
from separatrix.rows import Vector
from separatrix.selection.prepared_folds import (
    PreparedRows,
    Split,
    choose_preparation,
    one_prediction_a_row,
    row_count,
    some_rows,
)
from separatrix.solvers.options import whole

MIN_ROWS = 4  # of which any three can be learnt from


class NumberFolds(PreparedRows):
    """Folds of rows that have numbers: predictions are numbers, errors are in their units."""

    def __init__(self, X: Any, y: Vector, folds: tuple[Fold, ...], preparation: Any) -> None:
        super().__init__(X, y, folds, preparation)

    def predicted(self, model: Any, test: Any) -> np.ndarray:
        """The numbers that a model predicts, checked to be finite."""
        numbers = one_prediction_a_row(model, test).astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(numbers))
        if bad.size:
            raise DataError(f"predict gave {numbers[bad[0]]} for {counted(bad.size, 'row')} of a fold.")
        return numbers

    def error(self, predicted: np.ndarray, rows: np.ndarray) -> float:
        """The mean absolute error."""
        return float(np.mean(np.abs(self.y[rows] - predicted)))


def split_numbers(
    X: Any, y: Any, *, cv: int, repeats: int, preparation: Any, sample: int | None, random_state: Any
) -> Split[NumberFolds]:
    """Divide data with a numeric target into folds; the options are those of `compare`.

    >>> X, y = np.arange(20.0)[:, None], np.arange(20.0) ** 2
    >>> split = split_numbers(X, y, cv=5, repeats=2, preparation=None, sample=None, random_state=0)
    >>> len(split.data.folds), split.data.folds[0].test.size, split.data.size.planes
    (10, 4, 1)
    """
    numbers, n = check_numbers(y), row_count(X)
    if numbers.size != n:
        raise DataError(f"X has {n} rows, but y has {numbers.size} numbers. Each row needs one.")
    if n < MIN_ROWS:
        raise DataError(
            f"There are {counted(n, 'row')}, too few to learn from some and test with others. Give 4 or more."
        )
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    n_folds = min(whole("cv", cv, least=2), n // 2)
    whole("repeats", repeats)
    notes = [] if n_folds == cv else [f"{n_folds} folds in place of {cv}, as there are {counted(n, 'row')} only."]
    rows, transformer, preparation_note = choose_preparation(X, preparation)
    index = np.arange(n)
    if sample is not None and whole("sample", sample, least=MIN_ROWS) < n:
        index = np.sort(np.random.default_rng(seed).permutation(n)[:sample])
        notes.append(f"A random sample of {sample:,} out of {n:,} rows was used (sample={sample}).")
        rows = some_rows(rows, index)
    data = NumberFolds(rows, numbers[index], shuffled_folds(index.size, n_folds, repeats, seed), transformer)
    return Split(data, index, n_folds, seed, [*notes, preparation_note])
