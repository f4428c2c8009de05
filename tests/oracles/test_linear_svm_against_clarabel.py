"""Beside clarabel, an interior-point solver for cones: the same planes, and never a better objective."""

import warnings

import numpy as np
import pytest

from oracles.svm_oracle import objective, optimal_plane
from separatrix import LinearSVM, verify


def separable_sets(count=50, decades=4.0):
    """Rows on both sides of a random plane; every third set has columns in units decades apart, every fifth is wide."""
    rng = np.random.default_rng(61)
    for k in range(count):
        n, d = rng.integers([4, 30], [25, 200]) if k % 5 == 0 else rng.integers([4, 1], [120, 40])
        X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
        g = X @ w
        y = np.where(g > np.median(g), 1, -1)
        X += 0.2 * y[:, None] * w / np.linalg.norm(w) + 3 * rng.standard_normal(d)
        yield (X * 10.0 ** rng.uniform(-decades, decades, d) if k % 3 == 0 else X), y


def overlapping_sets(count):
    for k, (X, clean) in enumerate(separable_sets(count, decades=1.0)):
        rng = np.random.default_rng(k)
        y = np.where(rng.random(clean.size) < 0.2, -clean, clean)
        if np.ptp(y):
            yield X, y, rng.uniform(0.2, 3.0, y.size)


def fitted(X, y, sample_weight=None, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return LinearSVM(**how).fit(X, y, sample_weight)


def test_the_hard_margin_of_50_separable_sets():
    for X, y in separable_sets():
        model = fitted(X, y, C=np.inf)
        w, b = optimal_plane(X, y, C=np.inf)
        assert np.linalg.norm(model.coef_[0] - w) <= 1e-9 * np.linalg.norm(w)
        assert abs(model.intercept_[0] - b) <= 1e-9 * np.abs(X @ w).max()
        assert (y * model.decision_function(X)).min() == pytest.approx(1.0, abs=1e-9)
        assert verify(model, X, y)
        assert verify(model, X, y).error <= 1e-9


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
def test_weighted_rows_of_overlapping_classes(C, loss, fit_intercept):
    squared = loss == "squared_hinge"
    for X, y, weight in overlapping_sets(10):
        model = fitted(X, y, weight, C=C, loss=loss, fit_intercept=fit_intercept)
        w, b = optimal_plane(X, y, C=C, squared=squared, cost=weight, fit_intercept=fit_intercept)
        assert np.linalg.norm(model.coef_[0] - w) <= 1e-6 * np.linalg.norm(w)
        ours = objective(X, y, model.coef_[0], model.intercept_[0], C=C, squared=squared, cost=weight)
        assert ours <= objective(X, y, w, b, C=C, squared=squared, cost=weight) * (1.0 + 1e-9)
        values = model.certificate_.values
        assert ours == pytest.approx(values.primal, rel=1e-12, abs=values.rounding)
        assert fit_intercept or model.intercept_[0] == 0.0


def test_the_hard_margin_without_offset():
    for X, y in separable_sets(12, decades=0.0):
        Z = y[:, None] * np.abs(X)  # all of one sign, so that a plane through the origin separates them
        model = fitted(Z, y, C=np.inf, fit_intercept=False)
        w, _ = optimal_plane(Z, y, C=np.inf, fit_intercept=False)
        assert np.linalg.norm(model.coef_[0] - w) <= 1e-7 * np.linalg.norm(w)
        assert model.intercept_[0] == 0.0
