"""What the view of a separation shows is so."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from report.studies import standardised
from separatrix import LinearSVM, LogisticClassifier, OneVsOne, Perceptron, margins
from separatrix.report.charts.projection import drawn_rows, fisher_directions, project, strips, widest
from separatrix.report.charts.separation_view import separation_view

CANCER, TABLE = standardised("breast_cancer")
IRIS, FLOWERS = standardised("iris")


@pytest.fixture(scope="module")
def machine():
    return LinearSVM(C=0.1).fit(CANCER, TABLE.labels)


@pytest.fixture(scope="module")
def flowers():
    return LinearSVM(C=1.0).fit(IRIS, FLOWERS.labels)


def labelled(ax, start):
    return [each for each in (*ax.lines, *ax.collections) if str(each.get_label()).startswith(start)]


def test_points_are_at_their_distances_and_the_plane_at_0(machine):
    ax = separation_view(machine, CANCER, TABLE.labels)
    (plane,) = labelled(ax, "plane")
    assert list(plane.get_xdata()) == [0.0, 0.0]
    signed = margins(machine, CANCER, TABLE.labels).geometric * np.where(TABLE.labels == machine.classes_[1], 1, -1)
    for label in machine.classes_:
        (points,) = labelled(ax, label)
        np.testing.assert_allclose(points.get_offsets()[:, 0], signed[TABLE.labels == label], atol=1e-12)


def test_rings_and_crosses_are_as_many_as_support_and_wrong_rows(machine):
    ax = separation_view(machine, CANCER, TABLE.labels)
    (rings,), (crosses,) = labelled(ax, "ringed"), labelled(ax, "wrong")
    wrong = np.flatnonzero(machine.predict(CANCER) != TABLE.labels)
    assert len(rings.get_offsets()) == machine.support_.size
    assert len(crosses.get_offsets()) == wrong.size > 0
    found = project(machine, CANCER, TABLE.labels)
    np.testing.assert_array_equal(np.flatnonzero(found.ringed), np.sort(machine.support_))
    np.testing.assert_array_equal(np.flatnonzero(found.wrong), wrong)


def test_the_margin_is_where_g_is_1(machine):
    ax = separation_view(machine, CANCER, TABLE.labels)
    places = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    np.testing.assert_allclose(sorted(places), np.array([-0.5, 0.5]) * machine.margin_width_)


def test_without_support_the_nearest_row_gives_the_margin():
    X, y = np.array([[0.0, 0], [0, 2], [3, 1], [4, 5]]), np.array([0, 0, 1, 1])
    model = Perceptron(random_state=0).fit(X, y)
    found = project(model, X, y)
    assert found.margin == pytest.approx(margins(model, X, y).smallest_geometric.margin)
    assert found.n_ringed == 1


def test_upwards_is_the_widest_direction_across_w(machine):
    up = project(machine, CANCER, TABLE.labels).points[:, 1]
    w = machine.coef_[0] / np.linalg.norm(machine.coef_)
    along = CANCER - np.outer(CANCER @ w, w)
    along -= along.mean(axis=0)
    assert np.linalg.norm(up) == pytest.approx(np.linalg.norm(along, ord=2), rel=1e-6), "the first singular value"
    np.testing.assert_allclose(up.mean(), 0.0, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-90, 1.0, 1e90])
def test_scale_does_not_matter(scale):
    random = np.random.default_rng(0)
    rows, w = random.normal(size=(40, 6)), random.normal(size=6)
    np.testing.assert_allclose(widest(scale * rows, w) / scale, widest(rows, w), rtol=1e-6)


def test_sparse_rows_are_seen_like_dense_ones(machine, monkeypatch):
    dense = project(machine, CANCER, TABLE.labels)
    rows = sparse.csr_array(CANCER)
    monkeypatch.setattr(sparse.csr_array, "toarray", None)
    monkeypatch.setattr(sparse.csr_array, "todense", None)
    found = project(machine, rows, TABLE.labels)
    np.testing.assert_allclose(found.points, dense.points, atol=1e-9)


def test_one_feature_gets_a_strip_for_each_class():
    X, y = np.array([[0.0], [1.0], [4.0], [6.0]]), np.array(["a", "a", "b", "b"])
    ax = separation_view(LinearSVM(C=float("inf")).fit(X, y), X, y)
    (low,), (high,) = labelled(ax, "a"), labelled(ax, "b")
    np.testing.assert_allclose(high.get_offsets()[:, 0], [1.5, 3.5])
    assert low.get_offsets()[:, 1].max() < 1 < high.get_offsets()[:, 1].min()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]
    assert len(np.unique(strips(np.zeros(50, dtype=int)).round(9))) == 50


def test_three_classes_are_drawn_where_they_are_predicted(flowers):
    found = project(flowers, IRIS, FLOWERS.labels)
    W, b = found.planes
    np.testing.assert_array_equal(
        (found.points @ W.T + b).argmax(axis=1), flowers.decision_function(IRIS).argmax(axis=1)
    )
    ax = separation_view(flowers, IRIS, FLOWERS.labels)
    assert len(ax.patches) == 3, "a region for each"
    assert found.n_wrong == np.count_nonzero(flowers.predict(IRIS) != FLOWERS.labels)
    assert not found.ringed.any(), "each plane has support rows of its own"


def test_directions_are_those_of_fisher(flowers):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    scores = flowers.decision_function(IRIS)
    scores = scores - scores.mean(axis=1, keepdims=True)
    codes = np.searchsorted(flowers.classes_, FLOWERS.labels)
    ours = (scores - scores.mean(axis=0)) @ fisher_directions(scores - scores.mean(axis=0), codes)
    theirs = LinearDiscriminantAnalysis(solver="svd").fit_transform(scores[:, :2], codes)
    for one, other in zip(ours.T, theirs.T, strict=True):
        assert abs(np.corrcoef(one, other)[0, 1]) == pytest.approx(1.0, abs=1e-9)


def test_votes_have_no_planes_to_draw():
    model = OneVsOne(LogisticClassifier()).fit(IRIS, FLOWERS.labels)
    found = project(model, IRIS, FLOWERS.labels)
    assert found.planes is None
    assert separation_view(model, IRIS, FLOWERS.labels).get_title(loc="left")


def test_of_many_rows_a_fair_sample_is_drawn():
    codes = np.repeat([0, 1, 2], [8000, 1990, 10])
    marked = np.zeros(10_000, dtype=bool)
    marked[[5, 77, 9999]] = True
    drawn = drawn_rows(codes, marked, 500)
    assert len(drawn) == len(set(drawn)) == 500
    assert {5, 77, 9999} <= set(drawn)
    assert np.bincount(codes[drawn])[0] == pytest.approx(400, abs=4)
    assert np.bincount(codes[drawn])[2] >= 2, "no class is without a point"
    np.testing.assert_array_equal(drawn, drawn_rows(codes, marked, 500))
    everything = drawn_rows(codes, np.ones(10_000, dtype=bool), 500)
    assert len(everything) == 500


class Cubed(LinearSVM):
    """A classifier whose scores are not those of its plane, as those of a kernel machine."""

    def decision_function(self, X):
        return super().decision_function(X) ** 3


def test_scores_without_a_plane_are_not_called_distances():
    model = Cubed(C=0.1).fit(CANCER, TABLE.labels)
    ax = separation_view(model, CANCER, TABLE.labels)
    assert ax.get_xlabel() == "score g"
    (points,) = labelled(ax, "benign")
    scores = model.decision_function(CANCER)[TABLE.labels == "benign"]
    np.testing.assert_allclose(points.get_offsets()[:, 0], scores)


def test_a_plane_that_is_none_is_survived():
    X, y = np.array([[0.0, 1], [1, 0], [0, 1], [1, 0]]), np.array([0, 0, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Perceptron(max_iter=1).fit(X, y)
    model.coef_, model.intercept_ = np.zeros((1, 2)), np.zeros(1)
    assert separation_view(model, X, y).get_title(loc="left") == "2 of 4 rows on the wrong side"
