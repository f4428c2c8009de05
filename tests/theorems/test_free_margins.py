"""Theorems about nu: what it bounds, when it is feasible, and that it is another name for C.

(Schoelkopf et al. 2000; Chang and Lin 2001; Crisp and Burges 1999)
"""

import numpy as np
import pytest
from scipy.optimize import linprog

from separatrix import (
    LinearSVM,
    LinearSVR,
    NuSVM,
    NuSVR,
    OptionError,
    ReducedHullClassifier,
    TrivialFitWarning,
    verify,
)
from separatrix.problem import Problem
from separatrix.solvers.svm.smallest_nu import smallest_nu


def two_classes(seed, shift=1.0, n=60, d=3):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < n * rng.uniform(0.3, 0.6)).astype(int)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-2, 3, d)
    X[y == 1] += shift * rng.standard_normal(d) * X.std(axis=0)
    return X, y


def least_mean_slack(X, y, cost=None):
    """nu_min by a linear program: the least mean of slacks that planes leave."""
    n, d = X.shape
    cost, signs = np.ones(n) if cost is None else cost, np.where(y == 1, 1.0, -1.0)
    planes = signs[:, None] * np.column_stack([X / np.abs(X).max(axis=0), np.ones(n)])
    found = linprog(
        np.concatenate([np.zeros(d + 1), cost / cost.sum()]),
        A_ub=-np.hstack([planes, np.eye(n)]),
        b_ub=-np.ones(n),
        bounds=[(None, None)] * (d + 1) + [(0.0, None)] * n,
    )
    return found.fun


@pytest.mark.filterwarnings("ignore::separatrix.TrivialFitWarning")
@pytest.mark.parametrize("seed", range(50))
def test_nu_bounds_margin_errors_and_support_rows(seed):
    X, y = two_classes(seed, shift=[0.3, 1.0, 3.0][seed % 3])
    most = 2.0 * min(y.mean(), 1.0 - y.mean())
    for nu in most * np.linspace(0.1, 1.0, 10):
        model = NuSVM(nu=nu).fit(X, y)
        assert model.margin_error_rate_ <= nu * (1.0 + 1e-12)
        assert nu <= model.support_rate_ * (1.0 + 1e-12)
        assert model.certificate_.stated < 1e-6
        if nu > model.nu_min_:
            assert np.mean(model.predict(X) != y) <= nu  # errors are margin errors


@pytest.mark.parametrize("seed", range(20))
def test_nu_and_its_c_give_the_same_plane(seed):
    X, y = two_classes(seed, shift=2.0)
    model = NuSVM(nu=0.9 * 2.0 * min(y.mean(), 1.0 - y.mean())).fit(X, y)
    other = LinearSVM(C=model.equivalent_C_).fit(X, y)
    size = np.abs(other.coef_ * X.std(axis=0)).max()
    assert np.abs((model.coef_ - other.coef_) * X.std(axis=0)).max() <= 1e-7 * size
    assert np.abs(model.decision_function(X) - other.decision_function(X)).max() <= 1e-7 * (1.0 + size)
    assert model.equivalent_C_ == pytest.approx(1.0 / (model.rho_ * len(X)))
    assert model.margin_width_ == pytest.approx(other.margin_width_, rel=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_the_smallest_nu_is_the_least_mean_slack(seed):
    X, y = two_classes(seed, shift=0.5)
    cost = np.random.default_rng(seed).uniform(0.5, 2.0, len(y))
    assert smallest_nu(Problem(X, y)).nu == pytest.approx(least_mean_slack(X, y), abs=1e-7)
    found = smallest_nu(Problem(X, y, 2, cost))
    assert found.nu == pytest.approx(least_mean_slack(X, y, cost), abs=1e-7)
    signed = np.where(y == 1, 1.0, -1.0) * found.alpha  # the mixtures are one point
    assert np.abs(signed.sum()) <= 1e-12 * found.alpha.sum()
    assert (np.abs(signed @ X) <= 1e-12 * (found.alpha @ np.abs(X))).all()
    assert found.alpha.sum() / cost.sum() == pytest.approx(found.nu, rel=1e-7)


def test_separable_classes_have_no_smallest_nu():
    X, y = two_classes(0)
    X[:, 0] += np.where(y == 1, 20.0, -20.0) * X[:, 0].std()
    assert smallest_nu(Problem(X, y)).nu == 0.0
    assert NuSVM(nu=0.01).fit(X, y).coef_.any()


@pytest.mark.parametrize("seed", range(10))
def test_at_or_below_the_smallest_nu_the_plane_vanishes(seed):
    X, y = two_classes(seed, shift=0.3)
    least, most = least_mean_slack(X, y), 2.0 * min(y.mean(), 1.0 - y.mean())
    empty = most - least < 1e-6  # no nu that is feasible gives a plane, so that none may be recommended
    advice = "No nu is larger and feasible" if empty else r"Use a nu in \("
    for part in (0.2, 0.999):
        with pytest.warns(TrivialFitWarning, match=f"nu_min=.* {advice}"):
            model = NuSVM(nu=part * least).fit(X, y)
        assert not model.coef_.any()
        assert model.equivalent_C_ == np.inf
        assert model.rho_ == 0.0
        assert model.certificate_.primal == model.certificate_.dual == 0.0
        assert verify(model, X, y)
    assert empty or NuSVM(nu=least + 0.05 * (most - least)).fit(X, y).coef_.any()


def test_an_infeasible_nu_is_refused_with_its_interval():
    X, y = two_classes(1, shift=0.5)
    most, least = 2.0 * min(y.mean(), 1.0 - y.mean()), least_mean_slack(X, y)
    with pytest.raises(OptionError, match=rf"must be in \({least:.4g}\d*, {most:.6g}\] for these classes\. Got 0\.99"):
        NuSVM(nu=0.99).fit(X, y)
    assert NuSVM(nu=most).fit(X, y).nu_max_ == most  # the end of the interval is feasible
    weights = np.where(y == 1, 1.0 / y.mean(), 1.0 / (1.0 - y.mean()))  # balanced: every nu is feasible
    assert NuSVM(nu=0.99).fit(X, y, weights).nu_max_ == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(5))
def test_equal_classes_at_the_largest_nu_have_the_direction_of_their_means(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((40, 3)), np.repeat([0, 1], 20)
    X[y == 1] += 1.0
    w = NuSVM(nu=1.0).fit(X, y).coef_[0]
    means = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    assert np.allclose(w / np.linalg.norm(w), means / np.linalg.norm(means), rtol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_nu_regression_is_the_tube_that_it_finds(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((50, 3)) * 10.0 ** rng.integers(-2, 3, 3)
    y = 1e6 * (X @ (rng.standard_normal(3) / X.std(axis=0)) + rng.standard_t(3, 50))
    for nu in (0.1, 0.3, 0.6):
        model = NuSVR(nu=nu, C=10.0 ** rng.integers(-1, 4)).fit(X, y)
        assert model.outside_rate_ <= nu * (1.0 + 1e-12)
        if model.epsilon_ > 0.0:
            assert nu <= model.support_rate_ * (1.0 + 1e-12)
        other = LinearSVR(C=model.C, epsilon=model.epsilon_).fit(X, y)
        size = np.abs(other.coef_ * X.std(axis=0)).max()  # b may be any of an interval
        assert np.abs((model.coef_ - other.coef_) * X.std(axis=0)).max() <= 1e-7 * size


@pytest.mark.parametrize("seed", range(10))
def test_squared_slacks_are_a_hard_margin_in_an_extended_space(seed):
    """C sum xi^2 is the hard margin of rows [x_i, e_i / sqrt(2 C)]: the kernel matrix with I / (2 C) added to it."""
    X, y = two_classes(seed, shift=0.5, n=30)
    X, C = X / X.std(axis=0), 0.7
    extended = np.hstack([X, np.eye(30) / np.sqrt(2.0 * C)])
    hard, soft = LinearSVM(C=np.inf).fit(extended, y), LinearSVM(C=C, loss="squared_hinge").fit(X, y)
    assert np.allclose(hard.coef_[0, :3], soft.coef_[0], atol=1e-7)
    assert np.allclose(hard.intercept_, soft.intercept_, atol=1e-7)


@pytest.mark.parametrize("seed", range(10))
def test_the_mean_loss_form_of_regression(seed):
    """rho ||w||^2 + mean loss is 2 rho times the objective with C = 1 / (2 rho N): its minimum is exact."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 2))
    y, rho = X @ [1.0, -2.0] + 0.5 * rng.standard_normal(40), 0.05

    def risk(w, b):
        return rho * w @ w + np.maximum(0.0, np.abs(y - X @ w - b) - 0.1).mean()

    model = LinearSVR(C=1.0 / (2.0 * rho * 40), epsilon=0.1).fit(X, y)
    best = risk(model.coef_, model.intercept_[0])
    assert best == pytest.approx(2.0 * rho * model.certificate_.dual, rel=1e-8)
    for _ in range(50):
        assert (
            risk(model.coef_ + 0.1 * rng.standard_normal(2), model.intercept_[0] + 0.1 * rng.standard_normal()) > best
        )


@pytest.mark.parametrize("seed", range(10))
def test_reduced_hulls_have_the_direction_of_the_nu_machine(seed):
    X, y = two_classes(seed, shift=1.5)
    X = X / X.std(axis=0)
    most = 2.0 * min(y.mean(), 1.0 - y.mean())
    model = NuSVM(nu=0.5 * (least_mean_slack(X, y) + most)).fit(X, y)
    w = model.coef_[0] / np.linalg.norm(model.coef_)
    for algorithm in ("gilbert", "mdm", "schlesinger_kozinec"):
        hulls = ReducedHullClassifier(mu=2.0 / (model.nu * len(X)), algorithm=algorithm, offset="kkt", tol=1e-9).fit(
            X, y
        )
        assert np.abs(hulls.coef_[0] / np.linalg.norm(hulls.coef_) - w).max() <= 1e-7
        assert hulls.nu_ == pytest.approx(model.nu)
        plane = hulls.intercept_[0] / np.linalg.norm(hulls.coef_)  # the offset of the optimality conditions
        assert plane == pytest.approx(model.intercept_[0] / np.linalg.norm(model.coef_), abs=1e-7)
        square = -2.0 * model.certificate_.dual / (0.5 * model.nu * len(X)) ** 2  # of the difference of two mixtures
        assert hulls.distance_ == pytest.approx(np.sqrt(square), rel=1e-7)
