"""How many dimensions the scores of planes have on some rows: the rank of [X, 1], bounded from above, exactly.

Columns that are sums of others, such as the indicators of all categories, add no dimension; nor do more columns than
there are different rows. A factorisation in doubles says which columns may depend on others, and by which small binary
fractions; that they do is then checked on every row without rounding.
"""

import numpy as np
from scipy.linalg import qr, solve_triangular

from separatrix.enclosures.exact_sums import MIN_EXACT, exact_affine
from separatrix.problem import Problem
from separatrix.problem.coordinates import spread_out
from separatrix.problem.distinct import row_bytes
from separatrix.products import dense_rows, row_parts
from separatrix.rows import CSR, Vector

MAX_SAMPLE_ROWS = 4000  # rows that are factored to find out which columns may depend on others
IDLE = 1e-10  # size of a column beside those before, relative to its own, from which on it may depend on them
FRACTION = 64.0  # coefficients are multiples of 1 / FRACTION
MAX_EXACT_ENTRIES = 2**20  # of rows that are added up exactly
PLACES = 10  # binary places of columns whose sums need no more than a double
BLOCK_ENTRIES = 2**18  # entries of rows that are checked at a time


def rank_bound(problem: Problem, wanted: int) -> int:
    """An upper bound of the rank of [X, 1], or of X without an offset; no lower than is wanted.

    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    >>> rank_bound(Problem(X, np.array([0, 1, 0, 1])), 2), rank_bound(Problem(X, np.array([0, 1, 0, 1])), 3)
    (2, 3)
    """
    full = problem.n_features + problem.fit_intercept
    entries = problem.X.data if isinstance(problem.X, CSR) else problem.X
    if not problem.fit_intercept and not entries.any():
        return 0
    if wanted >= full or has_different_rows(problem, wanted + 1):
        return full - dependent_columns(problem, full - wanted) if wanted < full else full
    return wanted


def has_different_rows(problem: Problem, wanted: int) -> bool:
    """Whether there are so many rows that differ."""
    different: set[bytes] = set()
    for each in row_bytes(problem.X):
        different.add(each)
        if len(different) >= wanted:
            return True
    return False


def dependent_columns(problem: Problem, wanted: int) -> int:
    """How many columns are sums of multiples of others, exactly; the offset has a column of ones.

    Columns that are constant are multiples of it, or without an offset must be 0.
    """
    varying = varying_columns(problem)
    idle = problem.n_features - varying.size
    M = extended(problem, dense_rows(problem.X, spread_out(problem.n_rows, MAX_SAMPLE_ROWS)), varying)
    sizes = np.sqrt(np.einsum("ij,ij->j", M, M))
    R, order = qr(M / np.where(sizes > 0.0, sizes, 1.0), mode="r", pivoting=True)
    rank = int(np.count_nonzero(np.abs(np.diag(R)) > IDLE))
    if idle + M.shape[1] - rank < wanted or not np.isfinite(R).all():
        return idle
    basis, others = order[:rank], order[rank:]
    B = solve_triangular(R[:rank, :rank], R[:rank, rank:]) * sizes[others] / sizes[basis][:, None]
    B = np.rint(FRACTION * B) / FRACTION
    proved, affordable = np.isfinite(B).all(axis=0), problem.n_rows * M.shape[1] <= MAX_EXACT_ENTRIES
    for _, matrix in row_parts(problem.X, slice(0, problem.n_rows), max(1, BLOCK_ENTRIES // problem.n_features)):
        rows = extended(problem, matrix.toarray() if isinstance(problem.X, CSR) else matrix, varying)
        for j in np.flatnonzero(proved):
            proved[j] = is_exact_sum(rows, basis, B[:, j], int(others[j]), affordable)
    return idle + int(np.count_nonzero(proved))


def varying_columns(problem: Problem) -> np.ndarray:
    """The columns that are not constant, or without an offset not zero."""
    first = dense_rows(problem.X, np.arange(1)) if problem.fit_intercept else np.zeros((1, problem.n_features))
    varies = np.zeros(problem.n_features, dtype=bool)
    for _, matrix in row_parts(problem.X, slice(0, problem.n_rows), max(1, BLOCK_ENTRIES // problem.n_features)):
        varies |= ((matrix.toarray() if isinstance(problem.X, CSR) else matrix) != first).any(axis=0)
    return np.flatnonzero(varies)


def extended(problem: Problem, X: Vector, columns: np.ndarray) -> Vector:
    """Columns of X, and where there is an offset a column of ones."""
    return np.column_stack([X[:, columns], np.ones((len(X), int(problem.fit_intercept)))])


def is_exact_sum(rows: Vector, basis: np.ndarray, coefficients: Vector, column: int, affordable: bool) -> bool:
    """Whether a column is the sum of others times coefficients, on these rows, without rounding."""
    used = np.flatnonzero(coefficients)
    parts, factors, target = rows[:, basis[used]], coefficients[used], rows[:, column]
    if used.size == 0:
        return not target.any()
    if not np.allclose(parts @ factors, target, rtol=1e-9, atol=1e-9 * float(np.abs(target).max())):
        return False
    if used.size == 1 and abs(float(np.frexp(factors[0])[0])) == 0.5:
        return bool((parts[:, 0] * factors[0] == target).all() and not_tiny(parts))
    scaled = np.ldexp(np.column_stack([parts, target]), PLACES)
    whole = bool((np.rint(scaled) == scaled).all())
    if whole and float((np.abs(scaled[:, :-1]) @ np.abs(FRACTION * factors)).max()) < 2.0**52:
        return bool((parts @ factors == target).all())
    if not affordable or not not_tiny(parts):
        return False
    found = exact_affine(parts, np.arange(len(rows)), (factors, 0.0), -target, np.ones(len(rows)))
    return not found.value.any()


def not_tiny(values: Vector) -> bool:
    """Whether products with small binary fractions are exact, or the sum of two doubles."""
    size = np.abs(values)
    return bool(((size == 0.0) | (size > MIN_EXACT)).all())
