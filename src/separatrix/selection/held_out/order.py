"""What says which rows belong together, or which come first: groups that stay together, or times.

groups   every group is on one side of every split
times    every split learns from the past and tests with the future; rows of one time stay together
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.data.folds import Fold
from separatrix.errors import DataError, OptionError, counted
from separatrix.rows import Vector
from separatrix.selection.splitting import checked_groups


@dataclass(frozen=True, eq=False)
class Order:
    """The group or the time of each row; at most one of the two, None where rows are like any others."""

    groups: np.ndarray | None = None
    times: Vector | None = None

    @classmethod
    def of(cls, groups: Any, times: Any, n_rows: int) -> "Order":
        """Check groups and times."""
        if groups is not None and times is not None:
            raise OptionError("Give groups or times, not both: whole groups are held out, or the last rows in time.")
        if times is None:
            return cls(groups=checked_groups(groups, n_rows))
        found = np.asarray(times, dtype=np.float64)
        if found.shape != (n_rows,) or not np.isfinite(found).all():
            raise DataError(f"times must hold a finite number for each of the {n_rows} rows. Got shape {found.shape}.")
        return cls(times=found)

    @property
    def given(self) -> bool:
        """Whether there are groups or times."""
        return self.groups is not None or self.times is not None

    def rows(self, index: np.ndarray) -> "Order":
        """The groups and times of some rows."""
        return Order(*(None if each is None else each[index] for each in (self.groups, self.times)))

    def folds(self, n_folds: int) -> tuple[Any, list[str]]:
        """What divides the rows as asked, and notes: a number of folds, or the folds of time."""
        if self.times is not None:
            return TimeFolds(self.times, n_folds), []
        if self.groups is None:
            return n_folds, []
        n_groups = np.unique(self.groups).size
        if n_groups < 2:
            raise DataError(
                f"All {counted(self.groups.size, 'row')} to choose with are of one group, and a group is either learnt "
                "from or tested with. Give rows of several groups, or leave the groups out."
            )
        if n_groups >= n_folds:
            return n_folds, []
        return n_groups, [f"{n_groups} folds in place of {n_folds}, as there are {n_groups} groups only."]


class TimeFolds:
    """Splits whose training rows come before their test rows: n + 1 parts in the order of time, n of them tested.

    Examples
    --------
    >>> from separatrix.selection.held_out.order import TimeFolds
    >>> for train, test in TimeFolds([1, 2, 3, 3, 4, 5], 2).split(None, [0, 1, 0, 1, 0, 1]):
    ...     print(train, test)
    [0 1] [2 3]
    [0 1 2 3] [4 5]
    """

    note = "Each fold was learnt from earlier rows and tested with later ones."

    def __init__(self, times: Any, n_folds: int) -> None:
        self.times, self.n_folds = np.asarray(times, dtype=np.float64), n_folds

    def split(self, X: Any, y: Any = None, groups: Any = None) -> list[Fold]:
        """The folds; those whose training rows are of one class, or none, are left out."""
        ordered, n = np.sort(self.times), self.times.size
        places = np.arange(1, self.n_folds + 1) * n // (self.n_folds + 1)
        starts = np.unique(ordered[np.minimum(places, n - 1)])
        found = []
        for start, end in zip(starts, [*starts[1:], np.inf], strict=True):
            train = np.flatnonzero(self.times < start)
            test = np.flatnonzero((self.times >= start) & (self.times < end))
            if train.size and (y is None or np.unique(np.asarray(y)[train]).size > 1):
                found.append(Fold(train, test))
        if len(found) < 2:
            distinct = counted(np.unique(ordered).size, "different time")
            raise DataError(
                f"The {n:,} rows to choose with have {distinct}, too few "
                "for two splits that learn from several classes in the past. Give finer times, or leave them out."
            )
        return found
