"""What every solution of a regression problem owes, established on its own in NumPy's long doubles."""

import numpy as np

from contracts.dense_rows import dense
from contracts.kernel_regression import check_kernel_gap
from contracts.regression_library import RegressionCase
from contracts.regression_values import TRUE_VALUES
from contracts.stationary import check_stationary
from separatrix.certificates import DualityGap, Stationary, Unproved
from separatrix.problem import Problem, Solution, Status

ROUNDING = 1e-13  # part of the terms of a sum by which doubles may move it


def check_regression(case: RegressionCase, solution: Solution, tol: float = 1e-6) -> None:
    """Raise AssertionError unless the solution is one plane with a certificate that tells the truth about the rows."""
    problem, claim = case.problem, solution.certificate
    if problem.kernel is not None:
        check_kernel_gap(problem, solution, tol)
        return
    assert np.shape(solution.w) == (problem.n_features,)
    assert np.ndim(solution.b) == 0
    assert np.isfinite(solution.w).all()
    assert np.isfinite(solution.b)
    assert problem.fit_intercept or solution.b == 0.0, "there is to be no offset"
    assert np.array_equal(claim.w, solution.w), "the certificate speaks of another plane"
    assert claim.b == solution.b, "the certificate speaks of another plane"
    if isinstance(claim, Stationary):
        assert np.array_equal(claim.equations.fitted[0][:, 0], solution.w), "the equations speak of another plane"
        assert claim.equations.fitted[1] == solution.b, "the equations speak of another plane"
        check_stationary(dense(problem), problem, solution)
    elif isinstance(claim, DualityGap):
        check_gap(problem, solution, tol)
    else:
        assert isinstance(claim, Unproved), f"the contract knows no {type(claim).__name__} of a regression"
        check_unproved(problem, solution)


def check_gap(problem: Problem, solution: Solution, tol: float) -> None:
    """The contract of a duality gap: the stated one is the true one, and the status says what it is."""
    claim = solution.certificate
    error = claim.error(problem)
    assert error == claim.stated, "the stated gap is not what the rows say"
    assert type(claim.objective) in TRUE_VALUES, f"add {type(claim.objective).__name__} to TRUE_VALUES"
    primal, dual, terms = TRUE_VALUES[type(claim.objective)](dense(problem).astype(np.longdouble), problem, claim)
    size = max(abs(primal), abs(dual), np.finfo(float).tiny)
    gap = float(max(primal - dual, 0) / size)
    rounding = ROUNDING * float(terms / size)
    assert float(primal) >= float(dual) - ROUNDING * float(terms), "the lower bound is above what it bounds"
    assert abs(error - gap) <= rounding + 1e-9 * gap, f"the certificate says {error}, but the true gap is {gap}"
    assert (solution.status is Status.SOLVED) == (error <= tol), "the status is not what the gap says"
    assert error <= tol, f"the gap is {error}, and {tol} was asked for"


def check_unproved(problem: Problem, solution: Solution) -> None:
    """The contract of a plane that claims nothing: its error is the root of the mean squared residual."""
    assert solution.status is Status.ENDED
    residuals = problem.y - dense(problem).astype("g") @ solution.w - solution.b
    truth = float(np.sqrt(problem.cost @ residuals**2 / problem.cost.sum()))
    error = solution.certificate.error(problem)
    assert solution.certificate.stated == error
    assert abs(error - truth) <= 1e-9 * (truth + np.abs(problem.y).max()), f"the error is {truth}, not {error}"
