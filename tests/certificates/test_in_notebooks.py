"""Certificates, verdicts and fitted models show themselves in notebooks: escaped, with what is proved."""

import numpy as np
import pytest
from sklearn import config_context

from separatrix import LinearSVM, OneVsRest, Perceptron, compare, separability
from separatrix.certificates import CERTIFICATES
from separatrix.estimators.registry import estimators

X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["<b>", "a", "<b>", "a"])


@pytest.mark.parametrize("kind", CERTIFICATES, ids=lambda kind: kind.__name__)
def test_every_certificate_has_a_page(kind):
    assert callable(kind._repr_html_)


@pytest.mark.filterwarnings("ignore")
def test_a_fitted_model_shows_its_certificate_below_its_diagram():
    model = LinearSVM()
    before = model._repr_html_()
    page = model.fit(X, Y)._repr_html_()
    assert "DualityGap" not in before
    assert "DualityGap: minimise 1/2 ||w||^2 + 1 sum max" in page
    assert ">proved</b>" in page
    assert page.startswith("<style>")
    assert ">not proved</b>" in Perceptron(max_iter=3).fit(X, Y)._repr_html_()
    assert "two-class problems proved" in OneVsRest(LinearSVM()).fit(X, [0, 1, 2, 1])._repr_html_()
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", estimators(), ids=lambda estimator: type(estimator).__name__)
def test_every_fitted_model_shows_its_certificate(estimator):
    rows, classes = np.random.default_rng(0).standard_normal((30, 2)), np.arange(30) % 2
    model = estimator.fit(rows + classes[:, None], classes)
    assert model._repr_html_().endswith(model.certificate_._repr_html_())


def test_a_comparison_is_a_table():
    found = compare(np.arange(20.0)[:, None], np.arange(20) // 10, algorithms=["linear SVM"])
    assert "<table" in found._repr_html_()
    assert "linear SVM" in found._repr_html_()


def test_labels_are_escaped():
    page = separability(X, Y)._repr_html_()
    assert "<b>'" not in page
    assert "&lt;b&gt;" in page
    assert ">proved</b>" in page
