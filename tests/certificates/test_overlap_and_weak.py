"""Proofs that there is no plane, and planes with rows on them: what spoils them is seen."""

import numpy as np
import pytest

from separatrix import DataError
from separatrix.certificates import Overlap, WeakSeparator
from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.claims.overlap import Balance
from separatrix.problem import Problem
from separatrix.theory.separability import separability_verdict

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = Problem(SQUARE, np.array([0, 1, 1, 0]))
TENTHS = Problem(np.array([[0.1], [0.2], [0.3]]), np.array([0, 1, 0]))  # 0.1 + 0.3 is not twice 0.2 in doubles
TOUCHING = Problem(np.array([[0.0, 5.0], [0.0, -5.0], [0.0, 1.0], [2.0, 7.0]]), np.array([0, 0, 1, 1]))


def test_the_weights_of_xor():
    claim = separability_verdict(XOR).certificate
    assert claim.hulls.weights == [1, 1, 1, 1]
    assert claim.mixtures(XOR) == [(0, [(0, 0.5), (3, 0.5)]), (1, [(1, 0.5), (2, 0.5)])]


@pytest.mark.parametrize("weights", [[1, 1, 1, 2], [1, 1, 1, -1], [1, 1, 1, 0], [2**60, 2**60, 2**60, 2**60 + 1]])
def test_other_weights_are_no_proof(weights):
    assert Overlap.issue(XOR, Balance(np.arange(4), weights)).error(XOR) > 0.0


def test_the_same_row_twice_is_no_proof():
    assert Overlap.issue(XOR, Balance(np.array([0, 0]), [1, 1])).error(XOR) == np.inf


def test_weights_that_cancel_must_be_positive():
    twins = Problem(np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 3.0]]), np.array([0, 0, 1]))
    assert Overlap.issue(twins, Balance(np.array([0, 1]), [1, -1])).error(twins) == np.inf


def test_fewer_rows_than_columns_may_not_be_spanned_either():
    X = np.eye(3, 6)
    X[1] = X[0]
    wide, pair = Problem(X, np.array([0, 1, 1])), Balance(np.array([0, 1]), [1, 1])
    assert Overlap.issue(wide, pair).error(wide) == 0.0
    assert Overlap.issue(wide, pair, pair).error(wide) == np.inf


def test_other_data_are_no_proof():
    claim = separability_verdict(XOR).certificate
    moved = Problem(SQUARE + np.array([[0, 0], [0, 0], [0, 0], [0, 2.0**-52]]), XOR.y)
    assert claim.error(XOR) == 0.0
    assert claim.error(moved) == np.inf  # the last bit of one number
    assert claim.error(Problem(SQUARE, np.array([0, 0, 1, 1]))) == np.inf
    with pytest.raises(DataError, match="4 rows of 2 classes"):
        claim.error(Problem(SQUARE[:2], XOR.y[:2]))


def test_tenths_are_the_doubles_they_are_stored_as():
    claim = separability_verdict(TENTHS).certificate
    assert claim.proof
    assert claim.hulls.weights != [1, 2, 1]  # which would be the proof for true tenths
    a, b, c = (int(value * 2**60) for value in (0.1, 0.2, 0.3))  # exact, as these are whole numbers of 2^-60
    u, v, w = claim.hulls.weights
    assert u * a + w * c == v * b
    assert u + w == v


def test_rows_that_cancel_but_do_not_span_are_no_proof_of_overlap():
    hulls = Balance(np.array([0, 1, 2]), [3, 2, 5])  # 3/5 of 5 and 2/5 of -5 is 1
    assert Overlap.issue(TOUCHING, hulls).error(TOUCHING) == 0.0  # not strictly
    assert Overlap.issue(TOUCHING, hulls, hulls).error(TOUCHING) == np.inf  # but weakly


def test_a_weak_plane():
    claim = separability_verdict(TOUCHING).certificate
    assert isinstance(claim, WeakSeparator)
    assert claim.v == [1, 0, 0]
    assert claim.on.tolist() == [0, 1, 2]
    assert claim.error(TOUCHING) == 0.0
    assert "3 of 4 on it" in str(claim)


@pytest.mark.parametrize("v", [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [10**30, 1, 0]])
def test_other_planes_are_not_weak_separators(v):
    assert WeakSeparator.issue(TOUCHING, v).error(TOUCHING) > 0.0


def test_a_plane_that_misses_a_row_by_the_last_bit_is_seen():
    claim = separability_verdict(TOUCHING).certificate
    X = TOUCHING.X.copy()
    X[0, 0] = 2.0**-80
    moved = Problem(X, TOUCHING.y)
    assert claim.error(moved) > 0.0
    X[0, 0] = -(2.0**-80)  # strictly on its own side now, so no longer on the plane
    assert claim.error(Problem(X, TOUCHING.y)) == np.inf
    assert WeakSeparator.issue(TOUCHING, [1, 0, 0]).error(Problem(X, TOUCHING.y)) == np.inf


def test_whole_numbers_are_exact():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((6, 4)) * 2.0 ** rng.integers(-60, 60, (6, 4))
    A[rng.random((6, 4)) < 0.3] = 0.0
    Z, e = exact.scaled_integers(A)
    assert [[k * 2.0 ** int(p) for k, p in zip(row, e, strict=True)] for row in Z] == A.tolist()
    for v in exact.null_space(A[:2]):
        assert [row for row in exact.products(A[:2], [v]) if any(row)] == []
        assert any(v)


def test_values_have_their_exact_signs():
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, (50, 3)).astype(float) * 0.1
    inequalities = Inequalities(Problem(X, rng.integers(0, 2, 50)))
    v = [1, -1, 1, 0]
    vectors = inequalities.vectors(np.arange(50))
    signs = [np.sign(exact.exact_score(row, np.array(v, dtype=float), 0.0)) for row in vectors]
    assert np.sign(inequalities.values(v, np.arange(50))).tolist() == [float(int(sign)) for sign in signs]
