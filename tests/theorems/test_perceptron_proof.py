"""What the convergence proofs of the perceptron say of w on its way."""

from itertools import chain, combinations

import numpy as np
import pytest

from separatrix import NotCertifiedWarning, NotSeparableError, OptionError, Perceptron, batch_bound, weight_norms
from separatrix.analysis.perceptron_proof import longest_sum
from separatrix.data import samples
from separatrix.errors import DataError


@pytest.mark.parametrize(
    "how",
    [{}, {"learning_rate": 0.25}, {"bias_step": "radius2"}, {"learning_rate": "inverse"}, {"fit_intercept": False}],
    ids=str,
)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")  # rates that fall may fall too soon
def test_norms_stay_between_their_bounds(seed, how):
    """t gamma <= ||w_t|| <= sqrt(t) R, with the rates in place of 1."""
    data, _ = samples.planted_margin(80, 3, ratio=0.05, seed=seed)
    X, y = data.X, data.labels
    if how.get("fit_intercept") is False:
        side = X @ [1.0, 2.0, -1.0]
        X, y = X[np.abs(side) > 0.2], side[np.abs(side) > 0.2] > 0
    found = weight_norms(Perceptron(record=True, random_state=seed, max_iter=1000, **how).fit(X, y))
    assert found.norms.size > 2
    assert found.gamma > 0.0
    assert (found.lower <= found.norms * (1 + 1e-9)).all()
    assert (found.norms <= found.upper * (1 + 1e-9)).all()


def test_several_classes_are_one_long_vector():
    iris = samples.builtin("iris")
    kept = iris.labels != "virginica"
    X, y = np.vstack([iris.X[kept], iris.X[kept][:20] + 9.0]), np.append(iris.labels[kept], ["third"] * 20)
    found = weight_norms(Perceptron(record=True, random_state=0).fit(X, y))
    assert found.gamma > 0.0
    assert (found.lower <= found.norms * (1 + 1e-9)).all()
    assert (found.norms <= found.upper * (1 + 1e-9)).all()


def test_bounds_at_rate_one_are_those_of_the_theorem():
    data, gamma = samples.planted_margin(60, 2, ratio=0.05, seed=1)
    found = weight_norms(Perceptron(record=True, random_state=0).fit(data.X, data.labels))
    t = np.arange(found.norms.size)
    assert np.allclose(found.lower, t * found.gamma)
    assert np.allclose(found.upper, np.sqrt(t) * found.radius)
    assert found.gamma >= gamma * (1 - 1e-9)
    assert t[-1] <= (found.radius / found.gamma) ** 2


def test_where_no_plane_separates_only_the_upper_bound_says_something():
    gate = samples.logic_gate("XOR")
    with pytest.warns(NotCertifiedWarning):
        model = Perceptron(record=True, max_iter=20, random_state=0).fit(gate.X, gate.labels)
    found = weight_norms(model)
    assert found.gamma == 0.0
    assert (found.norms <= found.upper * (1 + 1e-12)).all()


def test_runs_that_the_bounds_are_not_for():
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(OptionError, match="record=True"):
        weight_norms(Perceptron().fit(X, y))
    with pytest.raises(OptionError, match="row by row from zero"):
        weight_norms(Perceptron(update="batch", record=True).fit(X, y))
    with pytest.raises(OptionError, match="row by row from zero"):
        weight_norms(Perceptron(start=[1.0, 0.0], record=True).fit(X, y))


@pytest.mark.parametrize("rate", [0.3, 1.0, 1.7])
@pytest.mark.parametrize("n", [10, 40])
def test_batch_perceptrons_end_within_their_bound(n, rate):
    """Also with the upper bound on beta that many rows have."""
    for seed in range(3):
        data, _ = samples.planted_margin(n, 2, ratio=0.1, seed=seed)
        start = np.random.default_rng(seed).standard_normal(3)
        model = Perceptron(update="batch", learning_rate=rate, start=start, max_iter=100_000).fit(data.X, data.labels)
        bound = batch_bound(data.X, data.labels, learning_rate=rate, start=start)
        assert model.n_iter_ - 1 <= bound.steps, "the last step finds nothing wrong"
        assert bound.exact == (n == 10)


def test_the_bound_is_the_formula_with_its_square():
    """||w(0) - alpha w*||^2 over beta^2 rho (2 - rho); from zero, beta^2 / (gamma^2 rho (2 - rho))."""
    X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], [1, 1, -1, -1]
    bound = batch_bound(X, y, learning_rate=0.5)
    assert np.isclose(bound.alpha, bound.beta**2 / bound.gamma)
    assert np.isclose(bound.steps, bound.beta**2 / (bound.gamma**2 * 0.75))
    assert np.isclose(
        batch_bound(X, y, learning_rate=0.5, start=[0, 0, 2]).steps, bound.steps + 4 / (bound.beta**2 * 0.75)
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_longest_sum_is_that_of_all_subsets(seed):
    V = np.random.default_rng(seed).standard_normal((7, 3))
    subsets = chain.from_iterable(combinations(range(7), size) for size in range(1, 8))
    longest = max(np.linalg.norm(V[list(subset)].sum(axis=0)) for subset in subsets)
    assert np.isclose(longest_sum(V)[0], longest)
    assert longest_sum(np.repeat(V, 3, axis=0)[:20])[0] >= longest_sum(np.repeat(V, 3, axis=0)[:18])[0]
    assert longest_sum(np.repeat(V, 3, axis=0))[0] >= 3 * longest * (1 - 1e-12)


def test_questions_without_a_bound():
    with pytest.raises(NotSeparableError, match="need not end"):
        batch_bound([[0.0], [1.0], [2.0]], [0, 1, 0])
    with pytest.raises(OptionError, match="below 2"):
        batch_bound([[0.0], [1.0]], [0, 1], learning_rate=2.0)
    with pytest.raises(DataError, match="two classes"):
        batch_bound([[0.0], [1.0], [2.0]], [0, 1, 2])
