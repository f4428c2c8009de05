"""The nu machine of a kernel: scikit-learn's, the soft margin of the same C, what nu bounds, what is infeasible."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import NuSVC

from separatrix import (
    DataError,
    KernelNuSVM,
    KernelSVM,
    NotCertifiedWarning,
    NuSVM,
    OptionError,
    TrivialFitWarning,
    Unproved,
    fewer_support_rows,
    regularization_path,
    verify,
)
from separatrix.kernels import RBF, Kernel, Polynomial, Sigmoid, Tokens

IRIS, WINE, CANCER = (sample(return_X_y=True) for sample in (load_iris, load_wine, load_breast_cancer))
X, Y = StandardScaler().fit_transform(CANCER[0][:200]), CANCER[1][:200]


@pytest.mark.parametrize("data", [IRIS, WINE, CANCER], ids=["iris", "wine", "cancer"])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_scikit_learns_machine(data, kernel):
    rows, labels = StandardScaler().fit_transform(data[0]), data[1]
    for nu in (0.23, 0.51):  # half of nu W is no whole number, so that rows of both classes decide the offset
        ours = KernelNuSVM(kernel, nu=nu, tol=1e-10).fit(rows, labels)
        theirs = NuSVC(kernel=kernel, nu=nu, tol=1e-10, decision_function_shape="ovo").fit(rows, labels)
        assert np.array_equal(ours.predict(rows), theirs.predict(rows))
        sign = 1.0 if labels.max() == 1 else -1.0
        expected = sign * theirs.decision_function(rows).reshape(len(rows), -1)
        assert ours._pair_scores(rows) == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())
        assert verify(ours, rows, labels)
        if kernel != "rbf" or data is IRIS:  # alpha is not unique: more rows than dimensions, or equal rows
            continue
        assert np.array_equal(ours.support_, theirs.support_)
        assert np.array_equal(ours.n_support_, theirs.n_support_)
        assert np.array_equal(ours.support_vectors_, theirs.support_vectors_)
        assert ours.dual_coef_ == pytest.approx(theirs.dual_coef_, rel=1e-4, abs=1e-4 * np.abs(ours.dual_coef_).max())
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_the_soft_margin_with_the_equivalent_c_is_the_same_machine(seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((60, 3))
    labels = (rows[:, 0] * rows[:, 1] + 0.4 * rng.standard_normal(60) > 0).astype(int)
    weights = rng.integers(0, 4, 60) if seed % 2 else None
    model = KernelNuSVM(RBF(0.5), nu=0.1 + 0.05 * seed, tol=1e-12).fit(rows, labels, sample_weight=weights)
    soft = KernelSVM(RBF(0.5), C=model.equivalent_C_, tol=1e-12).fit(rows, labels, sample_weight=weights)
    assert soft.decision_function(rows) == pytest.approx(model.decision_function(rows), abs=1e-6)
    total = 60 if weights is None else weights.sum()
    assert model.rho_ == pytest.approx(1.0 / (model.equivalent_C_ * total))
    assert model.margin_width_ == pytest.approx(2.0 / np.sqrt(square_of(soft)), rel=1e-6)


def square_of(machine):
    """||w||^2 of a machine of two classes."""
    c = machine.dual_coef_[0]
    return float(c @ machine.kernel_.matrix(machine.support_vectors_) @ c)


@pytest.mark.parametrize("seed", range(10))
def test_nu_is_between_the_margin_errors_and_the_support_rows(seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((50, 2))
    labels = (rows[:, 0] + 0.8 * rng.standard_normal(50) > 0).astype(int)
    weights = rng.uniform(0.2, 3.0, 50) if seed % 2 else np.ones(50)
    most = 2.0 * np.bincount(labels, weights).min() / weights.sum()
    for nu in np.linspace(0.05, 1.0, 10) * most:
        model = KernelNuSVM(gamma=1.0, nu=nu).fit(rows, labels, sample_weight=weights)
        assert model.margin_error_rate_ <= nu * (1.0 + 1e-12)
        assert nu <= model.support_rate_ * (1.0 + 1e-12)
        assert model.nu_max_ == pytest.approx(most)
        margins = np.where(labels == 1, 1, -1) * model.decision_function(rows)
        assert weights[margins < 1.0 - 1e-6].sum() / weights.sum() == pytest.approx(model.margin_error_rate_, abs=1e-12)
        assert np.abs(model.dual_coef_).sum() == pytest.approx(nu * weights.sum() * model.equivalent_C_, rel=1e-9)


def test_the_linear_kernel_has_the_linear_machine():
    rows, labels = X[:, :5], Y
    plane, machine = NuSVM(0.6, tol=1e-10).fit(rows, labels), KernelNuSVM("linear", nu=0.6, tol=1e-10).fit(rows, labels)
    assert machine.dual_coef_ @ machine.support_vectors_ == pytest.approx(plane.coef_, rel=1e-6)
    for name in ("nu_max_", "equivalent_C_", "rho_", "margin_width_", "margin_error_rate_"):
        assert getattr(machine, name) == pytest.approx(getattr(plane, name), rel=1e-6), name


class Forbidden(Kernel):
    """A kernel that must not be computed."""

    by_products = False

    def matrix(self, A, B=None):
        raise AssertionError("kernel work")

    def resolved(self, X, y=None, weights=None):
        raise AssertionError("kernel work")


def test_an_infeasible_nu_is_refused_before_any_kernel_work():
    labels = np.repeat([0, 1], [63, 37])
    with pytest.raises(
        OptionError,
        match=r"The 'nu' parameter of KernelNuSVM must be in \(0, 0.74\] for these classes. Got 0.9. Use a smaller nu",
    ):
        KernelNuSVM(Forbidden(), nu=0.9).fit(X[:100], labels)
    weights = np.where(labels == 1, 63.0, 37.0)
    model = KernelNuSVM(nu=0.9).fit(X[:100], labels, sample_weight=weights)  # as the message says
    assert model.nu_max_ == pytest.approx(1.0)
    exact = KernelNuSVM(nu=0.74).fit(X[:100], labels)
    assert exact.certificate_.stated <= 1e-6
    for nu in (0.0, -1.0, 1.1, np.nan, "half"):
        with pytest.raises(OptionError, match="'nu'"):
            KernelNuSVM(nu=nu).fit(X[:100], labels)


def test_a_path_over_nu_has_the_machines_of_fits():
    path = regularization_path(KernelNuSVM(tol=1e-9), X, Y, nu=[0.1, 0.3, 0.5])
    for model, nu in zip(path.models, (0.1, 0.3, 0.5), strict=True):
        alone = KernelNuSVM(nu=nu, tol=1e-9).fit(X, Y)
        assert model.decision_function(X) == pytest.approx(alone.decision_function(X), abs=1e-4)
        assert verify(model, X, Y)
    with pytest.raises(OptionError, match="must be in"):
        regularization_path(KernelNuSVM(), X, np.arange(200) % 10 == 0, nu=[0.1, 0.9])


def test_pairs_of_several_classes_have_their_own_bounds():
    labels = np.repeat([0, 1, 2], [60, 30, 10])
    model = KernelNuSVM(nu=0.5).fit(X[:100], labels)
    assert model.nu_max_ == pytest.approx([2 / 3, 2 / 7, 0.5])
    for name in ("equivalent_C_", "rho_", "margin_width_", "margin_error_rate_", "support_rate_"):
        assert getattr(model, name).shape == (3,)
    assert (model.margin_error_rate_ <= 0.5).all()
    assert (model.support_rate_ >= np.minimum(0.5, model.nu_max_) - 1e-12).all()
    assert verify(model, X[:100], labels)
    pair = KernelNuSVM(nu=2 / 7, gamma=model.kernel_.gamma).fit(X[:100][labels != 1], labels[labels != 1])
    assert model.equivalent_C_[1] == pytest.approx(pair.equivalent_C_, rel=1e-5)


def test_rows_of_both_classes_may_make_w_0():
    rows, labels = [[0.0], [0.0], [1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b", "a", "b"]
    with pytest.warns(TrivialFitWarning, match=r"nu=0.2.*do so for every nu up to 0.333333") as seen:
        model = KernelNuSVM(RBF(1.0), nu=0.2).fit(rows, labels)
    assert seen[0].filename == __file__
    assert (model.support_.size, model.rho_, model.equivalent_C_, model.margin_width_) == (0, 0.0, np.inf, 0.0)
    assert (model.margin_error_rate_, model.certificate_.stated) == (0.0, 0.0)
    assert model.predict(rows).tolist() == ["a"] * 6
    assert verify(model, rows, labels)
    assert KernelNuSVM(RBF(1.0), nu=0.4).fit(rows, labels).rho_ > 0.0


def test_repeated_rows_are_weights():
    weights = np.random.default_rng(0).integers(0, 4, len(Y))
    weighted = KernelNuSVM(RBF(0.05), nu=0.3, tol=1e-9).fit(X, Y, sample_weight=weights)
    repeated = KernelNuSVM(RBF(0.05), nu=0.3, tol=1e-9).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    assert weighted.decision_function(X) == pytest.approx(repeated.decision_function(X), abs=1e-4)
    assert weighted.rho_ == pytest.approx(repeated.rho_, rel=1e-6)
    assert verify(weighted, X, Y, weights)


def test_rows_of_any_kind():
    dense = KernelNuSVM(nu=0.3).fit(X, Y)
    for rows in (sparse.csr_array(X), pd.DataFrame(X, columns=[f"f{j}" for j in range(30)]), X.astype(np.float32)):
        found = KernelNuSVM(nu=0.3).fit(rows, Y)
        assert found.decision_function(rows) == pytest.approx(dense.decision_function(X), abs=1e-4)
        assert verify(found, rows, Y)
    texts, moods = ["good day", "bad day", "good", "bad"], ["up", "down", "up", "down"]
    model = KernelNuSVM(Tokens(), nu=0.5).fit(texts, moods)
    assert model.predict(["good food", "bad food"]).tolist() == ["up", "down"]
    assert verify(model, texts, moods)
    K = RBF(0.05).matrix(X)
    given = KernelNuSVM("precomputed", nu=0.3).fit(K, Y)
    assert given.predict(K[:, given.support_]).tolist() == KernelNuSVM(RBF(0.05), nu=0.3).fit(X, Y).predict(X).tolist()
    assert verify(given, K, Y)


def test_a_changed_model_does_not_verify():
    model = KernelNuSVM(nu=0.3).fit(X, Y)
    assert verify(model, X, Y)
    for change in ("coefficient", "offset", "row", "kernel", "nu"):
        other = pickle.loads(pickle.dumps(model))
        if change == "coefficient":
            other.dual_coef_[0, 0] *= 1.01
        elif change == "offset":
            other.intercept_[0] += 0.01
        elif change == "row":
            other.support_vectors_[0] += 0.1
        elif change == "kernel":
            other.kernel_ = RBF(0.123)
        else:
            other.nu = 0.31
        assert not verify(other, X, Y).holds, change
    assert not verify(model, X, 1 - Y).holds


def test_without_mercers_condition_nothing_is_proved():
    model = KernelNuSVM(Sigmoid(0.05, -1.0), nu=0.3).fit(X, Y)
    assert isinstance(model.certificate_, Unproved)
    assert model.certificate_.stated == pytest.approx(1.0 - model.score(X, Y))
    found = verify(model, X, Y)
    assert (found.holds, found.proved) == (True, False)


def test_bad_data_and_budgets():
    with pytest.raises(DataError, match="1 class only"):
        KernelNuSVM().fit(X, np.zeros(len(Y)))
    with pytest.raises(DataError, match="zero for every row"):
        KernelNuSVM().fit(X, Y, sample_weight=np.zeros(len(Y)))
    with pytest.raises(DataError, match="Input X contains NaN"):
        KernelNuSVM().fit(np.full_like(X, np.nan), Y)
    with pytest.warns(NotCertifiedWarning, match="KernelNuSVM reached a gap of .*max_iter=1 or") as seen:
        model = KernelNuSVM(max_iter=1).fit(X, Y)
    assert seen[0].filename == __file__
    assert verify(model, X, Y).holds


def test_pipelines_clones_and_fewer_rows():
    assert cross_val_score(make_pipeline(StandardScaler(), KernelNuSVM(nu=0.2)), *WINE).mean() > 0.95
    assert clone(KernelNuSVM(Polynomial(2), nu=0.2)).get_params()["kernel"] == Polynomial(2)
    assert "class_weight" not in KernelNuSVM().get_params()
    model = KernelNuSVM(nu=0.5).fit(X, Y)
    smaller = fewer_support_rows(model, 0.1, X, Y)
    assert smaller.support_.size < model.support_.size
    assert 0.0 < smaller.certificate_.stated < 0.1
    assert verify(smaller, X, Y)
