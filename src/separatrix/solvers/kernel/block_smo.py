"""Sequential minimal optimisation within blocks of variables (Platt, 1998; Fan, Chen and Lin, 2005).

    min 1/2 sum_pq alpha_p alpha_q y_p y_q K_pq + 1/2 sum_p ridge_p alpha_p^2 - sum_p required_p alpha_p
    0 <= alpha_p <= upper_p,   sum over each group of y_p alpha_p as it is

Every variable belongs to a row of the kernel matrix and to a group; variables are in the order of their groups. The two
alphas of a pair within a group move along y until one meets a bound or the slope between them is 0. Of several groups
the one with the larger violation moves. Pairs are chosen within a block of some hundred variables, of which half
violate the optimality conditions most and half are from the block before; the gradient follows once a block.
"""

from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.kernel.gram import Gram
from separatrix.solvers.watching import is_watched, tell
from separatrix.threads import threads_for

BLOCK_ROWS = 1024
MAX_WHOLE_ROWS = 2000  # that are one block
MAX_BLOCKS, ROWS_PER_BLOCK = 100, 50  # and one more for so many rows: where more are needed, other methods are better
STEPS_PER_ROW = 4  # in a block, at most
BLOCK_TOL = 0.1  # part of the violation at which a block is solved
MIN_CURVATURE = 1e-12  # of a pair: equal rows have none


class Dual(NamedTuple):
    """What does not change: signs, bounds and ridge of alpha, what is required, and the group and the row of each."""

    y: Vector
    upper: Vector
    ridge: Vector
    required: Vector
    group: np.ndarray
    row: np.ndarray

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return int(self.group[-1]) + 1 if self.group.size else 1

    def ends(self) -> np.ndarray:
        """Where the groups end, of variables in their order."""
        return np.searchsorted(self.group, np.arange(self.n_groups), side="right")

    def beta(self, alpha: Vector, n: int) -> Vector:
        """The sum of y alpha over the variables of each row, of which there are n."""
        return np.bincount(self.row, self.y * alpha, n).astype(np.float64)


class Point(NamedTuple):
    """alpha, and scores = sum_p alpha_p y_p K_ip of every row i; both change in place."""

    alpha: Vector
    scores: Vector

    def slopes(self, dual: Dual) -> Vector:
        """-y_p times the derivative by alpha_p: what the offset of its group would be if p were free."""
        return dual.y * dual.required - self.scores[dual.row] - dual.y * dual.ridge * self.alpha


@inner
def can_rise(y, alpha, upper):
    """Whether alpha may move along y."""
    return alpha < upper if y > 0.0 else alpha > 0.0


@inner
def pair_curvature(K, ridge, i, j):
    """The second derivative along the direction of a pair."""
    return max(K[i, i] + K[j, j] - 2.0 * K[i, j] + ridge[i] + ridge[j], MIN_CURVATURE)


@inner
def steepest(dual, alpha, slopes, first, last):
    """The variable of a range that may rise and has the highest slope, or -1."""
    best, highest = -1, -np.inf
    for t in range(first, last):
        if slopes[t] > highest and can_rise(dual.y[t], alpha[t], dual.upper[t]):
            best, highest = t, slopes[t]
    return best


@inner
def best_partner(K, dual, alpha, slopes, i, first, last):
    """The variable of a range that gains most together with i, or -1, and the lowest slope of those that may fall."""
    best, gain, lowest = -1, 0.0, np.inf
    for t in range(first, last):
        if not can_rise(-dual.y[t], alpha[t], dual.upper[t]):
            continue
        lowest, room = min(lowest, slopes[t]), slopes[i] - slopes[t]
        if room > 0.0 and room * room > gain * pair_curvature(K, dual.ridge, i, t):
            best, gain = t, room * room / pair_curvature(K, dual.ridge, i, t)
    return best, lowest


@inner
def best_pair(K, dual, alpha, slopes, ends):
    """The pair of the group with the largest violation, or -1 and -1, and that violation."""
    i, j, most, first = -1, -1, 0.0, 0
    for last in ends:
        rising = steepest(dual, alpha, slopes, first, last)
        if rising >= 0:
            falling, lowest = best_partner(K, dual, alpha, slopes, rising, first, last)
            if falling >= 0 and slopes[rising] - lowest > most:
                i, j, most = rising, falling, slopes[rising] - lowest
        first = last
    return i, j, most


@compiled
def solve_block(K, dual, ends, alpha, slopes, tol, max_steps):
    """Pair steps within a block, in place, until its violation is below tol; returns how many there were.

    `ends` are where the groups of its variables end.
    """
    y, upper, ridge = dual.y, dual.upper, dual.ridge
    for step in range(max_steps):
        i, j, most = best_pair(K, dual, alpha, slopes, ends)
        if j < 0 or most < tol:
            return step
        most_i = upper[i] - alpha[i] if y[i] > 0.0 else alpha[i]
        most_j = alpha[j] if y[j] > 0.0 else upper[j] - alpha[j]
        move = min((slopes[i] - slopes[j]) / pair_curvature(K, ridge, i, j), most_i, most_j)
        alpha[i] = min(max(alpha[i] + y[i] * move, 0.0), upper[i])
        alpha[j] = min(max(alpha[j] - y[j] * move, 0.0), upper[j])
        if move == most_i:  # exactly at its bound
            alpha[i] = upper[i] if y[i] > 0.0 else 0.0
        if move == most_j:
            alpha[j] = 0.0 if y[j] > 0.0 else upper[j]
        for t in range(y.size):
            slopes[t] -= move * (K[i, t] - K[j, t])
        slopes[i] -= move * ridge[i]
        slopes[j] += move * ridge[j]
    return max_steps


def pair_by_pair(
    K: np.ndarray, dual: Dual, ends: np.ndarray, alpha: Vector, slopes: Vector, tol: float, max_steps: int
) -> None:
    """Pair steps within a block, as `solve_block` makes them, in calls of one each, of which a watcher is told."""
    for _ in range(max_steps):
        before = slopes.copy()
        if not solve_block(K, dual, ends, alpha, slopes, tol, 1):
            return
        tell("pair", dual=dual, alpha=alpha, slopes=before)


class Violation(NamedTuple):
    """By how much the optimality conditions fail, and which variables may go up and down along y."""

    most: float
    up: np.ndarray
    down: np.ndarray

    @classmethod
    def of(cls, dual: Dual, alpha: Vector, slopes: Vector) -> "Violation":
        """The largest violation of all groups."""
        positive = dual.y > 0.0
        up = np.where(positive, alpha < dual.upper, alpha > 0.0)
        down = np.where(positive, alpha > 0.0, alpha < dual.upper)
        most, first = -np.inf, 0
        for last in dual.ends():
            own = slice(first, last)
            highest = float(slopes[own][up[own]].max(initial=-np.inf))
            most, first = max(most, highest - float(slopes[own][down[own]].min(initial=np.inf))), last
        return cls(most, up, down)


def block_smo(gram: Gram, dual: Dual, point: Point, tol: float, budget: Budget) -> float:
    """Reduce the violation to tol, in place; returns what is left of it."""
    with threads_for(0.0):
        return reduced_violation(gram, dual, point, tol, budget)


def reduced_violation(gram: Gram, dual: Dual, point: Point, tol: float, budget: Budget) -> float:
    """Solve one block after the other, in place."""
    n, last = dual.y.size, np.empty(0, dtype=np.int64)
    most, few, everything = MAX_BLOCKS + n // ROWS_PER_BLOCK, n <= MAX_WHOLE_ROWS, np.arange(n)
    whole = block_of(gram, dual.row) if few else np.empty((0, 0))
    for made in range(most + 1):
        slopes = point.slopes(dual)
        violation = Violation.of(dual, point.alpha, slopes)
        left = violation.most
        if left <= tol or made == most or budget.spent():
            return left
        chosen = everything if few else chosen_block(dual, slopes, violation, last[-(BLOCK_ROWS // 2) :])
        block = chosen if few or dual.n_groups == 1 else np.sort(chosen)
        part = Dual(*(each[block] for each in dual))
        alpha = point.alpha[block]
        target = max(0.5 * tol, BLOCK_TOL * left)
        K = whole if few else block_of(gram, part.row)
        (pair_by_pair if is_watched() else solve_block)(
            K, part, part.ends(), alpha, slopes[block], target, STEPS_PER_ROW * block.size
        )
        moved = np.flatnonzero(alpha != point.alpha[block])
        if not moved.size and last.size == block.size:  # rounding of the matrix keeps every pair
            return left
        change = part.y[moved] * (alpha[moved] - point.alpha[block][moved])
        gram.add_rows(*summed(part.row[moved], change), point.scores)
        point.alpha[block] = alpha
        last = chosen
    return np.inf


def chosen_block(dual: Dual, slopes: Vector, violation: Violation, kept: np.ndarray) -> np.ndarray:
    """The variables of each group that violate most on both sides, and those kept from the block before."""
    half = (BLOCK_ROWS - kept.size) // (2 * dual.n_groups)
    chosen = [kept]
    left = np.ones(slopes.size, dtype=bool)
    left[kept] = False
    first = 0
    for last in dual.ends().tolist():
        for side, order in ((violation.up, -slopes), (violation.down, slopes)):
            some = first + np.flatnonzero(side[first:last] & left[first:last])
            if some.size > half:
                some = some[np.argpartition(order[some], half)[:half]]
            left[some] = False
            chosen.append(some)
        first = last
    return np.concatenate(chosen)


def block_of(gram: Gram, row: np.ndarray) -> np.ndarray:
    """K of some rows with each other, of which some may be there twice."""
    once, place = np.unique(row, return_inverse=True)
    return gram.block(row) if once.size == row.size else gram.block(once)[np.ix_(place, place)]


def summed(row: np.ndarray, amounts: Vector) -> tuple[np.ndarray, Vector]:
    """Rows without repetition, and the sum of what each has."""
    once, place = np.unique(row, return_inverse=True)
    return (row, amounts) if once.size == row.size else (once, np.bincount(place, amounts).astype(np.float64))
