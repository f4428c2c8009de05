"""Light hitting sets by local search with adaptive penalties (Gao, Weise and Li, 2015: row weighting).

    find a set of rows that meets each of some sets, of a total weight of at most max_weight

The search keeps the weight at most max_weight and search rows: one enters that hits a set which is not hit, and those
leave whose loss is least. The penalty of a set grows while it is not hit, so that the search does not cycle.
"""

from collections.abc import Sequence

import numpy as np

from separatrix.certificates.arithmetic.hitting_set import Incidence


class SwapSearch:
    """The current set of rows, how many of them each set has, and the penalty of each set for not being hit.

    Rows that alone weigh more than `max_weight` never enter.
    """

    def __init__(self, incidence: Incidence, weights: np.ndarray, start: np.ndarray, max_weight: int) -> None:
        self.max_weight = max_weight
        self.incidence = incidence.matrix.T.toarray().astype(np.float32)
        self.weights, self.inside = weights[incidence.rows], np.isin(incidence.rows, start)
        self.hit_counts = self.incidence[self.inside].sum(axis=0)
        self.penalties = np.ones(self.incidence.shape[1], dtype=np.float32)
        self.total = int(self.weights[self.inside].sum())
        self.last_moved = np.zeros(self.weights.size, dtype=np.int64)  # when each row last entered or left
        self.entered = self.left = -1

    @property
    def not_hit(self) -> np.ndarray:
        """The sets that are not hit."""
        return np.flatnonzero(self.hit_counts == 0.0)

    def best_to_enter(self, members: np.ndarray, not_hit: np.ndarray) -> int:
        """Of the rows of a set, the one with the largest gain per weight, except the row that left last."""
        fitting = members[self.weights[members] <= self.max_weight]
        allowed = fitting[fitting != self.left] if fitting.size > 1 else fitting
        gain = (self.incidence[allowed][:, not_hit] @ self.penalties[not_hit]) / self.weights[allowed]
        return self.oldest(allowed[gain >= gain.max()])

    def best_to_leave(self) -> int:
        """The row with the smallest loss per weight, except the row that entered last."""
        there = np.flatnonzero(self.inside)
        allowed = there[there != self.entered] if there.size > 1 else there
        loss = (self.incidence[allowed] @ (self.penalties * (self.hit_counts == 1.0))) / self.weights[allowed]
        return self.oldest(allowed[loss <= loss.min()])

    def oldest(self, rows: np.ndarray) -> int:
        """The row whose last move is the longest ago."""
        return int(rows[np.argmin(self.last_moved[rows])])

    def move(self, row: int, time: int) -> None:
        """Let a row enter if it is outside, else leave."""
        side = -1 if self.inside[row] else 1
        self.inside[row] = side > 0
        self.hit_counts += side * self.incidence[row]
        self.total += side * int(self.weights[row])
        self.last_moved[row] = time
        if side > 0:
            self.entered = row
        else:
            self.left = row


STEPS_PER_ROW, MAX_STEPS = 30, 3000
MAX_MATRIX_ENTRIES = 2**22  # of the dense incidence matrix


def light_hitting_set(
    sets: Sequence[np.ndarray], weights: np.ndarray, max_weight: int, start: np.ndarray, rng: np.random.Generator
) -> np.ndarray | None:
    """Search from some rows for a hitting set of at most a given weight; None where none was found.

    >>> sets, rng = [np.array([0, 1]), np.array([1, 2]), np.array([1, 3])], np.random.default_rng(0)
    >>> light_hitting_set(sets, np.ones(4, dtype=int), 1, np.array([0]), rng).tolist()
    [1]
    """
    incidence = Incidence.of(sets)
    too_heavy = any(int(weights[each].min()) > max_weight for each in sets)
    if too_heavy or incidence.rows.size * len(sets) > MAX_MATRIX_ENTRIES:
        return None
    search, matrix = SwapSearch(incidence, weights, start, max_weight), incidence.matrix
    for time in range(1, min(MAX_STEPS, STEPS_PER_ROW * incidence.rows.size) + 1):
        not_hit = search.not_hit
        if not not_hit.size and search.total <= max_weight:
            return incidence.rows[search.inside]
        row, room = -1, max_weight
        if not_hit.size:
            chosen = int(not_hit[rng.integers(not_hit.size)])
            row = search.best_to_enter(matrix.indices[matrix.indptr[chosen] : matrix.indptr[chosen + 1]], not_hit)
            room -= int(search.weights[row])
        while search.total > room:
            search.move(search.best_to_leave(), time)
        if row >= 0:
            search.move(row, time)
            search.penalties[search.hit_counts == 0.0] += 1.0
    return None
