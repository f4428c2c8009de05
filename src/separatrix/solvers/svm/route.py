"""Which way a support vector machine is solved: by interior points in coordinates, or by the augmented Lagrangian.

Interior points copy the rows that matter into a dense matrix; n rows of d columns then cost about n d min(n, d)
operations a step. The augmented Lagrangian takes the rows as they are stored, and costs some hundred passes over their
entries. What decides is how many entries are not zero, and not how they are stored: rows in a dense array most of whose
entries are zeros are compressed first, so that the answer does not depend on the container.
"""

from typing import Literal

import numpy as np
from scipy.sparse import csr_matrix

from separatrix import rows
from separatrix.errors import OptionError
from separatrix.problem import Problem
from separatrix.rows import CSR, Rows
from separatrix.solvers.svm.decomposition import rows_at_once

Route = Literal["auto", "interior", "lagrangian"]

MAX_COLUMNS = 1500  # of the matrix that the interior-point method factors
MAX_ENTRIES = 2**26  # of the rows that it holds
MAX_DENSITY = 0.08  # entries that are not zero, relative to all, of rows that are mostly zeros
MIN_DENSE_OPERATIONS = 1e8  # of a step with dense rows, from which on zeros are worth leaving out
MAX_COPIES = 2**22  # numbers of rows that a class may copy where several are solved at the same time
SAMPLED_ROWS = 500  # in which zeros of a dense array are counted


def chosen(problem: Problem, route: Route) -> str:
    """Which way to go."""
    if route not in ("auto", "interior", "lagrangian"):
        raise OptionError(f"The 'route' parameter must be 'auto', 'interior' or 'lagrangian'. Got {route!r}.")
    if route != "auto":
        return route
    return "interior" if fits_interior_point(problem) and not is_mostly_zeros(problem) else "lagrangian"


def fits_interior_point(problem: Problem) -> bool:
    """Whether the rows that matter can be held in a dense matrix, and one of their columns or rows be factored."""
    n, d = problem.n_rows, problem.n_features
    return min(n, d) <= MAX_COLUMNS and rows_at_once(n, min(n, d)) * d <= MAX_ENTRIES


def is_mostly_zeros(problem: Problem) -> bool:
    """Whether leaving zeros out saves most of the work, and the work is worth it."""
    n, d = problem.n_rows, problem.n_features
    if float(n) * d * min(n, d) < MIN_DENSE_OPERATIONS:
        return False
    some = rows.every(problem.X, max(1, n // SAMPLED_ROWS))
    n_nonzero = int(np.count_nonzero(some.data if isinstance(some, CSR) else some))
    return n_nonzero <= MAX_DENSITY * rows.n_rows(some) * d


def without_zeros(problem: Problem) -> Rows:
    """The rows, compressed where most of their entries are zeros, else as they are."""
    X = problem.X
    if isinstance(X, CSR) or not is_mostly_zeros(problem):
        return X
    return problem.shared("compressed", lambda: compressed(X))


def side_by_side(problem: Problem) -> bool:
    """Whether several classes are solved at the same time: where their copies of the rows are small beside the rows."""
    n, d = problem.n_rows, problem.n_features
    copied = 0 if chosen(problem, "auto") == "lagrangian" else rows_at_once(n, min(n, d)) * d
    return copied <= max(MAX_COPIES, rows.n_entries(problem.X) // 4)


def compressed(X: np.ndarray) -> CSR:
    """Dense rows without their zeros."""
    matrix = csr_matrix(X)
    return CSR(matrix.data, matrix.indices, matrix.indptr, matrix.shape[1])
