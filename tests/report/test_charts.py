"""Bars, squares, tiles and curves are as long, large, dark and high as they should be."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from scipy import sparse

from report.studies import standardised
from separatrix import DataError, LinearSVM, LogisticClassifier
from separatrix.report.charts.coefficient_chart import MAX_SQUARE_AREA, coefficient_chart, deviations, effects
from separatrix.report.charts.confusion_chart import RIGHT, WRONG, confusion_chart
from separatrix.report.charts.error_curve import error_curve
from separatrix.report.charts.style import distinct, short

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 25)) * np.logspace(-2, 2, 25)
Y = (X[:, 3] / X[:, 3].std() + X[:, 20] / X[:, 20].std() > 0).astype(int)
IRIS, FLOWERS = standardised("iris")


def test_bars_are_as_long_as_one_standard_deviation_moves_the_score():
    model = LinearSVM(C=0.1).fit(X, Y)
    ax = coefficient_chart(model, X, feature_names=[f"f{j}" for j in range(25)])
    moved = model.coef_[0] * X.std(axis=0)
    order = np.argsort(-np.abs(moved))[:20]
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], moved[order])
    assert [text.get_text() for text in ax.get_yticklabels()] == [f"f{j}" for j in order]
    signs = [text.get_text() for text in ax.texts]
    assert signs == ["+" if value > 0 else "−" for value in moved[order]], "not by colour alone"
    assert "20 largest of 25" in ax.get_title(loc="left")


def test_squares_have_the_area_of_the_effect():
    model = LogisticClassifier().fit(IRIS, FLOWERS.labels)
    ax = coefficient_chart(model, IRIS)
    moved = (model.coef_ - model.coef_.mean(axis=0)).T * IRIS.std(axis=0)[:, None]
    order = np.argsort(-np.abs(moved).max(axis=1))
    for squares in ax.collections:
        sign = 1 if squares.get_label() == "+" else -1
        for (number, place), area in zip(squares.get_offsets().astype(int), squares.get_sizes(), strict=True):
            value = moved[order[place], number]
            assert np.sign(value) == sign
            assert area == pytest.approx(MAX_SQUARE_AREA * abs(value) / np.abs(moved).max())
    assert sum(len(squares.get_sizes()) for squares in ax.collections) == moved.size


def test_deviations_of_sparse_columns_are_those_of_dense_ones():
    rows = sparse.csr_array(sparse.random(50, 8, density=0.3, format="csr", random_state=0))
    np.testing.assert_allclose(deviations(rows), rows.toarray().std(axis=0), rtol=1e-12)


def test_effects_need_a_coefficient_for_each_column():
    with pytest.raises(DataError, match="each of the 3 columns.*has 25"):
        effects(LinearSVM().fit(X, Y), X[:, :3])


def test_tiles_hold_counts_and_parts_of_their_row():
    table = np.array([[990, 10, 0], [3, 7, 0], [1, 0, 9999]])
    ax = confusion_chart(table, ["a", "b", "c"])
    words = [text.get_text() for text in ax.texts]
    assert words[::2] == [f"{count:,}" for count in table[table > 0]]
    assert words[1::2] == ["99%", "1%", "30%", "70%", "<1%", "100.0%"]
    assert len(ax.patches) == np.count_nonzero(table)
    for patch in ax.patches:
        i, j = round(patch.get_y() + 0.5), round(patch.get_x() + 0.5)
        assert to_hex(patch.get_facecolor()).upper() == (RIGHT if i == j else WRONG)
    depth = {(round(p.get_y() + 0.5), round(p.get_x() + 0.5)): p.get_alpha() for p in ax.patches}
    assert depth[0, 0] > depth[1, 1] > depth[1, 0] > depth[0, 1] > depth[2, 0]


def test_many_classes_have_no_numbers():
    assert not confusion_chart(np.eye(16, dtype=int), range(16)).texts
    assert len(confusion_chart(np.eye(15, dtype=int), range(15)).texts) == 30
    with pytest.raises(DataError, match="3 rows and columns"):
        confusion_chart([[1, 2], [3, 4]], ["a", "b", "c"])


def test_the_curve_goes_through_the_errors_and_marks_the_chosen_one():
    values, mean = np.array([10.0, 0.1, 1.0, np.inf]), np.array([0.2, 0.3, 0.1, 0.5])
    ax = error_curve(values, mean, mean - 0.05, mean + 0.05, best=1.0)
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [[0.1, 30], [1, 10], [10, 20]])
    assert any(list(line.get_xdata()) == [1.0, 1.0] for line in ax.lines)
    corners = ax.collections[0].get_paths()[0].vertices
    assert (corners[:, 1].min(), corners[:, 1].max()) == pytest.approx((5.0, 35.0))
    assert ax.get_xscale() == "log"
    assert ax.get_ylim()[0] == 0.0
    elsewhere = error_curve(values, mean, mean - 0.05, mean + 0.05, best=100.0)
    assert elsewhere.get_title(loc="left") == "C = 100", "no error is claimed where none was measured"
    assert [line.get_xdata()[0] for line in elsewhere.lines[1:]] == [100.0]
    with pytest.raises(DataError, match="Got 2, 1, 1, 1"):
        error_curve([1, 2], [1], [1], [1], 1)


def test_names_are_cut_so_that_they_still_differ():
    names = [f"the concentration of metabolite {j} in blood plasma, fasting" for j in range(30)]
    assert len(set(distinct(names, 26))) == 30
    assert all(len(name) <= 26 for name in distinct(names, 26))
    assert distinct(["a", "a"]) == ["a", "a"]
    assert short("x\x00y\ud800\u202ez\n\t w") == "x y z w"
