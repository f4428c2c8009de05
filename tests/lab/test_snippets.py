"""What is taken along gives the model that the page shows, to the bit: Python code, command line, model file."""

import os
import shlex

import numpy as np
import pytest

from separatrix import load, verify
from separatrix.cli.main import main
from separatrix.lab import snippets
from separatrix.lab.answers import answers
from separatrix.lab.menu import rows
from separatrix.lab.question import question_of
from separatrix.lab.toys import toy_points

NAMES = {"plain": ["blue", "orange"], "numbers": ["10", "9"], "hostile": ['a;"b"', "c, d\\"]}


def asked(method, toy="separable", n=20, names="plain", weights=False, **options):
    data = toy_points(toy, seed=2, n=n).to_message() | {"classes": NAMES[names]}
    if weights:
        data["weight"] = [1.0 + i % 3 for i in range(len(data["x"]))]
    return {"id": 1, "slot": 0, "data": data, "method": method, "options": options, "seed": 11}


def bits(model):
    """All numbers that predictions come from, as bytes."""
    found = [getattr(model, name) for name in ("coef_", "intercept_", "dual_coef_", "support_") if hasattr(model, name)]
    return [np.ascontiguousarray(value).tobytes() for value in found]


def estimator_of(model):
    return model[-1] if hasattr(model, "steps") else model


QUESTIONS = [
    *(asked(row.name) for row in rows()),
    asked("linear SVM", "overlap", names="numbers", C=0.25, loss="squared_hinge"),
    asked("linear SVM", names="hostile", weights=True, C="inf"),
    asked("kernel SVM", "moons", n=70, weights=True, kernel="poly", degree=2, coef0=1.0, gamma=0.5),
    asked("perceptron, online", n=70, names="numbers", learning_rate=0.5, shuffle=False),
    asked("one-class SVM", n=64, names="numbers", weights=True, nu=0.1, gamma=2),
    asked("logistic discrimination", n=64, names="hostile", C=3, fit_intercept=False),
    asked("reduced hulls", mu=0.2, algorithm="gilbert"),
]


def name_of(question):
    return f"{question['method']}{'' if not question['options'] else ', with options'}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("message", QUESTIONS, ids=name_of)
def test_everything_taken_along_is_the_model_of_the_page(message, folder, capsys):
    question = question_of(message)
    model = question.fit()
    (taken,) = answers({**message, "do": "model"})
    assert os.listdir(folder) == []  # nothing is written
    (folder / "points.csv").write_text(taken["csv"], encoding="utf-8", newline="")

    place = {}
    exec(snippets.python(question), place)
    assert bits(place["model"]) == bits(model)
    assert bits(model)
    assert str(place["model"].certificate_) == str(model.certificate_)

    (folder / "model.json").write_text(taken["model"], encoding="utf-8", newline="")
    weights = ["--weights", "weight"] if question.weighted else []
    assert bits(load("model.json")) == bits(model)
    assert main(["verify", "model.json", "points.csv", *weights]) == 0
    assert "are those that the model was fitted to" in capsys.readouterr().out

    _, *words = shlex.split(snippets.command(question))
    assert main(words) == 0
    fitted = estimator_of(load("model.json"))
    assert bits(fitted) == bits(model)
    assert str(fitted.certificate_) == str(model.certificate_)


def test_more_points_are_read_from_the_file():
    few, many = question_of(asked("pocket", n=60)), question_of(asked("pocket", n=62))
    assert "read_table" not in snippets.python(few)
    assert "read_table" in snippets.python(many)
    assert len(snippets.python(many).splitlines()) < 10


def test_columns_have_names_of_their_own():
    data = toy_points("and").to_message() | {"names": ["class", "1.5"]}
    question = question_of({"data": data, "method": "linear SVM"})
    assert snippets.column_names(question) == (["class", "x1.5"], "class of point", "weight")


def test_the_model_is_verified_by_the_points_of_the_page():
    message = asked("nu-SVM", nu=0.3)
    question = question_of(message)
    assert verify(question.fit(), question.X, question.labels).proved
