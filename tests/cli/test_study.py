"""The study, from a file to a page, a model and a few sentences."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_iris

from cli.files import patients
from separatrix import Comparison, DataError, load
from separatrix.cli.main import main
from separatrix.data.files.reading import read_columns
from separatrix.selection.study import study

FAST = ["least squares", "linear SVM", "Gaussian discriminant"]


@pytest.fixture(scope="module")
def studied(tmp_path_factory):
    """A file, and the folder with what a study of it left."""
    folder = tmp_path_factory.mktemp("study")
    table = patients(folder / "patients.csv", rows=60)
    assert main(["study", str(table), "--target", "ill", "--out", str(folder / "out"), "--seconds", "8"]) == 0
    return table, folder / "out"


def test_it_leaves_a_page_and_a_model(studied, capsys):
    table, out = studied
    assert sorted(os.listdir(out)) == ["model.json", "report.html"]
    page = (out / "report.html").read_text()
    assert "http://" not in page.replace("http://www.w3.org/", "")
    assert "https://" not in page
    HTMLParser().feed(page)
    raw, model = read_columns(table, "ill"), load(out / "model.json")
    assert np.mean(model.predict(raw.X) == raw.labels) > 0.8
    assert main(["verify", str(out / "model.json"), str(table)]) == 0
    assert "The claim holds." in capsys.readouterr().out


def test_json_for_machines_and_nothing_else(studied, capsys, tmp_path):
    table, _ = studied
    code = main(["study", str(table), "-t", "ill", "-o", str(tmp_path), "--json", "--seconds", "2", "--seed", "3"])
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    found = json.loads(captured.out)
    assert (found["rows"], found["seed"], found["separability"]["kind"]) == (60, 3, "overlap")
    assert found["chosen"] in {row["name"] for row in found["comparison"]["rows"]}
    page = (tmp_path / "report.html").read_text()
    assert "--seconds 2 --seed 3" in page


@pytest.mark.parametrize("width", [60, 80, 130])
def test_pipes_and_narrow_terminals_get_plain_text(studied, capsys, monkeypatch, width):
    table, out = studied
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["study", str(table), "-t", "ill", "-o", str(out), "--seconds", "1"]) == 0
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err
    assert captured.err == ""  # no bar where there is no terminal
    assert all(len(line) <= max(width, 80) for line in captured.out.splitlines() if "/" not in line)
    assert captured.out.strip().splitlines()[0].startswith("patients.csv 60 rows, 5 features; no 30, yes 30")
    assert "The classes overlap: no plane has every row on its own side, and " in " ".join(captured.out.split())
    assert re.search(r"5-fold cross-validation: 60 rows, 2 classes", captured.out)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("x,y\n1,a\n2,a\n3,a\n", "t.csv holds 1 class only: a in all 3 rows. A study needs two or more."),
        (
            "x,y\n1,a\n2,b\n3,b\n",
            "The class 'a' has 1 row of 3 rows, which cannot be both learnt from and tested with.",
        ),
        ("x,y\n1,a\n1,b\n1,b\n1,a\n", "No column is left that could tell rows apart"),
        ("x,y\n1e999,a\n1,b\n2,b\n1,a\n", "Column 'x' holds inf in row 0"),
    ],
)
def test_what_cannot_be_studied_is_refused(tmp_path, capsys, content, said):
    table, out = tmp_path / "t.csv", tmp_path / "out"
    table.write_text(content)
    assert main(["study", str(table), "-o", str(out)]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert said in captured.err
    assert not out.exists(), "nothing is left of a study that failed"


def test_four_rows_are_enough(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("x,y\n0,a\n1,a\n5,b\n7,b\n")
    assert main(["study", str(table), "-o", str(tmp_path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "The classes are linearly separable, which is proved: a plane has every row on its own side." in out
    assert "The widest margin there is, 2, is held by 2 rows." in out


def test_the_same_seed_gives_the_same_study():
    iris = load_iris()
    one, two = (study(iris.data, iris.target, algorithms=FAST, random_state=4) for _ in range(2))
    assert one.comparison == two.comparison
    assert isinstance(one.comparison, Comparison)
    assert (one.chosen, one.why, one.verdict) == (two.chosen, two.why, two.verdict)
    np.testing.assert_array_equal(one.classifier.coef_, two.classifier.coef_)


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
@pytest.mark.parametrize(("classes", "said"), [(2, "no plane separates the classes"), (3, "not all classes can be")])
def test_what_an_overlap_proves_is_said_and_no_more(classes, said):
    rng = np.random.default_rng(0)
    found = study(rng.standard_normal((60, 2)), np.arange(60) % classes, algorithms=["Ho-Kashyap"])
    claim = found.verdict[-1]
    assert said in claim
    assert "is not proved" in claim
    assert "proved to be the best" not in claim
    assert "proved" not in found.why
    assert (found.to_dict()["certificate"]["proof"], found.to_dict()["certificate"]["proves_fit"]) == (True, False)


def test_overlap_of_some_rows_is_an_overlap_of_all(monkeypatch):
    monkeypatch.setattr("separatrix.selection.study.OVERLAP_SAMPLE_ROWS", 40)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 3)), rng.integers(1, 3, 200)
    found = study(X, y, algorithms=FAST)
    proof = found.separability
    assert proof.problem.n_rows == proof.rows.size < 50
    assert proof.kind == "overlap"
    assert proof.proved
    for row, values in ((each["row"], each["values"]) for each in found.witness):
        np.testing.assert_array_equal([values[name] for name in found.feature_names], X[row])
        assert found.y[row] in (1, 2)
    classes = {label: X[proof.witness[y[proof.witness] == label]] for label in (1, 2)}
    weights = {label: proof.weights[y[proof.witness] == label] for label in (1, 2)}
    np.testing.assert_allclose(weights[1] @ classes[1], weights[2] @ classes[2], rtol=1e-12)  # where the hulls meet


def test_c_changes_only_where_that_helps():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((100, 80))  # few rows, many useless features: a small C is better
    y = X[:, 0] + X[:, 1] + 0.8 * rng.standard_normal(100) > 0
    found = study(X, y, algorithms=["linear SVM"])
    here = int(np.argmin(np.abs(np.log(found.path.values))))
    spread = found.path.errors[int(np.argmin(found.path.mean))].std(ddof=1) / np.sqrt(5)
    helps = found.path.mean[here] - found.path.mean.min() > spread
    assert helps == (found.classifier.C != 1.0) == ("instead of 1" in found.why)
    assert helps


def test_a_study_in_python_takes_frames_and_refuses_one_class():
    with pytest.raises(DataError, match="holds 1 class only"):
        study([[1.0], [2.0]], ["a", "a"])


def test_python_m_separatrix(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "separatrix", "--version"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert re.fullmatch(r"separatrix \d+\.\d+\.\d+\n", done.stdout)


def test_one_feature_and_a_file_without_a_target(tmp_path, capsys):
    random = np.random.default_rng(0)
    file = tmp_path / "one.svm"
    file.write_text("\n".join(f"{1 if i % 2 else -1} 1:{random.normal(i % 2):.3f}" for i in range(50)))
    assert main(["study", str(file), "-o", str(tmp_path), "--seconds", "2"]) == 0
    assert "50 rows, 1 feature; -1 25, 1 25" in capsys.readouterr().out
    page = (tmp_path / "report.html").read_text()
    assert "<title>one.svm: separatrix study</title>" in page
    assert '<span class="file"><code>one.svm</code></span>' in page


def test_the_command_for_the_same_again_writes_a_tab_as_it_is_typed(tmp_path, capsys):
    table = patients(tmp_path / "patients.txt", rows=40)
    table.write_text(table.read_text().replace(",", "\t"))
    assert main(["study", str(table), "-t", "ill", "-o", str(tmp_path), "--seconds", "2", "--delimiter", "\\t"]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("Check:"))
    assert line.endswith("--delimiter '\\t'")
