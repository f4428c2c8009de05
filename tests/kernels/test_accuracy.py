"""Distances keep their digits far from the origin, between near rows and with any gamma."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from scipy import sparse

from separatrix.kernels import RBF, Linear, Normalized
from separatrix.kernels.rows_of import as_rows
from separatrix.kernels.tiles import centre


def exact(A, B, gamma):
    """exp(-gamma ||a - b||^2) with the distance from fractions, so that the exponent alone is rounded."""
    fractions = [[[Fraction(float(value)) for value in row] for row in X] for X in (A, B)]
    squares = [[sum((s - t) ** 2 for s, t in zip(a, b, strict=True)) for b in fractions[1]] for a in fractions[0]]
    return np.array([[exp(float(-Fraction(gamma) * each)) for each in row] for row in squares])


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
@pytest.mark.parametrize("gamma", [1e-12, 0.5, 1e6, 1e12])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_distances_are_right_wherever_the_rows_are(offset, gamma, storage):
    rng = np.random.default_rng(3)
    near = rng.normal(size=(6, 3))
    A = offset + np.concatenate([near, near + 1e-6 * rng.normal(size=(6, 3)), near[:2]])
    expected = exact(A, A, gamma)
    np.testing.assert_allclose(RBF(gamma).matrix(storage(A)), expected, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(RBF(gamma).matrix(storage(A[:5]), storage(A)), expected[:5], rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose((RBF(gamma) * RBF(gamma)).matrix(storage(A)), expected**2, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_equal_rows_have_the_value_1_exactly(storage):
    X = np.random.default_rng(4).normal(size=(30, 40)) * 10.0 ** np.arange(-20, 20)
    K = RBF(gamma=1e12).matrix(storage(X), storage(X[::-1].copy()))
    assert (K[::-1].diagonal() == 1.0).all()
    assert (RBF(gamma=1e12).matrix(storage(X)) == np.eye(30)).all()


def test_two_tight_clusters_far_from_each_other():
    rng = np.random.default_rng(5)
    X = 1e-3 * rng.normal(size=(12, 2)) + np.repeat([[0.0, 1e7], [1e7, 3.0]], 6, axis=0)
    np.testing.assert_allclose(RBF(gamma=1e5).matrix(X), exact(X, X, 1e5), rtol=1e-10, atol=1e-15)


def test_sparse_rows_far_from_the_origin_in_some_columns():
    X = np.zeros((20, 400))
    X[:, 0] = 1e8 + np.random.default_rng(6).normal(size=20)
    X[np.arange(20), 1 + np.arange(20)] = 0.5
    np.testing.assert_allclose(RBF(gamma=0.5).matrix(sparse.csr_array(X)), exact(X, X, 0.5), rtol=1e-12)
    np.testing.assert_allclose(RBF(gamma=0.5).matrix(sparse.csr_array(X), X), exact(X, X, 0.5), rtol=1e-12)


def test_centred_rows_need_no_differences(monkeypatch):
    monkeypatch.setattr("separatrix.kernels.distances.MAX_CANCELLATION", -1.0)
    X = 1e8 + np.random.default_rng(6).normal(size=(10, 3))
    for rows in (X, sparse.csr_array(X)):
        np.testing.assert_allclose(RBF(gamma=0.5).matrix(rows, X), exact(X, X, 0.5), atol=1e-14)


def test_sparse_rows_are_never_filled():
    X = sparse.csr_array(([3.0, 4.0, 3.0], ([0, 1, 2], [7, 10**5, 7])), shape=(3, 10**6))
    assert centre(as_rows(X), as_rows(X)).size == 0
    np.testing.assert_allclose(RBF(gamma=0.01).matrix(X), np.exp([[0, -0.25, 0], [-0.25, 0, -0.25], [0, -0.25, 0]]))


def test_products_of_equal_rows_are_at_most_1():
    X = (100.0 * np.random.default_rng(9).normal(size=(50, 9))).astype(np.float32)
    squares = np.sum(X * X, axis=1)
    assert RBF(gamma=1.0).of_products(X @ X.T, squares[:, None], squares).max() <= 1.0


def test_mixed_parts_are_as_accurate_as_each_alone():
    X = 1e8 + np.random.default_rng(7).normal(size=(10, 3))
    K = (RBF(gamma=0.5) + 1e-16 * Linear()).matrix(X) - (1e-16 * Linear()).matrix(X)
    np.testing.assert_allclose(K, exact(X, X, 0.5), atol=1e-14)


def test_a_cosine_is_1_with_itself():
    X = np.random.default_rng(8).normal(size=(50, 7))
    np.testing.assert_allclose(Normalized(Linear()).matrix(X).diagonal(), 1.0, rtol=4e-15)
