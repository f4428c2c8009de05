"""Reduce a problem with more columns than rows to linearly independent columns.

Scores are linear combinations of the columns, so columns that depend linearly on others can be left out. Floats choose
which columns to keep; that the others depend on them is proved, where it matters, when the certificate is checked on
all columns.
"""

from dataclasses import replace

import numpy as np
from scipy.linalg import qr

from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.problem import Problem
from separatrix.products import dense_rows

MAX_ENTRIES = 2**25  # of X, for a QR factorisation in seconds
RANK_TOLERANCE = 1e-10  # for pivots of the QR factorisation, relative to the largest


def independent_columns(problem: Problem) -> np.ndarray:
    """Columns that the others depend on, to rounding; all columns where there are too many entries.

    >>> X = np.array([[1.0, 2.0, 0.0, 5.0], [2.0, 4.0, 0.0, 5.0]])  # the last is the offset, times 5
    >>> independent_columns(Problem(X, np.array([0, 1]))).size
    1
    """
    n, d = problem.n_rows, problem.n_features
    if n * d > MAX_ENTRIES or n >= d:
        return np.arange(d)
    X = dense_rows(problem.X, np.arange(n))
    if problem.fit_intercept:
        X = X - X.mean(axis=0)
    sizes = np.abs(X).max(axis=0)
    r, order = qr(X / np.where(sizes > 0.0, sizes, 1.0), mode="r", pivoting=True)
    left = np.abs(np.diag(r))
    return np.sort(order[: int(np.count_nonzero(left > RANK_TOLERANCE * left.max(initial=0.0)))])


def restrict_columns(problem: Problem, columns: np.ndarray) -> Problem:
    """The problem with only some of its columns."""
    X = np.ascontiguousarray(dense_rows(problem.X, np.arange(problem.n_rows))[:, columns])
    return replace(problem, X=X)


def pad_columns(v: IntegerVector, problem: Problem, columns: np.ndarray) -> IntegerVector:
    """Extend a vector for some columns by zeros for the others."""
    inequalities = Inequalities(problem)
    places = [*columns.tolist(), *([problem.n_features] if problem.fit_intercept else [])]
    into = [0] * inequalities.dimension
    for k, value in enumerate(v):
        rival, j = divmod(k, len(places))
        into[rival * inequalities.block + places[j]] = value
    return into
