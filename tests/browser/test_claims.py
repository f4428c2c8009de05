"""What the page claims is what the library proves: its steps, its certificates, and the code that it gives away."""

import contextlib
import io
import json

import numpy as np
import pytest

from browser.conftest import choose, count, give
from separatrix import Perceptron
from separatrix.cli.main import main

rng = np.random.default_rng(5)
POINTS = {
    "x": np.round(rng.normal(size=60), 3).tolist(),
    "y": np.round(rng.normal(size=60), 3).tolist(),
    "class": [],
    "weight": None,
    "names": ["length", "width"],
    "classes": ["blue", "orange"],
}
POINTS["class"] = [int(x + y > 0.05) for x, y in zip(POINTS["x"], POINTS["y"], strict=True)]
METHODS = ["perceptron, online", "linear SVM", "logistic discrimination", "kernel SVM"]


@pytest.fixture
def learnt(visit):
    """A page with four methods that have learnt points, and the results that it holds."""
    page = visit()
    choose(page, *METHODS)
    give(page, POINTS)
    assert count(page) == 60
    return page


def run(code):
    """What a program leaves behind."""
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, names)
    return names


def test_copied_python_gives_the_same_model_to_the_bit(learnt):
    results = learnt.evaluate("lab.slots.map(slot => slot.result)")
    learnt.get_by_role("tab", name="Take away").click()
    copied = learnt.locator("pre[aria-label=Python]").text_content()
    assert run(copied)["model"].get_params() == run(results[0]["python"])["model"].get_params()
    for result in results:
        model = run(result["python"])["model"]
        if result["planes"] is None:
            shown = dict(zip(result["support"]["rows"], result["support"]["alpha"], strict=True))
            assert shown == dict(zip(model.support_.tolist(), np.abs(model.dual_coef_[0]).tolist(), strict=True))
        else:
            assert result["planes"] == [[*model.coef_[0].tolist(), float(model.intercept_[0])]]
        assert result["certificate"]["error"] == model.certificate_.stated
        assert result["n_iter"] == model.n_iter_


def test_steps_are_those_of_a_recorded_run(learnt):
    frames = learnt.evaluate("lab.slots[0].frames")
    names = run(learnt.evaluate("lab.slots[0].result.python"))
    options = names["model"].get_params() | {"record": True}
    trace = Perceptron(**options).fit(names["X"], names["y"]).trace_
    weights = dict(enumerate(trace.iterates()))
    assert frames[0]["number"] == 0
    assert frames[-1]["number"] == max(weights)
    for frame in frames:
        assert np.ravel(frame["planes"]).tolist() == np.ravel(weights[frame["number"]]).tolist()


@pytest.mark.parametrize("slot", range(4), ids=METHODS)
def test_the_model_that_is_downloaded_verifies_with_its_points(learnt, slot, tmp_path, capsys):
    learnt.evaluate("slot => lab.pick(slot)", slot)
    learnt.get_by_role("tab", name="Take away").click()
    files = []
    learnt.on("download", lambda each: files.append(each))  # noqa: PLW0108, Playwright marks the function
    learnt.get_by_role("button", name="Model and points").click()
    while len(files) < 2:
        learnt.wait_for_timeout(20)
    for each in files:
        each.save_as(tmp_path / each.suggested_filename)
    code = main(["verify", str(tmp_path / "model.json"), str(tmp_path / "points.csv"), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert code == 0
    assert told["holds"] is True
    claimed = learnt.evaluate("slot => lab.slots[slot].result", slot)
    assert claimed["proof"] is True
    assert told["error"] <= claimed["certificate"]["error"] + 1e-12
