"""Sums, products, multiples and normalised kernels: values, print, equality, pickles."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.mixture import GaussianMixture

import separatrix.kernels
from separatrix.errors import DataError, OptionError
from separatrix.kernels import (
    RBF,
    Exponential,
    Fisher,
    Function,
    Linear,
    Normalized,
    Polynomial,
    Precomputed,
    SetIntersection,
    Sigmoid,
    Spectrum,
    Tokens,
)

X = np.random.default_rng(0).normal(size=(9, 3))
Z = np.random.default_rng(1).normal(size=(4, 3))
POLY, TANH, NARROW, WIDE = Polynomial(degree=2, coef0=1.0), Sigmoid(0.1, 0.2), RBF(2.0), RBF(0.1)


@pytest.mark.parametrize("rows", [X, sparse.csr_array(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("other", [None, Z])
@pytest.mark.parametrize(
    ("a", "b"), [(POLY, TANH), (NARROW, WIDE), (POLY, WIDE)], ids=["products", "distances", "both"]
)
def test_matrices_are_made_as_kernels_are(a, b, other, rows):
    A, B = a.matrix(rows, other), b.matrix(rows, other)
    np.testing.assert_allclose((a + b).matrix(rows, other), A + B, rtol=1e-14)
    np.testing.assert_allclose((a * b).matrix(rows, other), A * B, rtol=1e-13)
    np.testing.assert_allclose((2.5 * a).matrix(rows, other), 2.5 * A, rtol=1e-15)
    np.testing.assert_allclose((a * 2 * (b + 3 * a)).matrix(rows, other), 2 * A * (B + 3 * A), rtol=1e-13)
    np.testing.assert_allclose((a + 3 * b).diagonal(rows), a.diagonal(rows) + 3 * b.diagonal(rows), rtol=1e-14)


def test_normalised_values():
    for kernel in (POLY, POLY + WIDE, 3.0 * WIDE, WIDE + NARROW, Function(lambda A, B: (A @ B.T) ** 2)):
        K, D, E = kernel.matrix(X, Z), kernel.diagonal(X), kernel.diagonal(Z)
        np.testing.assert_allclose(Normalized(kernel).matrix(X, Z), K / np.sqrt(np.outer(D, E)), rtol=1e-13)
        np.testing.assert_allclose(Normalized(kernel).diagonal(X), 1.0)


def test_sums_and_products_are_associative():
    assert POLY + (TANH + WIDE) == POLY + TANH + WIDE
    assert POLY * (TANH * WIDE) == POLY * TANH * WIDE


def test_numbers_of_numpy_scale_from_either_side():
    assert np.float64(2.0) * POLY == POLY * np.int64(2) == 2.0 * POLY


def test_rows_without_tokens_have_the_cosine_0():
    np.testing.assert_array_equal(Normalized(Tokens()).diagonal(["", "red"]), [0.0, 1.0])
    np.testing.assert_array_equal(Tokens(normalized=True).matrix(["", "red"]), [[0.0, 0.0], [0.0, 1.0]])


def test_symbolic_kernels_add_and_multiply():
    texts, new = ["red green", "red blue", "Red"], ["green", "red"]
    both = Tokens() + 2.0 * Spectrum(2)
    expected = Tokens().matrix(texts, new) + 2 * Spectrum(2).matrix(texts, new)
    np.testing.assert_array_equal(both.matrix(texts, new), expected)
    np.testing.assert_array_equal((Tokens() * Tokens()).matrix(texts), Tokens().matrix(texts) ** 2)
    assert not both.by_products
    scaled = 3.0 * Tokens()
    assert scaled.over == 3.0 * Linear()
    np.testing.assert_array_equal(scaled.over.matrix(scaled.encoder(texts)(texts)), 3 * Tokens().matrix(texts))


def test_which_kernels_a_solver_may_compute_by_products():
    assert (POLY + TANH).by_products
    assert (NARROW * WIDE).by_products
    assert (NARROW * WIDE).shift_invariant
    assert not (POLY + WIDE).by_products  # one wants centred rows, the other rows as they are
    assert not Normalized(Function(min)).by_products


def test_what_cannot_be_put_together():
    with pytest.raises(OptionError, match=r"Precomputed\(\) has no rows to share.*Combine the matrices"):
        Linear() + Precomputed()
    with pytest.raises(OptionError, match=r"'scale' parameter must be a finite number above 0. Got -1"):
        -1.0 * Linear()
    with pytest.raises(TypeError):
        Linear() + "rbf"
    with pytest.raises(OptionError, match="Kernels are made of kernels. Got 'rbf'"):
        Normalized("rbf")
    with pytest.raises(DataError, match=r"with itself is -1, below 0.*not positive semi-definite"):
        Normalized(Sigmoid(1.0, -20.0)).matrix(0.1 * X)


MIXTURE = GaussianMixture(2, random_state=0).fit(X)
KERNELS = [
    Linear(),
    POLY,
    Polynomial(gamma="scale"),
    RBF(),
    RBF("nearest"),
    RBF(sigma=0.3),
    TANH,
    Exponential(1.5),
    Precomputed(),
    SetIntersection(normalized=True),
    Tokens(bag=True),
    Spectrum(3, normalized=True),
    Fisher(MIXTURE, ("means", "weights")),
    Fisher(MIXTURE, metric="information").resolved(X),
    Normalized(POLY),
    POLY + TANH + WIDE,
    POLY * TANH * 2.0 * WIDE,
    2.0 * (POLY + 0.5 * (TANH * WIDE)) + 3.0 * (2.0 * TANH),
    POLY * (TANH * (WIDE + NARROW)),
    Normalized(POLY + TANH) * WIDE,
    Function(np.minimum.outer),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: repr(kernel)[:40])
def test_kernels_print_as_python_compare_and_pickle(kernel):
    names = {name: getattr(separatrix.kernels, name) for name in separatrix.kernels.__all__}
    if not isinstance(kernel, Function):
        assert eval(repr(kernel), names) == kernel
    copy = pickle.loads(pickle.dumps(kernel))
    assert copy == kernel
    assert hash(copy) == hash(kernel)
    assert sum(kernel == other for other in KERNELS) == 1


def test_frozen_and_equal_by_value():
    assert RBF(sigma=2.0) == RBF(gamma=0.125) != RBF(gamma=0.25)
    assert Polynomial(2, 1, 1) == Polynomial(degree=np.int64(2), coef0=1.0, gamma=np.float64(1.0))
    with pytest.raises(AttributeError):
        RBF(1.0).gamma = 2.0
    encode = Tokens().encoder(["a b"])
    assert pickle.loads(pickle.dumps(encode)) == encode
