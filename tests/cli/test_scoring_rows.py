"""New rows: tables of predictions, unseen words, rows by their lines, and `separatrix score` against scikit-learn."""

import csv
import json

import numpy as np
import pytest
from sklearn import metrics

from cli.files import houses, patients
from separatrix import Calibrated, LinearSVM, Preparation, load, save
from separatrix.cli.algorithms import setting
from separatrix.cli.main import main
from separatrix.data.files.reading import read_columns


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients(tmp_path / "p.csv")
    patients(tmp_path / "new.csv", rows=150, seed=5)
    return tmp_path


def ran(capsys, *words):
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture
def logistic(capsys):
    words = ("fit", "p.csv", "m.json", "-t", "ill", "--scale", "-a", "logistic-discrimination")
    assert ran(capsys, *words)[0] == 0
    return load("m.json")


def test_probabilities_have_a_header_with_the_classes(logistic, capsys):
    code, out, _ = ran(capsys, "predict", "m.json", "new.csv", "--proba")
    rows, X = rows_of(out), read_columns("new.csv", "ill").X
    assert (code, list(rows[0])) == (0, ["line", "prediction", "p(no)", "p(yes)"])
    found = np.array([[float(row["p(no)"]), float(row["p(yes)"])] for row in rows])
    np.testing.assert_array_equal(found, logistic.predict_proba(X))
    assert [row["line"] for row in rows] == [str(line) for line in range(2, 152)]


def test_ids_and_columns_are_carried_through(logistic, folder, capsys):
    lines = (folder / "new.csv").read_text().splitlines()
    text = "\n".join(["id," + lines[0], *(f'"a, {i:03d}",{line}' for i, line in enumerate(lines[1:]))])
    (folder / "ids.csv").write_text(text + "\n")
    code, out, _ = ran(capsys, "predict", "m.json", "ids.csv", "--id", "id", "--scores", "--output", "out.csv")
    assert (code, out) == (0, "")
    rows = rows_of((folder / "out.csv").read_text())
    assert list(rows[0]) == ["id", "prediction", "score"]
    assert [row["id"] for row in rows] == [f"a, {i:03d}" for i in range(150)]
    rows = rows_of(ran(capsys, "predict", "m.json", "ids.csv", "--keep-columns")[1])
    given = rows_of((folder / "ids.csv").read_text())
    assert list(rows[0]) == ["id", "age", "pressure", "town", "ill", "prediction"]
    assert [{name: row[name] for name in given[0]} for row in rows] == given
    first = json.loads(
        ran(capsys, "predict", "m.json", "ids.csv", "--id", "id", "--proba", "--json")[1].splitlines()[0]
    )
    assert (first["id"], set(first["probabilities"])) == ("a, 000", {"no", "yes"})


def test_what_a_model_does_not_have_is_said(capsys):
    ran(capsys, "fit", "p.csv", "m.json", "-t", "ill")
    code, _, err = ran(capsys, "predict", "m.json", "new.csv", "--proba")
    assert (code, "--proba: LinearSVM has no probabilities" in err, "Calibrated" in err) == (2, True, True)
    code, _, err = ran(capsys, "predict", "m.json", "new.csv", "a.txt", "--output", "b.csv")
    assert (code, "Both a.txt and --output b.csv" in err) == (2, True)
    code, _, err = ran(capsys, "predict", "m.json", "new.csv", "--id", "name")
    assert (code, "There is no column 'name'" in err) == (2, True)


def test_unseen_words_are_counted(logistic, folder, capsys):
    text = (folder / "new.csv").read_text().replace("Oslo", "Kiel")
    (folder / "new.csv").write_text(text)
    n = text.count("Kiel")
    for command in ("predict", "score"):
        err = ran(capsys, command, "m.json", "new.csv")[2]
        assert f"'town' has {n} rows with words that the fit did not see: 'Kiel' ({n}). They are of no category." in err


def test_rows_are_named_by_their_lines(folder, capsys):
    table = read_columns("p.csv", "ill", drop=("town", "pressure"))
    save(LinearSVM().fit(np.column_stack(table.X.values), table.labels), "bare.json")
    (folder / "gap.csv").write_text("# a comment\nage\n40\n\n50\nNA\n")
    code, _, err = ran(capsys, "predict", "bare.json", "gap.csv")
    assert code == 2
    assert "in line 6 of gap.csv" in err
    (folder / "s.csv").write_text("# a comment\nx,y\n1,a\n2,b\n3,a\n4,b\n")
    code, out, _ = ran(capsys, "separable", "s.csv")
    found = json.loads(ran(capsys, "separable", "s.csv", "--json")[1])
    assert found["lines"] == [row + 3 for row in found["witness"]]
    assert f"{found['witness'][0]} on line {found['lines'][0]}" in out


@pytest.mark.parametrize("calibrated", [False, True])
def test_scores_are_those_of_scikit_learn(logistic, capsys, calibrated):
    raw = read_columns("new.csv", "ill")
    model = logistic
    if calibrated:
        from sklearn.pipeline import make_pipeline

        train = read_columns("p.csv", "ill")
        model = make_pipeline(Preparation("ill"), Calibrated(LinearSVM())).fit(train.X, train.labels)
        save(model, "m.json")
    code, out, _ = ran(capsys, "score", "m.json", "new.csv", "--json", "-t", "ill")
    found, y, said = json.loads(out), raw.labels, model.predict(raw.X)
    p = model.predict_proba(raw.X)
    assert (code, found["rows"], found["classes"]) == (0, 150, ["no", "yes"])
    assert found["error"] == pytest.approx(1 - metrics.accuracy_score(y, said))
    assert found["balanced_error"] == pytest.approx(1 - metrics.balanced_accuracy_score(y, said))
    assert found["recall"] == pytest.approx(metrics.recall_score(y, said, average=None).tolist())
    assert found["precision"] == pytest.approx(metrics.precision_score(y, said, average=None).tolist())
    assert found["f1"] == pytest.approx(metrics.f1_score(y, said, average=None).tolist())
    assert found["confusion"] == metrics.confusion_matrix(y, said).tolist()
    assert found["log_loss"] == pytest.approx(metrics.log_loss(y, p))
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(y == "yes", p[:, 1]))
    assert found["brier"] == pytest.approx(2 * metrics.brier_score_loss(y == "yes", p[:, 1]))
    assert sum(own["rows"] for own in found["calibration"]) == 150
    top = found["calibration"][-1]
    there = (p[:, 1] >= top["low"]) & (p[:, 1] <= top["high"])
    assert top["observed"] == pytest.approx((y[there] == "yes").mean())
    assert "balanced error" in ran(capsys, "score", "m.json", "new.csv", "-t", "ill")[1]


def test_three_classes_and_a_label_that_the_model_does_not_know(folder, capsys):
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 30)
    X = random.normal(size=(90, 2)) + np.repeat([[0, 0], [2, 0], [0, 2]], 30, axis=0)
    lines = [f"{u},{v},{label}" for (u, v), label in zip(X.tolist(), y, strict=True)]
    (folder / "t.csv").write_text("\n".join(["u,v,y", *lines]) + "\n")
    ran(capsys, "fit", "t.csv", "m.json", "-a", "logistic-discrimination")
    (folder / "t2.csv").write_text("\n".join(["u,v,y", *lines, "0,0,d"]) + "\n")
    _, out, err = ran(capsys, "score", "m.json", "t2.csv", "--json")
    found, model = json.loads(out), load("m.json")
    assert "1 row with a label that the model does not know: 'd'." in err
    raw = read_columns("t.csv")
    p = model.predict_proba(raw.X)
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(y, p, multi_class="ovr"))
    assert found["log_loss"] == pytest.approx(metrics.log_loss(y, p))
    wrong = int((model.predict(raw.X) != y).sum())
    assert found["error"] == pytest.approx((wrong + 1) / 91)


def test_the_score_of_a_regressor(folder, capsys):
    houses(folder / "h.csv")
    houses(folder / "h2.csv", rows=50, seed=4)
    ran(capsys, "fit", "h.csv", "m.json", "-t", "price", "--scale", "-a", "least-squares-regression")
    found, raw = json.loads(ran(capsys, "score", "m.json", "h2.csv", "--json")[1]), read_columns("h2.csv", "price")
    truth, said = raw.labels.astype(float), load("m.json").predict(raw.X)
    assert found["mean_absolute_error"] == pytest.approx(metrics.mean_absolute_error(truth, said))
    assert found["r2"] == pytest.approx(metrics.r2_score(truth, said))
    assert "R² = " in ran(capsys, "score", "m.json", "h2.csv")[1]


def test_settings_that_are_mappings(capsys):
    assert setting("class_weight={'yes': 5, 'no': 1}") == ("class_weight", {"yes": 5, "no": 1})
    assert setting("class_weight={yes: 5, no: 1}") == ("class_weight", {"yes": 5, "no": 1})
    assert setting("class_weight={0: 1, 1: 2.5}") == ("class_weight", {0: 1, 1: 2.5})
    assert ran(capsys, "fit", "p.csv", "m.json", "-t", "ill", "--set", 'class_weight={"yes": 5, "no": 1}')[0] == 0
    assert load("m.json")[-1].class_weight == {"yes": 5, "no": 1}
    code, _, err = ran(capsys, "fit", "p.csv", "m.json", "--set", "class_weight={yes: 5")
    assert (code, "--set class_weight={yes: 5: this is no mapping" in err) == (2, True)


def test_what_was_recognised_is_said_unless_the_command_fails(folder, capsys):
    lines = [f"{i},{i % 7},{'ab'[i % 2]}" for i in range(20)]
    (folder / "t.csv").write_text("\n".join(["# a comment", "x,z,y", *lines]) + "\n")
    code, _, err = ran(capsys, "fit", "t.csv", "m.json")
    assert (code, err) == (0, "separatrix: t.csv: 1 line above the names of the columns skipped.\n")
    (folder / "t.csv").write_text("\n".join(["# a comment", "x,z,y", *lines, "1,1e300,a"]) + "\n")
    code, _, err = ran(capsys, "fit", "t.csv", "m.json")
    assert (code, err.count("\n")) == (2, 1)
    assert "Column 'z' holds 1e+300 in line 23 of t.csv" in err


def test_a_target_of_many_numbers_is_asked_about(folder, capsys):
    houses(folder / "h.csv")
    code, _, err = ran(capsys, "separable", "h.csv", "-t", "price")
    assert code == 2
    assert "'price' holds 90 different numbers in 90 rows: these are no classes" in err
    assert "--task regression" in err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("1.5,2,a\n2.5,3,b\n", "--no-header if there are none, --header if these are the names"),
        ("x;y\n1,234;a\n5,678;b\n", "--decimal , or --thousands ,"),
        ("x,y\n" + "1,a\n" * 30 + "unknown,b\n", "--missing unknown"),
        ("x\n1\n2\n", "Give --delimiter if the cells"),
        (b"x,y\n\xe9,a\n", "Say --encoding in which encoding it is"),
    ],
)
def test_messages_name_options_as_the_command_line_has_them(folder, capsys, content, said):
    (folder / "t.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    code, _, err = ran(capsys, "fit", "t.csv", "m.json")
    assert (code, err.count("\n")) == (2, 1)
    assert said in err
