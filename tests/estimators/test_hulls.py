"""The distance of two hulls is the width of the largest margin, whatever the data look like."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from separatrix import DataError, LinearSVM, NotCertifiedWarning, OptionError, encode, hull_distance
from separatrix.data import samples
from solvers.nearest_points_by_hand import separable

ALGORITHMS = ("gilbert", "mdm", "schlesinger_kozinec")
every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)
SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, 1, -1, -1]


def mostly_zeros(n, d, gap, seed):
    """Separable rows of which two entries in three are 0, none nearer to a plane than the gap."""
    rng = np.random.default_rng(seed)
    X, normal = rng.standard_normal((4 * n, d)) * (rng.random((4 * n, d)) < 1 / 3), rng.standard_normal(d)
    normal /= np.linalg.norm(normal)
    X = X[np.abs(X @ normal) > gap][:n]
    X[0] *= -np.sign(X[0] @ normal) * np.sign(X[1] @ normal)  # both classes are there
    return sparse.csr_array(X), np.sign(X @ normal).astype(int)


def random_set(number):
    """Separable rows of many sizes and margins; some far from the origin, in odd units, or sparse."""
    rng = np.random.default_rng(number)
    n, d, gap = int(rng.integers(10, 301)), 1 + number % 20, 10.0 ** rng.uniform(-3, 0)
    if number % 4 == 3:
        return mostly_zeros(n, d, min(gap, 0.3), number)
    X, y = separable(n, d, gap, number)
    if number % 4 == 1:
        X = X + 1e4 * rng.standard_normal(d)
    if number % 4 == 2:
        X[:, rng.integers(d)] *= 1e3
    return X, y


@pytest.mark.large
@pytest.mark.parametrize("number", range(50))
def test_three_algorithms_and_the_hard_margin_agree(number):
    X, y = random_set(number)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [hull_distance(X, y, algorithm) for algorithm in ALGORITHMS]
        w = LinearSVM(C=float("inf")).fit(X, y).coef_
    assert found == pytest.approx([2.0 / np.linalg.norm(w)] * 3, rel=1e-8)
    problem = encode(X, y).problem
    for each in found:
        assert each.certificate.error(problem) <= 1e-10
        assert each.certificate.proof


@every_algorithm
def test_the_square(algorithm):
    found = hull_distance(*SQUARE, algorithm)
    assert found == 2.0
    assert found.margin == 1.0
    w, b = found.plane
    assert w.tolist() == [1.0, 0.0]
    assert b == 0.0
    assert found.points[:, 0].tolist() == [-1.0, 1.0]


@every_algorithm
@pytest.mark.parametrize("seed", range(3))
def test_the_plane_bisects_the_segment_and_has_the_widest_margin(algorithm, seed):
    X, y = separable(40, 3, 0.2, seed)
    X = X + np.array([5.0, -3.0, 100.0])
    found = hull_distance(X, y, algorithm)
    w, b = found.plane
    q, p = found.points
    assert w @ (p + q) / 2 + b == pytest.approx(0.0, abs=1e-10)
    np.testing.assert_allclose(w, 2.0 * (p - q) / found**2, rtol=1e-8)
    assert (y * (X @ w + b)).min() == pytest.approx(1.0, abs=1e-10)
    np.testing.assert_allclose(np.abs(X[found.support] @ w + b), 1.0, atol=1e-9)
    model = LinearSVM(C=float("inf")).fit(X, y)
    np.testing.assert_allclose(w, model.coef_[0], rtol=1e-7)
    assert b == pytest.approx(model.intercept_[0], rel=1e-7)


def test_support_and_weights_make_the_points():
    X, y = separable(30, 4, 0.1, seed=3)
    labels = np.where(y > 0, "after", "before")
    found = hull_distance(X, labels)
    for number, label in enumerate(("after", "before")):
        own = labels[found.support] == label
        assert found.weights[own].sum() == pytest.approx(1.0)
        np.testing.assert_allclose(found.weights[own] @ X[found.support][own], found.points[number], atol=1e-12)
    assert np.linalg.norm(found.points[1] - found.points[0]) == pytest.approx(float(found), rel=1e-12)


@every_algorithm
@pytest.mark.parametrize("scale", [1e-90, 1e-30, 1e30, 1e90])
def test_other_units(algorithm, scale):
    X, y = separable(25, 3, 0.1, seed=4)
    expected = hull_distance(X, y)
    found = hull_distance(scale * X, y, algorithm)
    assert found == pytest.approx(scale * expected, rel=1e-12)
    np.testing.assert_allclose(scale * found.plane.w, expected.plane.w, rtol=1e-9)


@every_algorithm
def test_containers_and_copies_make_no_difference(algorithm):
    X, y = separable(25, 4, 0.1, seed=5)
    X = X.astype(np.float32).astype(np.float64)
    expected = hull_distance(X, y)
    for rows, labels in (
        (X.astype(np.float32), y),
        (sparse.csr_array(X), y),
        (sparse.csc_matrix(X), y),
        (sparse.csr_array(X.astype(np.float32)), y),
        (pd.DataFrame(X), pd.Series(y)),
        (X.tolist(), y.tolist()),
        (np.repeat(X, 4, axis=0), np.repeat(y, 4)),
        (np.column_stack([X, X[:, 0] * 0 + 7.0]), y),
    ):
        assert hull_distance(rows, labels, algorithm) == pytest.approx(expected, rel=1e-12)


@every_algorithm
def test_one_row_a_class(algorithm):
    found = hull_distance([[1.0, 2.0], [4.0, 6.0]], ["a", "b"], algorithm)
    assert found == 5.0
    assert found.points.tolist() == [[1.0, 2.0], [4.0, 6.0]]
    assert found.certificate.stated <= 2.0**-52, "(3, 4) times 2/25 is rounded, and its bound is below 5 by that"


@every_algorithm
def test_one_feature(algorithm):
    assert hull_distance(np.arange(20.0)[:, None], np.arange(20) > 12, algorithm) == 1.0
    assert hull_distance([[3.0], [7.5], [1.0], [9.0]], [0, 1, 0, 1], algorithm) == 4.5


@pytest.mark.large
@every_algorithm
def test_many_features_and_few_rows(algorithm):
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((62, 2000)), np.arange(62) % 2
    width = LinearSVM(C=float("inf")).fit(X, y).margin_width_
    assert hull_distance(X, y, algorithm) == pytest.approx(width, rel=1e-8)
    thin = sparse.random(62, 2000, density=0.02, random_state=0, format="csr")
    width = LinearSVM(C=float("inf")).fit(thin, y).margin_width_
    assert hull_distance(thin, y, algorithm) == pytest.approx(width, rel=1e-8)


MEETING = {
    "overlapping": ([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]),
    "touching": ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]),
    "the same row": ([[0.1, 0.2], [0.1, 0.2]], [0, 1]),
    "all zero": (np.zeros((4, 2)), [0, 1, 0, 1]),
    "exclusive or": (samples.logic_gate("XOR").X, samples.logic_gate("XOR").labels),
    "one in the middle": ([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [1.0, 1.0]], [0, 0, 0, 0, 1]),
    "every row in both": (np.repeat(np.random.default_rng(7).standard_normal((10, 3)), 2, axis=0), np.arange(20) % 2),
    "50 rows": (np.random.default_rng(8).standard_normal((50, 5)), np.arange(50) % 2),
    "50 rows far away": (np.random.default_rng(9).standard_normal((50, 5)) + 1e6, np.arange(50) % 2),
    "collinear rows": (np.outer(np.random.default_rng(10).random(20), [0.1, 0.7, 0.3]) + 1e4, np.arange(20) % 2),
    "tiny": (1e-90 * np.random.default_rng(11).standard_normal((30, 3)), np.arange(30) % 2),
}


@every_algorithm
@pytest.mark.parametrize("name", MEETING)
def test_hulls_that_meet(algorithm, name):
    X, y = MEETING[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = hull_distance(X, y, algorithm)
    assert found == 0.0
    assert found.margin == 0.0
    assert found.plane is None
    assert not found.certificate.proof
    assert found.certificate.error(encode(X, y).problem) <= 1e-14
    assert found.support.size <= np.shape(X)[1] + 2, "more rows are never needed (Kirchberger, 1903)"
    size = np.abs(np.asarray(X, dtype=float)).max()
    np.testing.assert_allclose(found.points[0], found.points[1], atol=1e-13 * size)


@pytest.mark.parametrize("gap", [1e-4, 1e-7, 1e-10])
def test_narrow_gaps_are_found_and_their_digits_not_made_up(gap):
    """What is claimed holds up to the doubt that is stated, and where tol is out of reach a warning says so."""
    along, across = np.array([0.28, 0.96]), np.array([0.96, -0.28])
    X = np.outer([-1.0, 0.83, -0.4, 1.3], along) + np.outer([0.0, 0.0, gap, gap], across)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = hull_distance(X, [0, 0, 1, 1])
    assert found == pytest.approx(gap, rel=1e-14 / gap)
    assert abs(found / gap - 1.0) < found.certificate.stated + found.certificate.rounding
    assert found.certificate.proof
    assert bool(caught) == (found.certificate.stated > 1e-10)


def test_a_run_that_misses_tol_warns_once_and_returns_what_it_has():
    X, y = separable(60, 6, 0.05, seed=12)
    with pytest.warns(
        NotCertifiedWarning, match=r"reached a relative error of .* where tol=1e-10.*max_iter=30, let it"
    ):
        found = hull_distance(X, y, "gilbert", polish=False, max_iter=30)
    exact = hull_distance(X, y)
    assert found.n_iter == 30
    assert found > exact > found.certificate.bound
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hull_distance(X, y, "gilbert", polish=False, max_iter=30)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_recorded_run_has_its_steps_before_the_polish():
    X, y = separable(50, 5, 0.1, seed=13)
    found = hull_distance(X, y, "gilbert", record=True)
    assert found.trace.distance.size == found.trace.bound.size == found.n_iter
    assert found.trace.error[-1] > found.certificate.stated
    assert hull_distance(X, y).trace is None
    np.testing.assert_allclose(
        hull_distance(8.0 * X, y, "gilbert", record=True).trace.distance, 8.0 * found.trace.distance, rtol=1e-14
    )


def test_it_is_a_number_that_can_be_kept():
    found = hull_distance(*SQUARE)
    assert isinstance(found, float)
    assert np.sqrt(found) == np.sqrt(2.0)
    assert f"{found:.3f}" == "2.000"
    assert str(found) == "2.0"
    assert repr(found) == "HullDistance(2.0, by 2 rows)"
    for kept in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert kept == found
        assert kept.plane.w.tolist() == found.plane.w.tolist()
        assert kept.certificate.stated == found.certificate.stated


def test_what_cannot_be_done_says_what_to_do():
    with pytest.raises(DataError, match=r"two classes, but y has 3: \['a', 'b', 'c'\]. Take pairs"):
        hull_distance([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    with pytest.raises(DataError, match="y has 9: .* and more"):
        hull_distance(np.arange(9.0)[:, None], np.arange(9))
    with pytest.raises(DataError, match="1 class only"):
        hull_distance([[0.0], [1.0]], ["a", "a"])
    with pytest.raises(DataError, match="NaN"):
        hull_distance([[np.nan], [1.0]], ["a", "b"])
    with pytest.raises(OptionError, match=r"'algorithm' parameter must be one of .*'mdm'.* Got 'wolfe'"):
        hull_distance(*SQUARE, "wolfe")
    with pytest.raises(OptionError, match="'tol'"):
        hull_distance(*SQUARE, tol=-1)
    with pytest.raises(OptionError, match="'max_iter'"):
        hull_distance(*SQUARE, max_iter=0)
