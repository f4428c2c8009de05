"""Rows as a plain array, entry by entry."""

import numpy as np

from separatrix.problem import Problem
from separatrix.rows import CSR


def dense(problem: Problem) -> np.ndarray:
    X = problem.X
    if not isinstance(X, CSR):
        return np.asarray(X, dtype=float)
    full = np.zeros((problem.n_rows, X.n_columns))
    for i in range(problem.n_rows):
        for k in range(X.indptr[i], X.indptr[i + 1]):
            full[i, X.indices[k]] += X.data[k]
    return full
