"""Columns that should hardly be features: identifiers of rows, and columns that alone decide the target.

An identifier has a value of its own in nearly every row, so that nothing which is learnt of it holds for other rows. A
column that alone decides the target is often known only after the target is, or is the target under another name. Both
are flagged, not removed: only the user knows what a column means.

A column of numbers decides k classes where k - 1 thresholds put nearly all rows into theirs, and numbers to predict
where it orders the rows as they do. A column of words does so where the rows of each word have one class, or about one
number. Missing values count as a word of their own.
"""

import math
import re
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from separatrix.data.prepare.columns import Column, Words
from separatrix.data.prepare.preparation import as_columns
from separatrix.data.task import as_numbers, task_of
from separatrix.rows import Vector

MIN_ROWS = 20  # in fewer rows, values differ and classes fall apart by chance
MIN_DISTINCT_SHARE = 0.95  # of the values of an identifier that are there
MAX_RANGE_PER_ROW = 1.5  # of whole numbers that count rows, perhaps with gaps
MAX_SHARE_OF_GUESSING = 0.05  # of the rows that guessing the largest class puts into a wrong one, likewise
MAX_WRONG_SHARE = 0.005  # of the rows that a column which decides the classes may put into a wrong one
MIN_EXPLAINED = 0.9999  # of the variance of the target, or of its ranks
MIN_ROWS_A_WORD = 5.0  # on average, of a column of words that decides the target
MAX_CHANCE = 1e-3  # that one of the columns parts the classes so well without meaning anything
ID_NAME = re.compile(r"(^|[\s_.-])(id|ids|uuid|guid|key|index|idx|nr|no|number)$|^(id|uuid|guid|index)|[a-z]I[Dd]$")


class SuspectColumn(NamedTuple):
    """A column that should hardly be a feature: its name, what it looks like, and a sentence for people."""

    name: str
    reason: Literal["identifier", "decides the target"]
    sentence: str


def suspect_columns(table: Any) -> list[SuspectColumn]:
    """Find the columns of a table that look like identifiers of rows, or that alone decide the target.

    Parameters
    ----------
    table : Table, Block, or anything with `X` and `labels`
        The rows: columns, a frame or an array, and their target; None where there is none.

    Returns
    -------
    list of SuspectColumn
        In the order of the columns; empty for a sparse matrix and for few rows.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.data.files.source import Block
    >>> from separatrix.data.prepare.columns import Columns, Words
    >>> from separatrix.data.suspects import suspect_columns
    >>> ill = np.arange(100) % 3 == 0
    >>> columns = (np.arange(100.0) + 7, Words.of(np.where(ill, "ward", "home").tolist()), np.arange(100) % 7 / 2)
    >>> table = Block(Columns(("patient", "place", "dose"), columns, 100), ill)
    >>> for found in suspect_columns(table):
    ...     print(found.name, "-", found.reason)
    patient - identifier
    place - decides the target
    """
    if sparse.issparse(table.X):
        return []
    columns = as_columns(table.X)
    if len(columns) < MIN_ROWS:
        return []
    found = []
    decides = deciding_rule(table.labels, len(columns.names))
    for name, values in zip(columns.names, columns.values, strict=True):
        if own := own_values(name, values):
            found.append(SuspectColumn(name, "identifier", identifier_sentence(name, own, len(columns))))
        elif decides(values):
            found.append(SuspectColumn(name, "decides the target", deciding_sentence(name)))
    return found


def identifier_sentence(name: str, distinct: int, n_rows: int) -> str:
    """What an identifier looks like, and what to do with it."""
    return (
        f"{name!r} has {distinct:,} different values in {n_rows:,} rows, so it looks like an identifier, of which "
        "nothing holds for other rows: leave it out (--drop), or carry it through to the predictions (--id)."
    )


def deciding_sentence(name: str) -> str:
    """What it means that a column decides the target, and what to do with it."""
    return (
        f"{name!r} alone decides the target. If it is known only after the target is, or is the target under another "
        "name, every figure below is too good: leave it out (--drop)."
    )


def own_values(name: str, column: Column) -> int:
    """How many different values an identifier has; 0 where the column is none.

    Measurements differ from row to row, too: numbers must be whole, and count or ascend with the rows or be called so.
    """
    if isinstance(column, Words):
        present, distinct = int((column.codes >= 0).sum()), int(np.count_nonzero(column.counts))
        long_texts = distinct and np.mean([word.count(" ") for word in column.words]) > 2.0
        return distinct if distinct >= max(MIN_DISTINCT_SHARE * present, MIN_ROWS) and not long_texts else 0
    there = column[~np.isnan(column)]
    if there.size < MIN_ROWS or not np.isfinite(there).all() or (there != np.rint(there)).any():
        return 0
    distinct = int(np.unique(there).size)
    if distinct < MIN_DISTINCT_SHARE * there.size:
        return 0
    steps = np.diff(there)
    in_order = (steps > 0).all() or (steps < 0).all()
    counts_rows = float(np.ptp(there)) + 1.0 <= MAX_RANGE_PER_ROW * there.size
    return distinct if in_order or counts_rows or ID_NAME.search(name) else 0


def deciding_rule(labels: Any, n_columns: int) -> Any:
    """The function that says whether a column decides the target."""
    if labels is None:
        return lambda column: False
    numbers = as_numbers(labels) if task_of(labels) == "regression" else None
    if numbers is not None:
        return lambda column: explains(column, numbers)
    codes = np.unique(np.asarray(labels).astype(str), return_inverse=True)[1]
    if chance_of_parting(np.bincount(codes)) * n_columns > MAX_CHANCE:
        return lambda column: False
    by_guessing = codes.size - int(np.bincount(codes).max())
    most = min(
        MAX_WRONG_SHARE * codes.size, MAX_SHARE_OF_GUESSING * by_guessing
    )  # which is seldom wrong of a rare class
    return lambda column: wrong_rows(column, codes) <= most


def chance_of_parting(counts: np.ndarray) -> float:
    """The chance that a column without meaning orders the rows by classes of these sizes: k! prod n_c! / n!."""
    if counts.size < 2:
        return 1.0
    logarithm = math.lgamma(counts.size + 1) + sum(math.lgamma(own + 1) for own in counts.tolist())
    return math.exp(min(logarithm - math.lgamma(int(counts.sum()) + 1), 0.0))


def wrong_rows(column: Column, codes: np.ndarray) -> float:
    """How many rows the best rule of this column alone puts into a wrong class; infinite where it cannot be one."""
    groups = word_groups(column)
    by_word = np.inf
    if groups is not None:
        counts = np.zeros((int(groups.max()) + 1, int(codes.max()) + 1))
        np.add.at(counts, (groups, codes), 1.0)
        by_word = codes.size - float(counts.max(axis=1).sum())
    return by_word if isinstance(column, Words) else min(by_word, wrong_by_thresholds(np.asarray(column), codes))


def word_groups(column: Column) -> np.ndarray | None:
    """The group of each row: its word, or for numbers whether there is one; None where groups are too small."""
    groups = column.codes + 1 if isinstance(column, Words) else np.isnan(column).astype(np.intp)
    sizes = np.bincount(groups)
    occupied = int(np.count_nonzero(sizes))
    return groups if 1 < occupied <= groups.size / MIN_ROWS_A_WORD else None


def wrong_by_thresholds(column: Vector, codes: np.ndarray) -> float:
    """How many rows are in a wrong class where thresholds part the line into one interval a class, as well as can be.

    Classes stand in the order of their medians, and E_j(i), the fewest errors of the first i rows in the first j
    intervals, is M_j(i) + min over cuts c <= i of E_{j-1}(c) - M_j(c), where M_j(i) rows of the first i are not of
    class j. Cuts are between different values only.
    """
    there = ~np.isnan(column)
    values, classes = column[there], codes[there]
    if values.size < max(MIN_ROWS, 0.5 * column.size):
        return np.inf
    order = np.argsort(values, kind="stable")
    values, classes = values[order], classes[order]
    cut = np.concatenate([[True], values[1:] > values[:-1], [True]])
    present = np.unique(classes)
    medians = [float(np.median(values[classes == own])) for own in present]
    if present.size < 2 or np.count_nonzero(cut) <= present.size:
        return np.inf
    fewest = np.where(np.arange(values.size + 1) == 0, 0.0, np.inf)
    for own in present[np.argsort(medians, kind="stable")]:
        others = np.concatenate([[0.0], np.cumsum(classes != own)])
        fewest = others + np.minimum.accumulate(np.where(cut, fewest - others, np.inf))
    return float(fewest[-1]) + float(column.size - values.size)


def explains(column: Column, target: Vector) -> bool:
    """Whether a column alone has nearly all of the variance of a target of numbers, or of its ranks."""
    groups = word_groups(column)
    if groups is not None:
        sizes = np.bincount(groups)
        means = np.bincount(groups, weights=target) / np.maximum(sizes, 1)
        left = float(np.sum((target - means[groups]) ** 2)) / max(float(np.sum((target - target.mean()) ** 2)), 1e-300)
        if left <= 1.0 - MIN_EXPLAINED:
            return True
    if isinstance(column, Words):
        return False
    there = ~np.isnan(column)
    ranks, wanted = rankdata(np.asarray(column)[there]), rankdata(target[there])
    if ranks.size < max(MIN_ROWS, 0.5 * target.size) or np.ptp(ranks) == 0 or np.ptp(wanted) == 0:
        return False
    return bool(np.corrcoef(ranks, wanted)[0, 1] ** 2 >= MIN_EXPLAINED)
