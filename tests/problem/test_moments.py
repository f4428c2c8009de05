"""Moments of classes: right, additive, and without loss far from the origin."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from separatrix import DataError
from separatrix.data import encode
from separatrix.problem import Moments, Problem
from separatrix.problem import moments as module


def truth(X, y, cost, k):
    """Weights, means, scatter within and in all, in long doubles."""
    X, cost = X.astype("g"), cost.astype("g")
    weight = np.array([cost[y == c].sum() for c in range(k)])
    means = np.array([cost[y == c] @ X[y == c] / weight[c] for c in range(k)])
    Z, centred = X - means[y], X - cost @ X / cost.sum()
    return weight, means, Z.T @ (cost[:, None] * Z), centred.T @ (cost[:, None] * centred)


def data(n=3000, d=7, k=3, away=0.0):
    rng = np.random.default_rng(3)
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    return rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, d) + y[:, None] + away, y


def check(found, X, y, cost, k, digits=1e-13):
    weight, means, within, total = truth(X, y, cost, k)
    scale = np.sqrt(np.outer(within.diagonal(), within.diagonal()))
    assert found.weight == pytest.approx(weight.astype(float), rel=1e-14)
    assert found.means == pytest.approx(means.astype(float), rel=1e-14, abs=1e-13 * float(np.sqrt(scale).max()))
    assert (np.abs(found.within - within) <= digits * scale).all()
    size = np.sqrt(np.outer(total.diagonal(), total.diagonal()))
    assert (np.abs(found.total - total) <= digits * size).all()


@pytest.mark.parametrize("away", [0.0, 1e7])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_they_are_what_they_say_also_far_from_the_origin(container, weighted, away, monkeypatch):
    monkeypatch.setattr(module, "CACHED_ENTRIES", 1000)  # several chunks
    X, y = data(away=away)
    cost = np.random.default_rng(4).uniform(0.1, 3.0, len(X)) if weighted else np.ones(len(X))
    check(Moments.of(encode(container(X), y, sample_weight=cost).problem), X, y, cost, 3)


def test_columns_that_are_far_from_the_origin_in_sparse_rows():
    X = sparse.random(2000, 40, density=0.02, random_state=0, format="csr").toarray()
    X[:, 0] = 1e6 + np.random.default_rng(4).standard_normal(2000)
    y = np.arange(2000) % 2
    problem = encode(sparse.csr_array(X), y).problem
    assert module.mostly_empty(problem.X)
    check(Moments.of(problem), X, y, np.ones(2000), 2, digits=1e-10)


@pytest.mark.parametrize("away", [0.0, 1e7])
def test_parts_add_up_to_the_whole(away):
    X, y = data(away=away)
    cuts = [0, 1, 5, 700, 3000]  # the first parts have not seen every class
    parts = [Moments.of(Problem(X[a:b], y[a:b], 3)) for a, b in pairwise(cuts)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merged(part)
    check(merged, X, y, np.ones(len(X)), 3)
    check(parts[3].merged(parts[0]).merged(parts[2]).merged(parts[1]), X, y, np.ones(len(X)), 3)


def test_a_class_that_no_sample_meets():
    X, y = data(5000, 3, 2)
    X[4321], y[4321] = 1e9, 2
    check(Moments.of(Problem(X, y, 3)), X, y, np.ones(5000), 3, digits=1e-12)


def test_float32_is_summed_in_float64():
    X, y = data(away=1000.0)
    narrow = X.astype(np.float32)
    check(Moments.of(Problem(narrow, y, 3)), narrow.astype(float), y, np.ones(len(X)), 3)


def test_too_many_features_are_refused_and_so_are_other_shapes():
    wide = sparse.csr_array((2, 40_000))
    with pytest.raises(DataError, match="30,000"):
        Moments.of(encode(wide, [0, 1]).problem)
    one, other = (Moments.of(Problem(np.eye(d)[:2], np.array([0, 1]))) for d in (2, 3))
    with pytest.raises(DataError, match="no sum"):
        one.merged(other)


def test_rows_near_the_origin_are_summed_as_they_are_with_the_same_result():
    rng = np.random.default_rng(0)
    X, y = rng.normal([0.0, 1.0, -2.0, 0.5], 1.0, (3000, 4)), rng.integers(0, 3, 3000)
    near = Problem(X, y, 3)
    assert module.near_origin(near, module.estimated_class_means(near))
    far = Problem(X + 9.0, y, 3)
    assert not module.near_origin(far, module.estimated_class_means(far))
    found, moved = Moments.of(near), Moments.of(Problem(X + 2.0**20, y, 3))
    by_hand = sum(np.cov(X[y == c].T, bias=True) * np.sum(y == c) for c in range(3))
    np.testing.assert_allclose(found.within, by_hand, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(moved.within, by_hand, rtol=1e-7, atol=1e-5)
    np.testing.assert_allclose(found.means, [X[y == c].mean(axis=0) for c in range(3)], rtol=1e-12)
