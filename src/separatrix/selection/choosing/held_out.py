"""The rows that are set aside before anything else, for one test of what is chosen.

    by default   a random part                        groups   whole groups, so that none is on both sides
    time         the last rows, where the folds go forward in time

A splitter goes forward in time if every row that it tests with comes after all that it trains with. A random part is
not stratified: of few rows, those with the class proportions of the others would flatter a model that guesses the
majority, and the error would be too small.
"""

from typing import Any

import numpy as np

from separatrix.data.folds import stratified_sample, usable_folds
from separatrix.errors import DataError, OptionError
from separatrix.options import number
from separatrix.selection.choosing.sample import Sample, other_rows
from separatrix.selection.held_out.division import quantile_codes, whole_groups
from separatrix.selection.splitting import is_count


def set_aside(sample: Sample, test: Any, folds: Any, seed: int) -> tuple[Sample, Sample | None, str]:
    """The rows to choose with, those to test with, and a sentence on how these were taken."""
    if test is None:
        return sample, None, ""
    if isinstance(test, (tuple, list)):
        if len(test) != 2:
            raise DataError("'test' must be a part of the rows such as 0.2, a pair (X, y), or None.")
        return sample, other_rows(sample, *test), ""
    part = number("test", test, above=0.0, most=0.9)
    if not is_count(folds) and not hasattr(folds, "split"):
        raise OptionError(
            f"'folds' names rows of all data, of which test={part:g} sets some aside. Give the test rows as "
            "test=(X, y), or test=None."
        )
    size = max(1, round(part * sample.n))
    if goes_forward(sample, folds):
        gap = int(getattr(folds, "gap", 0))
        index, note = np.arange(sample.n - size, sample.n), "The test rows are the last ones."
        train = np.arange(max(0, sample.n - size - gap))
    elif sample.groups is not None:
        codes = sample.codes if sample.classes is not None else quantile_codes(sample.y)
        index = whole_groups(codes, sample.groups, size, seed)
        note = "No group is on both sides; intervals take rows for independent."
        train = np.setdiff1d(np.arange(sample.n), index)
    else:
        index, note = some_rows_at_random(sample, size, seed), ""
        train = np.setdiff1d(np.arange(sample.n), index)
    check_enough(sample, train, part, stratified=not note)
    return sample.part(train), sample.part(index, train), note


def goes_forward(sample: Sample, folds: Any) -> bool:
    """Whether a splitter tests with later rows than it trains with, always."""
    if not hasattr(folds, "split"):
        return False
    pairs = folds.split(np.zeros((sample.n, 1)), sample.y, sample.groups)
    return all(len(train) and len(test) and np.max(train) < np.min(test) for train, test in pairs)


def some_rows_at_random(sample: Sample, size: int, seed: int) -> np.ndarray:
    """So many rows, whatever their classes; in their proportions where else fewer than two rows of a class are left."""
    index = np.sort(np.random.default_rng(seed).permutation(sample.n)[:size])
    if sample.classes is None:
        return index
    usable_folds(sample.codes, sample.classes, 2)  # refuses a class of one row, whatever the part
    left = np.bincount(np.delete(sample.codes, index), minlength=sample.classes.size)
    return index if left.min() >= 2 else stratified_sample(sample.codes, size, 1, seed)


def check_enough(sample: Sample, train: np.ndarray, part: float, *, stratified: bool) -> None:
    """Refuse a test part that leaves too little to choose with."""
    if train.size < 2:
        raise DataError(f"test={part:g} leaves {train.size} rows to choose with. Give a smaller part.")
    if sample.classes is None:
        return
    counts = np.bincount(sample.codes[train], minlength=sample.classes.size)
    if stratified and counts.min() < 2:
        name = sample.classes.tolist()[int(counts.argmin())]
        raise DataError(
            f"test={part:g} leaves fewer than 2 rows of a class to choose with: {counts.min()} of {name!r}. Give a "
            "smaller part, or the test rows as test=(X, y)."
        )
    if np.count_nonzero(counts) < 2:
        raise DataError(
            f"test={part:g} leaves rows of one class only to choose with. Give the test rows as test=(X, y)."
        )
