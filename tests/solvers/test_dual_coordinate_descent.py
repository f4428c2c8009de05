"""Dual coordinate descent: towards the optimum from both sides, with the bias left unpenalised."""

import numpy as np
import pytest

from separatrix.objectives import SoftMargin
from separatrix.solvers.svm.best_offset import best_offset
from separatrix.solvers.svm.lagrangian.dual_coordinate_descent import balanced, dual_coordinate_descent
from solvers.svm_by_clarabel import optimum
from solvers.test_augmented_lagrangian import as_csr, enclosure, table


@pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared"])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["bias", "no bias"])
def test_encloses_the_optimum(squared, fit_intercept):
    X, y = table(50, 6)
    cost = np.random.default_rng(0).uniform(0.2, 3.0, 50)
    answer = dual_coordinate_descent(X, y, cost, squared=squared, fit_intercept=fit_intercept, tol=1e-7, max_iter=20000)
    upper, lower = enclosure(X, y, cost, squared, fit_intercept, answer)
    assert upper - lower <= 1.001e-7 * upper
    truth = optimum(X, y, cost, squared, fit_intercept)
    assert lower - 1e-8 <= truth <= upper + 1e-8


def test_sparse_rows_take_the_same_path_as_dense_ones():
    X, y = table(50, 6)
    dense = dual_coordinate_descent(X, y, np.ones(50), max_iter=7)
    thin = dual_coordinate_descent(as_csr(X), y, np.ones(50), max_iter=7)
    assert dense[3] == thin[3] == 7
    assert np.allclose(dense[2], thin[2], atol=1e-9)
    assert np.allclose(dense[0], thin[0], atol=1e-9)


def test_a_start_is_used_and_duplicates_do_no_harm():
    X, y = table(30, 4)
    X, y = np.vstack([X, X]), np.concatenate([y, y])
    w, b, alpha, passes = dual_coordinate_descent(X, y, np.ones(60), tol=1e-5, max_iter=5000)
    assert passes > 10
    assert dual_coordinate_descent(X, y, np.ones(60), start=(w, b, alpha), tol=1e-5)[3] <= 10


@pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared"])
def test_no_other_bias_is_better(squared):
    rng = np.random.default_rng(2)
    for n in (1, 2, 5, 40):
        scores, y = rng.normal(size=n), np.where(rng.random(n) < 0.3, 1.0, -1.0)
        cost = rng.uniform(0.1, 2.0, n)
        best = best_offset(scores, y, cost, squared)
        objective = SoftMargin(1.0, squared)
        least = objective.primal(np.zeros(1), y * (scores + best), cost)
        others = best + np.concatenate([np.linspace(-3.0, 3.0, 201), [-1e-6, 1e-6]])
        assert all(
            least <= SoftMargin(1.0, squared).primal(np.zeros(1), y * (scores + b), cost) + 1e-12 for b in others
        )


def test_balance_is_found_among_free_rows_if_they_have_the_room():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    top = np.ones(4)
    free = np.array([False, True, False, True])
    alpha = np.array([1.0, 0.5, 1.0, 0.3])
    moved = balanced(alpha, y, top, free)
    assert abs(y @ moved) < 1e-15
    assert np.array_equal(moved[~free], alpha[~free])
    alpha = np.array([1.0, 0.9, 0.0, 0.0])
    moved = balanced(alpha, y, top, np.zeros(4, dtype=bool))
    assert abs(y @ moved) < 1e-15
    assert np.all((moved >= 0.0) & (moved <= top))
