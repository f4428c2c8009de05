"""Groups of equal rows of one class: every plane has them on the same side, so they count together."""

from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.problem.problem import Problem


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
        group = np.empty(problem.n_rows, dtype=np.int64)
        for i, label in enumerate(problem.y.tolist()):
            place = (rows.dense_row(problem.X, i) + 0.0).tobytes()  # the sum makes 0 of -0
            group[i] = known.setdefault((label, place), len(known))
        _, first = np.unique(group, return_index=True)
        return cls(first, group, np.bincount(group, minlength=len(known)))

    def members(self, groups: np.ndarray) -> np.ndarray:
        """All rows of some groups."""
        return np.flatnonzero(np.isin(self.group, groups))
