"""What becomes of a plane and its dual variables."""

import numpy as np
import pytest

from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.enclosures.exact_sums import slacks
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.best_offset import best_offset
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.svm.outcome import answer, clear_of_rounding, final_offset


def test_rounding_makes_no_support_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    problem, objective = Problem(X, (X[:, 0] > 0).astype(int)), SoftMargin(1.0, False)
    found = linear_svm(problem, C=1.0)
    support = found.certificate.support
    assert 0 < support.size < 40
    alpha = dual_variables(found.certificate)
    dust = np.where(alpha > 0, alpha, 1e-17)
    again = answer(problem.posed(objective), found.w, found.b, dust, 1e-6, Budget(10))
    np.testing.assert_array_equal(again.certificate.support, support)
    np.testing.assert_array_equal(np.flatnonzero(dual_variables(again.certificate)), support)
    assert again.certificate.stated <= 1e-12


def test_rounding_of_a_light_row_does_not_decide_the_offset():
    """All alpha are at their bounds, but for rounding that is 2e-9 of the lightest: no row is on the margin."""
    X, weight = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([1e3, 1e-3, 1e3, 1e-3])
    problem, objective = Problem(X, np.array([0, 0, 1, 1]), 2, weight), SoftMargin(1e-6)
    upper, w = 1e-6 * weight, np.array([3e-3])
    everything, middle = np.arange(4), best_offset(X @ w, problem.signs, weight)
    assert final_offset(problem.posed(objective), w, 5.0, everything, upper) == middle
    assert (
        final_offset(problem.posed(objective), w, 5.0, everything, upper - [0.0, 2e-9 * upper[1], 0.0, 0.0]) == middle
    )
    assert final_offset(problem.posed(objective), w, 5.0, everything, upper - [0.0, 0.5 * upper[1], 0.0, 0.0]) == 5.0
    assert final_offset(problem.posed(objective), w, 5.0, everything, upper - [1e-6 * upper[0], 0.0, 0.0, 0.0]) == 5.0


@pytest.mark.parametrize("short", [0.0, 1e-11, 1e-8])
def test_a_stretched_plane_leaves_no_slack_to_rounding(short):
    """Rows on the margin reach it without rounding, in whatever way the last digits of the plane fall."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = 1e6 + rng.standard_normal((30, 3))
        problem = Problem(X, np.arange(30) % 2)
        w = rng.standard_normal(3)
        b = -float(X.mean(axis=0) @ w)
        row = int(np.argmax(problem.margins(w, b)))
        factor = (1.0 - short) / float(problem.margins(w, b)[row])
        plane = factor * w, factor * b
        alpha = np.where(np.arange(30) == row, 0.5, 1.0)  # the others fall short, and are at their bound
        found = clear_of_rounding(problem.posed(SoftMargin(1.0)), *plane, alpha)
        assert slacks(problem.X, problem.signs, np.array([row]), *found)[0] <= 0.0
        assert np.allclose(found[0], plane[0], rtol=3.0 * short + 1e-6)
