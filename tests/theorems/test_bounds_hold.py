"""Perceptrons never exceed the bound that is found from the data, whatever their bias step."""

import numpy as np
import pytest

from separatrix import Perceptron, mistake_bound
from separatrix.data import encode, samples
from separatrix.solvers.online import perceptron


def separable(seed):
    """30 problems of many shapes and scales, some of them with columns of very different sizes."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(5, 200)), int(rng.integers(1, 8))
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-1, 1, d) + rng.standard_normal(d)
    scores = X @ rng.standard_normal(d) + rng.standard_normal()
    far = np.abs(scores) > 0.1 * np.abs(scores).max()
    return X[far], scores[far] > np.median(scores[far]) if np.ptp(np.sign(scores[far])) == 0 else scores[far] > 0


@pytest.mark.parametrize("seed", range(30))
def test_updates_never_exceed_the_bound(seed):
    X, y = separable(seed)
    bound = mistake_bound(X, y)
    for shuffle in (False, True):
        model = Perceptron(max_iter=10**6, shuffle=shuffle, random_state=seed).fit(X, y)
        assert model.certificate_.proof
        assert 0 < model.n_updates_ <= bound
        assert bound <= model.certificate_.examined.bound * (1 + 1e-6), "no plane gives a smaller one"


@pytest.mark.parametrize("seed", range(10))
def test_several_classes(seed):
    rng = np.random.default_rng(seed)
    centres = 6.0 * np.array([[1, 0], [-1, 1], [-1, -1]])
    y = rng.integers(0, 3, 60)
    X = centres[y] + rng.uniform(-2, 2, (60, 2))
    model = Perceptron(max_iter=10**5, random_state=seed).fit(X, y)
    assert model.certificate_.proof
    assert 0 < model.n_updates_ <= mistake_bound(X, y) <= model.certificate_.examined.bound * (1 + 1e-6)


def whole_numbers(seed):
    """Whole numbers, so that no sum is rounded, with a row of length R = 13 that no other exceeds."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (80, 2)).astype(float)
    X[0] = 5, 12
    u = rng.standard_normal(2)
    scores = X @ u / np.linalg.norm(u) + rng.uniform(-3, 3)
    far = np.abs(scores) > 0.5
    far[0] = True
    return X[far], scores[far] > 0


@pytest.mark.parametrize("seed", range(10))
def test_a_bias_step_of_R2_is_the_plain_rule_on_rows_extended_by_R(seed):
    X, y = whole_numbers(seed)
    R = 13.0
    stepped = perceptron.online(encode(X, y).problem, bias_step=R**2, max_iter=10**5)
    rows = np.column_stack([X, np.full(len(X), R)])
    plain = perceptron.online(encode(rows, y, fit_intercept=False).problem, max_iter=10**5)
    assert stepped.certificate.proof
    assert stepped.history.mistakes == plain.history.mistakes
    assert stepped.history.iterations == plain.history.iterations
    assert np.array_equal(stepped.w, plain.w[:2])
    assert stepped.b == R * plain.w[2]
    bound = mistake_bound(X, y, bias_step="radius2")
    assert stepped.history.mistakes <= bound
    assert bound == pytest.approx(mistake_bound(X, y, bias_step=169), rel=1e-12)
    assert bound == pytest.approx(mistake_bound(rows, y, fit_intercept=False), rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_normalised_rows(seed):
    """The bound for normalised rows is that of a perceptron which is given them."""
    table, _ = samples.planted_margin(60, 3, ratio=0.02, seed=seed)
    rows = np.column_stack([table.X, np.ones(60)])
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    solution = perceptron.online(encode(rows, table.labels, fit_intercept=False).problem, max_iter=10**6)
    assert solution.certificate.proof
    bound = mistake_bound(table.X, table.labels, normalized=True)
    assert solution.history.mistakes <= bound
    assert bound == pytest.approx(mistake_bound(rows, table.labels, fit_intercept=False), rel=1e-9)


def test_the_margin_of_a_support_vector_machine_would_break_the_bound():
    """Rows at 99 and 101 are 1 from the plane x = 100, but 101^2 updates are not nearly enough.

    Of the rows [x, 1] the margin is 1 / sqrt(1 + 100^2): a plane far from the origin has a long b.
    """
    X, y = [[99.0], [101.0]], [0, 1]
    updates = Perceptron(shuffle=False, max_iter=10**6).fit(X, y).n_updates_
    assert 101**2 + 1 < updates <= mistake_bound(X, y)
