"""Least squares by corrections from quantized rows, against the equations solved directly."""

import numpy as np
import pytest

from separatrix.problem import Moments, Problem, fused_sums
from separatrix.problem.moments import Sample, sample_rows
from separatrix.solvers.squares import mixed_precision
from separatrix.solvers.squares.least_squares import by_cholesky, by_mixed_precision, least_squares
from separatrix.solvers.squares.mixed_precision import QuantizedRows, eigenvalue_variance

TARGETS = {2: np.array([[-1.0], [1.0]]), 3: np.eye(3)}


def drawn(n, d, k=2, seed=0, mixed=0.0, at=0.0, draw="standard_normal"):
    """Rows whose columns share a part `mixed` of their variance, around a point."""
    rng = np.random.default_rng(seed)
    X = getattr(rng, draw)(size=(n, d)) + np.sqrt(mixed / (1.0 - mixed)) * rng.standard_normal((n, 1)) + at
    scores = (X - at) @ rng.standard_normal((d, k)) + np.sqrt(d) * rng.standard_normal((n, k))
    return Problem(X, scores.argmax(axis=1), k, rng.uniform(0.5, 2.0, n))


def agree(found, direct):
    np.testing.assert_allclose(found.W, direct.W, rtol=0.0, atol=1e-9 * np.abs(direct.W).max())
    np.testing.assert_allclose(found.b, direct.b, rtol=0.0, atol=1e-9 * max(1.0, np.abs(direct.b).max()))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("ridge", [0.0, 50.0])
def test_corrections_lead_to_the_answer_of_the_matrix(k, ridge):
    problem = drawn(15_000, 300, k, at=0.5)
    found, left = by_mixed_precision(problem, TARGETS[k], ridge, 1e-8)
    direct, _ = by_cholesky(problem, Moments.of(problem), TARGETS[k], ridge)
    assert left.error.high <= 1e-11
    assert 3 <= found.iterations <= 40
    agree(found, direct)


@pytest.mark.parametrize("given", [{"at": 50.0}, {"mixed": 0.3}, {"draw": "standard_exponential"}])
def test_rows_far_off_a_common_cause_and_long_tails_suit_as_well(given):
    problem = drawn(15_000, 300, **given)
    found, _ = by_mixed_precision(problem, TARGETS[2], 0.0, 1e-8)
    agree(found, by_cholesky(problem, Moments.of(problem), TARGETS[2], 0.0)[0])


def test_rare_columns_suit_as_well():
    """Some do not vary in the part of the sample that shows correlations."""
    rng = np.random.default_rng(1)
    X = (rng.random((15_000, 300)) < np.linspace(0.01, 0.5, 300)).astype(np.float32)
    problem = Problem(X, rng.random(15_000) + 0.1 * X[:, 0] > 0.5)
    found, _ = by_mixed_precision(problem, TARGETS[2], 1.0, 1e-8)
    agree(found, by_cholesky(problem, Moments.of(problem), TARGETS[2], 1.0)[0])


@pytest.mark.parametrize("given", [{"d": 100}, {"n": 10_000}])
def test_few_columns_and_few_rows_are_not_worth_it(given):
    problem = drawn(**{"n": 15_000, "d": 300} | given)
    assert by_mixed_precision(problem, TARGETS[2], 0.0, 1e-8) is None


def neighbours(n, d):
    X = drawn(n, d).X.copy()
    X[:, 1:] += X[:, :-1].copy()
    return X


def doubled(n, d):
    """Two columns that are all but one: more than a copy can tell, and no sample shows it."""
    X = drawn(n, d).X.copy()
    X[:, 1] = X[:, 0] + 1e-5 * X[:, 1]
    return X


def wild(n, d):
    """One row that no sample has, and that outweighs all others."""
    X = drawn(n, d).X.copy()
    X[1] *= 1e6
    return X


@pytest.mark.parametrize("make", [neighbours, doubled, wild])
def test_where_it_gains_too_little_the_matrix_is_made(make):
    X = make(15_000, 300)
    problem = Problem(X, X[:, :20].sum(axis=1) > 0.0)
    assert by_mixed_precision(problem, TARGETS[2], 0.0, 1e-8) is None
    solution = least_squares(problem)
    assert solution.history.iterations == 1
    assert solution.certificate.error(problem) <= 1e-8


def test_a_column_that_varies_where_no_sample_looks_is_not_copied():
    problem = drawn(15_000, 300)
    X = problem.X.copy()
    X[:, 3] = 0.0
    X[1, 3] = 1.0
    assert QuantizedRows.of(Problem(X, problem.y), TARGETS[2]) is None


def test_an_accuracy_that_cannot_be_had_is_not_claimed():
    assert by_mixed_precision(drawn(15_000, 300), TARGETS[2], 0.0, 1e-30) is None


def test_a_sample_shows_how_much_columns_are_correlated():
    """Columns that share a part r of their variance with the next: eigenvalues 1 + 2 r cos, with variance 2 r^2."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((1024, 301))
    y = np.zeros(1024, dtype=int)
    assert abs(eigenvalue_variance(Sample(Z, y))) < 0.05
    shared = Z[:, 1:] + 0.5 * Z[:, :-1]
    assert eigenvalue_variance(Sample(shared, y)) == pytest.approx(2.0 * 0.4**2, abs=0.1)
    common = Z + rng.standard_normal((1024, 1))
    assert abs(eigenvalue_variance(Sample(common, y))) < 0.05, "one common cause takes one pass more"
    assert eigenvalue_variance(Sample(Z + rng.standard_normal((1024, 20)) @ rng.standard_normal((20, 301)), y)) > 1.0
    assert eigenvalue_variance(Sample(np.ones((1024, 3)), y)) == np.inf


def test_the_copy_has_the_sums_of_the_rows(monkeypatch):
    monkeypatch.setattr(mixed_precision, "NUMBER_OF_DEVIATION", 4096.0)
    problem = drawn(5000, 20, 3, at=7.0)
    targets = TARGETS[3]
    copy = QuantizedRows.of(problem, targets)
    moments, cost = Moments.of(problem), problem.cost
    np.testing.assert_allclose(copy.mean, moments.mean, atol=1e-4)
    np.testing.assert_allclose(copy.squares * copy.unit**2 * copy.mean_cost, moments.total.diagonal(), rtol=1e-4)
    apart = targets[problem.y] - cost @ targets[problem.y] / cost.sum()
    right = (problem.X - moments.mean).T @ (cost[:, None] * apart)
    np.testing.assert_allclose(copy.right * copy.unit[:, None] * copy.mean_cost, right, atol=1e-3 * np.abs(right).max())
    np.testing.assert_allclose(copy.target**2 * copy.mean_cost, cost @ apart**2, rtol=1e-6)
    V = np.random.default_rng(0).standard_normal((20, 2))
    image = copy.product(V * copy.unit[:, None]) * copy.unit[:, None] * copy.mean_cost
    np.testing.assert_allclose(image, moments.total @ V, atol=1e-3 * np.abs(image).max())


def test_numbers_beyond_the_largest_are_cut_and_the_diagonal_knows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 2))
    X[1::399, 0] = 100.0  # no row of the sample, which has every third
    problem = Problem(X, X[:, 1] > 0.0)
    assert not np.isin(X[1::399], sample_rows(problem).X).any()
    copy = QuantizedRows.of(problem, TARGETS[2])
    assert (copy.numbers[1::399, 0] == 32767).all()
    assert copy.rounded[0] == pytest.approx(11 * (100.0**2 / copy.unit[0] ** 2 - 32767.0**2), rel=1e-2)
    assert abs(copy.rounded[1]) < 1e-4 * copy.squares[1]


@pytest.mark.parametrize("n", [1, 2, 7])
def test_loops_are_the_same_in_plain_python(n):
    rng = np.random.default_rng(n)
    X, pulls = rng.standard_normal((n, 5)), rng.uniform(0.5, 2.0, (n, 2)).astype(np.float32)
    found = []
    for loop in (mixed_precision.quantize_rows, mixed_precision.quantize_rows.__wrapped__):
        numbers, into = np.zeros((n, 5), np.int16), (np.zeros((2, 5), np.float32), np.zeros((2, 5), np.float32))
        loop(X, pulls, mixed_precision.Grid(np.full(5, 0.1), np.full(5, 1000.0)), 0, n, numbers, into)
        found.append((numbers, *into))
    assert np.array_equal(found[0][0], np.rint((X - 0.1) * 1000.0))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    V, base, numbers = rng.standard_normal((3, 5)).astype(np.float32), np.ones(3, np.float32), found[0][0]
    images = []
    for loop in (mixed_precision.add_images, mixed_precision.add_images.__wrapped__):
        images.append(np.zeros((3, 5), np.float32))
        loop(numbers, pulls[:, 0], V, base, 0, n, images[-1])
    wanted = (V @ numbers.T - 1.0) * pulls[:, 0] @ numbers
    for image in images:
        np.testing.assert_allclose(image, wanted, atol=1e-5 * np.abs(wanted).max())


def test_without_numba_nothing_is_copied(monkeypatch):
    monkeypatch.setattr(fused_sums, "informed_numba", lambda: None)
    assert by_mixed_precision(drawn(15_000, 300), TARGETS[2], 0.0, 1e-8) is None


def test_the_solver_takes_this_way_and_certifies_the_answer():
    problem = drawn(60_000, 400)
    solution = least_squares(problem)
    assert solution.history.iterations > 1
    assert solution.history.rank == 400
    assert solution.certificate.error(problem) == solution.certificate.stated <= 1e-11
