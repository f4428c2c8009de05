"""Kernel machines on the command line: fit, verify and predict on files of numbers and of texts."""

import json
import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone

from separatrix import KernelSVM, load, save
from separatrix.cli.main import main
from separatrix.data.fingerprint import fingerprint
from separatrix.data.prepare.columns import Columns, Words
from separatrix.data.prepare.text_column import TextColumn
from separatrix.errors import DataError
from separatrix.kernels import Spectrum, Tokens

TEXTS = ["cheap pills, buy now", "see you at five", "win money now!", "lunch at five?", "buy cheap", "we meet at lunch"]
SPAM = ["yes", "no"] * 3


@pytest.fixture
def signs(tmp_path):
    """An exclusive or of two numbers, in a file."""
    X = np.random.default_rng(0).uniform(-1, 1, (80, 2))
    labels = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    lines = [f"{a!r},{b!r},{label}" for (a, b), label in zip(X.tolist(), labels.tolist(), strict=True)]
    path = tmp_path / "signs.csv"
    path.write_text("\n".join(["a,b,kind", *lines]) + "\n", encoding="utf-8")
    return path, X, labels


@pytest.fixture
def mail(tmp_path):
    path = tmp_path / "mail.csv"
    lines = [f'"{text}",{label}' for text, label in zip(TEXTS, SPAM, strict=True)]
    path.write_text("\n".join(["text,spam", *lines]) + "\n", encoding="utf-8")
    return path


def run(*words):
    return main([str(word) for word in words])


def test_fit_verify_and_predict(signs, tmp_path, capsys):
    file, X, labels = signs
    model = tmp_path / "model.json"
    assert run("fit", "-a", "kernel-svm", file, model, "--kernel", "rbf", "--gamma", 0.5, "-c", 10, "--scale") == 0
    assert "KernelSVM(C=10.0, gamma=0.5) on 80 rows x 2 features" in capsys.readouterr().out
    assert run("verify", model, file) == 0
    assert "The claim holds." in capsys.readouterr().out
    assert run("predict", model, file, "--scores") == 0
    told = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    rows = (X - X.mean(axis=0)) / X.std(axis=0)
    by_hand = KernelSVM(C=10.0, gamma=0.5).fit(rows, labels)
    assert [label for label, _ in told] == by_hand.predict(rows).tolist()
    assert [float(score) for _, score in told] == pytest.approx(by_hand.decision_function(rows).tolist(), abs=1e-6)
    assert load(model)[-1].C == 10.0


def test_a_kernel_alone_means_the_kernel_machine(signs, tmp_path):
    file, model = signs[0], tmp_path / "model.json"
    for words, expected in (
        (["--kernel", "rbf"], KernelSVM()),
        (["--kernel", "linear"], KernelSVM("linear")),
        (["--kernel", "poly", "--degree", 2, "--coef0", 1, "--gamma", "auto"],
         KernelSVM("poly", degree=2, coef0=1.0, gamma="auto")),
        (["--kernel", "sigmoid", "--gamma", 0.01], KernelSVM("sigmoid", gamma=0.01)),
    ):  # fmt: skip
        assert run("fit", file, model, *words) == 0
        assert load(model)[-1].get_params() == expected.get_params()
        assert run("verify", model, file) == 0


def test_a_changed_model_or_other_data_fail(signs, tmp_path):
    file, model = signs[0], tmp_path / "model.json"
    assert run("fit", file, model, "--kernel", "rbf") == 0
    other = tmp_path / "other.csv"
    other.write_text(file.read_text().replace("same", "x").replace("other", "same").replace("x", "other"))
    assert run("verify", model, other) == 1
    tree = json.loads(model.read_text())
    tree["model"]["parameters"]["steps"][1]["tuple"][1]["fitted"]["dual_coef_"]["values"][0] *= 1.5
    model.write_text(json.dumps(tree))
    assert run("verify", model, file) == 1


@pytest.mark.parametrize(
    ("words", "kernel"),
    [
        (["--kernel", "tokens"], Tokens(normalized=True)),
        (["--kernel", "spectrum"], Spectrum(3, normalized=True)),
        (["--kernel", "spectrum", "--length", 2], Spectrum(2, normalized=True)),
    ],
    ids=str,
)
def test_a_column_of_texts(words, kernel, mail, tmp_path, capsys):
    model = tmp_path / "model.json"
    assert run("fit", mail, model, "-c", 10, *words) == 0
    assert "6 rows x 1 text" in capsys.readouterr().out
    assert run("verify", model, mail, "--json") == 0
    assert json.loads(capsys.readouterr().out)["same_data"] is True
    assert run("predict", model, mail, "--scores") == 0
    by_hand = KernelSVM(kernel, C=10.0).fit(TEXTS, SPAM)
    scores = [float(line.split("\t")[1]) for line in capsys.readouterr().out.splitlines()]
    assert scores == by_hand.decision_function(TEXTS).tolist()
    assert load(model).predict(["buy pills now"]).tolist() == ["yes"]


def test_texts_of_digits_and_missing_ones_stay_texts(tmp_path, capsys):
    file, model = tmp_path / "codes.csv", tmp_path / "model.json"
    file.write_text("code,kind\n0010010,a\n1111,b\n00100,a\n1110111,b\n,a\n")
    assert run("fit", file, model, "--kernel", "spectrum", "--length", 2, "-c", 10) == 0
    assert "1 missing text of the column 'code' taken as empty." in capsys.readouterr().out
    assert set(load(model)[-1].support_vectors_) <= {"0010010", "1111", "00100", "1110111", ""}
    assert run("verify", model, file) == 0
    capsys.readouterr()
    new = tmp_path / "new.csv"
    new.write_text("code\n001001\n11110\n")
    assert run("predict", model, new) == 0
    assert capsys.readouterr().out.split() == ["a", "b"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kernel", "gauss"], "There is no kernel 'gauss'"),
        (["--kernel", "rbf", "--gamma", "wide"], "The 'gamma' parameter"),
        (["--kernel", "rbf", "--gamma=-1"], "The 'gamma' parameter"),
        (["--kernel", "poly", "--degree", "0"], "The 'degree' parameter"),
        (["--gamma", "1"], "'linear SVM' has no parameter 'gamma'"),
        (["-a", "linear-svm", "--kernel", "rbf"], "'linear SVM' has no parameter 'kernel'"),
        (["--kernel", "tokens"], "one column of texts beside that of the labels. Got 2 columns: 'a', 'b'"),
        (["--kernel", "tokens", "--gamma", "1"], "--gamma is for kernels of numbers"),
        (["--kernel", "tokens", "--scale"], "--scale is for columns of numbers"),
        (["--kernel", "rbf", "--length", "2"], "--length 2 is for --kernel spectrum alone"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(words, said, signs, tmp_path, capsys):
    assert run("fit", signs[0], tmp_path / "model.json", *words) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert not (tmp_path / "model.json").exists()


def test_a_model_of_texts_that_was_stored_alone(mail, tmp_path, capsys):
    save(KernelSVM(Tokens(), C=10.0).fit(TEXTS, SPAM), tmp_path / "model.json", data=(TEXTS, SPAM))
    for command in ("predict", "verify"):
        assert run(command, tmp_path / "model.json", mail) == 2
        assert "of texts or sets that was stored alone" in capsys.readouterr().err


def test_rows_are_predicted_in_bounded_memory(signs, tmp_path):
    """Twenty times the rows take no more memory."""
    file, model = signs[0], tmp_path / "model.json"
    assert run("fit", file, model, "--kernel", "rbf") == 0
    header, *lines = file.read_text().splitlines()
    peaks = []
    for times in (60, 1200):
        (tmp_path / "many.csv").write_text("\n".join([header, *(lines * times)]) + "\n")
        tracemalloc.start()
        assert run("predict", model, tmp_path / "many.csv", tmp_path / "labels.txt") == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert len((tmp_path / "labels.txt").read_text().split()) == 1200 * len(lines)
    assert peaks[1] < 1.5 * peaks[0]


def test_the_column_of_texts_of_a_table():
    table = Columns(("n", "text"), (np.array([1.0, 2.0]), Words.of(["a b", None])), 2)
    with pytest.raises(DataError, match="Got 2 columns: 'n', 'text'"):
        TextColumn().fit(table)
    column = TextColumn("n").fit(table)
    assert column.transform(table) == ["a b", ""]
    assert column.transform(["as they are"]) == ["as they are"]
    with pytest.raises(DataError, match="'text'"):
        column.transform(Columns(("n",), (np.array([1.0]),), 1))
    with pytest.raises(DataError, match="takes a table"):
        clone(column).fit([1.0, 2.0])


def test_the_fingerprint_of_texts_and_sets():
    found = fingerprint(TEXTS, SPAM)
    assert (found.rows, found.features, found.classes) == (6, 1, {"no": 3, "yes": 3})
    assert fingerprint(np.array(TEXTS), SPAM) == found
    assert fingerprint([*TEXTS[:5], "other"], SPAM) != found
    assert fingerprint(["a", "bc"], [0, 1]) != fingerprint(["ab", "c"], [0, 1])
    assert fingerprint([{1, 2}, {3}], [0, 1]) == fingerprint([{2, 1}, frozenset({3})], [0, 1])
    assert fingerprint([{1, 2}, {3}], [0, 1]) != fingerprint([{1}, {2, 3}], [0, 1])
