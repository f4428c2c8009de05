"""fit, predict, separable and verify, from files to files."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_iris

from cli.files import HEADER, patients
from separatrix import LinearSVM, load, save
from separatrix.cli import fit, lab, predict, separable, study, verify
from separatrix.cli.fit import choices
from separatrix.cli.main import main
from separatrix.data.files.reading import read_columns


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return patients(tmp_path / "patients.csv")


def ran(capsys, *words):
    """Exit code, standard output and standard error of a command."""
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_fit_predict_verify(table, capsys):
    code, out, err = ran(capsys, "fit", table, "model.json", "--target", "ill", "-c", 2)
    assert (code, err) == (0, "")
    assert out.startswith("LinearSVM(C=2.0) on 80 rows x 5 features: ")
    assert "9 missing numbers in 1 column filled with the column's median." in out
    assert "1 column of words turned into 3 columns of 0 and 1." in out
    assert "DualityGap: minimise 1/2 ||w||^2 + 2 sum max(0, 1 - y (w.x + b)), over 80 rows" in out

    code, out, err = ran(capsys, "predict", "model.json", table)
    model, raw = load("model.json"), read_columns(table, "ill")
    assert out.split() == model.predict(raw.X).tolist()
    right = int((model.predict(raw.X) == raw.labels).sum())
    assert (code, err) == (0, f"{right} of 80 known labels predicted correctly: error {(80 - right) / 80:.2%}.\n")

    code, out, _ = ran(capsys, "verify", "model.json", table)
    assert code == 0
    assert out.endswith("The data are those that the model was fitted to, by their fingerprint.\nThe claim holds.\n")
    quoted = re.search(r"gap +at most (\S+) of it", out).group(1)  # one figure in both sentences, rounding included
    assert f"All figures are recomputed from {table}: error at most {quoted}.\n" in out
    told = json.loads(ran(capsys, "verify", "model.json", table, "--json")[1])
    assert told["error"] <= told["bound"] <= float(quoted)


def test_fit_takes_features_as_they_are_like_liblinear(tmp_path, capsys):
    iris = load_iris()
    X, y = iris.data[50:], iris.target[50:]
    dump_svmlight_file(X, y, str(tmp_path / "iris"), zero_based=False)
    assert ran(capsys, "fit", "-c", "3", tmp_path / "iris", tmp_path / "m")[0] == 0
    wanted = LinearSVM(C=3).fit(X, y)
    np.testing.assert_allclose(load(tmp_path / "m")[-1].coef_, wanted.coef_, rtol=1e-9)
    _, out, err = ran(capsys, "predict", tmp_path / "m", tmp_path / "iris", "--scores")
    scores = np.array([line.split("\t")[1] for line in out.splitlines()], dtype=float)
    np.testing.assert_allclose(scores, wanted.decision_function(X), rtol=1e-9, atol=1e-9)
    assert err.startswith(f"{int((wanted.predict(X) == y).sum())} of 100 known labels predicted correctly")


def test_scaled_features_are_scaled_again_for_prediction(table, capsys):
    assert ran(capsys, "fit", table, "m", "-t", "ill", "--scale", "-a", "gaussian-discriminant")[0] == 0
    model = load("m")
    raw = read_columns(table, "ill")
    np.testing.assert_allclose(model[0].transform(raw.X)[:, 0].mean(), 0.0, atol=1e-12)
    _, out, _ = ran(capsys, "predict", "m", table, "--json")
    assert [json.loads(line)["label"] for line in out.splitlines()] == model.predict(raw.X).tolist()


@pytest.mark.parametrize("algorithm", sorted(choices()))
def test_every_algorithm_from_a_file_to_a_verdict(table, capsys, algorithm):
    code, out, err = ran(capsys, "fit", table, "m", "-t", "ill", "--scale", "-a", algorithm, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["estimator"] == choices()[algorithm].estimator.__name__
    assert found["training_errors"] <= 16
    assert all(line.startswith("separatrix: ") for line in err.splitlines())  # that it does not separate, perhaps
    assert ran(capsys, "verify", "m", table)[0] == 0


def test_verify_fails_on_other_data_and_on_a_changed_model(table, capsys):
    assert ran(capsys, "fit", table, "m", "-t", "ill")[0] == 0
    lines = table.read_text().splitlines()
    lines[1] = "99" + lines[1][lines[1].index(",") :]
    table.with_name("other.csv").write_text("\n".join(lines))
    code, out, _ = ran(capsys, "verify", "m", "other.csv")
    assert code == 1
    assert "The data are NOT those" in out
    assert out.endswith("The claim does NOT hold.\n")
    table.with_name("fewer.csv").write_text("\n".join(lines[:40]))
    assert ran(capsys, "verify", "m", "fewer.csv")[0] == 1
    table.with_name("renamed.csv").write_text(table.read_text().replace("age", "years"))
    code, out, _ = ran(capsys, "verify", "m", "renamed.csv", "--json")
    assert (code, json.loads(out)["holds"]) == (1, False)
    assert "1 column that fit saw is missing: 'age'" in json.loads(out)["why"]

    text = Path("m").read_text()
    digit = re.compile(r"\d\.\d{3}").search(text, text.index('"coef_"')).end() - 1
    Path("m").write_text(text[:digit] + ("2" if text[digit] == "1" else "1") + text[digit + 1 :])
    code, out, _ = ran(capsys, "verify", "m", table)
    assert code == 1
    assert "The model file was changed after it was written" in out
    assert ran(capsys, "predict", "m", table)[0] == 2


def test_verify_fails_where_the_claim_holds_of_other_data_or_in_a_changed_file(table, capsys):
    table.write_text("x,y\n0,a\n1,a\n5,b\n6,b\n")
    assert ran(capsys, "fit", table, "m", "-c", "inf")[0] == 0
    table.with_name("far.csv").write_text("x,y\n0,a\n1,a\n5,b\n9,b\n")  # a row that no margin depends on
    code, out, _ = ran(capsys, "verify", "m", "far.csv", "--json")
    found = json.loads(out)
    assert (code, found["claim_holds"], found["same_data"], found["model_unchanged"]) == (1, True, False, True)
    Path("m").write_text(re.sub(r'"separatrix": ".*?"', '"separatrix": "9.9"', Path("m").read_text(), count=1))
    code, out, _ = ran(capsys, "verify", "m", table, "--json")
    found = json.loads(out)
    assert (code, found["claim_holds"], found["same_data"], found["model_unchanged"]) == (1, True, True, False)


def test_separable(table, capsys):
    code, out, _ = ran(capsys, "separable", table, "--target", "ill")
    assert (code, out[:9]) == (0, "Overlap: ")
    assert ran(capsys, "separable", table, "--target", "ill", "--check")[0] == 1
    found = json.loads(ran(capsys, "separable", table, "-t", "ill", "--json")[1])
    assert (found["kind"], found["proved"], found["features"]) == (
        "overlap",
        True,
        4,
    )  # of three towns one is the reference
    table.write_text("x,y\n0,a\n1,a\n3,b\n")
    code, out, _ = ran(capsys, "separable", table, "--check")
    assert (code, out.splitlines()[0]) == (0, "Complete separation: 'a' and 'b' are linearly separable.")


def test_infinite_coefficients_of_words_are_those_that_run_off(table, capsys):
    """All of 'w' are ill, the others overlap: only the coefficient of w is infinite."""
    rows = ["u,no", "u,yes", "u,no", "v,no", "v,yes", "w,yes", "w,yes"]
    table.write_text("\n".join(["word,ill", *rows]))
    code, out, _ = ran(capsys, "separable", table)
    assert code == 0
    assert out.startswith("Quasi-complete")
    assert "word=w -> +inf" in out
    assert "word=v" not in out
    assert "(intercept)" not in out


def test_pipes(table, capsys, monkeypatch):
    with open(table) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert ran(capsys, "fit", "-", "m", "-t", "ill")[0] == 0
    with open(table) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        code, out, _ = ran(capsys, "predict", "m", "-")
    assert (code, len(out.split())) == (0, 80)


def test_predictions_in_blocks_are_those_of_the_whole(tmp_path, capsys, monkeypatch):
    long = patients(tmp_path / "long.csv", rows=1000)
    model = tmp_path / "m"
    assert ran(capsys, "fit", patients(tmp_path / "short.csv"), model, "-t", "ill")[0] == 0
    code, whole, _ = ran(capsys, "predict", model, long)
    monkeypatch.setattr("separatrix.cli.predict.read_blocks", stream_of_seven)
    assert (code, whole) == ran(capsys, "predict", model, long)[:2]


def stream_of_seven(*rest, **more):
    from separatrix.data.files.reading import read_blocks

    return read_blocks(*rest, **more, rows=7)


def test_an_output_file_appears_whole_or_not_at_all(table, capsys):
    assert ran(capsys, "fit", table, "m", "-t", "ill")[0] == 0
    assert ran(capsys, "predict", "m", table, "labels.txt")[0] == 0
    assert len(Path("labels.txt").read_text().split()) == 80
    before = sorted(os.listdir())
    with open(table, "a") as stream:
        stream.write("1,2\n")
    code, out, err = ran(capsys, "predict", "m", table, "labels2.txt")
    assert (code, out) == (2, "")
    assert err.startswith("separatrix: ")
    assert "line 82: the line has 2 fields" in err
    assert sorted(os.listdir()) == before
    assert ran(capsys, "fit", table, "m2", "-t", "ill")[0] == 2
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fit", "nowhere.csv", "m"], "separatrix: nowhere.csv: No such file or directory\n"),
        (["fit", "patients.csv", "m", "-t", "sick"], "There is no column 'sick'"),
        (["fit", "patients.csv", "m", "-a", "svm"], "There is no algorithm 'svm'. Choose one of perceptron-online, "),
        (["fit", "patients.csv", "m", "-a", "pocket", "-c", "1"], "'pocket' has no parameter 'C'"),
        (["fit", "patients.csv", "m", "--set", "max_iter"], "--set takes NAME=VALUE"),
        (["fit", "patients.csv", "m", "-c", "-1"], "must be"),
        (["fit", "patients.csv", "no/folder/m"], "no/folder"),
        (["fit", "patients.csv", "m", "-c", "inf"], "No plane separates the classes"),
        (["predict", "patients.csv", "patients.csv"], "patients.csv, line 1: no JSON"),
        (["verify", "m", "patients.csv"], "m: No such file or directory"),
        (["separable", "patients.csv", "--delimiter", "ab"], "delimiter must be one character"),
        (["verify", "", "patients.csv"], "separatrix: '': No such file or directory\n"),
        (["study", "--target", "ill"], "names a column of a FILE, and none was given"),
        (["fit", "patients.csv", "patients.csv"], "patients.csv is the file that is read, too: choose another name"),
        (["fit", "patients.csv", "./patients.csv"], "./patients.csv is the file that is read, too"),
    ],
)
def test_errors_are_one_line_and_leave_nothing(table, capsys, words, said):
    before = os.listdir()
    code, out, err = ran(capsys, *words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("separatrix: ")
    assert said in err
    assert os.listdir() == before


def test_what_argparse_refuses_is_one_line_too(capsys):
    for words in (
        ["fit", "a", "b", "--seed", "-1"],
        ["study", "--seed", "99999999999"],
        ["fit"],
        ["nonsense"],
        ["fit", "a", "b", "-c", "much"],
        ["study", "--folds", "1"],
        ["study", "--seconds", "-3"],
        ["study", "--seconds", "nan"],
        [],
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert "--help" in err


@pytest.mark.parametrize("command", [study, fit, predict, separable, verify, lab])
def test_help_has_examples_that_can_be_parsed(capsys, command, monkeypatch):
    from separatrix.cli.main import parser

    for width in ("40", "120"):
        monkeypatch.setenv("COLUMNS", width)
        with pytest.raises(SystemExit) as ended:
            main([command.NAME, "--help"])
        assert ended.value.code == 0
        assert command.EXAMPLES.strip() in capsys.readouterr().out
    examples = [line for line in command.EXAMPLES.splitlines() if "separatrix " in line]
    assert examples
    for line in examples:
        words = shlex.split(line[line.index("separatrix ") :].split(">")[0].split("&&")[0].split("   ")[0])
        parser().parse_args(words[1:])


def test_ctrl_c_and_closed_pipes(table, capsys, monkeypatch):
    monkeypatch.setattr("separatrix.cli.separable.separability", interrupted)
    assert ran(capsys, "separable", table, "-t", "ill") == (130, "", "separatrix: interrupted\n")


def interrupted(*rest, **more):
    raise KeyboardInterrupt


def test_a_terminal_without_unicode_gets_the_answer_too(table, capsys, monkeypatch):
    table.write_text(table.read_text().replace("Rome", "Ρώμη"))
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["separable", str(table), "--target", "ill"]) == 0
    assert stream.buffer.getvalue().startswith(b"Overlap")


def test_labels_may_be_missing_where_they_are_to_be_predicted(table, capsys):
    assert ran(capsys, "fit", table, "m", "-t", "ill")[0] == 0
    table.write_text(f"{HEADER}\n40,120,Rome,\n70,130,Oslo,yes\n")
    code, out, err = ran(capsys, "predict", "m", table)
    assert (code, len(out.split())) == (0, 2)
    assert err == "1 of 1 known label predicted correctly: error 0.00%.\n"
    table.write_text("town,age,pressure,extra\nRome,40,120,1\n")
    code, out, err = ran(capsys, "predict", "m", table)
    assert (code, out, err) == (0, "no\n", "")


@pytest.mark.parametrize("command", ["fit", "study"])
def test_indices_count_from_where_they_did_in_the_fit(tmp_path, capsys, command):
    X = np.random.default_rng(0).standard_normal((40, 4)).round(3)
    y = np.where(X[:, 1] > 0, 1, -1)
    rows = [" ".join([str(label), *(f"{j}:{x}" for j, x in enumerate(row))]) for label, row in zip(y, X, strict=True)]
    (tmp_path / "from0.svm").write_text("\n".join(rows))
    (tmp_path / "without0.svm").write_text("\n".join(re.sub(r" 0:\S+", "", row) for row in rows))
    (tmp_path / "from1.svm").write_text(
        "\n".join(re.sub(r"(\d+):", lambda found: f"{int(found[1]) + 1}:", row) for row in rows)
    )
    model = tmp_path / "model.json"
    how = [model] if command == "fit" else ["-o", tmp_path, "--seconds", "3"]
    assert ran(capsys, command, tmp_path / "from0.svm", *how)[0] == 0
    assert ran(capsys, "verify", model, tmp_path / "from0.svm")[0] == 0
    code, out, _ = ran(capsys, "predict", model, tmp_path / "without0.svm")
    X[:, 0] = 0.0
    assert (code, [int(label) for label in out.split()]) == (0, load(model).predict(sparse.csr_array(X)).tolist())

    assert ran(capsys, command, tmp_path / "from1.svm", *how)[0] == 0
    for reader in ("predict", "verify"):
        code, out, err = ran(capsys, reader, model, tmp_path / "from0.svm")
        assert (code, out) == (2, "")
        assert "from0.svm, line 1: an index 0, where 1 is the first" in err


def test_models_that_do_not_know_where_indices_count_from_still_load(tmp_path, capsys):
    X = np.random.default_rng(0).standard_normal((40, 4))
    dump_svmlight_file(X, np.where(X[:, 1] > 0, 1, -1), str(tmp_path / "data.svm"), zero_based=True)
    assert ran(capsys, "fit", tmp_path / "data.svm", tmp_path / "m")[0] == 0
    model = load(tmp_path / "m")
    assert model[0].first_index_ == 0
    del model[0].first_index_
    save(model, tmp_path / "old")
    assert ran(capsys, "predict", tmp_path / "old", tmp_path / "data.svm") == ran(
        capsys, "predict", tmp_path / "m", tmp_path / "data.svm"
    )
    assert ran(capsys, "verify", tmp_path / "old", tmp_path / "data.svm")[0] == 0


def test_what_the_fit_read_as_words_is_read_as_words_to_verify_it(tmp_path, capsys):
    flags = np.random.default_rng(0).random(40) < 0.5
    text = "code,y\n" + "\n".join(f"{flag},{'ab'[int(flag)]}" for flag in flags)
    (tmp_path / "t.csv").write_text(text)
    assert ran(capsys, "fit", tmp_path / "t.csv", tmp_path / "m")[0] == 0
    table = pyarrow.table({"code": flags, "y": ["ab"[int(flag)] for flag in flags]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    assert ran(capsys, "verify", tmp_path / "m", tmp_path / "t.parquet")[0] == 0


def test_options_are_refused_by_their_names_and_as_they_were_typed(capsys):
    for words, said in (
        (["--seconds", "-3"], "argument --seconds: -3 is no number of seconds above 0"),
        (["--seconds", "nan"], "argument --seconds: nan is no number of seconds above 0"),
        (["--folds", "1"], "argument --folds: 1 is no whole number of at least 2"),
        (["--folds", "2.5"], "argument --folds: 2.5 is no whole number of at least 2"),
    ):
        with pytest.raises(SystemExit):
            main(["study", *words])
        assert said in capsys.readouterr().err


def test_a_file_that_is_read_is_not_written_over(table, capsys):
    assert ran(capsys, "fit", table, "m", "-t", "ill")[0] == 0
    Path("link.csv").symlink_to(table)
    for output in (table, "link.csv", "m"):
        before = table.read_text(), Path("m").read_text()
        code, out, err = ran(capsys, "predict", "m", table, output)
        assert (code, out) == (2, "")
        assert err == f"separatrix: {output} is the file that is read, too: choose another name for what is written.\n"
        assert before == (table.read_text(), Path("m").read_text())


def test_a_tab_may_be_written_with_a_backslash(table, capsys):
    table.write_text(table.read_text().replace(",", "\t"))
    assert ran(capsys, "fit", table, "m", "-t", "ill", "--delimiter", "\\t")[0] == 0
    assert ran(capsys, "verify", "m", table, "--delimiter", "\t")[0] == 0


@pytest.mark.parametrize("command", ["predict", "study", "json"])
def test_what_the_output_cannot_hold_is_escaped(table, capsys, monkeypatch, command):
    table.write_text(table.read_text().replace("yes", "ja, \u00f6ft \U0001f984").replace("ja, ", "ja "))
    assert ran(capsys, "fit", table, "m", "-t", "ill")[0] == 0
    words = {
        "predict": ["predict", "m", table],
        "study": ["study", table, "-t", "ill", "--seconds", 2],
        "json": ["separable", table, "-t", "ill", "--json"],
    }[command]
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", stream)
    assert main([str(word) for word in words]) == 0
    out = stream.buffer.getvalue().decode("ascii")
    if command == "json":
        assert json.loads(out)["classes"] == ["ja \u00f6ft \U0001f984", "no"]
    else:
        assert "ja \\xf6ft \\U0001f984" in out
    assert stream.errors == "strict"


@pytest.mark.skipif(os.name != "posix", reason="a folder in use cannot be deleted elsewhere")
@pytest.mark.parametrize(
    "words",
    [
        ["predict", "MODEL", "DATA", "-o", "out.csv"], ["fit", "DATA", "m", "-t", "ill"],
        ["study", "DATA", "-t", "ill"],
        ["path", "DATA", "-t", "ill", "-o", "p.svg"], ["fit", "d.csv", "m", "-t", "ill"], ["verify", "m", "d.csv"],
        ["separable", "d.csv"], ["score", "m", "d.csv"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_working_directory_that_was_deleted_is_said(table, tmp_path, capsys, monkeypatch, words):
    assert ran(capsys, "fit", table, tmp_path / "m.json", "-t", "ill")[0] == 0
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    names = {"DATA": table.absolute() if table.is_absolute() else tmp_path / table, "MODEL": tmp_path / "m.json"}
    code, out, err = ran(capsys, *[names.get(word, word) for word in words])
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "the working directory has been deleted. Change to one that exists (cd), or give absolute paths." in err


PREDICTIONS = """
from separatrix.cli.main import main
for way in {ways}:
    if way != "--json":
        print("next", flush=True)
    assert main(["predict", "m", {table!r}, *way.split()]) == 0
"""


def test_no_line_is_lost_where_the_locale_knows_ascii_only(table, capsys, tmp_path):
    """A process of its own, as the encoding of the standard output is settled when it starts; files are UTF-8."""
    text = table.read_text(encoding="utf-8").replace("yes", "\u00c4pfel").replace("no\n", "\u68a8\n")
    table.write_text(text, encoding="utf-8")
    assert ran(capsys, "fit", table, "m", "-t", "ill")[0] == 0
    strict = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    n_rows = len(text.splitlines()) - 1
    ways = {"--json": n_rows, "": n_rows, "--scores": n_rows, "-o out.csv": 0}
    program = PREDICTIONS.format(table=str(table), ways=list(ways))
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | strict, capture_output=True, check=True)
    for way, out in zip(ways, done.stdout.decode("ascii").split("next\n"), strict=True):
        assert len(out.splitlines()) == ways[way], way
    assert b"Traceback" not in done.stderr
    written = Path("out.csv").read_bytes().decode("utf-8")
    assert written.count("\n") == n_rows + 1
    assert "\u00c4pfel" in written
