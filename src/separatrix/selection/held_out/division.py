"""Which rows are held out for one test: a stratified part, whole groups, or the last rows in time.

    by default   a fifth of the rows, where that is at least MIN_TEST_ROWS rows

The interval of an error rate of 10 % on 40 rows reaches from 3 to 24 %: with fewer test rows a test says less than a
cross-validation of all rows does, so that small tables are not divided unless that is asked for.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.data.folds import by_class, stratified_sample
from separatrix.errors import DataError, OptionError, counted, option
from separatrix.selection.held_out.order import Order
from separatrix.solvers.options import number

USUAL_PART = 0.2
MIN_TEST_ROWS = 40
MIN_GROUPS = 10  # of which one in five is held out: fewer say little of other groups
MAX_PART = 0.9
QUANTILES = 10  # of a target of numbers, which are held out in equal parts


class Division(NamedTuple):
    """The rows to choose with, the rows to test with, which may be none, and a sentence on why or how."""

    train: np.ndarray
    test: np.ndarray
    note: str = ""


def divide(
    target: np.ndarray, classes: np.ndarray | None, part: float | None, order: Order, *, keep: int, seed: int
) -> Division:
    """Hold a part of the rows out.

    Parameters
    ----------
    target : array of n codes of classes, or of n numbers
        What is predicted.
    classes : array of labels, or None for numbers
        What the codes stand for.
    part : float or None
        How many of the rows; 0 for none. None: a fifth, where there are enough.
    order : Order
        The groups or times of the rows.
    keep : int
        How many rows of each class are left to choose with, at least; of a class with fewer none is held out.
    seed : int
        Of the draw.

    Examples
    --------
    >>> found = divide(np.arange(300) % 2, np.array([0, 1]), None, Order(), keep=5, seed=0)
    >>> found.train.size, found.test.size, np.bincount(found.test % 2).tolist()
    (240, 60, [30, 30])
    >>> divide(np.arange(90) % 2, np.array([0, 1]), None, Order(), keep=5, seed=0).test.size
    0
    """
    n, everything = target.size, np.arange(target.size)
    wanted = USUAL_PART if part is None else number("test", part, at_least=0.0, most=MAX_PART)
    size = round(wanted * n)
    if wanted == 0.0:
        return Division(everything, everything[:0])
    if part is None and (few := too_few(size, n, order)):
        return Division(everything, everything[:0], few)
    if not 0 < size < n:
        raise OptionError(f"A test part of {wanted:g} of {counted(n, 'row')} is {size}. Give another part, or 0.")
    if order.times is not None:
        test = last_rows(order.times, n - size)
    elif order.groups is not None:
        test = whole_groups(target if classes is not None else quantile_codes(target), order.groups, size, seed)
    elif classes is not None:
        test = stratified_part(target, size, keep, seed)
    else:
        test = stratified_sample(quantile_codes(target), size, 0, seed)
    if not test.size:
        raise OptionError(
            f"A test part of {wanted:g} leaves no row of any class for the test. Give another part, or 0."
        )
    train = np.setdiff1d(everything, test)
    check_classes_left(target, classes, train)
    return Division(train, test, how_words(order, train, test))


def too_few(size: int, n: int, order: Order) -> str:
    """Why no part is held out by default; empty where it is."""
    ask = f"{option('test', USUAL_PART)} holds one out all the same"
    if size < MIN_TEST_ROWS:
        return (
            f"No test part was held out: a fifth of {counted(n, 'row')} is fewer than {MIN_TEST_ROWS}, which say less "
            f"than the cross-validation of all rows ({ask})."
        )
    groups = 0 if order.groups is None else np.unique(order.groups).size
    if 0 < groups < MIN_GROUPS:
        return f"No test part was held out, as there are {groups} groups only ({ask})."
    return ""


def stratified_part(codes: np.ndarray, size: int, keep: int, seed: int) -> np.ndarray:
    """Rows in the proportions of their classes, so few that `keep` rows of each class are left where it has them."""
    drawn = stratified_sample(codes, size, 0, seed)
    left = np.maximum(np.bincount(codes) - keep, 0)
    shuffled = drawn[by_class(codes[drawn], np.random.default_rng(seed))]
    own = codes[shuffled]
    first = np.searchsorted(own, own)  # where the rows of its class begin, as they stand in the order of classes
    return np.sort(shuffled[np.arange(own.size) - first < left[own]])


def last_rows(times: np.ndarray, n_before: int) -> np.ndarray:
    """The rows from the time of the row at this place in the order of time, rows of the same time among them."""
    start = np.sort(times)[n_before]
    if start == times.min():
        raise DataError(
            f"The first {n_before + 1:,} of {times.size:,} rows in time have the same time, so that no test part comes "
            "after the others. Give a finer time, or another part."
        )
    return np.flatnonzero(times >= start)


def whole_groups(codes: np.ndarray, groups: np.ndarray, size: int, seed: int) -> np.ndarray:
    """Groups with about so many rows, of the folds of groups the one whose size and classes are nearest to the asked.

    A fold that leaves no row of a class to choose with, or one group only, is not taken.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    n, n_groups = codes.size, np.unique(groups).size
    if n_groups < 3:
        raise DataError(
            f"There are {counted(n_groups, 'group')}, too few to hold one out and to choose with the others. Give rows "
            "of at least 3, or hold no test part out."
        )
    folds = StratifiedGroupKFold(int(np.clip(round(n / size), 2, n_groups)), shuffle=True, random_state=seed)
    shares = np.bincount(codes) * size / n
    found: list[tuple[float, np.ndarray]] = []
    for train, test in folds.split(np.zeros((n, 1)), codes, groups):
        kept = np.bincount(codes[train], minlength=shares.size)
        if test.size and kept[shares > 0].all() and np.unique(groups[train]).size > 1:
            distance = np.abs(np.bincount(codes[test], minlength=shares.size) - shares).sum()
            found.append((float(distance), test))
    if not found:
        raise DataError(
            "No groups can be held out so that every class has rows left to choose with. Hold no test part out, or "
            "give rows of more groups."
        )
    return np.sort(min(found, key=lambda pair: pair[0])[1])


def quantile_codes(numbers: np.ndarray) -> np.ndarray:
    """The quantile of each number, from 0: rows in the order of their numbers, in parts of equal size."""
    codes = np.empty(numbers.size, dtype=np.intp)
    codes[np.argsort(numbers, kind="stable")] = np.arange(numbers.size) * QUANTILES // numbers.size
    return codes


def check_classes_left(target: np.ndarray, classes: np.ndarray | None, train: np.ndarray) -> None:
    """Refuse a division that leaves a class no row to learn from."""
    if classes is None:
        return
    counts = np.bincount(target[train], minlength=classes.size)
    if not counts.all():
        label = classes.tolist()[int(counts.argmin())]
        raise DataError(
            f"All rows of the class {label!r} are among the test rows, so that it cannot be learnt. Hold a smaller "
            "test part out, or none, or leave this class out."
        )


def how_words(order: Order, train: np.ndarray, test: np.ndarray) -> str:
    """A sentence on which rows were held out."""
    rows = f"{test.size:,} of {train.size + test.size:,} rows were held out for one test"
    if order.times is not None:
        return f"{rows}: the last in time."
    if order.groups is not None:
        return f"{rows}: {counted(np.unique(order.groups[test]).size, 'whole group')}."
    return f"{rows}, drawn by chance."


def check_test_rows(test: Any) -> tuple[Any, Any, str]:
    """Rows and their target from elsewhere, and what they are called."""
    if not isinstance(test, tuple) or len(test) not in (2, 3) or not len(test[1]):
        raise OptionError("'test' must be a part of the rows, or a pair (X, y) of at least one row with its target.")
    return test[0], np.asarray(test[1]), str(test[2]) if len(test) == 3 else "other rows"
