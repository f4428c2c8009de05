"""Maps from scores to probabilities are optimal by their own equations, and pairs of classes couple as they must."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from separatrix.solvers.calibration import pairwise_coupling as coupling
from separatrix.solvers.calibration.pairwise_coupling import pairwise_coupling
from separatrix.solvers.calibration.pool_adjacent_violators import IsotonicMap, pool_adjacent_violators
from separatrix.solvers.calibration.sigmoid_calibration import SigmoidMap, platt_targets, sigmoid_calibration


def draws(seed, n=200):
    """Scores with ties, whether a row is of the class, and weights."""
    rng = np.random.default_rng(seed)
    scores = np.round(3.0 * rng.standard_normal(n), 1)
    positive = rng.random(n) < expit(1.5 * scores - 0.5)
    return scores, positive, rng.uniform(0.1, 5.0, n)


def gradient(found, scores, positive, weights):
    """By the slope and by the offset of the scores less their centre, which has the same zeros."""
    residual = weights * (found.both(scores)[:, 1] - platt_targets(positive, weights))
    centred = scores - found.centre
    return float(residual @ centred), float(residual.sum()), float(weights @ np.abs(centred))


def test_targets_are_those_of_platt():
    positive = np.array([True] * 3 + [False] * 8)
    assert np.unique(platt_targets(positive, np.ones(11))).tolist() == [1 / 10, 4 / 5]
    weights = np.where(positive, 2.0, 0.5)  # 6 and 4
    assert np.unique(platt_targets(positive, weights)).tolist() == [1 / 6, 7 / 8]


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e90, 1e-5])
@pytest.mark.parametrize("seed", range(10))
def test_the_gradient_of_the_log_loss_is_zero_at_the_sigmoid(seed, scale):
    scores, positive, weights = draws(seed)
    found = sigmoid_calibration(scale * scores, positive, weights)
    by_slope, by_offset, size = gradient(found, scale * scores, positive, weights)
    assert found.slope > 0.0
    assert abs(by_slope) <= 1e-11 * size
    assert abs(by_offset) <= 1e-11 * weights.sum()


def test_a_large_shift_of_the_scores_loses_no_digits():
    scores, positive, weights = draws(0)
    scores = np.round(scores * 2.0**10)
    near, far = (sigmoid_calibration(scores + shift, positive, weights) for shift in (0.0, 2.0**50))
    assert np.allclose(near.both(scores), far.both(scores + 2.0**50), rtol=0.0, atol=1e-12)


def test_separated_scores_have_a_finite_sigmoid():
    scores, positive = np.r_[-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], np.arange(6) > 2
    found = sigmoid_calibration(scores, positive, np.ones(6))
    assert max(map(abs, gradient(found, scores, positive, np.ones(6))[:2])) < 1e-11
    assert 0.5 < found.both(scores)[3, 1] < found.both(scores)[5, 1] < 1.0
    two = sigmoid_calibration(np.array([0.0, 7.0, 7.0]), np.array([False, True, True]), np.ones(3))
    of_two = two.both(np.array([0.0, 7.0]))[:, 1]
    assert np.allclose(of_two, [1 / 3, 3 / 4], rtol=1e-12, atol=0.0)  # the targets themselves


@pytest.mark.parametrize("seed", range(3))
def test_scores_in_the_wrong_order_say_nothing(seed):
    scores, positive, weights = draws(seed)
    found = sigmoid_calibration(-scores, positive, weights)
    assert found.slope == 0.0
    mean = weights @ platt_targets(positive, weights) / weights.sum()
    assert np.allclose(found.both(np.array([-np.inf, 0.0, np.inf]))[:, 1], mean, rtol=1e-12, atol=0.0)
    assert gradient(found, -scores, positive, weights)[0] > 0.0  # a larger slope has a larger loss


def test_unusual_scores():
    positive = np.array([False, True, False, True])
    for scores in ([5.0] * 4, [1e-310, 2e-310, 0.0, 3e-310], [0.0, 1.0, 2.0, 1e90], [-1e90, 0.1, 0.2, 0.3]):
        found = sigmoid_calibration(np.array(scores), positive, np.ones(4))
        by_slope, by_offset, size = gradient(found, np.array(scores), positive, np.ones(4))
        assert abs(by_offset) <= 1e-11
        assert found.slope == 0.0 or abs(by_slope) <= 1e-11 * size
        assert np.isfinite(found.both(np.array([-np.inf, 0.0, np.inf]))).all()
    alone = sigmoid_calibration(np.array([1.0]), np.array([True]), np.ones(1))
    assert alone.both(np.array([4.0]))[0, 1] == pytest.approx(2 / 3)


def test_both_sides_keep_their_digits():
    both = SigmoidMap(1.0, 0.0, 0.0).both(np.array([-500.0, 500.0]))
    assert np.allclose(both, [[1.0, np.exp(-500.0)], [np.exp(-500.0), 1.0]], rtol=1e-12, atol=0.0)


@pytest.mark.parametrize("method", [sigmoid_calibration, pool_adjacent_violators])
def test_a_weight_is_a_repetition(method):
    scores, positive, _ = draws(4)
    weights = np.random.default_rng(0).integers(1, 4, scores.size)
    weighted = method(scores, positive, weights.astype(float))
    repeated = method(np.repeat(scores, weights), np.repeat(positive, weights), np.ones(weights.sum()))
    at = np.linspace(-10.0, 10.0, 101)
    assert np.allclose(weighted.both(at), repeated.both(at), rtol=1e-10, atol=1e-14)


def min_max(scores, positive, weights):
    """The formula of isotonic regression: the largest over left ends of the smallest mean over right ends."""
    distinct = np.unique(scores)
    total = np.array([weights[scores == s].sum() for s in distinct])
    hits = np.array([weights[(scores == s) & positive].sum() for s in distinct])

    def mean(i, j):
        return hits[i : j + 1].sum() / total[i : j + 1].sum()

    n = distinct.size
    return distinct, np.array([max(min(mean(i, j) for j in range(m, n)) for i in range(m + 1)) for m in range(n)])


@pytest.mark.parametrize("seed", range(5))
def test_pooled_values_are_those_of_the_min_max_formula(seed):
    scores, positive, weights = draws(seed, n=60)
    found = pool_adjacent_violators(scores, positive, weights)
    at, expected = min_max(scores, positive, weights)
    assert at.size < scores.size  # there are ties
    assert np.allclose(found.both(at)[:, 1], expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_pooled_values_fulfil_the_optimality_conditions(seed):
    """What is left of the class up to a score adds up to at least 0, and to 0 where the function rises."""
    scores, positive, weights = draws(seed)
    found = pool_adjacent_violators(scores, positive, weights)
    at = np.unique(scores)
    values = found.both(at)[:, 1]
    residual = weights * (positive - found.both(scores)[:, 1])
    sums = np.array([residual[scores <= s].sum() for s in at])
    rises = np.append(np.diff(values) > 1e-12, True)
    assert (np.diff(values) >= 0.0).all()
    assert (sums >= -1e-11).all()
    assert np.abs(sums[rises]).max() <= 1e-11


def test_between_and_beyond_the_scores_it_is_as_scikit_learn_has_it():
    scores, positive, weights = draws(1)
    peer = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(scores, positive, weights)
    at = np.random.default_rng(0).uniform(-12.0, 12.0, 500)
    found = pool_adjacent_violators(scores, positive, weights)
    assert np.allclose(found.both(at)[:, 1], peer.predict(at), rtol=1e-12, atol=1e-14)
    assert found.both(np.array([-np.inf, np.inf]))[:, 1].tolist() == [found.values[0], found.values[-1]]


@pytest.mark.parametrize("numbers", [(-1.0, 0.0, 0.0), (np.nan, 0.0, 0.0), (1.0, np.inf, 0.0)])
def test_a_sigmoid_that_is_none_is_refused(numbers):
    with pytest.raises(ValueError, match="slope"):
        SigmoidMap(*numbers)


@pytest.mark.parametrize(
    ("scores", "values"), [([0, 1], [0.5]), ([], []), ([1, 0], [0, 1]), ([0, 1], [1, 0]), ([0, 1], [0, 2]), ([0], [-1])]
)
def test_an_isotonic_map_that_is_none_is_refused(scores, values):
    with pytest.raises(ValueError, match="an isotonic map has"):
        IsotonicMap(np.array(scores, dtype=float), np.array(values, dtype=float))


def random_pairs(seed, n, k):
    pairs = np.random.default_rng(seed).random((n, k, k))
    for i, j in combinations(range(k), 2):
        pairs[:, j, i] = 1.0 - pairs[:, i, j]
    return pairs


@pytest.mark.parametrize("k", [2, 3, 4, 7])
def test_pairs_that_agree_give_back_the_distribution(k):
    p = np.random.default_rng(k).dirichlet(np.ones(k), 50)
    found = pairwise_coupling(p[:, :, None] / (p[:, :, None] + p[:, None, :]))
    assert np.allclose(found, p, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("k", [2, 3, 4, 7])
def test_coupled_probabilities_fulfil_the_equations_of_the_optimum(k):
    """Q p has equal entries, as the gradient of the objective on the plane of distributions is 0 only there."""
    pairs = random_pairs(k, 50, k)
    found = pairwise_coupling(pairs)
    assert np.allclose(found.sum(axis=1), 1.0, atol=1e-14)
    assert (found >= 0.0).all()
    for r, p in zip(pairs, found, strict=True):
        Q = np.array([[-r[j, i] * r[i, j] for j in range(k)] for i in range(k)])
        for i in range(k):
            Q[i, i] = sum(r[j, i] ** 2 for j in range(k) if j != i)
        assert np.ptp(Q @ p) <= 1e-12
    if k == 2:
        assert np.allclose(found[:, 0], pairs[:, 0, 1], atol=1e-12)


def test_certain_pairs():
    winner = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    cycle = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    assert np.allclose(pairwise_coupling(np.array([winner, cycle])), [[1.0, 0.0, 0.0], [1 / 3] * 3], atol=1e-15)
    assert pairwise_coupling(np.empty((0, 3, 3))).shape == (0, 3)


def test_rows_are_coupled_chunk_by_chunk(monkeypatch):
    pairs = random_pairs(0, 23, 4)
    whole = pairwise_coupling(pairs)
    monkeypatch.setattr(coupling, "MAX_CHUNK_ENTRIES", 100)  # 4 rows
    assert np.allclose(pairwise_coupling(pairs), whole, rtol=0.0, atol=1e-14)
