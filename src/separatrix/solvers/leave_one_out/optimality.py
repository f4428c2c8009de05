"""Whether a path of `downdating` ends in the optimum of the other rows: its conditions, from the scores of all rows.

Rows that were not allowed to change sides have a fixed beta, and an interval in which the change of their score, with
that of the offset, must be. Of the others beta decides what their score may be (`row_dual`).
"""

from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.rows import TINY, Vector
from separatrix.solvers.leave_one_out.row_dual import FREE_RTOL, RowDual

ROUNDED_BETA = 1e-12  # part of its bound by which rounding may keep beta from it, or from 0


class Ends(NamedTuple):
    """Where paths end: beta of some rows, the change of the scores of all, and the row that left with its beta."""

    some: np.ndarray
    beta: Vector
    shifts: Vector
    leaving: np.ndarray
    ends: Vector


class Conditions(NamedTuple):
    """The optimum that paths began from, and the intervals of the rows whose beta is fixed; of the others infinite."""

    dual: RowDual
    beta: Vector
    scores: Vector
    least: Vector
    most: Vector

    @classmethod
    def of(cls, dual: RowDual, beta: Vector, scores: Vector, some: np.ndarray) -> "Conditions":
        """The conditions where some rows may have changed sides."""
        effective = scores + dual.ridge * beta
        least = np.where(beta > 0.0, -np.inf, np.where(beta < 0.0, dual.high, dual.low)) - effective
        most = np.where(beta > 0.0, dual.low, np.where(beta < 0.0, np.inf, dual.high)) - effective
        least[some], most[some] = -np.inf, np.inf
        return cls(dual, beta, scores, least, most)


@inner
def effective_score(given, found, q, j):
    """beta and the effective score without offset of row some[j] at the end of path q."""
    row = found.some[j]
    beta = found.ends[q] if row == found.leaving[q] else found.beta[q, j]
    return beta, given.scores[row] + found.shifts[q, row] + given.dual.ridge[row] * beta


@inner
def is_free(beta, bound, rtol):
    """Whether beta is off its bound and not 0, by a part of the bound."""
    near = rtol * bound if bound < np.inf else 0.0
    return abs(beta) > near and bound - abs(beta) > near


@compiled
def fill_offsets(given, found, offsets, counts):
    """The mean of the offsets that free rows of each path require, and how many free rows there are."""
    dual = given.dual
    for q in range(offsets.size):
        total, count = 0.0, 0
        for j in range(found.some.size):
            row = found.some[j]
            beta, e = effective_score(given, found, q, j)
            if row != found.leaving[q] and is_free(
                beta, dual.upper[row] if beta > 0.0 else -dual.lower[row], FREE_RTOL
            ):
                total += (dual.low[row] if beta > 0.0 else dual.high[row]) - e
                count += 1
        offsets[q], counts[q] = total / max(count, 1), count


@inner
def excess(dual, row, beta, bound, e):
    """By how much an effective score is not what beta between 0 and a bound requires."""
    beyond = e - dual.low[row] if beta > 0.0 else dual.high[row] - e
    if is_free(beta, bound, ROUNDED_BETA):
        return abs(beyond)
    if bound > 0.0 and abs(beta) > 0.5 * bound:
        return beyond
    return max(dual.low[row] - e, e - dual.high[row])


@compiled
def fill_violations(given, found, offsets, violations):
    """The largest violation of the optimality conditions of each path, in units of scores, or of the sum of beta."""
    dual = given.dual
    for q in range(offsets.size):
        i, end, b, worst, total, size = found.leaving[q], found.ends[q], offsets[q], 0.0, 0.0, 0.0
        for row in range(given.least.size):
            shift = found.shifts[q, row] + b
            if row != i or end != 0.0:
                worst = max(worst, given.least[row] - shift, shift - given.most[row])
        moved = end - given.beta[i]
        for j in range(found.some.size):
            row = found.some[j]
            beta, e = effective_score(given, found, q, j)
            bound = dual.upper[row] if beta > 0.0 else -dual.lower[row]
            if row != i:
                total, size = total + beta - given.beta[row], size + abs(beta - given.beta[row])
            if row != i or end != 0.0:
                worst = max(worst, excess(dual, row, beta, abs(end) if row == i else bound, e + b))
                worst = max(worst, (abs(beta) - bound) / max(bound, TINY) if bound < np.inf else 0.0)
        if dual.fit_intercept:
            worst = max(worst, abs(total + moved) / (size + abs(moved)))
        violations[q] = worst
