"""Every registered solver on every problem of the library."""

import pytest

from contracts.contract import check_contract
from contracts.library import library
from separatrix.errors import OptionError
from separatrix.estimators.registry import algorithms

CASES = library()
MOST = {True: 50_000, False: 50}  # passes: enough to separate, and few where no plane can or none is looked for


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("algorithm", algorithms("classification"), ids=lambda algorithm: algorithm.name)
def test_solver_is_right_and_says_so(algorithm, case):
    if not (case.problem.fit_intercept or algorithm.without_offset):
        with pytest.raises(OptionError, match="fit_intercept"):
            algorithm.solve(case.problem)
        return
    case = case._replace(problem=algorithm.posed(case.problem))
    solution = algorithm.solve(case.problem, max_iter=MOST[case.separable and algorithm.separates])
    check_contract(case, solution, algorithm.separates)


@pytest.mark.parametrize("algorithm", algorithms(), ids=lambda algorithm: algorithm.name)
def test_registry_row_is_complete(algorithm):
    for field in ("name", "rule", "several_classes", "certificate", "source"):
        assert getattr(algorithm, field), field
    assert algorithm.make().get_params().items() >= dict(algorithm.options).items()
