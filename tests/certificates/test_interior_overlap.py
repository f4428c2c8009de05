"""Overlaps proved in doubles: against exact arithmetic, and spoiled."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from separatrix import DataError, encode
from separatrix.certificates import InteriorOverlap
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.claims.interior_overlap import least_eigenvalue
from separatrix.certificates.claims.overlap import Balance
from separatrix.problem import Problem
from separatrix.solvers.budget import Budget
from separatrix.solvers.separation.gordan import alternative
from separatrix.solvers.separation.quotient_space import QuotientSpace
from separatrix.theory.wide_separability import wide_findings


def noisy(seed, n=60, d=4, k=2, intercept=True):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((n, d)) * 8) / 8
    y = np.append(np.arange(k), rng.integers(0, k, n - k))
    return Problem(X, y, k, fit_intercept=intercept)


@pytest.mark.parametrize("seed", range(30))
def test_doubles_and_integers_agree(seed):
    problem = noisy(seed, n=8 + 2 * seed, intercept=bool(seed % 3))
    inequalities = Inequalities(problem)
    exact = alternative(QuotientSpace(inequalities, np.arange(inequalities.n)))
    found = wide_findings(problem, Budget(1))
    if isinstance(exact, Balance):
        assert found.separator is None
        if found.overlap is not None:
            assert found.overlap.error(problem) == 0.0
    else:
        assert found.overlap is None
        assert found.separator is None or found.separator.error(problem) == 0.0
    assert (found.overlap, found.separator) != (None, None)


def proved():
    problem = noisy(3)
    claim = wide_findings(problem, Budget(1)).overlap
    assert isinstance(claim, InteriorOverlap)
    assert claim.proof
    assert claim.connected
    return problem, claim


def test_the_weights_nearly_cancel():
    problem, claim = proved()
    y = np.where(problem.y[claim.index] == 1, 1.0, -1.0)
    rows = np.column_stack([problem.X[claim.index], np.ones(claim.index.size)])
    assert np.abs((y * claim.weights) @ rows).max() < 1e-12
    assert claim.weights.min() > 0.0


@pytest.mark.parametrize(
    "spoil",
    [
        lambda c: {"weights": np.where(np.arange(c.weights.size) == 0, 100.0 * c.weights, c.weights)},
        lambda c: {"weights": -c.weights},
        lambda c: {"weights": np.where(np.arange(c.weights.size) == 0, np.nan, c.weights)},
        lambda c: {"pairs": np.array([[1, 1]])},
        lambda c: {"index": np.append(c.index[1:], c.index[1])},
        lambda c: {"index": c.index[:3], "weights": c.weights[:3], "starts": np.array([0, 3])},
    ],
)
def test_spoiled_claims_fail(spoil):
    problem, claim = proved()
    assert replace(claim, **spoil(claim)).error(problem) > 0.0


def test_other_labels_and_other_data():
    problem, claim = proved()
    separable = Problem(problem.X, (problem.X[:, 0] > 0.1).astype(int))
    assert claim.error(separable) > 0.0
    with pytest.raises(DataError, match="60 rows of 2 classes"):
        claim.error(noisy(1, n=20))


def test_the_rows_of_a_part_must_span_what_others_vary_in():
    problem, claim = proved()
    with_column = Problem(np.column_stack([problem.X, np.zeros(problem.n_rows)]), problem.y)
    assert claim.restated(with_column).connected  # a column of zeros changes nothing
    X = np.array(with_column.X)
    X[np.setdiff1d(np.arange(problem.n_rows), claim.index)[0], -1] = 1.0
    one_sided = Problem(X, problem.y)  # that column separates its row weakly: quasi-complete
    assert claim.restated(one_sided).proof
    assert not claim.restated(one_sided).connected
    assert claim.error(one_sided) == np.inf  # it says that it is connected
    stored = encode(sparse.csr_array(X), problem.y).problem
    assert not claim.restated(stored).connected
    assert claim.restated(encode(sparse.csr_array(with_column.X), problem.y).problem).connected


def test_three_classes_are_connected_by_two_pairs():
    rng = np.random.default_rng(0)
    problem = Problem(rng.standard_normal((300, 3)), np.arange(300) % 3, 3)
    claim = wide_findings(problem, Budget(1)).overlap
    assert (len(claim.pairs), claim.connected, claim.error(problem)) == (2, True, 0.0)
    one = slice(*claim.starts[:2])
    part = InteriorOverlap.issue(problem, [(tuple(claim.pairs[0]), claim.index[one], claim.weights[one])])
    assert part.proof
    assert not part.connected  # the third class may still be told from the others


def test_a_bound_on_an_eigenvalue_is_below_it():
    rng = np.random.default_rng(1)
    for n in (2, 10, 40):
        A = rng.standard_normal((2 * n, n))
        least = np.linalg.eigvalsh(A.T @ A)[0]
        assert 0.0 < least_eigenvalue(A.T @ A, 1e-9) < least
        assert least_eigenvalue(A.T @ A, 2 * least) == 0.0
    assert least_eigenvalue(np.array([[1.0, 1.0], [1.0, 1.0]]), 1e-15) == 0.0
