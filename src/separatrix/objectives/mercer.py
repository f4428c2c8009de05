"""Mercer's condition: whether a kernel is an inner product, so that the dual of a machine bounds its objective."""

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from separatrix.problem import Problem
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector, rounding_bound

MAX_ROWS_FOR_MERCER = 5000  # whose matrix is factored to see whether it is positive semidefinite


def satisfies_mercer(problem: Problem) -> bool:
    """Whether the kernel is positive semidefinite on these rows, but for rounding."""
    return mercer_shift(problem) is not None


def mercer_shift(problem: Problem) -> float | None:
    """By how much at most the least eigenvalue of the kernel matrix is below 0: 0 by theory, else by a factor of it.

    Where neither tells, as for many rows, the answer is None.
    """
    if problem.kernel.positive_definite:
        return 0.0
    known = problem.__dict__
    if "_mercer" not in known:
        known["_mercer"] = shift_of_factor(problem) if problem.n_rows <= MAX_ROWS_FOR_MERCER else None
    return known["_mercer"]


def shift_of_factor(problem: Problem) -> float | None:
    """A shift of the diagonal, no more than rounding, with which the kernel matrix is positive semidefinite; or None.

    If K + s I has a Cholesky factor in doubles, K + (s + g trace) I is positive semidefinite, g = (n + 1) u / (1 - ...)
    (Rump, 2006).
    """
    values = problem.X if problem.kernel.rows_are_values else problem.kernel.matrix(problem.X)
    K: Vector = np.array(values, dtype=np.float64)
    size = 8.0 * len(K) * UNIT_ROUNDOFF * max(float(np.abs(K).max()), TINY)
    asymmetry = float(np.abs(K - K.T).max())
    if asymmetry > size:
        return None
    K[np.diag_indices(len(K))] += size
    trace = float(np.abs(K.diagonal()).sum())
    try:
        cholesky(K, lower=True, check_finite=False)
    except LinAlgError:
        return None
    return 2.0 * (size + rounding_bound(len(K) + 1) * trace + len(K) * asymmetry)
