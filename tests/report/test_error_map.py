"""A map of errors has each in its cell, frames the least, and outlines what is within one standard error of it."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from separatrix import DataError
from separatrix.report import error_map
from separatrix.report.charts.confusion_chart import WRONG
from separatrix.report.charts.error_map import edges, error_grid, outlined

C, GAMMA = np.array([0.1, 1.0, 10.0, 100.0]), np.array([0.01, 0.1, 1.0])
ERROR = np.array([[0.40, 0.30, 0.35], [0.30, 0.12, 0.20], [0.25, 0.10, 0.22], [0.26, 0.11, 0.30]])


def cells(ax):
    """The tiles by the numbers of their row and column."""
    tiles = [patch for patch in ax.patches if patch.get_fill()]
    right, top = edges(GAMMA)[:-1], edges(C)[:-1]
    return {
        (int(np.abs(top - patch.get_y()).argmin()), int(np.abs(right - patch.get_x()).argmin())): patch
        for patch in tiles
    }


def test_tiles_cover_the_values_half_way_between_them_and_darken_with_the_error():
    tiles = cells(error_map(C, GAMMA, ERROR))
    assert len(tiles) == ERROR.size
    for (i, j), patch in tiles.items():
        assert patch.get_x() < GAMMA[j] < patch.get_x() + patch.get_width()
        assert patch.get_y() < C[i] < patch.get_y() + patch.get_height()
        assert to_hex(patch.get_facecolor()).upper() == WRONG
    depth = np.array([[tiles[i, j].get_alpha() for j in range(3)] for i in range(4)])
    np.testing.assert_array_equal(np.argsort(depth.ravel(), kind="stable"), np.argsort(ERROR.ravel(), kind="stable"))
    np.testing.assert_allclose(edges(GAMMA) ** 2, [1e-5, 1e-3, 1e-1, 1e1])


def test_numbers_are_in_their_cells_and_the_best_is_framed():
    ax = error_map(C, GAMMA, ERROR)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    for text in ax.texts:
        x, y = text.get_position()
        assert text.get_text() == f"{100 * ERROR[y == C, x == GAMMA][0]:.1f}"
    assert len(ax.texts) == ERROR.size
    (frame,) = [patch for patch in ax.patches if not patch.get_fill()]
    assert frame.get_x() < 0.1 < frame.get_x() + frame.get_width()
    assert frame.get_y() < 10.0 < frame.get_y() + frame.get_height()
    assert ax.get_title(loc="left") == "10.0% error at C = 10, gamma = 0.1"
    assert [text.get_text() for text in ax.texts if text.get_fontweight() == "bold"] == ["10.0"]


def test_the_outline_is_around_cells_within_one_standard_error_of_the_best():
    deviations = np.full(ERROR.shape, 9.0)
    deviations[2, 1] = 0.021  # that of the best counts, and no other
    found = error_grid(C, GAMMA, ERROR, deviations)
    np.testing.assert_array_equal(found.within, ERROR <= 0.121)
    ax = error_map(C, GAMMA, ERROR, deviations)
    (lines,) = [each for each in ax.collections if isinstance(each, LineCollection)]
    ends = np.array(lines.get_segments()).reshape(-1, 2)
    assert len(lines.get_segments()) == 8, "three cells in a column have eight sides outwards"
    assert (ends[:, 0].min(), ends[:, 0].max()) == pytest.approx((edges(GAMMA)[1], edges(GAMMA)[2]))
    assert (ends[:, 1].min(), ends[:, 1].max()) == pytest.approx((edges(C)[1], edges(C)[4]))
    assert not [each for each in error_map(C, GAMMA, ERROR).collections if isinstance(each, LineCollection)]


def test_an_outline_has_each_border_once():
    random = np.random.default_rng(0)
    within = random.random((6, 7)) < 0.5
    sides = list(outlined(within))
    assert len(set(sides)) == len(sides)
    padded = np.pad(within, 1).astype(int)
    assert len(sides) == np.abs(np.diff(padded, axis=0)).sum() + np.abs(np.diff(padded, axis=1)).sum()


def test_values_may_come_in_any_order():
    order, other = [2, 0, 3, 1], [1, 2, 0]
    one = error_grid(C, GAMMA, ERROR)
    shuffled = error_grid(C[order], GAMMA[other], ERROR[np.ix_(order, other)])
    for left, right in zip(one, shuffled, strict=True):
        np.testing.assert_array_equal(left, right)


def test_what_was_not_measured_is_hatched_and_never_the_best():
    holes = np.where(ERROR == 0.1, np.nan, ERROR)
    ax = error_map(C, GAMMA, holes)
    assert sum(bool(patch.get_hatch()) for patch in ax.patches) == 1
    assert len(ax.texts) == ERROR.size - 1
    assert ax.get_title(loc="left").startswith("11.0% error at C = 100, gamma = 0.1")


def test_the_edge_of_the_grid_is_said_to_be_one():
    assert error_map(C[:3], GAMMA, ERROR[:3]).get_title(loc="left").endswith("try larger C")
    assert error_map(C, GAMMA[1:], ERROR[:, 1:]).get_title(loc="left").endswith("try smaller gamma")
    assert "edge" not in error_map(C, GAMMA[1:2], ERROR[:, 1:2]).get_title(loc="left"), "one value has no edge"


def test_of_equal_errors_the_smallest_values_are_framed():
    assert error_grid(C, GAMMA, np.full(ERROR.shape, 0.5)).best == (0, 0)


def test_many_cells_have_colours_in_the_legend_in_place_of_numbers():
    values = 2.0 ** np.arange(13)
    ax = error_map(values, values, np.add.outer(np.arange(13), np.arange(13)) / 50)
    assert not ax.texts
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["least error", "0.0% error", "12.0% error", "48.0% error"]
    assert len(ax.get_xticks()) == 13


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([0.0, 1.0], [1.0], [[0.1], [0.1]]), "values of C must be"),
        (([1.0, np.inf], [1.0], [[0.1], [0.1]]), "values of C must be"),
        (([1.0], [2.0, 2.0], [[0.1, 0.2]]), "values of gamma must be"),
        (([1.0], [], [[]]), "values of gamma must be"),
        (([1.0, 2.0], [1.0], [[0.1, 0.2]]), r"a table of \(2, 1\). Got an array of \(1, 2\)"),
        (([1.0], [1.0], [[0.1]], [0.1]), r"a table of \(1, 1\). Got an array of \(1,\)"),
        (([1.0], [1.0], [[np.nan]]), "at least one a number"),
        (([1.0], [1.0, 2.0], [[-0.1, 0.2]]), "numbers from 0"),
    ],
)
def test_what_has_no_place_on_a_map_is_refused(given, words):
    with pytest.raises(DataError, match=words):
        error_map(*given)
