"""Graphs of every model that has one, run by onnxruntime: the same predictions, scores to 1e-6."""

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import separatrix
from separatrix import OptionError, Preparation, to_onnx
from separatrix.estimators.registry import algorithms
from separatrix.kernels import RBF, Linear, Polynomial, Spectrum

pytestmark = pytest.mark.filterwarnings(
    "ignore::separatrix.NotCertifiedWarning", "ignore::separatrix.TrivialFitWarning"
)

IRIS, SPECIES = load_iris(return_X_y=True)
WORDS = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
CANCER, MALIGNANT = load_breast_cancer(return_X_y=True)
CANCER = StandardScaler().fit_transform(CANCER)[::3]
SETS = {
    "iris": (IRIS, WORDS),
    "two species": (IRIS[50:], SPECIES[50:] == 1),
    "cancer": (CANCER, MALIGNANT[::3] * 2.0),
}


def run(model, rows):
    """The outputs of the graph of a model, by their names."""
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, rows if isinstance(rows, dict) else {"X": rows}), strict=True))


def check(model, X, rows=None):
    """Hold the graph of a model against the model."""
    found = run(model, X if rows is None else rows)
    if "value" in found:
        assert np.allclose(found["value"], model.predict(X), rtol=1e-6, atol=1e-9)
        return
    if "inside" in found:
        assert (found["inside"] == model.predict(X)).all()
        assert np.allclose(found["scores"], model.decision_function(X), rtol=1e-6, atol=1e-9)
        return
    assert (found["label"] == model.predict(X)).all()
    if "scores" in found:
        scores = model.decision_function(X)
        assert np.allclose(found["scores"], scores.reshape(len(scores), -1), rtol=1e-6, atol=1e-9)
    if hasattr(model, "predict_proba"):
        assert np.allclose(found["probabilities"], model.predict_proba(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("row", algorithms("classification"), ids=lambda row: row.name)
def test_every_classifier(row, data):
    X, y = SETS[data]
    check(row.make(random_state=0, max_iter=2000, nu=0.2).fit(X, y), X)


@pytest.mark.parametrize("row", algorithms("regression"), ids=lambda row: row.name)
def test_every_regressor(row):
    check(row.make(random_state=0).fit(IRIS[:, :3], IRIS[:, 3]), IRIS[:, :3])


@pytest.mark.parametrize("row", algorithms("novelty"), ids=lambda row: row.name)
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_every_detector(row, kernel):
    check(row.make(nu=0.2, kernel=kernel).fit(IRIS), IRIS)


@pytest.mark.parametrize(
    "model",
    [
        separatrix.OneVsRest(separatrix.LinearSVM()),
        separatrix.OneVsOne(separatrix.LogisticClassifier()),
        separatrix.OneVsOne(separatrix.LinearSVM(), decision="dag"),
        separatrix.ErrorCorrectingCode(separatrix.KernelSVM(), code="exhaustive", random_state=0),
        separatrix.ErrorCorrectingCode(separatrix.LinearSVM(), code="exhaustive", decode="loss", random_state=0),
        separatrix.KernelSVM(RBF(0.2) + 2.0 * Linear()),
        separatrix.KernelSVM(Polynomial(2, 1.0, 0.3) * RBF(0.1)),
        separatrix.KernelSVM("sigmoid", gamma=0.01),
    ],
    ids=repr,
)
@pytest.mark.parametrize("k", [2, 3])
def test_reductions_and_composed_kernels(model, k):
    X, y = (IRIS, WORDS) if k == 3 else (IRIS[50:], WORDS[50:])
    check(model.fit(X, y), X)


def table():
    """Numbers and words with gaps, a rare word, a column of one value or none, a constant."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(300) < 0.1, np.nan, rng.normal(50, 10, 300)),
            "ward": rng.choice(["a", "b", "(other)", None], 300, p=[0.5, 0.3, 0.1, 0.1]),
            "city": rng.choice([f"c{j}" for j in range(40)], 300),
            "flag": np.where(rng.random(300) < 0.3, np.nan, 1.0),
            "same": 1.0,
        }
    )
    y = np.where(
        np.nan_to_num(frame["age"], nan=50.0) + 8 * (frame["ward"] == "a") + rng.normal(0, 4, 300) > 54, "x", "y"
    )
    return frame, y


def test_a_table_with_words_and_gaps():
    frame, y = table()
    for scale in (True, False):
        model = Pipeline(
            [("preparation", Preparation(scale=scale, most_categories=10)), ("model", separatrix.KernelSVM())]
        )
        model.fit(frame, y)
        rows = {
            name: frame[[name]].to_numpy(dtype=float) if name in ("age", "flag") else np.array(
                [[word if isinstance(word, str) else ""] for word in frame[name]], dtype=object
            )
            for name in ("age", "ward", "city", "flag")
        }  # fmt: skip
        assert sorted(rows) == sorted(each.name for each in to_onnx(model).graph.input)
        check(model, frame, rows)
        rows["city"][:] = "never seen"
        check(model, frame.assign(city="never seen"), rows)


def test_a_file_holds_the_graph(tmp_path):
    model = separatrix.LinearSVM().fit(IRIS, SPECIES)
    graph = to_onnx(model, tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").read_bytes() == graph.SerializeToString()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: separatrix.KernelSVM(Spectrum(2)).fit(["ab", "ba", "aa", "bb"], [0, 1, 0, 1]),
            "has no kernel|of texts",
        ),
        (lambda: separatrix.Calibrated(separatrix.LinearSVM()).fit(IRIS, SPECIES), "Calibrated has no ONNX graph"),
        (
            lambda: Pipeline([("s", StandardScaler()), ("m", separatrix.LinearSVM())]).fit(IRIS, SPECIES),
            "StandardScaler",
        ),
    ],
)
def test_what_has_no_graph_is_refused(make, message):
    with pytest.raises(OptionError, match=message):
        to_onnx(make())


def test_dates_are_refused():
    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=40), "x": np.arange(40.0) % 7})
    model = Pipeline([("preparation", Preparation()), ("model", separatrix.LinearSVM())]).fit(frame, np.arange(40) > 19)
    with pytest.raises(OptionError, match="the column 'day' holds some"):
        to_onnx(model)
