"""The most unusual rows of a table: those with the least scores, with their values and what is unusual in them."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from separatrix.data.prepare.columns import Columns, Words
from separatrix.data.prepare.preparation import as_columns
from separatrix.rows import Vector

MAX_ROWS_SHOWN, MAX_VALUES_SHOWN = 20, 8
MIN_DEVIATIONS = (
    2.0  # from the median of its column, in robust standard deviations, for a value to be called far from it
)
CONSISTENT = 1.4826  # times the median absolute deviation is the standard deviation of a Gaussian
RARE = 0.05  # of the rows: a word that fewer of them have


class UnusualRow(NamedTuple):
    """A row: its number from 0, its score, the first of its values by name, and what is unusual in it."""

    row: int
    score: float
    values: dict[str, Any]
    why: str


def unusual_rows(X: Any, scores: Vector, names: tuple[str, ...], target: str | None = None) -> list[UnusualRow]:
    """The rows with the least scores, the least first; X as it was given, `names` of the features if that is sparse.

    >>> X = np.array([[0.0, 1.0], [0.1, 1.1], [0.2, 0.9], [9.0, 1.0]])
    >>> found = unusual_rows(X, np.array([0.3, 0.2, 0.2, -0.5]), ("x1", "x2"))
    >>> found[0].row, found[0].values, found[0].why
    (3, {'x1': 9.0, 'x2': 1.0}, 'x1 is 60 deviations above the median')
    """
    order = np.argsort(scores, kind="stable")[:MAX_ROWS_SHOWN]
    columns = columns_of(X, names).without(target)
    far = {name: deviations(columns[name]) for name in columns.names}
    return [
        UnusualRow(int(i), float(scores[i]), values_of(columns, int(i)), reasons(columns, far, int(i))) for i in order
    ]


def columns_of(X: Any, names: tuple[str, ...]) -> Columns:
    """Rows as columns; a sparse matrix has the names of its features."""
    if not sparse.issparse(X):
        return as_columns(X)
    matrix = X.tocsc()
    chosen = range(min(X.shape[1], MAX_VALUES_SHOWN))
    return Columns(tuple(names[j] for j in chosen), tuple(matrix[:, [j]].toarray()[:, 0] for j in chosen), X.shape[0])


def values_of(columns: Columns, row: int) -> dict[str, Any]:
    """The first values of a row by name; None for what is missing."""
    return {name: value_of(columns[name], row) for name in columns.names[:MAX_VALUES_SHOWN]}


def value_of(column: Any, row: int) -> Any:
    """A number, a word, or None."""
    if isinstance(column, Words):
        return column.words[column.codes[row]] if column.codes[row] >= 0 else None
    return None if np.isnan(column[row]) else float(column[row])


def deviations(column: Any) -> Vector:
    """How far each value is from the usual: numbers in robust deviations from the median, rare words as -frequency."""
    if isinstance(column, Words):
        part = np.append(column.counts / max(column.codes.size, 1), 1.0)[column.codes]
        return np.where(part < RARE, -part, 0.0)
    known = column[~np.isnan(column)]
    if not known.size:
        return np.zeros(column.size)
    centre = float(np.median(known))
    spread = CONSISTENT * float(np.median(np.abs(known - centre))) or float(known.std()) or 1.0
    return np.nan_to_num((column - centre) / spread)


def reasons(columns: Columns, far: dict[str, Vector], row: int, most: int = 2) -> str:
    """The values of a row that are farthest from the medians of their columns, and rare words."""
    numbers = {name: float(far[name][row]) for name in columns.names if not isinstance(columns[name], Words)}
    order = sorted(numbers.items(), key=lambda item: -abs(item[1]))[:most]
    found = [(name, f"{abs(size):.2g}", "above" if size > 0 else "below") for name, size in order if is_far(size)]
    said = [f"{name} is {size} deviations {side} the median" for name, size, side in found[:1]]
    said += [f"{name} {size} {side}" for name, size, side in found[1:]]
    rare = [
        f"{name} = {value_of(columns[name], row)} is rare"
        for name in columns.names
        if isinstance(columns[name], Words) and far[name][row] < 0
    ]
    return ", ".join([*said, *rare[:most]]) or "no single value, but their combination"


def is_far(deviations: float) -> bool:
    """Whether a value is far from the median of its column."""
    return abs(deviations) >= MIN_DEVIATIONS
