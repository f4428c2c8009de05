"""Which columns of a file are the features of a model that was fitted to numbers alone."""

import numpy as np
import pytest

from separatrix import DataError, Preparation
from separatrix.data.prepare.columns import Columns, Words
from separatrix.data.prepare.numeric_columns import feature_columns, matrix_of

FILE = Columns(
    ("name", "a", "text", "b"),
    (Words.of(["p", "q"]), np.array([1.0, 2.0]), Words.of(["3", None]), np.array([5.0, 6.0])),
    2,
)


def test_by_name_then_in_their_order():
    assert feature_columns(FILE, ["b", "a"]) == ("b", "a")
    assert feature_columns(FILE, ["x1", "x2", "x3"]) == ("a", "text", "b")
    assert feature_columns(FILE, ["x1", "x2"], labels_last=True) == ("a", "text")
    with pytest.raises(
        DataError, match=r"2 columns that the model takes are missing: 'c', 'd'\. The columns are 'name'"
    ):
        feature_columns(FILE, ["a", "c", "d"])
    with pytest.raises(DataError, match="takes 2 features and knows no names of them, but the table has 3 columns"):
        feature_columns(FILE, ["x1", "x2"])


def test_numbers_that_were_read_as_text():
    np.testing.assert_array_equal(matrix_of(FILE, ["text", "a"]), [[3.0, 1.0], [np.nan, 2.0]])
    with pytest.raises(DataError, match="Column 'name' holds 'p', but the model takes numbers there"):
        matrix_of(FILE, ["name"])


def test_a_preparation_of_a_sparse_matrix_takes_columns():
    from scipy import sparse

    X = np.array([[1.0, 5.0], [2.0, 6.0]])
    preparation = Preparation(scale=False).fit(sparse.csr_array(X))
    numbers = Columns(("a", "b"), (X[:, 0], X[:, 1]), 2)
    np.testing.assert_array_equal(preparation.transform(numbers), X)
