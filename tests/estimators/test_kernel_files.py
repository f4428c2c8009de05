"""Kernel machines in model files: the same bits, claims that still hold, and refusals by name."""

import copy
import json
import re
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.mixture import GaussianMixture

from estimators.bit_by_bit import answers, same
from estimators.test_forged_files import leaves, put, sealed, spoilt
from separatrix import GaussianDiscriminant, KernelSVM, OneVsOne, OptionError, Unproved, load, save, verify
from separatrix.analysis.verification import checked
from separatrix.data import samples
from separatrix.errors import DataError, FormatError
from separatrix.estimators.store.model_file import read_model_file
from separatrix.kernels import (
    KERNELS,
    RBF,
    Exponential,
    Fisher,
    Function,
    Linear,
    Normalized,
    Polynomial,
    Precomputed,
    SetIntersection,
    Sigmoid,
    Spectrum,
    Tokens,
)

IRIS = samples.builtin("iris")
X, Y = np.sqrt(2.0) * IRIS.X[::2], IRIS.labels[::2]  # numbers of all digits
TWO = Y != "setosa"
TEXTS = ["a good day", "what a bad day", "good food", "bad rain", "sunny, good", "a bad meal", "Ünder ☂", "bad\nline"]
MOODS = np.array(["up", "down"] * 3 + ["up", "down"])
SETS = [{1, 2, "a"}, {1, (2, 3)}, {2, None}, {7.5, True}, {8, 9}, frozenset({7, 9}), {1, 9}, {"b", 8}]
INDEFINITE = Sigmoid(0.1, -1.0)
MIXTURE = GaussianMixture(2, random_state=0, covariance_type="diag").fit(X)
DISCRIMINANT = GaussianDiscriminant().fit(X, Y)

NUMBERS = {
    "linear": Linear(),
    "polynomial": Polynomial(2, 1.0, 0.1),
    "rule for gamma": RBF("nearest"),
    "sigmoid": Sigmoid(0.01, -1.0),
    "exponential": Exponential(1.1),
    "Fisher of scikit-learn": Fisher(MIXTURE, parameters=("means", "weights")),
    "Fisher, information": Fisher(DISCRIMINANT, metric="information"),
    "sum": RBF(0.5) + 0.5 * Linear(),
    "product": RBF(0.5) * Polynomial(2, 1.0),
    "normalized": Normalized(Polynomial(3, 1.0)),
    "by a name": "poly",
}
SYMBOLS = {
    "tokens": (Tokens(bag=True), TEXTS),
    "normalized tokens": (Tokens(normalized=True), np.array(TEXTS)),
    "objects": (Tokens(), np.array(TEXTS, dtype=object)),
    "strings": (Spectrum(2), TEXTS),
    "strings in a sum": (Spectrum(2, normalized=True) + Spectrum(1), TEXTS),
    "sets": (SetIntersection(), SETS),
    "normalized sets": (2.0 * SetIntersection(normalized=True), SETS),
}
CONTAINERS = {"dense": np.asarray, "float32": lambda rows: rows.astype(np.float32), "CSR": sparse.csr_array}


def fitted(model, rows, labels, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows, labels, **how)


def comes_back(model, rows, labels, folder, queries=None):
    """Save and load; returns the file and what was loaded."""
    file = folder / "model.json"
    save(model, file)
    loaded = load(file)
    assert same(model, loaded)
    assert same(
        answers(model, rows if queries is None else queries), answers(loaded, rows if queries is None else queries)
    )
    before, after = verify(model, rows, labels), verify(loaded, rows, labels)
    assert before == after
    assert after.holds
    assert str(model.certificate_) == str(loaded.certificate_)
    save(loaded, folder / "again.json")
    assert (folder / "again.json").read_bytes() == file.read_bytes()
    return file, loaded


def test_every_kernel_but_functions_is_tried_here():
    parts = [*NUMBERS.values(), *(kernel for kernel, _ in SYMBOLS.values()), Precomputed()]
    names = {type(each).__name__ for kernel in parts for each in (kernel, *getattr(kernel, "parts", ()))}
    assert names >= {kernel.__name__ for kernel in KERNELS}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("two", [True, False], ids=["two", "three"])
@pytest.mark.parametrize("name", NUMBERS)
def test_rows_of_numbers_come_back_to_the_last_bit(name, two, container, tmp_path):
    rows, labels = (X[TWO], Y[TWO]) if two else (X, Y)
    model = fitted(KernelSVM(NUMBERS[name], C=3.0), CONTAINERS[container](rows), labels)
    comes_back(model, CONTAINERS[container](rows), labels, tmp_path)
    assert isinstance(model.support_vectors_, sparse.csr_array) == (container == "CSR")


@pytest.mark.parametrize("name", SYMBOLS)
def test_texts_and_sets_come_back_to_the_last_bit(name, tmp_path):
    kernel, rows = SYMBOLS[name]
    comes_back(fitted(KernelSVM(kernel, C=10.0), rows, MOODS), rows, MOODS, tmp_path)
    comes_back(fitted(KernelSVM(kernel, C=10.0), rows, np.arange(8) % 3), rows, np.arange(8) % 3, tmp_path)


@pytest.mark.parametrize("two", [True, False], ids=["two", "three"])
def test_a_precomputed_kernel_is_stored_by_the_numbers_of_rows(two, tmp_path):
    rows, labels = (X[TWO], Y[TWO]) if two else (X, Y)
    K = RBF(0.5).matrix(rows)
    model = fitted(KernelSVM("precomputed"), K, labels)
    _, loaded = comes_back(model, K, labels, tmp_path)
    assert same(loaded.predict(K[:, model.support_]), model.predict(K))


def test_weights_losses_hard_margins_and_reductions(tmp_path):
    weights = np.random.default_rng(0).integers(0, 4, len(Y))
    for model in (KernelSVM(loss="squared_hinge"), KernelSVM(C=np.inf), KernelSVM(class_weight={"setosa": 2.0})):
        comes_back(fitted(model, X, Y), X, Y, tmp_path)
    model = fitted(KernelSVM(), X, Y, sample_weight=weights)
    save(model, tmp_path / "model.json", data=(X, Y, weights))
    assert verify(load(tmp_path / "model.json"), X, Y, weights).holds
    comes_back(fitted(OneVsOne(KernelSVM(gamma=0.5)), X, Y), X, Y, tmp_path)


def test_a_claim_that_nothing_is_proved(tmp_path):
    model = fitted(KernelSVM(INDEFINITE), X[TWO], Y[TWO])
    assert isinstance(model.certificate_, Unproved)
    comes_back(model, X[TWO], Y[TWO], tmp_path)


def own_kernel(A, B):
    return np.asarray(A) @ np.asarray(B).T


@pytest.mark.parametrize(
    "kernel", [own_kernel, Function(own_kernel), RBF(1.0) + Function(own_kernel)], ids=["plain", "wrapped", "in a sum"]
)
def test_functions_are_refused_with_what_to_do(kernel, tmp_path):
    model = fitted(KernelSVM(kernel), X[TWO], Y[TWO])
    with pytest.raises(OptionError, match=r"(?s)cannot be stored.*own_kernel.*is Python code.*kernel='precomputed'"):
        save(model, tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


# Forged files.

MODELS = {
    "two": (KernelSVM(RBF(0.5)), X[TWO], Y[TWO]),
    "three": (KernelSVM(), X, Y),
    "sparse": (KernelSVM(), sparse.csr_array(X[TWO]), Y[TWO]),
    "texts": (KernelSVM(Tokens(), C=10.0), TEXTS, MOODS),
    "unproved": (KernelSVM(INDEFINITE), X[TWO], Y[TWO]),
    "Fisher": (KernelSVM(Fisher(MIXTURE)), X[TWO], Y[TWO]),
    "precomputed": (KernelSVM("precomputed"), RBF(0.5).matrix(X[TWO]), Y[TWO]),
}


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """The tree of an honest file of each model, and what a check of it shows."""
    path, found = tmp_path_factory.mktemp("honest") / "model.json", {}
    for name, (unfitted, rows, labels) in MODELS.items():
        save(fitted(unfitted, rows, labels), path)
        verified, fresh = checked(read_model_file(path).model, rows, labels)
        assert verified.holds
        found[name] = json.loads(path.read_text()), str(fresh)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_no_figure_of_a_certificate_is_believed(name, trees, tmp_path):
    (_, rows, labels), (tree, honest) = MODELS[name], trees[name]
    claim = tree["model"]["fitted"]["certificate_"]
    roads = list(leaves(claim))
    tried = passed = 0
    for road in roads[:8] + roads[-24:]:
        value = claim
        for key in road:
            value = value[key]
        for other in spoilt(value):
            forged = copy.deepcopy(tree)
            put(forged["model"]["fitted"]["certificate_"], road, other)
            try:
                found, fresh = checked(read_model_file(sealed(forged, tmp_path / "forged.json")).model, rows, labels)
            except (DataError, FormatError):
                continue
            tried += 1
            if found.holds:
                passed += 1
                assert str(fresh) == honest, f"{road}: {value} became {other}"
    assert tried > 0, "some changes are figures, which load"
    assert passed > 0, "and larger errors may be stated than there are"


@pytest.mark.parametrize(
    ("name", "road"),
    [
        ("two", ("dual_coef_", "values", 0)),
        ("two", ("intercept_", "values", 0)),
        ("two", ("certificate_", "fields", "b")),
        ("two", ("support_vectors_", "values", 0)),
        ("two", ("kernel_", "fields", "gamma")),
        ("three", ("dual_coef_", "values", 0)),
        ("three", ("support_vectors_", "values", 5)),
        ("sparse", ("support_vectors_", "data", "values", 0)),
        ("texts", ("support_vectors_", 0)),
        ("Fisher", ("kernel_", "fields", "model", "fields", "means", "tuple", 1, "tuple", 0)),
        ("unproved", ("dual_coef_", "values", 0)),
        ("precomputed", ("dual_coef_", "values", 0)),
    ],
)
def test_what_is_predicted_with_is_part_of_the_claim(name, road, trees, tmp_path):
    (_, rows, labels), tree = MODELS[name], copy.deepcopy(trees[name][0])
    value = tree["model"]["fitted"]
    for key in road:
        value = value[key]
    put(tree["model"]["fitted"], road, "other words" if isinstance(value, str) else 1.5 * value + 0.125)
    found, _ = checked(read_model_file(sealed(tree, tmp_path / "forged.json")).model, rows, labels)
    assert not found.holds


@pytest.mark.parametrize("weighted", [False, True])
def test_other_rows_of_a_precomputed_kernel_are_noticed(weighted, tmp_path):
    K, labels = RBF(0.5).matrix(X[TWO]), Y[TWO]
    weights = np.where(np.arange(len(labels)) % 5, 1.0, 0.0) if weighted else None
    save(fitted(KernelSVM("precomputed"), K, labels, sample_weight=weights), tmp_path / "model.json")
    assert verify(load(tmp_path / "model.json"), K, labels, weights).holds
    tree = json.loads((tmp_path / "model.json").read_text())
    numbers = tree["model"]["fitted"]["support_"]["values"]
    numbers[0], numbers[1] = numbers[1], numbers[0]
    tree["model"]["fitted"]["support_vectors_"]["values"] = numbers
    assert not verify(read_model_file(sealed(tree, tmp_path / "forged.json")).model, K, labels, weights).holds


FORGED = {
    "support_ outside": ("two", ("support_", "values", 0), -1, "support_ must hold numbers of rows"),
    "a row twice": ("two", ("support_", "values", 0), None, "support_ must hold numbers of rows"),
    "n_support_": ("two", ("n_support_", "values", 0), 10**6, "n_support_ does not count"),
    "no numbers": ("two", ("dual_coef_", "values", 0), "nan", "'dual_coef_' of KernelSVM cannot be float64"),
    "no offset": ("two", ("intercept_", "values", 0), "inf", "'intercept_' of KernelSVM cannot be float64"),
    "offsets of other pairs": (
        "two",
        ("intercept_",),
        {"array": "float64", "shape": [2], "values": [0.0, 0.0]},
        "not those of the pairs of 2 classes",
    ),
    "an infinite row": ("two", ("support_vectors_", "values", 0), "inf", "'support_vectors_' of KernelSVM cannot be"),
    "rows of words": ("two", ("support_vectors_",), ["a"], "'support_vectors_' of KernelSVM cannot be a list of 1"),
    "a rule": ("two", ("kernel_", "fields", "gamma"), "scale", "numbers in place of rules"),
    "no rule": ("two", ("kernel_", "fields", "gamma"), "wide", "The 'gamma' parameter"),
    "a negative gamma": ("two", ("kernel_", "fields", "gamma"), -1.0, "The 'gamma' parameter"),
    "a name for a kernel": ("two", ("kernel_",), "rbf", "'kernel_' of KernelSVM cannot be 'rbf'"),
    "code": (
        "two",
        ("kernel_",),
        {"class": "Function", "fields": {"function": "print", "pairs": False}},
        "the class 'Function' is not known",
    ),
    "no kernel": ("two", ("kernel_", "class"), "Vocabulary", "the class 'Vocabulary' is not known"),
    "a kernel of texts": (
        "two",
        ("kernel_",),
        {"class": "Tokens", "fields": {"bag": False, "normalized": False}},
        "Each row must be a string",
    ),
    "a sum of numbers": (
        "two",
        ("kernel_",),
        {"class": "Sum", "fields": {"parts": {"tuple": [1.0]}}},
        "'parts' of Sum cannot be",
    ),
    "an empty sum": (
        "two",
        ("kernel_",),
        {"class": "Sum", "fields": {"parts": {"tuple": []}}},
        "A Sum needs at least one kernel",
    ),
    "no certificate": ("three", ("certificate_", "fields", "parts", "tuple"), [], "no certificate to collect"),
    "a huge mean": (
        "Fisher",
        ("kernel_", "fields", "model", "fields", "means", "tuple", 1, "tuple", 0),
        10**30,
        "has no values on its support rows",
    ),
    "a kernel of the claim": (
        "two",
        ("certificate_", "fields", "kernel"),
        "rbf",
        "'kernel' of DualityGap cannot be 'rbf'",
    ),
    "other features": ("two", ("n_features_in_",), 3, "'n_features_in_' of KernelSVM cannot be 3|support_vectors_"),
    "texts of several features": ("texts", ("n_features_in_",), 2, "texts and sets are one feature"),
    "a number among texts": ("texts", ("support_vectors_", 0), 1.0, "'support_vectors_' of KernelSVM cannot be"),
    "a singular model": (
        "Fisher",
        ("kernel_", "fields", "model", "fields", "covariances", "tuple", 0, "tuple", 0, "tuple", 0),
        0.0,
        "covariances that have an inverse",
    ),
    "a ragged model": (
        "Fisher",
        ("kernel_", "fields", "model", "fields", "means", "tuple", 0),
        {"tuple": [0.0]},
        "KernelSVM: ",
    ),
    "columns outside": ("sparse", ("support_vectors_", "indices", "values", 0), 10**6, "the parts of a sparse matrix"),
    "columns below 0": ("sparse", ("support_vectors_", "indices", "values", 0), -1, "the parts of a sparse matrix"),
    "rows that end early": ("sparse", ("support_vectors_", "indptr", "values", 1), 10**6, "a sparse matrix"),
    "columns that do not ascend": ("sparse", ("support_vectors_", "indices", "values", 0), 3, "must ascend"),
    "a shape of one size": ("sparse", ("support_vectors_", "csr"), [3], "two sizes"),
    "parts that are no arrays": ("sparse", ("support_vectors_", "data"), [1.0], "are arrays"),
    "an infinite entry": ("sparse", ("support_vectors_", "data", "values", 0), "inf", "finite numbers"),
    "other row numbers": ("precomputed", ("support_vectors_", "values", 0), 49, "the row numbers of support_"),
}


@pytest.mark.parametrize("case", FORGED)
def test_values_that_no_fit_leaves_are_refused_by_name(case, trees, tmp_path):
    name, road, value, said = FORGED[case]
    tree = copy.deepcopy(trees[name][0])
    if value is None:  # the number of the next one
        value = tree["model"]["fitted"]["support_"]["values"][1]
    put(tree["model"]["fitted"], road, value)
    with pytest.raises(FormatError, match=said):
        read_model_file(sealed(tree, tmp_path / "forged.json"))


def test_coefficients_of_another_number_of_rows_are_refused(trees, tmp_path):
    for attribute in ("support_", "support_vectors_"):
        tree = copy.deepcopy(trees["two"][0])
        array = tree["model"]["fitted"][attribute]
        width = array["shape"][1] if len(array["shape"]) > 1 else 1
        array["shape"][0] -= 1
        array["values"] = array["values"][width:]
        with pytest.raises(FormatError, match="of KernelSVM cannot be"):
            read_model_file(sealed(tree, tmp_path / "forged.json"))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"set": [1, 1]}], "a set has an element twice"),
        ([{"set": [[1]]}], "a set cannot hold such an element"),
        ([{"set": 1}], "a set is a list"),
        ([{"set": [1]}, "text"], "'support_vectors_' of KernelSVM cannot be"),
    ],
)
def test_sets_that_cannot_be(rows, said, tmp_path):
    save(fitted(KernelSVM(SetIntersection(), C=10.0), SETS, MOODS), tmp_path / "model.json")
    tree = json.loads((tmp_path / "model.json").read_text())
    rest = tree["model"]["fitted"]["support_vectors_"]
    tree["model"]["fitted"]["support_vectors_"] = [*rows, *rest[len(rows) :]]
    with pytest.raises(FormatError, match=re.escape(said)):
        read_model_file(sealed(tree, tmp_path / "forged.json"))
