"""Hitting sets in fractions, which bound the lightest one from below, and light ones found by local search.

    minimise  sum_i weight_i e_i    subject to   sum over i in the set of e_i >= 1 for each set,    0 <= e_i <= 1

With e_i = 0 or 1 it is the problem of `certificates.hitting_set`. The search keeps below a weight and swaps rows: one
enters that meets a set which is not met, and those leave that cost least. Sets that stay unmet become dearer, so that
it does not go round in circles (row weighting local search; Gao, Weise and Li, 2015).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from separatrix.certificates.arithmetic.hitting_set import Incidence, rounded_up
from separatrix.rows import Vector

LEAST_SECONDS = 0.01
STEPS, MOST_STEPS = 30, 3000  # for each row, and in all
MOST_ENTRIES = 2**22  # of the matrix of rows and sets


class Relaxed(NamedTuple):
    """e of each row, the minimum, and the sets that prove it."""

    e: Vector
    value: float
    binding: np.ndarray

    @property
    def least(self) -> int:
        """What every hitting set weighs at least."""
        return rounded_up(self.value)


def relaxed_hits(sets: Sequence[np.ndarray], weights: np.ndarray, seconds: float = np.inf) -> Relaxed:
    """Solve the problem in fractions.

    Parameters
    ----------
    sets : sequence of int arrays
        Numbers of rows, no set empty.
    weights : ndarray of int
        What each row weighs.
    seconds : float
        Time after which nothing is known.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.solvers.errors.hitting_set_bounds import relaxed_hits
    >>> found = relaxed_hits([np.array([0, 1]), np.array([1, 2]), np.array([2, 0])], np.ones(3, dtype=int))
    >>> found.e.tolist(), found.least  # half of each; 3/2 is rounded up
    ([0.5, 0.5, 0.5], 2)
    """
    incidence, e = Incidence.of(sets), np.zeros(weights.size)
    cost, least = weights[incidence.rows], np.ones(len(sets))
    found = linprog(cost, A_ub=-incidence.matrix, b_ub=-least, bounds=(0.0, 1.0), options=within(seconds))
    if found.status != 0:
        return Relaxed(e, 0.0, np.arange(len(sets)))
    e[incidence.rows] = np.clip(found.x, 0.0, 1.0)
    return Relaxed(e, float(found.fun), np.flatnonzero(found.ineqlin.marginals < 0.0))


def within(seconds: float) -> dict[str, float]:
    """Options of SciPy that end a linear program after so many seconds."""
    return {"time_limit": max(seconds, LEAST_SECONDS)} if seconds < np.inf else {}


class Swaps:
    """A set of rows that changes, how often it meets each set, and what it costs to leave a set unmet.

    Rows that alone weigh more than `most` never enter.
    """

    def __init__(self, incidence: Incidence, weights: np.ndarray, start: np.ndarray, most: int) -> None:
        self.most = most
        self.meets = incidence.matrix.T.toarray().astype(np.float32)
        self.weights, self.inside = weights[incidence.rows], np.isin(incidence.rows, start)
        self.met, self.price = self.meets[self.inside].sum(axis=0), np.ones(self.meets.shape[1], dtype=np.float32)
        self.total = int(self.weights[self.inside].sum())
        self.since = np.zeros(self.weights.size, dtype=np.int64)  # when each row last entered or left
        self.entered = self.left = -1

    @property
    def unmet(self) -> np.ndarray:
        """The sets that have none of the rows."""
        return np.flatnonzero(self.met == 0.0)

    def best_to_enter(self, members: np.ndarray, unmet: np.ndarray) -> int:
        """Of the rows of a set, the one that meets most for its weight; not the one that left last."""
        fitting = members[self.weights[members] <= self.most]
        allowed = fitting[fitting != self.left] if fitting.size > 1 else fitting
        gain = (self.meets[allowed][:, unmet] @ self.price[unmet]) / self.weights[allowed]
        return self.oldest(allowed[gain >= gain.max()])

    def best_to_leave(self) -> int:
        """The row that leaves least unmet for its weight; not the one that entered last."""
        there = np.flatnonzero(self.inside)
        allowed = there[there != self.entered] if there.size > 1 else there
        loss = (self.meets[allowed] @ (self.price * (self.met == 1.0))) / self.weights[allowed]
        return self.oldest(allowed[loss <= loss.min()])

    def oldest(self, rows: np.ndarray) -> int:
        """The row that has not moved for longest."""
        return int(rows[np.argmin(self.since[rows])])

    def move(self, row: int, time: int) -> None:
        """Let a row enter, or leave."""
        side = -1 if self.inside[row] else 1
        self.inside[row] = side > 0
        self.met += side * self.meets[row]
        self.total += side * int(self.weights[row])
        self.since[row] = time
        if side > 0:
            self.entered = row
        else:
            self.left = row


def light_hits(
    sets: Sequence[np.ndarray], weights: np.ndarray, most: int, start: np.ndarray, rng: np.random.Generator
) -> np.ndarray | None:
    """A hitting set that weighs no more than a limit, if the search finds one.

    Parameters
    ----------
    sets : sequence of int arrays
        Numbers of rows, no set empty.
    weights : ndarray of int
        What each row weighs.
    most : int
        The limit.
    start : ndarray of int
        Rows to start from; they need not meet all sets.
    rng : Generator
        Chooses the set to be met next.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.solvers.errors.hitting_set_bounds import light_hits
    >>> sets, rng = [np.array([0, 1]), np.array([1, 2]), np.array([1, 3])], np.random.default_rng(0)
    >>> light_hits(sets, np.ones(4, dtype=int), 1, np.array([0]), rng).tolist()
    [1]
    """
    incidence = Incidence.of(sets)
    too_heavy = any(int(weights[each].min()) > most for each in sets)
    if too_heavy or incidence.rows.size * len(sets) > MOST_ENTRIES:
        return None
    swaps, places = Swaps(incidence, weights, start, most), incidence.matrix
    for time in range(1, min(MOST_STEPS, STEPS * incidence.rows.size) + 1):
        unmet = swaps.unmet
        if not unmet.size and swaps.total <= most:
            return incidence.rows[swaps.inside]
        row, room = -1, most
        if unmet.size:
            chosen = int(unmet[rng.integers(unmet.size)])
            row = swaps.best_to_enter(places.indices[places.indptr[chosen] : places.indptr[chosen + 1]], unmet)
            room -= int(swaps.weights[row])
        while swaps.total > room:
            swaps.move(swaps.best_to_leave(), time)
        if row >= 0:
            swaps.move(row, time)
            swaps.price[swaps.met == 0.0] += 1.0
    return None
