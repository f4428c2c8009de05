"""Sequential minimal optimisation within blocks of rows (Platt, 1998; Fan, Chen and Lin, 2005).

    min 1/2 sum_ij alpha_i alpha_j y_i y_j K_ij + 1/2 sum_i ridge_i alpha_i^2 - sum_i alpha_i
    0 <= alpha_i <= upper_i,   sum_i y_i alpha_i = 0

The two alphas of a pair move along y until one meets a bound or the slope between them is 0. Pairs are chosen within a
block of some hundred rows, of which half violate the optimality conditions most and half are from the block before; the
gradient of all rows follows once a block.
"""

from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.kernel.gram import Gram
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

    def beta(self, alpha: Vector, n: int) -> Vector:
        """The sum of y alpha over the variables of each row, of which there are n."""
        return np.bincount(self.row, self.y * alpha, n).astype(np.float64)


class Point(NamedTuple):
    """alpha, and scores = sum_j alpha_j y_j K_ij of every row; both change in place."""

    alpha: Vector
    scores: Vector

    def slopes(self, dual: Dual) -> Vector:
        """-y_i times the derivative by alpha_i: what the offset would be if row i were free."""
        return dual.y - self.scores - dual.y * dual.ridge * self.alpha


@inner
def can_rise(y, alpha, upper):
    """Whether alpha may move along y."""
    return alpha < upper if y > 0.0 else alpha > 0.0


@inner
def pair_curvature(K, ridge, i, j):
    """The second derivative along the direction of a pair."""
    return max(K[i, i] + K[j, j] - 2.0 * K[i, j] + ridge[i] + ridge[j], MIN_CURVATURE)


@inner
def steepest(dual, alpha, slopes):
    """The row that may rise and has the highest slope, or -1."""
    best, highest = -1, -np.inf
    for t in range(alpha.size):
        if slopes[t] > highest and can_rise(dual.y[t], alpha[t], dual.upper[t]):
            best, highest = t, slopes[t]
    return best


@inner
def best_partner(K, dual, alpha, slopes, i):
    """The row that gains most together with row i, or -1, and the lowest slope of those that may fall."""
    best, gain, lowest = -1, 0.0, np.inf
    for t in range(alpha.size):
        if not can_rise(-dual.y[t], alpha[t], dual.upper[t]):
            continue
        lowest, room = min(lowest, slopes[t]), slopes[i] - slopes[t]
        if room > 0.0 and room * room > gain * pair_curvature(K, dual.ridge, i, t):
            best, gain = t, room * room / pair_curvature(K, dual.ridge, i, t)
    return best, lowest


@compiled
def solve_block(K, dual, alpha, slopes, tol, max_steps):
    """Pair steps within a block, in place, until its violation is below tol; returns how many there were."""
    y, upper, ridge = dual.y, dual.upper, dual.ridge
    for step in range(max_steps):
        i = steepest(dual, alpha, slopes)
        if i < 0:
            return step
        j, lowest = best_partner(K, dual, alpha, slopes, i)
        if j < 0 or slopes[i] - lowest < tol:
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


def violation(dual: Dual, alpha: Vector, slopes: Vector) -> tuple[float, np.ndarray, np.ndarray]:
    """By how much the optimality conditions fail, and which rows may go up and down along y."""
    positive = dual.y > 0.0
    up = np.where(positive, alpha < dual.upper, alpha > 0.0)
    down = np.where(positive, alpha > 0.0, alpha < dual.upper)
    most = float(slopes[up].max(initial=-np.inf)) - float(slopes[down].min(initial=np.inf))
    return most, up, down


def block_smo(gram: Gram, dual: Dual, point: Point, tol: float, budget: Budget) -> float:
    """Reduce the violation to tol, in place; returns what is left of it."""
    with threads_for(0.0):
        return reduced_violation(gram, dual, point, tol, budget)


def reduced_violation(gram: Gram, dual: Dual, point: Point, tol: float, budget: Budget) -> float:
    """Solve one block after the other, in place."""
    n, last = dual.y.size, np.empty(0, dtype=np.int64)
    most, few, everything = MAX_BLOCKS + n // ROWS_PER_BLOCK, n <= MAX_WHOLE_ROWS, np.arange(n)
    whole = gram.block(everything) if few else np.empty((0, 0))
    for made in range(most + 1):
        slopes = point.slopes(dual)
        left, up, down = violation(dual, point.alpha, slopes)
        if left <= tol or made == most or budget.spent():
            return left
        block = everything if few else chosen_block(slopes, up, down, last[-(BLOCK_ROWS // 2) :])
        part = Dual(*(each[block] for each in dual))
        alpha = point.alpha[block]
        target = max(0.5 * tol, BLOCK_TOL * left)
        solve_block(whole if few else gram.block(block), part, alpha, slopes[block], target, STEPS_PER_ROW * block.size)
        moved = np.flatnonzero(alpha != point.alpha[block])
        if not moved.size and last.size == block.size:  # rounding of the matrix keeps every pair
            return left
        change = part.y[moved] * (alpha[moved] - point.alpha[block][moved])
        gram.add_rows(block[moved], change, point.scores)
        point.alpha[block] = alpha
        last = block
    return np.inf


def chosen_block(slopes: Vector, up: np.ndarray, down: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """The rows that violate most on both sides, and those kept from the block before."""
    half = (BLOCK_ROWS - kept.size) // 2
    chosen = [kept]
    left = np.ones(slopes.size, dtype=bool)
    left[kept] = False
    for side, order in ((up, -slopes), (down, slopes)):
        rows = np.flatnonzero(side & left)
        if rows.size > half:
            rows = rows[np.argpartition(order[rows], half)[:half]]
        left[rows] = False
        chosen.append(rows)
    return np.concatenate(chosen)
