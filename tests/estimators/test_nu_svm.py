"""NuSVM: peers, several classes, weights, files. The theory is in tests/theorems/test_free_margins.py."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.svm import NuSVC

from separatrix import KernelNuSVM, LinearSVM, NuSVM, OptionError, TrivialFitWarning, load, save, verify


def drawn(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), np.arange(n) % 2
    X[y == 1] += 1.0
    return X, np.where(y == 1, "yes", "no")


@pytest.mark.parametrize("seed", range(10))
def test_planes_of_scikit_learn(seed):
    X, y = drawn(seed)
    ours, theirs = NuSVM(0.63).fit(X, y), NuSVC(nu=0.63, kernel="linear", tol=1e-10).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    assert np.array_equal(ours.support_, theirs.support_)
    assert np.allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-5)
    assert np.array_equal(ours.n_support_, theirs.n_support_)


def test_several_classes_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    ours, theirs = NuSVM(0.21).fit(X, y), NuSVC(nu=0.21, kernel="linear", tol=1e-10).fit(X, y)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert np.allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert np.allclose(ours.dual_coef_ @ X[ours.support_], theirs.dual_coef_ @ X[theirs.support_], atol=1e-3)
    assert (ours.margin_error_rate_ <= 0.21).all()
    assert (ours.support_rate_ >= 0.21).all()
    assert verify(ours, X, y)
    other = NuSVM(0.21).fit(X, y)
    other.coef_[1] *= 1.01
    assert not verify(other, X, y).holds


def test_raw_features():
    X, y = load_breast_cancer(return_X_y=True)  # separable: every small nu makes sense
    for nu in (0.01, 0.1, 0.5):
        model = NuSVM(nu).fit(X, y)
        assert model.nu_min_ == 0.0
        assert model.certificate_.stated <= 1e-6
        assert verify(model, X, y)
        other = LinearSVM(C=model.equivalent_C_).fit(X, y)
        assert np.allclose(other.coef_, model.coef_, rtol=1e-6, atol=1e-7 * np.abs(other.coef_).max())


def test_weights_are_repetitions():
    X, y = drawn(3)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    one, other = NuSVM(0.4).fit(X, y, weights), NuSVM(0.4).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.allclose(one.coef_, other.coef_, atol=1e-8)
    assert one.margin_error_rate_ == pytest.approx(other.margin_error_rate_)
    assert one.nu_max_ == pytest.approx(other.nu_max_)
    assert 0 not in weights[one.support_]


def test_rare_classes_of_pairs_count_as_much_as_they_can():
    X, y = load_iris(return_X_y=True)
    X, y = X[45:], y[45:]  # five rows of the first class
    model = NuSVM(0.5).fit(X, y)
    assert model.nu_max_.round(4).tolist() == [0.1818, 0.1818, 1.0]
    assert (model.margin_error_rate_ <= np.minimum(0.5, model.nu_max_) + 1e-12).all()
    assert verify(model, X, y)


def test_sparse_rows_of_many_columns():
    X = sparse.random(1700, 1600, density=0.01, random_state=0, format="csr")
    y = X @ np.random.default_rng(0).standard_normal(1600) > 0.0
    model = NuSVM(0.4).fit(X, y)
    assert model.certificate_.stated <= 1e-6
    assert model.margin_error_rate_ <= 0.4 <= model.support_rate_
    assert verify(model, X, y)


@pytest.mark.parametrize("nu", [0.0, -0.1, 1.2, np.nan, "half", None])
def test_nu_that_makes_no_sense(nu):
    with pytest.raises(OptionError, match="'nu'"):
        NuSVM(nu).fit(*drawn(0))


def test_files(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = NuSVM(0.3).fit(X, y)
    save(model, tmp_path / "model.json", data=(X, y))
    again = load(tmp_path / "model.json")
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert verify(again, X, y)
    assert again.feature_names_in_.tolist() == X.columns.tolist()


def test_the_linear_kernel_is_the_linear_machine():
    X, y = drawn(4)
    one, other = NuSVM(0.6).fit(X, y), KernelNuSVM("linear", nu=0.6).fit(X, y)
    assert np.allclose(one.decision_function(X), other.decision_function(X), atol=1e-9)
    assert one.equivalent_C_ == pytest.approx(other.equivalent_C_)
    assert np.allclose(one.dual_coef_, other.dual_coef_, atol=1e-9)


def test_no_nu_is_recommended_where_every_feasible_one_has_the_optimum_0():
    X = np.vstack([[[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]] * 20, [[0.1, 0.0], [-0.1, 0.1]]])
    y = np.repeat([0, 1], [80, 2])  # the mean of the rarer class is a mixture of the other's rows, 1/2 of a row at most
    with pytest.raises(OptionError, match=r"must be in \(0, 0.0487805\] .* Got 0.5. A smaller nu is not known to give"):
        NuSVM(0.5).fit(X, y)
    with pytest.warns(TrivialFitWarning, match="No nu is larger and feasible: give rows of the rarer class a larger"):
        model = NuSVM(0.04).fit(X, y)
    assert model.nu_min_ == pytest.approx(model.nu_max_)
    assert not model.coef_.any()
    assert NuSVM(0.98).fit(X, y, np.where(y == 1, 40.0, 1.0)).coef_.any()  # as the messages advise
