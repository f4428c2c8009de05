"""Worked examples of support vector machines, and what a textbook says of their multipliers."""

import numpy as np
import pytest

from separatrix import LinearSVM
from separatrix.data import samples

SQUARE = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
SIDES = np.array([1, 1, -1, -1])
PAIR = samples.overlapping_pair(100, seed=4)


@pytest.mark.parametrize("C", [np.inf, 10.0])
def test_four_corners_of_a_square(C):
    model = LinearSVM(C=C).fit(SQUARE, SIDES)
    assert np.allclose(model.coef_, [[1.0, 0.0]], rtol=0, atol=1e-12)
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-12)
    assert model.margin_width_ == pytest.approx(2.0, rel=1e-12)
    assert np.allclose(SIDES * model.decision_function(SQUARE), 1.0, rtol=0, atol=1e-12)
    alpha = np.zeros(4)  # not unique, but these hold of any: sum 1, balanced, w = sum alpha y x
    alpha[model.support_] = SIDES[model.support_] * model.dual_coef_[0]
    assert (alpha >= 0.0).all()
    assert alpha.sum() == pytest.approx(1.0, rel=1e-12)
    assert alpha @ SIDES == pytest.approx(0.0, abs=1e-12)
    assert np.allclose((alpha * SIDES) @ SQUARE, [1.0, 0.0], rtol=0, atol=1e-12)


def test_a_larger_C_gives_a_narrower_margin_and_less_slack():
    models = [LinearSVM(C=C).fit(PAIR.X, PAIR.labels) for C in (0.2, 1.0, 10.0, 1000.0)]
    widths = [model.margin_width_ for model in models]
    slacks = [model.slacks_.sum() for model in models]
    assert (np.diff(widths) < 0.0).all()
    assert (np.diff(slacks) < 0.0).all()
    assert widths[0] == pytest.approx(2.0 / np.linalg.norm(models[0].coef_))


@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
def test_a_multiplier_tells_on_which_side_of_the_margin_its_row_is(C):
    y = np.where(PAIR.labels == PAIR.labels.max(), 1, -1)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, y.size)
    model = LinearSVM(C=C, tol=1e-10).fit(PAIR.X, y, sample_weight=weight)
    alpha = np.zeros(y.size)
    alpha[model.support_] = y[model.support_] * model.dual_coef_[0]
    margins = y * model.decision_function(PAIR.X)
    outside, inside = margins > 1.0 + 1e-9, margins < 1.0 - 1e-9
    on = ~outside & ~inside
    assert outside.any()
    assert inside.any()
    assert on.any()
    assert not alpha[outside].any()
    assert np.allclose(alpha[inside], C * weight[inside], rtol=1e-12)
    assert ((alpha[on] >= 0.0) & (alpha[on] <= C * weight[on])).all()
    assert set(model.support_) >= set(np.flatnonzero(margins <= 0.0)), "every training error is a support vector"


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_mean_loss_form_is_the_same_machine(loss):
    """rho ||w||^2 + mean loss, with rho = 1/(2 eta) and C = eta/N: a small step anywhere costs more."""
    y, eta, squared = np.where(PAIR.labels == PAIR.labels.max(), 1, -1), 50.0, loss == "squared_hinge"
    model = LinearSVM(C=eta / y.size, loss=loss).fit(PAIR.X, y)

    def cost(w, b):
        slack = np.maximum(0.0, 1.0 - y * (PAIR.X @ w + b))
        return w @ w / (2.0 * eta) + np.mean(slack**2 if squared else slack)

    w, b = model.coef_[0], model.intercept_[0]
    steps = np.vstack([np.eye(3), -np.eye(3), np.random.default_rng(0).standard_normal((20, 3))])
    assert all(cost(w + 1e-3 * step[:2], b + 1e-3 * step[2]) > cost(w, b) for step in steps)
