"""Codes whose classes are far apart, by local search.

Where bits are wrong independently with probability e, the probability that a word of class r is as near to the codeword
of s is at most q^d, with q = 2 sqrt(e (1 - e)) and their distance d (Bhattacharyya, 1943). The search makes small

    minimise  sum_{r < s} a_rs q^d(r, s)        over codes of +1 and -1 of a length,

where a_rs says how much the pair matters, by steepest descent: in each step one entry changes sides, that which brings
most. It starts from a BCH code and from random ones, and the best end is taken. With one a for all pairs and a small q
this is the search for the largest minimum distance, and for the fewest pairs at that distance.
"""

import numpy as np

from separatrix.estimators.reduction.codes.bch import bch_code
from separatrix.estimators.reduction.codes.distance import distances
from separatrix.estimators.reduction.codes.random_code import n_columns, random_code
from separatrix.rows import Vector
from separatrix.threads import threads_for

RANDOM_STARTS = 10
MAX_WORK = 1e9  # multiplications of all descents, about a second; later starts do with what is left
LOG_Q = -2.5  # of a search for the largest minimum distance: the nearest pairs have nearly all of the sum


def search_code(n_classes: int, length: int, random: np.random.Generator) -> np.ndarray:
    """A code of this length with the largest minimum distance that the search finds.

    >>> from separatrix.estimators.reduction.codes.distance import minimum_distance
    >>> minimum_distance(search_code(6, 10, np.random.default_rng(0)))  # none has more: 10 columns x 9 of 15 pairs / 15
    6.0
    """
    return far_apart(np.zeros((n_classes, n_classes)), LOG_Q, length, random)


def far_apart(log_a: Vector, log_q: float, length: int, random: np.random.Generator) -> np.ndarray:
    """The best code of several descents, for the logarithms of a of all pairs and of q."""
    k, left = len(log_a), MAX_WORK
    if length == n_columns(k):  # there is one such code
        return random_code(k, length, random)
    ends = []
    with threads_for(0.0):  # products are small
        for start in range(1 + RANDOM_STARTS):
            code = random_code(k, length, random) if start else bch_code(k, length, random)
            code, steps = descend(code, log_a, log_q, int(left / (k * k * length)))
            left -= steps * k * k * length
            ends.append(code)
    return min(ends, key=lambda code: log_sum(code, log_a, log_q))


def log_sum(code: np.ndarray, log_a: Vector, log_q: float) -> float:
    """The logarithm of the sum that is made small."""
    pairs = np.triu_indices(len(code), 1)
    return float(np.logaddexp.reduce(log_a[pairs] + distances(code)[pairs] * log_q))


def descend(code: np.ndarray, log_a: Vector, log_q: float, steps: int) -> tuple[np.ndarray, int]:
    """Change the side of one class in one column, that which lowers the sum most, until nothing does.

    The distance of r to s grows by M_r M_s where r changes sides in a column, so that the sum changes by

        sum_s a q^d (q^(M_r M_s) - 1) = (cosh(log q) - 1) sum_s a q^d + sinh(log q) M_r sum_s a q^d M_s.

    Returns the code and the number of steps.
    """
    M = code.astype(np.float64)
    for step in range(steps):
        apart = distances(M)
        exponents = log_a + apart * log_q
        np.fill_diagonal(exponents, -np.inf)
        terms = np.exp(exponents - exponents.max())
        change = (np.cosh(log_q) - 1.0) * terms.sum(axis=1)[:, None] + np.sinh(log_q) * M * (terms @ M)
        r, column = best_valid_change(M, apart, change)
        if r < 0:
            return M.astype(int), step
        M[r, column] *= -1.0
    return M.astype(int), steps


def best_valid_change(M: Vector, apart: Vector, change: Vector) -> tuple[int, int]:
    """The entry whose change lowers the sum most and leaves a code; -1 if there is none."""
    least = -1e-12 * np.abs(change).max()  # beyond rounding
    for place in np.argsort(change, axis=None):
        r, column = divmod(int(place), M.shape[1])
        if change[r, column] >= least:
            break
        if stays_code(M, apart, r, column):
            return r, column
    return -1, -1


def stays_code(M: Vector, apart: Vector, r: int, column: int) -> bool:
    """Whether a changed entry leaves a column with both sides that no other one repeats, and no equal rows."""
    changed = M[:, column].copy()
    changed[r] *= -1.0
    agreement = np.abs(changed @ M)
    agreement[column] = abs(changed.sum())
    own = apart[r] + M[r, column] * M[:, column]
    own[r] = np.inf
    return bool((agreement < len(M)).all() and own.min() >= 1.0)
