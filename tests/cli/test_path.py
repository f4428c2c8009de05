"""`separatrix path`: the errors, support rows, margins and gaps along an option."""

import json
import re

import numpy as np
import pytest

from cli.files import houses, patients
from separatrix import LinearSVM, Preparation, regularization_path
from separatrix.cli.main import main
from separatrix.data.files.reading import read_columns
from separatrix.selection.validation_curve import validation_curve


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return patients(tmp_path_factory.mktemp("path") / "patients.csv", rows=90)


def ran(capsys, *words):
    capsys.readouterr()
    code = main(["path", *map(str, words)])
    return code, *capsys.readouterr()


def test_the_figures_are_those_of_the_library(table, capsys):
    code, out, err = ran(capsys, table, "-t", "ill", "--scale", "--values", "0.1,10,1", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    raw = read_columns(table, "ill")
    X = Preparation("ill").fit_transform(raw.X)
    path = regularization_path(LinearSVM(), X, raw.labels, C=[0.1, 1.0, 10.0])
    curve = validation_curve(LinearSVM(), raw.X, raw.labels, [0.1, 1.0, 10.0], preparation=Preparation("ill"))
    rows = found["path"]
    assert [row["value"] for row in rows] == [0.1, 1.0, 10.0]
    assert [row["support_rows"] for row in rows] == path.support_rows.tolist()
    np.testing.assert_allclose([row["width"] for row in rows], path.widths, rtol=1e-9)
    np.testing.assert_allclose([row["train_error"] for row in rows], path.errors(X, raw.labels))
    np.testing.assert_allclose([row["fold_errors"] for row in rows], curve.errors)
    np.testing.assert_allclose([row["interval"] for row in rows], np.transpose([curve.low, curve.high]))
    assert (found["best"], found["within_one_standard_error"]) == (curve.best, curve.one_standard_error)
    assert all(row["proof"] and row["gap"] < 1e-6 for row in rows)


def test_the_table_names_the_least_error(table, capsys):
    code, out, _ = ran(capsys, table, "-t", "ill", "--scale")
    assert code == 0
    lines = out.splitlines()
    assert re.split(r" {2,}", lines[2].strip()) == [
        "C", "train %", "left out %", "95 % interval", "support", "width", "gap",
    ]  # fmt: skip
    assert sum(bool(re.match(r" *[\d.]+  ", line)) for line in lines[3:]) == 13
    assert sum(line.endswith("  least") for line in lines) == 1


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_it_is_drawn(table, tmp_path, capsys, suffix):
    picture = tmp_path / f"path.{suffix}"
    code, out, _ = ran(capsys, table, "-t", "ill", "--values", "0.1,1", "-o", picture)
    assert code == 0
    assert "Drawn in" in out
    assert picture.read_bytes()[:5] in (b"\x89PNG\r", b"<?xml", b"%PDF-")


def test_other_options_and_numbers(table, tmp_path, capsys):
    code, out, _ = ran(capsys, table, "-t", "ill", "-a", "least-squares", "--values", "0,10", "--json")
    found = json.loads(out)
    assert (code, found["option"], found["path"][0]["support_rows"]) == (0, "ridge", None)
    file = houses(tmp_path / "h.csv")
    words = [file, "-t", "price", "--scale", "-c", "1e5", "--option", "epsilon", "--values", "0,20000", "--folds", "3"]
    code, out, err = ran(capsys, *words)
    assert code == 0
    assert "so it is predicted as a number" in err
    assert re.search(r"\n +0 +[\d,]+ +[\d,]+ +[\d,]+ to [\d,]+ +\d+ +0 ", out)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "path.html"], "--out path.html: a picture has a name that ends in .png, .svg, .pdf"),
        (["--values", "a,b"], "a,b is no list of numbers, such as 0.1,1,10"),
        (["--values=-1,1"], "'C' parameter must be"),
        (["--option", "spam", "--values", "1"], "LinearSVM has no option 'spam'"),
        (["--option", "max_iter"], "--option max_iter: give its values"),
        (["-a", "fishers-discriminant"], "has no penalty. Name an option by --option"),
        (["--task", "novelty"], "separatrix path is for classes and numbers"),
        (["--kernel", "tokens"], "--kernel tokens takes texts"),
    ],
)
def test_what_cannot_be_asked_is_refused(table, capsys, words, said):
    try:
        code = main(["path", str(table), "-t", "ill", *words])
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert said in capsys.readouterr().err
