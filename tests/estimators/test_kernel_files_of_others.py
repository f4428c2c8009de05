"""Kernel regressors, nu machines and novelty detectors in model files: the same bits, and forged ones refused."""

import copy
import json

import numpy as np
import pytest
from scipy import sparse

from estimators.bit_by_bit import answers, same
from estimators.test_forged_files import leaves, put, sealed, spoilt
from estimators.test_kernel_files import CONTAINERS, SETS, TEXTS, comes_back, fitted
from separatrix import KernelNuSVM, KernelNuSVR, KernelSVR, OneClassSVM, SmallestBall, load, save, verify
from separatrix.analysis.verification import checked
from separatrix.errors import DataError, FormatError
from separatrix.estimators.store.model_file import read_model_file
from separatrix.kernels import RBF, Linear, Polynomial, SetIntersection, Sigmoid, Tokens

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 3))
NUMBERS = np.sin(X[:, 0]) + 0.3 * RNG.standard_normal(40)
TWO, THREE = (X[:, 0] + X[:, 1] > 0.1).astype(int), np.arange(40) % 3
MODELS = {
    "SVR": (KernelSVR(C=3.0), NUMBERS),
    "squared": (KernelSVR(loss="squared_epsilon_insensitive"), NUMBERS),
    "nu-SVR": (KernelNuSVR(C=3.0, nu=0.3), NUMBERS),
    "constant": (KernelNuSVR(), np.full(40, 2.5)),
    "nu-SVM": (KernelNuSVM(nu=0.4), TWO),
    "three": (KernelNuSVM(nu=0.4), THREE),
    "one-class": (OneClassSVM(0.1), None),
    "linear": (OneClassSVM(0.1, kernel=Linear()), None),
    "ball": (SmallestBall(0.1), None),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", MODELS)
def test_models_come_back_to_the_last_bit(name, container, tmp_path):
    unfitted, y = MODELS[name]
    rows = CONTAINERS[container](X)
    comes_back(fitted(unfitted, rows, y), rows, y, tmp_path)


@pytest.mark.parametrize("name", MODELS)
def test_kernels_weights_and_symbols_come_back(name, tmp_path):
    unfitted, y = MODELS[name]
    short = None if y is None else y[:8]
    ball = isinstance(unfitted, SmallestBall)  # which needs distances
    for kernel in (Polynomial(2, 1.0), RBF(0.5) + 0.5 * Linear(), *(() if ball else (Sigmoid(0.1, -1.0),))):
        comes_back(fitted(type(unfitted)(kernel=kernel), X, y), X, y, tmp_path)
    for kernel, rows in ((Tokens(bag=True), TEXTS), (SetIntersection(), SETS)):
        comes_back(fitted(type(unfitted)(kernel=kernel), rows, short), rows, short, tmp_path)
    K = RBF(0.5).matrix(X)
    if not ball:
        comes_back(fitted(type(unfitted)(kernel="precomputed"), K, y), K, y, tmp_path)
    weights = RNG.integers(1, 4, 40) * (np.arange(40) % 7 > 0)
    model = fitted(type(unfitted)(), X, y, sample_weight=weights)
    save(model, tmp_path / "model.json", data=None if y is None else (X, y, weights))
    loaded = load(tmp_path / "model.json")
    assert verify(loaded, X, y, weights).holds
    assert same(answers(loaded, X), answers(model, X))


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """The tree of an honest file of each model, and what a check of it shows."""
    path, found = tmp_path_factory.mktemp("honest") / "model.json", {}
    for name, (unfitted, y) in MODELS.items():
        save(fitted(unfitted, X, y), path)
        verified, fresh = checked(read_model_file(path).model, X, y)
        assert verified.holds
        found[name] = json.loads(path.read_text()), str(fresh)
    return found


@pytest.mark.parametrize("name", ["SVR", "nu-SVR", "nu-SVM", "three", "one-class", "ball"])
def test_no_figure_of_a_certificate_is_believed(name, trees, tmp_path):
    (_, y), (tree, honest) = MODELS[name], trees[name]
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
                found, fresh = checked(read_model_file(sealed(forged, tmp_path / "forged.json")).model, X, y)
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
        *((name, (attribute, "values", 0)) for name in ("SVR", "nu-SVR", "nu-SVM", "three", "one-class")
          for attribute in ("dual_coef_", "support_vectors_")),
        *((name, ("intercept_", "values", 0)) for name in ("SVR", "nu-SVR", "nu-SVM", "three")),
        *((name, ("kernel_", "fields", "gamma")) for name in ("SVR", "nu-SVM", "one-class")),
        ("nu-SVR", ("epsilon_",)),
        ("ball", ("centre_square_",)),
        ("ball", ("dual_coef_", "values", 0)),
    ],
)  # fmt: skip
def test_what_is_predicted_with_is_part_of_the_claim(name, road, trees, tmp_path):
    (_, y), tree = MODELS[name], copy.deepcopy(trees[name][0])
    value = tree["model"]["fitted"]
    for key in road:
        value = value[key]
    put(tree["model"]["fitted"], road, 1.5 * value + 0.125)
    found, _ = checked(read_model_file(sealed(tree, tmp_path / "forged.json")).model, X, y)
    assert not found.holds


def test_another_border_of_novelty_is_noticed(trees, tmp_path):
    tree = copy.deepcopy(trees["one-class"][0])
    fields = tree["model"]["fitted"]
    fields["offset_"] *= 1.01
    fields["intercept_"]["values"][0] = -fields["offset_"]
    found, _ = checked(read_model_file(sealed(tree, tmp_path / "forged.json")).model, X)
    assert not found.holds


ONE = {"array": "float64", "shape": [2], "values": [0.0, 0.0]}
FORGED = {
    "two offsets": ("SVR", ("intercept_",), ONE, "are those of one machine"),
    "n_support_": ("SVR", ("n_support_", "values", 0), 10**6, "n_support_ does not count"),
    "support_ outside": ("one-class", ("support_", "values", 0), -1, "support_ must hold numbers of rows"),
    "no numbers": ("nu-SVR", ("dual_coef_", "values", 0), "nan", "'dual_coef_' of KernelNuSVR cannot be float64"),
    "a tube below 0": ("nu-SVR", ("epsilon_",), -1.0, "'epsilon_' of KernelNuSVR cannot be -1.0"),
    "a rate below 0": ("SVR", ("outside_rate_",), -0.1, "'outside_rate_' of KernelSVR cannot be"),
    "a rule": ("SVR", ("kernel_", "fields", "gamma"), "scale", "numbers in place of rules"),
    "an infinite border": ("one-class", ("offset_",), "inf", "'offset_' of OneClassSVM cannot be"),
    "another border": ("one-class", ("offset_",), 1.0, "intercept_ is -offset_"),
    "figures of other pairs": ("nu-SVM", ("rho_",), ONE, "rho_ is a number that is not negative for each pair of 2"),
    "a figure below 0": ("nu-SVM", ("nu_max_",), -1.0, "nu_max_ is a number that is not negative"),
    "classes of a regressor": ("SVR", ("classes_",), ONE, "'classes_' is not known there"),
    "another objective": (
        "SVR",
        ("certificate_", "fields", "objective"),
        {"class": "Moments", "fields": {}},
        "of Moments|is missing",
    ),
}


@pytest.mark.parametrize("case", FORGED)
def test_values_that_no_fit_leaves_are_refused_by_name(case, trees, tmp_path):
    name, road, value, said = FORGED[case]
    tree = copy.deepcopy(trees[name][0])
    put(tree["model"]["fitted"], road, value)
    with pytest.raises(FormatError, match=said):
        read_model_file(sealed(tree, tmp_path / "forged.json"))


def test_rows_of_weight_0_do_not_matter_to_a_precomputed_kernel(tmp_path):
    K, weights = RBF(0.5).matrix(X), np.where(np.arange(40) % 5, 1.0, 0.0)
    for unfitted, y in (MODELS["SVR"], MODELS["one-class"]):
        model = fitted(type(unfitted)(kernel="precomputed"), K, y, sample_weight=weights)
        save(model, tmp_path / "model.json")
        assert verify(load(tmp_path / "model.json"), K, y, weights).holds
        assert not verify(load(tmp_path / "model.json"), K, y).holds
    assert sparse.issparse(fitted(OneClassSVM(0.1), sparse.csr_array(X), None).support_vectors_)
