import numpy as np
import pytest
import scipy.sparse

from separatrix.data.table import Table, find_column, is_finite_number, labels_from_text
from separatrix.errors import DataError


def table(X=None, labels=("a", "b", "a"), names=("p", "q")):
    return Table(np.zeros((3, 2)) if X is None else X, np.array(labels), names)


def test_counts_and_sorted_classes():
    made = table(labels=("b", "a", "b"))
    assert (made.n_rows, made.n_features, made.target) == (3, 2, "")
    assert made.classes.tolist() == ["a", "b"]


def test_repr_says_the_size_and_the_storage():
    assert repr(table()) == "Table(3 rows x 2 features, 2 classes, dense)"
    one = Table(scipy.sparse.csr_array(np.ones((1, 1))), np.array([4]), ("p",))
    assert repr(one) == "Table(1 row x 1 feature, 1 class, sparse)"


@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
def test_both_kinds_of_csr_are_taken(kind):
    assert table(X=kind(np.ones((3, 2)))).n_features == 2


def test_parts_cannot_be_exchanged():
    with pytest.raises(AttributeError):
        table().labels = np.array([1, 2, 3])


def test_parts_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="X has 3 rows but there are 2 labels: give one label a row"):
        table(labels=("a", "b"))
    with pytest.raises(DataError, match="X has 2 columns but there are 1 feature names"):
        table(names=("p",))


def test_wrong_shapes_and_types_are_refused_with_what_was_seen():
    with pytest.raises(DataError, match=r"2-D array .* Got an array of shape \(3,\)"):
        table(X=np.zeros(3))
    with pytest.raises(DataError, match="Got list"):
        table(X=[[0.0, 1.0]] * 3)
    with pytest.raises(DataError, match=r"must hold floats. Got the type int64"):
        table(X=np.zeros((3, 2), dtype=np.int64))
    with pytest.raises(DataError, match=r"format 'csc': use X.tocsr\(\)"):
        table(X=scipy.sparse.csc_array(np.ones((3, 2))))
    with pytest.raises(DataError, match=r"labels must be a 1-D array. Got an array of shape \(3, 1\)"):
        table(labels=[["a"], ["b"], ["a"]])


def test_labels_that_cannot_be_sorted_are_explained():
    mixed = Table(np.zeros((2, 1)), np.array([1, "a"], dtype=object), ("p",))
    with pytest.raises(DataError, match=r"mix types that cannot be sorted \(int, str\)"):
        _ = mixed.classes


@pytest.mark.parametrize(
    ("texts", "labels", "kind"),
    [
        (["0", "1", "+1", "-2"], [0, 1, 1, -2], "i"),
        (["9007199254740993", "1"], [9007199254740993, 1], "i"),
        (["1.5", "2"], [1.5, 2.0], "f"),
        (["1", "two"], ["1", "two"], "U"),
        (["1_0", "2"], ["1_0", "2"], "U"),
        (["1", "nan"], ["1", "nan"], "U"),
        (["1", "9" * 30], ["1", "9" * 30], "U"),
        (["1", "9" * 5000], ["1", "9" * 5000], "U"),
    ],
)
def test_labels_take_the_type_that_loses_nothing(texts, labels, kind):
    array = labels_from_text(texts)
    assert array.tolist() == labels
    assert array.dtype.kind == kind


def test_numbers_are_finite_and_without_underscores():
    assert all(map(is_finite_number, ["1", "-1e-3", " .5"]))
    assert not any(map(is_finite_number, ["", "inf", "1e999", "1_0", "x"]))


def test_a_column_is_found_by_name_before_number():
    assert find_column(["a", "b", "c"], "b") == 1
    assert find_column(["a", "b", "c"], -1) == 2
    assert find_column(["a", "b", "c"], np.int64(0)) == 0
    assert find_column([2, 1, 0], 0) == 2
    assert find_column([2, 1, 0], "1") == 1


def test_an_unknown_column_is_answered_with_those_there_are():
    with pytest.raises(DataError, match=r"no column 'Diseases' \(did you mean 'disease'\?\).*'age', 'disease'"):
        find_column(["age", "disease"], "Diseases")
    with pytest.raises(DataError, match=r"no column 'zzz'\. The columns are 'age', 'disease'\."):
        find_column(["age", "disease"], "zzz")
    with pytest.raises(DataError, match=r"no column number 2: use -2 to 1"):
        find_column(["age", "disease"], 2)
    with pytest.raises(DataError, match=r"'c19', and 30 more"):
        find_column([f"c{j}" for j in range(50)], "zzz")


def test_whole_numbers_may_be_names_of_columns():
    assert find_column([1, 0], 0) == 1
    assert find_column([1, 0], "1") == 0
