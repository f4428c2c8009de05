"""The contract of nearest points notices every spoiled part of an answer."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.contract import check_contract
from contracts.library import library
from contracts.test_spoiled import HULLS, spoiled
from separatrix.problem import Plane, Status

CASES = {case.name: case for case in library()}


@pytest.fixture(params=["overlapping", "separable", "separable, sparse", "several classes, nested"])
def case(request):
    return CASES[request.param]


@pytest.fixture(params=HULLS, ids=lambda algorithm: algorithm.name)
def solution(request, case):
    found = request.param.solve(case.problem)
    check_contract(case, found, separates=False)
    parts = getattr(found.certificate, "parts", (found.certificate,))
    assert parts[0].distance > 0.0, "else there is little to spoil"
    return found


def moved_weight(claim):
    """Weight from one row of class 1 to another."""
    weights = claim.weights.copy()
    first, second = np.flatnonzero(np.isin(np.arange(weights.size), np.argsort(-weights)[:2]))
    weights[first], weights[second] = 1.5 * weights[first], 0.5 * weights[second]
    return replace(claim, weights=weights)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda claim: replace(claim, w=1.1 * claim.w),
        lambda claim: replace(claim, b=claim.b + 0.1),
        lambda claim: replace(claim, mu=0.9 * claim.mu),
        lambda claim: replace(claim, reached=claim.reached._replace(distance=0.99 * claim.distance)),
        lambda claim: replace(claim, reached=claim.reached._replace(bound=0.99 * claim.bound)),
        lambda claim: replace(claim, weights=0.99 * claim.weights),
        moved_weight,
    ],
    ids=["w", "b", "mu", "distance", "bound", "sum of weights", "weights"],
)
def test_every_part_is_noticed(case, solution, spoil):
    with pytest.raises(AssertionError):
        check_contract(case, spoiled(solution, spoil), separates=False)


def test_another_plane_and_another_status_are_noticed(case, solution):
    with pytest.raises(AssertionError, match="another plane"):
        check_contract(case, replace(solution, model=Plane(-solution.w, -solution.b)), separates=False)
    with pytest.raises(AssertionError, match="the status is not"):
        check_contract(case, replace(solution, status=Status.STOPPED), separates=False)
    with pytest.raises(AssertionError, match="may be apart"):
        check_contract(case, solution, separates=True)
