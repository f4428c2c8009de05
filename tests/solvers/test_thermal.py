"""The thermal perceptron against a plain loop, its limit of great heat, and what it is for."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import Perceptron, Separator, ThermalPerceptron, kesler_vectors
from separatrix.data import encode, samples
from separatrix.solvers.online import perceptron
from separatrix.solvers.online.thermal import thermal


def by_hand(vectors, temperature, rate, passes):
    """w += rho (T / T_0) exp(-|g| / T) v for each v with <w, v> <= 0; T falls by T_0 / passes a pass."""
    w, corrections = np.zeros(vectors.shape[1]), 0
    for p in range(passes):
        left = 1 - p / passes
        before = corrections
        for v in vectors:
            if (score := v @ w) <= 0:
                w = w + rate * left * np.exp(score / (temperature * left)) * v
                corrections += 1
        if corrections == before:
            break
    return w


def signed(X, y):
    return y[:, None] * np.column_stack([X, np.ones(len(X))])


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("temperature", "rate"), [(1.0, 1.0), (0.2, 1.0), (3.0, 0.25)])
@pytest.mark.parametrize("seed", range(3))
def test_the_rule(seed, temperature, rate, storage):
    table = samples.gaussian_pair(0.7, 40, seed=seed)
    rows = signed(table.X, table.labels)
    unit = np.median(np.sum(rows**2, axis=1))
    problem = encode(storage(table.X), table.labels).problem
    for passes in (1, 2, 4):  # steps that overshoot double what was rounded, so that longer runs part
        solution = thermal(problem, temperature=temperature, learning_rate=rate, max_iter=passes)
        assert np.allclose(solution.extended, by_hand(rows, temperature * unit, rate, passes), rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_several_classes(seed):
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1, 2], 12)
    X = np.array([[2.0, 0.0], [-1.0, 2.0], [-1.0, -2.0]])[y] + rng.standard_normal((36, 2))
    unit = np.median(np.sum(X**2, axis=1) + 1)
    model = ThermalPerceptron(temperature=0.5, max_iter=4, shuffle=False).fit(X, y)
    expected = by_hand(kesler_vectors(X, y), 0.5 * unit, 1.0, 4)
    assert np.allclose(np.column_stack([model.coef_, model.intercept_]).ravel(), expected, rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_in_great_heat_it_is_the_perceptron_with_a_falling_rate(seed):
    table = samples.gaussian_pair(0.5, 50, seed=seed)
    problem = encode(table.X, table.labels).problem
    hot = thermal(problem, temperature=1e14, max_iter=10)
    plain = perceptron.online(problem, learning_rate=lambda t: 1 - (t - 1) // 50 / 10, max_iter=10)
    assert hot.history.mistakes == plain.history.mistakes
    assert np.allclose(hot.extended, plain.extended, rtol=1e-9)


def test_a_row_far_away_is_given_up():
    """All other rows are apart; the perceptron is thrown back by the one that lies far on the wrong side."""
    rng = np.random.default_rng(0)
    y = np.repeat([-1, 1], 30)
    X = np.column_stack([3.0 * y, np.zeros(60)]) + rng.standard_normal((60, 2))
    X, y = np.vstack([X, [[60.0, 0.0]]]), np.append(y, -1)
    for seed in range(5):
        model = ThermalPerceptron(random_state=seed).fit(X, y)
        assert np.array_equal(np.flatnonzero(model.predict(X) != y), [60])


@pytest.mark.large
@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
def test_on_overlapping_classes_it_errs_less_than_the_perceptron():
    errors = []
    for seed in range(20):
        table = samples.gaussian_pair(0.5, 80, seed=seed)
        how = {"max_iter": 30, "random_state": seed}
        models = [kind(**how).fit(table.X, table.labels) for kind in (ThermalPerceptron, Perceptron)]
        errors.append([1 - model.score(table.X, table.labels) for model in models])
    thermal_errors, plain_errors = np.mean(errors, axis=0)
    assert thermal_errors < plain_errors


def test_classes_that_are_apart_are_separated():
    table = samples.separable_pair(30, seed=0)
    model = ThermalPerceptron(random_state=0).fit(table.X, table.labels)
    assert isinstance(model.certificate_, Separator)
    assert model.certificate_.proof
    assert model.n_iter_ < 100
