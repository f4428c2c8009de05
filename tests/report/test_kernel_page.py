"""A classifier without planes has a page: its decision surface in place of what needs coefficients."""

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from report import studies
from report.test_page import BAD, WORST, read
from separatrix import KernelSVM
from separatrix.report.charts.slice import cut
from separatrix.report.page.page import report_page
from separatrix.selection.grid_errors import GridErrors

C, GAMMA = np.array([0.1, 1.0, 10.0]), np.array([0.01, 0.1, 1.0, 10.0])
ERROR = np.array([[0.4, 0.3, 0.2, 0.3], [0.3, 0.1, 0.11, 0.3], [0.3, 0.2, 0.2, 0.4]])
GRID = GridErrors({"C": C, "gamma": GAMMA}, np.stack([ERROR - 0.02, ERROR + 0.02], axis=-1))  # standard errors of 0.02


def figures(page):
    return re.findall(r'<figure class="\w+" id="picture-(\w+)"', page)


@pytest.fixture(scope="module")
def cancer():
    study = studies.breast_cancer(model=KernelSVM(C=1.0))
    study.grid = GRID
    return study, report_page(study)


def test_the_surface_takes_the_place_of_the_plane_and_its_coefficients(cancer):
    study, page = cancer
    reader = read(page)
    assert figures(page) == ["surface", "path", "grid", "confusion"]
    assert figures(report_page(studies.breast_cancer())) == ["view", "path", "margins", "effects", "confusion"]
    assert len(page.encode()) < 400_000
    assert "Small C makes the boundary smooth" in page
    words = "".join(text for _, text in reader.texts)
    assert f"{study.classifier.support_.size} support rows" in words
    wrong = np.count_nonzero(study.classifier.predict(study.X) != study.y)
    assert f"{wrong} of 569 rows on the wrong side" in words


def test_the_caption_says_what_the_slice_is(cancer):
    study, page = cancer
    words = "".join(text for _, text in read(page).texts)
    found = cut(study.classifier, study.X, study.y, names=study.feature_names)
    assert "a slice through the means of all 30 columns" in words
    assert f"{np.floor(100 * found.same_class):.0f}% of them are seen in the tone of their predicted class" in words
    assert all(f"mostly {each.removesuffix(', …')}" in words for each in found.made_of)
    two = studies.study(study.X[:, :2], study.y, model=KernelSVM())
    assert "slice" not in report_page(two), "two columns are drawn as they are"


def test_the_map_is_there_where_a_study_has_one(cancer):
    study, page = cancer
    words = "".join(text for _, text in read(page).texts)
    assert "10.0\u00a0% error at C = 1, gamma = 0.1" in words
    assert "2 pairs within one standard error of it" in words
    assert "edge of the grid" not in words
    study = studies.iris(model=KernelSVM())
    assert "grid" not in figures(report_page(study))
    study.grid = GridErrors({"C": C[:2], "gamma": GAMMA}, ERROR[:2, :, None])
    page = report_page(study)
    assert "The least is at the edge of the grid: larger C may be better." in page
    assert "within one standard error" not in page


def test_colours_are_those_of_both_themes(cancer):
    inside = cancer[1][cancer[1].index('id="picture-surface"') : cancer[1].index('id="picture-confusion"')]
    assert not re.search(r"#[0-9a-f]{6}\b", inside)
    assert {"var(--c1)", "var(--c2)", "var(--ink)"} <= set(re.findall(r"var\(--\w+\)", inside))


def test_support_rows_that_are_most_rows_are_counted_and_not_ringed():
    X = np.random.default_rng(0).normal(size=(60, 2))
    study = studies.study(X, np.arange(60) % 2, model=KernelSVM(C=1.0))
    assert study.classifier.support_.size > 30
    page = report_page(study)
    assert f"{study.classifier.support_.size} of 60 rows are support rows, too many to ring." in page


def one_column():
    x = np.concatenate([np.arange(12.0), np.arange(8.0, 20.0)])[:, None]
    return studies.study(x, np.repeat(["low", "high"], 12), ["dose"], model=KernelSVM())


def constant_columns():
    return studies.study(np.ones((20, 3)), np.arange(20) % 2, model=KernelSVM(gamma=1.0))


def sparse_texts():
    X = sparse.csr_array(sparse.random(90, 700, density=0.05, format="csr", random_state=0))
    return studies.study(X, np.arange(90) % 4, model=KernelSVM())


def hostile():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 5))
    return studies.study(X, WORST[(X[:, 0] > 0).astype(int)], BAD, name="<b>&.csv", model=KernelSVM())


def hostile_pair():
    X = np.random.default_rng(0).normal(size=(60, 2))
    return studies.study(X, WORST[(X[:, 0] > 0).astype(int)], [BAD[0], BAD[-1]], model=KernelSVM())


def without_certificate():
    X = np.random.default_rng(0).normal(size=(60, 3))
    return studies.study(X, np.arange(60) % 3, model=SVC())


def without_scores():
    X = np.random.default_rng(0).normal(size=(60, 3))
    return studies.study(X, np.arange(60) % 3, model=DecisionTreeClassifier(random_state=0))


SHOWN = {
    one_column: "view", constant_columns: "view", sparse_texts: "view", hostile: "surface", hostile_pair: "surface",
    without_certificate: "surface", without_scores: "path",
}  # fmt: skip


@pytest.mark.parametrize("make", SHOWN, ids=lambda make: make.__name__)
def test_no_model_without_coefficients_breaks_the_page(make):
    study = make()
    study.path = study.path if make is not hostile else None
    page = report_page(study)
    read(page)
    assert figures(page)[0] == SHOWN[make]
    assert "<script>alert" not in page
    assert "z" * 600 not in page
    assert report_page(study) == page, "the same every time"
