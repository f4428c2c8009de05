"""Conjugate gradients on columns that are nearly uncorrelated, against the equations solved directly."""

import numpy as np
import pytest

from separatrix.problem import Moments, Problem
from separatrix.solvers.least_squares import by_cholesky, least_squares
from separatrix.solvers.uncorrelated import spread_in_sample, uncorrelated

TARGETS = {2: np.array([[-1.0], [1.0]]), 3: np.eye(3)}


def drawn(n, d, k=2, seed=0, mixed=0.0, at=0.0):
    """Rows whose columns share a part `mixed` of their variance, around a point."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + np.sqrt(mixed / (1.0 - mixed)) * rng.standard_normal((n, 1)) + at
    scores = (X - at) @ rng.standard_normal((d, k)) + np.sqrt(d) * rng.standard_normal((n, k))
    return Problem(X, scores.argmax(axis=1), k, rng.uniform(0.5, 2.0, n))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("ridge", [0.0, 50.0])
def test_few_steps_give_the_answer_of_the_matrix(k, ridge):
    problem = drawn(15_000, 300, k, at=0.5)
    W, b, steps = uncorrelated(problem, TARGETS[k], ridge, 1e-9)
    direct, _ = by_cholesky(problem, Moments.of(problem), TARGETS[k], ridge)
    assert 3 <= steps <= 10
    np.testing.assert_allclose(W, direct.W, atol=1e-8 * np.abs(direct.W).max())
    np.testing.assert_allclose(b, direct.b, atol=1e-8)


@pytest.mark.parametrize("given", [{"mixed": 0.1}, {"at": 30.0}, {"d": 100}])
def test_nothing_comes_of_rows_that_do_not_suit(given):
    problem = drawn(**{"n": 15_000, "d": 300} | given)
    assert uncorrelated(problem, TARGETS[2], 0.0, 1e-9) is None


def test_steps_that_would_be_too_many_are_not_made():
    assert uncorrelated(drawn(15_000, 300), TARGETS[2], 0.0, 1e-40) is None


def test_a_sample_shows_how_much_columns_are_correlated():
    """With correlations rho one eigenvalue is 1 + (d - 1) rho and the others are 1 - rho: variance (d - 1) rho^2."""
    assert abs(spread_in_sample(drawn(15_000, 300))) < 0.02
    assert spread_in_sample(drawn(15_000, 300, mixed=0.1)) == pytest.approx(299 * 0.01, rel=0.3)


def test_the_solver_takes_this_way_and_certifies_the_answer():
    problem = drawn(60_000, 400)
    solution = least_squares(problem)
    assert solution.iterations > 1
    assert solution.rank == 400
    assert solution.certificate.error(problem) == solution.certificate.stated <= 1e-11
