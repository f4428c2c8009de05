"""Rows as users give them: numbers become dense or compressed rows, symbols a list."""

from typing import Any

import numpy as np
from scipy import sparse

from separatrix import rows
from separatrix.errors import DataError
from separatrix.rows import CSR, Rows


def as_rows(X: Any) -> Rows:
    """Rows of numbers, dense or compressed; float32 and float64 stay what they are.

    Examples
    --------
    >>> from separatrix.kernels.rows_of import as_rows
    >>> as_rows([[1, 2]])
    array([[1., 2.]])
    >>> as_rows(["a text"])
    Traceback (most recent call last):
    separatrix.errors.DataError: This kernel takes rows of numbers. Got 'a text'. Use Tokens or Spectrum for texts, ...
    """
    if isinstance(X, CSR):
        return X
    if sparse.issparse(X):
        matrix = sparse.csr_array(X)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return CSR(floats(matrix.data), matrix.indices, matrix.indptr, matrix.shape[1])
    try:
        array = np.asarray(X)
        numeric = array.dtype.kind in "biuf" or (array.dtype.kind == "O" and array.ndim == 2)
        array = floats(array) if numeric else array
    except (TypeError, ValueError):
        numeric = False
    if not numeric:
        seen = next(iter(X), X) if hasattr(X, "__iter__") else X
        raise DataError(
            f"This kernel takes rows of numbers. Got {seen!r}. Use Tokens or Spectrum for texts, SetIntersection for "
            "sets, or make numbers of them first."
        )
    if array.ndim != 2:
        raise DataError(f"Rows must be an array of two dimensions. Got the shape {array.shape}.")
    return np.ascontiguousarray(array)


def as_given(X: Any) -> Any:
    """Rows as they are, for kernels that encode nothing."""
    return X


def floats(array: np.ndarray) -> np.ndarray:
    """An array in float32 where it is that, else in float64."""
    return array if array.dtype == np.float32 else array.astype(np.float64, copy=False)


def as_list(X: Any, what: str) -> list[Any]:
    """Rows of symbols, one by one; a table of one column is its column.

    Examples
    --------
    >>> from separatrix.kernels.rows_of import as_list
    >>> as_list(np.array([["a"], ["b"]]), "texts")
    ['a', 'b']
    """
    if isinstance(X, (str, bytes)) or not hasattr(X, "__iter__") or isinstance(X, CSR) or sparse.issparse(X):
        raise DataError(f"This kernel takes a sequence of {what}, one for each row. Got {X!r}.")
    if hasattr(X, "to_numpy"):  # a frame, which would give the names of its columns
        X = X.to_numpy()
    if isinstance(X, np.ndarray):
        return (X[:, 0] if X.ndim == 2 and X.shape[1] == 1 else X).tolist()
    return list(X)


def aligned(A: Rows, B: Rows) -> tuple[Rows, Rows]:
    """Two sets of rows with one number of columns: compressed rows have zeros beyond their last column."""
    width = max(rows.n_columns(A), rows.n_columns(B))
    A, B = (X._replace(n_columns=width) if isinstance(X, CSR) else X for X in (A, B))
    if rows.n_columns(A) != rows.n_columns(B):
        raise DataError(
            f"Rows of {rows.n_columns(A)} and of {rows.n_columns(B)} columns have no kernel. Give both the same."
        )
    return A, B


def row_count(X: Any) -> int:
    """How many rows there are, of numbers or symbols."""
    if sparse.issparse(X):
        return int(X.shape[0])
    return rows.n_rows(X) if isinstance(X, (CSR, np.ndarray)) else len(X)


def taken(X: Any, index: np.ndarray) -> Any:
    """Rows with the given numbers, of numbers or symbols."""
    if sparse.issparse(X):
        return X[index]
    return rows.take(X, index) if isinstance(X, (CSR, np.ndarray)) else [X[i] for i in index.tolist()]
