"""One distribution over several classes from the probabilities of all pairs of them.

    minimise  sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2,    sum_i p_i = 1,    r_ij = P(i | i or j)

The optimum solves one linear system, since no p_i is negative there even if nothing forbids it:

    [Q e; e' 0] [p; b] = [0; 1],    Q_ii = sum_{j != i} r_ji^2,    Q_ij = -r_ji r_ij

Pairs that agree, r_ij = p_i / (p_i + p_j), give back p. The system is never singular: Q x = 0 asks for
r_ji x_i = r_ij x_j in all pairs, so that all x_i have one sign, and their sum is not 0 unless x is (the second method
of Wu, Lin and Weng, 2004).
"""

import numpy as np

from separatrix.rows import Vector

MAX_CHUNK_ENTRIES = 2**20  # of all systems that are solved at once


def pairwise_coupling(pairs: Vector) -> Vector:
    """Probabilities of k classes, a row each; `pairs` has shape (n, k, k), and its diagonals are not read.

    >>> p = np.array([0.5, 0.3, 0.2])
    >>> pairwise_coupling((p[:, None] / (p[:, None] + p))[None]).round(12).tolist()
    [[0.5, 0.3, 0.2]]
    """
    n, k, _ = pairs.shape
    size = max(1, MAX_CHUNK_ENTRIES // (k + 1) ** 2)
    chunks = [coupled(pairs[start : start + size]) for start in range(0, n, size)]
    return np.concatenate(chunks) if chunks else np.empty((0, k))


def coupled(pairs: Vector) -> Vector:
    """Solve the systems of some rows."""
    n, k, _ = pairs.shape
    others = np.where(np.eye(k, dtype=bool), 0.0, pairs)
    lost = others.transpose(0, 2, 1)  # r_ji
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = -others * lost
    system[:, range(k), range(k)] = (lost**2).sum(axis=2)
    system[:, k, :k] = system[:, :k, k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    found = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)  # below 0 by rounding alone
    return found / found.sum(axis=1, keepdims=True)
