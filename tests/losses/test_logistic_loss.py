"""Log losses: slopes by differences, conjugates by Fenchel and Young, and probabilities in balance."""

import numpy as np
import pytest
from scipy.special import log_softmax

from separatrix.objectives import LogLoss
from separatrix.objectives.likelihood.row_bounds import dual_rows, entropies_of
from separatrix.objectives.log_loss import (
    balancing_factors,
    flow_between_classes,
    hessian_product,
    losses_and_probabilities,
    plane_probabilities,
    probabilities,
    rival_log_odds,
    rival_probabilities,
    scaled_probabilities,
    score_gradients,
)


def entropies(q):
    return entropies_of(dual_rows(1.0, np.ones(len(q)), q)).value


def balanced(q, y, cost, k):
    return scaled_probabilities(q, y, balancing_factors(flow_between_classes(q, y, cost, k)))


RNG = np.random.default_rng(0)
Y = {2: RNG.integers(0, 2, 30), 4: RNG.integers(0, 4, 30)}
SCORES = {2: 3.0 * RNG.standard_normal((30, 1)), 4: 3.0 * RNG.standard_normal((30, 4))}


def losses(scores, y):
    return losses_and_probabilities(rival_log_odds(scores, y))[0]


@pytest.fixture(params=[2, 4])
def k(request):
    return request.param


def test_losses_are_minus_the_log_of_the_softmax(k):
    full = np.column_stack([np.zeros(30), SCORES[2]]) if k == 2 else SCORES[4]
    expected = -log_softmax(full, axis=1)[np.arange(30), Y[k]]
    assert losses(SCORES[k], Y[k]) == pytest.approx(expected, rel=1e-13)


def test_slopes_and_curvature_are_what_differences_say(k):
    scores, y, step = SCORES[k], Y[k], 1e-6
    along = RNG.standard_normal(scores.shape)
    _, q = losses_and_probabilities(rival_log_odds(scores, y))
    assert np.allclose(q, rival_probabilities(rival_log_odds(scores, y)), rtol=1e-14)
    first = (losses(scores + step * along, y) - losses(scores - step * along, y)) / (2 * step)
    assert np.sum(score_gradients(q, y) * along, axis=1) == pytest.approx(first, abs=1e-8)
    ends = [
        score_gradients(losses_and_probabilities(rival_log_odds(scores + sign * step * along, y))[1], y)
        for sign in (1, -1)
    ]
    weights = RNG.uniform(0.5, 2.0, len(y))
    for change in (along, np.asfortranarray(along)):
        found = hessian_product(plane_probabilities(q, y), weights, change)
        assert found / weights[:, None] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-8)


def test_entropies_are_the_conjugate(k):
    """Fenchel and Young: loss + conjugate of its own slope = slope . scores, and the conjugate is -entropy."""
    scores, y = SCORES[k], Y[k]
    loss, q = losses_and_probabilities(rival_log_odds(scores, y))
    lead = np.where(np.isfinite(rival_log_odds(scores, y)), rival_log_odds(scores, y), 0.0)
    assert loss - entropies(q) == pytest.approx(np.sum(q * lead, axis=1), abs=1e-12)
    other = losses_and_probabilities(rival_log_odds(RNG.standard_normal(scores.shape), y))[1]
    assert (loss - entropies(other) >= np.sum(other * lead, axis=1)).all()


def test_tiny_and_huge_margins_keep_their_digits(k):
    scores = np.zeros((2, 1 if k == 2 else k))
    scores[:, -1] = [600.0, -600.0]
    y = np.full(2, k - 1)
    loss, q = losses_and_probabilities(rival_log_odds(scores, y))
    assert loss[0] == pytest.approx((k - 1) * np.exp(-600.0), rel=1e-12)
    assert loss[1] == pytest.approx(600.0 + np.log(k - 1), rel=1e-14)
    assert q[0].sum() == pytest.approx((k - 1) * np.exp(-600.0), rel=1e-12)
    assert np.isfinite(entropies(q)).all()


@pytest.mark.parametrize("seed", range(5))
def test_balanced_probabilities_are_smaller_and_classes_gain_what_they_lose(k, seed):
    rng = np.random.default_rng(seed)
    y, cost = np.append(np.arange(k), rng.integers(0, k, 20)), rng.uniform(0.5, 2.0, 20 + k)
    scores = rng.standard_normal((20 + k, 1 if k == 2 else k)) * 10.0 ** rng.integers(0, 2)
    q = losses_and_probabilities(rival_log_odds(scores, y))[1]
    found = balanced(q, y, cost, k)
    assert (found <= q).all()
    assert found.max() > 0.0
    assert cost @ score_gradients(found, y) == pytest.approx(0.0, abs=1e-12 * float(cost @ q.sum(axis=1)))


def test_what_is_balanced_stays_as_it_is():
    q = np.array([[0.0, 0.2, 0.1], [0.1, 0.0, 0.3], [0.2, 0.2, 0.0]])
    assert balanced(q, np.arange(3), np.ones(3), 3) == pytest.approx(q, abs=1e-15)


def test_a_class_that_loses_and_never_gains_leaves_nothing():
    q = np.array([[0.0, 0.2, 0.1], [0.0, 0.0, 0.3], [0.0, 0.2, 0.0]])
    found = balanced(q, np.arange(3), np.ones(3), 3)
    assert found[0].max() <= 1e-14
    assert found[1, 2] == pytest.approx(found[2, 1])  # the others still trade
    assert found[1, 2] > 0.1


def test_probabilities_add_up_and_formulas_say_what_is_minimised():
    _, q = losses_and_probabilities(rival_log_odds(SCORES[4], Y[4]))
    assert probabilities(q, Y[4]).sum(axis=1) == pytest.approx(1.0)
    assert LogLoss(3.0, 4).formula == "1/2 ||W||^2 + 3 sum -log softmax(W x + b)_y"
    assert LogLoss(np.inf).formula == "sum log(1 + exp(-y (w.x + b)))"
