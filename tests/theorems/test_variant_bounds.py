"""Bounds and invariances of the perceptron's variants."""

import numpy as np
import pytest

from separatrix import Perceptron, mistake_bound
from separatrix.data import samples

STEPS = [
    {"bias_step": 2.5},
    {"bias_step": 0.01},
    {"bias_step": "radius2"},
    {"normalized": True},
    {"normalized": True, "bias_step": "radius2"},
    {"normalized": True, "bias_step": 7.0},
    {"normalized": True, "fit_intercept": False},
]


def separable(seed, fit_intercept):
    """Rows on both sides of a plane, of features of different sizes."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 80)), int(rng.integers(2, 6))
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-1, 1, d)
    scores = X @ rng.standard_normal(d)
    scores += rng.standard_normal() * np.abs(scores).mean() / 2 if fit_intercept else 0.0
    far = np.abs(scores) > 0.1 * np.abs(scores).max()
    return X[far], scores[far] > 0


@pytest.mark.parametrize("how", STEPS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_updates_never_exceed_the_bound(seed, how):
    X, y = separable(seed, how.get("fit_intercept", True))
    bound = mistake_bound(X, y, **how)
    for shuffle in (False, True):
        model = Perceptron(max_iter=10**6, shuffle=shuffle, random_state=seed, **how).fit(X, y)
        assert model.certificate_.proof
        assert 0 < model.n_updates_ <= bound < np.inf


@pytest.mark.parametrize("how", STEPS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_several_classes(seed, how):
    rng = np.random.default_rng(seed)
    centres = 6.0 * np.array([[1, 0], [-1, 1], [-1, -1]])
    y = rng.integers(0, 3, 40)
    X = centres[y] + rng.uniform(-2, 2, (40, 2))
    model = Perceptron(max_iter=10**5, random_state=seed, **how).fit(X, y)
    assert model.certificate_.proof
    assert 0 < model.n_updates_ <= mistake_bound(X, y, **how) < np.inf


@pytest.mark.large
def test_a_smaller_radius_or_a_wider_margin_would_not_do():
    """Somewhere the bound is within a factor of ten of what happens, so that it is not true of anything."""
    ratios = []
    for seed in range(8):
        X, y = separable(seed, True)
        for how in STEPS[:6]:
            model = Perceptron(max_iter=10**6, shuffle=False, **how).fit(X, y)
            ratios.append(model.n_updates_ / mistake_bound(X, y, **how))
    assert 0.1 < max(ratios) <= 1.0


VARIANTS = [
    {"update": "minibatch", "batch_size": 5},
    {"normalized": True},
    {"averaged": True},
    {"averaged": True, "update": "minibatch", "batch_size": 4},
    {"bias_step": "radius2"},
    {"normalized": True, "averaged": True, "bias_step": 2.0},
]


@pytest.mark.parametrize("how", VARIANTS, ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_the_rate_does_not_matter_from_zero(seed, how):
    """Powers of two scale w exactly, so that rounding decides nothing."""
    table = samples.planted_margin(50, 4, ratio=0.04, seed=seed)[0]
    one, *others = (
        Perceptron(learning_rate=rate, random_state=3, max_iter=10_000, **how).fit(table.X, table.labels)
        for rate in (1.0, 2.0, 0.25, 1024.0)
    )
    for rate, other in zip((2.0, 0.25, 1024.0), others, strict=True):
        assert np.array_equal(other.coef_, rate * one.coef_)
        assert np.array_equal(other.intercept_, rate * one.intercept_)
        assert one.n_updates_ == other.n_updates_


@pytest.mark.parametrize("how", VARIANTS, ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_swapping_the_labels_negates_the_plane(seed, how):
    table = samples.planted_margin(50, 4, ratio=0.04, seed=seed)[0]
    one, other = (
        Perceptron(random_state=3, max_iter=10_000, **how).fit(table.X, sign * table.labels) for sign in (1, -1)
    )
    assert np.array_equal(other.coef_, -one.coef_)
    assert np.array_equal(other.intercept_, -one.intercept_)
    assert one.n_updates_ == other.n_updates_
