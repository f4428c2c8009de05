"""Plain code of linear models: run by Python, SQLite and a compiler of C, it predicts what the model does."""

import ctypes
import shutil
import sqlite3
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline

import separatrix
from separatrix import LinearSVM, LinearSVR, LogisticClassifier, OptionError, Preparation, to_code

X, SPECIES = load_iris(return_X_y=True)
WORDS = np.array(["setosa's", 'the "red"', "é\\n?"])[SPECIES]
TWO = SPECIES > 1
LABELS = {"words": WORDS, "two": TWO, "numbers": SPECIES * 3 - 1}
MODELS = [LinearSVM(), LogisticClassifier(), separatrix.GaussianDiscriminant(), separatrix.OneVsRest(LinearSVM())]


def module(code):
    names = {}
    exec(code, names)
    return names


def queried(code, frame):
    """The last column of the query, of a table made of a frame."""
    with sqlite3.connect(":memory:") as base:
        frame.to_sql("points", base, index=False)
        return [row[-1] for row in base.execute(code)]


def library(code, folder):
    """The code as compiled C."""
    source, built = folder / "model.c", folder / "model.so"
    source.write_text(code, encoding="utf-8")
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert compiler, "the tests of code in C need a compiler: install gcc or clang"
    subprocess.run([compiler, "-Wall", "-Werror", "-O1", "-shared", "-fPIC", "-o", built, source], check=True)
    return ctypes.CDLL(str(built))


@pytest.mark.parametrize("y", LABELS)
@pytest.mark.parametrize("model", MODELS[:3], ids=repr)
def test_python_and_sql(model, y):
    model.fit(X, LABELS[y])
    expected = model.predict(X)
    code = module(to_code(model))
    assert [code["predict"](row) for row in X.tolist()] == expected.tolist()
    scores = np.array([code["scores"](row) for row in X.tolist()])
    assert np.allclose(scores, model.decision_function(X).reshape(len(X), -1), rtol=1e-12, atol=1e-12)
    found = queried(to_code(model, "sql"), pd.DataFrame(X, columns=["x1", "x2", "x3", "x4"]))
    assert found == expected.tolist()


def test_c(tmp_path):
    for number, y in enumerate(LABELS.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        model = LinearSVM().fit(X, y)
        built = library(to_code(model, "c"), folder)
        places = [built.predict((ctypes.c_double * 4)(*row)) for row in X.tolist()]
        assert (model.classes_[places] == model.predict(X)).all()
        texts = (ctypes.c_char_p * len(model.classes_)).in_dll(built, "LABELS")
        assert [text.decode() for text in texts] == [str(each) for each in model.classes_.tolist()]


def test_numbers_are_predicted(tmp_path):
    model = LinearSVR().fit(X[:, :3], X[:, 3])
    expected = model.predict(X[:, :3])
    code = module(to_code(model))
    assert np.allclose([code["predict"](row) for row in X[:, :3].tolist()], expected, rtol=1e-12)
    found = queried(to_code(model, "sql"), pd.DataFrame(X[:, :3], columns=["x1", "x2", "x3"]))
    assert np.allclose(found, expected, rtol=1e-12)
    built = library(to_code(model, "c"), tmp_path)
    built.predict.restype = ctypes.c_double
    assert np.allclose([built.predict((ctypes.c_double * 3)(*row)) for row in X[:, :3].tolist()], expected, rtol=1e-12)


def people():
    """Numbers with gaps, words with quotes and gaps, a column that is there or not, a constant."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(200) < 0.1, np.nan, rng.normal(50, 10, 200)),
            'the "ward"': rng.choice(["a", "b's", "(other)", None], 200, p=[0.5, 0.3, 0.1, 0.1]),
            "city": rng.choice([f"c{j}" for j in range(30)], 200),
            "flag": np.where(rng.random(200) < 0.3, np.nan, 1.0),
            "same": 1.0,
        }
    )
    risk = np.nan_to_num(frame["age"], nan=50.0) + 8 * (frame['the "ward"'] == "a") + rng.normal(0, 3, 200)
    return frame, np.digitize(risk, [50, 58])


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("scale", [True, False])
def test_tables_are_prepared_within_the_code(scale, k, tmp_path):
    frame, y = people()
    y = np.minimum(y, k - 1)
    preparation = Preparation(scale=scale, most_categories=8)
    model = Pipeline([("preparation", preparation), ("model", LogisticClassifier())]).fit(frame, y)
    frame = pd.concat([frame, frame.iloc[:5].assign(city="never seen")])
    code = module(to_code(model))
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert [code["predict"](row) for row in rows] == model.predict(frame).tolist()
    scores = np.array([code["scores"](row) for row in rows])
    assert np.allclose(scores, model.decision_function(frame).reshape(len(frame), -1), rtol=1e-9, atol=1e-9)
    assert queried(to_code(model, "sql"), frame) == model.predict(frame).tolist()
    with pytest.raises(OptionError, match="columns of numbers only"):
        to_code(model, "c")
    given = frame[["age"]].assign(city=np.arange(len(frame)) % 7.0)
    numeric = Pipeline([("preparation", Preparation(scale=scale)), ("model", LogisticClassifier())])
    numeric.fit(given, np.r_[y, y[:5]])
    built = library(to_code(numeric, "c"), tmp_path)
    places = [built.predict((ctypes.c_double * 2)(*row)) for row in given.to_numpy(dtype=float).tolist()]
    assert (numeric.classes_[places] == numeric.predict(given)).all()


def test_a_file_holds_the_code(tmp_path):
    model = LinearSVM().fit(X, SPECIES)
    assert (tmp_path / "model.py").write_text("") == 0
    assert to_code(model, path=tmp_path / "model.py") == (tmp_path / "model.py").read_text()


@pytest.mark.parametrize(
    ("make", "language", "message"),
    [
        (lambda: separatrix.KernelSVM().fit(X, SPECIES), "python", "does not predict by w.x"),
        (lambda: separatrix.NuSVM(nu=0.2).fit(X, SPECIES), "sql", "does not predict by w.x"),
        (lambda: LinearSVM().fit(X, SPECIES), "cobol", "must be one of python, sql, c. Got 'cobol'"),
    ],
)
def test_what_has_no_code_is_refused(make, language, message):
    with pytest.raises(OptionError, match=message):
        to_code(make(), language)
