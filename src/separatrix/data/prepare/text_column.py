"""A column of texts as it stands, for kernels of texts: the only column of a table beside that of the labels."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.data.encode_kernel import is_symbolic
from separatrix.data.prepare.columns import Column, Columns, Words, as_words
from separatrix.data.prepare.numeric_columns import missing_columns, quoted
from separatrix.data.prepare.preparation import as_columns
from separatrix.errors import DataError, counted


class TextColumn(TransformerMixin, BaseEstimator):
    """Take the texts of a table, a text for each row; a missing one is empty.

    Parameters
    ----------
    target : str or None
        A column that holds the labels and is no text; it is left out where it is there.

    Attributes
    ----------
    name_ : str
        The column of texts.
    n_missing_ : int
        In how many rows it had no text.

    Examples
    --------
    >>> import pandas as pd
    >>> from separatrix.data.prepare.text_column import TextColumn
    >>> mail = pd.DataFrame({"text": ["cheap pills", "see you at 5"], "spam": ["yes", "no"]})
    >>> TextColumn("spam").fit_transform(mail)
    ['cheap pills', 'see you at 5']
    """

    first_index_: int | None = None  # as Preparation has it, of LIBSVM text
    reading_: Mapping[str, tuple[str, ...]] = MappingProxyType({})  # as Preparation has it, of files

    def __init__(self, target: str | None = None):
        self.target = target

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the column of texts."""
        columns = text_columns(X, self.target)
        if len(columns.names) != 1:
            raise DataError(
                "A kernel of texts takes one column of texts beside that of the labels. Got "
                f"{counted(len(columns.names), 'column')}: {quoted(columns.names, 10)}. Leave the others out."
            )
        self.name_ = columns.names[0]
        self.n_missing_ = int((as_column_of_words(columns.values[0]).codes < 0).sum())
        return self

    def transform(self, X: Any) -> list[str]:
        """The texts of rows: of a table with that column, or of a sequence of texts."""
        check_is_fitted(self)
        if is_symbolic(X):
            return list(X)
        columns = text_columns(X, None, frozenset({self.name_}))
        if self.name_ not in columns.names:
            raise DataError(
                f"{missing_columns([self.name_], 'fit saw')} The columns are {quoted(columns.names, 10)}. Add what is "
                "missing."
            )
        found = as_column_of_words(columns[self.name_])
        words = (*found.words, "")  # the last is that of missing ones, whose code is -1
        return [words[code] for code in found.codes.tolist()]

    @property
    def kinds_(self) -> dict[str, str]:
        """That the column is of words, as files are read by."""
        return {self.name_: "text"}

    @property
    def notes_(self) -> list[str]:
        """What was done to the column, in sentences."""
        if not self.n_missing_:
            return []
        return [f"{counted(self.n_missing_, 'missing text')} of the column {self.name_!r} taken as empty."]


def text_columns(X: Any, target: str | None, words: frozenset[str] = frozenset()) -> Columns:
    """The columns of a table without that of the labels."""
    if not hasattr(X, "shape") or hasattr(X, "nnz"):
        raise DataError(f"A kernel of texts takes a table with a column of texts. Got {type(X).__name__}.")
    return as_columns(X, words).without(target)


def as_column_of_words(column: Column) -> Words:
    """A column of texts; numbers are the texts that they are written as."""
    return column if isinstance(column, Words) else Words.of(as_words(column))
