import datetime
import decimal
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from separatrix.data.prepare.frames import frame_columns, frame_labels, frame_values, is_frame
from separatrix.errors import DataError

MAKERS = [pd.DataFrame, pl.DataFrame, pa.table]
every_library = pytest.mark.parametrize("make", MAKERS, ids=["pandas", "polars", "arrow"])


@every_library
def test_frames_are_recognised(make):
    assert is_frame(make({"a": [1.0]}))


@pytest.mark.parametrize(
    "other",
    [
        np.ones((2, 2)),
        [[1.0]],
        ([1.0],),
        scipy.sparse.eye_array(2).tocsr(),
        pd.Series([1.0]),
        "text",
        None,
        3,
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_data_are_no_frames(other):
    assert is_frame(other) is False
    with pytest.raises(DataError, match=f"data frame was expected. Got {type(other).__name__}"):
        frame_values(other)


@every_library
def test_numbers_become_one_array_of_float64(make):
    frame = make({"whole": [1, 2], "float": [0.5, -1.0], "truth": [True, False]})
    values, names = frame_values(frame)
    assert values.tolist() == [[1.0, 0.5, 1.0], [2.0, -1.0, 0.0]]
    assert names == ("whole", "float", "truth")
    assert values.dtype == np.float64
    assert values.flags.c_contiguous


@every_library
def test_float32_is_kept_only_if_every_column_is(make):
    narrow, wide = np.array([0.1, 0.2], dtype=np.float32), np.array([0.1, 0.2])
    assert frame_values(make({"a": narrow, "b": narrow}))[0].dtype == np.float32
    values = frame_values(make({"a": narrow, "b": wide}))[0]
    assert values.dtype == np.float64
    assert values[:, 0].tolist() == narrow.astype(float).tolist()


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table], ids=["polars", "arrow"])
def test_nulls_become_nan(make):
    columns = {"i": [1, None], "b": [True, None], "f": [0.5, None], "n": [None, None]}
    values, _ = frame_values(make({**columns, "d": [decimal.Decimal("1.5"), None]}))
    np.testing.assert_array_equal(values, [[1.0, 1.0, 0.5, np.nan, 1.5], [np.nan] * 5])


@pytest.mark.parametrize(
    "column",
    [
        pd.array([1, None], dtype="Int64"),
        pd.array([1.0, None], dtype="Float64"),
        pd.array([True, None], dtype="boolean"),
        pd.array([1, None], dtype="int64[pyarrow]"),
        pd.array([True, None], dtype="bool[pyarrow]"),
        pd.Series([1, None], dtype=object),
        pd.Series([True, pd.NA], dtype=object),
        pd.Series([decimal.Decimal(1), np.nan], dtype=object),
        pd.arrays.SparseArray([1.0, np.nan]),
    ],
    ids=lambda column: str(column.dtype),
)
def test_every_kind_of_pandas_column_of_numbers(column):
    values, _ = frame_values(pd.DataFrame({"a": column, "b": [2.0, 3.0]}))
    np.testing.assert_array_equal(values, [[1.0, 2.0], [np.nan, 3.0]])


@every_library
@pytest.mark.parametrize(
    ("column", "example"),
    [
        ([None, "tall"], "'tall'"),
        ([None, datetime.datetime(2020, 1, 2)], "2020"),
        ([None, datetime.timedelta(days=3)], "3"),
    ],
    ids=["text", "date", "duration"],
)
def test_other_columns_are_refused_with_type_and_example(make, column, example):
    with pytest.raises(DataError, match=f"Column 'bad' has the type .* is not numeric: it holds .*{example}.*Drop"):
        frame_values(make({"good": [1.0, 2.0], "bad": column}))


@pytest.mark.parametrize(
    ("column", "example"),
    [
        (pd.Series([1, "3"], dtype=object), "'3'"),
        (pd.Categorical(["x", "y"]), "'x'"),
        (pd.Series([1j, 2]), "1j"),
        (pd.Series([1, "x" * 500], dtype=object), r"'x{59}\.\.\."),
    ],
    ids=["digits in text", "category", "complex", "long"],
)
def test_pandas_columns_that_are_no_numbers(column, example):
    with pytest.raises(DataError, match=f"Column 'bad' has the type .* is not numeric: it holds .*{example}"):
        frame_values(pd.DataFrame({"bad": column}))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame([[1, 2]], columns=[0, "0"]),
        pa.table([[1], [2]], names=["a", "a"]),
    ],
    ids=["pandas", "the same as text", "arrow"],
)
def test_duplicate_names_are_refused(frame):
    assert is_frame(frame)
    with pytest.raises(DataError, match=r"two columns of (one|the) name.*rename"):
        frame_values(frame)
    with pytest.raises(DataError, match="rename"):
        frame_columns(frame)


def test_names_become_text():
    assert frame_values(pd.DataFrame(np.ones((1, 2))))[1] == ("0", "1")


def test_a_lazy_frame_has_to_be_collected():
    lazy = pl.LazyFrame({"a": [1.0]})
    assert is_frame(lazy)
    with pytest.raises(DataError, match=r"lazy frame \(LazyFrame\).*collect\(\)"):
        frame_values(lazy)


@every_library
@pytest.mark.parametrize(
    ("labels", "kind"), [([1, 2], "i"), ([True, False], "b"), ([0.5, 1.0], "f")], ids=["int", "bool", "float"]
)
def test_labels_keep_their_type(make, labels, kind):
    made = frame_labels(make({"a": [1.0, 2.0], "y": labels}), "y")
    assert made.tolist() == labels
    assert made.dtype.kind == kind


def test_categories_are_labels():
    frame = pd.DataFrame({"a": [1.0, 2.0], "y": pd.Categorical(["low", "high"])})
    assert frame_labels(frame, "y").tolist() == ["low", "high"]


@every_library
@pytest.mark.parametrize("labels", [["no", None], [1, None], [0.5, float("nan")]], ids=["text", "int", "nan"])
def test_missing_labels_are_refused(make, labels):
    with pytest.raises(DataError, match=r"label in column 'y', row 1 \(from 0\), is missing"):
        frame_labels(make({"a": [1.0, 2.0], "y": labels}), "y")


def test_labels_of_mixed_types_are_refused():
    frame = pd.DataFrame({"a": [1.0, 2.0], "ill": pd.Series(["no", 1], dtype=object)})
    with pytest.raises(DataError, match="Column 'ill' mixes text and other labels"):
        frame_labels(frame, "ill")


@every_library
def test_words_are_refused_where_numbers_are_wanted(make):
    with pytest.raises(DataError, match=r"Column 'b' has the type .* and is not numeric: it holds 'x'"):
        frame_columns(make({"a": [1.0], "b": ["x"]}), numbers_only=True)


def test_no_frame_library_is_needed():
    code = """
import sys
sys.modules.update(dict.fromkeys(["pandas", "polars", "pyarrow"]))  # an import of any of them now fails
import numpy
import separatrix.data.prepare.frames
assert not separatrix.data.prepare.frames.is_frame(numpy.ones((1, 1)))
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numbers_are_written_out_where_words_are_wanted():
    frame = pl.DataFrame({"narrow": pl.Series([0.1, None, 2.0], dtype=pl.Float32), "wide": [0.1, float("nan"), 1e16]})
    columns = frame_columns(frame, words={"narrow", "wide"})
    assert columns["narrow"].words == ("0.1", "2")
    assert columns["narrow"].codes.tolist() == [0, -1, 1]
    assert columns["wide"].words == ("0.1", "10000000000000000")
    assert columns["wide"].codes.tolist() == [0, -1, 1]
