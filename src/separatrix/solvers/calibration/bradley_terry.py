"""One distribution over several classes from the probabilities of sides, each of which holds several of them.

    maximise  sum_l r_l log(q+_l / q_l) + (1 - r_l) log(q-_l / q_l),     q+-_l the sum of p over a side, q = q+ + q-,

over distributions p, where r_l is the probability of the positive side of column l of a code, given one of its classes:
the generalised Bradley-Terry model (Huang, Weng and Lin, 2006). Columns that agree give back p if there is only one. In
a code without zeros q is 1, and the problem is concave; with zeros the answer is a stationary point.

Each step multiplies p_i by the ratio of two sums over the columns that hold class i, which never lowers the objective
(minorisation and maximisation: Hunter, 2004), and is 1 for every class with p_i > 0 at the optimum:

    (sum of r_l / q+_l over its positive columns, of (1 - r_l) / q-_l over its negative ones)  /  sum of 1 / q_l
"""

import numpy as np

from separatrix.rows import TINY, Vector

MAX_STEPS = 2000
RATIO_TOL = 1e-7  # by which a step may still change a probability
MAX_CHUNK_ENTRIES = 2**20  # of the sides of all rows that are worked on at once


def bradley_terry(positive: Vector, code: np.ndarray) -> Vector:
    """Probabilities of the classes of a code, a row each; `positive` has those of the positive sides, a column each.

    >>> p, code = np.array([0.5, 0.3, 0.2]), np.array([[1, 1, 1], [-1, 1, -1], [-1, -1, 0]])
    >>> sides = np.array([[0.5, 0.8, 0.5 / 0.8]])  # what p says of the columns
    >>> bradley_terry(sides, code).round(6).tolist()
    [[0.5, 0.3, 0.2]]
    """
    n, k = len(positive), len(code)
    size = max(1, MAX_CHUNK_ENTRIES // code.size)
    chunks = [ascend(positive[start : start + size], code) for start in range(0, n, size)]
    return np.concatenate(chunks) if chunks else np.empty((0, k))


def ascend(positive: Vector, code: np.ndarray) -> Vector:
    """The distributions of some rows; those that have converged are left alone."""
    plus, minus = (code > 0).astype(np.float64), (code < 0).astype(np.float64)
    found, moving = np.full((len(positive), len(code)), 1.0 / len(code)), np.arange(len(positive))
    for _ in range(MAX_STEPS):
        p, r = found[moving], positive[moving]
        above, below = np.maximum(p @ plus, TINY), np.maximum(p @ minus, TINY)
        share = 1.0 / (above + below)
        ratio = (r / above) @ plus.T + ((1.0 - r) / below) @ minus.T
        stepped = p * ratio / (share @ (plus + minus).T)
        stepped /= stepped.sum(axis=1, keepdims=True)
        found[moving] = stepped
        moving = moving[np.abs(stepped - p).max(axis=1) > RATIO_TOL]
        if not moving.size:
            break
    return found
