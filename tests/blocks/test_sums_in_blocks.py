"""Rows in blocks lead to the optimum of rows in memory, however they are cut and on however many cores."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer

from separatrix import (
    FisherDiscriminant,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LeastSquaresRegressor,
    LinearSVM,
    LogisticClassifier,
    load,
    save,
    threads,
    verify,
)
from separatrix.data.blocks import read_blocks
from separatrix.objectives import SoftMargin
from separatrix.problem import Plane
from separatrix.solvers.blocks.finite_newton import squared_hinge
from separatrix.solvers.blocks.logistic import logistic

RNG = np.random.default_rng(11)
N = 130
TWO, FIVE = RNG.integers(0, 2, N), RNG.permutation(np.arange(N) % 5)
X = (RNG.standard_normal((N, 4)) + np.eye(5, 4)[FIVE] + TWO[:, None]).astype(np.float32).astype(np.float64)
FAR = (X * [1.0, 64.0, 0.125, 1.0] + [0.0, 4096.0, 0.0, -2.0]).astype(np.float32).astype(np.float64)
WEIGHTS = RNG.uniform(0.5, 3.0, N)
NUMBERS = X @ [1.0, -1.0, 0.5, 2.0] + RNG.standard_normal(N) + 100.0
LABELS = {2: np.array(["no", "yes"])[TWO], 5: FIVE}
LINEAR = {
    f"{name}, C={C}": (make, C)
    for name, make in (("squared hinge", "svm"), ("logistic", "log"))
    for C in (0.01, 1, 100)
}
OTHERS = {
    "least squares": LeastSquaresClassifier,
    "ridge": lambda: LeastSquaresClassifier(ridge=2.0, class_weight="balanced"),
    "no offset": lambda: LeastSquaresClassifier(fit_intercept=False),
    "Gaussian": lambda: GaussianDiscriminant(shrinkage=0.1),
    "Fisher": FisherDiscriminant,
}


def cut_at(X, y, weights, edges):
    """Blocks between these row numbers."""
    ends = [0, *edges, len(X)]
    return [(X[a:b], y[a:b], weights[a:b]) for a, b in pairwise(ends)]


def one_class(X, y, weights):
    """A block for each class."""
    return [(X[y == label], y[y == label], weights[y == label]) for label in np.unique(y)]


def storages(X, y, weights):
    """Blocks stored sparse and in single precision, in turn."""
    blocks = cut_at(X, y, weights, [30, 60, 90])
    kinds = [sparse.csr_array, lambda X: X.astype(np.float32), np.asarray, lambda X: sparse.csr_array(X, dtype="f4")]
    return [(kind(block[0]), *block[1:]) for kind, block in zip(kinds, blocks, strict=True)]


CUTS = {
    "one": lambda *rows: [rows],
    "even": lambda *rows: cut_at(*rows, range(26, N, 26)),
    "uneven": lambda *rows: cut_at(*rows, [1, 2, 40, 43, 120]),
    "single rows": lambda *rows: cut_at(*rows, range(1, N)),
    "empty ones": lambda *rows: cut_at(*rows, [0, 0, 50, 50, 51, N, N]),
    "one class each": one_class,
    "storages": storages,
}


def machine(kind, C, **how):
    """A fit that goes as far as it can, as the gap that is asked for leaves room for coefficients."""
    if kind == "svm":
        return LinearSVM(C=C, loss="squared_hinge", tol=1e-11, **how)
    return LogisticClassifier(C=C, tol=1e-11, **how)


@cache
def in_memory(kind, C, k, far):
    return machine(kind, C, class_weight="balanced").fit(FAR if far else X, LABELS[k], WEIGHTS)


def check_same(model, wanted, rtol=1e-8):
    for name in ("coef_", "intercept_"):
        one, other = getattr(model, name), getattr(wanted, name)
        assert np.linalg.norm(one - other) <= rtol * np.linalg.norm(other), name


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", LINEAR)
def test_machines_are_those_of_rows_in_memory(name, cut, k, small_samples):
    far = cut in ("even", "storages")
    blocks = read_blocks(CUTS[cut](FAR if far else X, LABELS[k], WEIGHTS))
    model = machine(*LINEAR[name], class_weight="balanced").fit(blocks)
    check_same(model, in_memory(*LINEAR[name], k, far))
    assert model.certificate_.stated <= 1e-9
    if cut != "single rows":
        assert verify(model, blocks) == (model.certificate_.stated, model.certificate_.stated, True, True)


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", OTHERS)
def test_moments_are_those_of_rows_in_memory(name, cut, k):
    weights = {} if name == "Fisher" else {"sample_weight": WEIGHTS}
    blocks = read_blocks(CUTS[cut](FAR, LABELS[k], weights.get("sample_weight", np.ones(N))))
    model, wanted = OTHERS[name]().fit(blocks), OTHERS[name]().fit(FAR, LABELS[k], **weights)
    check_same(model, wanted)
    assert model.certificate_.stated <= 1e-9
    assert verify(model, blocks) == (model.certificate_.stated, model.certificate_.stated, True, True)
    assert verify(wanted, blocks)  # a model of rows in memory is checked from blocks as well
    assert verify(model, FAR, LABELS[k], **weights)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("cut", [cut for cut in CUTS if cut != "one class each"])
def test_numbers_are_predicted_as_from_memory(cut, fit_intercept):
    blocks = read_blocks(CUTS[cut](FAR, NUMBERS, WEIGHTS))
    unfitted = LeastSquaresRegressor(0.5, fit_intercept=fit_intercept)
    model, wanted = unfitted.fit(blocks), LeastSquaresRegressor(0.5, fit_intercept=fit_intercept)
    wanted.fit(FAR, NUMBERS, WEIGHTS)
    np.testing.assert_allclose(model.coef_, wanted.coef_, rtol=1e-8)
    np.testing.assert_allclose(model.intercept_, wanted.intercept_, rtol=1e-8)
    assert verify(model, blocks)


@pytest.mark.parametrize("cut", ["one", "uneven", "empty ones"])
def test_columns_that_depend_on_others_get_the_least_coefficients(cut):
    dependent = np.column_stack([X, X[:, 0] + X[:, 1], np.ones(N), (TWO == 1), (TWO == 0)])
    blocks = read_blocks(CUTS[cut](dependent, LABELS[5], WEIGHTS))
    model, wanted = (LeastSquaresClassifier().fit(*rows) for rows in ((blocks,), (dependent, LABELS[5], WEIGHTS)))
    check_same(model, wanted)
    assert model.rank_ == wanted.rank_ == 5


@pytest.mark.parametrize("C", [0.01, 1, 100])
@pytest.mark.parametrize("kind", ["svm", "log"])
def test_features_as_they_come(kind, C, small_samples):
    data = load_breast_cancer(return_X_y=True)
    model = machine(kind, C).fit(read_blocks(*data, rows_per_block=100))
    check_same(model, machine(kind, C).fit(*data))
    assert model.certificate_.stated <= 1e-9


@pytest.mark.parametrize(
    "make",
    [
        lambda: machine("svm", 1.0),
        lambda: machine("log", 1.0),
        LeastSquaresClassifier,
        GaussianDiscriminant,
        FisherDiscriminant,
    ],
)
def test_the_same_bits_on_any_number_of_cores(make, small_samples):
    found = []
    for count in (1, 2, 3):
        context = threads._cores.set(count)
        try:
            found.append(make().fit(read_blocks(CUTS["uneven"](FAR, FIVE, WEIGHTS))))
        finally:
            threads._cores.reset(context)
    for model in found[1:]:
        assert model.coef_.tobytes() == found[0].coef_.tobytes()
        assert model.intercept_.tobytes() == found[0].intercept_.tobytes()
        assert model.certificate_.stated == found[0].certificate_.stated
        assert model.n_iter_ == found[0].n_iter_


@pytest.mark.parametrize("kind", ["svm", "log"])
def test_few_passes_from_the_optimum_of_a_sample(kind):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40_000, 5))
    y = rows @ [1.0, -1.0, 0.5, 0.0, 0.0] + rng.standard_normal(40_000) > 0.3

    model = machine(kind, 1.0).fit(read_blocks(rows, y, rows_per_block=7000))
    assert model.n_iter_ <= 8  # to count, a sample, Newton's method, and two for the certificate
    check_same(model, machine(kind, 1.0).fit(rows, y), 1e-7)


@pytest.mark.parametrize("kind", ["svm", "log"])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_any_start_leads_to_the_optimum(kind, size, small_samples):
    problem = read_blocks(X, TWO, rows_per_block=20).encoded().problem
    start = size * np.array([-1.0, 2.0, 1.0, -3.0, 1.0])
    if kind == "svm":
        solution = squared_hinge(problem.posed(SoftMargin(1.0, True)), C=1.0, start=start)
    else:
        solution = logistic(problem, C=1.0, start=Plane(start[:-1], start[-1]))
    wanted = machine(kind, 1.0).fit(X, TWO)
    np.testing.assert_allclose(solution.w, wanted.coef_[0], rtol=1e-8)


@pytest.mark.parametrize("k", [2, 5])
def test_model_files_hold_what_was_fitted_to_blocks(k, tmp_path):
    blocks = read_blocks(CUTS["uneven"](X, LABELS[k], WEIGHTS))
    for kind in ("svm", "log"):
        model = machine(kind, 1.0).fit(blocks)
        save(model, tmp_path / "model.json")
        again = load(tmp_path / "model.json")
        assert again.coef_.tobytes() == model.coef_.tobytes()
        assert verify(again, blocks) == verify(model, blocks)
        again.coef_[0] *= 1.0 + 1e-12
        assert not verify(again, blocks).holds
