import numpy as np
import pytest
from scipy.stats import norm

from separatrix.data import samples
from separatrix.errors import OptionError

TRUTH = {
    "AND": lambda p, q: p and q,
    "OR": lambda p, q: p or q,
    "NAND": lambda p, q: not (p and q),
    "NOR": lambda p, q: not (p or q),
    "XOR": lambda p, q: p != q,
    "XNOR": lambda p, q: p == q,
}


@pytest.mark.parametrize("name", TRUTH)
def test_gates_hold_their_truth_table(name):
    gate = samples.logic_gate(name.lower())
    assert gate.X.tolist() == [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    truth = [TRUTH[name](p > 0, q > 0) for p, q in gate.X]
    assert gate.labels.tolist() == [1 if value else -1 for value in truth]


def test_not_has_one_input():
    gate = samples.logic_gate("NOT")
    assert gate.X.tolist() == [[-1.0], [1.0]]
    assert gate.labels.tolist() == [1, -1]


def test_an_unknown_gate_lists_the_gates():
    with pytest.raises(OptionError, match=r"one of AND, OR, NAND, NOR, XOR, XNOR, NOT\. Got 'IMPLIES'"):
        samples.logic_gate("IMPLIES")


def test_gaussian_pair_errs_as_often_as_bayes():
    table = samples.gaussian_pair(0.7, n_rows=200_000, seed=1)
    error = np.mean(np.sign(table.X[:, 0]) != table.labels)
    assert error == pytest.approx(norm.cdf(-0.7), abs=4 * np.sqrt(0.25 / 200_000))
    first = table.X[:100_000]
    assert np.all(table.labels[:100_000] == -1)
    assert first.mean(axis=0) == pytest.approx([-0.7, 0.0], abs=0.02)
    assert np.cov(first.T) == pytest.approx(np.eye(2), abs=0.02)


def test_gaussian_pair_sizes():
    assert samples.gaussian_pair(1.0).n_rows == 200
    assert samples.gaussian_pair(1.0, n_rows=5, seed=0).labels.tolist() == [-1, -1, 1, 1, 1]


def test_separable_pair_is_separated_by_its_line():
    table = samples.separable_pair(n_per_class=500, seed=2)
    assert np.all(table.labels * (table.X.sum(axis=1) - 1) > 0)
    assert table.labels.tolist() == [1] * 500 + [-1] * 500
    assert samples.separable_pair().n_rows == 100


def test_the_cut_changes_only_rows_on_the_wrong_side():
    cut, whole = samples.separable_pair(300, seed=4), samples.overlapping_pair(300, seed=4)
    right = whole.labels * (whole.X.sum(axis=1) - 1) > 0
    assert 0 < np.count_nonzero(~right) < 100
    assert np.array_equal(cut.X[right], whole.X[right])


def test_overlapping_pair_has_its_means_and_covariance():
    table = samples.overlapping_pair(n_per_class=50_000, seed=3)
    for label, mean in ((1, [1.0, 1.0]), (-1, [0.0, 0.0])):
        rows = table.X[table.labels == label]
        assert len(rows) == 50_000
        assert rows.mean(axis=0) == pytest.approx(mean, abs=0.01)
        assert np.cov(rows.T) == pytest.approx(0.2 * np.eye(2), abs=0.01)


def margins_and_radius(table, seed):
    plane = samples.planted_plane(table.n_features, seed)
    rows = np.column_stack([table.X, np.ones(table.n_rows)])
    return table.labels * (rows @ plane) / np.linalg.norm(plane), np.linalg.norm(rows, axis=1).max()


@pytest.mark.parametrize("ratio", [1e-4, 1e-3, 0.05, 0.3, 0.5])
@pytest.mark.parametrize("size", [(2, 1), (2, 40), (3, 1), (51, 2), (200, 5), (300, 300)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_planted_margin_is_exact_on_both_classes(ratio, size, seed):
    table, gamma = samples.planted_margin(*size, ratio, seed)
    margins, radius = margins_and_radius(table, seed)
    assert table.X.shape == size
    for label in (-1, 1):
        assert margins[table.labels == label].min() == pytest.approx(gamma, rel=1e-12, abs=0)
    assert gamma / radius == pytest.approx(ratio, rel=1e-9, abs=0)
    assert abs(table.labels.sum()) <= 1


def test_the_planted_plane_is_the_best_one_in_x():
    table, gamma = samples.planted_margin(60, 3, 0.02, seed=5)
    plane = samples.planted_plane(3, seed=5)
    negative, positive = table.X[table.labels == -1], table.X[table.labels == 1]
    nearest = np.linalg.norm(positive[:, None] - negative[None], axis=2).min()
    # No plane leaves more room than the two nearest rows allow.
    assert nearest / 2 == pytest.approx(gamma / np.linalg.norm(plane[:-1]), rel=1e-9)


def test_planted_classes_come_in_random_order():
    labels = samples.planted_margin(100, 2, 0.1, seed=0)[0].labels
    assert 20 < np.count_nonzero(np.diff(labels)) < 80


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: samples.gaussian_pair(1.0, seed=seed),
        lambda seed: samples.separable_pair(seed=seed),
        lambda seed: samples.overlapping_pair(seed=seed),
        lambda seed: samples.planted_margin(20, 3, 0.1, seed)[0],
    ],
    ids=["gaussian", "separable", "overlapping", "planted"],
)
def test_a_seed_decides_everything(make):
    assert np.array_equal(make(7).X, make(7).X)
    assert not np.array_equal(make(7).X, make(8).X)
    assert not np.array_equal(make(None).X, make(None).X)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: samples.gaussian_pair(1.0, n_rows=1), r"n_rows must be at least 2\. Got 1"),
        (lambda: samples.separable_pair(0), r"n_per_class must be at least 1\. Got 0"),
        (lambda: samples.overlapping_pair(0), r"n_per_class must be at least 1\. Got 0"),
        (lambda: samples.planted_margin(1, 1, 0.1), "n_rows must be at least 2"),
        (lambda: samples.planted_margin(2, 0, 0.1), "n_features must be at least 1"),
        (lambda: samples.planted_margin(2, 1, 0.0), r"ratio must be above 0 and at most 0\.5\. Got 0\.0"),
        (lambda: samples.planted_margin(2, 1, 0.6), r"Got 0\.6"),
        (lambda: samples.builtin("boston"), r"one of iris, wine, breast_cancer, digits\. Got 'boston'"),
    ],
)
def test_sizes_and_names_that_do_not_work(call, message):
    with pytest.raises(OptionError, match=message):
        call()


@pytest.mark.parametrize(
    ("name", "shape", "first", "feature", "target"),
    [
        ("iris", (150, 4, 3), "setosa", "sepal length (cm)", "species"),
        ("wine", (178, 13, 3), "class_0", "alcohol", "cultivar"),
        ("breast_cancer", (569, 30, 2), "malignant", "mean radius", "diagnosis"),
        ("digits", (1797, 64, 10), "0", "pixel_0_0", "digit"),
    ],
)
def test_builtin_data_have_names_for_labels(name, shape, first, feature, target):
    table = samples.builtin(name)
    assert (table.n_rows, table.n_features, len(table.classes)) == shape
    assert table.labels[0] == first
    assert table.feature_names[0] == feature
    assert table.target == target
    assert table.labels.dtype.kind == "U"
