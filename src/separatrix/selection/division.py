"""Data divided into folds, with features that are prepared inside of them.

What `compare` and `error_over_C` find of the same data with the same seed, they find on the same folds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from separatrix.data.encode import features, labels
from separatrix.errors import DataError, OptionError, counted
from separatrix.selection.folds import stratified_folds, stratified_sample, usable_folds
from separatrix.selection.trials import Prepared, has_rows, some_rows
from separatrix.solvers.options import whole

NO_PREPARATION = "none"


@dataclass(frozen=True, eq=False)
class Division:
    """The folds with their rows, the rows of the data that are in them, and sentences on what was done."""

    data: Prepared
    index: np.ndarray
    n_folds: int
    seed: int
    notes: list[str]


def divide(
    X: Any, y: Any, *, cv: int, repeats: int, preparation: Any, sample: int | None, random_state: Any
) -> Division:
    """Divide data into stratified folds; the options are those of `compare`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix.selection.division import divide
    >>> X, y = load_iris(return_X_y=True)
    >>> how = {"cv": 5, "repeats": 1, "preparation": None, "random_state": 0}
    >>> division = divide(X, y, sample=100, **how)
    >>> division.index.size, division.data.size.rows, len(division.data.folds)
    (100, 80, 5)
    """
    classes, codes = labels(y, row_count(X))
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    n_folds = usable_folds(codes, classes, whole("cv", cv, least=2))
    whole("repeats", repeats)
    notes = [] if n_folds == cv else [fewer_folds(codes, classes, n_folds, cv)]
    rows, transformer, said = prepared_by(X, preparation)
    index = np.arange(codes.size)
    if sample is not None:
        index = stratified_sample(codes, whole("sample", sample), n_folds, seed)
    if index.size < codes.size:
        notes.append(f"A stratified sample of {index.size:,} out of {codes.size:,} rows was used (sample={sample}).")
        rows, codes = some_rows(rows, index), codes[index]
    folds = stratified_folds(codes, n_folds, repeats, seed)
    return Division(Prepared(rows, codes, classes, folds, transformer), index, n_folds, seed, [*notes, said])


def row_count(X: Any) -> int:
    """How many rows there are."""
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    try:
        return len(X)
    except TypeError:
        raise DataError(
            f"X must be an array, a sparse matrix, a frame, or have len and a method rows(index). Got "
            f"{type(X).__name__}."
        ) from None


def fewer_folds(codes: np.ndarray, classes: np.ndarray, n_folds: int, asked: int) -> str:
    """Why there are not as many folds as asked for."""
    rarest = classes.tolist()[int(np.bincount(codes).argmin())]
    return f"{n_folds} folds in place of {asked}, as the class {rarest!r} has {counted(n_folds, 'row')} only."


def prepared_by(X: Any, preparation: Any) -> tuple[Any, Any, str]:
    """The rows, what prepares them in each fold, and a sentence on it."""
    if preparation is not None and not isinstance(preparation, str):
        if isinstance(preparation, type) or not (hasattr(preparation, "fit") and hasattr(preparation, "transform")):
            raise OptionError(
                f"The 'preparation' parameter must be an unfitted transformer, 'none' or None. Got {preparation!r}."
            )
        rows = X.tocsr() if sparse.issparse(X) else X
        return rows, preparation, f"{type(preparation).__name__} was fitted to the training rows of each fold."
    if isinstance(preparation, str) and preparation != NO_PREPARATION:
        raise OptionError(f"The 'preparation' parameter must be a transformer, 'none' or None. Got {preparation!r}.")
    if has_rows(X):
        raise DataError(
            f"X is a {type(X).__name__}, whose rows only a 'preparation' can turn into numbers. Give one: a "
            "transformer with fit and transform that takes such objects."
        )
    matrix = features(X)
    if preparation == NO_PREPARATION or sparse.issparse(matrix):
        return matrix, None, "The features were used as they come."
    from sklearn.preprocessing import StandardScaler

    return matrix, StandardScaler(), "Columns were standardised by the training rows of each fold."
