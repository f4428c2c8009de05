"""Rows that were chosen from blocks and brought together: few of many, by their numbers over all blocks."""

from typing import Any, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.problem import Problem
from separatrix.products import dense_rows
from separatrix.rows import CSR, Rows, Vector


class GatheredRows(NamedTuple):
    """Some rows in the order of their numbers, with classes, costs, and a value by whose size they are chosen.

    Examples
    --------
    >>> block = Problem(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 1]))
    >>> some = GatheredRows.of(block, 10, np.array([0, 2]), np.array([0.5, 0.1]))
    >>> more = GatheredRows.of(block, 20, np.array([1]), np.array([0.3]))
    >>> kept, others = some.merged(more).smallest(2)
    >>> kept.numbers.tolist(), others.numbers.tolist()
    ([12, 21], [10])
    """

    numbers: np.ndarray
    X: Rows
    y: np.ndarray
    cost: Vector
    value: Vector

    @classmethod
    def of(cls, block: Problem, first: int, index: np.ndarray, value: Vector) -> "GatheredRows":
        """Some rows of a block that begins with row number `first`."""
        return cls(index + first, rows.take(block.X, index), block.y[index], block.cost[index], value)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return int(self.numbers.size)

    def merged(self, other: "GatheredRows") -> "GatheredRows":
        """The rows of both, in the order of their numbers."""
        X, rest = stacked(self.X, other.X), zip(self[2:], other[2:], strict=True)
        both = GatheredRows(np.concatenate([self.numbers, other.numbers]), X, *(np.concatenate(pair) for pair in rest))
        if not (self.size and other.size) or self.numbers[-1] < other.numbers[0]:
            return both
        return both.some(np.argsort(both.numbers, kind="stable"))

    def some(self, index: np.ndarray) -> "GatheredRows":
        """Some of these rows, by their places."""
        rest = (part[index] for part in self[2:])
        return GatheredRows(self.numbers[index], rows.take(self.X, index), *rest)

    def smallest(self, most: int) -> tuple["GatheredRows", "GatheredRows"]:
        """The `most` rows whose value is nearest to 0, of equal ones the first, and the others."""
        order = np.argsort(np.abs(self.value), kind="stable") if self.size > most else np.arange(self.size)
        return self.some(np.sort(order[:most])), self.some(np.sort(order[most:]))

    def largest(self, most: int) -> "GatheredRows":
        """The `most` rows whose value is farthest from 0, of equal ones the first."""
        if self.size <= most:
            return self
        return self.some(np.sort(np.argsort(-np.abs(self.value), kind="stable")[:most]))

    def problem(self, fit_intercept: bool, objective: Any = None, n_classes: int = 2) -> Problem:
        """The question that these rows alone make."""
        return Problem(self.X, self.y, n_classes, self.cost, fit_intercept, objective)


def stacked(one: Rows, other: Rows) -> Rows:
    """The rows of both; dense where either is, in the wider type of number."""
    if isinstance(one, CSR) and isinstance(other, CSR):
        return CSR(
            np.concatenate([one.data, other.data]),
            np.concatenate([one.indices, other.indices]),
            np.concatenate([one.indptr, other.indptr[1:].astype(np.int64) + one.indptr[-1]]).astype(one.indptr.dtype),
            one.n_columns,
        )
    return np.concatenate([dense(one), dense(other)])


def dense(X: Rows) -> np.ndarray:
    """The rows as an array."""
    return dense_rows(X, np.arange(rows.n_rows(X))) if isinstance(X, CSR) else X
