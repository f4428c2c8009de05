"""The classifier by reduced hulls: what the books say of it, several classes, weights, files, checks and warnings."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_moons
from sklearn.svm import NuSVC

from separatrix import (
    Collected,
    LinearSVM,
    NearestPoint,
    NotCertifiedWarning,
    OptionError,
    ReducedHullClassifier,
    TrivialFitWarning,
    fewer_support_rows,
    load,
    save,
    verify,
)
from separatrix.kernels import RBF, Tokens
from separatrix.problem import Problem
from separatrix.solvers.hulls.mdm import mdm
from solvers import nearest_points_by_hand as by_hand
from solvers import reduced_hulls_by_clarabel as oracle

IRIS = load_iris(return_X_y=True)
MOONS = make_moons(120, noise=0.2, random_state=0)
HULLS = ("mdm", "gilbert", "schlesinger_kozinec")


@pytest.mark.parametrize("algorithm", HULLS)
@pytest.mark.parametrize("seed", range(4))
def test_for_mu_one_the_bisector_is_the_plane_with_the_largest_margin(algorithm, seed):
    X, y = by_hand.separable(40, 3, 0.2, seed)
    machine = LinearSVM(C=np.inf).fit(X, y)
    for offset in ("bisector", "kkt"):
        model = ReducedHullClassifier(1.0, algorithm=algorithm, offset=offset).fit(X, y)
        np.testing.assert_allclose(model.coef_, machine.coef_, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(model.intercept_, machine.intercept_, rtol=1e-6, atol=1e-7)
        assert model.distance_ == pytest.approx(machine.margin_width_, rel=1e-8)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_both_parts_of_the_nu_machine_of_scikit_learn(kernel):
    X, y = MOONS
    mu = 1.4 / 60
    model = ReducedHullClassifier(mu, kernel=kernel, gamma=1.0, offset="kkt").fit(X, y)
    peer = NuSVC(nu=model.nu_, kernel=kernel, gamma=1.0, tol=1e-9).fit(X, y)
    g, other = model.decision_function(X), peer.decision_function(X)
    np.testing.assert_allclose(g / np.abs(g).max(), other / np.abs(other).max(), atol=1e-5)
    assert model.nu_ == pytest.approx(2.0 / (mu * 120))


def test_nu_bounds_errors_and_support_rows():
    """Of margins and of support rows: errors <= nu <= rows with weight, as parts of all."""
    X, y = MOONS
    for factor in (1.2, 1.6, 2.0):
        model = ReducedHullClassifier(factor / 60, offset="kkt").fit(X, y)
        weights = np.abs(model.dual_coef_[0]) * model.distance_**2 / 2
        assert model.support_.size >= model.nu_ * 120 - 1e-9
        assert np.mean(weights > model.mu_ * (1 - 1e-9)) * model.support_.size <= model.nu_ * 120 + 1e-9
        assert np.mean(model.predict(X) != y) <= model.nu_


def test_attributes_agree_with_each_other():
    X, y = MOONS
    model = ReducedHullClassifier(1.5 / 60).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_ @ model.support_vectors_, model.coef_, atol=1e-10)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    assert model.n_support_.sum() == model.support_.size
    q, p = model.nearest_points_
    assert np.linalg.norm(p - q) == pytest.approx(model.distance_)
    assert 2.0 / np.linalg.norm(model.coef_) == pytest.approx(model.distance_)
    assert model.decision_function([q, p, (p + q) / 2]) == pytest.approx([-1.0, 1.0, 0.0], abs=1e-12)
    weights = np.abs(model.dual_coef_[0]) * model.distance_**2 / 2
    assert weights.max() <= model.mu_ * (1 + 1e-9)
    assert weights[y[model.support_] == 1] @ X[model.support_][y[model.support_] == 1] == pytest.approx(p)


def test_auto_is_twice_the_smallest_mu_or_less_where_hulls_would_meet():
    X, y = by_hand.separable(60, 4, 0.3, 1)
    n = np.unique(y, return_counts=True)[1].min()
    assert ReducedHullClassifier().fit(X, y).mu_ == pytest.approx(2.0 / n)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((80, 2)), np.repeat([0, 1], 40)
    X[:, 0] += 0.5 * y
    model = ReducedHullClassifier().fit(X, y)
    assert 1.0 / 40 <= model.mu_ < 2.0 / 40
    assert model.distance_ > 0.0
    assert verify(model, X, y).proved


def test_several_classes_are_told_apart_in_pairs_with_scikit_learns_signs():
    X, y = IRIS
    model = ReducedHullClassifier().fit(X, y)
    assert isinstance(model.certificate_, Collected)
    assert model.coef_.shape == (3, 4)
    assert model.nearest_points_.shape == (3, 2, 4)
    assert model.mu_.shape == model.nu_.shape == model.distance_.shape == (3,)
    for pair, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        own = np.isin(y, (i, j))
        alone = ReducedHullClassifier().fit(X[own], y[own])
        np.testing.assert_allclose(model.coef_[pair], -alone.coef_[0], rtol=1e-9)
        assert model.distance_[pair] == pytest.approx(alone.distance_)
    assert model.score(X, y) >= 0.97
    named = ReducedHullClassifier(kernel="rbf").fit(X, np.array(["a", "b", "c"])[y])
    assert named.score(X, np.array(["a", "b", "c"])[y]) >= 0.97
    assert not hasattr(named, "coef_")
    assert not hasattr(named, "nearest_points_")


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("offset", ["bisector", "kkt"])
@pytest.mark.parametrize("data", [IRIS, MOONS], ids=["iris", "moons"])
def test_files_and_verification(kernel, offset, data, tmp_path):
    X, y = data
    model = ReducedHullClassifier(kernel=kernel, offset=offset).fit(X, y)
    assert verify(model, X, y).proved
    save(model, tmp_path / "model.json")
    same = load(tmp_path / "model.json")
    np.testing.assert_array_equal(same.decision_function(X), model.decision_function(X))
    assert verify(same, X, y).proved
    assert str(same.certificate_) == str(model.certificate_)
    for name, spoil in {
        "intercept_": lambda value: value + 1e-3,
        "dual_coef_" if kernel == "rbf" else "coef_": lambda value: value * 1.001,
    }.items():
        other = load(tmp_path / "model.json")
        setattr(other, name, spoil(getattr(other, name)))
        assert not verify(other, X, y).holds, name
    for option, value in (("mu", 0.9), ("offset", "kkt" if offset == "bisector" else "bisector")):
        other = load(tmp_path / "model.json").set_params(**{option: value})
        assert not verify(other, X, y).holds, f"the options ask for another {option}"
    assert not verify(model, X, np.roll(y, 7)).holds


def test_a_claim_about_another_plane_or_offset_is_no_claim_about_the_model():
    X, y = MOONS
    model = ReducedHullClassifier(1.5 / 60).fit(X, y)
    model.certificate_ = model.certificate_.with_offset(Problem(X, y), model.certificate_.b + 0.01)
    model.intercept_ = model.intercept_ + 0.01  # together they agree, but no rule gives such an offset
    assert not verify(model, X, y).holds
    model.certificate_ = mdm(Problem(X, y), mu=1.2 / 60).certificate
    model.coef_, model.intercept_ = model.certificate_.w[None].copy(), np.array([model.certificate_.b])
    assert not verify(model, X, y).holds, "of another mu"


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_weights_are_repetitions_and_rows_of_weight_zero_are_left_out(kernel):
    X, y = MOONS
    times = np.random.default_rng(0).integers(0, 4, y.size)
    one = ReducedHullClassifier(0.02, kernel=kernel, gamma=1.0).fit(X, y, sample_weight=times)
    other = ReducedHullClassifier(0.02, kernel=kernel, gamma=1.0).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-7)
    assert one.nu_ == pytest.approx(other.nu_)
    assert (times[one.support_] > 0).all()
    assert verify(one, X, y, times).proved
    assert not verify(one, X, y).holds


def test_class_weights_multiply_those_of_the_rows():
    X, y = MOONS
    model = ReducedHullClassifier(0.02, class_weight={0: 2.0, 1: 1.0}).fit(X, y)
    same = ReducedHullClassifier(0.02).fit(X, y, sample_weight=np.where(y == 0, 2.0, 1.0))
    np.testing.assert_array_equal(model.coef_, same.coef_)
    with pytest.raises(OptionError, match=r"\[0.0166667, 1\]"):
        ReducedHullClassifier(0.016, class_weight={0: 2.0, 1: 1.0}).fit(X, y)


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_hulls_that_meet_are_said_to_meet(kernel, tmp_path):
    X, y = MOONS
    with pytest.warns(TrivialFitWarning, match=r"classes 0 and 1 meet with mu=0.9.*lower mu towards 0.0166667"):
        model = ReducedHullClassifier(0.9, kernel=kernel, degree=2).fit(X, y)
    assert model.distance_ == 0.0
    assert not model.decision_function(X).any()
    assert not model.certificate_.proof
    assert verify(model, X, y).holds
    assert not verify(model, X, y).proved
    save(model, tmp_path / "model.json")
    assert not load(tmp_path / "model.json").decision_function(X).any()
    with pytest.warns(TrivialFitWarning, match="as mu cannot be smaller"):
        ReducedHullClassifier().fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])


def test_an_error_above_tol_is_warned_of(monkeypatch):
    from separatrix.solvers.hulls import bounded_wolfe

    monkeypatch.setattr(bounded_wolfe, "MAX_WORK", 0.0)
    with pytest.warns(NotCertifiedWarning, match="reached a relative error of .* where tol=1e-13.*Raise max_iter=2"):
        ReducedHullClassifier(1.5 / 60, algorithm="gilbert", tol=1e-13, max_iter=2).fit(*MOONS)


def test_rows_of_every_kind():
    X, y = MOONS
    model = ReducedHullClassifier(kernel="rbf", gamma=1.0).fit(X, y)
    K = RBF(gamma=1.0).matrix(X)
    given = ReducedHullClassifier(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(given.decision_function(K), model.decision_function(X), atol=1e-8)
    assert verify(given, K, y).proved
    stored = ReducedHullClassifier().fit(sparse.csr_array(X), y)
    dense = ReducedHullClassifier().fit(X, y)
    np.testing.assert_allclose(stored.coef_, dense.coef_, rtol=1e-9)
    assert sparse.issparse(stored.support_vectors_)
    texts, labels = ["good day", "good luck", "bad day", "bad luck", "good good day"], [1, 1, 0, 0, 1]
    words = ReducedHullClassifier(1.0, kernel=Tokens()).fit(texts, labels)
    assert words.predict(["good", "bad"]).tolist() == [1, 0]
    assert verify(words, texts, labels).proved


@pytest.mark.parametrize("algorithm", HULLS)
def test_algorithms_agree_in_the_space_of_a_kernel(algorithm):
    X, y = MOONS
    expected = ReducedHullClassifier(kernel="rbf", gamma=2.0).fit(X, y)
    model = ReducedHullClassifier(kernel="rbf", gamma=2.0, algorithm=algorithm).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X), atol=1e-8)
    K = RBF(gamma=2.0).matrix(X)
    weights = oracle.weights_of_nearest_points(K, 2 * y - 1, np.full(120, model.mu_))
    c = weights * (2 * y - 1)
    assert model.distance_ == pytest.approx(np.sqrt(c @ K @ c), rel=1e-8)
    np.testing.assert_allclose(model.decision_function(X) - model.intercept_, 2 * K @ c / (c @ K @ c), atol=1e-6)


def test_wrong_options_say_what_to_use():
    X, y = MOONS
    for options, message in (
        ({"mu": 0.01}, r"\[0.0166667, 1\] for these classes.*mu='auto'"),
        ({"mu": "most"}, "a number above 0 or 'auto'"),
        ({"algorithm": "smo"}, "'algorithm' parameter must be one of"),
        ({"offset": "none"}, "'offset' parameter must be one of"),
        ({"kernel": "sigmoid", "gamma": 3.0, "coef0": -2.0}, "not positive semidefinite"),
    ):
        with pytest.raises(OptionError, match=message):
            ReducedHullClassifier(**options).fit(X, y)
    with pytest.raises(OptionError, match="fitted KernelSVM or KernelPerceptron"):
        fewer_support_rows(ReducedHullClassifier(kernel="rbf").fit(X, y))


def test_a_refit_with_another_kernel_leaves_nothing_behind():
    X, y = MOONS
    model = ReducedHullClassifier().fit(X, y)
    model.set_params(kernel="rbf").fit(X, y)
    assert not hasattr(model, "coef_")
    assert isinstance(model.certificate_, NearestPoint)
    assert verify(model, X, y).proved


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
def test_a_long_normal_leaves_the_offset_its_digits():
    """Four columns that differ by 2^-38: w is 10^11 long, and its products with the points cancel to a few units."""
    rng = np.random.default_rng(0)
    for _ in range(8):
        column, y = rng.standard_normal((13, 1)), np.arange(13) % 2
        X = column * (1.0 + 2.0**-38 * rng.integers(-2, 3, (13, 4)))
        model = ReducedHullClassifier(mu=0.6, max_iter=1000).fit(X, y)
        claim = model.certificate_
        w = [Fraction(value) for value in model.coef_[0]]
        middle = sum(
            Fraction(share) * sum(v * Fraction(x) for v, x in zip(w, X[row], strict=True))
            for row, share in zip(claim.support, claim.weights, strict=True)
        )
        assert abs(model.intercept_[0] + middle / 2) <= 1e-12 * max(1.0, abs(middle))
        assert verify(model, X, y).holds
