"""`separatrix export`: a model of a file in other forms, which predict the same."""

import sqlite3

import numpy as np
import onnxruntime
import pandas as pd
import pytest

from separatrix import load, read_liblinear, read_libsvm
from separatrix.cli.main import main


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table, and the models of it."""
    folder = tmp_path_factory.mktemp("export")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.normal(50, 10, 80).round(1), "dose": rng.normal(0, 1, 80), "ward": rng.choice(["a", "b"], 80)}
    )
    frame["ill"] = np.where(frame["age"] + 9 * (frame["ward"] == "a") + rng.normal(0, 3, 80) > 55, "yes", "no")
    frame.to_csv(folder / "rows.csv", index=False)
    frame.drop(columns="ward").to_csv(folder / "numbers.csv", index=False)
    for name, rows, options in (
        ("words", "rows", ["--scale"]), ("plane", "numbers", []), ("machine", "numbers", ["--kernel", "rbf"]),
    ):  # fmt: skip
        words = ["fit", str(folder / f"{rows}.csv"), str(folder / f"{name}.json"), "--target", "ill", *options]
        assert main(words) == 0
    return folder, frame


def test_a_graph(files, capsys):
    folder, frame = files
    assert main(["export", str(folder / "words.json"), str(folder / "model.onnx")]) == 0
    assert "model.onnx" in capsys.readouterr().out
    session = onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])
    rows = {name: frame[[name]].to_numpy() for name in ("age", "dose", "ward")}
    assert (session.run(["label"], rows)[0] == load(folder / "words.json").predict(frame)).all()


def test_code(files):
    folder, frame = files
    expected = load(folder / "words.json").predict(frame).tolist()
    assert main(["export", str(folder / "words.json"), str(folder / "model.sql")]) == 0
    with sqlite3.connect(":memory:") as base:
        frame.to_sql("points", base, index=False)
        assert [row[-1] for row in base.execute((folder / "model.sql").read_text())] == expected
    assert main(["export", str(folder / "words.json"), str(folder / "model.txt"), "--to", "python"]) == 0
    names = {}
    exec((folder / "model.txt").read_text(), names)
    assert [names["predict"](row) for row in frame.to_dict("records")] == expected


def test_files_of_other_programs(files):
    folder, frame = files
    X = frame[["age", "dose"]]
    for name, ending, read in (("plane", "liblinear", read_liblinear), ("machine", "libsvm", read_libsvm)):
        assert main(["export", str(folder / f"{name}.json"), str(folder / f"model.{ending}")]) == 0
        labels = np.array(["no", "yes"])[read(folder / f"model.{ending}").predict(X.to_numpy())]
        assert (labels == load(folder / f"{name}.json").predict(X)).all()


@pytest.mark.parametrize(
    ("model", "output", "message"),
    [
        ("words.json", "model.txt", "the ending says no form"),
        ("words.json", "model.liblinear", "hold no preparation"),
        ("machine.json", "model.c", "does not predict by w.x"),
        ("words.json", "other.c", "columns of numbers only"),
        ("none.json", "model.onnx", "No such file"),
        ("words.json", "words.json", "the ending says no form"),
    ],
)
def test_what_cannot_be_written_is_told_in_one_line(files, model, output, message, capsys):
    folder, _ = files
    before = (folder / "words.json").read_bytes()
    assert main(["export", str(folder / model), str(folder / output)]) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert len(told) == 1
    assert message in told[0]
    assert (folder / "words.json").read_bytes() == before
