"""Offsets are in balance however far they have to go."""

import numpy as np
import pytest

from separatrix.objectives.log_loss import rivalry, slopes, wrong_of
from separatrix.problem import Problem
from separatrix.solvers.logistic.balanced_offsets import MOST_LOOKS, flow_of_two, shift


def out_of_balance(problem, scores):
    """What classes gain less what they lose, as part of all that is wrong."""
    wrong = wrong_of(rivalry(scores, problem.y))
    return np.abs(problem.cost @ slopes(wrong, problem.y)).max() / (problem.cost @ wrong.sum(axis=1))


@pytest.mark.parametrize(("k", "size"), [(2, 1.0), (2, 30.0), (2, 1e4), (3, 1.0), (3, 10.0), (5, 1.0), (5, 10.0)])
@pytest.mark.parametrize("decades", [0, 3, 8])
def test_probabilities_are_in_balance(k, size, decades):
    rng = np.random.default_rng(k)
    y = np.append(np.arange(k), rng.integers(0, k, 60))
    problem = Problem(np.zeros((y.size, 1)), y, k, 10.0 ** (-decades * (y / k)))
    scores = size * rng.standard_normal((y.size, problem.n_planes))
    moved = shift(problem, rivalry(scores, y))
    assert out_of_balance(problem, scores + moved) <= 1e-9


def test_rows_without_scores_have_the_log_odds_of_the_weights():
    for ratio in (1e-12, 1e-3, 7.0, 1e12):
        problem = Problem(np.zeros((3, 1)), np.array([0, 1, 1]), 2, np.array([1.0, 0.5 * ratio, 0.5 * ratio]))
        assert shift(problem, np.zeros((3, 1))) == pytest.approx(np.log(ratio), rel=1e-12)


def test_few_looks_are_enough_where_offsets_are_nearly_right(monkeypatch):
    looks = []

    def counted(*given):
        flow_at = flow_of_two(*given)
        return lambda b: looks.append(b) or flow_at(b)

    monkeypatch.setattr("separatrix.solvers.logistic.balanced_offsets.flow_of_two", counted)
    rng = np.random.default_rng(0)
    scores, y = rng.standard_normal((1000, 1)), rng.integers(0, 2, 1000)
    problem = Problem(np.zeros((1000, 1)), y)
    best = shift(problem, rivalry(scores, y))
    looks.clear()
    assert shift(problem, rivalry(scores + best + 1e-4, y)) == pytest.approx(-1e-4, rel=1e-9)
    assert 1 < len(looks) <= 4 < MOST_LOOKS
