"""The page of a study: well formed, harmless, legible, complete, and the same every time."""

import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from report import studies
from report.contrast import MARKS, ON, TEXT, contrast, mixed
from separatrix import HoKashyapClassifier, LeastSquaresClassifier
from separatrix.report.charts.confusion_chart import MAX_OPACITY
from separatrix.report.page import theme
from separatrix.report.page.certificates import fit_card
from separatrix.report.page.markup import CHECK
from separatrix.report.page.page import report_page
from separatrix.report.page.svg import blank, inline_svg
from separatrix.selection.study import study as true_study

VOID = {"meta", "link", "br", "img", "hr", "input"}
BAD = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "🦄 & $x$ [[command]]", "' onload='x", "z" * 5000]
WORST = np.array(["</title><script>alert('y')</script>", "'\"; -->🐉" + "q" * 5000])


class Reader(HTMLParser):
    """Checks that tags are balanced, and keeps what is in the page."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))


def read(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader


def hostile():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 5))
    y = WORST[(X[:, 0] + 0.6 * random.normal(size=60) > 0).astype(int)]
    return studies.study(X, y, BAD, name="<b>data</b>&.csv", target="<i>t</i>")


def one_feature():
    x = np.concatenate([np.arange(12.0), np.arange(8.0, 20.0)])[:, None]
    return studies.study(x, np.repeat(["low", "high"], 12), ["dose"])


def many_columns():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 240))
    return studies.study(X, random.integers(0, 2, 80), [f"a long name of column number {j}" for j in range(240)])


def sparse_text():
    X = sparse.csr_array(sparse.random(90, 300, density=0.05, format="csr", random_state=0))
    return studies.study(X, (np.arange(90) % 4), model=LeastSquaresClassifier(ridge=1.0))


MADE = {
    "cancer": studies.breast_cancer,
    "iris": studies.iris,
    "hostile": hostile,
    "one": one_feature,
    "many": many_columns,
    "text": sparse_text,
}


@pytest.fixture(scope="module")
def made():
    found = {name: make() for name, make in MADE.items()}
    return {name: (study, report_page(study)) for name, study in found.items()}


@pytest.mark.parametrize("name", MADE)
def test_the_page_is_well_formed_and_loads_nothing(made, name):
    page = made[name][1]
    reader = read(page)
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert len(page.encode()) < 400_000
    assert not re.search(r"https?://|@import|url\((?!#)", page), "nothing from the network"
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in reader.tags}
    assert not any(key in attributes for _, attributes in reader.tags for key in ("src", "onload", "onerror"))
    assert [tag for tag, _ in reader.tags].count("script") == 1, "ours"
    links = [attributes["href"] for _, attributes in reader.tags if "href" in attributes]
    identities = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(set(identities)) == len(identities)
    assert {link[1:] for link in links} <= set(identities)
    assert set(re.findall(r"url\(#([\w-]+)\)", page)) <= set(identities)
    assert "[[" not in page.replace("[[command]]", ""), "every part is in its place"


@pytest.mark.parametrize("name", MADE)
def test_headings_and_pictures_can_be_read_aloud(made, name):
    reader = read(made[name][1])
    levels = [int(tag[1]) for tag, _ in reader.tags if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    identities = {attributes.get("id") for tag, attributes in reader.tags if tag in ("title", "desc")}
    for tag, attributes in reader.tags:
        if tag == "svg":
            seen = attributes.get("role") == "img" and set(attributes["aria-labelledby"].split()) <= identities
            assert seen or attributes.get("aria-hidden") == "true"
            assert "viewbox" in attributes
            assert "width" not in attributes
    assert all("scope" in attributes for tag, attributes in reader.tags if tag == "th")


def test_hostile_names_are_text_and_nothing_else(made):
    page = made["hostile"][1]
    reader = read(page)
    words = "".join(text for _, text in reader.texts)
    assert "<script>alert(1)</script>" in words
    assert "<b>data</b>&.csv" in words
    assert "[[command]]" in words, "what was put in is not read again"
    assert all("style" in attributes for tag, attributes in reader.tags if tag == "i"), "only our ticks"
    assert "z" * 600 not in page
    assert "q" * 600 not in page


def test_surrogates_and_control_signs_do_not_reach_the_file():
    study = one_feature()
    study.feature_names, study.name, study.verdict = ["a\x00\ud800b\u202e"], "x\x07.csv", ["It \ud83d is so.\x1b"]
    page = report_page(study)
    page.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", page)


def test_the_answer_comes_first_and_the_facts_are_there(made):
    study, page = made["cancer"]
    reader = read(page)
    body = [text for tag, text in reader.texts if tag in ("h1", "p", "dd", "b", "pre", "span", "code", "td", "th")]
    assert study.verdict[0] in body
    assert page.index("<h1") < page.index(study.verdict[0]) < page.index("<table")
    row = next(row for row in study.comparison.rows if row.name == study.chosen)
    assert f"{100 * row.mean:.1f}\u00a0%" in body
    assert f"{study.separability.margin:.3g}" in page
    assert study.command in body
    assert "separatrix verify model.json breast_cancer.csv" in body
    assert f"{study.classifier.support_.size} support rows" in page
    assert str(study.classifier.certificate_).splitlines()[1].strip() in "".join(body).replace("&", "&")
    for note in (*study.notes, *study.comparison.notes):
        assert note in page


def test_bars_are_where_the_errors_are(made):
    study, page = made["cancer"]
    limit = float(re.search(r'left:100%">([\d.]+)%', page)[1]) / 100
    places = [float(place) for place in re.findall(r'class="dot" style="left:([\d.]+)%', page)]
    errors = [row.mean for row in study.comparison.rows if not row.failure]
    np.testing.assert_allclose(places, 100 * np.minimum(np.array(errors) / limit, 1.0), atol=0.01)
    assert "6 rows prove that no plane separates" in page, "why one failed"


@pytest.mark.parametrize("name", ["many", "text"])
def test_many_columns_are_folded_and_cut(made, name):
    study, page = made[name]
    page = page[page.index('id="data"') :]
    inside = page[page.index("<details>") : page.index("</details>")]
    assert inside.count("<tr>") == 201, "a heading and 200 columns"
    assert f"The first 200 of {len(study.columns)} columns." in inside


def test_nothing_is_missing_where_nothing_is_known():
    study = one_feature()
    study.witness = []
    study.columns, study.comparison.left_out = [], {"kernel SVM": "too slow", "pocket": "too slow"}
    del study.classifier.certificate_
    page = report_page(study)
    read(page)
    assert 'id="rows"' not in page
    assert "without a certificate" in page
    assert "Not tried: kernel SVM; pocket: too slow." in page


def test_a_classifier_without_effects_says_so():
    study = one_feature()
    study.classifier.coef_, study.classifier.intercept_ = np.zeros((1, 1)), np.zeros(1)
    page = report_page(study)
    assert "No column has an effect" in page
    assert 'id="picture-margins"' not in page, "there is nothing to measure from"


def test_a_true_study_has_a_page():
    iris = load_iris(as_frame=True)
    names = iris.target_names[iris.target]
    found = true_study(iris.data, names, target="species", algorithms=["Gaussian discriminant", "least squares"])
    page = report_page(found)
    read(page)
    answer = page[page.index("<h1") : page.index("</h1>")].replace("\u00a0", " ")
    assert (
        f"{found.chosen} is wrong on {100 * found.entry.mean:.1f} % of unseen rows; always saying setosa on" in answer
    )
    assert f"{100 * found.entry.mean:.1f}\u00a0%" in page
    assert page.count(found.why[1:].split(",")[0]) == 1, "why is said once"
    assert all(name in page for name in ("petal width (cm)", *iris.target_names, found.chosen))


def test_three_classes_that_are_separable_have_a_page():
    X = np.array([[0.0, 0], [0, 1], [9, 0], [9, 1], [0, 9], [1, 9]] * 5) + np.linspace(0, 0.5, 30)[:, None]
    found = true_study(X, np.array(["a", "a", "b", "b", "c", "c"] * 5), algorithms=["linear SVM"], cv=3)
    page = report_page(found)
    read(page)
    assert "Linear SVM is wrong on 0\u00a0% of unseen rows" in page[page.index("<h1") : page.index("</h1>")]
    assert "The classes are linearly separable, which is proved" in page[page.index("</h1>") : page.index("<nav")]


def test_the_page_is_the_same_every_time(made):
    study, page = made["iris"]
    assert report_page(study) == page


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_text_and_marks_have_contrast(colours):
    for below in ON:
        for name in TEXT:
            assert contrast(colours[name], colours[below]) >= 4.5, (name, below)
    for name in MARKS:
        assert contrast(colours[name], colours["paper"]) >= 3.0, name
    for tone in ("c1", "c2"):
        tile = mixed(colours[tone], colours["paper"], MAX_OPACITY)
        assert contrast(colours["ink"], tile) >= 4.5, "numbers in tiles"


def test_every_colour_of_the_page_is_a_variable_of_both_themes(made):
    page = made["cancer"][1]
    assert theme.LIGHT.keys() == theme.DARK.keys()
    assert set(re.findall(r"var\(--([\w]+)\)", page)) - {"hang"} <= theme.LIGHT.keys()
    rest = page.replace(theme.declarations(theme.LIGHT), "").replace(theme.declarations(theme.DARK), "")
    assert not re.search(r"(?:fill|stroke|color|background)[\"':= ]+#[0-9a-f]{3,6}", rest)
    assert page.count(theme.declarations(theme.LIGHT)) == 2, "by day and on paper"


def test_a_figure_says_everything_once():
    ax = blank(4, 3)
    ax.scatter(np.arange(500), np.arange(500) % 17, c="#0072B2", edgecolors="white")
    ax.set_xlabel("<&> name")
    ax.bar([0], [1], color="#D55E00", hatch="///", edgecolor="white")
    found = inline_svg(ax, "dots", "Dots & <more>", "Five hundred")
    assert found == inline_svg(ax, "dots", "Dots & <more>", "Five hundred")
    assert found.count('<use href="#dots') >= 500
    assert len(found) < 40_000
    assert "&lt;&amp;&gt; name" in found
    assert "Dots &amp; &lt;more&gt;" in found
    assert "var(--c1)" in found
    assert 'fill="var(--c2)"' in found, "below the hatching"
    assert not re.search("<style|<metadata|<!--|DejaVu|xmlns", found)
    read(found)


def test_an_overlap_does_not_prove_the_fit():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    card = fit_card(studies.study(X, y, model=HoKashyapClassifier()))
    assert "no plane separates the classes" in card
    assert '<b class="mark warn">not proved</b>' in card
    apart = fit_card(studies.study(X + 9 * y[:, None], y, model=HoKashyapClassifier()))
    assert '<b class="mark good">' + CHECK + " proved</b>" in apart
