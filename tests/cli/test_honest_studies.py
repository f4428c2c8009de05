"""Studies from the command line hold rows out, keep groups and times apart, and store the threshold with the model."""

import csv
import json
import re

import numpy as np
import pytest

from cli.files import houses, patients
from separatrix import load
from separatrix.cli.main import main

QUICK = ["--folds", "2", "--seconds", "0.5"]


def visits(path, rows=260, seed=0):
    """Visits of 40 patients in two years; the older are ill more often."""
    rng = np.random.default_rng(seed)
    lines = ["patient,date,age,dose,ill"]
    for _ in range(rows):
        patient, age = rng.integers(40), rng.normal(50, 12)
        ill = "yes" if age + rng.normal(0, 6) > 55 else "no"
        day = np.datetime64("2023-01-01") + int(rng.integers(700))
        lines.append(f"P{patient:02},{day},{age:.1f},{rng.normal():.2f},{ill}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return visits(tmp_path_factory.mktemp("visits") / "visits.csv")


def facts(capsys, *words):
    """What a study says as JSON; it must have ended well."""
    capsys.readouterr()
    assert main(["study", *map(str, words), *QUICK, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_fifth_is_held_out_and_its_error_is_in_the_first_sentence(table, tmp_path, capsys):
    found = facts(capsys, table, "-t", "ill", "--drop", "patient", "--drop", "date", "-o", tmp_path)
    test = found["test"]
    assert (test["rows"], test["fitted_to_rows"], found["rows"]) == (52, 208, 260)
    assert found["comparison"]["n_rows"] == 208
    assert re.search(rf"is wrong on {100 * test['error_rate']:.1f} % of 52 test rows", found["verdict"][0])
    assert "in the end fitted to all 260 rows" in found["fitted_to"]
    page = (tmp_path / "report.html").read_text()
    assert 'id="test"' in page
    for picture in ("roc", "precision"):
        assert f'id="picture-{picture}"' in page
    assert main(["verify", str(tmp_path / "model.json"), str(table)]) == 0


def test_a_small_table_says_why_nothing_is_held_out(tmp_path, capsys):
    found = facts(capsys, patients(tmp_path / "p.csv", rows=60), "-t", "ill", "-o", tmp_path)
    assert found["test"] is None
    assert any("a fifth of 60 rows is fewer than 40" in note for note in found["notes"])
    asked = facts(capsys, tmp_path / "p.csv", "-t", "ill", "-o", tmp_path, "--test", "0.5")
    assert asked["test"]["rows"] == 30
    assert "--test 0.5" in (tmp_path / "report.html").read_text(), "the command for the same again"


def test_a_recall_is_stored_with_the_model(table, tmp_path, capsys):
    found = facts(capsys, table, "-t", "ill", "--id", "patient", "--time", "date", "--recall", "0.95", "-o", tmp_path)
    threshold, model = found["threshold"], tmp_path / "model.json"
    assert threshold["positive"] == "yes"
    assert threshold["cross_validated"]["recall"] >= 0.95
    assert load(model)[-1].threshold == threshold["value"]
    with table.open() as stream:
        rows = list(csv.DictReader(stream))
    last = sorted(rows, key=lambda row: row["date"])[-found["test"]["rows"] :]
    counts = threshold["test"]["hits"] + threshold["test"]["misses"]
    assert counts == sum(row["ill"] == "yes" for row in last), "the test rows are the last in time"
    assert main(["predict", str(model), str(table), "--scores"]) == 0
    called = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert all((label == "yes") == (float(score) >= threshold["value"]) for label, score in called)
    assert main(["score", str(model), str(table), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["confusion"][1][1] == sum(
        label == "yes" == row["ill"] for (label, _), row in zip(called, rows, strict=True)
    )
    assert main(["verify", str(model), str(table)]) == 0
    assert "--time date --recall 0.95" in (tmp_path / "report.html").read_text()


def test_costs_move_the_threshold(table, tmp_path, capsys):
    words = [table, "-t", "ill", "--drop", "date", "--group", "patient", "-o", tmp_path, "--cost"]
    careful, careless = (facts(capsys, *words, cost)["threshold"] for cost in ("1,20", "20,1"))
    assert careful["cross_validated"]["misses"] < careless["cross_validated"]["misses"]
    assert careful["cross_validated"]["false_alarms"] > careless["cross_validated"]["false_alarms"]
    assert careful["cross_validated"]["cost"] == (
        careful["cross_validated"]["false_alarms"] + 20 * careful["cross_validated"]["misses"]
    )


def test_rows_of_another_file_test_the_model(table, tmp_path, capsys):
    other = visits(tmp_path / "later.csv", rows=90, seed=1)
    found = facts(capsys, table, "-t", "ill", "--drop", "date", "--id", "patient", "--test", other, "-o", tmp_path)
    assert found["test"]["source"] == "later.csv"
    assert (found["test"]["rows"], found["test"]["fitted_to_rows"]) == (90, 260)
    assert main(["score", str(tmp_path / "model.json"), str(other), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["error"] == pytest.approx(found["test"]["error_rate"])
    assert "this very model" in found["fitted_to"]


def test_numbers_are_tested_in_their_units(tmp_path, capsys):
    found = facts(capsys, houses(tmp_path / "h.csv", rows=210), "-t", "price", "-o", tmp_path)
    test = found["test"]
    assert test["rows"] == 42
    assert test["interval"][0] < test["mean_absolute_error"] < test["interval"][1] < test["of_the_mean"]
    assert f"{test['mean_absolute_error']:,.0f}"[:3] in found["verdict"][0]
    assert 'id="test"' in (tmp_path / "report.html").read_text()
    assert main(["verify", str(tmp_path / "model.json"), str(tmp_path / "h.csv")]) == 0


def test_columns_that_decide_the_target_are_named_before_the_verdict(tmp_path, capsys):
    rng = np.random.default_rng(0)
    lines = ["age,cured_on,ill"] + [f"{rng.normal(50, 9):.1f},{i % 2 + 0.1},{'ny'[i % 2]}" for i in range(80)]
    (tmp_path / "leak.csv").write_text("\n".join(lines))
    assert main(["study", str(tmp_path / "leak.csv"), "-t", "ill", "-o", str(tmp_path), *QUICK]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.index("Look first: 'cured_on' alone decides the target") < out.index("is wrong on")
    page = (tmp_path / "report.html").read_text()
    assert page.index("Look first") < page.index("<h1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--group", "nobody"], "There is no column 'nobody'"),
        (["--time", "patient"], "--time patient holds 'P"),
        (["--time", "300"], "--time names a column; the time to spend is --seconds"),
        (["--time", "gap"], "--time gap has no value in line 3: fill it in"),
        (["--test", "here.csv"], "--test here.csv is the file that is studied"),
        (["--test", "nowhere.csv"], "nowhere.csv: No such file"),
        (["--recall", "7"], "The 'recall' parameter must be a finite number above 0 and of at most 1"),
        (["--task", "novelty", "--test", "0.2"], "--test is about a target, and this is a study of novelty"),
        (["--task", "regression", "--recall", "0.9"], "--recall is about classes, and this is a study of regression"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(table, tmp_path, capsys, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    lines = table.read_text().splitlines()
    gaps = [f"{line},{'gap' if i == 0 else '' if i == 2 else i}" for i, line in enumerate(lines)]
    (tmp_path / "here.csv").write_text("\n".join(gaps) + "\n")
    assert main(["study", "here.csv", "-t", "ill", "-o", "out", *words, *QUICK]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert said in captured.err
    assert not (tmp_path / "out").exists()
