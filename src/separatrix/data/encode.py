"""From arrays and frames to a Problem: the only validation of data in the package.

Arrays, lists, scipy.sparse matrices and frames come in; float rows, class numbers and costs go out. Every refusal
says what is wrong, the value seen and what to do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d

from separatrix.data.finite_numbers import MAX_MAGNITUDE, check_finite
from separatrix.data.prepare.frames import frame_values, is_frame
from separatrix.errors import DataError, OptionError
from separatrix.memory import keep_freed_memory
from separatrix.problem import Problem
from separatrix.rows import CSR, Rows, Vector

Matrix: TypeAlias = Any  # a float ndarray or a scipy.sparse CSR array

MAX_LABEL_RANGE = 2**16  # of whole numbers that are counted in place of sorted


@dataclass(frozen=True, eq=False)
class Encoded:
    """A Problem, the labels that its class codes stand for, and the rows of the user's data that are in it, of so many.

    Numbers as targets have no labels.
    """

    problem: Problem
    classes: np.ndarray
    kept: np.ndarray
    n_given: int


def encode(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    class_weight: Mapping | str | None = None,
    fit_intercept: bool = True,
    classes: Any = None,
) -> Encoded:
    """Make the classification problem of rows X and labels y.

    Parameters
    ----------
    X : array, scipy.sparse matrix, frame or list of rows
        Finite numbers.
    y : array, series or list
        One label for each row, of any type.
    sample_weight : array or None
        A weight of 2 is the same as the row twice, 0 the same as no such row.
    class_weight : mapping of label to weight, "balanced" or None
        Multiplies the weights of the rows of each class.
    fit_intercept : bool
        Whether the planes have an offset b.
    classes : array or None
        All labels there are, where y may lack some of them; None: those in y, at least two.

    Examples
    --------
    >>> from separatrix.data.encode import encode
    >>> encoded = encode([[1, 2], [3, 4], [5, 6]], ["no", "yes", "yes"], class_weight="balanced")
    >>> encoded.classes.tolist(), encoded.problem.y.tolist(), encoded.problem.cost.tolist()
    (['no', 'yes'], [0, 1, 1], [1.5, 0.75, 0.75])
    """
    keep_freed_memory()
    matrix = features(X)
    n, how = matrix.shape[0], {"sample_weight": sample_weight, "class_weight": class_weight, "classes": classes}
    found, codes, weights, kept = weighted_labels(y, n, **how)
    if kept.size < n:
        matrix = matrix[kept]
    return Encoded(Problem(as_rows(matrix), codes, found.size, weights, fit_intercept), found, kept, n)


def weighted_labels(
    y: Any, n_rows: int, *, sample_weight: Any = None, class_weight: Mapping | str | None = None, classes: Any = None
) -> tuple[np.ndarray, np.ndarray, Vector, np.ndarray]:
    """The labels, the class code and weight of each row that has a weight, and the numbers of these rows."""
    weights = row_weights(sample_weight, n_rows)
    kept = np.arange(n_rows) if sample_weight is None else np.flatnonzero(weights)
    found, codes = labels(y, n_rows, classes, None if kept.size == n_rows else kept)
    given = found
    if kept.size < n_rows:
        codes, weights = codes[kept], weights[kept]
        if classes is None:
            found, codes = remaining(found, codes)
    if class_weight is not None:
        weights = weights * class_weights(class_weight, found, codes, weights, given)[codes]
    return found, codes, weights, kept


def encode_numbers(X: Any, y: Any, *, sample_weight: Any = None, fit_intercept: bool = True) -> Encoded:
    """Make the regression problem of rows X and numbers y.

    Parameters
    ----------
    X : array, scipy.sparse matrix, frame or list of rows
        Finite numbers.
    y : array, series or list
        One finite number for each row.
    sample_weight : array or None
        A weight of 2 is the same as the row twice, 0 the same as no such row.
    fit_intercept : bool
        Whether the prediction has an offset b.

    Examples
    --------
    >>> from separatrix.data.encode import encode_numbers
    >>> encoded = encode_numbers([[1, 2], [3, 4], [5, 6]], [0.5, 1, 2], sample_weight=[1, 0, 2])
    >>> encoded.problem.y.tolist(), encoded.problem.cost.tolist(), encoded.kept.tolist()
    ([0.5, 2.0], [1.0, 2.0], [0, 2])
    """
    matrix = features(X)
    n = matrix.shape[0]
    numbers, weights, kept = weighted_numbers(y, n, sample_weight)
    if kept.size < n:
        matrix = matrix[kept]
    return Encoded(Problem.of_numbers(as_rows(matrix), numbers, weights, fit_intercept), np.empty(0), kept, n)


def weighted_numbers(y: Any, n_rows: int, sample_weight: Any = None) -> tuple[Vector, Vector, np.ndarray]:
    """The number and the weight of each row that has a weight, and the numbers of these rows."""
    numbers = finite_targets(y, n_rows)
    weights = row_weights(sample_weight, n_rows)
    kept = np.flatnonzero(weights)
    return numbers[kept], weights[kept], kept


def finite_targets(y: Any, n_rows: int) -> Vector:
    """One finite number for each row."""
    if y is None:
        raise DataError("A regressor requires y to be passed, but the target y is None. Give one number a row.")
    try:
        numbers = column_or_1d(np.asarray(y), warn=True).astype(np.float64)
    except (TypeError, ValueError) as problem:
        raise DataError(f"y cannot be read as one number for each row. {problem}") from None
    if numbers.size != n_rows:
        raise DataError(f"X has {n_rows} rows, but y has {numbers.size} numbers. Each row needs one.")
    bad = np.flatnonzero(~(np.abs(numbers) <= MAX_MAGNITUDE))
    if bad.size:
        found = "NaN" if np.isnan(numbers[bad[0]]) else f"infinity or a number too large, {numbers[bad[0]]}"
        raise DataError(f"Input y contains {found}: in row {bad[0]}. Remove these rows, or put a finite number there.")
    return numbers


def features(X: Any, checked: bool = True) -> Matrix:
    """X as finite numbers: a C-ordered float array or a sorted CSR array; float32 stays float32.

    With `checked=False` they may be NaN or infinite, for callers that see it in what they compute from them.
    """
    names: tuple[str, ...] = ()
    if is_frame(X):
        X, names = frame_values(X)
    try:
        matrix = X if plain_rows(X) else check_array(
            X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C",
            ensure_all_finite=False, input_name="X",
        )  # fmt: skip
    except (OverflowError, ValueError) as problem:
        advice = "Turn text into numbers first, for example with sklearn.preprocessing.OneHotEncoder."
        text = "could not convert string" in str(problem)
        raise DataError(f"X cannot be read as rows of numbers. {problem}{f'. {advice}' if text else ''}") from None
    if sparse.issparse(matrix):
        matrix = canonical(matrix)
    if checked:
        check_finite(matrix, names)
    return matrix


def plain_rows(X: Any) -> bool:
    """Whether validation would leave X as it is; check_array takes longer than small products."""
    floats = type(X) is np.ndarray and X.dtype in (np.float64, np.float32)
    return floats and X.ndim == 2 and X.size > 0 and X.flags.c_contiguous


def canonical(matrix: Matrix) -> Matrix:
    """CSR with ascending columns, each at most once, as a copy where the user's own would have to change."""
    index = np.result_type(matrix.indices, matrix.indptr)
    parts = matrix.data, matrix.indices.astype(index, copy=False), matrix.indptr.astype(index, copy=False)
    tidy = sparse.csr_array(parts, shape=matrix.shape, copy=False)
    if not tidy.has_canonical_format:
        tidy = tidy.copy()
        tidy.sum_duplicates()
    return tidy


def labels(
    y: Any, n_rows: int, classes: Any = None, counting: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The classes in y, or all there are, sorted and at least two; and the number of each row's class.

    Where only some rows are `counting`, the others may have any label; if that is of no class, so is its number.
    """
    given, pair = label_array(y)
    if given.size != n_rows or n_rows == 0:
        raise DataError(f"X has {n_rows} rows, but y has {given.size} labels. Each row needs one label.")
    if classes is None:
        found, codes = pair or numbered(given)
        check_several(found, given.size)
        return found, codes
    known = np.unique(one_type(np.asarray(classes)))
    if known.size < 2:
        raise DataError(f"'classes' must name at least two classes. Got {known.tolist()}.")
    strange = np.setdiff1d(given if counting is None else given[counting], known)
    if strange.size:
        raise DataError(f"y has the label {strange.tolist()[0]!r}, which is not one of the classes {known.tolist()}.")
    return known, np.searchsorted(known, given)


def label_array(y: Any) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray] | None]:
    """One label for each row, of one plain type, none of them missing; and what `two_numbers` says of them."""
    if y is None:
        raise DataError("A classifier requires y to be passed, but the target y is None. Give one label a row.")
    mixed = isinstance(y, (list, tuple)) and any(isinstance(label, str) for label in y)
    try:
        plain = type(y) is np.ndarray and y.ndim == 1
        given = y if plain else column_or_1d(np.asarray(y, dtype=object if mixed else None), warn=True)
        pair = two_numbers(given)
        if pair is None:
            given = one_type(given)
            if not are_whole(given):  # whole numbers are labels, and counting them is slow
                check_classification_targets(given)
    except (TypeError, ValueError) as problem:
        numbers = " For numbers use a regressor, or compare(X, y, task='regression')." * ("continuous" in str(problem))
        raise DataError(f"y cannot be read as one class label for each row. {problem}{numbers}") from None
    return given, pair


def two_numbers(y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The labels and the number of each row's where they are two whole numbers, as mostly; else None."""
    if y.dtype.kind not in "biuf" or not y.size:
        return None
    both = np.array([y.min(), y.max()], dtype=y.dtype)
    both[both == 0] = 0  # not -0.0
    upper = y == both[1]
    if np.count_nonzero(y == both[0]) + np.count_nonzero(upper) != y.size or not are_whole(both):
        return None
    return (both, upper.astype(np.int32)) if np.isfinite(both).all() else None


def are_whole(y: np.ndarray) -> bool:
    """Whether labels are numbers without a fraction."""
    return y.dtype.kind in "biu" or (y.dtype.kind == "f" and bool((y == np.rint(y)).all()))


def numbered(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labels, sorted, and the number of each row's; whole numbers near each other are looked up, not sorted."""
    if y.dtype.kind in "iuf" and y.size and are_whole(y):
        low, high = int(y.min()), int(y.max())
        if high - low < min(MAX_LABEL_RANGE, y.size) and max(-low, high) < 2**62:
            places = (y.astype(np.int64) - low if low else y).astype(np.int32)
            there = np.bincount(places) > 0 if high - low > 1 else np.full(high - low + 1, True)  # both ends are there
            found = (np.flatnonzero(there) + low).astype(y.dtype)
            return found, places if there.all() else (np.cumsum(there) - 1)[places]
    found = np.unique(y)
    return found, np.searchsorted(found, y)


def remaining(classes: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes that are left in some of the rows, at least two, and the numbers of these rows' classes."""
    left, codes = np.unique(codes, return_inverse=True)
    check_several(classes[left], codes.size)
    return classes[left], codes


def check_several(classes: np.ndarray, n_rows: int) -> None:
    """Refuse rows that are all of one class."""
    if classes.size < 2:
        raise DataError(
            f"The data hold 1 class only: {classes.tolist()[0]!r} in all {n_rows} rows. A classifier needs rows of at "
            "least two classes; check the labels, and sample_weight where there is one."
        )


def one_type(y: np.ndarray) -> np.ndarray:
    """Labels as an array of one plain type, none of them missing."""
    if y.dtype.kind == "O":
        kinds = {str if isinstance(label, str) else bool if isinstance(label, bool) else type(label) for label in y}
        missing = [i for i, label in enumerate(y) if label is None or label != label]
        if not missing and str in kinds and len(kinds) > 1:
            other = next(label for label in y if not isinstance(label, str))
            text = next(label for label in y if isinstance(label, str))
            raise DataError(
                f"y mixes text and other labels: {text!r} and {other!r} ({type(other).__name__}). Use one type."
            )
        if not missing:
            plain = [str(label) if isinstance(label, np.str_) else label for label in y]  # so that it can be stored
            y = np.asarray(plain, dtype=object if str in kinds else None)
    else:
        missing = np.flatnonzero(y != y).tolist() if y.dtype.kind not in "biu" else []
    if missing:
        raise DataError(f"Input y contains NaN: row {missing[0]} has no label. Remove the rows without a label.")
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise DataError(f"Input y contains infinity: {y[np.isinf(y)][0]} is no class label.")
    return y


def row_weights(sample_weight: Any, n: int) -> Vector:
    """One non-negative finite weight for each row, not all of them zero."""
    weights = checked_weights(sample_weight, n)
    if not weights.any():
        raise DataError("sample_weight is zero for every row, which leaves no data. Give some row a positive weight.")
    return weights


def checked_weights(sample_weight: Any, n: int) -> Vector:
    """One non-negative finite weight for each row; 1 where none is given."""
    if sample_weight is None:
        return np.ones(n)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"sample_weight must hold numbers. Got {sample_weight!r}.") from None
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise DataError(f"sample_weight must hold one number for each of the {n} rows. Got shape {weights.shape}.")
    bad = np.flatnonzero(~((weights >= 0) & (weights < np.inf)))
    if bad.size:
        raise DataError(
            f"sample_weight must be finite and not negative. Got {weights[bad[0]]} for row {bad[0]}. "
            "Use 0 to leave a row out."
        )
    return weights


def class_weights(
    class_weight: Mapping | str,
    classes: np.ndarray,
    codes: np.ndarray,
    weights: Vector,
    given: np.ndarray | None = None,
) -> Vector:
    """The weight of each class: the user's, 1 by default, or n / (k n_c) for "balanced", where n counts weights.

    The user may name any label that was given, also one whose rows all have a weight of 0.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(codes, weights, minlength=classes.size)
        return weights.sum() / (classes.size * np.where(counts > 0, counts, 1.0))
    if not isinstance(class_weight, Mapping):
        raise OptionError(
            f"The 'class_weight' parameter must map labels to weights, or be 'balanced' or None. Got {class_weight!r}."
        )
    known = (classes if given is None else given).tolist()
    strange = [label for label in class_weight if label not in known]
    if strange:
        raise OptionError(f"'class_weight' names the label {strange[0]!r}, but the classes are {classes.tolist()}.")
    weights = np.array([class_weight.get(label, 1.0) for label in classes.tolist()], dtype=np.float64)
    if not ((weights > 0) & (weights < np.inf)).all():
        raise OptionError(f"'class_weight' must hold positive finite numbers. Got {dict(class_weight)!r}.")
    return weights


def as_rows(matrix: Matrix) -> Rows:
    """A validated matrix as solvers take it."""
    if sparse.issparse(matrix):
        return CSR(matrix.data, matrix.indices, matrix.indptr, matrix.shape[1])
    return np.ascontiguousarray(matrix)
