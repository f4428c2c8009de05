"""Which classes claim a row: one, none, or several. Where it is not one, a decoder decides all the same.

Planes that tell each class from the rest divide the space into more regions than there are classes: in some no plane is
positive, in some several are.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.errors import counted
from separatrix.rows import Vector

MAX_NAMED = 5  # rows that the text names


@dataclass(frozen=True, eq=False, repr=False)
class Claims:
    """Which classes claim which rows.

    Attributes
    ----------
    claimed : ndarray of bool of shape (n, n_classes)
        Whether a class claims a row.
    classes : ndarray of shape (n_classes,)
        The labels.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix import Claims
    >>> claims = Claims(np.array([[1, 0, 0], [0, 0, 0], [0, 1, 1], [0, 1, 0]]) > 0, np.array(["a", "b", "c"]))
    >>> claims.unclaimed.tolist(), claims.contested.tolist()
    ([1], [2])
    >>> print(claims)
    Of 4 rows
      one class claims    2
      none claims         1  row 1
      several claim       1  row 2 ('b', 'c')
    """

    claimed: np.ndarray
    classes: np.ndarray

    @property
    def count(self) -> np.ndarray:
        """How many classes claim each row."""
        return np.count_nonzero(self.claimed, axis=1)

    @property
    def unclaimed(self) -> np.ndarray:
        """The numbers of the rows that no class claims."""
        return np.flatnonzero(self.count == 0)

    @property
    def contested(self) -> np.ndarray:
        """The numbers of the rows that several classes claim."""
        return np.flatnonzero(self.count > 1)

    def __repr__(self) -> str:
        n, none, several = len(self.claimed), self.unclaimed.size, self.contested.size
        return f"Claims({n - none - several} of {counted(n, 'row')} by one class, {none} by none, {several} by several)"

    def __str__(self) -> str:
        none, several = self.unclaimed, self.contested
        labels = self.classes.tolist()
        claimants = [", ".join(repr(labels[c]) for c in np.flatnonzero(self.claimed[row])) for row in several]
        rows = [
            ("one class claims", len(self.claimed) - none.size - several.size, ""),
            ("none claims", none.size, named([str(row) for row in none])),
            ("several claim", several.size, named([f"{r} ({by})" for r, by in zip(several, claimants, strict=True)])),
        ]
        width = len(f"{len(self.claimed):,}")
        lines = [f"  {words:<18}{count:>{width + 1},}  {which}".rstrip() for words, count, which in rows]
        return "\n".join([f"Of {counted(len(self.claimed), 'row')}", *lines])


def named(rows: list[str]) -> str:
    """The first few rows.

    >>> named(["3"]), named(["1", "2"])
    ('row 3', 'rows 1, 2')
    """
    if not rows:
        return ""
    more = f", and {len(rows) - MAX_NAMED:,} more" if len(rows) > MAX_NAMED else ""
    return f"row{'s' * (len(rows) > 1)} {', '.join(rows[:MAX_NAMED])}{more}"


def claimed_within(scores: Vector, code: np.ndarray, wrong: int) -> np.ndarray:
    """Which classes are, but for so many columns, on the side that each column says; those that leave one out are mute.

    >>> from separatrix.estimators.reduction.codes import one_vs_one
    >>> claimed_within(np.array([[-1.0, -1.0, 5.0], [-1.0, 1.0, -1.0]]), one_vs_one(3), 0).tolist()  # a circle
    [[True, False, False], [False, False, False]]
    """
    sides = (scores > 0).astype(int)
    against = sides @ (code < 0).T + (1 - sides) @ (code > 0).T
    return against <= wrong
