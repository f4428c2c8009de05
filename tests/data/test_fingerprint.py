"""One set of numbers has one fingerprint, and any other set has another."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from separatrix.data import samples
from separatrix.data.files.reading import read_columns
from separatrix.data.fingerprint import ENTRIES_PER_CHUNK, fingerprint
from separatrix.errors import DataError

IRIS = samples.builtin("iris")


def padded(X):
    """Sparse, with zeros that are stored and entries in two parts."""
    matrix = sparse.csr_array(X)
    rows, columns = (np.tile(index, 2) for index in sparse.csr_array(np.ones_like(X)).nonzero())
    halves = np.concatenate([X.ravel(), np.zeros(X.size)])
    return sparse.coo_array((halves, (rows, columns)), shape=matrix.shape).tocsr()


CONTAINERS = [
    np.asfortranarray,
    np.ndarray.tolist,
    lambda X: np.repeat(X, 2, axis=0)[::2],
    sparse.csr_array,
    sparse.csc_matrix,
    padded,
    pd.DataFrame,
    lambda X: pl.DataFrame({f"x{j}": X[:, j] for j in range(X.shape[1])}),
    lambda X: X.astype(X.dtype.newbyteorder()),
    lambda X: np.where(X == 0, -0.0, X),
    lambda X: np.where(np.isnan(X), -np.nan, X),
]


@pytest.mark.parametrize("zeros", [0.0, 0.3, 0.5, 0.9, 1.0])
def test_containers_do_not_matter(zeros):
    rng = np.random.default_rng(5)
    X = np.where(rng.random((60, 7)) < zeros, 0.0, rng.standard_normal((60, 7)))
    y = rng.integers(0, 2, 60)
    X[3, 2] = np.nan
    expected = fingerprint(X, y)
    assert [fingerprint(contained(X), y) for contained in CONTAINERS] == [expected] * len(CONTAINERS)
    narrow = X.astype(np.float32)
    assert (
        fingerprint(narrow, y) == fingerprint(narrow.astype(np.float64), y) == fingerprint(sparse.csr_array(narrow), y)
    )
    assert fingerprint(narrow, y) != expected or zeros == 1.0


def test_containers_of_labels_and_weights_do_not_matter():
    X, text = IRIS.X, IRIS.labels
    expected = fingerprint(X, text)
    assert expected.classes == {"setosa": 50, "versicolor": 50, "virginica": 50}
    for y in (text.tolist(), text.astype(object), pd.Series(text), text.astype("U40")):
        assert fingerprint(X, y) == expected
    codes = np.unique(text, return_inverse=True)[1]
    for y in (codes.tolist(), codes.astype(np.uint8), codes.astype(float), pd.Series(codes)):
        assert fingerprint(X, y) == fingerprint(X, codes)
    assert fingerprint(X, text, np.ones(150)) == expected
    assert fingerprint(X, text, [2] * 150) == fingerprint(X, text, np.full(150, 2.0)) != expected


def test_labels_have_a_kind():
    X = [[1.0], [2.0]]
    found = [fingerprint(X, y) for y in ([0, 1], ["no", "yes"], [False, True], [0.5, 1.0])]
    assert len({each.sha256 for each in found}) == 4
    assert fingerprint(X, ["0", "1"]) == found[0]  # a file does not tell one from the other
    assert fingerprint(X, ["False", "True"]) == found[2]
    assert fingerprint(X, ["0.5", "1.0"]) == found[3]
    assert [each.classes for each in found] == [{"0": 1, "1": 1}, {"no": 1, "yes": 1}, {"False": 1, "True": 1}, None]


def test_many_rows_of_any_width_are_hashed_in_parts():
    """The parts that rows are hashed in do not show: they differ for dense and sparse rows of the same numbers."""
    n = ENTRIES_PER_CHUNK // 2 + 3
    X = np.zeros((n, 5))
    X[::7, 1], X[5::9, 4] = 1.5, -2.0
    assert fingerprint(X, np.arange(n) % 2) == fingerprint(sparse.csr_array(X), np.arange(n) % 2)
    X += 1.0
    assert fingerprint(X, np.arange(n) % 2) == fingerprint(sparse.csr_array(X), np.arange(n) % 2)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 149), st.integers(0, 3), st.sampled_from(["bit", "zero", "swap", "label", "weight", "row"]))
def test_every_change_shows(i, j, kind):
    X, y, weights = IRIS.X.copy(), IRIS.labels.copy(), np.full(150, 0.5)
    before = fingerprint(X, y, weights)
    if kind == "bit":
        X[i, j] = np.nextafter(X[i, j], 9.0)
    elif kind == "zero":
        X[i, j] = 0.0
    elif kind == "swap":
        X[i], y[i], X[i - 60], y[i - 60] = X[i - 60].copy(), y[i - 60], X[i].copy(), y[i]
    elif kind == "label":
        y[i] = "setosa" if y[i] != "setosa" else "virginica"
    elif kind == "weight":
        weights[i] = 0.75
    else:
        X, y, weights = np.delete(X, i, axis=0), np.delete(y, i), np.delete(weights, i)
    assert fingerprint(X, y, weights) != before


def test_numbers_that_move_between_columns_or_rows_show():
    sparse_rows = np.zeros((4, 6))
    sparse_rows[1, 2] = 1.0
    found = {
        fingerprint(np.roll(sparse_rows, shift, axis=(0, 1)), [0, 1, 0, 1]).sha256 for shift in [(0, 1), (1, 0), (0, 0)]
    }
    assert len(found) == 3
    assert fingerprint(np.ones((2, 6)), [0, 1]) != fingerprint(np.ones((4, 3)), [0, 1, 0, 1])
    assert fingerprint(np.zeros((2, 6)), [0, 1]) != fingerprint(np.zeros((2, 5)), [0, 1])


def test_what_a_fingerprint_counts():
    X, y = IRIS.X, IRIS.labels
    known = fingerprint(X, y)
    assert (known.rows, known.features, known.weighted) == (150, 4, False)
    assert fingerprint(X, y == "setosa").classes == {"False": 100, "True": 50}
    assert fingerprint(X, np.arange(150) + 0.5).classes is None
    assert fingerprint(X, y, np.arange(150)).weighted


@pytest.mark.parametrize("y", [None, [1, 2], [[1], [2, 3]], ["a", 1, "b"]])
def test_labels_that_are_none(y):
    with pytest.raises(DataError):
        fingerprint([[1.0], [2.0], [3.0]], y)


FRAME = pd.DataFrame(
    {
        "age": [31.0, 44.0, np.nan, 63.0],
        "town": ["Rome", None, "Oslo", "Rome"],
        "smokes": [True, False, False, True],
        "seen": pd.to_datetime(["2024-01-05", "2023-12-31", "2024-02-29", "2024-01-05"]),
    }
)
ILL = ["no", "no", "yes", "yes"]


def test_a_table_of_words_has_the_fingerprint_of_its_file(tmp_path):
    FRAME.assign(ill=ILL).to_csv(tmp_path / "t.csv", index=False)
    raw, text = read_columns(tmp_path / "t.csv", "ill"), pd.read_csv(tmp_path / "t.csv").drop(columns="ill")
    found = fingerprint(FRAME, ILL)
    assert fingerprint(raw.X, raw.labels) == found
    assert fingerprint(text, ILL) == found  # dates are text there
    assert fingerprint(FRAME.astype({"town": "category"}), ILL) == found
    assert (found.rows, found.features) == (4, 4)


@pytest.mark.parametrize(
    "change",
    [
        {"town": ["Rome", None, "Oslo", "Oslo"]},
        {"town": ["Rome", "Rome", "Oslo", "Rome"]},
        {"town": ["rome", None, "Oslo", "rome"]},
        {"smokes": [True, False, True, True]},
        {"seen": pd.to_datetime(["2024-01-05", "2023-12-31", "2024-02-28", "2024-01-05"])},
        {"age": [31.0, 44.0, 0.0, 63.0]},
    ],
)
def test_a_changed_cell_changes_the_fingerprint_of_a_table(change):
    assert fingerprint(FRAME.assign(**change), ILL).sha256 != fingerprint(FRAME, ILL).sha256


def test_words_in_other_columns_have_another_fingerprint():
    one = pd.DataFrame({"a": ["x", "y"], "b": ["p", "q"]})
    assert fingerprint(one[["b", "a"]], [0, 1]).sha256 != fingerprint(one, [0, 1]).sha256
    assert fingerprint(one.rename(columns={"a": "c"}), [0, 1]) == fingerprint(one, [0, 1])
