"""What the theory of support vector machines says must hold of every fit."""

import warnings

import numpy as np
import pytest

from oracles.svm_oracle import solved
from separatrix import LinearSVM
from separatrix.data import samples

PAIR = samples.overlapping_pair(60, seed=1)
SIGNS = np.where(PAIR.labels == PAIR.labels.max(), 1, -1)
LOSSES = ["hinge", "squared_hinge"]


def separable(seed, n=60, d=4):
    """Rows on both sides of a random plane, nearer to it than 0.2 none."""
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    y = np.where(X @ w > 0.1, 1, -1)
    return X + 0.1 * y[:, None] * w / np.linalg.norm(w), y


ROWS, HALVES = separable(2)


def multipliers(model, y):
    alpha = np.zeros(len(y))
    alpha[model.support_] = y[model.support_] * model.dual_coef_[0]
    return alpha


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.01, 1.0, 1e4, np.inf])
def test_strong_duality(C, loss):
    X, y = (PAIR.X, SIGNS) if np.isfinite(C) else (ROWS, HALVES)
    model = LinearSVM(C=C, loss=loss).fit(X, y)
    alpha, w = multipliers(model, y), model.coef_[0]
    primal = 0.5 * w @ w + (0.0 if np.isinf(C) else C * (model.slacks_ ** (1 + (loss != "hinge"))).sum())
    bought = (alpha**2).sum() / (4.0 * C) if loss != "hinge" else 0.0
    pulled = X.T @ (alpha * y)
    assert primal == pytest.approx(alpha.sum() - bought - 0.5 * pulled @ pulled, rel=1e-9)
    assert primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert np.allclose(pulled, w, rtol=0, atol=1e-9 * np.linalg.norm(w)), "w = sum alpha y x"
    assert np.allclose(model.dual_coef_ @ X[model.support_], model.coef_, rtol=0, atol=1e-9 * np.linalg.norm(w))
    assert alpha @ y == pytest.approx(0.0, abs=1e-9 * alpha.sum())
    assert (alpha >= 0.0).all()


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_squared_slacks_are_a_hard_margin_with_a_column_more_for_each_row(C):
    """K + I/(2C): row i gets 1/sqrt(2C) in a column of its own, where w is sqrt(2C) y_i times its slack."""
    n, d = PAIR.X.shape
    soft = LinearSVM(C=C, loss="squared_hinge").fit(PAIR.X, SIGNS)
    hard = LinearSVM(C=np.inf).fit(np.column_stack([PAIR.X, np.eye(n) / np.sqrt(2.0 * C)]), SIGNS)
    size = np.linalg.norm(hard.coef_)
    assert np.allclose(hard.coef_[0, :d], soft.coef_[0], rtol=0, atol=1e-8 * size)
    assert np.allclose(hard.coef_[0, d:], np.sqrt(2.0 * C) * SIGNS * soft.slacks_, rtol=0, atol=1e-8 * size)
    assert hard.intercept_[0] == pytest.approx(soft.intercept_[0], abs=1e-8)
    assert 0.5 * size**2 == pytest.approx(soft.certificate_.primal, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_widest_margin_bisects_the_nearest_points_of_the_hulls(seed):
    X, y = separable(seed, n=40, d=3)
    positive, negative = X[y > 0], X[y < 0]
    k, n = len(positive), len(X)
    rows = np.vstack([positive, -negative])
    sums = np.zeros((2, n))
    sums[0, :k], sums[1, k:] = 1.0, 1.0
    mixture = solved(
        rows @ rows.T, np.zeros(n), np.vstack([-np.eye(n), sums, -sums]), np.append(np.zeros(n), [1, 1, -1, -1]), 1e-9
    )
    p, q = mixture[:k] @ positive, mixture[k:] @ negative
    model = LinearSVM(C=np.inf).fit(X, y)
    assert model.support_.size > 2
    assert np.allclose(model.coef_[0], 2.0 * (p - q) / ((p - q) @ (p - q)), rtol=1e-5)
    assert model.decision_function([0.5 * (p + q)])[0] == pytest.approx(0.0, abs=1e-5)
    assert model.margin_width_ == pytest.approx(np.linalg.norm(p - q), rel=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_training_errors_are_at_most_the_support_vectors(loss):
    for seed in range(5):
        table = samples.gaussian_pair(0.7, 80, seed=seed)
        model = LinearSVM(C=10.0**seed / 100, loss=loss).fit(table.X, table.labels)
        wrong = np.flatnonzero(model.predict(table.X) != table.labels)
        assert 0 < wrong.size <= model.n_support_.sum()
        assert set(wrong) <= set(model.support_)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_stopped_fit_is_no_further_from_the_optimum_than_its_gap_allows(loss):
    best = LinearSVM(C=3.0, loss=loss, tol=1e-10).fit(PAIR.X, SIGNS)
    for most in range(1, 8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LinearSVM(C=3.0, loss=loss, max_iter=most).fit(PAIR.X, SIGNS)
        claim = model.certificate_
        assert claim.dual <= best.certificate_.primal * (1.0 + 1e-9)
        assert claim.primal >= best.certificate_.dual * (1.0 - 1e-9)
        away = np.linalg.norm(model.coef_ - best.coef_)
        assert away**2 <= 2.0 * (claim.primal - claim.dual) + 1e-12
        assert away <= claim.distance + 1e-6


def test_the_margin_of_a_hard_margin_that_is_stopped_is_below_its_bound():
    widest = LinearSVM(C=np.inf).fit(ROWS, HALVES).margin_width_
    for most in range(1, 8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LinearSVM(C=np.inf, max_iter=most).fit(ROWS, HALVES)
        claim = model.certificate_
        if claim.primal < np.inf:
            assert 2.0 / np.sqrt(2.0 * claim.primal) <= widest * (1.0 + 1e-9)
        assert claim.dual == 0.0 or 2.0 / np.sqrt(2.0 * claim.dual) >= widest * (1.0 - 1e-9)


def test_the_margin_shrinks_as_slack_gets_dearer():
    widths = [LinearSVM(C=C).fit(ROWS, HALVES).margin_width_ for C in 10.0 ** np.arange(-4, 8)]
    assert (np.diff(widths) <= 1e-9 * np.array(widths[:-1])).all()
    assert widths[-1] == pytest.approx(LinearSVM(C=np.inf).fit(ROWS, HALVES).margin_width_, rel=1e-9)


@pytest.mark.parametrize("C", [1e3, 1e6, 1e12])
def test_a_price_above_every_multiplier_is_a_hard_margin_with_the_same_support(C):
    for seed in range(3):
        X, y = 100.0 * np.random.default_rng(seed).standard_normal((40, 60)), np.repeat([-1, 1], 20)
        hard, soft = LinearSVM(C=np.inf).fit(X, y), LinearSVM(C=C).fit(X, y)
        assert np.array_equal(soft.support_, hard.support_)
        assert np.allclose(soft.coef_, hard.coef_, rtol=0, atol=1e-10 * np.linalg.norm(hard.coef_))


def test_two_rows_have_their_plane_in_the_middle():
    for C in (1e-6, 0.1, 1.0, np.inf):  # from a wide margin with slack, where b is any of an interval, to a hard one
        model = LinearSVM(C=C).fit([[1.0, 0.0], [5.0, 0.0]], [0, 1])
        assert model.decision_function([[3.0, 7.0]])[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_an_offset_that_is_not_unique_is_the_middle_of_all_that_are_optimal(seed):
    """As many rows in each class and a tiny C: every alpha is C, and no row decides b."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((30, 2)), np.repeat([-1, 1], 15)
    model = LinearSVM(C=1e-4).fit(X, y)
    assert np.allclose(np.abs(model.dual_coef_), 1e-4, rtol=1e-12)
    turns = y - X @ model.coef_[0]
    costs = np.array([np.maximum(0.0, 1.0 - y * (X @ model.coef_[0] + b)).sum() for b in turns])
    optimal = turns[costs <= costs.min() * (1.0 + 1e-12)]
    assert np.ptp(optimal) > 0.5
    assert model.intercept_[0] == pytest.approx(0.5 * (optimal.min() + optimal.max()), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_free_rows_are_on_the_margin_to_rounding(seed):
    """A gap that is rounding may leave half the digits of w; that its free rows just reach leaves none."""
    rng = np.random.default_rng(seed)
    X, direction = rng.standard_normal((2000, 20)), rng.standard_normal(20)
    scores = X @ (direction / np.linalg.norm(direction)) + 0.3
    y = scores + 0.5 * rng.standard_normal(2000) > 0
    for C in np.logspace(3, -3, 12):
        model = LinearSVM(C=C).fit(X, y)
        alpha = np.abs(model.dual_coef_[0])
        free = model.support_[alpha < (1 - 1e-9) * C]
        assert np.abs(np.abs(model.decision_function(X[free])) - 1.0).max(initial=0.0) < 1e-9
