"""The menu follows from the registry: methods, also those of others, with options that their estimators have."""

import json
from dataclasses import replace

import numpy as np
import pytest

from separatrix import LinearSVM
from separatrix.estimators import registry
from separatrix.lab.answers import answers
from separatrix.lab.controls import as_option, controls_of
from separatrix.lab.menu import methods, rows

FAMILIES = {
    "Perceptrons", "Stochastic", "Least squares and discriminants", "Support vector machines", "Hulls", "Kernels",
    "Novelty",
}  # fmt: skip
DATA = {"x": [0, 1, 4, 5], "y": [0, 1, 0, 1], "class": [0, 0, 1, 1]}


class Wider(LinearSVM):
    """The linear SVM again, for `register`.

    Parameters
    ----------
    C : float
        What slack costs.
    boldness : float
        How bold it is.
    """

    def __init__(self, C: float = 2.0, *, boldness: float = 0.5):
        super().__init__(C)
        self.boldness = boldness


def test_every_row_of_the_registry_is_on_the_menu():
    found = methods()
    json.dumps(found, allow_nan=False)
    wanted = [row.name for row in (*registry.algorithms("classification"), *registry.algorithms("novelty"))]
    assert [method["name"] for method in found] == wanted
    assert {method["family"] for method in found} == FAMILIES
    assert all(method["rule"] and method["source"] and method["certificate"] for method in found)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_controls_are_options_of_the_estimator(row):
    defaults = row.make().get_params()
    for control in controls_of(row):
        assert control.default == defaults[control.name]
        assert control.text, control.name
        assert not set(row.options) & {control.name}
        if control.kind in ("number", "whole"):
            assert control.least < control.most
            assert control.scale == "linear" or control.least > 0
            number = isinstance(control.default, (int, float)) and np.isfinite(control.default)
            assert not number or control.default == 0 or control.least <= control.default <= control.most
            assert as_option(control, control.most) == control.most
        if isinstance(control.default, str):
            assert control.default in (*control.words, *control.choices)
        for other, values in (control.needs or {}).items():
            assert other in defaults
            assert values


def test_options_of_programs_are_not_on_the_page():
    names = {control["name"] for method in methods() for control in method["controls"]}
    kept = {
        "verbose",
        "time_limit",
        "random_state",
        "record",
        "start",
        "class_weight",
        "cache_mb",
        "low_rank",
        "priors",
    }
    assert not names & kept
    assert {"C", "nu", "mu", "gamma", "learning_rate", "ridge", "kernel", "shuffle"} <= names


DIVERGING = {("stochastic, exponential", "inverse")}  # which the estimator refuses with its own sentence


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_every_choice_and_word_is_taken(row):
    for control in controls_of(row):
        for value in (*control.choices, *control.words):
            *_, found = answers(
                {"do": "fit", "data": DATA, "method": row.name, "options": {control.name: value}, "record": False}
            )
            diverges = (row.name, value) in DIVERGING
            assert found["kind"] == ("error" if diverges else "result"), (control.name, value, found)


def test_a_row_of_somebody_else_is_on_the_menu():
    row = replace(registry.algorithms()[0], name="wider", estimator=Wider, options={}, solver=Wider)
    with registry.register(row):
        (method,) = [each for each in methods() if each["name"] == "wider"]
        assert method["family"] == "Others"
        assert [control["name"] for control in method["controls"]] == ["C", "boldness"]
        assert method["controls"][1]["text"] == "How bold it is."
        *_, found = answers({"do": "fit", "data": DATA, "method": "wider", "options": {"C": 3.0}, "record": False})
        assert found["planes"] == [[*(model := LinearSVM(C=3.0).fit(*points())).coef_[0], model.intercept_[0]]]
    assert all(each["name"] != "wider" for each in methods())


def points():
    return np.column_stack([DATA["x"], DATA["y"]]).astype(float), DATA["class"]
