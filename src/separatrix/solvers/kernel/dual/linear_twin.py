"""A machine with the linear kernel by the linear solver of the same question: w = sum_i beta_i x_i in the features."""

from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.objectives import EpsilonInsensitive, NuInsensitive, NuMargin
from separatrix.problem import Problem, Solution
from separatrix.rows import length
from separatrix.solvers.budget import Budget
from separatrix.solvers.goal import Goal
from separatrix.solvers.novelty import one_class_svm
from separatrix.solvers.regression import linear_svr, nu_svr
from separatrix.solvers.svm.nu_svm import nu_margin_optimum


def margin_optimum(problem: Problem, goal: Goal) -> Solution:
    """The nu machine of two classes, or of one, which has no offset."""
    return nu_margin_optimum(problem, goal) if problem.fit_intercept else one_class_svm.optimum(problem, goal)


SOLVERS: dict[type, Callable[[Problem, Goal], Solution]] = {
    EpsilonInsensitive: linear_svr.optimum,
    NuInsensitive: nu_svr.optimum,
    NuMargin: margin_optimum,
}


def linear_twin(problem: Problem, tol: float, budget: Budget) -> DualityGap | None:
    """The claim about coefficients of the rows; None where the kernel is not linear, or there is no linear solver."""
    objective: Any = problem.objective
    if not problem.kernel.is_linear or type(objective) not in SOLVERS:
        return None
    plain = Problem(problem.X, problem.y, problem.n_classes, problem.cost, problem.fit_intercept, objective)
    claim = SOLVERS[type(objective)](plain, Goal(tol, budget)).certificate
    coefficients = np.array(claim.alpha)
    if isinstance(objective, NuMargin):
        coefficients *= problem.signs[claim.support] * scale_of(plain, claim)
    return DualityGap.issue(problem, coefficients, claim.b, claim.alpha, claim.support)


def scale_of(problem: Problem, claim: DualityGap) -> float:
    """What alpha y is multiplied by to make the plane of a nu margin: 1 / rho, 1 without an offset, 0 where w = 0."""
    if not np.any(claim.w):
        return 0.0
    return length(claim.w) / float(np.sqrt(-2.0 * claim.dual)) if problem.fit_intercept else 1.0
