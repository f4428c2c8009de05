"""ROC, precision over recall and calibration: what is drawn is what was counted."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from separatrix import DataError
from separatrix.report import calibration_chart, path_curves, precision_recall_chart, roc_chart
from separatrix.report.page.page import report_page
from separatrix.selection.study import study


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(3)
    own = rng.random(400) < 0.3
    return np.round(rng.standard_normal(400) + 1.5 * own, 2), own


def curve_named(ax, start):
    return next(line for line in ax.get_lines() if line.get_label().startswith(start))


def test_the_area_under_the_drawn_curve_is_the_auc(scored):
    scores, own = scored
    ax = roc_chart({"test": scored, "other": (scores[:100], own[:100])}, threshold=0.75)
    x, y = curve_named(ax, "test").get_data()
    assert np.trapezoid(y, x) == pytest.approx(roc_auc_score(own, scores), rel=1e-12)
    mark = curve_named(ax, "the threshold")
    called = scores >= 0.75
    assert mark.get_ydata()[0] == np.mean(called[own])
    assert mark.get_xdata()[0] == np.mean(called[~own])
    (band,) = ax.collections
    low, high = band.get_paths()[0].vertices[:, 1].min(), band.get_paths()[0].vertices[:, 1].max()
    assert (low, high) == (0.0, 1.0)


def test_precision_over_recall_ends_at_the_part_of_the_class(scored):
    scores, own = scored
    ax = precision_recall_chart({"test": scored}, threshold=0.75)
    x, y = curve_named(ax, "test").get_data()
    assert (x[-1], y[-1]) == (1.0, own.mean())
    mark = curve_named(ax, "the threshold")
    called = scores >= 0.75
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (np.mean(called[own]), np.mean(own[called]))


@pytest.mark.parametrize("threshold", [-np.inf, np.inf, -100.0, 100.0])
def test_a_threshold_beyond_all_scores_is_at_an_end(scored, threshold):
    mark = curve_named(roc_chart({"test": scored}, threshold=threshold), "the threshold")
    assert mark.get_xdata()[0] == mark.get_ydata()[0] == float(threshold < 0)


def test_calibration_has_the_rows_of_each_tenth(scored):
    scores, own = scored
    said = 1 / (1 + np.exp(-1.5 * scores + 2))
    ax = calibration_chart(said, own)
    rows = [int(words.get_text().replace(",", "")) for words in ax.texts]
    assert sum(rows) == own.size
    assert rows == np.bincount(np.minimum((said * 10).astype(int), 9)).tolist()


@pytest.mark.parametrize(
    "draw",
    [
        lambda: roc_chart({}),
        lambda: roc_chart({"a": ([1.0, 2.0], [True])}),
        lambda: roc_chart({"a": ([1.0, 2.0], [True, True])}),
        lambda: roc_chart({"a": ([1.0, np.nan], [True, False])}),
        lambda: precision_recall_chart({"a": ([1.0, 2.0], [3, 4])}),
        lambda: calibration_chart([0.5, 1.5], [True, False]),
        lambda: calibration_chart([], []),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw):
    with pytest.raises(DataError):
        draw()


@pytest.mark.parametrize(("positive", "there"), [(None, False), ("b", True)])
def test_of_several_classes_the_curves_are_of_the_one_that_is_looked_for(positive, there):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((240, 2))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.4 * rng.standard_normal(240), [-0.5, 0.5])]
    found = study(X, y, algorithms=["logistic discrimination"], positive=positive)
    page = report_page(found)
    assert ('id="picture-roc"' in page) == there
    if there:
        assert found.test.scored.own.sum() == (y[found.test.index] == "b").sum()
        assert "Scores rank class b with an area of" in page
        assert page.count('role="img" aria-labelledby="calibration-t calibration-d"') == 1


def test_the_left_out_error_is_drawn_beside_that_of_the_fit():
    from separatrix import LinearSVM, regularization_path

    X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 1, 1]
    path = regularization_path(LinearSVM(), X, y, C=[10.0, 0.1])
    figure = path_curves(path, X, y, left_out=([0.5, 0.25], [0.1, 0.0], [0.9, 0.5]))
    line = curve_named(figure.axes[0], "left out")
    assert line.get_xydata().tolist() == [[0.1, 25.0], [10.0, 50.0]], "by ascending values, in percent"
