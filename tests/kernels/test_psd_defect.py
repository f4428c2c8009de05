"""Mercer's condition on a sample: proved to fail by a witness, or held up to rounding."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix import psd_defect
from separatrix.errors import DataError
from separatrix.kernels import RBF, Linear, Polynomial, Sigmoid

X = np.random.default_rng(0).normal(size=(15, 4))


def exact_form(K, c):
    """c'Kc in fractions."""
    values, weights = np.vectorize(Fraction)(K), [Fraction(float(each)) for each in c]
    return sum(a * b * values[i, j] for i, a in enumerate(weights) for j, b in enumerate(weights))


@pytest.mark.parametrize("coef0", [-1.0, -3.0])
@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_a_witness_is_negative_in_exact_arithmetic(coef0, scale):
    K = scale * Sigmoid(gamma=0.5, coef0=coef0).matrix(X)
    found = psd_defect(K)
    assert not found.holds
    assert found.witness @ found.witness == pytest.approx(1.0)
    value = exact_form(K, found.witness)
    assert value <= Fraction(found.value) < 0
    eigenvalues = np.linalg.eigvalsh(K / scale)
    assert found.smallest == pytest.approx(eigenvalues[0] * scale, rel=1e-9)
    assert found.largest == pytest.approx(eigenvalues[-1] * scale, rel=1e-9)
    assert found.defect == pytest.approx(-eigenvalues[0] / np.abs(eigenvalues).max(), rel=1e-9)


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(3, 1.0), RBF(0.1), RBF(1e-9), Sigmoid(1e-9)], ids=repr)
def test_singular_matrices_of_kernels_hold(kernel):
    found = psd_defect(kernel.matrix(np.concatenate([X, X])))
    assert found.holds
    assert found.witness is None
    assert found.defect == found.value == 0.0
    assert found.smallest >= -found.bound
    assert "holds on this sample" in str(found)


def test_a_small_defect_is_found_and_a_smaller_one_is_rounding():
    Q = np.linalg.qr(np.random.default_rng(1).normal(size=(10, 10)))[0]
    for smallest, holds in ((-1e-12, False), (-1e-17, True)):
        K = Q * np.append(np.linspace(0.1, 1.0, 9), smallest) @ Q.T
        assert psd_defect((K + K.T) / 2).holds is holds


def test_what_is_negative_by_less_than_the_eigenvalues_are_known_holds():
    assert psd_defect(np.diag([1.0, 1.0, -3e-16])).holds
    assert not psd_defect(np.diag([1.0, 1.0, -3e-15])).holds


def test_small_cases_by_hand():
    found = psd_defect([[1.0, 2.0], [2.0, 1.0]])
    assert (found.smallest, found.largest) == pytest.approx((-1.0, 3.0))
    assert found.defect == pytest.approx(1 / 3)
    np.testing.assert_allclose(np.abs(found.witness), np.sqrt(0.5))
    assert psd_defect([[-2.0]]).defect == 1.0
    assert psd_defect(np.zeros((3, 3))).holds
    assert psd_defect([[0.0, 1e-320], [1e-320, 0.0]]).smallest < 0.0


@pytest.mark.parametrize(
    ("K", "words"),
    [
        ([[1.0, 0.5], [0.4, 1.0]], "must be symmetric. Got 0.5 for rows 0 and 1, but 0.4 for 1 and 0"),
        ([[1.0, np.nan], [np.nan, 1.0]], "must hold finite numbers. Got nan for rows 0 and 1"),
        (np.ones((2, 3)), r"must be square, n x n. Got the shape \(2, 3\)"),
        (np.ones(3), r"must be square, n x n. Got the shape \(3,\)"),
        (np.ones((0, 0)), r"must be square, n x n. Got the shape \(0, 0\)"),
        ([["a"]], "must hold numbers"),
    ],
)
def test_what_is_no_kernel_matrix_is_refused(K, words):
    with pytest.raises(DataError, match=words):
        psd_defect(K)
