"""The contract notices spoiled solutions of equations."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.contract import check_contract
from contracts.library import Case, library
from separatrix.certificates import Stationary
from separatrix.estimators.registry import algorithms
from separatrix.problem import Plane, Problem, Status

CASES = {case.name: case for case in library()}
SOLVING = [algorithm for algorithm in algorithms("classification") if algorithm.certificate == "Stationary"]


@pytest.fixture(params=["overlapping", "separable, sparse", "several classes, nested", "separable, float32"])
def case(request):
    return CASES[request.param]


@pytest.fixture(params=SOLVING, ids=lambda algorithm: algorithm.name)
def solution(request, case):
    found = request.param.solve(case.problem)
    check_contract(case, found, separates=False)
    return found


class Liar(Stationary):
    """Says what it stated, whatever the data say."""

    def error(self, problem):
        return self.stated


def test_there_are_some():
    assert len(SOLVING) >= 3


def test_an_error_that_is_not_true_is_noticed(case, solution):
    better = replace(solution.certificate, stated=-1.0)
    with pytest.raises(AssertionError, match="the stated error is not"):
        check_contract(case, replace(solution, certificate=better), separates=False)


def test_another_plane_is_noticed(case, solution):
    with pytest.raises(AssertionError, match="another plane"):
        check_contract(case, replace(solution, model=Plane(1.01 * solution.w, solution.b)), separates=False)
    claim = replace(solution.certificate, w=1.01 * solution.w)
    assert claim.error(case.problem) > 1e-4
    with pytest.raises(AssertionError, match="the stated error is not"):
        check_contract(case, replace(solution, model=Plane(claim.w, claim.b), certificate=claim), separates=False)


def test_a_status_that_is_not_true_is_noticed(case, solution):
    for status in (Status.STOPPED, Status.SEPARATED):
        with pytest.raises(AssertionError, match="the status is not"):
            check_contract(case, replace(solution, status=status), separates=False)


@pytest.mark.parametrize("algorithm", SOLVING, ids=lambda algorithm: algorithm.name)
def test_a_changed_row_is_noticed_and_so_is_a_liar(algorithm):
    case = CASES["overlapping"]
    solution = algorithm.solve(case.problem)
    X = np.array(case.problem.X)
    X[0] += 5.0
    moved = Case("moved", Problem(X, case.problem.y), False)
    with pytest.raises(AssertionError, match="the stated error is not"):
        check_contract(moved, solution, separates=False)
    claim = solution.certificate
    liar = Liar(claim.w, claim.b, claim.equations, claim.stated, claim.n_rows)
    with pytest.raises(AssertionError, match="the true error is"):
        check_contract(moved, replace(solution, certificate=liar), separates=False)
