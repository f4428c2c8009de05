"""Numbers to predict and rows without a target, from files to files."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from cli.files import houses, machines, patients
from separatrix import load
from separatrix.cli.algorithms import all_choices, choices
from separatrix.cli.main import main
from separatrix.data.files.reading import read_columns


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return houses(tmp_path / "houses.csv")


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return machines(tmp_path / "machines.csv")


def ran(capsys, *words):
    """Exit code, standard output and standard error of a command."""
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def truth(table):
    whole = read_columns(table, "price")
    return whole.X, whole.labels.astype(float)


def test_a_numeric_target_is_fitted_predicted_and_verified(table, capsys):
    code, out, err = ran(capsys, "fit", table, "m", "-t", "price", "-c", 1e5, "--epsilon", 2000, "--scale")
    assert (code, err) == (0, "")
    model, (X, y) = load("m"), truth(table)
    assert model.steps[-1][0] == "regressor"
    residuals = np.abs(y - model.predict(X))
    assert out.startswith("LinearSVR(C=100000.0, epsilon=2000.0) on 90 rows x 5 features: off by ")
    assert f"{int((residuals > 2000 * (1 + 1e-9)).sum())} rows outside the tube of ±2,000." in out

    code, out, err = ran(capsys, "predict", "m", table)
    np.testing.assert_allclose(np.array(out.split(), dtype=float), model.predict(X), rtol=1e-15)
    off = float(f"{residuals.mean():.4g}")
    assert err == (
        f"Off by {off:,.0f} on average, {float(f'{np.sqrt((residuals**2).mean()):.4g}'):,.0f} by root mean square "
        "(90 rows).\n"
    )
    first = ran(capsys, "predict", "m", table, "--json")[1].splitlines()[0]
    assert json.loads(first) == {"number": pytest.approx(model.predict(X)[0])}
    code, out, _ = ran(capsys, "verify", "m", table)
    assert code == 0
    assert out.endswith("The claim holds.\n")


def test_the_command_says_that_it_took_a_target_for_numbers(table, capsys):
    code, _, err = ran(capsys, "fit", table, "m", "-t", "price")
    assert code == 0
    assert err.startswith(
        "separatrix: 'price' holds 90 different numbers in 90 rows, so it is predicted as a number. "
        "--task classification takes it for classes.\n"
    )
    assert ran(capsys, "fit", table, "m", "-t", "price", "--task", "regression", "-c", 1e5)[2] == ""
    code, out, err = ran(capsys, "fit", table, "m", "-t", "price", "-a", "least-squares", "--json")
    assert (code, err, len(json.loads(out)["classes"])) == (0, "", 90), "as a classifier asks for"


def test_a_penalty_that_holds_the_fit_down_is_named_with_a_better_one(table, capsys):
    _, y = truth(table)
    code, out, err = ran(capsys, "fit", table, "m", "-t", "price", "--scale", "--task", "regression", "--json")
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith(
        "separatrix: C = 1 holds the fit down, which is hardly less off than always saying the median"
    )
    flat = json.loads(out)["mean_absolute_residual"]
    spread = float(f"{y.std():.2g}")
    assert f"try -c {spread:g} --epsilon {0.1 * spread:g}.\n" in err
    words = ("--scale", "--task", "regression", "--json", "-c", spread, "--epsilon", 0.1 * spread)
    code, out, err = ran(capsys, "fit", table, "m", "-t", "price", *words)
    assert (code, err) == (0, "")
    assert json.loads(out)["mean_absolute_residual"] < 0.2 * flat


def test_few_numbers_are_classes_unless_regression_is_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "t.csv"
    table.write_text("x,y\n" + "".join(f"{i}.5,{i % 4}.5\n" for i in range(40)))
    code, out, err = ran(capsys, "fit", table, "m", "--json")
    assert (code, err, json.loads(out)["classes"]) == (0, "", ["0.5", "1.5", "2.5", "3.5"])
    code, out, _ = ran(capsys, "fit", table, "m", "--json", "--task", "regression")
    assert (code, json.loads(out)["task"]) == (0, "regression")


def test_many_whole_numbers_that_repeat_are_classes_and_the_command_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "t.csv"
    table.write_text("x,y\n" + "".join(f"{i % 30}.25,{i % 30}\n" for i in range(90)))
    code, out, err = ran(capsys, "fit", table, "m", "-t", "y", "--json")
    assert (code, len(json.loads(out)["classes"])) == (0, 30)
    assert err.splitlines()[0] == (
        "separatrix: 'y' holds 30 different numbers in 90 rows, taken for classes. --task regression predicts them as "
        "numbers."
    )


@pytest.mark.parametrize("algorithm", sorted(choices("regression")))
def test_every_regressor_from_a_file_to_a_verdict(table, capsys, algorithm):
    code, out, _ = ran(capsys, "fit", table, "m", "-t", "price", "--scale", "-a", algorithm, "--json")
    assert code == 0
    found = json.loads(out)
    model, (X, y) = load("m"), truth(table)
    assert found["estimator"] == choices("regression")[algorithm].estimator.__name__
    assert found["mean_absolute_residual"] == pytest.approx(np.mean(np.abs(y - model.predict(X))))
    assert ran(capsys, "verify", "m", table)[0] == 0


def test_options_choose_the_algorithm(table, capsys):
    def estimator(*words):
        code, out, err = ran(capsys, "fit", table, "m", "-t", "price", "--scale", "--json", *words)
        assert code == 0, err
        return json.loads(out)["estimator"]

    assert estimator("--epsilon", 100) == "LinearSVR"
    assert estimator("--task", "regression") == "LinearSVR"
    assert estimator("--nu", 0.3, "--task", "regression") == "NuSVR"
    assert estimator("--kernel", "rbf", "--epsilon", 100) == "KernelSVR"
    assert estimator("--kernel", "rbf", "--nu", 0.3, "--task", "regression") == "KernelNuSVR"
    assert estimator("--kernel", "rbf", "--nu", 0.3, "--task", "novelty") == "OneClassSVM"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("-t", "town", "--task", "regression"),
            "the target 'town' holds 'Rome' in line 2 of",
        ),
        (
            ("-t", "price", "-a", "linear-svm", "--task", "regression"),
            "linear-svm is for classification, not for --task",
        ),
        (("-t", "price", "--balanced", "--task", "regression"), "'linear SVR' has no parameter 'class_weight'"),
        (("-t", "price", "-a", "no-such"), "There is no algorithm 'no-such'. Choose one of perceptron-online,"),
        (("-t", "cost", "--task", "novelty"), "There is no column 'cost'"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(table, capsys, words, said):
    code, out, err = ran(capsys, "fit", table, "m", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert not os.path.exists("m")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "x,y\n" + "".join(f"{i},{i}.5\n" for i in range(30)) + "7,cheap\n",
            "t.csv: the target 'y' holds 'cheap' in line 32 of t.csv, which is no finite number",
        ),
        ("x,y\n1,\n2,\n", "t.csv: no row has a label in the column 'y'. --target names another one."),
        ("x,y\n1,3\n2,3\n5,3\n", "t.csv: the target 'y' is 3 in all 3 rows: there is nothing to predict."),
        ("x,y\n1,1e999\n2,3\n5,3\n", "holds '1e999' in line 2 of t.csv"),
    ],
)
@pytest.mark.parametrize("command", ["fit", "study"])
def test_targets_that_cannot_be_predicted(tmp_path, monkeypatch, capsys, command, content, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(content)
    code, out, err = ran(capsys, command, "t.csv", *(["m"] if command == "fit" else []), "--task", "regression")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_scores_are_not_for_regressors(table, capsys):
    assert ran(capsys, "fit", table, "m", "-t", "price", "--scale")[0] == 0
    code, out, err = ran(capsys, "predict", "m", table, "--scores")
    assert (code, out) == (2, "")
    assert "LinearSVR predicts numbers and has no scores" in err


def test_sparse_text_with_numbers_in_front(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 3))
    y = X @ [1.0, 2.0, 3.0] + 0.01 * random.standard_normal(60)
    lines = [f"{t:.6f} " + " ".join(f"{j + 1}:{x:.6f}" for j, x in enumerate(row)) for t, row in zip(y, X, strict=True)]
    (tmp_path / "t.svm").write_text("\n".join(lines))
    assert ran(capsys, "fit", "t.svm", "m", "-c", 100)[0] == 0
    np.testing.assert_allclose(load("m")[-1].coef_, [1.0, 2.0, 3.0], atol=0.1)
    assert ran(capsys, "verify", "m", "t.svm")[0] == 0
    code, out, err = ran(capsys, "study", "t.svm", "-o", "out", "--seconds", "5")
    assert code == 0
    assert "so it is predicted as a number" in err
    assert "Predictions are off by 0.0" in out


def test_a_study_of_numbers_leaves_a_page_and_a_model(table, capsys):
    code, out, err = ran(capsys, "study", table, "-t", "price", "-o", "out", "--seconds", "10")
    assert code == 0
    assert "'price' holds 90 different numbers in 90 rows, so it is predicted as a number" in err
    assert out.strip().splitlines()[0].startswith("houses.csv 90 rows, 5 features; price ")
    assert "Predictions of price are off by " in out
    assert "the median" in out
    assert sorted(os.listdir("out")) == ["model.json", "report.html"]
    model, (X, y) = load("out/model.json"), truth(table)
    assert np.mean(np.abs(model.predict(X) - y)) < 0.3 * np.mean(np.abs(y - y.mean()))
    assert ran(capsys, "verify", "out/model.json", table)[0] == 0


def test_json_of_a_study_of_numbers(table, capsys):
    words = ("study", table, "-t", "price", "--task", "regression", "-o", "out", "--json", "--seed", 3)
    code, out, err = ran(capsys, *words)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["task"], found["rows"], found["seed"]) == ("regression", 90, 3)
    names = [row["name"] for row in found["comparison"]["rows"]]
    assert {"the mean", "the median", found["chosen"]} <= set(names)
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "--target price --task regression --seed 3" in page


def test_classes_are_studied_as_before(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = patients(tmp_path / "patients.csv", rows=40)
    code, out, err = ran(capsys, "study", table, "-o", "out", "--seconds", "2")
    assert (code, err) == (0, "")
    assert "The classes overlap" in out


def test_novelty_is_fitted_predicted_and_verified(rows, capsys):
    code, out, err = ran(capsys, "fit", rows, "m", "--task", "novelty", "--nu", 0.1, "--scale")
    assert (code, err) == (0, "")
    model, X = load("m"), read_columns(rows, labelled=False).X
    outside = model.predict(X) < 0
    assert model.steps[-1][0] == "detector"
    assert outside.mean() <= 0.1
    assert f"{int(outside.sum())} of them outside ({outside.mean():.2%}), where nu = 0.1." in out
    code, out, err = ran(capsys, "predict", "m", rows)
    assert (code, err) == (0, "")
    assert out.split() == np.where(outside, "outside", "inside").tolist()
    out = ran(capsys, "predict", "m", rows, "--scores")[1]
    scores = np.array([line.split("\t")[1] for line in out.splitlines()], dtype=float)
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-12)
    code, out, _ = ran(capsys, "verify", "m", rows)
    assert code == 0
    assert "The data are those that the model was fitted to" in out
    lines = rows.read_text().splitlines()
    rows.write_text("\n".join([lines[0], "1,2,A", *lines[2:]]))
    assert ran(capsys, "verify", "m", rows)[0] == 1


def test_a_column_can_be_left_out_of_novelty(rows, capsys):
    assert ran(capsys, "fit", rows, "m", "-a", "one-class-svm", "-t", "site", "--scale")[0] == 0
    assert load("m")[0].feature_names_out_ == ("load", "heat")
    assert ran(capsys, "verify", "m", rows)[0] == 0
    assert ran(capsys, "predict", "m", rows)[0] == 0


@pytest.mark.parametrize("words", [("--task", "novelty"), ("--nu", "0.05")])
def test_a_study_without_a_target(rows, capsys, words):
    code, out, err = ran(capsys, "study", rows, "-o", "out", *words)
    assert (code, err) == (0, "")
    assert "where nu allows 5 %" in " ".join(out.split())
    assert "The most unusual is line 22, with a score" in " ".join(out.split())
    assert re.search(r"\nline 22  -\d\.\d+  heat is \d+ deviations above the median", out), "a line for each row"
    assert "None" not in out
    assert ran(capsys, "verify", "out/model.json", rows)[0] == 0
    code, out, _ = ran(capsys, "study", rows, "-o", "out", *words, "--json")
    assert (code, json.loads(out)["unusual"][0]["row"]) == (0, 20)


def test_a_file_whose_last_column_holds_numbers_and_no_target(table, capsys):
    code, out, err = ran(capsys, "study", table, "-o", "out")
    assert code == 0
    assert err == (
        "separatrix: no --target was given, and 'price' holds 90 different numbers in 90 rows: unusual rows are "
        "searched for. --target price predicts that column.\n"
    )
    assert "90 rows, 6 features" in out, "price is a column like the others"
    assert ran(capsys, "verify", "out/model.json", table)[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--task", "regression"), "--task regression is about the rows of a FILE, and none was given."),
        (("houses.csv", "--task", "regression", "--nu", "0.1"), "--nu 0.1 is for novelty, not for --task regression"),
    ],
)
def test_studies_that_cannot_be(table, capsys, words, said):
    code, out, err = ran(capsys, "study", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_algorithms_of_all_tasks_have_names_of_their_own():
    assert len(all_choices()) == sum(len(choices(task)) for task in ("classification", "regression", "novelty"))
