"""The barycentric correction procedure against a plain loop, and what its planes are."""

import numpy as np
import pytest

from separatrix import BarycentricClassifier, OptionError, minimum_errors
from separatrix.data import encode, samples
from separatrix.problem import Problem
from separatrix.solvers.hulls.barycentric_correction import barycentric_correction, best_offset


def plain_loop(X, y, passes):
    """As the rule is written, with thresholds between all neighbours; returns the fewest errors and their w."""
    weights, fewest, kept = np.ones(y.size), y.size, None
    sizes = {c: np.count_nonzero(y == c) for c in (0, 1)}
    step = {c: min(30.0, max(1.0, sizes[c] / sizes[1 - c])) for c in (0, 1)}
    for _ in range(passes):
        means = [np.average(X[y == c], axis=0, weights=weights[y == c]) for c in (0, 1)]
        scores = X @ (means[1] - means[0])
        low = np.unique(scores)
        ends = np.concatenate([[2 * low[0] - low[-1]], low, [2 * low[-1] - low[0]]])
        cuts, widths = (ends[1:] + ends[:-1]) / 2, np.diff(ends)
        errors = np.array([np.count_nonzero((scores > cut) != y) for cut in cuts])
        best = max(np.flatnonzero(errors == errors.min()), key=lambda k: widths[k])
        if errors[best] < fewest:
            fewest, kept = errors[best], means[1] - means[0]
        for i in np.flatnonzero((scores > cuts[best]) != y):
            weights[i] += step[y[i]]
    return fewest, kept


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_rule_as_it_is_written(seed):
    data = samples.gaussian_pair(0.7, 60, seed=seed)
    kept = np.flatnonzero(
        (data.labels == data.classes[0]) | (np.arange(60) % 3 == 0)
    )  # one class is three times the other
    problem = encode(data.X[kept], data.labels[kept]).problem
    found = barycentric_correction(problem, max_iter=40)
    fewest, w = plain_loop(problem.X, problem.y, 40)
    assert found.history.mistakes == fewest
    assert np.allclose(found.w, w, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_separable_rows_are_separated_and_proved(seed):
    data, _ = samples.planted_margin(100, 4, ratio=0.03, seed=seed)
    model = BarycentricClassifier().fit(data.X, data.labels)
    assert model.certificate_.proof
    assert model.score(data.X, data.labels) == 1.0


def test_weights_draw_the_means_where_the_first_plane_errs():
    """The direction of the plain means has errors here; the rule ends with none."""
    random = np.random.default_rng(0)
    X = random.uniform(-1.0, 1.0, (200, 2)) * [20.0, 1.0]
    y = (X[:, 1] > 0.02 * X[:, 0]).astype(int)
    X[:, 1] += 0.1 * (2 * y - 1)
    X = np.vstack([X, np.column_stack([np.full(60, 18.0), np.full(60, 1.0)])])  # far to one side of class 1
    problem = Problem(X, np.append(y, np.ones(60, dtype=int)))
    assert barycentric_correction(problem, max_iter=1).history.mistakes > 0
    found = barycentric_correction(problem)
    assert found.certificate.proof
    assert found.history.iterations > 1


@pytest.mark.parametrize("seed", range(20))
def test_the_offset_has_the_fewest_errors_of_all(seed):
    random = np.random.default_rng(seed)
    scores, positive = random.integers(-4, 5, 12).astype(float), random.random(12) < 0.5
    cost = random.integers(1, 4, 12).astype(float)
    b, errors = best_offset(scores, positive, cost)
    assert errors == cost[(scores + b > 0.0) != positive].sum()
    assert errors == min(cost[(scores > cut) != positive].sum() for cut in np.arange(-5.5, 6.0))


def test_no_fewer_errors_than_any_plane_can_make():
    iris = samples.builtin("iris")
    kept = iris.labels != "setosa"
    X, y = iris.X[kept], iris.labels[kept]
    errors = np.count_nonzero(BarycentricClassifier().fit(X, y).predict(X) != y)
    assert minimum_errors(X, y) <= errors <= 5


def test_exclusive_or_has_one_mean_for_both_classes():
    """w is 0, so that one class is predicted for all."""
    gate = samples.logic_gate("XOR")
    model = BarycentricClassifier(max_iter=50).fit(gate.X, gate.labels)
    assert not model.certificate_.proof
    assert model.certificate_.stated in (0.25, 0.5)


def test_options():
    with pytest.raises(OptionError, match="max_iter"):
        BarycentricClassifier(max_iter=0).fit([[0.0], [1.0]], [0, 1])
