"""The pages of numbers and of rows without a target: well formed, with the figures, and what they say is true."""

import re
from html import unescape
from itertools import pairwise

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVR

from report.test_page import read
from separatrix.errors import DataError, OptionError
from separatrix.report import predicted_chart, residual_chart, residual_histogram, score_histogram, tube_chart
from separatrix.report.charts.regression.numbers import numbers_of
from separatrix.report.charts.regression.tube_chart import tube_of
from separatrix.report.page.page import report_page
from separatrix.selection.novelty.study import study_novelty
from separatrix.selection.regression.study import study_numbers

BAD = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "🦄 & $x$ [[command]]"]


def rows(n=120, d=3):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((n, d))
    return X, 5e4 + 1e4 * X[:, 0] + 2e3 * rng.standard_normal(n)


def frame(X, names):
    import pandas as pd

    return pd.DataFrame(X, columns=names)


@pytest.fixture(scope="module")
def studies():
    X, y = rows()
    wave = np.linspace(0, 6, 60)[:, None]
    return {
        "numbers": study_numbers(X, y, name="houses.csv", target="price", command="separatrix study houses.csv"),
        "tube": study_numbers(X, y, target="price", algorithms=["linear SVR"]),
        "one": study_numbers(wave, np.sin(wave[:, 0]), target="signal", algorithms=["linear SVR"]),
        "hostile": study_numbers(frame(X, BAD), y, name="<b>data</b>&.csv", target="<i>t</i>[[seed]]"),
        "novelty": study_novelty(X, name="machines.csv", nu=0.1),
        "hostile novelty": study_novelty(frame(X, BAD), name="<b>data</b>&.csv", nu=0.1),
    }


@pytest.fixture(scope="module")
def pages(studies):
    return {name: report_page(study) for name, study in studies.items()}


NAMES = ["numbers", "tube", "one", "hostile", "novelty", "hostile novelty"]


@pytest.mark.parametrize("name", NAMES)
def test_pages_are_well_formed_and_load_nothing(pages, name):
    page = pages[name]
    reader = read(page)
    assert not re.search(r"https?://|@import|url\((?!#)", page)
    assert [tag for tag, _ in reader.tags].count("script") == 1
    assert not {"link", "img", "iframe"} & {tag for tag, _ in reader.tags}
    identities = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(set(identities)) == len(identities)
    links = {attributes["href"][1:] for _, attributes in reader.tags if "href" in attributes}
    assert links <= set(identities)
    assert {"pictures", "rows", "certificates", "data", "use"} <= links
    levels = [int(tag[1]) for tag, _ in reader.tags if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    left = page.replace("[[command]]", "").replace("[[seed]]", "")
    assert "[[" not in left, "every part is in its place"


def test_names_in_the_data_are_text_and_nothing_else(pages):
    for name in ("hostile", "hostile novelty"):
        words = "".join(text for _, text in read(pages[name]).texts)
        assert "<b>data</b>&.csv" in words
        assert "<script>alert(1)</script>" in words
    assert "[[seed]]" in pages["hostile"], "what was put in is not read again"


def test_the_page_of_numbers_holds_its_figures_and_facts(studies, pages):
    study, page = studies["numbers"], pages["numbers"]
    for figure in ("predicted", "residuals", "histogram"):
        assert f'id="picture-{figure}"' in page
    words = " ".join(unescape(re.sub("<[^>]+>", " ", page)).split())
    entry, of_mean = study.entry, study.comparison.entry("the mean")
    assert f"Predictions of price are off by {float(f'{entry.mean:.4g}'):,.0f} on average." in words
    assert f"{float(f'{of_mean.mean:.4g}'):,.0f}" in words
    assert f"R² = {entry.r2:.3f}" in words
    worst = int(np.argmax(np.abs(entry.truth - entry.predictions)))
    first = re.search(r'id="rows".*?<td class="n">([\d,]+)</td>', page, re.DOTALL)[1]
    assert int(first.replace(",", "")) == worst
    assert "separatrix study houses.csv" in page


def test_bars_are_where_the_errors_are(studies, pages):
    study, page = studies["numbers"], pages["numbers"]
    limit = float(re.search(r'left:100%">([\d.,]+)<', page)[1].replace(",", ""))
    places = [float(place) for place in re.findall(r'class="dot" style="left:([\d.]+)%', page)]
    errors = np.array([row.mean for row in study.comparison.rows if not row.failure])
    np.testing.assert_allclose(places, 100 * np.minimum(errors / limit, 1.0), atol=0.01)


@pytest.mark.parametrize("name", ["tube", "one"])
def test_the_tube_is_drawn_and_rows_outside_are_counted(studies, pages, name):
    study, page = studies[name], pages[name]
    outside = np.abs(study.y - study.fitted.predict(study.X)) > study.tube * (1 + 1e-6)
    assert f"{int(outside.sum()):,} of {study.n_rows} rows are outside the tube" in page
    assert "the only feature, x1" in page if name == "one" else "the diagonal" in page
    assert 'id="picture-effects"' in page
    assert 'id="picture-path"' in page


def test_the_page_of_novelty_holds_its_figures_and_facts(studies, pages):
    study, page = studies["novelty"], pages["novelty"]
    assert 'id="picture-surface"' in page
    assert 'id="picture-scores"' in page
    outside = int((study.fitted.predict(study.X) < 0).sum())
    assert f"{outside} are outside, {100 * outside / 120:.3g} %, where nu allows 10 %" in page.replace("\u00a0", " ")
    assert f"{(study.unseen < 0).sum()} of 120 rows are outside when they are left out of the fit." in page
    shown = [int(row) for row in re.findall(r'<tr><td class="n">(\d+)</td><td class="n">−?[\d.]+', page)]
    assert shown[:20] == np.argsort(study.unseen, kind="stable")[:20].tolist()


def test_points_of_the_charts_are_the_rows():
    truth, predicted = np.array([1.0, 2.0, 4.0]), np.array([1.5, 2.0, 3.0])
    across, up = predicted_chart(truth, predicted).collections[0].get_offsets().T
    np.testing.assert_array_equal(across, predicted)
    np.testing.assert_array_equal(up, truth)
    across, up = residual_chart(truth, predicted).collections[0].get_offsets().T
    np.testing.assert_array_equal(up, truth - predicted)
    ax = residual_histogram(truth, predicted)
    assert sum(bar.get_height() for bar in ax.patches) == 3
    assert ax.get_title(loc="left") == "Half of the rows are within 0.5"
    scores = np.array([-2.0, -1.0, 0.5, 1.0, 2.0])
    ax = score_histogram(scores, scores < 0)
    assert sum(bar.get_height() for bar in ax.patches) == 5
    assert ax.get_title(loc="left") == "2 of 5 rows outside"


def test_medians_follow_a_bend():
    x = np.linspace(-1, 1, 200)
    line = residual_chart(x**2, x).lines[1]
    np.testing.assert_allclose(line.get_ydata(), line.get_xdata() ** 2 - line.get_xdata(), atol=0.02)


def test_of_many_rows_the_largest_residuals_are_drawn():
    rng = np.random.default_rng(0)
    truth = rng.standard_normal(5000)
    truth[1234] = 1e3
    found = numbers_of(truth, np.zeros(5000), most=300)
    assert 1234 in found.rows
    assert found.rows.size == np.unique(found.rows).size <= 300


def test_the_tube_of_one_feature_and_of_several():
    X, y = rows(40)
    several = SVR(kernel="linear", C=1e4, epsilon=1e3).fit(X, y)
    found = tube_of(several, X, y)
    assert not found.over_feature
    np.testing.assert_array_equal(found.across, several.predict(X))
    np.testing.assert_array_equal(found.outside, np.abs(y - several.predict(X)) > 1e3 * (1 + 1e-6))
    one = SVR(kernel="rbf", C=1e4, epsilon=1e3).fit(X[:, :1], y)
    found = tube_of(one, X[:, :1], y, centre=7.0, scale=2.0)
    np.testing.assert_allclose(found.across, 7.0 + 2.0 * X[:, 0])
    np.testing.assert_allclose(found.curve[1], one.predict(((found.curve[0] - 7.0) / 2.0)[:, None]))
    assert tube_chart(one, X[:, :1], y).get_title(loc="left").startswith(f"{found.n_outside} of 40 rows outside")


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(DataError, match="one prediction for each number"):
        predicted_chart([1.0, 2.0], [1.0])
    with pytest.raises(DataError, match="must be finite"):
        residual_chart([1.0, np.nan], [1.0, 2.0])
    X, y = [[0.0], [1.0]], [0.0, 1.0]
    model = LinearRegression().fit(X, y)
    with pytest.raises(OptionError, match="LinearRegression has no tube"):
        tube_chart(model, X, y)
