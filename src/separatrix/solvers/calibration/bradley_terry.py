"""One distribution over several classes from the probabilities of sides, each of which holds several of them.

    maximise  sum_l r_l log(q+_l / q_l) + (1 - r_l) log(q-_l / q_l),     q+-_l the sum of p over a side, q = q+ + q-,

over distributions p, where r_l is the probability of the positive side of column l of a code, given one of its classes:
the generalised Bradley-Terry model (Huang, Weng and Lin, 2006). Columns that agree give back p if there is only one. In
a code without zeros q is 1, and the problem is concave; with zeros the answer is a stationary point.

Newton's method for x = log p, with the gradient and the curvature

    g_i = p_i (sum of r_l / q+_l over its positive columns, of (1 - r_l) / q-_l over its negative ones - sum of 1 / q_l)
    H_ij = p_i p_j (L + sum of r_l / q+_l^2 over the columns with both on the positive side, of (1 - r_l) / q-_l^2 with
                    both on the negative one, minus sum of 1 / q_l^2 over those that hold both)

where the number L of columns keeps the sum of p at 1. On the diagonal of H are added max(0, -g_i), for classes whose
probability falls to 0, and d p_i times the second sum in g_i, which alone would be a step of minorisation and
maximisation (Hunter, 2004), short but always uphill. d falls tenfold after a step uphill and rises after any other,
which is not taken (Levenberg, 1944).
"""

from typing import NamedTuple

import numpy as np

from separatrix.rows import TINY, Vector
from separatrix.threads import threads_for

MAX_STEPS = 200
GRADIENT_TOL = 1e-8  # of the largest entry of g, for each column
MAX_LOG_STEP = 3.0  # of x
ROUNDING = 1e-15  # of the objective, for each column
MAX_CHUNK_ENTRIES = 2**20  # of all matrices H that are worked on at once


def bradley_terry(positive: Vector, code: np.ndarray) -> Vector:
    """Probabilities of the classes of a code, a row each; `positive` has those of the positive sides, a column each.

    >>> p, code = np.array([0.5, 0.3, 0.2]), np.array([[1, 1, 1], [-1, 1, -1], [-1, -1, 0]])
    >>> sides = np.array([[0.5, 0.8, 0.5 / 0.8]])  # what p says of the columns
    >>> bradley_terry(sides, code).round(6).tolist()
    [[0.5, 0.3, 0.2]]
    """
    n, k = len(positive), len(code)
    size = max(1, MAX_CHUNK_ENTRIES // k**2)
    sides = Sides((code > 0).astype(np.float64), (code < 0).astype(np.float64))
    with threads_for(0.0):  # products are small
        chunks = [ascend(positive[start : start + size], sides) for start in range(0, n, size)]
    return np.concatenate(chunks) if chunks else np.empty((0, k))


class Sides(NamedTuple):
    """Which classes are on which side of which column, as numbers 1 and 0."""

    plus: Vector
    minus: Vector

    def sums(self, p: Vector) -> tuple[Vector, Vector]:
        """The probabilities of both sides of all columns, kept above 0 for divisions."""
        return np.maximum(p @ self.plus, TINY), np.maximum(p @ self.minus, TINY)

    def objective(self, p: Vector, r: Vector) -> Vector:
        """What is maximised, for each row."""
        above, below = self.sums(p)
        return (r * np.log(above) + (1.0 - r) * np.log(below) - np.log(above + below)).sum(axis=1)

    def gradient_sums(self, p: Vector, r: Vector) -> tuple[Vector, Vector]:
        """Both sums of the gradient, without the factor p."""
        above, below = self.sums(p)
        whole = (1.0 / (above + below)) @ (self.plus + self.minus).T
        return (r / above) @ self.plus.T + ((1.0 - r) / below) @ self.minus.T, whole

    def curvature(self, p: Vector, r: Vector) -> Vector:
        """The matrix H of each row, without its diagonal."""
        above, below = self.sums(p)
        k, n_columns = self.plus.shape
        found = np.full((len(p), k * k), float(n_columns))
        terms = (r / above**2, self.plus), ((1.0 - r) / below**2, self.minus)
        for weights, side in (*terms, (-1.0 / (above + below) ** 2, self.plus + self.minus)):
            found += weights @ (side[:, None, :] * side[None, :, :]).reshape(k * k, -1).T
        return p[:, :, None] * found.reshape(-1, k, k) * p[:, None, :]


def ascend(positive: Vector, sides: Sides) -> Vector:
    """The distributions of some rows; those that have converged are left alone."""
    k, n_columns = sides.plus.shape
    found, moving = np.full((len(positive), k), 1.0 / k), np.arange(len(positive))
    damping, reached = np.ones(len(positive)), sides.objective(found, positive)
    for _ in range(MAX_STEPS):
        p, r = found[moving], positive[moving]
        wanted, whole = sides.gradient_sums(p, r)
        gradient = p * (wanted - whole)
        left = np.abs(gradient).max(axis=1) > GRADIENT_TOL * n_columns
        if not left.any():
            break
        moving, p, r, gradient = moving[left], p[left], r[left], gradient[left]
        diagonal = np.maximum(-gradient, 0.0) + damping[moving, None] * p * whole[left]
        stepped = normalized(p * np.exp(log_step(gradient, sides.curvature(p, r), diagonal)))
        value = sides.objective(stepped, r)
        uphill = value >= reached[moving] - ROUNDING * n_columns
        found[moving] = np.where(uphill[:, None], stepped, p)
        reached[moving] = np.where(uphill, value, reached[moving])
        damping[moving] = np.where(uphill, damping[moving] / 10.0, 10.0 * damping[moving])
    return found


def log_step(gradient: Vector, curvature: Vector, diagonal: Vector) -> Vector:
    """The change of log p, each entry at most so large that its probability stays of a size."""
    k = gradient.shape[1]
    curvature[:, range(k), range(k)] += diagonal + TINY
    return np.clip(np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0], -MAX_LOG_STEP, MAX_LOG_STEP)


def normalized(shares: Vector) -> Vector:
    """Rows divided by their sums."""
    return shares / shares.sum(axis=1, keepdims=True)
