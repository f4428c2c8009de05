"""What a target asks for: classes or numbers; files without a target."""

import io

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from separatrix import DataError, FormatError
from separatrix.data.files.reading import read_columns
from separatrix.data.fingerprint import fingerprint, fingerprint_of_rows
from separatrix.data.task import as_numbers, check_numbers, task_of


@pytest.mark.parametrize(
    ("labels", "task"),
    [
        (np.linspace(0, 1, 100), "regression"),
        (np.linspace(0, 1, 100).astype(str), "regression"),
        (np.linspace(0, 1, 21), "regression"),
        (np.linspace(0, 1, 20), "classification"),  # 20 different numbers may be classes
        (np.tile(np.linspace(0, 1, 20), 50), "classification"),
        (np.tile(np.linspace(0, 1, 21), 50), "regression"),  # fractions, however often they repeat
        (np.arange(21), "regression"),
        (np.tile(np.arange(21), 2), "classification"),  # whole numbers, two rows each
        (np.arange(1000) % 501, "regression"),  # whole numbers, fewer than two rows each
        (np.array(["yes", "no"] * 50), "classification"),
        (np.array(["1.5"] * 30 + [f"{i}.5" for i in range(30)] + ["n.a."]), "classification"),  # one is no number
        (np.array([1.5, np.nan, 2.5] * 30), "classification"),
        (np.arange(60) % 2 == 0, "classification"),
        (np.array([], dtype=float), "classification"),
    ],
)
def test_the_task_of_a_target(labels, task):
    assert task_of(labels) == task


def test_numbers_of_a_target():
    assert as_numbers(np.array(["1", "2.5", "-3e2"])).tolist() == [1.0, 2.5, -300.0]
    assert as_numbers(["1_000"]) is None
    assert as_numbers([True, False]) is None
    assert check_numbers([1, 2]).dtype == np.float64


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["3", "inf"], "houses.csv: the target 'price' holds 'inf' in row 1 (from 0), which is no finite number"),
        (["3", "3"], "houses.csv: the target 'price' is 3 in all 2 rows: there is nothing to predict."),
        ([7.0], "is 7 in all 1 row"),
    ],
)
def test_targets_that_are_no_numbers_are_named(labels, said):
    with pytest.raises(DataError) as error:
        check_numbers(labels, "houses.csv", "price")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_without_a_target_has_all_its_columns():
    text = "age,town,pulse\n30,Rome,61\n,Oslo,70\n"
    whole = read_columns(io.StringIO(text), labelled=False)
    assert (whole.labels, whole.target, whole.X.names) == (None, "", ("age", "town", "pulse"))
    assert whole.X["pulse"].tolist() == [61.0, 70.0]
    one = read_columns(io.StringIO("age\n30\n40\n"), labelled=False)
    assert one.X.names == ("age",)
    with pytest.raises(FormatError, match="there are no rows below the header"):
        read_columns(io.StringIO("age,pulse\n"), labelled=False)
    with pytest.raises(FormatError, match="line 12: column 'age' holds 'x3'"):
        read_columns(io.StringIO("age\n" + "1\n" * 10 + "x3\n" + "1\n" * 10), labelled=False)


def test_columnar_and_sparse_files_without_a_target(tmp_path):
    table = pyarrow.table({"age": [30.0, 40.0], "town": ["Rome", "Oslo"]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    whole = read_columns(tmp_path / "t.parquet", labelled=False)
    assert (whole.labels, whole.X.names, whole.X["age"].tolist()) == (None, ("age", "town"), [30.0, 40.0])
    pyarrow.parquet.write_table(table.slice(0, 0), tmp_path / "empty.parquet")
    with pytest.raises(FormatError, match="no rows"):
        read_columns(tmp_path / "empty.parquet", labelled=False)
    (tmp_path / "t.svm").write_text("0.25 1:3\n7.5 2:4\n")
    sparse = read_columns(tmp_path / "t.svm", labelled=False)
    assert (sparse.labels, sparse.X.toarray().tolist()) == (None, [[3.0, 0.0], [0.0, 4.0]])


def test_the_fingerprint_of_rows_alone():
    X = np.array([[0.0, 2.0], [1.0, 0.0]])
    found = fingerprint_of_rows(X)
    assert (found.rows, found.features, found.classes) == (2, 2, None)
    assert found == fingerprint_of_rows(X.astype(np.float32))
    assert found != fingerprint_of_rows(X[::-1])
    assert found != fingerprint(X, [0.0, 0.0])
    assert found != fingerprint_of_rows(X, [1.0, 2.0])
