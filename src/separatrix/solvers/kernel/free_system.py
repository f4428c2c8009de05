"""The linear system of the free rows, with one factor that outlives changes of a few rows.

    | K_FF + ridge   E | | change of beta    |   | residual |        E: which group each row is in, a column for each
    | E'             0 | | change of offsets | = | totals   |        sums of the changes over groups = totals

The factor of K_FF + ridge is made in float32, or in float64 where that is not positive definite; residuals in float64
refine what it gives. Where it would not fit into memory, conjugate gradients take its place. Where few rows change, the
system of the new set is a bordered one of the old: rows that left have a change of 0, with a multiplier each, rows that
joined have a column.

    | K_00  B | | u |   | r_0 |        B = [E, columns of K that joined, unit columns of rows that left]
    | B'    D | | z | = | r_z |        z = [changes of offsets, of beta of those, multipliers of these]
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dgetrf, dgetrs

from separatrix.rows import TINY, Vector
from separatrix.solvers.kernel.conjugate_gradients import FreeRows
from separatrix.solvers.kernel.gram import Gram
from separatrix.solvers.kernel.panel_cholesky import PanelCholesky

MAX_BORDER_RATIO = 0.12  # of the rows in the factor: a larger border costs more than a new factor
SINGLE_PIVOT = 1e-6  # part of the largest diagonal entry that is added in float32: rows may be nearly equal
DOUBLE_PIVOT = 1e-13  # in float64
MORE_PIVOT = 1e-10  # where that is not enough
BYTES_PER_ENTRY = 2.0  # of the matrix of the free rows: half of it is kept, in float32
MIN_ROWS_FOR_SINGLE = 700  # in the factor: of fewer, double precision costs nothing


class Ask(NamedTuple):
    """What is asked of the system: the groups that have a free row, the group of each, and both right-hand sides."""

    free: np.ndarray
    residual: Vector
    totals: Vector
    group: np.ndarray
    present: np.ndarray
    n_groups: int

    def border(self, group: np.ndarray) -> Vector:
        """The columns of E for rows in these groups."""
        return (group[:, None] == self.present).astype(np.float64)


class FreeSystem:
    """The system of the free rows; `interrupted` may end the making of a factor by raising."""

    interrupted: Callable[[], object] = staticmethod(lambda: None)

    def __init__(self, gram: Gram, ridge: Vector, fit_intercept: bool) -> None:
        self.gram, self.ridge, self.fit_intercept = gram, ridge, fit_intercept
        self.rows = np.empty(0, dtype=np.int64)  # in the factor
        self.factor: PanelCholesky | None = None
        self.border = Border(gram, 0, np.float64)
        self.free_rows: FreeRows | None = None
        self.dtype: type = np.float64 if gram.is_exact else np.float32

    def use_double_precision(self) -> bool:
        """Have the next factor made in float64; whether the last one was not."""
        changed, self.dtype = self.dtype is np.float32 and self.rows.size >= MIN_ROWS_FOR_SINGLE, np.float64
        if changed:
            self.rows = self.rows[:0]
        return changed

    def solve(
        self, free: np.ndarray, residual: Vector, totals: Vector | float, group: np.ndarray | None = None
    ) -> tuple[Vector, Vector]:
        """Changes of beta on the free rows, in order, and of the offset of each group: 0 for those without a free row.

        `totals` are what the changes of each group add up to, and `group` the group of each row, the first by default.
        """
        wanted = np.atleast_1d(np.asarray(totals, dtype=np.float64)) if self.fit_intercept else np.empty(0)
        offsets = np.zeros(wanted.size)
        if not free.size:
            return np.empty(0), offsets
        group = np.zeros(free.size, dtype=np.int64) if group is None else group
        present = np.flatnonzero(np.bincount(group, minlength=wanted.size)[: wanted.size])
        ask = Ask(free, residual, wanted[present], group, present, wanted.size)
        if BYTES_PER_ENTRY * free.size**2 > self.gram.max_bytes:
            change, offsets[present] = self.iterated(ask)
            return change, offsets
        left = np.setdiff1d(self.rows, free, assume_unique=True)
        joined = np.setdiff1d(free, self.rows, assume_unique=True)
        if left.size + joined.size > MAX_BORDER_RATIO * self.rows.size:
            self.refactor(free)
            left = joined = free[:0]
        change, offsets[present] = self.bordered(ask, left, joined)
        return change, offsets

    def iterated(self, ask: Ask) -> tuple[Vector, Vector]:
        """Solve by conjugate gradients, where no factor fits into memory."""
        if self.free_rows is None or not np.array_equal(self.free_rows.free, ask.free):
            self.free_rows = FreeRows(self.gram, ask.free, self.ridge[ask.free])
        E = ask.border(ask.group)
        found = self.free_rows.solve(np.column_stack([ask.residual, E]), self.interrupted)
        beta, columns = found[:, 0], found[:, 1:]
        if not ask.present.size:
            return beta, ask.totals
        square: Vector = E.T @ columns + TINY * np.eye(ask.present.size)
        offsets = np.asarray(np.linalg.solve(square, E.T @ beta - ask.totals), dtype=np.float64)
        return beta - columns @ offsets, offsets

    def refactor(self, free: np.ndarray) -> None:
        """Factor the matrix of these rows anew."""
        self.factor, self.rows = None, free[:0]  # its memory serves the next one
        single = self.dtype is np.float32 and free.size >= MIN_ROWS_FOR_SINGLE
        ridge = self.ridge[free]
        largest = max(float((self.gram.diagonal[free] + ridge).max()), TINY)
        pivots = (SINGLE_PIVOT,) if single else (DOUBLE_PIVOT, MORE_PIVOT, 10.0 * MORE_PIVOT)
        for pivot in pivots:
            try:
                self.factor = self.made(free, ridge + pivot * largest, np.float32 if single else np.float64)
                self.rows, self.border = free, Border(self.gram, free.size, self.factor.panels[0].dtype)
                return
            except LinAlgError:
                continue
        if not single:
            raise LinAlgError("The kernel matrix of the free rows is not positive definite.")
        self.dtype = np.float64
        self.refactor(free)

    def made(self, free: np.ndarray, ridge: Vector, dtype: type) -> PanelCholesky:
        """The factor of the matrix of some rows, with something added to its diagonal."""

        def values(rows: slice, columns: slice) -> np.ndarray:
            part = self.gram.tile if dtype is np.float32 else self.gram.exact_block
            K = part(free[rows], free[columns])
            if rows.start == columns.start:
                some = np.arange(min(K.shape))
                K[some, some] += ridge[columns].astype(dtype)[some]
            return K

        return PanelCholesky(free.size, values, dtype, self.interrupted)

    def bordered(self, ask: Ask, left: np.ndarray, joined: np.ndarray) -> tuple[Vector, Vector]:
        """Solve with the factor, for rows that left it and rows that joined."""
        factor, rows, free, residual, first = self.factor, self.rows, ask.free, ask.residual, ask.present.size
        assert factor is not None
        still = np.setdiff1d(rows, left, assume_unique=True)
        there, here = np.searchsorted(rows, still), np.searchsorted(free, still)
        new = np.searchsorted(free, joined)
        size = max(float(np.abs(residual).max()), float(np.abs(ask.totals).max(initial=0.0)), TINY)
        right = np.zeros(rows.size, dtype=self.border.dtype)  # float32 has a range of its own
        right[there] = residual[here] / size
        reduced = factor.forward(right).astype(np.float64)
        E = self.border.of_groups(factor, there, ask.group[here], ask.n_groups)[:, ask.present]
        W = np.column_stack([E, self.border.columns(factor, rows, joined, left)])
        z = np.concatenate([ask.totals / size, residual[new] / size, np.zeros(left.size)])
        if z.size:
            z, _ = dgetrs(*self.schur(W, joined, ask.border(ask.group[new])), z - W.T @ reduced)
        u = factor.backward((reduced - W @ z).astype(self.border.dtype))
        beta = np.empty(free.size)
        beta[here], beta[new] = u[there], z[first : first + joined.size]
        return beta * size, z[:first] * size

    def schur(self, W: Vector, joined: np.ndarray, E: Vector) -> tuple[Vector, np.ndarray]:
        """The LU factors of D - W'W; E are the groups of rows that joined."""
        S, inner = -(W.T @ W), slice(E.shape[1], E.shape[1] + joined.size)
        if joined.size:
            S[inner, inner] += self.gram.exact_block(joined, joined) + np.diag(self.ridge[joined])
            S[: inner.start, inner] += E.T
            S[inner, : inner.start] += E
        factor, swaps, failed = dgetrf(S)
        if failed or not np.isfinite(factor).all():
            raise LinAlgError("The border of the free rows has dependent columns.")
        return factor, swaps


class Border:
    """W = L^-1 B, whose columns are kept from one change of the free rows to the next, as long as the factor is."""

    def __init__(self, gram: Gram, n_rows: int, dtype: Any) -> None:
        self.gram, self.dtype = gram, dtype
        self.rows = np.empty(0, dtype=np.int64)  # whose columns are known
        self.known: list[Vector] = []
        self.group, self.groups = np.full(n_rows, -1), np.empty((n_rows, 0))  # of the factor's rows, and their columns

    def of_groups(self, factor: PanelCholesky, places: np.ndarray, group: np.ndarray, n_groups: int) -> Vector:
        """A column for each group; rows of the factor at some places are in these groups, others as they were."""
        if self.groups.shape[1] != n_groups or not np.array_equal(self.group[places], group):
            self.group[places] = group
            E = (self.group[:, None] == np.arange(n_groups)).astype(self.dtype)
            self.groups = factor.forward(E).astype(np.float64)
        return self.groups

    def columns(self, factor: PanelCholesky, rows: np.ndarray, joined: np.ndarray, left: np.ndarray) -> Vector:
        """The columns of rows that joined the factor's and of rows that left them."""
        new = [np.setdiff1d(index, self.rows) for index in (joined, left)]
        added = np.zeros((rows.size, new[0].size + new[1].size), dtype=self.dtype)
        if added.size:
            added[:, : new[0].size] = self.gram.exact_block(rows, new[0])
            added[np.searchsorted(rows, new[1]), np.arange(new[0].size, added.shape[1])] = 1.0
            self.known += list(factor.forward(added).astype(np.float64).T)
            self.rows = np.concatenate([self.rows, *new])
        place = dict(zip(self.rows.tolist(), self.known, strict=True))
        wanted = [place[row] for row in np.concatenate([joined, left]).tolist()]
        return np.column_stack([*wanted, np.empty((rows.size, 0))])
