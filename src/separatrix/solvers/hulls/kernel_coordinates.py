"""Coordinates of rows in the space of a kernel, by a Cholesky factor of the matrix of their values.

    H K H = L L',       H = I - 1 1' / n

K_ij = <phi(x_i), phi(x_j)>. The rows of L have the distances of phi(x_i), so that hulls of the one are hulls of the
other. Their mean is subtracted first: what all rows have in common would cost digits. With pivots the factor has no
more columns than K has rank in double precision.
"""

import numpy as np
from scipy.linalg.lapack import dpstrf

from separatrix.errors import DataError, OptionError
from separatrix.memory import available_bytes
from separatrix.objectives.bounds.mercer import satisfies_mercer
from separatrix.problem import Problem
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector

MATRICES = 3  # of n x n numbers that are held at once


def kernel_coordinates(problem: Problem) -> Vector:
    """Vectors whose differences have the inner products that the kernel gives to those of the rows.

    >>> from separatrix.kernels import RBF
    >>> X, kernel = np.array([[0.0], [1.0], [3.0]]), RBF(gamma=0.5)
    >>> L, K = kernel_coordinates(Problem(X, np.array([0, 1, 1]), kernel=kernel)), kernel.matrix(X)
    >>> distances = ((L[:, None] - L) ** 2).sum(axis=2)
    >>> bool(np.allclose(distances, K.diagonal()[:, None] + K.diagonal() - 2.0 * K))
    True
    """
    needed, free = 8.0 * MATRICES * problem.n_rows**2, available_bytes()
    if needed > free:
        raise DataError(
            f"Nearest points in the space of {problem.kernel!r} take the kernel values of all pairs of "
            f"{problem.n_rows:,} rows, {needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free. Use fewer rows."
        )
    if not satisfies_mercer(problem):
        raise OptionError(
            f"The matrix of {problem.kernel!r} is not positive semidefinite on these rows, or not known to be, so that "
            "there are no distances. Use another kernel, or KernelSVM, which takes such kernels."
        )
    K = np.array(problem.kernel.matrix(problem.X), dtype=np.float64, order="F")
    means = K.mean(axis=0)
    K -= means
    K -= means[:, None]
    K += means.mean()
    largest = max(float(K.diagonal().max()), TINY)
    factor, pivots, rank, _ = dpstrf(K, tol=UNIT_ROUNDOFF * largest, lower=1, overwrite_a=1)
    L: Vector = np.zeros((problem.n_rows, max(int(rank), 1)))
    L[pivots - 1, : int(rank)] = np.tril(factor)[:, : int(rank)]
    return L
