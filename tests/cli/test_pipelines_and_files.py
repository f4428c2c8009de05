"""Models that Python stored, on files, and models of the command line, in Python: the same data, the same verdict."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from separatrix import (
    KernelSVM,
    LinearSVM,
    LogisticClassifier,
    OptionError,
    Preparation,
    load,
    read_table,
    save,
    verify,
)
from separatrix.cli.main import main
from separatrix.estimators.store.model_file import fingerprint_of, read_model_file

N = 80
NUMBERS = ["age", "pulse"]


@pytest.fixture(autouse=True)
def frame(tmp_path, monkeypatch):
    """Patients as pandas reads them from p.csv: numbers, words, truth values, dates and gaps."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(3)
    ill = np.arange(N) % 2
    table = pd.DataFrame(
        {
            "age": np.round(random.normal(40 + 20 * ill, 9), 1),
            "pulse": np.round(random.normal(70, 9, N)),
            "town": random.choice(["Rome", "Oslo", "Lima"], N),
            "smokes": random.random(N) < 0.4,
            "seen": pd.to_datetime("2024-01-01") + pd.to_timedelta(random.integers(0, 300, N), unit="D"),
            "w": random.integers(1, 4, N),
            "ill": np.where(ill, "yes", "no"),
        }
    )
    table.loc[::11, "town"] = None
    table.loc[::13, "pulse"] = np.nan
    table.to_csv("p.csv", index=False)
    return pd.read_csv("p.csv")


def ran(capsys, *words):
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def columns_of_both():
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS),
        (OneHotEncoder(handle_unknown="ignore"), ["town"]),
        ("passthrough", ["w"]),
        (OrdinalEncoder(), ["smokes"]),
    )


PIPELINES = {
    "bare": lambda: (LinearSVM(), ["age", "w"]),
    "scaler": lambda: (make_pipeline(StandardScaler(), LinearSVM()), ["w", "age"]),
    "imputer": lambda: (make_pipeline(SimpleImputer(), StandardScaler(), LogisticClassifier()), NUMBERS),
    "preparation": lambda: (make_pipeline(Preparation(), LinearSVM()), ["age", "pulse", "town", "smokes", "seen", "w"]),
    "columns": lambda: (make_pipeline(columns_of_both(), LinearSVM()), ["age", "pulse", "town", "smokes", "w"]),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", PIPELINES)
def test_python_and_the_command_line_agree(frame, capsys, name, weighted):
    model, columns = PIPELINES[name]()
    columns = [column for column in columns if not (weighted and column == "w")] or ["age"]
    if weighted and name == "columns":
        columns, model = (
            [*NUMBERS, "town"],
            make_pipeline(
                make_column_transformer((SimpleImputer(), NUMBERS), (OneHotEncoder(), ["town"])), LinearSVM()
            ),
        )
    X, y, w = frame[columns], frame["ill"], frame["w"] if weighted else None
    step = f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"
    model.fit(X, y, **({step: w} if weighted else {}))
    save(model, "m.json", data=(X, y, w))
    here = verify(model, X, y, w)
    assert here.holds
    again = load("m.json")
    assert verify(again, X, y, w) == here
    code, out, _ = ran(capsys, "verify", "m.json", "p.csv", "--json", *(["--weights", "w"] if weighted else []))
    found = json.loads(out)
    assert (found["same_data"], found["claim_holds"], code) == (True, True, 0)
    assert found["error"] == pytest.approx(here.error, rel=1e-6, abs=1e-12)
    code, out, _ = ran(capsys, "predict", "m.json", "p.csv")
    assert out.split() == model.predict(X).tolist()
    frame.assign(age=frame["age"].where(frame.index != 7, 41.25)).to_csv("other.csv", index=False)
    code, out, _ = ran(capsys, "verify", "m.json", "other.csv", *(["--weights", "w"] if weighted else []))
    assert code == 1
    assert "The data are NOT those that the model was fitted to" in out


@pytest.mark.parametrize("options", [[], ["--weights", "w"], ["--drop", "seen", "--id", "town"]])
def test_a_model_of_the_command_line_in_python(frame, capsys, options):
    assert ran(capsys, "fit", "p.csv", "m.json", "-t", "ill", "--scale", *options)[0] == 0
    left_out = set(options[1::2]) | {"ill"}
    X, w = frame[[name for name in frame if name not in left_out]], frame["w"] if "w" in options else None
    stored = read_model_file("m.json")
    assert fingerprint_of((X, frame["ill"], w), stored.model) == stored.fingerprint
    assert fingerprint_of((frame.drop(columns=left_out - {"ill"}), frame["ill"], w), stored.model) == stored.fingerprint
    assert verify(stored.model, X, frame["ill"], w).proved
    code, out, _ = ran(capsys, "verify", "m.json", "p.csv")  # it knows which column the weights are
    assert (code, "are those that the model was fitted to" in out) == (0, True)


def test_weights_that_verify_is_not_told_of(frame, capsys):
    X, y = frame[["age"]], frame["ill"]
    save(LinearSVM().fit(X, y, sample_weight=frame["w"]), "m.json", data=(X, y, frame["w"]))
    code, out, _ = ran(capsys, "verify", "m.json", "p.csv")
    assert code == 1
    assert "the model was fitted to rows with weights, and --weights names no column" in out


def test_numbers_without_names_and_numeric_labels(capsys, frame):
    frame[["age", "w"]].assign(y=(frame["ill"] == "yes").astype(float)).to_csv("n.csv", index=False)
    table = read_table("n.csv")
    model = make_pipeline(StandardScaler(), LinearSVM()).fit(table.X, table.labels)
    save(model, "m.json", data=(table.X, table.labels))
    assert ran(capsys, "verify", "m.json", "n.csv")[0] == 0
    truth = frame[["age"]].assign(y=frame["ill"] == "yes")
    truth.to_csv("b.csv", index=False)
    save(LinearSVM().fit(truth[["age"]], truth["y"]), "m.json", data=(truth[["age"]], truth["y"]))
    assert ran(capsys, "verify", "m.json", "b.csv")[0] == 0  # True and False are text in a file


def test_dual_variables_may_be_left_out(frame, capsys):
    X, y = frame[["age", "w"]], frame["ill"]
    model = make_pipeline(StandardScaler(), LinearSVM()).fit(X, y)
    save(model, "whole.json", data=(X, y))
    save(model, "short.json", data=(X, y), dual=False)
    short = load("short.json")
    assert short[-1].certificate_.alpha.size == short[-1].dual_coef_.size == 0
    assert model[-1].certificate_.alpha.size > 0
    np.testing.assert_array_equal(short.decision_function(X), model.decision_function(X))
    found = verify(short, X, y)
    assert (found.holds, found.proved) == (True, False)
    assert not verify(short, X, y[::-1].to_numpy()).holds
    code, out, _ = ran(capsys, "verify", "short.json", "p.csv")
    assert code == 0
    assert "The file holds no dual variables: the gap that it states" in out
    assert ran(capsys, "fit", "p.csv", "m.json", "-t", "ill", "--no-dual")[0] == 0
    assert "_dual_left_out" in Path("m.json").read_text()
    code, _, err = ran(capsys, "fit", "p.csv", "m.json", "-t", "ill", "--kernel", "rbf", "--no-dual")
    assert (code, "KernelSVM predicts by its dual variables" in err, "--no-dual" in err) == (2, True, True)
    with pytest.raises(OptionError, match="leave dual=False out"):
        save(KernelSVM().fit(X, y), "k.json", dual=False)


def test_a_study_reads_its_file_as_the_other_commands_do(frame, capsys):
    frame["town"] = frame["town"].fillna("Unknown")
    frame["id"] = [f"p{i}" for i in range(N)]
    frame.to_csv("u.csv", index=False, sep=";", decimal=",")
    options = ["--missing", "unknown", "--drop", "seen", "--id", "id"]
    code, _, err = ran(capsys, "study", "u.csv", "-t", "ill", "--seconds", "1", "--folds", "2", *options)
    assert code == 0
    assert "u.csv: numbers have a decimal comma." in err
    model = load("model.json")
    assert "town=(missing)" in model[0].feature_names_out_
    assert not any(name.startswith(("seen", "id")) for name in model[0].feature_names_out_)
    code, out, _ = ran(capsys, "verify", "model.json", "u.csv")  # the words for missing are remembered
    assert (code, "are those that the model was fitted to" in out) == (0, True)


@pytest.mark.parametrize(("name", "target"), [("words", "ill"), ("numbers", "price")])
def test_files_of_the_first_schema_verify_and_predict_as_they_did(capsys, name, target):
    """Their fingerprints are of prepared columns, and to one of them none and - are words."""
    folder = Path(__file__).parent / "models_of_schema_1"
    assert read_model_file(folder / f"{name}.json").schema == 1
    code, out, _ = ran(capsys, "verify", folder / f"{name}.json", folder / f"{name}.csv")
    assert (code, "are those that the model was fitted to" in out) == (0, True)
    table = pd.read_csv(folder / f"{name}.csv", keep_default_na=False, na_values=[""])
    table.iloc[::-1].to_csv("other.csv", index=False)
    code, out, _ = ran(capsys, "verify", folder / f"{name}.json", "other.csv")
    assert (code, "are NOT those" in out) == (1, True)
    if name == "words":
        _, out, _ = ran(capsys, "predict", folder / "words.json", folder / "words.csv", "--scores")
        assert out == (folder / "words.txt").read_text()
