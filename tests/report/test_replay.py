import json
import re
import sys
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy import sparse

from separatrix import DataError, OptionError, Perceptron
from separatrix.data import samples
from separatrix.report import replay
from separatrix.report.page import theme

PAIR = samples.separable_pair(20, seed=1)
IRIS = samples.builtin("iris")


def recorded(X, y, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Perceptron(record=True, random_state=0, **how).fit(X, y)


def data_of(page):
    return json.loads(re.search(r"const run = (.*);\n", page)[1])


MODEL = recorded(PAIR.X, PAIR.labels)
SEVERAL = recorded(IRIS.X[:, 2:], IRIS.labels, max_iter=20)


@pytest.mark.parametrize("model", [MODEL, SEVERAL], ids=["two", "several"])
def test_every_update_is_a_moment(model):
    run = replay(model, max_frames=10_000)
    assert len(run) == model.n_updates_ + 1
    assert [moment.number for moment in run.moments] == list(range(len(run)))
    for moment, iterate in zip(run.moments, model.trace_.iterates(), strict=True):
        np.testing.assert_array_equal(moment.planes, np.atleast_2d(iterate))
    for earlier, later in pairwise(run.moments):
        np.testing.assert_array_equal(later.before, earlier.planes)
    assert [moment.rows.tolist() for moment in run.moments] == [[], *model.trace_.row[:, None].tolist()]


def test_errors_are_those_of_the_line_that_is_shown():
    for moment in replay(MODEL).moments:
        margins = PAIR.labels * (PAIR.X @ moment.planes[0, :2] + moment.planes[0, 2])
        assert moment.n_wrong == np.count_nonzero(margins <= 1e-12)
    assert moment.n_wrong == 0


def test_long_runs_are_thinned_evenly_with_both_ends_and_say_so():
    run = replay(SEVERAL, max_frames=30)
    numbers = [moment.number for moment in run.moments]
    assert len(numbers) == 30
    assert (numbers[0], numbers[-1]) == (0, SEVERAL.n_updates_)
    assert np.ptp(np.diff(numbers)) <= 1
    assert "29 of them shown" in run.caption(3)[0]
    np.testing.assert_array_equal(run.moments[-1].planes[:, :2], SEVERAL.coef_)
    assert "shown" not in replay(MODEL).caption(0)[0]


def test_captions_name_the_row_and_what_is_left():
    run = replay(MODEL, classes=["no", "yes"])
    row = MODEL.trace_.row[0]
    own, rival = ("yes", "no") if PAIR.labels[row] > 0 else ("no", "yes")
    assert run.caption(0) == (f"Start, before {len(run) - 1} updates", "w = 0 makes no line, 40 of 40 rows wrong")
    assert f"row {row} of {own} was taken for {rival}; now " in run.caption(1)[1]
    assert run.caption(-1) == (
        f"Update {len(run) - 1} of {len(run) - 1}",
        run.caption(-1)[1].split(";")[0] + "; now every row is on its own side",
    )


def test_a_batch_is_one_step():
    model = recorded(PAIR.X, PAIR.labels, update="batch")
    run = replay(model.trace_)
    assert len(run) == len(model.trace_.groups()) + 1
    assert run.moments[1].rows.size == 40
    assert "moved by the sum of 40 wrong rows" in run.caption(1)[1]
    np.testing.assert_array_equal(run.moments[-1].planes[0, :2], model.coef_[0])


@pytest.mark.parametrize("k", [3, 5, -1])
def test_a_frame_shows_the_line_and_rings_the_row(k):
    run = replay(MODEL)
    ax = run.draw(k)
    w, b = run.moments[k].planes[0, :2], run.moments[k].planes[0, 2]
    (line,) = [each for each in ax.lines if each.get_linestyle() == "-" and len(each.get_xdata())]
    np.testing.assert_allclose(line.get_xydata() @ w + b, 0.0, atol=1e-12)
    np.testing.assert_array_equal(ax.collections[-1].get_offsets(), PAIR.X[run.moments[k].rows])
    assert ax.get_title(loc="left").split() == " ".join(run.caption(k)).split()


def test_the_gif_has_every_frame(tmp_path):
    run = replay(MODEL, max_frames=6)
    with Image.open(run.save(tmp_path / "run.gif")) as image:
        assert image.n_frames == len(run) == 6
        pauses, frames = [], []
        for k in range(6):
            image.seek(k)
            pauses.append(image.info["duration"])
            frames.append(np.asarray(image.convert("RGB")))
    assert pauses[-1] > max(pauses[:-1])
    assert all((one != other).any() for one, other in pairwise(frames))
    assert (frames[0][0, 0] == 255).all(), "on white"


def test_the_page_holds_the_run_and_asks_for_nothing(tmp_path):
    run = replay(SEVERAL, max_frames=25)
    page = run.save(tmp_path / "run.html").read_text(encoding="utf-8")
    assert not re.findall(r"https?:|//[a-z]|@import|src=|\[\[[a-z]", page)
    frames = data_of(page)["frames"]
    assert [(frame["heading"], frame["sentence"]) for frame in frames] == [run.caption(k) for k in range(25)]
    assert [len(frame["rings"]) for frame in frames] == [0] + [1] * 24
    assert page.count("<use ") == 150 + 3, "every row, and the legend"
    assert set(re.findall(r'part\("(\w+)"\)', page)) <= set(re.findall(r'id="(\w+)"', page))


def test_lines_on_the_page_are_where_g_is_0():
    run = replay(MODEL)
    page = run.html()
    x, y, width, height = (
        float(number) for number in re.search(r'<rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', page).groups()
    )
    view = run.view
    for moment, frame in zip(run.moments[1:], data_of(page)["frames"][1:], strict=True):
        heights = view.corners @ moment.planes[0, :2] + moment.planes[0, 2]
        assert len(frame["lines"]) == (heights.min() < 0 < heights.max()), "it is drawn if it passes through"
        if not frame["lines"]:
            continue
        places = np.array(re.findall(r"[-\d.]+", frame["lines"][0]), dtype=float).reshape(2, 2)
        points = (places - [x, y + height]) / [width, -height] * view.size + [view.left, view.bottom]
        distance = np.abs(points @ moment.planes[0, :2] + moment.planes[0, 2]) / np.linalg.norm(moment.planes[0, :2])
        assert distance.max() < 0.2 * view.size[0] / width, "a fifth of a pixel"


def test_a_long_run_on_many_rows_stays_small():
    table = samples.overlapping_pair(4000, seed=0)
    run = replay(recorded(table.X, table.labels, max_iter=2, update="batch"))
    page = run.html()
    assert "2,000 of 8,000 rows drawn" in page
    assert len(page) < 500_000
    assert len(replay(SEVERAL).html()) < 500_000


def test_labels_cannot_break_the_page():
    nasty = np.where(PAIR.labels > 0, "</script><b>", "[[data]]")
    frame = pd.DataFrame(PAIR.X, columns=["<i>", "b & c"])
    page = replay(recorded(frame, nasty)).html()
    assert page.count("</script>") == 1
    assert "<b>" not in page
    assert "<i>" not in page
    assert "[[data]]</span>" in page
    assert "b &amp; c" in page
    assert any("</script><b>" in frame["sentence"] for frame in data_of(page)["frames"])


def test_a_notebook_shows_it():
    shown = replay(MODEL)._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<script>" not in shown


def test_rows_without_an_offset_and_sparse_rows():
    model = recorded(sparse.csr_array(PAIR.X - 0.5), PAIR.labels, fit_intercept=False)
    run = replay(model)
    assert all(moment.planes[0, 2] == 0 for moment in run.moments)
    np.testing.assert_array_equal(run.points, PAIR.X - 0.5)


def test_what_is_refused(tmp_path):
    with pytest.raises(OptionError, match="holds no recorded run. Fit it with record=True"):
        replay(Perceptron().fit(PAIR.X, PAIR.labels))
    with pytest.raises(DataError, match="replay draws two features.* the rows have 3"):
        replay(recorded(IRIS.X[:100, :3], IRIS.labels[:100]))
    with pytest.raises(OptionError, match="'max_frames'.* at least 2. Got 1"):
        replay(MODEL, max_frames=1)
    with pytest.raises(OptionError, match="must name 2 classes"):
        replay(MODEL, classes=["a"])
    with pytest.raises(OptionError, match="saved as .html or as .gif"):
        replay(MODEL).save(tmp_path / "run.mp4")


def test_a_page_needs_no_matplotlib_and_a_gif_says_so(tmp_path, monkeypatch):
    run = replay(MODEL)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run.save(tmp_path / "run.html")
    with pytest.raises(ImportError, match=r'pip install "separatrix\[plot\]"'):
        run.save(tmp_path / "run.gif")


def test_a_page_is_dark_at_night_and_its_icons_need_no_font():
    page = replay(SEVERAL).html()
    assert theme.declarations(theme.DARK) in page
    assert page.count(theme.declarations(theme.LIGHT)) == 1
    rest = page.replace(theme.declarations(theme.LIGHT), "").replace(theme.declarations(theme.DARK), "")
    assert not re.search(r"(?:fill|stroke|color|background)[\"':= ]+(?:#[0-9a-f]{3,6}|white|black)", rest)
    assert set(re.findall(r"var\(--(\w+)\)", page)) <= theme.LIGHT.keys()
    buttons = re.findall(r"<button.*?</button>", page)
    assert len(buttons) == 5
    for button in buttons:
        assert "<svg" in button
        assert re.sub(r"<[^>]+>", "", button).isascii()
