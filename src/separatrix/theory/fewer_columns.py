"""A problem with more columns than rows, as one with fewer columns that has the same answer.

Whatever a plane does to the rows is a sum of multiples of the columns, so columns that are sums of multiples of others
change nothing. Floats choose which columns to keep; that the others depend on them is proved, where it matters, when
the certificate is checked on all columns.
"""

import numpy as np
from scipy.linalg import qr

from separatrix.certificates.arithmetic.exact import Whole
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.problem import Problem
from separatrix.products import dense_rows

MOST_ENTRIES = 2**25
DEPENDENT = 1e-10  # what is left of a column, as part of the largest, when the others are taken out


def independent_columns(problem: Problem) -> np.ndarray:
    """Columns that the others depend on, as far as floats can tell; all where there are too many entries to tell.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.theory.fewer_columns import independent_columns
    >>> X = np.array([[1.0, 2.0, 0.0, 5.0], [2.0, 4.0, 0.0, 5.0]])  # the last is the offset, times 5
    >>> independent_columns(Problem(X, np.array([0, 1]))).size
    1
    """
    n, d = problem.n_rows, problem.n_features
    if n * d > MOST_ENTRIES or n >= d:
        return np.arange(d)
    X = dense_rows(problem.X, np.arange(n))
    if problem.fit_intercept:
        X = X - X.mean(axis=0)
    sizes = np.abs(X).max(axis=0)
    r, order = qr(X / np.where(sizes > 0.0, sizes, 1.0), mode="r", pivoting=True)
    left = np.abs(np.diag(r))
    return np.sort(order[: int(np.count_nonzero(left > DEPENDENT * left.max(initial=0.0)))])


def with_columns(problem: Problem, columns: np.ndarray) -> Problem:
    """The problem with some of its columns."""
    X = np.ascontiguousarray(dense_rows(problem.X, np.arange(problem.n_rows))[:, columns])
    return Problem(X, problem.y, problem.n_classes, problem.cost, problem.fit_intercept)


def to_all_columns(v: Whole, problem: Problem, columns: np.ndarray) -> Whole:
    """A vector for some columns, with zeros for the others."""
    inequalities = Inequalities(problem)
    places = [*columns.tolist(), *([problem.n_features] if problem.fit_intercept else [])]
    into = [0] * inequalities.dimension
    for k, value in enumerate(v):
        rival, j = divmod(k, len(places))
        into[rival * inequalities.block + places[j]] = value
    return into
