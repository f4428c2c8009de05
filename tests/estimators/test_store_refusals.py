"""Files that are not what they seem are refused in one line, and nothing else ever happens."""

import copy
import json
import os
import re
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from estimators.bit_by_bit import same
from separatrix import (
    FisherDiscriminant,
    FormatError,
    LinearSVM,
    LogisticClassifier,
    NotCertifiedWarning,
    OneVsOne,
    Perceptron,
    StochasticClassifier,
    load,
    save,
    verify,
)
from separatrix.data import samples
from separatrix.estimators.store.layout import laid_out, seal
from separatrix.estimators.store.model_file import read_model_file

IRIS = samples.builtin("iris")
X, Y = IRIS.X[50::3], IRIS.labels[50::3]
MODELS = {
    "LinearSVM": LinearSVM(C=np.float32(0.5), class_weight={"virginica": 2.0}, start=[0.0, 1.0, 2, 3.0, 1.0]),
    "OneVsOne": OneVsOne(make_pipeline(StandardScaler(), Perceptron(random_state=0, max_iter=3000))),
    "LogisticClassifier": LogisticClassifier(C=np.inf),
    "FisherDiscriminant": FisherDiscriminant(),
    "StochasticClassifier": StochasticClassifier(record=True, max_iter=40, random_state=0),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One valid file for each of the models, fitted once."""
    folder = tmp_path_factory.mktemp("stored")
    for name, model in MODELS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCertifiedWarning)  # separated, so that there is no likelihood
            save(model.fit(X, Y), folder / f"{name}.json", data=(X, Y))
    return folder


@pytest.fixture
def tree(folder):
    return json.loads((folder / "LinearSVM.json").read_text())


def put(tree, path, reseal=True):
    """Write a tree with a checksum that fits it."""
    rest = {name: value for name, value in tree.items() if name != "checksum"}
    path.write_bytes(laid_out({**rest, "checksum": seal(rest) if reseal else tree["checksum"]}))
    return path


def refused(content, path, message):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FormatError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


NO_MODELS = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n", "is empty"),
    "junk": (bytes(range(256)), "it is not text"),
    "gzip": (b"\x1f\x8b\x08\x00", "it is not text"),
    "pickle": (b"\x80\x04\x95\x0b\x00\x00\x00", "it is not text"),
    "UTF-16": ('{"format": 1}'.encode("utf-16"), "UTF-16: save it as UTF-8"),
    "UTF-16 without a mark": ('{"format": 1}'.encode("utf-16-le"), "line 1: no JSON"),
    "CSV": (b"age,ill\n30,yes\n", "line 1: no JSON"),
    "list": (b"[1, 2]", "it holds a list of 2"),
    "number": (b"5", "it holds 5"),
    "text": (b'"separatrix model"', "it holds 'separatrix model'"),
    "null": (b"null", "it holds None"),
    "another": (b'{"format": "onnx"}', "its format is 'onnx'. Give a file that separatrix.save wrote"),
    "no format": (b"{}", "its format is None"),
    "deep": (b"[" * 200_000, "nested too deeply"),
    "deep object": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
    "NaN": (b'{"format": NaN}', "NaN is no number of JSON"),
    "minus infinity": (b'{"format": -Infinity}', "-Infinity is no number"),
    "twice": (b'{"format": 1, "format": 2}', "the name 'format' stands twice"),
    "digits": (b"1" * 10_000, "limit"),
    "cut": (b'{"format": "separatrix mo', "line 1: "),
}


@pytest.mark.parametrize("name", NO_MODELS)
def test_what_is_no_model_file(name, tmp_path):
    refused(*NO_MODELS[name][:1], tmp_path / "model.json", NO_MODELS[name][1])


def test_a_file_that_ends_too_early(folder, tmp_path):
    content = (folder / "LinearSVM.json").read_bytes()
    refused(content[: len(content) // 2], tmp_path / "model.json", "line [0-9]+: .*Save the model again")
    refused(content.rstrip()[:-1], tmp_path / "model.json", "the file ends too early")


def test_a_number_that_is_too_large(folder, tmp_path):
    text = (folder / "LinearSVM.json").read_text()
    refused(
        text.replace('"tol": 1e-06', '"tol": 1e999'), tmp_path / "model.json", "a number is too large, such as 1e999"
    )


def test_a_newer_schema(tree, tmp_path):
    message = r"written by a newer separatrix \(schema 3\); this one reads 2: upgrade"
    refused(json.dumps({**tree, "schema": 3}), tmp_path / "model.json", message)
    refused(json.dumps({**tree, "schema": 0}), tmp_path / "model.json", "the schema is 1 or 2, not 0")
    refused(json.dumps({**tree, "schema": True}), tmp_path / "model.json", "the schema is 1 or 2, not True")


def test_a_changed_file_is_refused_or_kept_on_demand(tree, tmp_path):
    tree["model"]["fitted"]["coef_"]["values"][0] += 1e-9
    path = put(tree, tmp_path / "model.json", reseal=False)
    with pytest.raises(FormatError, match="the checksum does not fit: the file was changed after it was written"):
        load(path)
    found = read_model_file(path, tampered="keep")
    assert not found.intact
    assert not verify(found.model, X, Y).holds
    with pytest.raises(ValueError, match="'tampered' parameter"):
        read_model_file(path, tampered="perhaps")


def test_a_changed_weight_loads_where_the_checksum_fits_and_the_certificate_tells(folder, tmp_path):
    for name in MODELS:
        tree = json.loads((folder / f"{name}.json").read_text())
        model = tree["model"]["fitted"]
        model = model if "coef_" in model else model["estimators_"][0]["parameters"]["steps"][1]["tuple"][1]["fitted"]
        model["coef_"]["values"][1] += 0.5
        assert not verify(load(put(tree, tmp_path / "model.json")), X, Y).holds
        assert verify(load(folder / f"{name}.json"), X, Y).holds or name == "OneVsOne"  # pipelines have no certificate


def test_certificates_that_were_made_to_fit_do_not_hold_either(tree, tmp_path):
    """Whoever changes the weight, the same weight in the certificate, and the checksum, has still proved nothing."""
    fitted = tree["model"]["fitted"]
    fitted["coef_"]["values"][1] += 0.5
    fitted["certificate_"]["fields"]["w"]["values"][1] += 0.5
    loaded = load(put(tree, tmp_path / "model.json"))
    assert not verify(loaded, X, Y).holds


def test_a_claim_that_does_not_fit_together_does_not_hold(tree, tmp_path):
    tree["model"]["fitted"]["certificate_"]["fields"]["support"]["values"][3] = 10**9
    assert not verify(load(put(tree, tmp_path / "model.json")), X, Y).holds


def test_other_data_do_not_verify(folder):
    for name in ("LinearSVM", "LogisticClassifier", "FisherDiscriminant"):
        loaded = load(folder / f"{name}.json")
        moved = X.copy()
        moved[5] += 3.0
        assert verify(loaded, X, Y).holds
        assert not verify(loaded, moved, Y).holds


# One change a row: where, what is put there, and what is said of it. A path ends in None to delete.
FITTED, CLAIM = ("model", "fitted"), ("model", "fitted", "certificate_", "fields")
DECAY = {"class": "Decay", "fields": {"c": 1.0, "power": 1.0, "delay": 1.0}}
PLACES = {"array": "float64", "shape": [1, 4], "index": [3, 1], "values": [1.0, 2.0]}
BEYOND = {**PLACES, "index": [1, 4]}
EMPTY = {"array": "float64", "shape": [10**12], "index": [], "values": []}
CHANGES = {
    "class": (("model", "class"), "os.system", "the class 'os.system' is not known"),
    "class of a list": (("model", "class"), ["LinearSVM"], "the class a list of 1 is not known"),
    "record for a model": (("model",), DECAY, "no fitted model"),
    "number for a model": (("model",), 5, "no fitted model"),
    "text for fitted": (FITTED, "all", "the fitted of LinearSVM are an object"),
    "surplus header": (("author",), "me", "'author' is not known"),
    "version": (("separatrix",), 5, "the version is text, not 5"),
    "surplus parameter": (("model", "parameters", "gamma"), 1.0, "'gamma' is not known"),
    "surplus attribute": ((*FITTED, "predict"), 1.0, "'predict' is not known"),
    "dunder": ((*FITTED, "__class__"), "str", "'__class__' is not known"),
    "surplus field": ((*CLAIM, "color"), "red", "'color' is not known"),
    "surplus key": ((*FITTED, "coef_", "color"), "red", "'color' is not known"),
    "object without a tag": ((*FITTED, "coef_"), {"color": "red"}, "an object says by its key what it is"),
    "text for a number": ((*FITTED, "margin_width_"), "wide", "'margin_width_' of LinearSVM cannot be 'wide'"),
    "text for a parameter": (("model", "parameters", "C"), "1.0", "the 'C' parameter of LinearSVM cannot be '1.0'"),
    "text in an array": ((*FITTED, "coef_", "values", 0), "1.0", "an array of float64 cannot hold '1.0'"),
    "integer in floats": ((*FITTED, "coef_", "values", 0), 1, "an array of float64 cannot hold 1"),
    "bool in integers": ((*FITTED, "support_", "values", 0), True, "an array of int32 cannot hold True"),
    "null in floats": ((*FITTED, "coef_", "values", 0), None, "cannot hold None"),
    "list in floats": ((*FITTED, "coef_", "values", 0), [1.0], "cannot hold a list of 1"),
    "too large for its type": ((*FITTED, "support_", "values", 0), 2**31, "an array of int32 cannot hold numbers from"),
    "too few values": ((*FITTED, "coef_", "shape"), [1, 5], "needs 5 values, and there are 4"),
    "huge": ((*FITTED, "coef_", "shape"), [10**12], "needs 1000000000000 values"),
    "huge and empty": ((*FITTED, "coef_"), EMPTY, "0 values are too few for an array of 1000000000000"),
    "places in disorder": ((*FITTED, "coef_"), PLACES, "must hold 2 ascending places below 4"),
    "places beyond": ((*FITTED, "coef_"), BEYOND, "must hold 2 ascending places below 4"),
    "places of another number": ((*FITTED, "coef_"), {**PLACES, "index": [1]}, "must hold 2 ascending places below 4"),
    "huge text": ((*FITTED, "classes_", "array"), "U9999999", "texts of 9999999 characters"),
    "not huge by zero": ((*FITTED, "coef_", "shape"), [10**12, 0], "needs 0 values"),
    "overflow": ((*FITTED, "coef_"), {"array": "float64", "shape": [2**80, 0], "values": []}, "shape .* cannot be"),
    "negative": ((*FITTED, "coef_", "shape"), [-1, -4], "a shape is a list of sizes"),
    "many dimensions": ((*FITTED, "coef_", "shape"), [1] * 65, "a shape is a list of sizes"),
    "another shape": ((*FITTED, "coef_", "shape"), [2, 2], "'coef_' of LinearSVM cannot be float64 of shape"),
    "fewer features": ((*FITTED, "n_features_in_"), 3, "cannot be"),
    "type": ((*FITTED, "coef_", "array"), "complex128", "the type 'complex128' is not known"),
    "type of a list": ((*FITTED, "coef_", "array"), ["float64"], "is not known"),
    "numbers for labels": ((*FITTED, "classes_", "values", 0), 5, "texts of .* cannot hold 5"),
    "longer labels": ((*FITTED, "classes_", "values", 0), "x" * 100, "cannot hold"),
    "order": ((*FITTED, "coef_", "order"), "K", "the order of an array is C or F"),
    "certificate": ((*FITTED, "certificate_"), None, "'certificate_' of LinearSVM cannot be None"),
    "part of a certificate": ((*CLAIM, "objective"), 1.0, "'objective' of DualityGap cannot be 1.0"),
    "fingerprint": (("data", "rows"), "many", "'rows' of 'data' cannot be 'many'"),
    "no fingerprint": (("data",), [], "'data' is a fingerprint or null"),
    "pairs": (("model", "parameters", "class_weight", "dict"), [[1, 2, 3]], "a dict is a list of pairs"),
    "key": (("model", "parameters", "class_weight", "dict"), [[[], 2]], "a dict cannot have such a key"),
    "scalar": (("model", "parameters", "C", "scalar"), "object", "the scalar type 'object' is not known"),
    "digits of a float32": (("model", "parameters", "C", "value"), 0.1, "cannot hold numbers of more digits"),
    "two tags": (("model", "parameters", "C", "tuple"), [], "is not known|is missing"),
    "hexadecimal": (("model", "parameters", "C"), {"int": "0x5"}, "hexadecimal digits are expected"),
    "word": (("model", "parameters", "C"), {"float": "infinity"}, "one of inf, -inf, nan, -nan"),
    "rate": (("model", "parameters", "start"), {"class": "Decay", "fields": {"c": -1.0, "power": 1.0, "delay": 1.0}},
             "Decay: 'c' of Decay must be a positive number"),
    "member": (("model", "parameters", "start"), {"enum": "Status", "member": "GONE"}, "no member of 'Status'"),
}  # fmt: skip


def changed(tree, path, value):
    tree = copy.deepcopy(tree)
    inside = tree
    for step in path[:-1]:
        inside = inside[step]
    if isinstance(inside, dict) != isinstance(path[-1], str):
        raise KeyError(path)
    inside[path[-1]] = value
    return tree


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_refused_by_name(name, tree, tmp_path):
    path, value, message = CHANGES[name]
    put(changed(tree, path, value), tmp_path / "model.json")
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=message) as caught:
            load(tmp_path / "model.json")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)
    assert peak < 20e6


def test_steps_that_scikit_learn_would_refuse(folder, tmp_path):
    tree = json.loads((folder / "OneVsOne.json").read_text())
    steps = ("model", "fitted", "estimators_", 0, "parameters", "steps")
    scaler = (*steps, 0, "tuple", 1, "parameters", "with_mean")
    for path, value, message in [
        (scaler, "yes", "StandardScaler: The 'with_mean' parameter"),
        ((*steps, 0, "tuple", 1), 5, "Pipeline: All intermediate steps should be transformers"),
        ((*steps, 0, "tuple", 0), "perceptron", "Pipeline: Names provided are not unique"),
        ((*steps, 1, "tuple", 1, "class"), "StandardScaler", "'max_iter' is not known|is not known there"),
    ]:
        put(changed(tree, path, value), tmp_path / "model.json")
        with pytest.raises(FormatError, match=message):
            load(tmp_path / "model.json")


def places(tree, path=()):
    """All paths in a tree."""
    yield path
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, inside in pairs:
        yield from places(inside, (*path, step))


FOREIGN = re.compile("StandardScaler|Pipeline")


@pytest.mark.parametrize("name", MODELS)
def test_no_name_can_be_missing(name, folder, tmp_path):
    """Every key of every object is needed, but for what scikit-learn itself can do without."""
    tree = json.loads((folder / f"{name}.json").read_text())
    keys = [path for path in places(tree) if path and isinstance(path[-1], str) and path[0] != "checksum"]
    optional = {"feature_names_in_", "learning_curve_", "learning_rate_", "order", "index"}
    optional |= {"separation_", "standard_errors_", "intercept_standard_errors_", "log_likelihood_", "deviance_"}
    optional |= {"aic_", "fitted"}  # a model that is a parameter need not be fitted
    optional |= {"_bound", "names", "copies", "overlap"}  # which the first files did not have
    optional |= {"inside_margin_", "kernel", "coefficients_of", "weighted", "verbose", "n_jobs", "multi_class"}
    optional |= {"weight_radius", "offset_radius", "within_squares", "rounding"}
    optional |= {"support_", "dual_coef_", "n_support_", "slacks_", "rule"}  # of a LinearSVM that was fitted to blocks
    seen = set()
    for path in keys:
        kind = tuple("#" if isinstance(step, int) else step for step in path)
        if path[-1] in optional or kind in seen or path[:2] == ("data", "classes"):
            continue
        seen.add(kind)
        smaller = copy.deepcopy(tree)
        inside = smaller
        for step in path[:-1]:
            inside = inside[step]
        del inside[path[-1]]
        if path[-2:-1] == ("parameters",) and is_foreign(smaller, path):
            continue
        put(smaller, tmp_path / "model.json")
        with pytest.raises(FormatError):
            load(tmp_path / "model.json")


def is_foreign(tree, path):
    """Whether a path is inside the parameters of a class of scikit-learn."""
    inside = tree
    for step in path[:-2]:
        inside = inside[step]
    return FOREIGN.fullmatch(str(inside.get("class"))) is not None


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["LinearSVM", "Separator", "inf", "U3", "object", "F", "passthrough", "coef_"]),
    st.lists(st.integers(-2, 3), max_size=3),
    st.dictionaries(
        st.sampled_from(["class", "array", "tuple", "dict", "float", "int"]), st.text(max_size=3), max_size=2
    ),
)


def loads_or_refuses(path):
    """Load a file: FormatError and nothing else, or a model that is stored and loaded as the same again."""
    try:
        model = load(path)
    except FormatError as refusal:
        assert "\n" not in str(refusal)  # noqa: PT017
        return None
    save(model, path)
    assert same(model, load(path))
    return model


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_values_that_are_replaced_with_a_checksum_that_fits(data, folder):
    name = data.draw(st.sampled_from(sorted(MODELS)))
    tree = json.loads((folder / f"{name}.json").read_text())
    every = [path for path in places(tree) if path and path[0] != "checksum"]
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(every))
        try:
            tree = changed(tree, path, data.draw(VALUES))
        except (KeyError, IndexError, TypeError):  # the first change removed this place
            continue
    loads_or_refuses(put(tree, folder / "replaced"))


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_bytes_that_are_changed(data, folder):
    """A file that still loads gives the same model: the change was in a blank, or in a digit too many."""
    name = data.draw(st.sampled_from(sorted(MODELS)))
    content = bytearray((folder / f"{name}.json").read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        kind = data.draw(st.sampled_from(["flip", "put", "cut", "drop"]))
        if kind == "flip":
            content[place] ^= 1 << data.draw(st.integers(0, 7))
        elif kind == "put":
            content[place : place + 1] = data.draw(st.binary(min_size=1, max_size=4))
        elif kind == "cut" and place:
            del content[place:]
        elif kind == "drop" and len(content) > 1:
            del content[place]
    path = folder / "changed"
    path.write_bytes(content)
    model = loads_or_refuses(path)
    assert model is None or same(model, load(folder / f"{name}.json"))


def test_a_file_that_cannot_be_read_to_its_end_is_named():
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("no file that opens and cannot be read")
    with pytest.raises(OSError, match="/proc/self/mem"):
        load("/proc/self/mem")
