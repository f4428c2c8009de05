"""A Table: the rows, labels and names of features of a file; and what the readers of files share.

A Table checks shapes only. Whether the values can be used (no NaN, two classes or more) is checked by
`separatrix.data.encode`.
"""

import difflib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from separatrix.errors import DataError, counted

INTEGER = re.compile(r"[+-]?[0-9]+")
MAX_INTEGER = 2**63 - 1


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows of numbers with one label each.

    Parameters
    ----------
    X : ndarray or scipy.sparse CSR, shape (n_rows, n_features)
        The numbers, of a float type.
    labels : ndarray, shape (n_rows,)
        One label a row, of any type.
    feature_names : tuple of str
        One name a column of X.
    target : str
        Name of the column that the labels came from, if it has one.
    notes : tuple of str
        What a reader recognised in a file, or left out.

    Examples
    --------
    >>> import numpy as np
    >>> table = Table(np.eye(3), np.array(["a", "b", "a"]), ("p", "q", "r"))
    >>> table
    Table(3 rows x 3 features, 2 classes, dense)
    >>> table.classes.tolist()
    ['a', 'b']
    """

    X: Any
    labels: np.ndarray
    feature_names: tuple[str, ...]
    target: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse rows, labels and names that do not match in number."""
        _check_numbers(self.X)
        if not isinstance(self.labels, np.ndarray) or self.labels.ndim != 1:
            raise DataError(f"labels must be a 1-D array. Got {_describe(self.labels)}: use np.asarray first.")
        if len(self.labels) != self.n_rows:
            raise DataError(f"X has {self.n_rows} rows but there are {len(self.labels)} labels: give one label a row.")
        if len(self.feature_names) != self.n_features:
            raise DataError(
                f"X has {self.n_features} columns but there are {len(self.feature_names)} feature names: "
                "give one name a column."
            )

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """How many columns X has."""
        return int(self.X.shape[1])

    @property
    def classes(self) -> np.ndarray:
        """The different labels, sorted."""
        try:
            return np.unique(self.labels)
        except TypeError as error:
            kinds = sorted({type(label).__name__ for label in self.labels})
            raise DataError(
                f"The labels mix types that cannot be sorted ({', '.join(kinds)}): make them all text."
            ) from error

    def __repr__(self) -> str:
        """The size in one line."""
        storage = "sparse" if scipy.sparse.issparse(self.X) else "dense"
        rows, features = counted(self.n_rows, "row"), counted(self.n_features, "feature")
        return f"Table({rows} x {features}, {counted(len(set(self.labels.tolist())), 'class', 'classes')}, {storage})"


def labels_from_text(texts: Sequence[str], *, apart: bool = False) -> np.ndarray:
    """Read labels as integers if all of them are, else as numbers if all are, else as the text they are.

    Integers beyond 64 bits and numbers that are not finite stay text, since different ones could become equal. With
    `apart`, so do all labels where two are the same number, written differently.

    Examples
    --------
    >>> labels_from_text(["1", "-1", "+1"]).tolist()
    [1, -1, 1]
    >>> labels_from_text(["1", "0.5"]).tolist()
    [1.0, 0.5]
    >>> labels_from_text(["1", "spam"]).tolist()
    ['1', 'spam']
    >>> labels_from_text(["1", "01", "2"], apart=True).tolist()
    ['1', '01', '2']
    """
    distinct = set(texts)
    if apart:
        labels = labels_from_text(texts)
        return labels if np.unique(labels).size == len(distinct) else np.array(texts, dtype=np.str_)
    if all(INTEGER.fullmatch(text) for text in distinct):
        integers = {text: _integer(text) for text in distinct}
        if all(abs(number) <= MAX_INTEGER for number in integers.values()):
            return np.array([integers[text] for text in texts], dtype=np.int64)
    elif all(is_finite_number(text) for text in distinct):
        numbers = {text: float(text) for text in distinct}
        return np.array([numbers[text] for text in texts], dtype=np.float64)
    return np.array(texts, dtype=np.str_)


def is_finite_number(text: str) -> bool:
    """Whether a text is a finite number, without the underscores that Python alone allows ("1_000").

    Examples
    --------
    >>> [is_finite_number(text) for text in ("1e3", "nan", "1_000", "spam")]
    [True, False, False, False]
    """
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False


def find_column(names: Iterable[object], target: object) -> int:
    """The place of the target column: by its name, by its name as text, else by its number, from the end if negative.

    Examples
    --------
    >>> find_column(["age", "height", "ill"], "ill"), find_column(["age", "height", "ill"], -1)
    (2, 2)
    """
    columns = list(names)
    if target in columns:
        return columns.index(target)
    texts = [str(name) for name in columns]
    if isinstance(target, str) and target in texts:
        return texts.index(target)
    if isinstance(target, (int, np.integer)) and not isinstance(target, bool):
        return _column_number(int(target), texts)
    raise DataError(f"There is no column {target!r}{_closest(str(target), texts)}. {_listed(texts)}")


def shortened(value: object, most: int = 60) -> str:
    """A value as messages show it, with the first of its characters only."""
    text = value if isinstance(value, str) else repr(value)
    text = text if len(text) <= most else text[:most] + "..."
    return repr(text) if isinstance(value, str) else text


def _column_number(number: int, names: list[str]) -> int:
    if -len(names) <= number < len(names):
        return number % len(names)
    raise DataError(f"There is no column number {number}: use {-len(names)} to {len(names) - 1}. {_listed(names)}")


def _closest(target: str, names: list[str]) -> str:
    folded = {name.casefold(): name for name in names}
    matches = difflib.get_close_matches(target.casefold(), folded, n=1)
    return f" (did you mean {folded[matches[0]]!r}?)" if matches else ""


def _listed(names: list[str], most: int = 20) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    rest = f", and {len(names) - most} more" if len(names) > most else ""
    return f"The columns are {shown}{rest}."


def _integer(text: str) -> int:
    # Python refuses to convert thousands of digits; any number this long is beyond 64 bits anyway.
    return int(text) if len(text) < 4000 else MAX_INTEGER + 1


def _check_numbers(X: Any) -> None:
    sparse = scipy.sparse.issparse(X)
    if sparse and X.format != "csr":
        raise DataError(f"A sparse X must be stored by rows. Got the format {X.format!r}: use X.tocsr().")
    if not (sparse or isinstance(X, np.ndarray)) or X.ndim != 2:
        raise DataError(f"X must be a 2-D array or a sparse CSR matrix. Got {_describe(X)}: use np.asarray.")
    if X.dtype.kind != "f":
        raise DataError(f"X must hold floats. Got the type {X.dtype}: use X.astype(float).")


def _describe(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return f"{type(value).__name__}"
