"""Kernel machines by fewer support rows: the measured loss is the true one and bounds every score."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

from separatrix import (
    DataError,
    DualityGap,
    KernelPerceptron,
    KernelSVM,
    LinearSVM,
    OptionError,
    Separator,
    Unproved,
    fewer_support_rows,
    load,
    save,
    verify,
)
from separatrix.estimators.reduction.in_pairs import by_pairs
from separatrix.kernels import RBF, Linear, Polynomial, Sigmoid, Tokens
from separatrix.solvers.kernel import gram

MOONS, NEW = make_moons(600, noise=0.25, random_state=0), make_moons(300, noise=0.5, random_state=1)[0]
IRIS = StandardScaler().fit_transform(load_iris().data), load_iris().target_names[load_iris().target]


def planes(model, rows):
    """Coefficients of each pair, spread over all training rows."""
    into = np.zeros((model.intercept_.size, rows))
    into[:, model.support_] = by_pairs(model.dual_coef_, model.n_support_)
    return into


def losses(model, smaller, X):
    """||w - w'|| / ||w|| and ||w|| of each pair from the whole kernel matrix, and what rounding makes of the first."""
    K, w, other = model.kernel_.matrix(X), planes(model, len(X)), planes(smaller, len(X))
    lengths = np.sqrt(np.einsum("ij,jk,ik->i", w, K, w))
    rounding = 1e-8 * np.abs(w - other) @ np.sqrt(K.diagonal()) / lengths
    return np.sqrt(np.abs(np.einsum("ij,jk,ik->i", w - other, K, w - other))) / lengths, lengths, rounding


@pytest.mark.parametrize("tol", [0.1, 1e-2, 1e-3])
@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("kernel", [RBF(1.0), Polynomial(3, 1.0, 0.5), RBF(0.3) + Linear()], ids=repr)
def test_the_loss_is_the_true_one_and_bounds_every_score(kernel, C, tol):
    X, y = MOONS
    model = KernelSVM(kernel, C=C).fit(X, y)
    smaller = fewer_support_rows(model, tol)
    (true,), (length,), (rounding,) = losses(model, smaller, X)
    assert smaller.support_loss_[0] == pytest.approx(true, rel=1e-3, abs=rounding)
    assert 0.0 < smaller.support_loss_[0] <= tol
    change = np.abs(smaller.decision_function(NEW) - model.decision_function(NEW))
    assert (change <= (smaller.support_loss_[0] + rounding) * length * np.sqrt(kernel.diagonal(NEW))).all()
    assert smaller.support_.size < model.support_.size
    assert set(smaller.support_) < set(model.support_)
    assert np.array_equal(smaller.support_vectors_, X[smaller.support_])


def test_the_rows_of_two_moons_fall_by_five():
    X, y = make_moons(1000, noise=0.25, random_state=0)
    model = KernelSVM().fit(X, y)
    smaller = fewer_support_rows(model, 1e-3)
    assert model.support_.size >= 5 * smaller.support_.size
    assert smaller.decision_function(NEW) == pytest.approx(model.decision_function(NEW), abs=5e-3)
    assert np.array_equal(smaller.predict(X), model.predict(X))


def test_no_subset_of_the_same_size_in_another_order_does_better_by_chance():
    """The projection is the best on its rows, and random rows of the same number lose more."""
    X, y = MOONS
    model = KernelSVM(RBF(1.0)).fit(X, y)
    smaller = fewer_support_rows(model, 1e-2)
    K, w, rng = model.kernel_.matrix(X), planes(model, len(X))[0], np.random.default_rng(0)
    square = w @ K @ w

    def loss(rows):
        c = np.linalg.lstsq(K[np.ix_(rows, rows)], K[rows] @ w, rcond=1e-12)[0]
        return np.sqrt(max(square - c @ K[rows] @ w, 0.0) / square)

    own = loss(smaller.support_)
    assert own == pytest.approx(smaller.support_loss_[0], rel=1e-3)
    for _ in range(20):
        assert loss(rng.choice(model.support_, smaller.support_.size, replace=False)) > own


def test_a_kernel_of_low_rank_needs_no_more_rows_than_its_rank():
    X, y = MOONS
    model = KernelSVM(Polynomial(2, 1.0, 1.0)).fit(X, y)  # monomials 1, x1, x2, x1 x2, x1^2, x2^2
    assert fewer_support_rows(model, 1e-5).support_.size <= 6
    plane = KernelSVM("linear").fit(X, y)
    assert fewer_support_rows(plane, 1e-6).support_.size == 2


@pytest.mark.parametrize("tol", [1e-5, 1e-6, 1e-7, 1e-9])
def test_a_loss_that_rounding_hides_is_never_above_what_was_allowed(tol):
    for kernel in (RBF(1.0), RBF(0.3), Polynomial(2, 1.0, 1.0)):
        model = KernelSVM(kernel, C=100.0).fit(*MOONS)
        smaller = fewer_support_rows(model, tol)
        assert smaller.support_loss_[0] <= tol
        assert smaller.decision_function(NEW) == pytest.approx(model.decision_function(NEW), abs=1e-3)


def test_a_tolerance_of_zero_keeps_the_predictions():
    X, y = MOONS
    model = KernelSVM(RBF(1.0)).fit(X, y)
    same = fewer_support_rows(model, 0.0)
    assert np.array_equal(same.decision_function(NEW), model.decision_function(NEW))
    assert same.support_loss_.tolist() == [0.0]
    assert same.certificate_ is model.certificate_


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_with_data_the_gap_of_the_new_plane_is_proved(loss):
    X, y = MOONS
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    model = KernelSVM(RBF(1.0), C=2.0, loss=loss).fit(X, y, sample_weight=weight)
    smaller = fewer_support_rows(model, 1e-2, X, y, weight)
    claim = smaller.certificate_
    assert isinstance(claim, DualityGap)
    assert claim.dual == pytest.approx(model.certificate_.dual, rel=1e-12)
    assert model.certificate_.primal * (1.0 - 1e-9) < claim.primal < 1.1 * model.certificate_.primal
    scores = smaller.decision_function(X)
    slack = np.maximum(0.0, 1.0 - np.where(y == 1, 1, -1) * scores)
    w = planes(smaller, len(X))[0]
    losses_of_rows = 2.0 * weight @ (slack if loss == "hinge" else slack**2)
    assert claim.primal == pytest.approx(0.5 * w @ model.kernel_.matrix(X) @ w + losses_of_rows, rel=1e-9)
    assert verify(smaller, X, y, weight)
    smaller.dual_coef_[0, 0] *= 1.001
    assert not verify(smaller, X, y, weight).holds


def test_without_data_nothing_is_proved_but_the_loss_is_stated():
    X, y = MOONS
    model = KernelSVM(RBF(1.0)).fit(X, y)
    smaller = fewer_support_rows(model, 1e-2)
    assert isinstance(smaller.certificate_, Unproved)
    assert f"of {model.support_.size} support rows are left, whose w is within" in str(smaller.certificate_)
    found = verify(smaller, X, y)
    assert (found.holds, found.proved) == (True, False)
    assert found.error == pytest.approx(1.0 - smaller.score(X, y))


@pytest.mark.parametrize("with_data", [True, False])
def test_several_classes(with_data):
    X, y = IRIS
    model = KernelSVM(RBF(0.3), C=5.0).fit(X, y)
    smaller = fewer_support_rows(model, 0.02, *(IRIS if with_data else ()))
    true, _, rounding = losses(model, smaller, X)
    assert smaller.support_loss_ == pytest.approx(true, rel=1e-3, abs=rounding.max())
    assert (smaller.support_loss_ <= 0.02).all()
    assert smaller.support_.size < model.support_.size
    assert smaller.n_support_.sum() == smaller.support_.size
    assert (smaller.predict(X) == model.predict(X)).all()
    found = verify(smaller, X, y)
    assert (found.holds, found.proved) == (True, with_data)
    again = fewer_support_rows(smaller, 0.1, *(IRIS if with_data else ()))
    assert again.support_.size < smaller.support_.size
    assert verify(again, X, y).holds


def test_perceptrons_texts_and_given_values():
    X, y = make_moons(300, noise=0.1, random_state=0)
    model = KernelPerceptron(RBF(5.0), random_state=0).fit(X, y)
    smaller = fewer_support_rows(model, 1e-3, X, y)
    assert isinstance(smaller.certificate_, Separator)
    assert verify(smaller, X, y)
    assert isinstance(fewer_support_rows(model, 0.9, X, y).certificate_, Unproved)
    texts = ["a good and sunny day", "what a bad day", "good good food", "bad rain", "sunny and good", "a bad bad meal"]
    moods = ["up", "down", "up", "down", "up", "down"]
    words = KernelSVM(Tokens(), C=10.0).fit(texts * 2, moods * 2)
    fewer = fewer_support_rows(words, 1e-6, texts * 2, moods * 2)
    assert fewer.support_.size < words.support_.size, "each text was there twice"
    assert fewer.decision_function(texts) == pytest.approx(words.decision_function(texts), abs=1e-6)
    assert verify(fewer, texts * 2, moods * 2)
    K = RBF(1.0).matrix(MOONS[0])
    given = KernelSVM("precomputed").fit(K, MOONS[1])
    with pytest.raises(DataError, match="Give X, the matrix of its fit"):
        fewer_support_rows(given)
    smaller = fewer_support_rows(given, 1e-3, K, MOONS[1])
    expected = fewer_support_rows(KernelSVM(RBF(1.0)).fit(*MOONS), 1e-3)
    assert np.array_equal(smaller.support_, expected.support_)
    assert smaller.decision_function(K) == pytest.approx(expected.decision_function(MOONS[0]), abs=1e-6)
    assert verify(smaller, K, MOONS[1])
    function = KernelSVM(lambda A, B: RBF(1.0).matrix(A, B)).fit(*MOONS)
    assert np.array_equal(fewer_support_rows(function, 1e-3).support_, expected.support_)


def test_it_may_be_stored_and_fitted_again(tmp_path):
    X, y = IRIS
    model = KernelSVM(RBF(0.3)).fit(X, y)
    smaller = fewer_support_rows(model, 0.01, X, y)
    save(smaller, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert np.array_equal(loaded.decision_function(X), smaller.decision_function(X))
    assert np.array_equal(loaded.support_loss_, smaller.support_loss_)
    assert verify(loaded, X, y)
    assert not hasattr(clone(smaller), "support_loss_")
    assert not hasattr(smaller.fit(X, y), "support_loss_")
    assert np.array_equal(smaller.support_, model.support_)


def test_many_rows_are_not_held_as_a_matrix(monkeypatch):
    model = KernelSVM(RBF(1.0)).fit(*MOONS)
    expected = fewer_support_rows(model, 1e-3)
    monkeypatch.setattr(gram, "MAX_EXACT_ROWS", 10)
    found = fewer_support_rows(model, 1e-3)
    assert np.array_equal(found.support_, expected.support_)
    assert found.dual_coef_ == pytest.approx(expected.dual_coef_, rel=1e-4, abs=1e-4)


def test_an_indefinite_kernel_loses_nothing_that_cannot_be_measured():
    X, y = IRIS[0][:100], IRIS[1][:100]
    model = KernelSVM(Sigmoid(0.5, -1.0)).fit(X, y)
    smaller = fewer_support_rows(model, 1e-3, X, y)
    assert isinstance(smaller.certificate_, Unproved)
    assert np.isfinite(smaller.dual_coef_).all()
    assert verify(smaller, X, y).holds


def test_at_least_one_row_is_left_and_a_plane_of_length_zero_stays():
    model = KernelSVM(RBF(1.0)).fit(*MOONS)
    assert fewer_support_rows(model, 1.0).support_.size == 1
    X, y = np.zeros((4, 2)), [0, 1, 0, 1]
    nothing = KernelSVM(RBF(1.0)).fit(X, y)  # w is 0
    same = fewer_support_rows(nothing, 0.5, X, y)
    assert np.array_equal(same.support_, nothing.support_)
    assert verify(same, X, y)


def test_clear_errors():
    model = KernelSVM(RBF(1.0)).fit(*MOONS)
    with pytest.raises(OptionError, match="fitted KernelSVM or KernelPerceptron"):
        fewer_support_rows(LinearSVM().fit(*MOONS), 0.1)
    with pytest.raises(NotFittedError):
        fewer_support_rows(KernelSVM(), 0.1)
    for tol in (-0.1, 1.5, "small", np.nan):
        with pytest.raises(OptionError, match="'tol' parameter"):
            fewer_support_rows(model, tol)
    with pytest.raises(DataError, match="not the rows"):
        fewer_support_rows(model, 0.1, MOONS[0][::-1], MOONS[1])
    with pytest.raises(DataError, match="not the rows"):
        fewer_support_rows(model, 0.1, MOONS[0], 1 - MOONS[1])
