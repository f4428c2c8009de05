"""The picture of hulls shows the hulls, reduced ones, their nearest points and the line between."""

import numpy as np
import pytest

from separatrix import DataError, OptionError, ReducedHullClassifier, reduced_hull
from separatrix.report import hull_chart

RNG = np.random.default_rng(2)
Y = np.repeat(["a", "b"], 25)
X = RNG.standard_normal((50, 2)) + 2.2 * (Y == "b")[:, None] * np.array([1.0, 0.4])


def lines_of(ax):
    """The lines of a chart by their labels; of unnamed ones the last."""
    return {line.get_label(): line for line in ax.get_lines()}


def test_hulls_and_the_bisector_are_those_of_the_classifier():
    ax = hull_chart(X, Y, (0.4, 0.1))
    lines, model = lines_of(ax), ReducedHullClassifier(0.1).fit(X, Y)
    np.testing.assert_allclose(lines["nearest points"].get_xydata(), model.nearest_points_, atol=1e-8)
    ends = lines["bisecting line"].get_xydata()
    np.testing.assert_allclose(model.decision_function(ends), 0.0, atol=1e-8)
    outline = lines["reduced, mu = 0.4"].get_xydata()
    np.testing.assert_array_equal(outline[:-1], reduced_hull(X[Y == "a"], 0.4).outline())
    np.testing.assert_array_equal(outline[-1], outline[0])
    assert lines["convex hulls"].get_linestyle() == "-"
    assert lines["reduced, mu = 0.4"].get_linestyle() != lines["reduced, mu = 0.1"].get_linestyle() != "-"
    assert ax.get_title(loc="left") == f"The hulls with mu = 0.1 are {model.distance_:.4g} apart"


def test_hulls_that_meet_have_no_line():
    ax = hull_chart(X, Y)
    assert "bisecting line" not in lines_of(ax)
    assert ax.get_title(loc="left") == "The hulls meet"
    assert any("no line" in text.get_text() for text in ax.texts)
    assert not hull_chart(X, Y, line=False).texts


def test_one_row_of_a_class_is_a_point():
    ax = hull_chart([[0.0, 0.0], [2.0, 1.0], [2.0, -1.0]], [0, 1, 1])
    assert ax.get_title(loc="left") == "The hulls are 2 apart"


def test_other_rows_and_options_are_refused():
    with pytest.raises(DataError, match="two classes, and y has 3"):
        hull_chart(X, np.arange(50) % 3)
    with pytest.raises(DataError, match="hull_chart draws two features"):
        hull_chart(X[:, :1], Y)
    with pytest.raises(OptionError, match="'mu'"):
        hull_chart(X, Y, 0.01)
