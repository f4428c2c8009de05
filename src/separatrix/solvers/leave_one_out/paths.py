"""Leave out many rows from one optimum: each along its path, and each end checked from the rows."""

from collections import deque
from typing import Any

import numpy as np

from separatrix.errors import DataError
from separatrix.kernels.tiles import slices
from separatrix.memory import available_bytes
from separatrix.rows import Vector
from separatrix.solvers.leave_one_out.base_optimum import Optimum
from separatrix.solvers.leave_one_out.downdating import Arrived, Base, Leaving, Work, follow_all
from separatrix.solvers.leave_one_out.optimality import Conditions, Ends, fill_offsets, fill_violations
from separatrix.solvers.leave_one_out.row_dual import RowDual
from separatrix.threads import parallel_map

ROUGH_VIOLATION = 1e5  # times what is allowed, up to which the end of a path is near the optimum
PATHS_PER_CALL = 32  # of a compiled loop, which Ctrl-C cannot interrupt
SCORES_AT_ONCE = 2**22  # of all rows, for all paths


class Paths:
    """The paths of some variables to their ends, while some rows, all free ones among them, may change sides.

    For each path: the score of the variable at its end, the violation of the conditions there, infinite where the path
    did not get there, and whether b was anywhere undetermined.
    """

    def __init__(self, dual: RowDual, rows: Any, optimum: Optimum, some: np.ndarray) -> None:
        self.dual, self.rows, self.optimum, self.some = dual, rows, optimum, some
        self.basis, self.effective, self.pivot = optimum.basis, optimum.effective(dual), optimum.pivot
        if dual.fit_intercept and not self.basis.size:
            self.begin_at_an_end()
        if self.pivot is None:
            self.pivot = rows.pivot(self.basis, dual)
        self.base = self.begin()
        self.conditions = Conditions.of(dual, optimum.beta, optimum.scores, some)

    def begin_at_an_end(self) -> None:
        """Where no row is free, move b to where one of the rows would become so, and begin as if it were."""
        turn = self.dual.turns(self.optimum.beta)
        nearest = self.some[int(np.argmin(np.abs(turn - self.effective)[self.some]))]
        self.basis = np.array([nearest])
        self.effective = self.effective + float(turn[nearest] - self.effective[nearest])
        self.effective[nearest] = turn[nearest]

    def begin(self) -> Base:
        """What all paths begin from."""
        needed, available = 16.0 * float(self.some.size) ** 2, available_bytes()
        if needed > available:
            raise DataError(
                f"To leave rows out, the derivatives by {self.some.size:,} rows at the margin are needed, "
                f"{needed / 1e9:.1f} GB, and {available / 1e9:.1f} GB are free. Use fewer rows, or K folds."
            )
        free, T = np.isin(self.some, self.basis), self.pivot.tableau(self.some)
        return Base.of(T, free, self.optimum.beta[self.some], self.effective[self.some], self.dual.of_rows(self.some))

    def follow(self, leaving: np.ndarray, ends: Vector, most: float) -> None:
        """Go the path of each variable that leaves; a violation of more than `most` is looked into."""
        n = leaving.size
        self.leaving, self.ends, self.amounts = leaving, ends, ends - self.optimum.beta[leaving]
        self.scores, self.violations, self.undetermined = np.empty(n), np.full(n, np.inf), np.zeros(n, dtype=bool)
        self.rough: dict[int, Vector] = {}  # beta of all rows, where a path ends near the optimum
        self.violated = np.zeros(self.dual.low.size, dtype=bool)  # rows that would have had to change sides
        size, was_free = max(1, SCORES_AT_ONCE // self.dual.low.size), np.isin(leaving, self.basis)
        for paths in np.flatnonzero(was_free), np.flatnonzero(~was_free):
            for part in slices(paths.size, size):
                self.check(paths[part], self.go(paths[part], bool(was_free[paths[0]])), most)

    def go(self, paths: np.ndarray, were_free: bool) -> Arrived:
        """Where paths end."""
        some, leaving, n = self.some, self.leaving[paths], paths.size
        place = np.searchsorted(some, leaving)
        place[some[np.minimum(place, some.size - 1)] != leaving] = -1
        own = np.empty((n, 0)) if were_free else self.pivot.responses(leaving, some)
        given = Leaving(own, place, self.amounts[paths])
        arrived = Arrived(np.empty((n, some.size)), np.empty(n, dtype=bool), np.empty(n, dtype=bool))

        def job(part: slice) -> None:
            own = Leaving(given.own[part], given.place[part], given.amounts[part])
            into = Arrived(arrived.beta[part], arrived.ended[part], arrived.undetermined[part])
            follow_all(self.base, Work.of(some.size), own, into)

        deque(parallel_map(job, slices(n, PATHS_PER_CALL)), maxlen=0)
        return arrived

    def check(self, paths: np.ndarray, arrived: Arrived, most: float) -> None:
        """Fill in scores and violations of paths, from the rows."""
        leaving, optimum = self.leaving[paths], self.optimum
        changes = arrived.beta - self.base.beta
        changes[self.some == leaving[:, None]] = 0.0
        shifts = self.rows.shifts(self.some, changes, leaving, self.amounts[paths])
        found = Ends(self.some, arrived.beta, shifts, leaving, self.ends[paths])
        offsets, violations = self.offsets(found), np.empty(paths.size)
        fill_violations(self.conditions, found, offsets, violations)
        self.scores[paths] = optimum.scores[leaving] + shifts[np.arange(paths.size), leaving] + offsets
        self.violations[paths] = np.where(arrived.ended, violations, np.inf)
        self.undetermined[paths] = arrived.undetermined
        for q in np.flatnonzero((violations > most) & (violations < ROUGH_VIOLATION * most) & arrived.ended).tolist():
            self.rough[int(paths[q])] = self.whole(arrived.beta[q], int(leaving[q]), float(self.ends[paths[q]]))
        for q in np.flatnonzero(violations > most).tolist():
            shift = shifts[q] + offsets[q]
            self.violated |= np.maximum(self.conditions.least - shift, shift - self.conditions.most) > most

    def whole(self, some_beta: Vector, leaving: int, end: float) -> Vector:
        """beta of all rows at the end of a path."""
        beta = np.array(self.optimum.beta)
        beta[self.some] = some_beta
        beta[leaving] = end
        return beta

    def offsets(self, found: Ends) -> Vector:
        """b at the end of each path: by its free rows, or the middle of what is optimal for the rows that are left."""
        offsets, counts = np.zeros(found.leaving.size), np.zeros(found.leaving.size, dtype=np.int64)
        if not self.dual.fit_intercept:
            return offsets
        fill_offsets(self.conditions, found, offsets, counts)
        for q in np.flatnonzero(counts == 0).tolist():
            left = self.dual.bounded(int(found.leaving[q]), float(found.ends[q]))
            offsets[q] = left.best_offset(self.optimum.scores + found.shifts[q])
        return offsets
