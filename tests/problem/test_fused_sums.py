"""Sums over rows in one pass: those that products of long doubles give, however rows are cut."""

import numpy as np
import pytest

from separatrix import GaussianDiscriminant, LeastSquaresClassifier, rows, threads
from separatrix.certificates.claims.normal_equations import residual
from separatrix.problem import Moments, Problem, fused_sums
from separatrix.solvers.squares import mixed_precision

TARGETS = np.array([-1.0, 0.5, 2.0])


def drawn(n, d=5, dtype=np.float64):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, d)).astype(dtype)
    return Problem(X, rng.integers(0, 3, n), 3, rng.uniform(0.5, 2.0, n)), rng.standard_normal(d)


@pytest.fixture
def cut_small(monkeypatch):
    """Stretches of few rows, and calls of fewer."""
    monkeypatch.setattr(threads, "ENTRIES_PER_CHUNK", 10)
    monkeypatch.setattr(rows, "ENTRIES_A_CALL", 35)


@pytest.mark.parametrize("at", [None, 20.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [*range(1, 10), 200])
def test_they_are_those_of_long_doubles(n, dtype, at, cut_small):
    problem, w = drawn(n, dtype=dtype)
    centre = None if at is None else np.full(5, at)
    Z, cost = problem.X.astype("g") - (at or 0.0), problem.cost.astype("g")
    r = cost * (TARGETS[problem.y] - Z @ w - 0.3)
    weight = [cost[problem.y == c].sum() for c in range(3)]
    square = np.array([r @ (r / cost)])
    wanted = r @ Z, r.sum(keepdims=True), square, cost @ Z, cost @ Z**2, np.array(weight)
    found = fused_sums.residual_sums(problem, TARGETS, w, 0.3, centre, True)
    for one, truth in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, truth.astype(float), rtol=1e-13, atol=1e-13 * max(1.0, np.abs(truth).max()))
    alone = fused_sums.residual_sums(problem, TARGETS, w, 0.3, centre, False)
    for one, same in zip(alone, found[:3], strict=True):
        assert np.array_equal(one, same)


def test_loops_are_the_same_in_plain_python():
    problem, w = drawn(11)
    found = [np.zeros((4, 5)) for _ in range(2)]
    for loop, into in zip((fused_sums.add_residuals, fused_sums.add_residuals.__wrapped__), found, strict=True):
        given = problem.X, problem.y, problem.cost, fused_sums.Fit(TARGETS, w, 0.3, None), 0, 11
        into[3, [0, 4]] = loop(*given, fused_sums.Sums(into[0], into[1:3], into[3, 1:4]))
    np.testing.assert_allclose(*found, rtol=1e-12)


@pytest.mark.parametrize("at", [0.0, 50.0])
@pytest.mark.parametrize("even", [True, False])
def test_loops_and_products_of_blocks_agree(even, at, monkeypatch, cut_small):
    problem, w = drawn(3000)
    problem = Problem(problem.X + at, problem.y, 3, None if even else problem.cost)
    W, b, targets = w[:, None], np.array([0.3]), TARGETS[:, None]
    found = []
    for least in (np.inf, 0):
        monkeypatch.setattr(fused_sums, "MIN_ENTRIES_FOR_LOOPS", least)
        moments, left = Moments.of(problem), residual(problem, targets, W, b, 1.0)
        again = residual(problem, targets, W, b, 1.0, left.by)
        assert np.array_equal(again.columns, left.columns)
        measures = left.by.columns.low, left.by.columns.off.value, *left.by.targets
        found.append([moments.weight, moments.means, moments.within, left.columns.value, left.offset.value, *measures])
    for blocks, loops in zip(*found, strict=True):
        np.testing.assert_allclose(loops, blocks, rtol=1e-11, atol=1e-11 * np.abs(blocks).max())


def test_answers_do_not_depend_on_the_cores(monkeypatch, cut_small):
    monkeypatch.setattr(fused_sums, "MIN_ENTRIES_FOR_LOOPS", 0)
    monkeypatch.setattr(mixed_precision, "MIN_COLUMNS", 2)
    problem, _ = drawn(4000, 4)
    y, found = problem.y == 1, []
    for n in (1, 2, 5):
        context = threads._cores.set(n)
        models = [make().fit(problem.X, y) for make in (LeastSquaresClassifier, GaussianDiscriminant)]
        errors = LeastSquaresClassifier().leave_one_out(problem.X, y).residuals
        threads._cores.reset(context)
        found.append([*(model.coef_ for model in models), errors])
    for one, same in zip(found[0] * 2, found[1] + found[2], strict=True):
        assert np.array_equal(one, same)


def test_loops_are_for_many_rows_and_for_numba(monkeypatch):
    many = np.zeros((2**20, 4), dtype=np.float32)
    assert not fused_sums.worth_looping(many[1:])
    monkeypatch.setattr(fused_sums, "informed_numba", object)
    assert fused_sums.worth_looping(many)
    monkeypatch.setattr(fused_sums, "informed_numba", lambda: None)  # plain Python would take seconds for each pass
    assert not fused_sums.worth_looping(many)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_of_some_rows_of_classes(dtype, known, monkeypatch, cut_small):
    monkeypatch.setattr(fused_sums, "loaded", lambda: known)
    problem, _ = drawn(500, dtype=dtype)
    problem = Problem(problem.X, problem.y > 0, 2, problem.cost)
    for index in (np.arange(0, 500, 3), np.flatnonzero(problem.y == 1), np.arange(0)):
        sums, weights = fused_sums.class_sums(problem, index)
        X, y, cost = problem.X[index].astype("g"), problem.y[index], problem.cost[index].astype("g")
        for side in range(2):
            np.testing.assert_allclose(
                sums[side], (cost[y == side] @ X[y == side]).astype(float), rtol=1e-12, atol=1e-12
            )
            assert weights[side] == pytest.approx(float(cost[y == side].sum()), rel=1e-13)
