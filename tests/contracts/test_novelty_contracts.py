"""Every registered solver of novelty on every problem of its library, for several nu."""

import numpy as np
import pytest

from contracts.kernel_regression import check_kernel_gap
from contracts.novelty_library import novelty_library
from separatrix.estimators.registry import algorithms

CASES, ROWS = novelty_library(), algorithms("novelty")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("algorithm", ROWS, ids=lambda algorithm: algorithm.name)
def test_solver_is_right_and_says_so(algorithm, case):
    problem = algorithm.posed(case.problem)
    check_kernel_gap(problem, algorithm.solve(problem), tol=1e-6)


@pytest.mark.parametrize("nu", [0.02, 0.1, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("name", ["plain", "weights", "duplicated rows", "an outlier"])
@pytest.mark.parametrize("algorithm", ROWS, ids=lambda algorithm: algorithm.name)
def test_nu_is_between_the_rows_outside_and_the_support_rows(algorithm, name, nu):
    """With the offset of the model, and 1e-9 for the rows on the border."""
    case = next(case for case in CASES if case.name == name)
    problem = algorithm.posed(case.problem)
    solution = algorithm.solve(problem, nu=nu)
    check_kernel_gap(problem, solution, tol=1e-6)
    claim, cost = solution.certificate, problem.cost / problem.cost.sum()
    outside = solution.model.scores(problem.X) < -1e-9 * np.abs(claim.w).sum()
    assert cost[outside].sum() <= nu * (1.0 + 1e-12)
    assert cost[claim.support].sum() >= nu * (1.0 - 1e-12)
    assert claim.alpha.sum() == pytest.approx(nu * problem.cost.sum(), rel=1e-12)
    assert np.all(claim.alpha <= problem.cost[claim.support] * (1.0 + 1e-12))


def test_there_are_some():
    assert ROWS
