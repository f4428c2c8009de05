"""A choice is drawn with the errors that it was made by: a curve, a map, or points."""

import numpy as np
import pytest

from separatrix import OptionError
from separatrix.report import choice_chart
from separatrix.selection.choosing.choice import Choice
from separatrix.selection.grid_errors import GridErrors
from separatrix.selection.measures.metrics import ERROR, metric_of

RNG = np.random.default_rng(0)


def choice(options, metric=ERROR, **known):
    """A choice with errors that are drawn, for options with these values."""
    errors = RNG.uniform(0.1, 0.4, (*map(len, options.values()), 5))
    grid = GridErrors(options, errors, **known)
    return Choice(grid.setting(grid.best), grid, None, None, None, 0, metric)


def drawn_line(ax):
    """The points of the curve."""
    return next(line for line in ax.lines if len(line.get_xdata()) > 2)


@pytest.mark.parametrize(("values", "scale"), [(np.arange(21.0), "linear"), (np.logspace(-2, 2, 5), "log")])
def test_a_curve_has_the_mean_errors_and_a_fitting_axis(values, scale):
    found = choice({"l2": values.tolist()})
    ax = choice_chart(found)
    line = drawn_line(ax)
    np.testing.assert_allclose(line.get_xdata(), values)
    np.testing.assert_allclose(line.get_ydata(), 100 * found.grid.mean)
    assert ax.get_xscale() == scale
    low, high = (100 * (found.grid.mean + sign * found.grid.standard_error) for sign in (-1, 1))
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert band.min() == pytest.approx(low.min())
    assert band.max() == pytest.approx(high.max())


def test_a_map_has_a_cell_for_each_pair_whatever_the_values():
    found = choice({"kernel": ["rbf", "poly"], "C": [1.0, 10.0, 100.0]}, metric_of([[0, 1], [1, 0]], np.arange(2)))
    ax = choice_chart(found)
    numbers = {text.get_text() for text in ax.texts}
    assert numbers == {f"{value:.3g}" for value in found.grid.mean.ravel()}
    assert [label.get_text() for label in ax.get_yticklabels()] == ["rbf", "poly"]
    assert ax.get_xlabel() == "C (log scale)"
    assert ax.get_legend().get_title().get_text() == "mean cost"


def test_other_options_have_their_chosen_values():
    found = choice({"C": [1.0, 10.0, 100.0], "gamma": [0.1, 1.0], "degree": [2, 3]})
    ax = choice_chart(found, options="C")
    place = found.place
    np.testing.assert_allclose(drawn_line(ax).get_ydata(), 100 * found.grid.mean[:, place[1], place[2]])
    turned = choice_chart(found, options=("gamma", "C"))
    assert (turned.get_xlabel(), turned.get_ylabel()) == ("C (log scale)", "gamma (log scale)")
    for wrong in ("nu", ("C", "C"), ("C", "gamma", "degree")):
        with pytest.raises(OptionError, match="one or two of C, gamma, degree"):
            choice_chart(found, options=wrong)


def test_words_are_points_and_failures_are_left_out():
    words = choice_chart(choice({"loss": ["hinge", "squared"]}, metric_of("balanced", np.arange(2))))
    assert [label.get_text() for label in words.get_xticklabels()] == ["hinge", "squared"]
    assert words.get_ylabel() == "balanced error, %"
    found = choice({"nu": [0.1, 0.5, 0.9, 0.7]})
    found.grid.errors[1] = np.nan
    assert sorted(drawn_line(choice_chart(found)).get_xdata()) == [0.1, 0.7, 0.9]
