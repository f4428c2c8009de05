"""From raw columns to features: missing numbers filled in, words as columns of 0 and 1, numbers on one scale.

    number    (x - mean) / standard deviation, the median where x is missing
    word      1 in the column of its category, 0 in the others; a missing word is a category of its own
    date      four numbers: the year, the month, the weekday, and the days since 1970
    presence  of a number that has one value or none: 1 in a column for what is missing, 1 in another for what is there
    left out  what cannot tell rows apart: one value in every row, or another value in every row

All of it is learned from the rows of `fit` alone and said in `columns_`.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.data.encode import features
from separatrix.data.prepare.columns import Columns, Words
from separatrix.data.prepare.dates import DATE
from separatrix.data.prepare.frames import frame_columns, is_frame
from separatrix.data.prepare.numeric_columns import feature_columns, matrix_of, missing_columns, quoted
from separatrix.data.prepare.prepared_column import (
    PreparedColumn,
    column_groups,
    describe_numbers,
    describe_words,
    match_kind,
    transform_columns,
)
from separatrix.errors import DataError, OptionError, counted

MAX_SPARSE_DENSITY = 0.3  # a sparse matrix with more non-zeros is made dense
MAX_DENSE_ENTRIES = 5e7
MAX_DENSE_CATEGORIES = 500  # beyond these, the features are a sparse matrix


class Preparation(TransformerMixin, BaseEstimator):
    """Make features of a table as it comes: numbers and words, some of them missing.

    Parameters
    ----------
    target : str or None
        A column that holds the labels and is no feature; it is left out where it is there.
    scale : bool
        Whether numbers are brought to mean 0 and standard deviation 1.
    most_categories : int
        Words beyond so many different ones, the most frequent, share a category.
    reference : bool
        Whether the most frequent word of a column has no feature of its own: the offset of a plane makes up for it,
        and what is said of the others is meant in comparison with it. Of a presence, what is there has none.

    Attributes
    ----------
    columns_ : tuple of PreparedColumn
        What is known of each column and done to it; empty for a sparse matrix, which is taken as it is.
    feature_names_out_ : tuple of str
        The names of the features.
    n_features_in_ : int
        Columns, or features of a sparse matrix.
    sparse_ : bool
        Whether the features are a sparse matrix.
    first_index_ : int or None
        Where indices of LIBSVM text count from, 0 or 1, if the command line fitted it to such a file.
    dates_ : dict
        How the columns of dates are written, by their names.
    reading_ : dict
        What the command line was told about the file that it was fitted to, and other files need: words for missing
        values, and the column of weights.

    Examples
    --------
    >>> import pandas as pd
    >>> from separatrix import Preparation
    >>> people = pd.DataFrame({"age": [30, None, 50, 40], "sex": ["f", "m", None, "m"]})
    >>> preparation = Preparation().fit(people)
    >>> preparation.get_feature_names_out().tolist()
    ['age', 'sex=(missing)', 'sex=f', 'sex=m']
    >>> preparation.transform(people)[1].tolist()  # the median age, on a scale with mean 0
    [0.0, 0.0, 0.0, 1.0]
    >>> print(*(column.done for column in preparation.columns_), sep="; ")
    1 missing value filled with the median 40; 3 columns of 0 and 1, missing is one
    """

    first_index_: int | None = None
    dates_: Mapping[str, str] = MappingProxyType({})
    reading_: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    def __init__(
        self, target: str | None = None, *, scale: bool = True, most_categories: int = 30, reference: bool = False
    ):
        self.target = target
        self.scale = scale
        self.most_categories = most_categories
        self.reference = reference

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what to do from rows.

        Parameters
        ----------
        X : frame, Columns, array, scipy.sparse matrix or Blocks
            The rows. Blocks are gone through three to six times: medians are exact, and so are the counts of words of
            columns with at most 65,536 different ones; sparse blocks are taken as they are.
        y : None
            Not used.

        Returns
        -------
        Preparation
            Itself.
        """
        if not isinstance(self.most_categories, (int, np.integer)) or self.most_categories < 1:
            raise OptionError(
                f"The 'most_categories' parameter must be a whole number of at least 1. Got {self.most_categories!r}."
            )
        for name in ("first_index_", "dates_", "reading_"):  # of the file of another fit
            self.__dict__.pop(name, None)
        if hasattr(X, "fit_preparation"):
            return X.fit_preparation(self)
        if sparse.issparse(X):
            return self._fit_sparse(features(X))
        columns = as_columns(X).without(self.target)
        if not len(columns):
            raise DataError("There are no rows to prepare. Give at least one.")
        return self.learn(_described(columns, self), columns.dates, f", with n_samples = {len(columns)}")

    def learn(self, columns: Iterable[PreparedColumn], dates: Mapping[str, str], where: str = "") -> Self:
        """Take what is known of the columns of all rows, and how their dates are written."""
        if dates:
            self.dates_ = dict(dates)
        self.columns_ = tuple(columns)
        self.n_features_in_ = len(self.columns_)
        self.feature_names_out_ = tuple(name for column in self.columns_ for name in column.features)
        if not self.feature_names_out_:
            reasons = "; ".join(f"{column.name!r}: {column.done}" for column in self.columns_[:5])
            raise DataError(
                f"No column is left that could tell rows apart{where} ({reasons}). Add one in which rows differ."
            )
        words = sum(len(column.categories) for column in self.columns_)
        self.sparse_ = words > MAX_DENSE_CATEGORIES
        return self

    def learn_sparse(self, width: int) -> Self:
        """Take sparse rows of so many columns as they are."""
        self.columns_, self.n_features_in_, self.sparse_ = (), width, True
        self.feature_names_out_ = tuple(f"x{j + 1}" for j in range(width))
        self.centre_: np.ndarray | None = None
        self.spread_: np.ndarray | None = None
        return self

    def transform(self, X: Any) -> Any:
        """Make features of rows.

        Parameters
        ----------
        X : frame, Columns, array, scipy.sparse matrix or Blocks
            Rows with the columns that fit saw, by name where they have names; others are left out.

        Returns
        -------
        ndarray or csr_array of shape (n, n_features), or Blocks
            Finite numbers. A word that fit did not see is 0 in all columns of its category; a number or a truth value
            where fit saw words is the word that it is written as.
        """
        check_is_fitted(self)
        if hasattr(X, "prepared_by"):
            return X.prepared_by(self)
        if not self.columns_:
            return self._sparse_rows(X)
        columns = columns_as_fitted(X, self.columns_, self.dates_)
        columns = columns.without(self.target) if self.target not in {own.name for own in self.columns_} else columns
        names = _names_in(columns, self.columns_, named=isinstance(X, Columns) or is_frame(X))
        given = dict(zip(columns.names, columns.values, strict=True))
        used = [
            (own, match_kind(own, given[name])) for own, name in zip(self.columns_, names, strict=True) if own.features
        ]
        parts = (transform_columns(own, values) for own, values in column_groups(used, len(columns)))
        if self.sparse_:
            return sparse.hstack([sparse.csr_array(part) for part in parts], format="csr")
        result = np.empty((len(columns), len(self.feature_names_out_)))
        done = 0
        for part in parts:
            result[:, done : done + part.shape[1]] = part
            done += part.shape[1]
        return result

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the features, as scikit-learn asks for them."""
        check_is_fitted(self)
        return np.array(self.feature_names_out_, dtype=object)

    @property
    def kinds_(self) -> dict[str, str]:
        """Which columns are of numbers and which of words; what is left out counts as words, which are not read."""
        if not self.columns_:
            return dict.fromkeys(self.feature_names_out_, "number")
        kinds = {own.name: "number" if own.kind in ("number", "presence") else "text" for own in self.columns_}
        return kinds | {name: DATE + how for name, how in self.dates_.items()}

    @property
    def notes_(self) -> list[str]:
        """What was done to the columns, in sentences."""
        check_is_fitted(self)
        if not self.columns_:
            scaled = self.scale and not self.sparse_
            return ["The features are taken as they are" + (", but for their scale." if scaled else ".")]
        return list(_sentences(self.columns_, bool(self.scale)))

    def _check_stored(self) -> None:
        """Refuse attributes that contradict each other, which no `fit` can have made."""
        names, d = self.feature_names_out_, self.n_features_in_
        made_of = [name for column in self.columns_ for name in column.features]
        if self.columns_ and (len(self.columns_) != d or tuple(made_of) != names):
            raise ValueError(f"{len(names)} features are not what {len(self.columns_)} columns are made into")
        if not self.columns_ and len(names) != d:
            raise ValueError(f"there are {len(names)} names for {d} features")
        if not self.columns_ and not self.sparse_:
            centre, spread = (
                np.asarray(getattr(self, each, None), dtype=np.float64) for each in ("centre_", "spread_")
            )
            if not (centre.shape == spread.shape == (d,) and np.isfinite(centre).all() and (spread > 0.0).all()):
                raise ValueError(f"centre_ and spread_ must hold {d} numbers each, those of spread_ above 0")

    def _fit_sparse(self, X: Any) -> Self:
        """Keep a sparse matrix with few non-zeros as it is; make any other dense and scale it."""
        n, d = X.shape
        self.learn_sparse(d)
        self.sparse_ = X.nnz <= MAX_SPARSE_DENSITY * n * d or n * d > MAX_DENSE_ENTRIES
        if not self.sparse_:
            dense = X.toarray()
            self.centre_ = dense.mean(axis=0) if self.scale else np.zeros(d)
            spread = dense.std(axis=0) if self.scale else np.ones(d)
            self.spread_ = np.where(spread > 0, spread, 1.0)
        return self

    def _sparse_rows(self, X: Any) -> Any:
        if isinstance(X, Columns):
            X = matrix_of(X, feature_columns(X, self.feature_names_out_))
        X = features(X)
        _check_width(X.shape[1], self.n_features_in_)
        if self.sparse_:
            return X
        return ((X.toarray() if sparse.issparse(X) else X) - self.centre_) / self.spread_


def _check_width(given: int, expected: int) -> None:
    if given != expected:
        problem = f"X has {given} features, but Preparation is expecting {expected} features as input."
        raise DataError(f"{problem} Give rows of as many.")


def _described(columns: Columns, how: Preparation) -> Iterator[PreparedColumn]:
    """Describe each column, in order."""
    reference = bool(how.reference)
    for names, values in column_groups(list(zip(columns.names, columns.values, strict=True)), len(columns)):
        if isinstance(values, Words):
            yield describe_words(names[0], values, int(how.most_categories), reference)
        else:
            yield from describe_numbers(names, values, bool(how.scale), reference)


def _names_in(columns: Columns, known: tuple[PreparedColumn, ...], named: bool) -> list[str]:
    """The names under which rows hold the columns that fit saw; in an array they go by their place."""
    names = [own.name for own in known]
    if not named:
        _check_width(len(columns.names), len(names))
        return list(columns.names)
    present = set(columns.names)
    absent = [own.name for own in known if own.features and own.name not in present]
    if absent:
        raise DataError(
            f"{missing_columns(absent, 'fit saw')} The columns are {quoted(columns.names, 10)}. "
            "Add what is missing, NA where it is not known."
        )
    return names


def as_columns(X: Any, words: Container[str] = ()) -> Columns:
    """Rows of any kind as columns, some of a frame as words; those of an array are named x1, x2 and so on."""
    if isinstance(X, Columns):
        return X
    if is_frame(X):
        return frame_columns(X, words)
    if sparse.issparse(X):
        raise DataError("A sparse matrix was given where fit saw columns. Give a frame or an array of these.")
    array = features(X, checked=False)
    names = tuple(f"x{j + 1}" for j in range(array.shape[1]))
    return Columns(names, tuple(array.T.astype(np.float64, copy=False)), len(array))


def columns_as_fitted(X: Any, known: tuple[PreparedColumn, ...], dates: Mapping[str, str]) -> Columns:
    """Rows of any kind as columns of the kinds that they had in fit."""
    if not is_frame(X):
        return as_columns(X)
    words = {own.name for own in known if own.kind == "text"}
    return frame_columns(X, words, dates=dates, numbers={own.name for own in known} - words)


def _sentences(columns: tuple[PreparedColumn, ...], scale: bool) -> Any:
    numbers = [own for own in columns if own.kind == "number"]
    words = [own for own in columns if own.kind == "text"]
    filled = [own for own in numbers if own.missing]
    either = [own for own in columns if own.kind == "presence"]
    gone = [own for own in columns if own.kind == "left out"]
    if numbers and scale:
        yield f"{counted(len(numbers), 'column')} of numbers brought to mean 0 and standard deviation 1."
    if filled:
        total = sum(own.missing for own in filled)
        yield f"{counted(total, 'missing number')} in {counted(len(filled), 'column')} filled with the column's median."
    if words:
        made_of = sum(len(own.categories) for own in words)
        yield f"{counted(len(words), 'column')} of words turned into {counted(made_of, 'column')} of 0 and 1."
    for own in either[:5]:
        yield f"Column {own.name!r} kept as whether it has a value: {own.done}."
    if len(either) > 5:
        yield f"{counted(len(either) - 5, 'more column')} kept in the same way."
    for own in gone[:5]:
        yield f"Column {own.name!r} left out: {own.done}."
    if len(gone) > 5:
        yield f"{len(gone) - 5:,} more columns left out for the same kind of reasons."
