"""What is stored comes back to the last bit, and with it the proof."""

import io
import json
import os
import re
import stat
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from estimators.bit_by_bit import answers, fitted, same
from separatrix import (
    Decay,
    FisherDiscriminant,
    GaussianDiscriminant,
    HoKashyapClassifier,
    LinearSVM,
    LogisticClassifier,
    OneVsOne,
    OneVsRest,
    OptionError,
    Perceptron,
    PocketPerceptron,
    StochasticClassifier,
    StochasticRegressor,
    hull_distance,
    load,
    minimum_errors,
    robust_linear_program,
    save,
    separability,
    verify,
)
from separatrix.data import samples
from separatrix.data.fingerprint import fingerprint
from separatrix.data.prepare.preparation import Preparation
from separatrix.estimators.registry import algorithms, estimators
from separatrix.estimators.store.classes import records, stored_models
from separatrix.estimators.store.model_file import read_model_file
from separatrix.estimators.store.values import read, write_value

IRIS = samples.builtin("iris")
TWO = IRIS.labels != "setosa"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.json"


def again(model, file, **how):
    save(model, file, **how)
    return load(file)


def iris(two):
    return (IRIS.X[TWO], IRIS.labels[TWO]) if two else (IRIS.X, IRIS.labels)


def names(X):
    return pd.DataFrame(X, columns=["sepal length", "sepal width", "Blütenlänge", 'petal "width"'])


CONTAINERS = {
    "dense": np.asarray,
    "sparse": sparse.csr_array,
    "float32": lambda X: X.astype(np.float32),
    "named": names,
}


@pytest.mark.parametrize(
    ("two", "container"), [(True, "dense"), (False, "dense"), (False, "sparse"), (True, "float32"), (False, "named")]
)
@pytest.mark.parametrize("estimator", estimators(), ids=repr)
def test_everything_comes_back_to_the_last_bit(estimator, two, container, file):
    X, y = iris(two)
    X = CONTAINERS[container](X)
    model = fitted(estimator, X, y, record=container == "dense")
    loaded = again(model, file)
    assert same(model, loaded)
    assert same(model.get_params(), loaded.get_params())
    assert same(answers(model, X), answers(loaded, X))
    numbers = np.unique(y, return_inverse=True)[1] if is_regressor(model) else y
    assert verify(model, X, numbers) == verify(loaded, X, numbers)
    assert str(model.certificate_) == str(loaded.certificate_)
    assert not hasattr(loaded, "trace_")


def test_the_table_knows_every_estimator():
    kinds = {type(estimator).__name__ for estimator in estimators()}
    assert kinds <= stored_models().keys()
    assert {algorithm.estimator.__name__ for algorithm in algorithms()} <= stored_models().keys()


def test_a_file_may_name_these_records_and_no_others():
    """They follow from annotations: one that slips in by a new annotation is to be seen."""
    certificates = "Collected DualityGap MinimumErrors NearestPoint Overlap Separator Stationary Unproved WeakSeparator"
    parts = "Balance Decay EnclosingBall EpsilonInsensitive Examination FisherEquations FlatHingeRule "
    parts += "GaussianEquations HingeBand InteriorOverlap IsotonicMap JointMargin LogLoss MeanSlack Moments "
    parts += "NormalEquations NuInsensitive NuMargin PreparedColumn Reach SigmoidMap SoftMargin SparseTube "
    parts += "SquaredHingeRule SquaredTubeRule TubeBand Values"
    kernels = "Exponential Fisher Linear Mixture Normalized Polynomial Precomputed Product RBF Scaled SetIntersection "
    kernels += "Sigmoid Spectrum Sum Tokens"
    assert sorted(records()) == sorted(f"{certificates} {parts} {kernels}".split())


LABELS = {
    "text": np.array(["no", "a longer one"]),
    "objects": np.array(["ja", "nein"], dtype=object),
    "bool": np.array([False, True]),
    "small": np.array([-1, 1], dtype=np.int8),
    "float": np.array([0.0, 2.0]),
    "unsigned": np.array([0, 2**64 - 1], dtype=np.uint64),
    "wider than needed": np.array(["a", "b", "another"])[:2],
    "half a surrogate pair": np.array(["\ud800", "𝔘"], dtype=object),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_keep_their_type(kind, file):
    X = [[0.0], [1.0], [3.0], [4.0]]
    model = Perceptron(random_state=0).fit(X, LABELS[kind][[0, 0, 1, 1]])
    assert same(model, again(model, file))
    assert same(model.predict(X), load(file).predict(X))


OPTIONS = {
    "rate": Perceptron(learning_rate=Decay(0.5, power=0.75)),
    "NumPy": Perceptron(learning_rate=np.float32(0.1), max_iter=np.int64(50), shuffle=np.bool_(False)),
    "start": Perceptron(start=[0.1, -0.0, 1e-320, 5.0, 1.0]),
    "start in a tuple": Perceptron(start=(1, 2, 3, 4, np.float64(0.5))),
    "seed": Perceptron(random_state=np.int32(7)),
    "weights": LinearSVM(class_weight={"versicolor": 2, "virginica": np.float64(0.1)}),
    "balanced": LinearSVM(class_weight="balanced", time_limit=1e3),
    "averaged": Perceptron(averaged=True, random_state=0),
    "rate of t": StochasticClassifier(learning_rate=Decay(), l2=0.01, random_state=1),
    "reduction": OneVsRest(OneVsOne(Perceptron(learning_rate=Decay(2.0))), random_state=4),
    "pipelines inside": OneVsOne(make_pipeline(StandardScaler(), LinearSVM(C=np.float64(3)))),
    "hard": LinearSVM(C=float("inf")),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_come_back_as_they_were(name, file):
    X, y = iris(two=True)
    if name == "hard":
        X, y = IRIS.X, IRIS.labels == "setosa"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OPTIONS[name].fit(X, y)
    loaded = again(model, file)
    assert same(model, loaded)
    assert same(model.decision_function(X), loaded.decision_function(X))


def test_a_start_that_is_a_model(file):
    X, y = iris(two=True)
    model = LinearSVM(C=2.0, start=LinearSVM(C=1.0).fit(X, y)).fit(X, y)
    loaded = again(model, file)
    assert same(model, loaded)
    assert same(model.fit(X, y), loaded.fit(X, y))  # the start still works


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(averaged=True, random_state=0),
        StochasticClassifier(random_state=0, averaged=True),
        FisherDiscriminant(),
        GaussianDiscriminant(shrinkage=0.1),
        StochasticRegressor(random_state=0, averaged=True),
    ],
    ids=repr,
)
def test_learning_goes_on_where_it_ended(model, file):
    X, y = iris(two=False)
    y = np.unique(y, return_inverse=True)[1]
    first = {} if is_regressor(model) else {"classes": [0, 1, 2]}
    model.partial_fit(X[::2], y[::2], **first)
    loaded = again(model, file)
    assert same(model.partial_fit(X[1::2], y[1::2]), loaded.partial_fit(X[1::2], y[1::2]))


X_LINE = np.array([[1.0], [2.0], [2.0], [3.0], [3.0], [4.0]])
ENDS = {
    "complete": (LogisticClassifier(C=np.inf), [[1.0], [2.0], [4.0]], [0, 0, 1]),
    "quasi-complete": (
        LogisticClassifier(C=np.inf),
        [[1.0, 1.0], [2.0, 3.0], [2.0, 1.0], [2.0, 2.0], [3.0, 1.0]],
        [0, 0, 1, 0, 1],
    ),
    "rows on the plane": (LogisticClassifier(C=np.inf), [[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1]),
    "overlap": (LogisticClassifier(C=np.inf), X_LINE, [0, 1, 0, 1, 0, 1]),
    "three": (LogisticClassifier(C=np.inf), X_LINE, [0, 0, 1, 1, 2, 2]),
    "Ho-Kashyap": (HoKashyapClassifier(), X_LINE, [0, 1, 0, 1, 0, 1]),
    "Ho-Kashyap, three": (HoKashyapClassifier(), X_LINE, [0, 1, 2, 1, 0, 1]),
    "constant columns": (LogisticClassifier(C=np.inf), np.column_stack([X_LINE, X_LINE]), [0, 1, 0, 1, 0, 1]),
}


@pytest.mark.parametrize("name", ENDS)
def test_every_way_to_end(name, file):
    model, X, y = ENDS[name]
    model = fitted(model, X, y)
    loaded = again(model, file)
    assert same(model, loaded)
    assert same(answers(model, X), answers(loaded, X))
    assert verify(model, X, y) == verify(loaded, X, y)
    assert not hasattr(model, "summary") or model.summary() == loaded.summary()


def test_a_bound_that_a_certificate_quotes(file):
    X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
    model = PocketPerceptron(random_state=0).fit(X, y)
    minimum_errors(X, y).quoted_by(model)
    loaded = again(model, file)
    assert same(model, loaded)
    assert loaded.certificate_.bound.proved
    assert "1 error is proved to be necessary" in str(loaded.certificate_)


def claims():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 6)) * 10.0 ** rng.integers(-30, 30, 6), rng.integers(0, 2, 40)
    yield separability(X, y).certificate  # whole numbers of hundreds of digits
    yield separability(X[:5], y[:5]).certificate
    yield separability([[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1]).certificate
    yield separability(X_LINE, [0, 1, 2, 1, 0, 1]).certificate
    yield hull_distance([[0.0, 0.0], [2.0, 1.0], [2.0, -1.0]], [0, 1, 1]).certificate
    yield robust_linear_program([[0], [1], [2], [3], [4], [5]], list("aababb")).certificate
    yield robust_linear_program([[0], [1], [2], [3]], list("aabb")).certificate
    yield minimum_errors([[0], [1], [2], [3]], list("abab"))


@pytest.mark.parametrize("claim", list(claims()), ids=lambda claim: type(claim).__name__)
def test_every_certificate(claim):
    tree = json.loads(json.dumps(write_value(claim, ""), allow_nan=False))
    assert same(claim, read(tree))
    assert not any(getattr(array, "flags", None) and array.flags.writeable for array in vars(read(tree)).values())
    assert str(claim) == str(read(tree))


def test_whole_numbers_of_any_length():
    for number in (0, -1, 2**53 + 1, -(2**8191), 3**20_000, -(7**9000)):
        assert read(json.loads(json.dumps(write_value([number], "")))) == [number]


def test_numbers_that_json_does_not_have(file):
    bits = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 5e-324, 0.1, 1e308])
    for values in (
        bits,
        bits[:8].astype(np.float32),
        bits[:8].astype(np.float16),
        bits[:0],
        bits[4],
        bits[1],
        bits.tolist(),
    ):
        text = json.dumps(write_value(values, ""), allow_nan=False)
        assert same(values, read(json.loads(text)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.uint8, bool])
def test_what_is_mostly_zero_is_written_by_its_places(dtype):
    array = np.zeros((50, 40), dtype=dtype)
    array[7, 3] = array[49, 39] = 1
    for order in "CF":
        ordered = np.asarray(array, order=order)
        tree = write_value(ordered, "")
        assert len(tree["values"]) == (2 if dtype is not bool else 2000)
        found = read(json.loads(json.dumps(tree)))
        assert same(ordered, found)
        assert found.flags.f_contiguous == (order == "F")
    negative = np.zeros(100)
    negative[50] = -0.0
    assert same(negative, read(write_value(negative, "")))


STEPS = [StandardScaler(), StandardScaler(with_mean=False, with_std=False), MinMaxScaler((-1, 2)), MaxAbsScaler()]
STEPS += [RobustScaler(quantile_range=(10.0, 90.0)), SimpleImputer(), SimpleImputer(add_indicator=True)]
STEPS += [SimpleImputer(strategy="constant", fill_value=2), FisherDiscriminant(), Preparation(), "passthrough", None]


@pytest.mark.parametrize("step", STEPS, ids=repr)
@pytest.mark.parametrize("container", ["dense", "named", "float32"])
def test_pipelines(step, container, file):
    X, y = iris(two=False)
    X = CONTAINERS[container](X)
    if isinstance(step, SimpleImputer):
        X = X.mask(X > 7.0) if container == "named" else np.where(X > 7.0, np.nan, X)
    model = make_pipeline(step, StandardScaler(), LinearSVM(max_iter=50)).fit(X, y)
    loaded = again(model, file, data=(X, y))
    assert same(model, loaded)
    assert same(answers(model, X), answers(loaded, X))
    assert same(model[:-1].transform(X), loaded[:-1].transform(X))
    assert list(loaded.named_steps) == list(model.named_steps)


def test_words_that_are_prepared(file):
    table = pd.DataFrame({"petal": IRIS.X[:, 2], "colour": np.where(IRIS.X[:, 1] > 3.0, "blue", "white")})
    table.loc[7, "colour"] = None
    table.loc[9, "petal"] = np.nan
    model = make_pipeline(Preparation(), LinearSVM()).fit(table, IRIS.labels)
    loaded = again(model, file)
    assert same(model, loaded)
    assert same(answers(model, table), answers(loaded, table))


FIRST = ["-0x1.e3abf5b34d9cap-4", "-0x1.3a4cb8d4b24e1p-2", "0x1.b8b17930d72d2p-1", "0x1.ef36926d89c94p-1"]


def test_a_file_of_the_first_schema_is_read_for_good():
    """Written once, by the first version that wrote any: whatever changes, it must load."""
    model = load(Path(__file__).parent / "model_of_schema_1.json")
    X, y = IRIS.X[50:], IRIS.labels[50:]
    assert model[-1].coef_.tolist() == [[float.fromhex(number) for number in FIRST]]
    assert verify(model[-1], model[:-1].transform(X), y).proved
    assert model.score(X, y) > 0.9


def test_a_transformer_that_makes_frames(file):
    X, y = iris(two=False)
    model = make_pipeline(StandardScaler(), LinearSVM()).set_output(transform="pandas").fit(names(X), y)
    loaded = again(model, file)
    assert same(model, loaded)
    assert isinstance(loaded[0].transform(names(X)), pd.DataFrame)


# The file itself.


def test_the_file_is_strict_json_that_people_can_read(file):
    X, y = iris(two=True)
    save(LogisticClassifier(C=np.inf).fit(names(X), y), file, data=(X, y))
    text = file.read_text(encoding="utf-8")
    assert "NaN" not in text
    assert "Blütenlänge" in text
    assert max(map(len, text.splitlines())) < 200
    tree = json.loads(text, parse_constant=pytest.fail)
    assert list(tree) == ["format", "schema", "separatrix", "data", "model", "checksum"]
    assert tree["model"]["parameters"]["C"] == {"float": "inf"}
    assert tree["data"]["classes"] == {"versicolor": 50, "virginica": 50}
    assert re.fullmatch("sha256:[0-9a-f]{64}", tree["checksum"])


def test_saving_what_was_loaded_gives_the_same_file(file):
    X, y = iris(two=False)
    save(OneVsOne(LinearSVM()).fit(X, y), file)
    first = file.read_bytes()
    save(load(file), file)
    assert file.read_bytes() == first


def test_the_dual_variables_are_in_the_file_and_not_the_rows(file):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 5))
    y = X[:, 0] + 0.1 * rng.standard_normal(3000) > 0
    model = LinearSVM(C=1.0).fit(X, y)
    save(model, file, data=(X, y))
    tree = json.loads(file.read_text())["model"]["fitted"]
    assert tree["certificate_"]["fields"]["alpha"]["values"] == model.certificate_.alpha.tolist()
    assert tree["slacks_"]["shape"] == [3000]
    assert tree["slacks_"]["index"] == np.flatnonzero(model.slacks_).tolist()
    assert repr(float(X[0, 0])) not in file.read_text()


def test_the_line_for_one_more_class_is_enough(file, monkeypatch):
    """Another transformer: its name, its module, and what it has when fitted."""
    from sklearn.preprocessing import PowerTransformer

    from separatrix.estimators.store import classes

    model = make_pipeline(PowerTransformer(standardize=False), LinearSVM()).fit(*iris(two=True))
    with pytest.raises(OptionError, match="PowerTransformer.*Known: .*LinearSVM"):
        save(model, file)
    stored = classes.StoredModel("sklearn.preprocessing", {**classes.SEEN, "lambdas_": classes.floats("d")})
    monkeypatch.setitem(classes.OTHER_MODELS, "PowerTransformer", stored)
    assert same(model, again(model, file))


def test_what_was_there_stays_if_writing_fails(file, monkeypatch):
    X, y = iris(two=True)
    save(LinearSVM().fit(X, y), file)
    before = file.read_bytes()
    full = OSError(28, "No space left on device")
    for step, problem in (("fsync", KeyboardInterrupt), ("replace", KeyboardInterrupt), ("fsync", full)):

        def fails(*given, problem=problem):
            raise problem

        other = LinearSVM(C=2.0).fit(X, y)
        with monkeypatch.context() as patched:
            patched.setattr(os, step, fails)
            with pytest.raises((KeyboardInterrupt, OSError)) as caught:
                save(other, file)
        assert file.read_bytes() == before
        assert os.listdir(file.parent) == ["model.json"]
    assert "The disk is full" in str(caught.value)
    assert "tmp'" not in str(caught.value)


def test_a_file_keeps_its_permissions_and_a_link_stays_a_link(tmp_path, file):
    X, y = iris(two=True)
    model = Perceptron(max_iter=1000, random_state=0).fit(IRIS.X, IRIS.labels == "setosa")
    save(model, file)
    file.chmod(0o600)
    link = tmp_path / "link.json"
    link.symlink_to(file)
    save(LinearSVM().fit(X, y), link)
    assert link.is_symlink()
    assert isinstance(load(file), LinearSVM)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_places_that_cannot_be_written_to(tmp_path):
    model = LinearSVM().fit(*iris(two=True))
    with pytest.raises(FileNotFoundError, match="The folder .*nowhere does not exist: make it first: '.*model.json'"):
        save(model, tmp_path / "nowhere" / "model.json")
    with pytest.raises(IsADirectoryError, match="A folder has this name"):
        save(model, tmp_path)
    (tmp_path / "text").write_text("")
    with pytest.raises(NotADirectoryError, match="is not a folder"):
        save(model, tmp_path / "text" / "model.json")
    assert os.listdir(tmp_path) == ["text"]
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.json")


# What cannot be stored.

REFUSED = {
    "function": (Perceptron(learning_rate=lambda t: 1.0 / t), "The 'learning_rate' parameter of Perceptron .*lambda"),
    "generator": (Perceptron(random_state=np.random.RandomState(0)), "The 'random_state' parameter.*whole number"),
    "foreign": (OneVsRest(SimpleImputer), "The 'estimator' parameter of OneVsRest .*SimpleImputer"),
    "complex": (Perceptron(start=np.array([1j])), "The 'start' parameter .*complex128"),
    "dates": (Perceptron(start=np.array(["2020-01-01"], dtype="M8[D]")), "The 'start' parameter .*datetime64"),
    "masked": (Perceptron(start=np.ma.ones(3)), "The 'start' parameter .*MaskedArray"),
    "bytes": (LinearSVM(class_weight={"a": b"1"}), "The 'class_weight' parameter of LinearSVM .*bytes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_stored_is_named_and_nothing_is_written(name, file):
    model, message = REFUSED[name]
    with pytest.raises(OptionError, match=message):
        save(model, file)
    assert os.listdir(file.parent) == []


def test_models_that_cannot_be_stored(file):
    X, y = iris(two=True)
    with pytest.raises(OptionError, match="LinearSVM is not fitted"):
        save(LinearSVM(), file)
    with pytest.raises(OptionError, match="Pipeline is not fitted"):
        save(make_pipeline(StandardScaler(), LinearSVM().fit(X, y)), file)
    with pytest.raises(OptionError, match="The model cannot be stored: 5"):
        save(5, file)
    model = LinearSVM().fit(X, y)
    model.note_ = "mine"
    with pytest.raises(OptionError, match="an attribute 'note_' that model files do not know"):
        save(model, file)
    model = LinearSVM().fit(X, y)
    model.start = model
    with pytest.raises(OptionError, match="holds itself"):
        save(model, file)
    with pytest.raises(OptionError, match="'C' parameter of LinearSVM cannot be '1.0'"):
        save(LinearSVM().fit(X, y).set_params(C="1.0"), file)
    model = LinearSVM().fit(X, y)
    model.coef_ = model.coef_[:, :2]
    with pytest.raises(OptionError, match="could not be read again: 'coef_' of LinearSVM cannot be float64 of shape"):
        save(model, file)

    class Mine(LinearSVM):
        pass

    with pytest.raises(OptionError, match="Mine.*a class that files do not know"):
        save(Mine().fit(X, y), file)
    with pytest.raises(OptionError, match="'data' parameter must be"):
        save(LinearSVM().fit(X, y), file, data=X)
    assert os.listdir(file.parent) == []


# The data that a model is for.


def test_the_file_knows_its_data(file):
    X, y = iris(two=True)
    save(LinearSVM().fit(X, y), file, data=(X, y, np.full(100, 2.0)))
    found = read_model_file(file)
    assert found.intact
    assert found.version == json.loads(file.read_text())["separatrix"]
    assert found.fingerprint == fingerprint(X, y, np.full(100, 2.0))
    assert found.fingerprint != fingerprint(X, y)
    assert found.fingerprint.weighted
    save(LinearSVM().fit(X, y), file)
    assert read_model_file(file).fingerprint is None


def test_streams_are_no_paths():
    with pytest.raises(TypeError):
        save(LinearSVM().fit(*iris(two=True)), io.StringIO())


@pytest.mark.parametrize("kind", [list, tuple, lambda y: pd.Series(list(y), dtype=object)])
def test_labels_that_are_text_of_numpy_are_text(kind, file):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["a", "a", "b", "b"])
    model = LinearSVM().fit(X, kind(y))
    save(model, file, data=(X, kind(y)))
    found = load(file)
    assert found.predict(X).tolist() == model.predict(X).tolist() == y.tolist()
    assert {type(label) for label in model.classes_} == {str}
    assert verify(found, X, kind(y))
