"""Whatever users hand over becomes a Problem, or an error that says what is wrong, where, and what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from separatrix import DataError, OptionError, encode
from separatrix.data.encode import encode_numbers
from separatrix.rows import CSR

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0], [6.0, 8.0]])
Y = np.array(["a", "b", "b", "a"])


def with_value(value, i=2, j=1):
    spoiled = X.copy()
    spoiled[i, j] = value
    return spoiled


@pytest.mark.parametrize(
    ("value", "match"),
    [
        (np.nan, r"contains NaN: nan in row 2, column 1, the first of 1 such values.*SimpleImputer"),
        (np.inf, r"an infinity \(inf\): inf in row 2, column 1"),
        (-np.inf, r"an infinity \(inf\): -inf in row 2"),
        (1e150, r"too large to square: 1e\+150 in row 2, column 1.*Scale the features"),
        (-1e150, r"too large to square: -1e\+150"),
    ],
)
@pytest.mark.parametrize("container", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.coo_matrix])
def test_values_that_cannot_be_used(value, match, container):
    with pytest.raises(DataError, match=match):
        encode(container(with_value(value)), Y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_bad_value_in_a_frame_is_named_by_its_column(frame):
    columns = dict(zip(["age", "weight"], with_value(np.nan).T, strict=True))
    with pytest.raises(DataError, match=r"row 2, column 1 \('weight'\)"):
        encode(frame(columns), Y)


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ([1.0, 2.0, 3.0, 4.0], "Reshape your data"),
        (np.zeros((4, 2, 2)), "dim 3"),
        (np.zeros((0, 2)), r"0 sample\(s\)"),
        (np.zeros((4, 0)), r"0 feature\(s\)"),
        ([["x", "y"]] * 4, "could not convert string to float: 'x'. Turn text into numbers"),
        (X.astype(complex), "Complex data not supported"),
        ([[1, 2], [3]], "inhomogeneous"),
    ],
)
def test_shapes_and_types_that_cannot_be_used(rows, match):
    with pytest.raises(DataError, match=match):
        encode(rows, Y)


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        (None, "requires y to be passed"),
        ([], "X has 4 rows, but y has 0 labels"),
        (["a"] * 4, r"1 class only: 'a' in all 4 rows"),
        (["a", "b", "b"], "X has 4 rows, but y has 3 labels"),
        ([0.0, 1.0, np.nan, 1.0], "row 2 has no label"),
        (np.array(["a", None, "b", "b"], dtype=object), "row 1 has no label"),
        (["a", 1, "b", "b"], r"mixes text and other labels: 'a' and 1 \(int\)"),
        ([["a", "b"]] * 4, "y should be a 1d array"),
        (np.array(["a", 1, "b", "b"], dtype=object), r"mixes text and other labels: 'a' and 1 \(int\)"),
        ([0.1, 0.2, 0.3, 0.4], "Unknown label type: continuous"),
        ([0.0, np.inf, 1.0, 1.0], "y contains infinity"),
    ],
)
def test_labels_that_cannot_be_used(labels, match):
    with pytest.raises(DataError, match=match):
        encode(X, labels)


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes", "yes", "no"],
        np.array(["no", "yes", "yes", "no"], dtype=object),
        pd.Series(["no", "yes", "yes", "no"], dtype="category"),
        pl.Series(["no", "yes", "yes", "no"]),
        [False, True, True, False],
        np.array([False, True, True, False], dtype=object),
        np.array([0, 1, 1, 0], dtype=np.uint8),
        np.array([-1.0, 1.0, 1.0, -1.0], dtype=np.float32),
        pd.Series([10, 20, 20, 10], dtype="Int64"),
    ],
)
def test_labels_of_any_type(labels):
    encoded = encode(X, labels)
    assert encoded.problem.y.tolist() == [0, 1, 1, 0]
    assert encoded.classes[encoded.problem.y].tolist() == list(np.asarray(labels).tolist())


def test_known_classes():
    encoded = encode(X, ["a", "a", "b", "b"], classes=["c", "b", "a"])
    assert encoded.classes.tolist() == ["a", "b", "c"]
    assert encoded.problem.n_classes == 3
    with pytest.raises(DataError, match="must name at least two classes. Got .'a'."):
        encode(X, ["a"] * 4, classes=["a"])
    with pytest.raises(DataError, match="'d', which is not one of the classes"):
        encode(X, ["a", "a", "d", "b"], classes=["a", "b"])


@pytest.mark.parametrize(
    ("weights", "match"),
    [
        ([1, 1, -0.5, 1], "Got -0.5 for row 2"),
        ([1, np.nan, 1, 1], "Got nan for row 1"),
        ([1, 1, 1, np.inf], "Got inf for row 3"),
        ([0, 0, 0, 0], "leaves no data"),
        ([1, 1, 1], r"each of the 4 rows. Got shape \(3,\)"),
        (["x", 1, 1, 1], "must hold numbers"),
        ([1, 0, 0, 1], "1 class only"),
    ],
)
def test_weights_that_cannot_be_used(weights, match):
    with pytest.raises(DataError, match=match):
        encode(X, Y, sample_weight=weights)
    if "class" not in match:
        with pytest.raises(DataError, match=match):
            encode_numbers(X, np.arange(4), sample_weight=weights)


def test_a_weight_of_zero_is_no_row():
    encoded = encode(X, ["a", "b", "c", "b"], sample_weight=[1, 2, 0, 3])
    assert encoded.classes.tolist() == ["a", "b"]
    assert encoded.problem.X.tolist() == X[[0, 1, 3]].tolist()
    assert encoded.problem.cost.tolist() == [1, 2, 3]
    assert encoded.kept.tolist() == [0, 1, 3]
    numbers = encode_numbers(sparse.csr_array(X), [0.5, 1.5, 2.5, 3.5], sample_weight=[1, 2, 0, 3], fit_intercept=False)
    assert numbers.problem.y.tolist() == [0.5, 1.5, 3.5]
    assert numbers.problem.X.data.tolist() == X[[0, 1, 3]].ravel().tolist()
    assert numbers.problem.cost.tolist() == [1, 2, 3]
    assert numbers.kept.tolist() == [0, 1, 3]
    assert not numbers.problem.fit_intercept


def test_class_weights():
    three = ["a", "b", "b", "b"]
    assert encode(X, three, class_weight="balanced").problem.cost.tolist() == [2, 2 / 3, 2 / 3, 2 / 3]
    cost = encode(X, three, class_weight={"b": 5}, sample_weight=[1, 2, 3, 4]).problem.cost
    assert cost.tolist() == [1, 10, 15, 20]
    weighted = encode(X[:3], ["a", "b", "b"], sample_weight=[1, 1, 3], class_weight="balanced").problem.cost
    repeated = encode(X[[0, 1, 2, 2, 2]], list("abbbb"), class_weight="balanced").problem.cost
    assert np.allclose(weighted, [repeated[0], repeated[1], repeated[2:].sum()])
    for bad, match in [({"z": 1}, "names the label 'z'"), ({"a": -1}, "positive finite"), (3, "Got 3")]:
        with pytest.raises(OptionError, match=match):
            encode(X, three, class_weight=bad)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows_are_put_in_order_on_a_copy(index):
    """Columns out of order and twice: they are sorted and added up, and the user's matrix stays as it was."""
    data, indices = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 0, 0, 0], dtype=index)
    matrix = sparse.csr_array((data, indices, np.array([0, 2, 4], dtype=index)), shape=(2, 2))
    rows = encode(matrix, [0, 1]).problem.X
    assert isinstance(rows, CSR)
    assert rows.indices.dtype == index
    assert (rows.data.tolist(), rows.indices.tolist(), rows.indptr.tolist()) == (
        [2, 1, 7],
        [0, 1, 0],
        [0, 2, 3],
    )
    assert matrix.indices.tolist() == [1, 0, 0, 0]


def test_float32_stays_and_all_else_becomes_float64():
    assert encode(X.astype(np.float32), Y).problem.X.dtype == np.float32
    for kind in (np.float16, np.int8, bool, np.longdouble, object):
        assert encode(X.astype(kind), Y).problem.X.dtype == np.float64


def test_data_are_not_copied_where_they_need_not_be():
    problem = encode(X, Y).problem
    assert np.shares_memory(problem.X, X)
    matrix = sparse.csr_array(X)
    assert np.shares_memory(encode(matrix, Y).problem.X.data, matrix.data)


@pytest.mark.parametrize("size", [1e-101, 1e-200, 5e-324])
def test_numbers_too_small_to_square(size):
    """A plane would be proved right in exact fractions, and predict wrong in floating point."""
    with pytest.raises(DataError, match=r"no number large enough to square: the largest size is .*Scale the features"):
        encode([[size], [-size]], [1, 0])
    assert encode([[size, 1e-99], [-size, 0.0]], [1, 0]).problem.n_rows == 2
    assert encode(np.zeros((2, 1)), [1, 0]).problem.n_rows == 2


@pytest.mark.parametrize(
    ("few", "kind"),
    [
        ([-128, 127, 3], np.int8),
        ([0, 255], np.uint8),
        ([2**63 + 5, 2**63 + 7], np.uint64),
        ([-(2**40), 3 - 2**40], np.int64),
        ([2**31 + 5, 2**31 + 6], np.uint32),
        ([5, 10**9], np.int64),
        ([-1.0, 1.0], np.float64),
        ([-1e30, 0.0, 7.0], np.float32),
    ],
)
def test_whole_numbers_are_numbered_as_by_sorting(few, kind):
    y = np.random.default_rng(0).permutation(np.repeat(np.array(few, dtype=kind), 200))
    found, codes = np.unique(y, return_inverse=True)
    encoded = encode(np.arange(y.size, dtype=float)[:, None], y)
    assert encoded.classes.dtype == kind
    np.testing.assert_array_equal(encoded.classes, found)
    np.testing.assert_array_equal(encoded.problem.y, codes)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e101])
def test_one_bad_number_among_many_is_found(value):
    X = np.random.default_rng(0).standard_normal((1000, 3))
    X[617, 1] = value
    with pytest.raises(DataError, match="row 617, column 1"):
        encode(X, np.arange(1000) % 2)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "uint64", ">i4", "float32", "float64", ">f8"])
def test_two_numbers_are_classes_of_their_own_type(dtype):
    labels = np.array([1, 0, 0, 1, 1], dtype=dtype)
    encoded = encode(np.ones((5, 1)), labels)
    assert encoded.classes.tolist() == [0, 1]
    assert encoded.classes.dtype == labels.dtype
    assert encoded.problem.y.tolist() == [1, 0, 0, 1, 1]


def test_a_negative_zero_is_zero():
    classes = encode(np.ones((3, 1)), [-0.0, 1.0, 0.0]).classes
    assert not np.signbit(classes).any()
