"""Every registered solver of regression on every problem of its library; spoiled solutions are noticed."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.regression_contract import check_regression
from contracts.regression_library import RegressionCase, regression_library
from separatrix.certificates import DualityGap, Stationary
from separatrix.errors import OptionError
from separatrix.estimators.registry import algorithms
from separatrix.problem import Plane, Status

CASES = regression_library()
PROVING = [
    row for row in algorithms("regression") if row.certificate in ("Stationary", "DualityGap") and row.kernel is None
]
KERNEL_ROWS = [row for row in algorithms("regression") if row.kernel is not None]


def solved(algorithm, case):
    """The problem as the row of the registry poses it, and its solution."""
    case = RegressionCase(case.name, algorithm.posed(case.problem))
    return case, algorithm.solve(case.problem)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("algorithm", algorithms("regression"), ids=lambda algorithm: algorithm.name)
def test_solver_is_right_and_says_so(algorithm, case):
    if not (case.problem.fit_intercept or algorithm.without_offset):
        with pytest.raises(OptionError, match="fit_intercept"):
            solved(algorithm, case)
        return
    check_regression(*solved(algorithm, case))


def test_there_are_some():
    assert len(PROVING) >= 1


@pytest.fixture(params=["plain", "sparse", "float32", "weights", "without offset"])
def case(request):
    return next(case for case in CASES if case.name == request.param)


@pytest.fixture(params=PROVING, ids=lambda algorithm: algorithm.name)
def answer(request, case):
    return solved(request.param, case)


def test_an_error_that_is_not_true_is_noticed(answer):
    case, solution = answer
    claim = solution.certificate
    if isinstance(claim, DualityGap):
        better = replace(claim, values=claim.values._replace(dual=claim.dual - 0.5 * claim.primal))
    else:
        better = replace(claim, stated=-1.0)
    with pytest.raises(AssertionError, match=r"the stated .* is not"):
        check_regression(case, replace(solution, certificate=better))


def test_another_plane_is_noticed(answer):
    case, solution = answer
    with pytest.raises(AssertionError, match="another plane"):
        check_regression(case, replace(solution, model=Plane(1.1 * solution.w, solution.b)))
    claim = replace(solution.certificate, w=1.1 * solution.w)
    assert claim.error(case.problem) > 1e-4
    with pytest.raises(AssertionError, match=r"the stated .* is not|another plane"):
        check_regression(case, replace(solution, model=Plane(claim.w, claim.b), certificate=claim))


def test_a_lying_certificate_is_noticed(answer):
    case, solution = answer
    kind = type(solution.certificate)
    liar = type("Liar", (kind,), {"error": lambda self, problem: self.stated})
    assert kind in (Stationary, DualityGap)
    fields = vars(solution.certificate) | {"w": 1.1 * solution.w}
    if kind is Stationary:
        equations = solution.certificate.equations
        fields["equations"] = replace(equations, fitted=(1.1 * equations.fitted[0], equations.fitted[1]))
    claim = liar(**fields)
    with pytest.raises(AssertionError, match="but the true"):
        check_regression(case, replace(solution, model=Plane(claim.w, claim.b), certificate=claim))


def test_a_status_that_is_not_true_is_noticed(answer):
    case, solution = answer
    for status in (Status.STOPPED, Status.SEPARATED):
        with pytest.raises(AssertionError, match="the status is not"):
            check_regression(case, replace(solution, status=status))


def test_an_offset_that_was_not_asked_for_is_noticed(answer):
    case, solution = answer
    if case.problem.fit_intercept:
        assert np.isfinite(solution.b)
        return
    with pytest.raises(AssertionError, match="no offset"):
        check_regression(case, replace(solution, model=Plane(solution.w, 1e-3)))


@pytest.mark.parametrize("algorithm", KERNEL_ROWS, ids=lambda algorithm: algorithm.name)
def test_another_machine_is_noticed(algorithm):
    case, solution = solved(algorithm, CASES[0])
    claim, model = solution.certificate, solution.model
    other = replace(model, coefficients=1.1 * model.coefficients)
    with pytest.raises(AssertionError, match="another machine"):
        check_regression(case, replace(solution, model=other))
    liar = type("Liar", (DualityGap,), {"error": lambda self, problem: self.stated})
    with pytest.raises(AssertionError, match="but the true"):
        check_regression(case, replace(solution, model=other, certificate=liar(**vars(claim) | {"w": 1.1 * claim.w})))
