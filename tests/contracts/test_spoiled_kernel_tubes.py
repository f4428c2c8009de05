"""Certificates of kernel machines for numbers and for novelty that were spoiled are noticed by the contract."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.kernel_regression import check_kernel_gap
from contracts.novelty_library import novelty_library
from contracts.regression_library import regression_library
from separatrix.estimators.registry import algorithms
from separatrix.problem import Status

LIBRARIES = {"regression": regression_library(), "novelty": novelty_library()}
MACHINES = [row for task in LIBRARIES for row in algorithms(task) if row.kernel is not None]
NAMES = ["plain", "sparse", "float32", "weights"]


@pytest.fixture(params=MACHINES, ids=lambda algorithm: algorithm.name)
def algorithm(request):
    return request.param


@pytest.fixture(params=NAMES)
def answer(request, algorithm):
    case = next(case for case in LIBRARIES[algorithm.task] if case.name == request.param)
    problem = algorithm.posed(case.problem)
    solution = algorithm.solve(problem)
    check_kernel_gap(problem, solution, tol=1e-6)
    return problem, solution


def uneven(values):
    """Other proportions: the length of alpha means nothing to a margin whose width is free."""
    return values * np.linspace(0.2, 1.0, values.size)


def lying(claim, **changes):
    """Another claim, which says of any rows that its gap is the stated one."""
    other = replace(claim, **changes)
    object.__setattr__(other, "error", lambda problem: claim.stated)
    return other


def test_a_gap_that_is_not_true_is_noticed(answer):
    problem, solution = answer
    claim = solution.certificate
    better = replace(claim, values=claim.values._replace(dual=claim.dual - 0.1 * abs(claim.primal)))
    with pytest.raises(AssertionError, match="the stated gap is not"):
        check_kernel_gap(problem, replace(solution, certificate=better), tol=1e-6)


def test_a_gap_that_lies_is_noticed(answer):
    problem, solution = answer
    claim = solution.certificate
    with pytest.raises(AssertionError, match="the true gap is"):
        check_kernel_gap(problem, replace(solution, certificate=lying(claim, alpha=uneven(claim.alpha))), tol=1e-6)
    w = uneven(claim.w)
    model = replace(solution.model, coefficients=w, rows=problem.support_rows(claim.support))
    with pytest.raises(AssertionError, match="the true gap is|another machine"):  # a ball's centre has a square, too
        check_kernel_gap(problem, replace(solution, model=model, certificate=lying(claim, w=w)), tol=1e-6)


def test_another_machine_is_noticed(answer):
    problem, solution = answer
    model = solution.model
    others = [replace(model, coefficients=1.01 * model.coefficients), replace(model, kernel=type(model.kernel)(5.0))]
    if problem.fit_intercept:
        others.append(replace(model, b=model.b + 1.0))
    for other in others:
        with pytest.raises(AssertionError, match="another machine"):
            check_kernel_gap(problem, replace(solution, model=other), tol=1e-6)


def test_a_status_that_is_not_true_is_noticed(answer):
    problem, solution = answer
    with pytest.raises(AssertionError, match="the status is not"):
        check_kernel_gap(problem, replace(solution, status=Status.STOPPED), tol=1e-6)


def test_an_offset_that_was_not_asked_for_is_noticed():
    row = next(row for row in MACHINES if row.task == "regression" and row.without_offset)
    case = next(case for case in LIBRARIES["regression"] if case.name == "without offset")
    problem = row.posed(case.problem)
    solution = row.solve(problem)
    claim = replace(solution.certificate, b=1e-3)
    object.__setattr__(claim, "error", lambda problem: claim.stated)
    with pytest.raises(AssertionError, match="no offset"):
        check_kernel_gap(problem, replace(solution, model=replace(solution.model, b=1e-3), certificate=claim), tol=1e-6)
