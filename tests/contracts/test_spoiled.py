"""The contract is worth something only if it notices a spoiled answer."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.contract import check_contract
from contracts.library import Case, library
from separatrix.certificates import Collected, Separator
from separatrix.certificates.claims.overlap import Balance
from separatrix.estimators.registry import algorithms
from separatrix.problem import Plane, Problem, Status
from separatrix.solvers.logistic.logistic import logistic
from separatrix.solvers.svm.joint.joint_svm import joint_svm
from separatrix.solvers.svm.nu_svm import nu_svm

CASES = {case.name: case for case in library()}
SEPARATING = [algorithm for algorithm in algorithms("classification") if algorithm.separates]
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
        check_contract(case, replace(solution, model=Plane(-solution.w, -solution.b)))
    certificate = Separator.issue(case.problem, -solution.w, -solution.b)
    with pytest.raises(AssertionError, match="the status is not"):
        check_contract(case, replace(solution, model=Plane(-solution.w, -solution.b), certificate=certificate))


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
        check_contract(case, replace(solution, model=Plane(honest.w, honest.b), certificate=lie))


def test_a_wrong_status_is_noticed(case, solution):
    with pytest.raises(AssertionError, match="the status is not"):
        check_contract(case, replace(solution, status=Status.SPENT))


DECIDING = [a for a in algorithms("classification") if "Overlap" in a.certificate]
GUESSING = [a for a in algorithms("classification") if "Unproved" in a.certificate and a.kernel is None]
KERNEL = [a for a in algorithms("classification") if a.kernel is not None]  # in test_spoiled_kernel
PROVING = [a for a in algorithms("classification") if a.certificate == "DualityGap" and a.kernel is None]
BOUNDING = [a for a in PROVING if a.solver not in (logistic, nu_svm, joint_svm)]
JOINT = [a for a in PROVING if a.solver is joint_svm]
FREE_MARGIN = [a for a in PROVING if a.solver is nu_svm]
SMOOTH = [a for a in algorithms("classification") if a.solver is logistic]
SOLVING = [a for a in algorithms("classification") if a.certificate == "Stationary"]  # in test_spoiled_stationary
HULLS = [a for a in algorithms("classification") if a.certificate == "NearestPoint"]  # in test_spoiled_hulls


def test_every_algorithm_is_spoiled_somewhere():
    spoiled = [*SEPARATING, *DECIDING, *GUESSING, *BOUNDING, *JOINT, *FREE_MARGIN, *SOLVING, *SMOOTH, *KERNEL, *HULLS]
    assert {a.name for a in spoiled} == {a.name for a in algorithms("classification")}
    assert len(BOUNDING) >= 2


@pytest.mark.parametrize("algorithm", DECIDING, ids=lambda algorithm: algorithm.name)
def test_weights_that_do_not_cancel_are_noticed(algorithm):
    case = CASES["overlapping"]
    solution = algorithm.solve(case.problem)
    check_contract(case, solution, separates=False)
    claim = solution.certificate
    other = Balance(claim.hulls.index, [claim.hulls.weights[0] + 1, *claim.hulls.weights[1:]])
    with pytest.raises(AssertionError):
        check_contract(case, replace(solution, certificate=replace(claim, hulls=other)), separates=False)
    case, solution = CASES["separable"], algorithm.solve(CASES["separable"].problem)
    check_contract(case, solution, separates=False)
    with pytest.raises(AssertionError):
        check_contract(case, replace(solution, model=Plane(-solution.w, -solution.b)), separates=False)


@pytest.mark.parametrize("algorithm", GUESSING, ids=lambda algorithm: algorithm.name)
def test_an_error_rate_that_is_not_true_is_noticed(algorithm):
    case = CASES["overlapping"]
    solution = algorithm.solve(case.problem, max_iter=20)
    check_contract(case, solution, separates=False)
    better = replace(solution.certificate, stated=solution.certificate.stated / 2)
    with pytest.raises(AssertionError):
        check_contract(case, replace(solution, certificate=better), separates=False)
    with pytest.raises(AssertionError, match="another plane"):
        check_contract(case, replace(solution, model=Plane(-solution.w, -solution.b)), separates=False)


@pytest.fixture(params=["overlapping", "separable, sparse", "several classes, nested", "separable, without offset"])
def bounded(request):
    return CASES[request.param]


def spoiled(solution, spoil):
    """The solution with its first certificate replaced."""
    if not isinstance(solution.certificate, Collected):
        return replace(solution, certificate=spoil(solution.certificate))
    first, *others = solution.certificate.parts
    return replace(solution, certificate=Collected(solution.certificate.code, (spoil(first), *others)))


@pytest.mark.parametrize("algorithm", BOUNDING, ids=lambda algorithm: algorithm.name)
class TestDualityGap:
    def test_a_gap_that_is_not_true_is_noticed(self, algorithm, bounded):
        solution = algorithm.solve(bounded.problem)
        check_contract(bounded, solution, separates=False)

        def smaller(claim):
            return replace(
                claim, values=claim.values._replace(primal=0.9 * claim.primal, dual=0.9 * claim.primal - 1e-9)
            )

        with pytest.raises(AssertionError, match="the stated gap is not"):
            check_contract(bounded, spoiled(solution, smaller), separates=False)

    def test_a_gap_that_lies_is_noticed(self, algorithm, bounded):
        solution = algorithm.solve(bounded.problem, max_iter=1, tol=1e-12)

        def lying(claim):
            other = replace(claim, w=1.01 * claim.w + 0.01)
            object.__setattr__(other, "error", lambda problem: claim.stated)
            return other

        spoilt = spoiled(solution, lying)
        first = spoilt.certificate.parts[0] if isinstance(spoilt.certificate, Collected) else spoilt.certificate
        w = np.array(spoilt.w)
        np.atleast_2d(w)[0] = first.w
        with pytest.raises(AssertionError, match="the true gap is"):
            check_contract(bounded, replace(spoilt, model=Plane(w, spoilt.b)), separates=False, tol=1e-12)

    def test_another_plane_or_another_alpha_is_noticed(self, algorithm, bounded):
        solution = algorithm.solve(bounded.problem)
        with pytest.raises(AssertionError, match="another plane"):
            check_contract(bounded, replace(solution, model=Plane(-solution.w, solution.b)), separates=False)
        with pytest.raises(AssertionError, match="the stated gap is not"):
            check_contract(bounded, spoiled(solution, lambda claim: replace(claim, alpha=0.5 * claim.alpha)), False)

    def test_a_status_that_is_not_true_is_noticed(self, algorithm, bounded):
        solution = algorithm.solve(bounded.problem)
        for status in (Status.STOPPED, Status.ROUNDED, Status.SEPARATED):
            with pytest.raises(AssertionError, match="the status is not"):
                check_contract(bounded, replace(solution, status=status), separates=False)
        with pytest.raises(AssertionError, match="the status is not"):
            check_contract(bounded, solution, separates=False, tol=-1.0)

    def test_a_changed_row_is_noticed(self, algorithm):
        case = CASES["overlapping"]
        solution = algorithm.solve(case.problem)
        X = np.array(case.problem.X)
        X[solution.certificate.support[0]] += 0.5
        with pytest.raises(AssertionError, match="the stated gap is not"):
            check_contract(Case("moved", Problem(X, case.problem.y), False), solution, separates=False)


@pytest.mark.parametrize("name", ["overlapping", "separable, sparse", "several classes"])
@pytest.mark.parametrize("algorithm", FREE_MARGIN, ids=lambda algorithm: algorithm.name)
class TestFreeMargin:
    """The value of a nu margin does not depend on the length of its plane or of alpha, but on all else."""

    def test_another_gap_plane_alpha_or_status_is_noticed(self, algorithm, name):
        case, solution = CASES[name], algorithm.solve(CASES[name].problem, nu=0.7)
        check_contract(case, solution, separates=False)
        turned = solution.w + 0.5 * np.abs(solution.w).max() * np.arange(1, solution.w.size + 1).reshape(
            solution.w.shape
        )
        spoilings = {
            "the stated gap is not": lambda claim: replace(claim, values=claim.values._replace(dual=2.0 * claim.dual)),
            "another plane": lambda claim: replace(claim, w=-claim.w),
            "the stated gap is": lambda claim: replace(claim, alpha=np.linspace(0.0, 1.0, claim.alpha.size) ** 9),
        }
        for message, spoil in spoilings.items():
            with pytest.raises(AssertionError, match=message):
                check_contract(case, spoiled(solution, spoil), separates=False)
        with pytest.raises(AssertionError, match="another plane"):
            check_contract(case, replace(solution, model=Plane(turned, solution.b)), separates=False)
        with pytest.raises(AssertionError, match="the status is not"):
            check_contract(case, replace(solution, status=Status.STOPPED), separates=False)

    def test_a_gap_that_lies_is_noticed(self, algorithm, name):
        case, solution = CASES[name], algorithm.solve(CASES[name].problem, nu=0.7)

        def lying(claim):
            other = replace(claim, w=claim.w + np.abs(claim.w).max() * np.arange(1, claim.w.size + 1))
            object.__setattr__(other, "error", lambda problem: claim.stated)
            return other

        spoilt = spoiled(solution, lying)
        first = spoilt.certificate.parts[0] if isinstance(spoilt.certificate, Collected) else spoilt.certificate
        w = np.array(spoilt.w)
        np.atleast_2d(w)[0] = first.w
        with pytest.raises(AssertionError, match="the true gap is"):
            check_contract(case, replace(spoilt, model=Plane(w, spoilt.b)), separates=False)


@pytest.mark.parametrize("algorithm", SMOOTH, ids=lambda algorithm: algorithm.name)
class TestLogisticGap:
    def test_a_gap_that_is_not_true_is_noticed(self, algorithm, bounded):
        solution = algorithm.solve(bounded.problem)
        check_contract(bounded, solution, separates=False, tol=1e-8)
        claim = solution.certificate
        smaller = replace(claim, values=claim.values._replace(primal=0.9 * claim.primal, dual=0.8 * claim.primal))
        with pytest.raises(AssertionError, match="the stated gap is not"):
            check_contract(bounded, replace(solution, certificate=smaller), separates=False, tol=1e-8)

    def test_a_gap_that_lies_is_noticed(self, algorithm, bounded):
        solution = algorithm.solve(bounded.problem)
        other = replace(solution.certificate, w=1.01 * solution.w + 0.01)
        object.__setattr__(other, "error", lambda problem: other.stated)
        with pytest.raises(AssertionError, match="the true gap is"):
            check_contract(
                bounded, replace(solution, model=Plane(other.w, other.b), certificate=other), separates=False, tol=1e-8
            )

    def test_another_plane_or_status_is_noticed(self, algorithm, bounded):
        solution = algorithm.solve(bounded.problem)
        with pytest.raises(AssertionError, match="another plane"):
            check_contract(bounded, replace(solution, model=Plane(-solution.w, solution.b)), separates=False, tol=1e-8)
        with pytest.raises(AssertionError, match="the status is not"):
            check_contract(bounded, replace(solution, status=Status.STOPPED), separates=False, tol=1e-8)


@pytest.mark.parametrize("name", ["several classes", "overlapping", "no offset"])
class TestJointGap:
    """A gap between the planes of all classes and one dual point, which has a number for each row and rival."""

    def test_another_gap_dual_point_plane_or_status_is_noticed(self, name):
        case = several(name)
        solution = JOINT[0].solve(case.problem)
        check_contract(case, solution, separates=False)
        spoilings = {
            "the stated gap is not": (
                lambda claim: replace(claim, values=claim.values._replace(primal=0.9 * claim.primal)),
                lambda claim: replace(claim, alpha=0.5 * claim.alpha),
                lambda claim: replace(claim, alpha=np.roll(claim.alpha, 1, axis=0)),
                lambda claim: replace(claim, alpha=claim.alpha[:, 0]),
            ),
            "another plane": (lambda claim: replace(claim, w=-claim.w), lambda claim: replace(claim, b=claim.b + 1.0)),
        }
        for message, spoil in [(message, spoil) for message, each in spoilings.items() for spoil in each]:
            with pytest.raises(AssertionError, match=message):
                check_contract(case, spoiled(solution, spoil), separates=False)
        with pytest.raises(AssertionError, match="the status is not"):
            check_contract(case, replace(solution, status=Status.STOPPED), separates=False)

    def test_a_gap_that_lies_is_noticed(self, name):
        case = several(name)
        solution = JOINT[0].solve(case.problem)
        other = replace(solution.certificate, w=1.01 * solution.w)
        object.__setattr__(other, "error", lambda problem: other.stated)
        with pytest.raises(AssertionError, match="the true gap is"):
            check_contract(case, replace(solution, model=Plane(other.w, other.b), certificate=other), separates=False)

    def test_spoiled_dual_points_have_larger_errors(self, name):
        problem = several(name).problem
        claim = JOINT[0].solve(problem).certificate
        rng = np.random.default_rng(0)
        for spread in (0.01, 0.3, 10.0):
            other = replace(claim, alpha=claim.alpha + spread * rng.standard_normal(claim.alpha.shape))
            assert claim.error(problem) < other.error(problem)
            assert other.restated(problem).dual <= claim.primal * (1.0 + 1e-12)
        cheap = JOINT[0].solve(problem, C=1e-3).certificate  # where bounds hold the dual variables
        beyond = replace(cheap, alpha=3.0 * cheap.alpha).restated(problem.posed(cheap.objective))
        assert beyond.dual <= cheap.primal * (1.0 + 1e-12)


def several(name):
    """Three classes apart, or of which some rows are among those of others."""
    if name == "several classes":
        return CASES[name]
    rng = np.random.default_rng(5)
    y = np.arange(40) % 3
    X = rng.standard_normal((40, 2)) + np.array([[2.0, 0.0], [-1.0, 2.0], [-1.0, -2.0]])[y]
    return Case(name, Problem(X, y, 3, rng.uniform(0.5, 2.0, 40), fit_intercept=name != "no offset"), False)
