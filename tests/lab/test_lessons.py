"""What the lessons state is true of what the page then shows."""

import json
import math
import re

import numpy as np
import pytest

from separatrix import minimum_errors
from separatrix.lab.answers import answers
from separatrix.lab.lessons import LESSONS
from separatrix.lab.points import points_of

LESSON = {lesson.name: lesson for lesson in LESSONS}
PANELS = {None, "why", "options", "separable", "lift", "take"}


def data_of(state):
    return json.loads(json.dumps(state["data"]))


def shown(name, step):
    """The results of the slots of a step."""
    state, data = LESSON[name].steps[step].state, data_of(LESSON[name].steps[step].state)
    asked = [{"do": "fit", "data": data, **slot, "seed": state["seed"], "record": False} for slot in state["slots"]]
    return [list(answers(each))[-1] for each in asked]


def last_frame(name, step):
    state = LESSON[name].steps[step].state
    asked = {"do": "fit", "data": data_of(state), **state["slots"][0], "seed": state["seed"], "max_frames": 5}
    frames = [frame for answer in answers(asked) if answer["kind"] == "frames" for frame in answer["frames"]]
    return frames[-1]


def says(name, step, *facts):
    text = LESSON[name].steps[step].text
    for fact in facts:
        assert fact in text
    return text


def width(result):
    return 2.0 / math.hypot(*result["planes"][0][:2])


def separation_of(name, step):
    (found,) = answers({"do": "separable", "data": data_of(LESSON[name].steps[step].state)})
    return found


def test_there_are_eight_lessons_in_the_menu():
    (menu,) = answers({"do": "hello"})
    assert [lesson["name"] for lesson in menu["lessons"]] == [lesson.name for lesson in LESSONS]
    assert len(LESSON) == 8


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_step_can_be_shown(lesson):
    assert 3 <= len(lesson.steps) <= 6
    assert lesson.steps[0].state is not None
    methods = {
        method["name"]: {c["name"] for c in method["controls"]} for method in next(answers({"do": "hello"}))["methods"]
    }
    for step in lesson.steps:
        assert step.panel in PANELS
        assert len(re.findall(r"\w+", step.text)) <= 95
        for slot in (step.state or {}).get("slots", []):
            assert set(slot["options"]) <= methods[slot["method"]]
        if step.state is not None:
            points_of(data_of(step.state))


def test_the_perceptron_ends_within_its_bound():
    (found,) = shown("perceptron", 0)
    assert found["proof"]
    assert found["errors"] == 0
    assert last_frame("perceptron", 0)["values"]["mistakes"] == 14
    says("perceptron", 2, "After 14 updates")
    narrow = last_frame("perceptron", 3)["values"]
    says("perceptron", 3, f"{math.floor(narrow['bound']):,} mistakes", f"needs {narrow['mistakes']}")
    assert narrow["mistakes"] <= narrow["bound"]


def test_xor_has_no_line_and_the_quadratic_kernel_separates_it():
    (perceptron,) = shown("xor", 0)
    assert not perceptron["proof"]
    assert perceptron["n_iter"] == 20
    proof = separation_of("xor", 0)
    assert proof["verdict"] == "overlap"
    assert proof["pairs"][0]["meeting"] == [0.0, 0.0]
    assert proof["pairs"][0]["witness"]["weights"] == [0.5] * 4
    data = data_of(LESSON["xor"].steps[0].state)
    X, y = np.column_stack([data["x"], data["y"]]), np.array(data["class"])
    _, pocket = shown("xor", 2)
    assert pocket["errors"] == 1 == minimum_errors(X, y)
    says("xor", 2, "1 of 4")
    (kernel,) = shown("xor", 3)
    assert kernel["errors"] == 0
    assert kernel["proof"]
    assert np.array_equal(np.sign(X[:, 0] * X[:, 1]) > 0, y == 0)


def test_the_pocket_keeps_what_the_perceptron_loses():
    perceptron, pocket = shown("pocket", 0)
    says("pocket", 1, f"{perceptron['errors']} of 60", f"has {pocket['errors']} wrong", "not known")
    assert (perceptron["errors"], pocket["errors"]) == (12, 3)
    assert "not known" in pocket["stopped"]
    assert not pocket["proof"]
    assert separation_of("pocket", 0)["verdict"] == "overlap"
    data = data_of(LESSON["pocket"].steps[0].state)
    assert minimum_errors(np.column_stack([data["x"], data["y"]]), data["class"]) == 3


def test_the_corridor_is_wider_for_a_smaller_C():
    (hard,) = shown("margin", 0)
    assert hard["proof"]
    assert len(hard["support"]["rows"]) <= 3
    small, large = shown("margin", 1)
    says("margin", 2, f"{width(small):.1f} wide", f"{width(large):.2f} wide", f"{len(large['support']['rows'])} points")
    assert len(small["support"]["rows"]) == 60
    assert max(small["certificate"]["error"], large["certificate"]["error"]) < 1e-12
    asked = {"do": "fit", "data": data_of(LESSON["margin"].steps[1].state), "method": "linear SVM", "record": False}
    widths = [
        width(list(answers({**asked, "options": {"C": C}}))[-1]) for C in (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1e3)
    ]
    assert widths == sorted(widths, reverse=True)


def test_the_outlier_moves_the_hard_margin_only():
    def crossing(result):
        w, _, b = result["planes"][0]
        return -b / w

    before, after = shown("outlier", 0), shown("outlier", 1)
    assert np.allclose(before[0]["planes"], before[1]["planes"], rtol=1e-6)
    hard, soft = (crossing(b) - crossing(a) for a, b in zip(before, after, strict=True))
    says("outlier", 1, f"by {hard:.1f}", "less than 0.1")
    assert 0.0 < soft < 0.1
    data = data_of(LESSON["outlier"].steps[1].state)
    data["x"][0] = 2.0  # among the orange points
    *_, refused = answers({"do": "fit", "data": data, "method": "linear SVM", "options": {"C": "inf"}, "record": False})
    assert "No plane separates" in refused["message"]


def test_nu_bounds_errors_and_support_rows():
    for found, nu in zip(shown("nu", 0), (0.2, 0.6), strict=True):
        support = found["support"]
        inside = sum(support["bounded"])
        assert inside <= nu * 60 + 1e-9
        assert len(support["rows"]) >= nu * 60 - 1e-9
        assert any(mark["role"] == "reduced" for mark in found["hulls"])
    says("nu", 1, "at most 12", "at most 36")
    narrow, wide = shown("nu", 0)
    assert width(narrow) < width(wide)
    (trivial,) = shown("nu", 3)
    assert trivial["planes"] == [[0.0, 0.0, trivial["planes"][0][2]]]
    assert "0.085" in trivial["warning"]


def test_narrow_kernels_learn_by_heart():
    (good,) = shown("kernel", 0)
    wide, narrow = shown("kernel", 1)
    assert good["errors"] == narrow["errors"] == 0
    says("kernel", 1, f"{wide['errors']} of 80")
    assert len(narrow["support"]["rows"]) == 80
    assert math.isclose(1 / math.sqrt(2 * 0.01), 7.07, rel_tol=1e-2)
    assert math.isclose(1 / math.sqrt(2 * 1000), 0.022, rel_tol=2e-2)
    state = LESSON["kernel"].steps[2].state
    *_, curve = answers(
        {"do": "curve", "data": data_of(state), **state["slots"][0], "seed": state["seed"], "parameter": "gamma"}
    )
    errors = dict(zip(curve["values"], zip(curve["training"], curve["cv"], strict=True), strict=True))
    assert errors[1.0] == errors[3.162] == (0.0, 0.0)
    assert errors[1000.0][0] == 0.0
    assert 0.3 < errors[1000.0][1] < 0.4


def test_overlap_is_proved_by_four_points():
    (perceptron,) = shown("overlap", 0)
    assert not perceptron["proof"]
    assert perceptron["n_iter"] == 1000
    (pair,) = separation_of("overlap", 0)["pairs"]
    assert len(pair["witness"]["rows"]) == 4
    weights = sorted(pair["witness"]["weights"], reverse=True)
    assert weights[0] == 1.0
    says("overlap", 1, *(f"{weight:.3f}" for weight in weights[1:]))
    data = data_of(LESSON["overlap"].steps[0].state)
    lone = pair["witness"]["rows"][pair["witness"]["weights"].index(1.0)]
    assert data["class"][lone] == 0
    apart = separation_of("overlap", 3)
    assert apart["verdict"] == "complete"
    assert apart["pairs"][0]["margin"] > 0.0
