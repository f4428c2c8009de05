"""Explicit maps have the kernel as their inner product; the quadratic one separates what no plane does."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import separability
from separatrix.errors import OptionError
from separatrix.kernels import Linear, Normalized, Polynomial, SetIntersection, Spectrum, Tokens

X = np.random.default_rng(0).normal(size=(8, 3))


@pytest.mark.parametrize(
    "kernel",
    [
        Linear(),
        Polynomial(degree=1, coef0=2.0),
        Polynomial(degree=2),
        Polynomial(degree=2, coef0=1.5, gamma=0.5),
        Polynomial(degree=3, coef0=1.0, gamma="scale"),
        Polynomial(degree=5, gamma=0.3),
        3.0 * Polynomial(degree=2),
        Normalized(Polynomial(degree=2, coef0=1.0)),
    ],
    ids=repr,
)
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_products_of_the_map_are_the_kernel(kernel, storage):
    phi = kernel.feature_map(storage(X))
    np.testing.assert_allclose(phi @ phi.T, kernel.matrix(X), rtol=1e-12, atol=1e-13)


def test_maps_of_texts():
    texts = ["red green", "red", "blue red red", ""]
    for kernel in (Tokens(bag=True), Spectrum(2, normalized=True)):
        phi = kernel.feature_map(texts)
        np.testing.assert_allclose(phi @ phi.T, kernel.matrix(texts), rtol=1e-14)
    with pytest.raises(OptionError, match="no explicit feature map"):
        SetIntersection().feature_map([{1}])


def test_the_quadratic_map_of_two_dimensions():
    """(x1^2, sqrt(2) x1 x2, x2^2), whose products are (x.z)^2; with c the monomials of lower degree are there too."""
    x1, x2 = X[:, 0], X[:, 1]
    phi = Polynomial(degree=2).feature_map(X[:, :2])
    np.testing.assert_allclose(phi, np.column_stack([x1**2, np.sqrt(2) * x1 * x2, x2**2]), rtol=1e-15)
    lower = Polynomial(degree=2, coef0=3.0).feature_map(X[:, :2])
    expected = [x1**2, np.sqrt(2) * x1 * x2, np.sqrt(6) * x1, x2**2, np.sqrt(6) * x2, np.full(8, 3.0)]
    np.testing.assert_allclose(lower, np.column_stack(expected), rtol=1e-14)


def test_the_quadratic_map_separates_xor_and_rings():
    corners, xor = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), [0, 0, 1, 1]
    angles = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    rings, side = np.concatenate([circle, 2 * circle]), np.repeat([0, 1], 20)
    for rows, labels in ((corners, xor), (rings, side)):
        assert separability(rows, labels).kind == "overlap"
        assert separability(Polynomial(degree=2).feature_map(rows), labels).kind == "complete"
