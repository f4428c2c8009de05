"""The picture of claims shows which regions one class claims, and which none or several."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from estimators.test_claims import X, Y
from separatrix import DataError, LinearSVM, OneVsOne, OneVsRest, OptionError
from separatrix.report import claims_chart, decision_line, inline_svg
from separatrix.report.charts import claims_chart as chart


def regions(ax):
    """The filled regions of a chart, in the order in which they were drawn."""
    return [each for each in ax.collections if each.get_zorder() == 0]


def inside(region, points):
    return np.any([path.contains_points(points) for path in region.get_paths() if len(path)], axis=0)


@pytest.mark.parametrize("form", ["model", "pipeline", "frame"])
def test_regions_are_those_of_the_claims(form, monkeypatch):
    monkeypatch.setattr(chart, "GRID_POINTS", 150)
    base = OneVsRest(LinearSVM(C=1e3))
    model = make_pipeline(StandardScaler(), base) if form == "pipeline" else base
    rows = pd.DataFrame(X, columns=["height", "weight"]) if form == "frame" else X
    model.fit(rows, Y)
    ax = claims_chart(model, rows, Y)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    points = np.random.default_rng(0).uniform([left, bottom], [right, top], (500, 2))
    scores = model.decision_function(pd.DataFrame(points, columns=rows.columns) if form == "frame" else points)
    decided = points[np.abs(scores).min(axis=1) > 0.05]  # away from the lines, which the grid rounds
    claimed = (scores > 0)[np.abs(scores).min(axis=1) > 0.05]
    *own, none, several = regions(ax)
    assert np.array_equal(inside(none, decided), claimed.sum(axis=1) == 0)
    assert np.array_equal(inside(several, decided), claimed.sum(axis=1) > 1)
    assert len(own) == 3
    for number, region in enumerate(own):
        assert np.array_equal(inside(region, decided), claimed[:, number] & (claimed.sum(axis=1) == 1))
    assert ax.get_title(loc="left") == "Every row is claimed by one class"
    assert (ax.get_xlabel(), ax.get_ylabel()) == (("height", "weight") if form == "frame" else ("x1", "x2"))
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["a", "b", "c", "none claims", "several claim", "equal largest scores"]


def test_the_title_counts_rows_and_the_colours_are_those_of_the_page():
    model = OneVsRest(LinearSVM(C=1e3)).fit(X, Y)
    rows = np.vstack([X, [[0.0, 0.0], [0.0, -12.0]]])
    ax = claims_chart(model, rows, [*Y, "a", "b"])
    assert ax.get_title(loc="left") == "Of 62 rows 1 claimed by no class, 1 by several"
    drawn = inline_svg(ax, "claims", "Claims")
    assert "#" not in drawn.replace("url(#", "").replace('href="#', ""), "every colour follows the theme, light or dark"


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(OptionError, match="fitted OneVsRest of three classes or more.*Got OneVsOne"):
        claims_chart(OneVsOne(LinearSVM()).fit(X, Y), X, Y)
    with pytest.raises(OptionError, match="three classes or more"):
        claims_chart(OneVsRest(LinearSVM()).fit(X[:40], Y[:40]), X[:40], Y[:40])
    wide = np.column_stack([X, X])
    with pytest.raises(DataError, match="claims_chart draws two features"):
        claims_chart(OneVsRest(LinearSVM()).fit(wide, Y), wide, Y)


@pytest.mark.parametrize(
    "way", [OneVsRest(LinearSVM()), OneVsOne(LinearSVM()), OneVsOne(LinearSVM(), decision="dag")], ids=repr
)
def test_lines_of_a_reduction_in_a_pipeline_are_drawn_in_its_own_columns(way):
    stretched = X * [100.0, 0.01] + [5.0, 7.0]
    ax = decision_line(make_pipeline(StandardScaler(), way).fit(stretched, Y), stretched, Y)
    assert "Every row is right" in ax.get_title(loc="left")
