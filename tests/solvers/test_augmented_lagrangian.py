"""Planes with many columns: as good as an interior-point method's, and proved so by their dual variables."""

from importlib import import_module
from itertools import pairwise
from time import perf_counter

import numpy as np
import pytest
from scipy import sparse

from separatrix.objectives import SoftMargin
from separatrix.problem import Problem
from separatrix.rows import CSR
from separatrix.solvers.svm.lagrangian.augmented_lagrangian import augmented_lagrangian
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.svm.warm_start import WarmStart
from solvers.svm_by_clarabel import optimum

solver = import_module("separatrix.solvers.svm.linear_svm")
lagrangian_module = import_module("separatrix.solvers.svm.lagrangian.augmented_lagrangian")


def table(n=60, d=8, flipped=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    y = np.where(X @ rng.normal(size=d) + 0.7 > 0.0, 1.0, -1.0)
    y[rng.random(n) < flipped] *= -1.0
    return X, y


def as_csr(X) -> CSR:
    matrix = sparse.csr_matrix(X)
    return CSR(matrix.data, matrix.indices, matrix.indptr, X.shape[1])


def enclosure(X, y, cost, squared, fit_intercept, answer):
    """Primal and dual value from the data, after all constraints were looked at."""
    w, b, alpha, _ = answer
    top = np.inf if squared else cost
    assert np.all((alpha >= 0.0) & (alpha <= top))
    if fit_intercept:
        assert abs(y @ alpha) <= 1e-12 * max(1.0, alpha.sum())
    else:
        assert b == 0.0
    upper = SoftMargin(1.0, squared).primal(w, y * (X @ w + b), cost)
    return upper, SoftMargin(1.0, squared).dual(X.T @ (y * alpha), alpha, cost)


@pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared"])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_encloses_the_optimum(squared, fit_intercept, C):
    for seed, (n, d, flipped) in enumerate([(60, 8, 0.1), (15, 40, 0.1), (60, 3, 0.0)]):
        X, y = table(n, d, flipped, seed)
        cost = C * np.random.default_rng(seed).uniform(0.2, 3.0, n)
        truth = optimum(X, y, cost, squared, fit_intercept)
        answer = augmented_lagrangian(X, y, cost, squared=squared, fit_intercept=fit_intercept, tol=1e-9)
        upper, lower = enclosure(X, y, cost, squared, fit_intercept, answer)
        assert upper - lower <= 1e-9 * upper * 1.001
        assert lower - 1e-8 * truth <= truth <= upper + 1e-8 * truth


@pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared"])
def test_sparse_rows_of_any_precision_give_the_plane_of_dense_ones(squared):
    X, y = table(80, 12)
    X = X.astype(np.float32)
    cost = np.full(80, 2.0)
    w, b, *_ = augmented_lagrangian(X.astype(np.float64), y, cost, squared=squared, tol=1e-11)
    for rows in (X, as_csr(X), as_csr(X.astype(np.float64))):
        other, other_b, *_ = augmented_lagrangian(rows, y, cost, squared=squared, tol=1e-11)
        assert np.allclose(other, w, atol=1e-4)
        assert abs(other_b - b) < 1e-3


@pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared"])
def test_a_cost_of_three_is_three_copies(squared):
    X, y = table(40, 5, seed=3)
    copies = np.random.default_rng(3).integers(1, 4, 40)
    once = augmented_lagrangian(X, y, 1.0 * copies, squared=squared, tol=1e-10)
    many = augmented_lagrangian(
        np.repeat(X, copies, axis=0), np.repeat(y, copies), np.ones(copies.sum()), squared=squared, tol=1e-10
    )
    assert np.allclose(once[0], many[0], atol=1e-4)


def test_one_row_against_thousand():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1001, 6))
    y = np.full(1001, -1.0)
    y[17] = 1.0
    cost = np.where(y > 0.0, 1000.0, 1.0)
    upper, lower = enclosure(X, y, cost, False, True, augmented_lagrangian(X, y, cost))
    assert upper - lower <= 1e-6 * upper
    assert abs(upper - optimum(X[:, :], y, cost)) <= 1e-6 * upper


def test_rows_of_zeros_and_a_single_class_end_with_the_bias():
    X = np.zeros((6, 3))
    y = np.array([1.0, 1.0, 1.0, 1.0, -1.0, -1.0])
    w, b, alpha, _ = augmented_lagrangian(X, y, np.ones(6))
    assert not w.any()
    assert b == 1.0
    assert abs(y @ alpha) < 1e-12
    X, _ = table(10, 3)
    w, b, alpha, _ = augmented_lagrangian(X, np.ones(10), np.ones(10), tol=1e-6, max_iter=200)
    assert SoftMargin(1.0, False).primal(w, np.ones(10) * (X @ w + b), np.ones(10)) < 1e-9


def test_row_lengths_from_a_hundredth_to_a_hundred():
    X, y = table(200, 30, seed=8)
    X *= 10.0 ** np.random.default_rng(8).uniform(-2.0, 2.0, (200, 1))
    cost = np.full(200, 10.0)
    upper, lower = enclosure(X, y, cost, False, True, augmented_lagrangian(X, y, cost))
    assert upper - lower <= 1e-6 * upper


def test_starts_where_it_is_told_to():
    X, y = table(200, 20, seed=4)
    cost = np.ones(200)
    w, b, alpha, steps = augmented_lagrangian(X, y, cost, tol=1e-9)
    assert steps > 0
    again = augmented_lagrangian(X, y, cost, start=(w, b, alpha), tol=1e-9)
    assert again[3] == 0
    assert np.array_equal(again[0], w)
    plane_only = augmented_lagrangian(X, y, cost, start=(w, b, None), tol=1e-9)
    assert np.allclose(plane_only[0], w, atol=1e-4)


def solved(problem, C, start=None, **how):
    return linear_svm(problem, C=C, start=start, route="lagrangian", **how)


def test_an_optimum_for_another_price_brings_its_dual_variables():
    """Where a plane separates the rows, nothing changes from some C on, and nothing is left to do."""
    X, y = table(60, 200, flipped=0.0, seed=5)
    problem = Problem(as_csr(X), y > 0)
    start = solved(problem, 1e3)
    again = solved(problem, 1e6, WarmStart.of(start.certificate))
    assert (start.history.iterations > 3, again.history.iterations) == (True, 1)
    assert again.certificate.error(problem) <= 1e-6
    planes = solved(problem, 1e6, np.append(start.w, start.b))
    assert planes.history.iterations > 1


@pytest.mark.parametrize("C", [1e2, 1e6, 1e12])
def test_a_price_that_no_alpha_reaches_costs_no_more_than_a_small_one(C):
    """Rows that a plane separates have the optimum of the hard margin, soon found by way of a smaller C."""
    X, y = table(300, 200, flipped=0.0, seed=9)
    problem = Problem(as_csr(X), y > 0)
    hard, soft = linear_svm(problem, C=np.inf), solved(problem, C, tol=1e-9)
    assert soft.history.iterations < 150
    assert soft.certificate.error(problem) <= 1e-9
    assert np.allclose(soft.w, hard.w, rtol=1e-4, atol=1e-4 * np.linalg.norm(hard.w))


def test_prices_between_the_small_and_the_large(monkeypatch):
    """One after the other, roughly, until no alpha is at its bound; straight to the last where many are."""
    prices, lagrangian = [], solver.augmented_lagrangian

    def noted(X, y, cost, **how):
        prices.append((cost[0], how["tol"]))
        return lagrangian(X, y, cost, **how)

    monkeypatch.setattr(solver, "augmented_lagrangian", noted)
    X, y = table(300, 200, flipped=0.0, seed=9)
    X[:, 0] += 0.3 * y
    typical = float((X**2).sum(axis=1).mean())
    problem, C = Problem(as_csr(X), y > 0), 1e5 / typical
    start = solved(problem, C, tol=1e-6)
    asked = [price * typical for price, _ in prices]
    assert np.allclose(asked[:1], [1e2])
    assert all(np.isclose(later, earlier) or np.isclose(later, 10.0 * earlier) for earlier, later in pairwise(asked))
    assert np.allclose([how for _, how in prices][-2:], [1e-3, 1e-7])
    prices.clear()
    solved(problem, 2.0 * C, WarmStart.of(start.certificate))
    assert [price for price, _ in prices] == [2.0 * C], "a start that knows alpha needs no others"
    prices.clear()
    overlapping = Problem(as_csr(X[:, :20]), np.random.default_rng(0).permutation(y) > 0)
    assert solved(overlapping, C).certificate.error(overlapping) <= 1e-6
    assert len(prices) == 2


def test_a_smaller_price_that_leaves_too_much_slack_is_followed_by_the_whole(monkeypatch):
    prices, lagrangian = [], solver.augmented_lagrangian

    def careless(X, y, cost, **how):
        prices.append(cost[0])
        return lagrangian(X, y, cost, **how | {"tol": how["tol"] if cost[0] == 1e3 else 1e-3})

    monkeypatch.setattr(solver, "augmented_lagrangian", careless)
    monkeypatch.setattr(lagrangian_module, "POLISH_STEPS", 0)
    X, y = table(300, 200, flipped=0.0, seed=9)
    problem = Problem(as_csr(X), y > 0)
    found = solved(problem, 1e3)
    assert prices[0] < prices[-1] == 1e3
    assert found.certificate.error(problem) <= 1e-6


def test_rows_at_their_bound_stay_at_it():
    """An alpha at its bound for one C is taken to be at that for another; the others stay what they are."""
    X, y = table(300, 30, seed=6)
    problem = Problem(as_csr(X), y > 0, 2, np.random.default_rng(6).uniform(0.5, 2.0, 300))
    start = solved(problem, 0.5).certificate
    cost, alpha = problem.cost[start.support], WarmStart.of(start).scaled_alpha(problem.posed(SoftMargin(0.8)))
    full = start.alpha == 0.5 * cost
    assert 0 < np.count_nonzero(full) < start.support.size
    assert np.array_equal(alpha[start.support[full]], 0.8 * cost[full])
    assert np.array_equal(alpha[start.support[~full]], start.alpha[~full])
    assert np.count_nonzero(alpha) == start.support.size


@pytest.mark.parametrize("kind", ["other rows", "fewer rows", "other labels", "squares", "from squares"])
def test_a_start_that_does_not_fit_changes_nothing(kind):
    X, y = table(300, 30, seed=7)
    squared = kind == "from squares"
    start = WarmStart.of(solved(Problem(as_csr(X), y > 0), 0.5, squared=squared).certificate)
    if kind == "fewer rows":
        X, y = X[:-9], y[:-9]
    X = X[::-1] if kind == "other rows" else X
    y = -y if kind == "other labels" else y
    problem, how = Problem(as_csr(X), y > 0), {"tol": 1e-9, "squared": kind == "squares"}
    found, expected = solved(problem, 0.8, start, **how), solved(problem, 0.8, **how)
    assert found.certificate.error(problem) <= 1e-9
    assert np.allclose(found.w, expected.w, atol=found.certificate.distance + expected.certificate.distance)


def test_stops_when_told_to_with_what_it_has():
    X, y = table(200, 20, seed=4)
    cost = np.full(200, 100.0)
    for answer in (
        augmented_lagrangian(X, y, cost, deadline=perf_counter()),
        augmented_lagrangian(X, y, cost, max_iter=2),
    ):
        assert answer[3] <= 2
        upper, lower = enclosure(X, y, cost, False, True, answer)
        assert 1e-6 * upper < upper - lower < np.inf


@pytest.mark.large
def test_more_columns_than_coordinate_descent_can_do():
    rng = np.random.default_rng(0)
    n, d = 4000, 1000
    X = sparse.random(n, d, density=0.02, random_state=rng, format="csr", data_rvs=rng.standard_normal)
    y = np.where(X @ rng.normal(size=d) > 0.0, 1.0, -1.0)
    y[rng.random(n) < 0.07] *= -1.0
    cost = np.full(n, 10.0)
    rows = CSR(X.data, X.indices, X.indptr, d)
    upper, lower = enclosure(X, y, cost, False, True, augmented_lagrangian(rows, y, cost))
    assert upper - lower <= 1e-6 * upper
