"""Facts about what is drawn, not pixels."""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib import rc_context, rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from separatrix import DataError, LinearSVM, OneVsOne, OneVsRest, OptionError, Perceptron, margins, report
from separatrix.data import samples
from separatrix.report import decision_line, margin_histogram, replay
from separatrix.report.charts.geometry import View, borders, clip, regions, segment, view_of

PAIR = samples.separable_pair(30, seed=1)
OVERLAP = samples.overlapping_pair(30, seed=0)
IRIS = samples.builtin("iris")


def fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def perceptron(X, y, **how):
    return fit(Perceptron(random_state=0, max_iter=how.pop("max_iter", 200), **how), X, y)


def labelled(ax, start):
    """What is drawn under a label, in the legend's words."""
    return [each for each in (*ax.lines, *ax.collections) if str(each.get_label()).startswith(start)]


def area(polygon):
    x, y = polygon.T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


@pytest.mark.parametrize("move", [(0.0, 0.0), (30.0, -50.0)])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_line_is_where_g_is_0(move, scale):
    X = PAIR.X * scale + np.array(move) * scale
    model = perceptron(X, PAIR.labels, max_iter=2)
    model.coef_, model.intercept_ = np.array([[1.0, 1.2]]), np.array([-scale * (1.1 + np.dot(move, [1.0, 1.2]))])
    ax = decision_line(model, X, PAIR.labels)
    (line,) = labelled(ax, "line")
    ends = line.get_xydata()
    w, b = model.coef_[0], model.intercept_[0]
    np.testing.assert_allclose(ends @ w + b, 0.0, atol=1e-12 * (np.abs(ends) @ np.abs(w) + abs(b)).max())
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    on_border = [np.isclose([x, x, y, y], [left, right, bottom, top], rtol=1e-9, atol=0).any() for x, y in ends]
    assert all(on_border), "it runs through the whole picture"
    assert not np.allclose(*ends)


def test_margin_lines_and_rings_are_at_the_nearest_row():
    model = perceptron(PAIR.X, PAIR.labels)
    found = margins(model, PAIR.X, PAIR.labels)
    assert found.n_wrong == 0
    ax = decision_line(model, PAIR.X, PAIR.labels)
    beside = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert len(beside) == 2
    w, b = model.coef_[0], model.intercept_[0]
    heights = [(line.get_xydata() @ w + b) / np.linalg.norm(w) for line in beside]
    np.testing.assert_allclose(np.sort(np.ravel(heights)), found.smallest_geometric.margin * np.array([-1, -1, 1, 1]))
    (ring,) = labelled(ax, "nearest row")
    np.testing.assert_array_equal(ring.get_offsets(), PAIR.X[[found.smallest_geometric.row]])
    assert f"{found.smallest_geometric.margin:.3g}" in ax.get_title(loc="left")


def test_rows_that_are_equally_near_are_all_ringed():
    gate = samples.logic_gate("AND")
    model = perceptron(gate.X, gate.labels)
    model.coef_, model.intercept_ = np.array([[1.0, 1.0]]), np.array([-1.0])
    (ring,) = labelled(decision_line(model, gate.X, gate.labels), "nearest row")
    assert ring.get_offsets().tolist() == [[-1, 1], [1, -1], [1, 1]]


def test_wrong_rows_are_crossed_out():
    model = perceptron(OVERLAP.X, OVERLAP.labels, max_iter=5)
    wrong = model.predict(OVERLAP.X) != OVERLAP.labels
    assert wrong.any()
    ax = decision_line(model, OVERLAP.X, OVERLAP.labels)
    (crosses,) = labelled(ax, "wrong side")
    np.testing.assert_array_equal(crosses.get_offsets(), OVERLAP.X[wrong])
    assert not labelled(ax, "nearest")
    dotted = [line.get_xydata() for line in ax.lines if line.get_linestyle() == ":"]
    scores = [(model.decision_function(ends)).round(9).tolist() for ends in dotted]
    assert sorted(scores) == [[-1.0, -1.0], [1.0, 1.0]]


def test_every_row_is_drawn_once_with_the_marker_of_its_class():
    model = perceptron(PAIR.X, np.where(PAIR.labels > 0, "ill", "well"))
    ax = decision_line(model, PAIR.X, np.where(PAIR.labels > 0, "ill", "well"))
    ill, well = labelled(ax, "ill")[0], labelled(ax, "well")[0]
    np.testing.assert_array_equal(ill.get_offsets(), PAIR.X[PAIR.labels > 0])
    np.testing.assert_array_equal(well.get_offsets(), PAIR.X[PAIR.labels < 0])
    assert ill.get_paths()[0].vertices.shape != well.get_paths()[0].vertices.shape, "not by colour alone"


@pytest.mark.parametrize("model", [Perceptron(max_iter=20, random_state=0), OneVsRest(Perceptron(max_iter=20))])
def test_regions_of_several_classes_are_where_they_are_predicted(model):
    X = IRIS.X[:, 2:]
    fit(model, X, IRIS.labels)
    view = view_of(X)
    polygons = regions(model.coef_, model.intercept_, view)
    assert sum(map(area, filter(len, polygons))) == pytest.approx(np.prod(view.size))
    for number, polygon in enumerate(polygons):
        if len(polygon):
            assert model.predict([polygon.mean(axis=0)]) == model.classes_[number]
    drawn = [patch.get_xy()[:-1] for patch in decision_line(model, X, IRIS.labels).patches]
    for one, other in zip(drawn, filter(len, polygons), strict=True):
        np.testing.assert_array_equal(one, other)


def test_votes_are_drawn_point_by_point():
    model = fit(OneVsOne(Perceptron(max_iter=20, random_state=0)), IRIS.X[:, 2:], IRIS.labels)
    ax = decision_line(model, IRIS.X[:, 2:], IRIS.labels)
    assert "on the wrong side" in ax.get_title(loc="left")
    with pytest.raises(DataError, match="no geometric margins"):
        margin_histogram(model, IRIS.X[:, 2:], IRIS.labels)


def test_names_come_from_the_frame_the_model_or_the_user():
    frame = pd.DataFrame(PAIR.X, columns=["height", "weight"])
    model = perceptron(frame, PAIR.labels)
    ax = decision_line(model, frame, PAIR.labels)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "weight")
    ax = decision_line(model, frame, PAIR.labels, feature_names=("a", "b"), title="t")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")) == ("a", "b", "t")
    with pytest.raises(OptionError, match="two names"):
        decision_line(model, frame, PAIR.labels, feature_names=["a"])


def test_labels_are_not_read_as_mathematics_nor_hidden(tmp_path):
    labels = np.where(PAIR.labels > 0, "_under 5$", "x$^{$")
    frame = pd.DataFrame(PAIR.X, columns=["$", "$$_"])
    model = perceptron(frame, labels, record=True)
    decision_line(model, frame, labels).figure.savefig(tmp_path / "line.png")
    with rc_context({"svg.fonttype": "none"}):
        replay(model).draw(3).figure.savefig(tmp_path / "frame.svg")
    written = (tmp_path / "frame.svg").read_text(encoding="utf-8")
    assert all(f"{text}</text>" in written for text in ("_under 5$", "x$^{$", ">$", ">$$_"))


def test_the_users_axes_and_settings_stay_his():
    before = dict(rcParams)
    mine = Figure().add_subplot()
    model = perceptron(PAIR.X, PAIR.labels)
    assert decision_line(model, PAIR.X, PAIR.labels, mine) is mine
    assert margin_histogram(model, PAIR.X, PAIR.labels, ax=mine) is mine
    assert dict(rcParams) == before
    assert isinstance(decision_line(model, PAIR.X, PAIR.labels).figure.canvas, FigureCanvasAgg)


def test_a_model_without_a_line_says_so():
    gate = samples.logic_gate("XOR")
    model = perceptron(gate.X, gate.labels)
    for w, b, words in (([0.0, 0.0], 0.0, "there is no line"), ([1.0, 1.0], 50.0, "outside of the picture")):
        model.coef_, model.intercept_ = np.array([w]), np.array([b])
        ax = decision_line(model, gate.X, gate.labels)
        assert any(words in text.get_text() for text in ax.texts)
        assert not labelled(ax, "line")


def test_other_than_two_features_are_refused():
    model = perceptron(IRIS.X[:100, :3], IRIS.labels[:100])
    with pytest.raises(DataError, match="draws two features.* but the rows have 3"):
        decision_line(model, IRIS.X[:100, :3], IRIS.labels[:100])
    assert margin_histogram(model, IRIS.X[:100, :3], IRIS.labels[:100]).patches


@pytest.mark.parametrize("table", [PAIR, OVERLAP], ids=["separable", "overlapping"])
def test_bars_hold_every_row_and_wrong_ones_apart(table):
    model = perceptron(table.X, table.labels, max_iter=50)
    found = margins(model, table.X, table.labels)
    ax = margin_histogram(model, table.X, table.labels)
    assert sum(bar.get_height() for bar in ax.patches) == table.n_rows
    hatched = [bar for bar in ax.patches if bar.get_hatch()]
    assert sum(bar.get_height() for bar in hatched) == found.n_wrong
    assert all(bar.get_x() + bar.get_width() <= 1e-12 for bar in hatched)
    (pointer,) = labelled(ax, "smallest")
    assert pointer.get_xdata()[0] == found.smallest_geometric.margin
    assert f"(row {found.smallest_geometric.row})" in pointer.get_label()


def test_a_half_plane_takes_its_part_of_a_rectangle():
    view = View(0.0, 4.0, 0.0, 2.0)
    assert area(clip(view.corners, np.array([1.0, 0.0]), -1.0)) == pytest.approx(6.0)
    assert area(clip(view.corners, np.array([1.0, 2.0]), -4.0)) == pytest.approx(4.0), "the diagonal halves it"
    assert clip(view.corners, np.array([1.0, 0.0]), -9.0).size == 0
    assert segment(np.array([1.0, 2.0]), -4.0, view).tolist() == [[4.0, 0.0], [0.0, 2.0]]
    assert segment(np.array([0.0, 0.0]), 0.0, view) is None


def test_equal_scores_go_to_the_first_class_and_all_equal_to_none():
    view = View(0.0, 1.0, 0.0, 1.0)
    first, second, third = regions(np.array([[1.0, 0], [1, 0], [0, 0]]), np.array([0, 0, 0.5]), view)
    assert (area(first), len(second), area(third)) == (0.5, 0, 0.5)
    assert len(borders([first, second, third], view)) == 1
    assert not any(map(len, regions(np.zeros((3, 2)), np.zeros(3), view)))


def test_one_value_still_makes_a_view():
    for points in ([[5.0, 5.0]], [[0.0, 0.0]], [[1e9, 1.0], [1e9, 2.0]]):
        assert min(view_of(np.array(points)).size) > 0


def test_matplotlib_is_loaded_by_drawing_only():
    program = (
        "import sys, separatrix; from separatrix.report import *;"
        "assert decision_line.__module__ == 'separatrix.report.charts.decision_line';"
        "assert not {'matplotlib', 'PIL'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_names_of_the_package_are_listed_and_no_others():
    assert set(report.__all__) <= set(dir(report))
    assert not hasattr(report, "no_such_figure")


def test_without_matplotlib_the_way_to_get_it_is_named(monkeypatch):
    model = perceptron(PAIR.X, PAIR.labels)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (decision_line, margin_histogram):
        with pytest.raises(ImportError, match=r'pip install "separatrix\[plot\]"'):
            draw(model, PAIR.X, PAIR.labels)


def test_support_rows_are_ringed():
    model = LinearSVM(C=0.3).fit(OVERLAP.X, OVERLAP.labels)
    ax = decision_line(model, OVERLAP.X, OVERLAP.labels)
    (ring,) = labelled(ax, f"support row ({model.support_.size})")
    np.testing.assert_array_equal(ring.get_offsets(), OVERLAP.X[model.support_])
    assert labelled(ax, "wrong side")
    twice = np.concatenate([OVERLAP.X[::-1], OVERLAP.X])
    others = decision_line(model, twice, np.concatenate([OVERLAP.labels[::-1], OVERLAP.labels]))
    assert not labelled(others, "support row"), "they are rows of the fit, not of these"


def test_a_pipeline_is_drawn_in_its_own_columns():
    turned = OVERLAP.X @ [[3.0, 1.0], [-40.0, 9.0]] + [100.0, -7.0]
    piped = make_pipeline(StandardScaler(), PCA(2), LinearSVM(C=0.3)).fit(turned, OVERLAP.labels)
    ax = decision_line(piped, turned, OVERLAP.labels)
    (line,) = labelled(ax, "line")
    np.testing.assert_allclose(piped.decision_function(line.get_xydata()), 0.0, atol=1e-9)
    (ring,) = labelled(ax, "support row")
    np.testing.assert_array_equal(ring.get_offsets(), turned[piped[-1].support_])
    assert ax.get_title(loc="left") == f"{np.sum(piped.predict(turned) != OVERLAP.labels)} of 60 rows on the wrong side"
    frame = pd.DataFrame(turned, columns=["age", "pulse"])
    named = decision_line(
        make_pipeline(StandardScaler(), LinearSVM()).fit(frame, OVERLAP.labels), frame, OVERLAP.labels
    )
    assert (named.get_xlabel(), named.get_ylabel()) == ("age", "pulse")
    bent = make_pipeline(PolynomialFeatures(2), LinearSVM()).fit(OVERLAP.X, OVERLAP.labels)
    with pytest.raises(OptionError, match="bend them. decision_surface draws any boundary"):
        decision_line(bent, OVERLAP.X, OVERLAP.labels)
