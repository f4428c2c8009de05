"""A study of a rare class says when it is never found, and finds it when asked to."""

import csv
import json
import re

import numpy as np
import pytest

from cli.rare import payments
from separatrix import load
from separatrix.cli.main import main
from separatrix.data.files.reading import read_columns


def plain(words):
    """Text of a page or a terminal in one line, without marks."""
    return " ".join(re.sub(r"<[^>]+>", "", words).replace("\u00a0", " ").split())


def first_screen(page):
    return plain(page[page.index("<h1") : page.index("<nav")])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("rare")
    payments(place / "payments.csv")
    return place


@pytest.fixture(scope="module")
def as_it_is(folder):
    """The page of a study that is asked nothing in particular, and its facts."""
    words = ["study", str(folder / "payments.csv"), "-t", "fraud", "-o", str(folder / "plain"), "--seconds", "5"]
    assert main(words) == 0
    return (folder / "plain" / "report.html").read_text()


def run(capsys, folder, *words):
    capsys.readouterr()
    code = main(["study", str(folder / "payments.csv"), "-t", "fraud", "-o", str(folder / "out"), *words])
    assert code == 0
    return capsys.readouterr().out, (folder / "out" / "report.html").read_text()


def test_the_first_sentence_names_the_class_that_is_never_found(as_it_is, folder):
    raw = read_columns(folder / "payments.csv", "fraud")
    assert set(load(folder / "plain" / "model.json").predict(raw.X)) == {0}, "so it is"
    answer = plain(re.search(r"<h1.*?</h1>", as_it_is)[0])
    assert re.fullmatch(r"fraud = 1 is never found: .+ predicts another class for all 20 of its rows\.", answer)
    screen = first_screen(as_it_is)
    assert "It misses 20 of 20 rows of fraud = 1 (100 %). --balanced lets every class count the same" in screen
    assert "fraud = 1: 0 of 20 rows" in screen, "in the tile, too"
    assert "never predicted" in as_it_is


def test_what_is_asked_for_is_found_and_said(capsys, folder):
    words = ["--seconds", "5", "--balanced", "--metric", "recall"]
    out, page = run(capsys, folder, *words)
    found = re.search(r"finds ([\d.]+) % of fraud = 1", plain(out))
    assert float(found[1]) > 50
    assert found[0] in first_screen(page)
    assert re.search(r"\n1 +20 +[5-9]\d\.\d % +\d+\.\d %\n", out), "recall and precision of each class"
    assert re.search(r"\n0 +3,980 +[\d.]+ % +99\.\d %\n", out)
    assert "--metric recall --balanced" in page, "the command for the same again"
    assert "sum c " in out, "the objective with its weights"
    raw = read_columns(folder / "payments.csv", "fraud")
    predicted = load(folder / "out" / "model.json").predict(raw.X)
    assert np.mean(predicted[raw.labels == 1] == 1) > 0.5
    assert main(["verify", str(folder / "out" / "model.json"), str(folder / "payments.csv")]) == 0


def test_json_says_what_the_page_says(capsys, folder, as_it_is):
    out, page = run(capsys, folder, "--seconds", "5", "--json")
    facts = json.loads(out)
    assert facts["recall"] == {"0": 1.0, "1": 0.0}
    assert facts["verdict"][0] in plain(page)
    assert facts["separability"]["statement"] in plain(page)
    assert facts["separability"]["strictly_separable"] is False
    assert first_screen(page) == first_screen(as_it_is), "the same seed and time, the same study"
    assert facts["comparison"]["rows"][0]["metric"] == "error"
    assert len(facts["missed"]) == 12
    with (folder / "payments.csv").open() as stream:
        lines = list(csv.reader(stream))
    for row in facts["missed"]:
        assert lines[row["line"] - 1][-1] == row["class"] != row["predicted"], "rows are named by their lines"
    for row in facts["comparison"]["rows"]:
        assert row["error_rate"] is None or row["error_rate"] == pytest.approx(row["mean"])


def test_weights_and_the_positive_class(capsys, folder):
    words = ["--seconds", "2", "--class-weight", "1=60", "--metric", "f1", "--positive", "0", "--json"]
    facts = json.loads(run(capsys, folder, *words)[0])
    assert facts["class_weight"] == {"0": 1.0, "1": 60.0}
    assert facts["recall"]["1"] > 0.1
    assert facts["comparison"]["metric"] == "f1"
    best = facts["comparison"]["rows"][0]
    right, (precision, recall) = np.array(best["confusion"]), (best["precision"][0], best["recall"][0])
    assert recall == right[0, 0] / right[0].sum()
    assert best["score"] == pytest.approx(2 * precision * recall / (precision + recall), abs=2e-3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--positive", "2", "--metric", "recall"], "There is no class '2' to look for. The classes are [0, 1]."),
        (["--class-weight", "fraud"], "--class-weight fraud: write LABEL=WEIGHT, such as fraud=20."),
        (["--class-weight", "2=3"], "There is no class '2' to weight."),
        (["--balanced", "--class-weight", "1=3"], "not allowed with argument --balanced"),
        (["--metric", "goodness"], "invalid choice: 'goodness'"),
        (["--task", "regression", "--balanced"], "--balanced is about classes, and this is a study of regression"),
    ],
)
def test_what_cannot_be_asked_is_refused(capsys, folder, words, said):
    try:
        code = main(["study", str(folder / "payments.csv"), "-t", "fraud", "-o", str(folder / "none"), *words])
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert said in capsys.readouterr().err
    assert not (folder / "none").exists()


def test_no_better_than_guessing_is_said_first(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [f"{x:.3f},{z:.3f},{'ab'[i % 2]}" for i, (x, z) in enumerate(rng.standard_normal((80, 2)))]
    (tmp_path / "noise.csv").write_text("\n".join(["x,z,kind", *rows]))
    assert main(["study", str(tmp_path / "noise.csv"), "-o", str(tmp_path / "out"), "--seconds", "2"]) == 0
    assert re.search(
        r"No better than guessing: .* is wrong on [\d.]+ % of unseen rows, and always saying . on 50",
        plain(capsys.readouterr().out),
    )


def test_the_page_ends_with_the_commands_to_predict_and_to_score(as_it_is, folder):
    end = as_it_is[as_it_is.index('id="use"') :]
    commands = re.findall(r"<code>(.*?)</code>", end)
    assert commands[:2] == [
        f"separatrix {word} {folder / 'plain' / 'model.json'} new.csv" for word in ("predict", "score")
    ]
    assert commands[2].startswith("separatrix study ")


def test_one_figure_of_a_model_everywhere(capsys, folder):
    out, page = run(capsys, folder, "--seconds", "2", "--balanced", "--metric", "balanced")
    figure = re.search(r"best fit of its kind to (\S+) of its objective", plain(out))[1]
    assert re.search(rf"at most {figure} of", plain(out)), "the certificate"
    assert f"best of its kind, proved to {figure}" in first_screen(page)
    assert f"at most {figure} of" in plain(page)
    main(["verify", str(folder / "out" / "model.json"), str(folder / "payments.csv")])
    assert f"at most {figure} of" in plain(capsys.readouterr().out)


def test_the_figure_of_a_metric_and_its_interval_are_those_of_the_json(capsys, folder):
    out, page = run(capsys, folder, "--seconds", "2", "--metric", "auc", "--json")
    facts = json.loads(out)
    told = [facts["test"]["score"], *facts["test"]["score_interval"]]
    for pattern in (
        r"AUC: ([\d.]+) % on 800 test rows, which had no part in any choice \(95 % interval ([\d.]+) to ([\d.]+) %\)",
        r"AUC on 800 test rows([\d.]+) %([\d.]+) % to ([\d.]+) %, cross-validated [\d.]+ %",
    ):
        shown = re.search(pattern, first_screen(page))
        assert [float(part) / 100 for part in shown.groups()] == pytest.approx(told, abs=0.0005 + 1e-9)
