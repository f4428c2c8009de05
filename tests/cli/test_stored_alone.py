"""Models that hold no preparation, stored by `save` or fitted to LIBSVM text, on files with columns."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from separatrix import LinearSVM, Perceptron, StochasticRegressor, read_table, save
from separatrix.cli.main import main
from separatrix.data.files.reading import read_blocks

ROWS = "1,2,no\n2,1,no\n5,6,yes\n6,5,yes\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(f"a,b,label\n{ROWS}")
    return tmp_path


def ran(capsys, *words):
    """Exit code, standard output and standard error of a command."""
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def stored(file="t.csv", target="label"):
    table = read_table(file, target=target)
    save(Perceptron(random_state=0).fit(table.X, table.labels), "m", data=(table.X, table.labels))


def stored_with_names():
    frame = pd.read_csv("t.csv")
    save(Perceptron(random_state=0).fit(frame[["b", "a"]], frame["label"]), "m")


def test_a_model_of_read_table_goes_on_with_its_file(capsys):
    stored()
    code, out, _ = ran(capsys, "verify", "m", "t.csv")
    assert code == 0
    assert out.endswith("The data are those that the model was fitted to, by their fingerprint.\nThe claim holds.\n")
    assert ran(capsys, "predict", "m", "t.csv") == (0, "no\nno\nyes\nyes\n", "")


@pytest.mark.parametrize(
    "content",
    ["a,b\n1,2\n6,5\n", "label,p,q\nno,1,2\nyes,6,5\n", "p,q,label\n1,2,0\n6,5,1\n", "id,p,q\nz1,1,2\nz2,6,5\n"],
    ids=["no labels", "labels in front", "labels that are numbers", "words beside"],
)
def test_columns_of_numbers_are_the_features_in_their_order(folder, capsys, content):
    stored()
    (folder / "n.csv").write_text(content)
    assert ran(capsys, "predict", "m", "n.csv")[:2] == (0, "no\nyes\n")


def test_names_come_before_the_order(folder, capsys):
    frame = pd.DataFrame({"a": [0.0, 1.0, 9.0, 8.0], "b": [5.0, 5.0, 5.0, 5.0], "label": ["no", "no", "yes", "yes"]})
    frame.to_csv("t.csv", index=False)
    stored_with_names()
    (folder / "n.csv").write_text("b,id,a\n5,q,9\n5,r,0\n")
    assert ran(capsys, "predict", "m", "n.csv")[:2] == (0, "yes\nno\n")
    assert ran(capsys, "verify", "m", "t.csv")[0] == 0
    (folder / "n.csv").write_text("id,c,a\nq,5,9\n")
    code, out, err = ran(capsys, "predict", "m", "n.csv")
    assert (code, out) == (2, "")
    assert "1 column that the model takes is missing: 'b'. The columns are 'id', 'c', 'a'." in err


def test_the_first_rows_decide_which_columns_are_features(folder, capsys, monkeypatch):
    monkeypatch.setattr("separatrix.cli.predict.read_blocks", partial(read_blocks, rows=2))
    stored()
    (folder / "n.csv").write_text("a,b,label\n1,2,no\n2,1,no\n5,6,7\n6,5,8\n")
    assert ran(capsys, "predict", "m", "n.csv")[:2] == (0, "no\nno\nyes\nyes\n")
    (folder / "n.csv").write_text("a,b,label\n1,2,no\n2,1,no\n5,oops,7\n6,5,8\n")
    code, _, err = ran(capsys, "predict", "m", "n.csv")
    assert code == 2
    assert "Column 'b' holds 'oops', but the model takes numbers there." in err


def test_the_target_of_verify(folder, capsys):
    (folder / "front.csv").write_text("label,a,b\nno,1,2\nno,2,1\nyes,5,6\nyes,6,5\n")
    stored("front.csv")
    for target in ("label", "0"):
        assert ran(capsys, "verify", "m", "front.csv", "-t", target)[0] == 0
    code, out, _ = ran(capsys, "verify", "m", "front.csv")
    assert code == 1
    assert "The labels were taken from the last column, 'b': --target names another." in out
    assert out.endswith("The claim was not checked.\n")


def test_a_claim_is_not_called_false_for_data_that_cannot_be_read(folder, capsys):
    stored()
    (folder / "n.csv").write_text("a,b,c,label\n1,2,3,no\n5,6,7,yes\n")
    code, out, _ = ran(capsys, "verify", "m", "n.csv")
    assert code == 1
    assert "The model takes 2 features and knows no names of them, but the table has 3 columns of numbers" in out
    assert "NOT" not in out
    found = json.loads(ran(capsys, "verify", "m", "n.csv", "--json")[1])
    assert (found["claim_holds"], found["holds"]) == (None, False)
    (folder / "n.csv").write_text(f"a,b,label\n{ROWS}".replace("no", "yes", 1))
    code, out, _ = ran(capsys, "verify", "m", "n.csv")
    assert (code, out.splitlines()[-1]) == (1, "The claim does NOT hold.")


def test_numbers_to_predict(folder, capsys):
    (folder / "t.csv").write_text("a,b,y\n1,2,0.5\n2,1,0.75\n5,6,3.5\n6,5,3.25\n")
    table = read_table("t.csv")
    save(StochasticRegressor(random_state=0).fit(table.X, table.labels), "m", data=(table.X, table.labels))
    assert ran(capsys, "verify", "m", "t.csv")[0] == 0
    code, out, _ = ran(capsys, "predict", "m", "t.csv")
    assert (code, len(out.splitlines())) == (0, 4)


def test_a_model_of_libsvm_text_takes_columns_too(folder, capsys):
    X, y = np.array([[1.0, 2.0], [2.0, 1.0], [5.0, 6.0], [6.0, 5.0]]), np.array([-1, -1, 1, 1])
    dump_svmlight_file(X, y, "t.libsvm", zero_based=False)
    assert ran(capsys, "fit", "t.libsvm", "m")[0] == 0
    assert ran(capsys, "predict", "m", "t.csv")[:2] == (0, "-1\n-1\n1\n1\n")
    (folder / "few.csv").write_text("a\n1\n")
    code, _, err = ran(capsys, "predict", "m", "few.csv")
    assert (code, "The model takes 2 features" in err, "tuple.index" in err) == (2, True, False)
    (folder / "bare").write_text("1:2 2:3\n1:4 2:4\n")
    code, _, err = ran(capsys, "predict", "m", "bare")
    assert (code, "It looks like LIBSVM text without labels" in err) == (2, True)


def test_a_missing_number_is_said(folder, capsys):
    stored()
    (folder / "n.csv").write_text("a,b\n1,NA\n6,5\n")
    code, out, err = ran(capsys, "predict", "m", "n.csv")
    assert (code, out) == (2, "")
    assert "NaN" in err


@pytest.mark.parametrize("label", ["two\nlines", "a\rb", "a\tb", "back\\slash", "a\u2028b"])
def test_a_label_stays_on_its_line(label, capsys):
    X = [[0.0], [1.0], [4.0], [5.0]]
    save(LinearSVM().fit(X, np.array(["plain", "plain", label, label])), "m")
    pd.DataFrame({"x1": [5.0, 0.0]}).to_csv("n.csv", index=False)
    code, out, _ = ran(capsys, "predict", "m", "n.csv")
    first, second = out.splitlines()
    assert (code, second) == (0, "plain")
    assert first.encode("ascii").decode("unicode_escape") == label
    scored = ran(capsys, "predict", "m", "n.csv", "--scores")[1]
    assert [line.count("\t") for line in scored.splitlines()] == [1, 1]
    found = ran(capsys, "predict", "m", "n.csv", "--json")[1]
    assert json.loads(found.splitlines()[0])["label"] == label
