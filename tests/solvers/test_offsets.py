"""Offsets are in balance however far they have to go."""

import numpy as np
import pytest

from separatrix.objectives.log_loss import rival_log_odds, rival_probabilities, score_gradients
from separatrix.problem import Problem
from separatrix.solvers.logistic.balanced_offsets import MAX_PASSES, balancing_shift, binary_derivatives
from separatrix.solvers.svm.best_offset import least_offset


def out_of_balance(problem, scores):
    """What classes gain less what they lose, as part of the weight of all rivals."""
    q = rival_probabilities(rival_log_odds(scores, problem.y))
    return np.abs(problem.cost @ score_gradients(q, problem.y)).max() / (problem.cost @ q.sum(axis=1))


@pytest.mark.parametrize(("k", "size"), [(2, 1.0), (2, 30.0), (2, 1e4), (3, 1.0), (3, 10.0), (5, 1.0), (5, 10.0)])
@pytest.mark.parametrize("decades", [0, 3, 8])
def test_probabilities_are_in_balance(k, size, decades):
    rng = np.random.default_rng(k)
    y = np.append(np.arange(k), rng.integers(0, k, 60))
    problem = Problem(np.zeros((y.size, 1)), y, k, 10.0 ** (-decades * (y / k)))
    scores = size * rng.standard_normal((y.size, problem.n_planes))
    moved = balancing_shift(problem, rival_log_odds(scores, y))
    assert out_of_balance(problem, scores + moved) <= 1e-9


def test_rows_without_scores_have_the_log_odds_of_the_weights():
    for ratio in (1e-12, 1e-3, 7.0, 1e12):
        problem = Problem(np.zeros((3, 1)), np.array([0, 1, 1]), 2, np.array([1.0, 0.5 * ratio, 0.5 * ratio]))
        assert balancing_shift(problem, np.zeros((3, 1))) == pytest.approx(np.log(ratio), rel=1e-12)


def test_few_passes_are_enough_where_offsets_are_nearly_right(monkeypatch):
    passes = []

    def counted(*given):
        derivatives_at = binary_derivatives(*given)
        return lambda b: passes.append(b) or derivatives_at(b)

    monkeypatch.setattr("separatrix.solvers.logistic.balanced_offsets.binary_derivatives", counted)
    rng = np.random.default_rng(0)
    scores, y = rng.standard_normal((1000, 1)), rng.integers(0, 2, 1000)
    problem = Problem(np.zeros((1000, 1)), y)
    best = balancing_shift(problem, rival_log_odds(scores, y))
    passes.clear()
    assert balancing_shift(problem, rival_log_odds(scores + best + 1e-4, y)) == pytest.approx(-1e-4, rel=1e-9)
    assert 1 < len(passes) <= 4 < MAX_PASSES


def test_costs_below_all_doubles_have_some_offset():
    assert least_offset(np.array([-1.0, 2.0, 5.0]), np.array([True, False, True]), np.zeros(3), False, 1.0) == 2.0
