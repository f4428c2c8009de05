"""The margin of a classifier is the smallest margin of its rows; its quality is the histogram of them all."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from separatrix import DataError, Margins, NotCertifiedWarning, OneVsOne, OneVsRest, OptionError, Perceptron, margins
from separatrix.data import samples

CROSS = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
SIDES = np.array([1, 1, -1, -1])
IRIS = samples.builtin("iris")


def with_planes(w, b, X=CROSS, y=SIDES):
    """A fitted model whose planes are then put where the test wants them."""
    model = Perceptron().fit(X, y)
    model.coef_, model.intercept_ = np.atleast_2d(np.asarray(w, dtype=float)), np.atleast_1d(np.asarray(b, dtype=float))
    return model


def fitted_to_iris(model):
    with pytest.warns(NotCertifiedWarning):
        return model.fit(IRIS.X, IRIS.labels)


def test_the_worked_example():
    found = margins(with_planes([1, 0], 0), CROSS, SIDES)
    assert found.functional.tolist() == found.geometric.tolist() == [1.0] * 4
    assert found.smallest_geometric == found.smallest_functional == (1.0, 0)
    assert found.n_wrong == 0


@pytest.mark.parametrize("scale", [0.25, 3.0, 1e200])
def test_scale_is_in_the_functional_margin_only(scale):
    one, other = (margins(with_planes([3 * s, 4 * s], s), CROSS, SIDES) for s in (1.0, scale))
    np.testing.assert_allclose(other.functional, scale * one.functional)
    np.testing.assert_allclose(other.geometric, one.geometric)
    np.testing.assert_allclose(one.geometric, [8 / 5, 0.0, -2 / 5, 6 / 5], atol=1e-15)
    assert one.n_wrong == 2, "the row on the line is on no side of its own"
    assert one.smallest_geometric.row == 2


def test_a_proved_plane_is_as_far_as_its_certificate_says():
    for table in (samples.planted_margin(80, 4, 0.05, seed=0)[0], samples.logic_gate("NAND")):
        model = Perceptron(random_state=0).fit(table.X, table.labels)
        found = margins(model, table.X, table.labels)
        assert model.certificate_.proof
        assert found.n_wrong == 0
        assert found.smallest_geometric.margin == pytest.approx(model.certificate_.examined.nearest, rel=1e-12)


@pytest.mark.parametrize("make", [Perceptron, lambda **how: OneVsRest(Perceptron(**how))], ids=["kesler", "rest"])
def test_several_classes_against_a_loop(make):
    model = fitted_to_iris(make(random_state=0, max_iter=20))
    found = margins(model, IRIS.X, IRIS.labels)
    for i, (x, label) in enumerate(zip(IRIS.X, IRIS.labels, strict=True)):
        own = model.classes_.tolist().index(label)
        leads, ways = [], []
        for j in {0, 1, 2} - {own}:
            apart = model.coef_[own] - model.coef_[j]
            leads.append(apart @ x + model.intercept_[own] - model.intercept_[j])
            ways.append(leads[-1] / np.sqrt(apart @ apart))
        assert found.functional[i] == pytest.approx(min(leads), abs=1e-9)
        assert found.geometric[i] == pytest.approx(min(ways), abs=1e-9)
    assert found.n_wrong == np.count_nonzero(model.predict(IRIS.X) != IRIS.labels) > 0


def test_a_row_moved_by_its_margin_is_on_the_plane():
    table = samples.overlapping_pair(20, seed=0)
    with pytest.warns(NotCertifiedWarning):
        model = Perceptron(random_state=0, max_iter=5).fit(table.X, table.labels)
    found = margins(model, table.X, table.labels)
    towards = -(table.labels * found.geometric)[:, None] * model.coef_ / np.linalg.norm(model.coef_)
    np.testing.assert_allclose(model.decision_function(table.X + towards), 0.0, atol=1e-12)


def test_the_container_does_not_matter():
    model = Perceptron(random_state=0).fit(CROSS, SIDES)
    expected = margins(model, CROSS, SIDES).geometric
    for X in (CROSS.tolist(), sparse.csr_array(CROSS), CROSS.astype(np.float32)):
        np.testing.assert_allclose(margins(model, X, SIDES.tolist()).geometric, expected)
    frame = pd.DataFrame(CROSS, columns=["p", "q"])
    np.testing.assert_allclose(margins(Perceptron(random_state=0).fit(frame, SIDES), frame, SIDES).geometric, expected)
    assert margins(model, CROSS[:1], [1]).geometric == pytest.approx(expected[:1]), "one row of one class is enough"


def test_without_a_plane_there_is_no_distance():
    found = margins(with_planes([0, 0], 1), CROSS, SIDES)
    assert found.functional.tolist() == [1, 1, -1, -1]
    assert np.isnan(found.geometric).all()
    assert np.isnan(found.smallest_geometric.margin)
    assert found.n_wrong == 2
    assert "no geometric margins" in str(found)
    with pytest.raises(DataError, match="no geometric margins"):
        found.histogram()


def test_classes_with_the_same_w():
    y = ["a", "b", "c", "c"]
    model = with_planes([[1, 0], [1, 0], [-1, 0]], [1, 0, 0], y=y)
    found = margins(model, CROSS, y)
    # class a beats b everywhere: its row is measured from c alone, b's row is wrong at no distance
    np.testing.assert_allclose(found.functional, [1.0, -1.0, 1.0, 1.0])
    np.testing.assert_allclose(found.geometric, [3 / 2, np.nan, 1 / 2, 1 / 2])
    assert (found.n_wrong, found.smallest_geometric.row) == (1, 1)
    assert found.histogram()[0].sum() == 3


def test_scores_that_are_no_planes_have_no_distances():
    voting = fitted_to_iris(OneVsOne(Perceptron(random_state=0, max_iter=20)))
    piped = make_pipeline(StandardScaler(), LogisticRegression()).fit(IRIS.X, IRIS.labels)
    support = SVC(kernel="linear").fit(IRIS.X, IRIS.labels)
    for model in (voting, piped, support):
        found = margins(model, IRIS.X, IRIS.labels)
        assert found.n_wrong == np.count_nonzero(model.predict(IRIS.X) != IRIS.labels)
        assert np.isnan(found.geometric).all()
    assert voting.coef_.shape == (3, 4), "as many planes as classes, and yet not theirs"


def test_linear_models_of_others():
    model = LogisticRegression(max_iter=1000).fit(IRIS.X, IRIS.labels)
    assert np.isfinite(margins(model, IRIS.X, IRIS.labels).geometric).all()
    model.classes_ = np.array(["setosa", "versicolor", "virginica"])[::-1]  # an order that is not sorted
    assert margins(model, IRIS.X, IRIS.labels).n_wrong >= 100


def test_what_is_refused():
    model = Perceptron().fit(CROSS, SIDES)
    with pytest.raises(NotFittedError):
        margins(Perceptron(), CROSS, SIDES)
    with pytest.raises(OptionError, match="LinearRegression has no decision_function"):
        margins(LinearRegression().fit(CROSS, SIDES), CROSS, SIDES)
    pairs = SVC(kernel="linear", decision_function_shape="ovo").fit(CROSS, [1, 2, 3, 4])
    with pytest.raises(OptionError, match=r"shape \(4, 6\)"):
        margins(pairs, CROSS, [1, 2, 3, 4])
    with pytest.raises(DataError, match=r"label 7, which is not one of the classes \[-1, 1\]"):
        margins(model, CROSS, [1, 1, -1, 7])
    with pytest.raises(DataError, match="4 rows, but y has 3 labels"):
        margins(model, CROSS, [1, 1, -1])
    with pytest.raises(DataError, match="NaN"):
        margins(model, [[np.nan, 1.0]], [1])


def test_the_histogram_holds_every_row_and_0_is_an_edge():
    table = samples.overlapping_pair(200, seed=1)
    with pytest.warns(NotCertifiedWarning):
        model = Perceptron(random_state=0, max_iter=10).fit(table.X, table.labels)
    found = margins(model, table.X, table.labels)
    counts, edges = found.histogram()
    assert counts.sum() == 400
    assert 0.0 in edges
    assert counts[edges[1:] <= 0].sum() == found.n_wrong > 0
    for bins in (7, "sturges", np.linspace(-10, 10, 5), [-10, 0, 10]):
        counts, edges = found.histogram(bins)
        assert counts.sum() == 400
        assert len(edges) == len(counts) + 1
        assert (np.diff(edges) > 0).all()
    assert found.histogram([-10, 0, 10])[0].tolist() == [found.n_wrong, 400 - found.n_wrong]


@pytest.mark.parametrize(
    "values",
    [[0.0], [0.0, 0.0, 1.0], [0.3], [1.0, 1.0 + 1e-15], [1e-12, 3e-12], [-5e8, 1e9], [0.1 * k for k in range(9)]],
)
def test_any_margins_can_be_counted_and_printed(values):
    found = Margins(np.array(values), np.array(values))
    counts, edges = found.histogram()
    assert counts.sum() == len(values)
    assert edges[0] <= min(values) <= max(values) <= edges[-1]
    assert counts[edges[1:] <= 0].sum() == found.n_wrong
    assert sum(int(line.split()[-1]) for line in str(found).splitlines() if " to " in line) == len(values)


def test_it_prints_a_histogram():
    values = np.array([-0.5, *[0.25] * 4, *[0.75] * 8])
    lines = str(Margins(values, values)).splitlines()
    assert lines[0] == "Margins of 13 rows: 1 on the wrong side"
    assert lines[1].split() == ["smallest", "functional", "-0.5", "(row", "0)"]
    bars = {line.split(" to ")[0].strip(): line.count("█") for line in lines if " to " in line}
    assert max(bars.values()) == bars["0.6"] == 2 * bars["0.2"] == 8 * bars["-0.6"]
    assert repr(Margins(values, values)) == "Margins(13 rows, 1 on the wrong side)"
