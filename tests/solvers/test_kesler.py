"""Kesler's construction, implicit and written out, is the same perceptron."""

import numpy as np
import pytest
from scipy import sparse

from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.data import encode, kesler_vectors
from separatrix.errors import DataError
from separatrix.problem import Problem
from separatrix.solvers.online import perceptron


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("solver", [perceptron.online, perceptron.batch])
@pytest.mark.parametrize("seed", range(8))
def test_it_walks_as_on_the_vectors_written_out(seed, solver, fit_intercept):
    """Whole numbers, so that no rounding can tell the two apart."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-5, 6, (15, 3)).astype(float), rng.integers(0, 4, 15)
    y[:4] = range(4)
    problem = encode(X, y, fit_intercept=fit_intercept).problem
    vectors = kesler_vectors(X, y, fit_intercept)
    explicit = Problem(vectors, np.ones(len(vectors)), fit_intercept=False)
    implicit = solver(problem, max_iter=20, record=True)
    # a presentation is a row here and one of its three vectors there, so compare the updates, not the stop
    written = solver(explicit, max_iter=20, record=True)
    ours = [w if fit_intercept else w[:, :-1] for w in implicit.history.trace.iterates()]
    theirs = [w[:-1] for w in written.history.trace.iterates()]
    assert len(ours) > 5
    for one, other in zip(ours, theirs, strict=False):
        assert np.array_equal(one.ravel(), other)


def test_two_classes_written_out_are_the_difference_of_two_planes():
    X, y = np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([0, 1])
    assert kesler_vectors(X, y).tolist() == [[1, 2, 1, -1, -2, -1], [-3, 1, -1, 3, -1, 1]]


def test_a_tie_between_classes_is_a_mistake():
    """From zero all classes tie on the first row; corrected against the first rival, it leads the others too."""
    problem = Problem(np.eye(4), np.arange(4), n_classes=4)
    trace = perceptron.online(problem, max_iter=1, record=True).history.trace
    assert (trace.t[0], trace.row[0], trace.rival[0]) == (1, 0, 1)
    assert np.count_nonzero(trace.row == 0) == 1


def test_a_lead_that_floats_do_not_see():
    """Summed in order, classes 0 and 1 both score 0 on the first row; the truth is 1 and 0."""
    X = sparse.csr_array([[1e16, 1.0, 1e16], [0.0, -1.0, -1.0], [0.0, 0.0, 1.0]])
    start = np.array([[1.0, 1.0, -1.0], [1.0, 0.0, -1.0], [-2.0, 0.0, 1.0]])
    problem = encode(X, [0, 1, 2], fit_intercept=False).problem
    for solver in (perceptron.online, perceptron.batch):
        solution = solver(problem, start=start)
        assert solution.history.mistakes == 0
        assert solution.certificate.proof


def test_what_cannot_be_written_out_is_refused():
    with pytest.raises(DataError, match="1 class only: 'a'"):
        kesler_vectors([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(DataError, match="X has 2 rows, but y has 3 labels"):
        kesler_vectors([[1.0], [2.0]], ["a", "b", "c"])


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_margins_and_inequalities_are_products_with_the_vectors_written_out(fit_intercept):
    rng = np.random.default_rng(3)
    X, y = rng.integers(-5, 6, (15, 3)).astype(float), rng.integers(0, 4, 15)
    y[:4] = range(4)
    problem = encode(X, y, fit_intercept=fit_intercept).problem
    vectors = kesler_vectors(X, y, fit_intercept)
    W = rng.integers(-3, 4, (4, 3 + fit_intercept)).astype(float)
    planes = Planes(W[:, :3], W[:, 3] if fit_intercept else np.zeros(4))
    margins = planes.margins(problem)[0]
    assert np.array_equal(margins[np.arange(4) != y[:, None]], vectors @ W.ravel())
    inequalities = Inequalities(problem)
    without_last = W - W[-1]
    reduced = inequalities.vectors(np.arange(inequalities.n))
    assert np.array_equal(reduced @ without_last[:-1].ravel(), vectors @ W.ravel())
