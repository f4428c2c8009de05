"""What a decision surface shows is so: regions, boundary, margins, rings, slices and what their titles say."""

import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib.contour import ContourSet
from matplotlib.path import Path
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from report.studies import standardised
from separatrix import DataError, KernelSVM, LogisticClassifier, OptionError
from separatrix.kernels import Tokens
from separatrix.report import decision_surface
from separatrix.report.charts import slice as slices
from separatrix.report.charts.decision_surface import leading, remarks, summary
from separatrix.report.charts.section import directions, section_of
from separatrix.report.charts.slice import cut

RANDOM = np.random.default_rng(0)
ANGLE = RANDOM.uniform(0, 2 * np.pi, 120)
RADIUS = np.repeat([1.0, 2.2], 60) + 0.4 * RANDOM.standard_normal(120)
RINGS, SIDES = np.column_stack([RADIUS * np.cos(ANGLE), RADIUS * np.sin(ANGLE)]), np.repeat(["in", "out"], 60)
IRIS, FLOWERS = standardised("iris")
CANCER, TISSUES = standardised("breast_cancer")


@pytest.fixture(scope="module")
def rings():
    return KernelSVM(C=2.0, gamma=0.8).fit(RINGS, SIDES)


@pytest.fixture(scope="module")
def flowers():
    return KernelSVM(C=1.0, gamma=0.5).fit(IRIS[:, 2:], FLOWERS.labels)


def labelled(ax, start):
    return [each for each in (*ax.lines, *ax.collections) if str(each.get_label()).startswith(start)]


def contours(ax, filled):
    return [each for each in ax.collections if isinstance(each, ContourSet) and each.filled == filled]


def inside(contour, number, points):
    """Which points are in a filled region, whose holes are parts of its path."""
    path = contour.get_paths()[number]
    loops = path.to_polygons(closed_only=True)
    return np.sum([Path(loop).contains_points(points) for loop in loops], axis=0) % 2 == 1


def grid_of(ax, n=23):
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    steps = (np.arange(n) + 0.5) / n
    across, up = np.meshgrid(left + steps * (right - left), bottom + steps * (top - bottom))
    return np.column_stack([across.ravel(), up.ravel()])


def test_lines_are_where_g_is_0_and_where_it_is_1(rings):
    ax = decision_surface(rings, RINGS, SIDES)
    lines = {float(level): np.vstack(parts) for each in contours(ax, False)
             for level, parts in zip(each.levels, each.allsegs, strict=True)}  # fmt: skip
    assert lines.keys() == {-1.0, 0.0, 1.0}
    slope = np.ptp(rings.decision_function(grid_of(ax)))
    for level, points in lines.items():
        assert len(points) > 50
        np.testing.assert_allclose(rings.decision_function(points), level, atol=1e-3 * slope)
    dashed = [each.get_linestyle() for each in labelled(ax, "margin")]
    assert dashed == ["--"]


def test_regions_are_where_each_class_is_predicted(rings):
    ax = decision_surface(rings, RINGS, SIDES)
    (regions,) = contours(ax, True)
    points = grid_of(ax)
    scores = rings.decision_function(points)
    clear = np.abs(np.abs(scores) - np.round(np.abs(scores))) > 1e-2  # of lines that are drawn between grid points
    found = np.array([inside(regions, number, points) for number in range(4)])
    assert (found.sum(axis=0) == 1)[clear].all(), "each point is in one region"
    second = found[2] | found[3]
    assert (np.where(second, "out", "in") == rings.predict(points))[clear].all()
    assert ((found[0] | found[3]) == (np.abs(scores) > 1))[clear].all(), "deeper beyond the margin"
    colours = [tuple(np.round(np.array(tone[:3]) * 255).astype(int)) for tone in regions.get_facecolor()]
    assert colours[0] == colours[1] != colours[2] == colours[3]


def test_regions_of_several_classes_are_where_they_are_predicted(flowers):
    X = IRIS[:, 2:]
    ax = decision_surface(flowers, X, FLOWERS.labels)
    points = grid_of(ax, 17)
    codes = np.searchsorted(flowers.classes_, flowers.predict(points))
    found = np.array([inside(each, 0, points) for each in contours(ax, True)])
    cell = np.ptp(ax.get_xlim()) / slices.MAX_GRID_OF_VOTES
    moved = points[:, None] + cell * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    around = flowers.predict(moved.reshape(-1, 2)).reshape(-1, 4)
    clear = (around == flowers.predict(points)[:, None]).all(axis=1)
    assert clear.mean() > 0.9
    assert (found.sum(axis=0) == 1)[clear].all()
    assert (found.argmax(axis=0) == codes)[clear].all()


def test_rings_are_the_support_rows_and_crosses_the_wrong_ones(rings):
    ax = decision_surface(rings, RINGS, SIDES)
    (ringed,), (crossed,) = labelled(ax, "support row"), labelled(ax, "wrong side")
    held = np.sort(rings.support_)
    np.testing.assert_array_equal(ringed.get_offsets(), RINGS[held])
    wrong = rings.predict(RINGS) != SIDES
    assert wrong.sum() > 0
    np.testing.assert_array_equal(crossed.get_offsets(), RINGS[wrong])
    assert ax.get_title(loc="left") == f"{wrong.sum()} of 120 rows on the wrong side"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")


def test_other_rows_than_those_of_the_fit_have_no_rings(rings):
    assert not labelled(decision_surface(rings, RINGS[::-1], SIDES[::-1]), "support row")
    assert not labelled(decision_surface(rings, RINGS[:5], SIDES[[0, 1, 2, 3, 119]]), "support row")
    (ringed,) = labelled(decision_surface(rings, RINGS, SIDES, ringed=[3, 5]), "support row")
    np.testing.assert_array_equal(ringed.get_offsets(), RINGS[[3, 5]])


def test_the_directions_are_those_that_the_scores_depend_on():
    noise = 3.0 * RANDOM.standard_normal((120, 4))
    turn = np.linalg.qr(RANDOM.standard_normal((6, 6)))[0]
    hidden = np.column_stack([RINGS / RINGS.std(axis=0), noise / noise.std(axis=0)]) @ turn

    class Radius(KernelSVM):
        """Scores that depend on the two hidden coordinates alone."""

        def decision_function(self, X):
            return np.square(X @ turn.T[:, :2]).sum(axis=1) - 2.0

    model = Radius().fit(hidden, SIDES)
    found = cut(model, hidden, SIDES)
    spread = hidden.std(axis=0)
    V = directions(model, hidden, hidden.mean(axis=0), spread, np.arange(6), 1)
    span = np.linalg.qr(V * spread[:, None] ** -1)[0]
    ideal = np.linalg.qr(turn.T[:, :2])[0]
    assert np.linalg.norm(ideal.T @ span, 2) == pytest.approx(1.0, abs=0.02)
    np.testing.assert_allclose(V.T @ V, np.eye(2), atol=1e-12)
    assert found.same_class > 0.9, "nothing else matters, so that the slice shows nearly every prediction"


def test_a_plane_is_seen_from_its_side():
    model = LogisticClassifier(C=1.0).fit(CANCER, TISSUES.labels)
    found = cut(model, CANCER, TISSUES.labels)
    w = model.coef_[0] / np.linalg.norm(model.coef_[0])  # features have the deviation 1
    np.testing.assert_allclose(np.abs(found.points[:, 0]), np.abs((CANCER @ w)[found.rows]), atol=1e-3)
    assert found.same_class == 1.0, "along a plane the score does not change"
    assert not found.has_margin


def test_a_slice_has_the_scores_of_its_points_and_says_how_often_it_is_right():
    model = KernelSVM(C=1.0).fit(CANCER, TISSUES.labels)
    for pair in (None, (7, 20)):
        found = cut(model, CANCER, TISSUES.labels, pair=pair, names=TISSUES.feature_names)
        section = section_of(model, CANCER, CANCER, pair, list(TISSUES.feature_names), len(model.support_))
        np.testing.assert_allclose((section.basis @ section.dual), np.eye(2), atol=1e-12)
        corner = section.origin + np.array([found.across[-1], found.up[0]]) @ section.basis
        assert found.scores[0, -1] == pytest.approx(float(model.decision_function(corner[None])[0]))
        seen = model.predict(section.origin + found.points @ section.basis)
        assert found.same_class == np.mean(seen == model.predict(CANCER)[found.rows])
        assert f"{np.floor(100 * found.same_class):.0f}% of rows" in " ".join(remarks(found))
        assert "Slice through the means of 30 features" in remarks(found)[0]
    np.testing.assert_array_equal(found.points, CANCER[:, [7, 20]])
    np.testing.assert_allclose(np.delete(section.origin, [7, 20]), 0.0, atol=1e-12)
    assert found.labels == (TISSUES.feature_names[7], TISSUES.feature_names[20])


def test_units_do_not_change_a_slice():
    units = np.logspace(-3, 3, 30)
    plain = KernelSVM(C=1.0).fit(CANCER, TISSUES.labels)
    scaled = make_pipeline(StandardScaler(), KernelSVM(C=1.0)).fit(CANCER * units + units, TISSUES.labels)
    one, other = cut(plain, CANCER, TISSUES.labels), cut(scaled, CANCER * units + units, TISSUES.labels)
    np.testing.assert_allclose(one.points, other.points, atol=1e-6)
    np.testing.assert_allclose(one.scores, other.scores, atol=1e-5)


def test_features_can_be_named_and_come_from_a_frame():
    frame = pd.DataFrame(IRIS, columns=list("abcd"))
    model = KernelSVM().fit(frame, FLOWERS.labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = decision_surface(model, frame, FLOWERS.labels, features=("d", "b"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("d", "b")
    for wrong in (("d",), ("d", "d"), ("d", 4), "db", ("d", "e")):
        with pytest.raises(OptionError, match="two different features"):
            decision_surface(model, frame, FLOWERS.labels, features=wrong)
    with pytest.raises(OptionError, match="must hold 4 names"):
        decision_surface(model, frame, FLOWERS.labels, feature_names=["a", "b"])


def test_a_slice_is_the_same_every_time_and_for_sparse_rows():
    model = KernelSVM(C=1.0).fit(CANCER, TISSUES.labels)
    one, again = (cut(model, CANCER, TISSUES.labels) for _ in range(2))
    np.testing.assert_array_equal(one.scores, again.scores)
    few = np.where(np.abs(CANCER) > 1, CANCER, 0.0)
    model = KernelSVM(C=1.0, gamma=0.02).fit(sparse.csr_array(few), TISSUES.labels)
    found, ours = (cut(model, rows, TISSUES.labels) for rows in (sparse.csr_array(few), few))
    np.testing.assert_allclose(found.points, ours.points, atol=1e-8)
    assert found.n_ringed == ours.n_ringed == model.support_.size


def test_constant_columns_stay_where_they_are():
    X = np.column_stack([RINGS, np.full(120, 7.0), RINGS @ [0.3, -0.2]])
    found = cut(KernelSVM().fit(X, SIDES), X, SIDES)
    assert np.isfinite(found.scores).all()
    assert np.isfinite(found.points).all()
    assert all("x2" not in words for words in found.made_of)


def test_any_classifier_with_scores_is_drawn():
    scaled = make_pipeline(StandardScaler(), SVC()).fit(RINGS, SIDES)
    ax = decision_surface(scaled, RINGS, SIDES)
    points = np.vstack(contours(ax, False)[0].allsegs[0])
    assert np.abs(scaled.decision_function(points)).max() < 0.05
    (ringed,) = labelled(ax, "support row")
    np.testing.assert_array_equal(ringed.get_offsets(), RINGS[np.sort(scaled[-1].support_)])
    assert labelled(ax, "margin")
    assert not labelled(decision_surface(scaled, RINGS[::-1], SIDES[::-1]), "support row")
    theirs = SVC(C=2.0, gamma=0.8).fit(RINGS, SIDES)
    (ringed,) = labelled(decision_surface(theirs, RINGS, SIDES), "support row")
    assert len(ringed.get_offsets()) == theirs.support_.size
    with pytest.raises(OptionError, match="no decision_function"):
        decision_surface(KNeighborsClassifier().fit(RINGS, SIDES), RINGS, SIDES)
    pairs = SVC(decision_function_shape="ovo").fit(
        np.vstack([IRIS, IRIS[:5] + 9])[:, :2], np.append(FLOWERS.labels, ["other"] * 5)
    )
    with pytest.raises(OptionError, match="one score for each of the 4 classes"):
        decision_surface(pairs, IRIS[:, :2], FLOWERS.labels)


def test_rows_without_two_dimensions_are_refused():
    one = KernelSVM().fit(RINGS[:, :1], SIDES)
    with pytest.raises(DataError, match="2 to 500 features that vary, and these rows have 1"):
        decision_surface(one, RINGS[:, :1], SIDES)
    texts, kinds = ["good day", "bad day", "good", "bad"], [1, 0, 1, 0]
    with pytest.raises(DataError, match="sets or texts"):
        decision_surface(KernelSVM(Tokens()).fit(texts, kinds), texts, kinds)
    K = RINGS @ RINGS.T
    with pytest.raises(DataError, match="precomputed kernel"):
        decision_surface(KernelSVM("precomputed").fit(K, SIDES), K, SIDES)


def test_of_many_rows_some_are_drawn_and_few_are_scored(monkeypatch):
    model = KernelSVM(C=1.0, gamma=0.5).fit(RINGS, SIDES)
    many, sides = np.tile(RINGS, (1000, 1)), np.tile(SIDES, 1000)
    scored = []

    def counting(X):
        scored.append(len(X))
        return KernelSVM.decision_function(model, X)

    monkeypatch.setattr(model, "decision_function", counting)
    monkeypatch.setattr(slices, "MAX_KERNEL_VALUES", 1e6)
    found = cut(model, many, sides, most=300)
    assert found.n_wrong is None
    assert len(found.points) == 300
    assert sum(scored) * model.support_.size < 2e6
    assert summary(found) == "300 of 120,000 rows drawn"
    monkeypatch.undo()
    found = cut(model, many[:1200], sides[:1200], most=300)
    assert found.n_wrong == np.count_nonzero(model.predict(many[:1200]) != sides[:1200])
    assert remarks(found) == ["300 of these rows are drawn"]


def test_a_boundary_that_is_elsewhere_is_said_to_be():
    model = KernelSVM("linear", C=1.0).fit([[0.0, 0.0], [1.0, 1.0], [9.0, 9.0], [8.0, 9.0]], ["a", "a", "b", "b"])
    ax = decision_surface(model, [[0.0, 0.0], [1.0, 1.0]], ["a", "a"])
    assert [text.get_text() for text in ax.texts] == ["the boundary is outside of the picture"]
    assert not labelled(ax, "boundary")


def test_infinite_scores_have_a_boundary(monkeypatch):
    X = np.column_stack([RINGS, RINGS.sum(axis=1)])
    model = KernelSVM().fit(X, SIDES)
    monkeypatch.setattr(model, "decision_function", lambda rows: np.where(rows[:, 0] > 0.1, np.inf, -np.inf))
    for features in (None, (0, 1)):
        ax = decision_surface(model, X, SIDES, features=features)
        points = np.vstack(contours(ax, False)[0].allsegs[0])
    np.testing.assert_allclose(points[:, 0], 0.1, atol=2 * np.ptp(ax.get_xlim()) / slices.MAX_GRID)


def test_leads_of_equal_scores_are_nobodys():
    np.testing.assert_array_equal(leading(np.array([[2.0, 2.0, 1.0], [0.0, 3.0, 5.0]])), [[0, 0, -1], [-5, -2, 2]])
