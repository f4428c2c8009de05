"""Certificates of kernel machines that were spoiled are noticed by the contract."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.contract import check_contract
from contracts.library import library
from separatrix.certificates import Collected
from separatrix.estimators.registry import algorithms
from separatrix.problem import Status

CASES = {case.name: case for case in library()}
PROVING = [a for a in algorithms("classification") if a.kernel is not None and a.certificate == "DualityGap"]
NAMES = ["overlapping", "separable, sparse", "several classes, nested", "separable, without offset"]
SEPARATING = [a for a in algorithms("classification") if a.kernel is not None and "Separator" in a.certificate]
of_gaps = pytest.mark.parametrize("algorithm", PROVING, ids=lambda algorithm: algorithm.name)
of_separators = pytest.mark.parametrize("algorithm", SEPARATING, ids=lambda algorithm: algorithm.name)


@pytest.fixture(params=NAMES)
def case(request, algorithm):
    found = CASES[request.param]
    with_offset = found.problem.fit_intercept or not algorithm.without_offset
    return found._replace(problem=algorithm.posed(replace(found.problem, fit_intercept=with_offset)))


def spoiled(solution, spoil):
    """The solution with its first certificate replaced."""
    if not isinstance(solution.certificate, Collected):
        return replace(solution, certificate=spoil(solution.certificate))
    first, *others = solution.certificate.parts
    return replace(solution, certificate=replace(solution.certificate, parts=(spoil(first), *others)))


@of_gaps
def test_a_gap_that_is_not_true_is_noticed(algorithm, case):
    solution = algorithm.solve(case.problem)
    check_contract(case, solution, separates=False)

    def smaller(claim):
        return replace(claim, values=claim.values._replace(primal=0.9 * claim.primal, dual=0.9 * claim.primal - 1e-9))

    with pytest.raises(AssertionError, match="the stated gap is not"):
        check_contract(case, spoiled(solution, smaller), separates=False)


@of_gaps
def test_a_gap_that_lies_is_noticed(algorithm, case):
    """Its plane is that of the model, and it says of another error that the rows say so."""
    solution = algorithm.solve(case.problem)

    def lying(claim):
        other = other_alpha(claim)
        object.__setattr__(other, "error", lambda problem: claim.stated)
        return other

    with pytest.raises(AssertionError, match="the true gap is"):
        check_contract(case, spoiled(solution, lying), separates=False)


@of_gaps
def test_another_machine_or_another_alpha_is_noticed(algorithm, case):
    solution = algorithm.solve(case.problem)
    model = solution.model
    for other in (
        replace(model, coefficients=-model.coefficients),
        replace(model, b=np.asarray(model.b) + 1.0),
        replace(model, kernel=replace_gamma(model.kernel)),
    ):
        with pytest.raises(AssertionError, match="another machine"):
            check_contract(case, replace(solution, model=other), separates=False)
    with pytest.raises(AssertionError, match="the stated gap is not"):
        check_contract(case, spoiled(solution, other_alpha), separates=False)


def other_alpha(claim):
    """Alpha of other proportions: its length alone means nothing to a margin whose width is free."""
    return replace(claim, alpha=claim.alpha * np.linspace(0.2, 1.0, claim.alpha.size))


def replace_gamma(kernel):
    return type(kernel)(2.0 * kernel.gamma)


@of_gaps
def test_a_status_that_is_not_true_is_noticed(algorithm, case):
    with pytest.raises(AssertionError, match="the status is not"):
        check_contract(case, algorithm.solve(case.problem), separates=False, tol=-1.0)


@of_gaps
def test_a_changed_row_is_noticed(algorithm):
    case = CASES["overlapping"]
    problem = algorithm.posed(case.problem)
    solution = algorithm.solve(problem)
    X = np.array(problem.X)
    X[solution.certificate.support[0]] += 0.5
    with pytest.raises(AssertionError, match="another machine|the stated gap is not"):
        check_contract(case._replace(problem=replace(problem, X=X)), solution, separates=False)


@of_separators
@pytest.mark.parametrize("name", ["separable", "several classes", "separable, without offset"])
def test_a_separator_that_is_not_true_is_noticed(algorithm, name):
    case = CASES[name]._replace(problem=algorithm.posed(CASES[name].problem))
    solution = algorithm.solve(case.problem, max_iter=10_000)
    check_contract(case, solution, separates=False)
    model = solution.model
    for other in (replace(model, coefficients=2.0 * model.coefficients), replace(model, b=np.asarray(model.b) + 1.0)):
        with pytest.raises(AssertionError, match="another machine"):
            check_contract(case, replace(solution, model=other), separates=False)
    with pytest.raises(AssertionError, match="the status is not"):
        check_contract(case, replace(solution, status=Status.SPENT), separates=False)

    def lying(claim):
        other = replace(claim, w=-claim.w, b=-claim.b)
        object.__setattr__(other, "error", lambda problem: claim.stated)
        return other

    spoilt = spoiled(solution, lying)
    if name == "separable":
        spoilt = replace(spoilt, model=replace(model, coefficients=-model.coefficients, b=-model.b))
        with pytest.raises(AssertionError, match="and they are not"):
            check_contract(case, spoilt, separates=False)


@of_separators
def test_a_training_error_that_is_not_true_is_noticed(algorithm):
    case = CASES["overlapping"]._replace(problem=algorithm.posed(CASES["overlapping"].problem))
    solution = algorithm.solve(case.problem, max_iter=2)
    assert solution.certificate.stated > 0.0
    check_contract(case, solution, separates=False)
    better = replace(solution.certificate, stated=solution.certificate.stated / 2)
    with pytest.raises(AssertionError, match="the stated error is not"):
        check_contract(case, replace(solution, certificate=better), separates=False)
