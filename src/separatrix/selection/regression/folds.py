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
from separatrix.selection.measures.judging import NumberJudge
from separatrix.selection.measures.metrics import Metric, scorer_metric
from separatrix.selection.prepared_folds import PreparedRows, Split, choose_preparation, row_count, some_rows
from separatrix.selection.splitting import checked_groups, is_count, splits_of, splitting_note
from separatrix.solvers.options import whole

MIN_ROWS = 4  # of which any three can be learnt from


class NumberFolds(PreparedRows):
    """Folds of rows that have numbers: predictions are numbers, errors are in their units or those of a scorer."""

    def __init__(
        self, X: Any, y: Vector, folds: tuple[Fold, ...], preparation: Any, metric: Metric | None = None
    ) -> None:
        self.metric = metric
        super().__init__(X, y, folds, preparation)

    def judge(self, k: int) -> NumberJudge:
        """The numbers of the test rows of fold k."""
        return NumberJudge(self.y[self.folds[k].test], self.metric)


def split_numbers(
    X: Any,
    y: Any,
    *,
    cv: Any,
    repeats: int,
    preparation: Any,
    sample: int | None,
    random_state: Any,
    groups: Any = None,
    scoring: Any = None,
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
    metric = None if scoring is None else scorer_metric(scoring)
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    whole("repeats", repeats)
    own = checked_groups(groups, n)
    shuffled = is_count(cv) and own is None
    n_folds = min(whole("cv", cv, least=2), n // 2) if shuffled else 2
    notes = []
    if shuffled and n_folds != cv:
        notes.append(f"{n_folds} folds in place of {cv}, as there are {counted(n, 'row')} only.")
    rows, transformer, preparation_note = choose_preparation(X, preparation)
    index = np.arange(n)
    if is_count(cv) and sample is not None and whole("sample", sample, least=MIN_ROWS) < n:
        index = np.sort(np.random.default_rng(seed).permutation(n)[:sample])
        notes.append(f"A random sample of {sample:,} out of {n:,} rows was used (sample={sample}).")
        rows = some_rows(rows, index)
    if shuffled:
        folds = shuffled_folds(index.size, n_folds, repeats, seed)
    else:
        own = None if own is None else own[index]
        folds = splits_of(cv, numbers[index], own, seed, classes=False)
        n_folds = len(folds)
        notes += splitting_note(cv, own)
    data = NumberFolds(rows, numbers[index], folds, transformer, metric)
    return Split(data, index, n_folds, seed, [*notes, preparation_note])
