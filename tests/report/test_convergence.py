"""Facts about what is drawn of recorded runs."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from matplotlib import rcParams
from matplotlib.figure import Figure

from separatrix import NotCertifiedWarning, OptionError, hull_distance
from separatrix.report.charts import style
from separatrix.report.charts.convergence import MAX_POINTS, convergence
from separatrix.solvers.hulls.nearest_points import Descent
from solvers.nearest_points_by_hand import separable

X, Y = separable(40, 4, 0.2, seed=0)


def runs(**how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)
        names = ("gilbert", "schlesinger_kozinec", "mdm")
        return {name: hull_distance(X, Y, name, polish=False, record=True, **how) for name in names}


def test_every_run_is_a_line_of_its_errors_with_its_name_at_its_end():
    found = runs(max_iter=500)
    ax = convergence(found)
    lines = {line.get_label(): line for line in ax.lines}
    labels = {text.get_text(): text for text in ax.texts}
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    for number, (name, run) in enumerate(found.items()):
        steps, errors = lines[name].get_data()
        np.testing.assert_array_equal(errors, run.trace.error[steps.astype(int) - 1])
        assert (steps[0], steps[-1]) == (1, run.n_iter)
        assert lines[name].get_color() == labels[name].get_color() == style.colour(number)
        assert labels[name].xy[0] == run.n_iter
    assert "mdm ended nearest" in ax.get_title(loc="left")


def test_the_line_of_1_over_t_is_one():
    ax = convergence(runs(max_iter=500))
    (line,) = [line for line in ax.lines if line.get_label() == "1/t"]
    t, height = line.get_data()
    assert t[0] * height[0] == pytest.approx(t[1] * height[1])


def test_long_runs_are_thinned_and_names_do_not_overlap(tmp_path):
    t = np.arange(1.0, 200_001.0)
    slow = {f"{name}$_": Descent(1.0 + 0.5 / t, np.ones(t.size)) for name in "abc"}
    ax = convergence(slow, title="t$")
    assert all(line.get_xdata().size <= MAX_POINTS for line in ax.lines)
    ax.figure.savefig(tmp_path / "runs.png")
    boxes = sorted((text.get_window_extent() for text in ax.texts if "$" in text.get_text()), key=lambda box: box.y0)
    assert all(below.y1 <= above.y0 + 1.0 for below, above in pairwise(boxes))
    assert ax.get_title(loc="left") == r"t\$"


def test_a_run_of_one_step_can_be_drawn(tmp_path):
    one = hull_distance([[0.0], [1.0]], [0, 1], record=True)
    ax = convergence({"one": one})
    ax.figure.savefig(tmp_path / "one.png")
    assert ax.lines[0].get_xdata().tolist() == [1.0]


def test_the_users_axes_and_settings_stay_his():
    before = dict(rcParams)
    mine = Figure().add_subplot()
    assert convergence(runs(max_iter=50), ax=mine) is mine
    assert dict(rcParams) == before


def test_runs_that_were_not_recorded_are_refused():
    with pytest.raises(OptionError, match="'quick' has no trace. Record it"):
        convergence({"quick": hull_distance(X, Y)})
    with pytest.raises(OptionError, match="at least one recorded run"):
        convergence({})
