"""The contract is worth something only if it notices a spoiled answer."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.contract import check_contract
from contracts.library import Case, library
from separatrix.certificates import Separator
from separatrix.estimators.registry import ALGORITHMS
from separatrix.problem import Problem, Status

CASES = {case.name: case for case in library()}
SEPARATING = [algorithm for algorithm in ALGORITHMS if algorithm.separates]
NAMES = ["separable", "separable, sparse", "several classes"]


@pytest.fixture(params=NAMES)
def case(request):
    return CASES[request.param]


@pytest.fixture(params=SEPARATING, ids=lambda algorithm: algorithm.name)
def solution(request, case):
    return request.param.solve(case.problem, max_iter=50_000)


class Liar(Separator):
    """Says that all is well, whatever the data say."""

    def error(self, problem):
        return 0.0


def test_the_contract_holds_before_it_is_spoiled(case, solution):
    check_contract(case, solution)


def test_a_negated_plane_is_noticed(case, solution):
    with pytest.raises(AssertionError, match="another plane"):
        check_contract(case, replace(solution, w=-solution.w, b=-solution.b))
    certificate = Separator.issue(case.problem, -solution.w, -solution.b)
    with pytest.raises(AssertionError, match="the status is not"):
        check_contract(case, replace(solution, w=-solution.w, b=-solution.b, certificate=certificate))


@pytest.mark.parametrize("algorithm", SEPARATING, ids=lambda algorithm: algorithm.name)
def test_the_worst_row_moved_across_the_plane_is_noticed(algorithm):
    case = CASES["separable"]
    solution = algorithm.solve(case.problem, max_iter=50_000)
    X = np.array(case.problem.X)
    margins = case.problem.signs * (X @ solution.w + solution.b)
    worst = int(margins.argmin())
    X[worst] -= case.problem.signs[worst] * 1.001 * margins[worst] * solution.w / (solution.w @ solution.w)
    moved = Problem(X, case.problem.y)
    assert solution.certificate.error(moved) > 0.0
    with pytest.raises(AssertionError, match="the status is not"):
        check_contract(Case("moved", moved, True), solution)


def test_a_certificate_that_lies_is_noticed(case, solution):
    honest = Separator.issue(case.problem, -solution.w, -solution.b)
    lie = Liar(honest.w, honest.b, honest.mistakes, honest.examined, honest.n_rows)
    with pytest.raises(AssertionError, match="the truth is"):
        check_contract(case, replace(solution, w=honest.w, b=honest.b, certificate=lie))


def test_a_wrong_status_is_noticed(case, solution):
    with pytest.raises(AssertionError, match="the status is not"):
        check_contract(case, replace(solution, status=Status.SPENT))


@pytest.mark.parametrize("algorithm", [a for a in ALGORITHMS if not a.separates], ids=lambda algorithm: algorithm.name)
def test_an_error_rate_that_is_not_true_is_noticed(algorithm):
    case = CASES["overlapping"]
    solution = algorithm.solve(case.problem, max_iter=20)
    check_contract(case, solution, separates=False)
    better = replace(solution.certificate, stated=solution.certificate.stated / 2)
    with pytest.raises(AssertionError):
        check_contract(case, replace(solution, certificate=better), separates=False)
    with pytest.raises(AssertionError, match="another plane"):
        check_contract(case, replace(solution, w=-solution.w, b=-solution.b), separates=False)
