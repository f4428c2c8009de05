"""Groups of equal rows of one class: every plane has them on the same side, so they count together."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from separatrix.problem.problem import Problem
from separatrix.rows import CSR, Rows

ROWS_AT_ONCE = 4096


class Distinct(NamedTuple):
    """The first of each group of equal rows, the group of each row, and how many rows each group has.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.problem.distinct import Distinct
    >>> found = Distinct.of(Problem(np.array([[1.0], [2.0], [1.0], [1.0]]), np.array([0, 0, 0, 1])))
    >>> found.first.tolist(), found.group.tolist(), found.counts.tolist()
    ([0, 1, 3], [0, 1, 0, 2], [2, 1, 1])
    """

    first: np.ndarray
    group: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, problem: Problem) -> "Distinct":
        """Group the rows of a problem."""
        known: dict[tuple[int, bytes], int] = {}
        pairs = zip(problem.y.tolist(), row_bytes(problem.X), strict=True)
        group = np.fromiter((known.setdefault(pair, len(known)) for pair in pairs), np.int64, problem.n_rows)
        _, first = np.unique(group, return_index=True)
        return cls(first, group, np.bincount(group, minlength=len(known)))

    def members(self, groups: np.ndarray) -> np.ndarray:
        """All rows of some groups."""
        return np.flatnonzero(np.isin(self.group, groups))


def row_bytes(X: Rows) -> Iterator[bytes]:
    """What equal rows have in common, and different ones have not: the bytes of their numbers, those that are not 0."""
    if isinstance(X, CSR):
        stored = X.data != 0.0
        ends = np.concatenate([[0], np.cumsum(stored)])[X.indptr].tolist()
        data, indices = X.data[stored], X.indices[stored]
        yield from (indices[a:b].tobytes() + data[a:b].tobytes() for a, b in pairwise(ends))
        return
    for first in range(0, len(X), ROWS_AT_ONCE):
        yield from (row.tobytes() for row in X[first : first + ROWS_AT_ONCE] + 0.0)  # the sum makes 0 of -0
