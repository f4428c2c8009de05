"""Mercer's condition on the rows of a problem: whether the kernel matrix is positive semi-definite.

Most kernels are so by theory. Of others, the matrix K + s I is factored (Cholesky); a factor that rounding errors allow
proves that K + s I + e I is positive semi-definite, with e the bound on what rounding makes of a factorisation,

    e = g_{n + 1} trace(K + s I),         g_k = k u / (1 - k u)

(Higham, 2002, theorem 10.3; Rump, 2006). What is claimed then holds for a matrix with so much more on its diagonal.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from separatrix.problem import Problem
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector, rounding_bound

MAX_ROWS_FOR_MERCER = 5000  # whose matrix is factored to see whether it is positive semidefinite


class CheckedMatrix(NamedTuple):
    """Kernel values of all rows, how much more on the diagonal makes them positive semi-definite, and asymmetry."""

    values: Vector
    shift: float
    asymmetry: float


def satisfies_mercer(problem: Problem) -> bool:
    """Whether the kernel is positive semidefinite on these rows: by theory, or by a factor of its matrix.

    Where neither tells, as for many rows, the answer is no.
    """
    return problem.kernel.positive_definite or checked_matrix(problem) is not None


def checked_matrix(problem: Problem) -> CheckedMatrix | None:
    """The kernel matrix where it has a factor, but for rounding; computed once for a problem."""
    known = problem.__dict__
    if "_mercer" not in known:
        known["_mercer"] = factored_matrix(problem) if problem.n_rows <= MAX_ROWS_FOR_MERCER else None
    return known["_mercer"]


def factored_matrix(problem: Problem) -> CheckedMatrix | None:
    """The kernel matrix, or None where it has no factor."""
    found = problem.X if problem.kernel.rows_are_values else problem.kernel.matrix(problem.X)
    values: Vector = np.asarray(found, dtype=np.float64)
    n, largest = len(values), max(float(np.abs(values).max(initial=0.0)), TINY)
    added = 8.0 * n * UNIT_ROUNDOFF * largest
    asymmetry = float(np.abs(values - values.T).max(initial=0.0))
    if asymmetry > added:
        return None
    K = values.copy()
    K[np.diag_indices(n)] += added
    trace = float(np.abs(K.diagonal()).sum())
    try:
        cholesky(K, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    shift = added + 1.01 * rounding_bound(n + 1) * trace + n * asymmetry + 4.0 * UNIT_ROUNDOFF * largest
    return CheckedMatrix(values, shift, asymmetry)
