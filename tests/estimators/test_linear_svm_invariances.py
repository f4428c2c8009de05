"""Two ways to ask one question of LinearSVM have one answer, to 1e-8."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from separatrix import LinearSVM
from separatrix.data import samples

IRIS = samples.builtin("iris")
PAIR = IRIS.labels != "setosa"
X, Y = IRIS.X[PAIR], IRIS.labels[PAIR]
NORMAL = np.random.default_rng(5).standard_normal((91, 5))
SIDE = np.where(NORMAL[1:] @ NORMAL[0] > 0, 1, -1)
EASY = NORMAL[1:] + 0.1 * SIDE[:, None] * NORMAL[0], SIDE  # a plane separates these
HOW = [
    {"C": 1.0},
    {"C": 0.01},
    {"C": 300.0},
    {"C": 1.0, "fit_intercept": False},
    {"C": 1.0, "loss": "squared_hinge"},
    {"C": 300.0, "loss": "squared_hinge", "fit_intercept": False},
    {"C": np.inf},
]


@pytest.fixture(params=HOW, ids=repr)
def how(request):
    return request.param


def rows_for(how):
    return EASY if how["C"] == np.inf else (X, Y)


def scores(how, rows, labels, at, **more):
    return LinearSVM(**how, **more).fit(rows, labels).decision_function(at)


def weighted(how, rows, labels, weight, at, **more):
    return LinearSVM(**how, **more).fit(rows, labels, sample_weight=weight).decision_function(at)


def same(one, other):
    return np.allclose(one, other, rtol=1e-8, atol=1e-8)


def test_a_weight_of_k_is_k_copies(how):
    rows, labels = rows_for(how)
    counts = np.random.default_rng(0).integers(1, 5, len(labels))
    copies = np.repeat(rows, counts, axis=0)
    assert same(weighted(how, rows, labels, counts, rows), scores(how, copies, np.repeat(labels, counts), rows))
    if how["C"] < np.inf:
        assert not same(weighted(how, rows, labels, counts, rows), scores(how, rows, labels, rows))


def test_a_weight_of_zero_is_no_row(how):
    rows, labels = rows_for(how)
    kept = np.random.default_rng(1).random(len(labels)) < 0.7
    model = LinearSVM(**how).fit(rows, labels, sample_weight=kept.astype(float))
    assert same(model.decision_function(rows), scores(how, rows[kept], labels[kept], rows))
    assert kept[model.support_].all()
    assert not model.slacks_[~kept].any()
    assert model.slacks_.shape == labels.shape


def test_class_weights_are_sample_weights(how):
    rows, labels = rows_for(how)
    names = np.unique(labels)
    weight = np.where(labels == names[1], 3.0, 0.5)
    by_class = scores(how, rows, labels, rows, class_weight={names[0]: 0.5, names[1]: 3.0})
    assert same(by_class, weighted(how, rows, labels, weight, rows))


def test_balanced_classes_weigh_the_same(how):
    rows, labels = (part[:70] for part in rows_for(how))
    names, counts = np.unique(labels, return_counts=True)
    assert counts[0] != counts[1]
    weight = (len(labels) / (2.0 * counts))[(labels == names[1]).astype(int)]
    assert same(scores(how, rows, labels, rows, class_weight="balanced"), weighted(how, rows, labels, weight, rows))


def test_a_common_weight_is_a_part_of_C(how):
    rows, labels = rows_for(how)
    dearer = {**how, "C": 2.5 * how["C"]}
    assert same(weighted(how, rows, labels, np.full(len(labels), 2.5), rows), scores(dearer, rows, labels, rows))


def test_the_order_of_rows_does_not_matter(how):
    rows, labels = rows_for(how)
    order = np.random.default_rng(2).permutation(len(labels))
    assert same(scores(how, rows, labels, rows), scores(how, rows[order], labels[order], rows))


def test_the_order_of_columns_does_not_matter(how):
    rows, labels = rows_for(how)
    assert same(scores(how, rows, labels, rows), scores(how, rows[:, ::-1], labels, rows[:, ::-1]))


def test_swapped_labels_negate_the_scores(how):
    rows, labels = rows_for(how)
    swapped = (labels == np.unique(labels)[0]).astype(int)
    assert same(scores(how, rows, labels, rows), -scores(how, rows, swapped, rows))


def test_a_turned_space_turns_the_plane(how):
    rows, labels = rows_for(how)
    turn, _ = np.linalg.qr(np.random.default_rng(3).standard_normal((rows.shape[1],) * 2))
    assert same(scores(how, rows, labels, rows), scores(how, rows @ turn, labels, rows @ turn))


def wide_indices(rows):
    narrow = sparse.csr_array(rows)
    narrow.indices, narrow.indptr = narrow.indices.astype(np.int64), narrow.indptr.astype(np.int64)
    return narrow


CONTAINERS = {
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_matrix,
    "64-bit indices": wide_indices,
    "Fortran order": np.asfortranarray,
    "list": np.ndarray.tolist,
    "pandas": lambda rows: pd.DataFrame(rows, columns=[f"c{j}" for j in range(rows.shape[1])]),
    "polars": lambda rows: pl.DataFrame({f"c{j}": column for j, column in enumerate(rows.T)}),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_container_does_not_matter(how, container):
    rows, labels = rows_for(how)
    expected = LinearSVM(**how).fit(rows, labels)
    model = LinearSVM(**how).fit(CONTAINERS[container](rows), labels)
    assert same(model.decision_function(CONTAINERS[container](rows)), expected.decision_function(rows))
    assert np.array_equal(model.support_, expected.support_)
    assert same(model.dual_coef_, expected.dual_coef_)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_float32_is_float64_of_the_same_values(how, container):
    rows, labels = rows_for(how)
    narrow = rows.astype(np.float32)
    wide = narrow.astype(np.float64)
    expected = scores(how, wide, labels, wide)
    assert same(scores(how, container(narrow), labels, container(narrow)), expected)
    assert LinearSVM(**how).fit(container(narrow), labels).certificate_.stated <= 1e-8


def test_labels_of_any_type(how):
    rows, labels = rows_for(how)
    codes = np.unique(labels, return_inverse=True)[1]
    expected = scores(how, rows, codes, rows)
    for names in (np.array(["no", "yes"]), np.array([False, True]), np.array([-3, 8]), np.array([1.0, 2.0])):
        model = LinearSVM(**how).fit(rows, names[codes])
        assert same(model.decision_function(rows), expected)
        assert model.classes_.tolist() == names.tolist()
        assert np.array_equal(model.predict(rows), names[(expected > 0).astype(int)])


def test_any_start_leads_to_the_same_answer(how):
    rows, labels = rows_for(how)
    model = LinearSVM(**how).fit(rows, labels)
    offset = how.get("fit_intercept", True)
    rough = LinearSVM(C=0.01, fit_intercept=offset).fit(rows, labels)
    array = np.append(model.coef_[0], model.intercept_ if offset else [])
    for start in (rough, model, array, array.tolist(), -array, 0 * array):
        assert same(scores(how, rows, labels, rows, start=start), model.decision_function(rows))
