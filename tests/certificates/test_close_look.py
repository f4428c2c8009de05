"""Slacks near the margin have every digit, and so have the claims that are made of them."""

from fractions import Fraction
from operator import mul

import numpy as np
import pytest
from scipy import sparse

from separatrix import LinearSVM, encode, verify
from separatrix.enclosures.exact_sums import ENTRIES_PER_CHUNK, slacks

KINDS = ("plain", "many sizes", "units", "far", "whole", "long rows")


def exact_slacks(X, signs, w, b):
    """1 - y (w.x + b) of each row as a fraction."""
    plane = [Fraction(float(each)) for each in (*w, b)]
    rows = [[Fraction(float(value)) for value in (*row, 1.0)] for row in X]
    return [1 - int(y) * sum(map(mul, row, plane)) for row, y in zip(rows, signs, strict=True)]


def drawn(kind, seed):
    """Few rows on both sides of a plane, most of them separable."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(4, 25), rng.integers(1, 6)
    X = rng.standard_normal((n, d))
    if kind == "many sizes":
        X = np.exp(3.0 * X)
    elif kind == "units":
        X = X * 10.0 ** rng.uniform(-5, 5, d)
    elif kind == "far":
        X = X + 10.0 ** rng.uniform(0, 7)
    elif kind == "whole":
        X = np.round(3.0 * X)
    elif kind == "long rows":
        X = X * 10.0 ** rng.uniform(-3, 4, (n, 1))
    scores = (X - X.mean(axis=0)) @ (rng.standard_normal(d) / (X.std(axis=0) + 1e-12))
    return X, np.where(scores > np.median(scores), 1, -1)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, lambda X: sparse.csr_array(X.astype(np.float32))])
def test_slacks_are_rounded_once(store):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((60, 7)) * 10.0 ** rng.uniform(-6, 6, (60, 7))).astype(np.float32).astype(np.float64)
    X[rng.random((60, 7)) < 0.3] = 0.0
    problem, index = encode(store(X), np.arange(60) % 2).problem, np.arange(5, 60, 3)
    w, b = rng.standard_normal(7) * 10.0 ** rng.uniform(-3, 3, 7), 1e5 / 3.0
    found = slacks(problem.X, problem.signs, index, w, b)
    assert found.tolist() == [float(each) for each in exact_slacks(X[index], problem.signs[index], w, b)]
    assert not np.array_equal(found, 1.0 - problem.margins(w, b)[index])
    assert slacks(problem.X, problem.signs, index[:0], w, b).size == 0


def test_rows_are_taken_some_at_a_time():
    X = np.full((2 * ENTRIES_PER_CHUNK // 50, 50), 0.1)
    found = slacks(X, np.ones(len(X), dtype=np.int8), np.arange(len(X)), np.ones(50), 0.0)
    assert set(found.tolist()) == {float(1 - 50 * Fraction(0.1))}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("C", [0.01, 100.0, 1e6, 1e12])
def test_what_is_claimed_is_true_of_the_published_plane(kind, C):
    """The objective in exact arithmetic, however dear slack is that rounding makes."""
    for seed in range(6):
        X, y = drawn(kind, seed)
        model = LinearSVM(C=C, tol=1e-4).fit(X, y)
        claim, w = model.certificate_, model.coef_[0]
        losses = sum(max(Fraction(0), slack) for slack in exact_slacks(X, y, w, model.intercept_[0]))
        primal = sum(Fraction(float(each)) ** 2 for each in w) / 2 + Fraction(C) * losses
        assert float((primal - Fraction(claim.dual)) / primal) <= 1.001 * (claim.stated + claim.rounding) + 1e-15
        assert verify(model, sparse.csr_array(X), y)


def test_two_rows_far_from_the_origin():
    """Both are on the margin, where a unit in the last place of a score costs 100 times the objective."""
    X, y = np.array([[1e6, 3.0], [1e6 + 1.0, 7.0]]), [-1, 1]
    model = LinearSVM(C=1e12).fit(X, y)
    assert model.certificate_.primal == pytest.approx(2.0 / 17.0, rel=1e-8)  # 1/2 ||w||^2, for hulls 17^(1/2) apart
    assert max(exact_slacks(X, y, model.coef_[0], model.intercept_[0])) <= 0


def test_a_hard_margin_is_that_of_the_nearest_row():
    X, y = drawn("far", 3)
    model = LinearSVM(C=np.inf).fit(X, y)
    least = 1 - max(exact_slacks(X, y, model.coef_[0], model.intercept_[0]))
    exact = sum(Fraction(float(each)) ** 2 for each in model.coef_[0]) / 2 / least**2
    assert model.certificate_.primal == pytest.approx(float(exact), rel=1e-14)
