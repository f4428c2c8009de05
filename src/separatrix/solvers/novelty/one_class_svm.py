"""The linear one-class machine: the plane farthest from the origin with few rows on its near side.

    min 1/2 ||w||^2 - nu W rho + sum_i c_i max(0, rho - w.x_i)                 (Schoelkopf et al., 2001)

It is the nu machine with every row of class 1 and no offset. A row is inside where w.x > rho.
"""

from dataclasses import replace

from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.objectives import NuMargin
from separatrix.problem import Plane, Problem, Solution
from separatrix.products import combination, scores
from separatrix.solvers.goal import Goal
from separatrix.solvers.options import number
from separatrix.solvers.svm.nu_svm import nu_margin_optimum


def one_class_svm(
    problem: Problem, *, nu: float = 0.5, tol: float = 1e-6, max_iter: int = 10_000, time_limit: float | None = None
) -> Solution:
    """The plane farthest from the origin that leaves a part of at most nu of the rows on its near side.

    Every row is of class 1 and there is no offset. The model is w.x - rho, in the scale in which alpha adds up to nu W.

    >>> import numpy as np
    >>> problem = Problem(np.array([[1.0], [2.0], [3.0], [4.0]]), np.ones(4), fit_intercept=False)
    >>> solution = one_class_svm(problem, nu=0.5)
    >>> solution.w.round(12).tolist(), round(solution.b, 12)  # of the four rows two support the plane x = 2
    ([3.0], -6.0)
    """
    objective = NuMargin(number("nu", nu, above=0.0, most=1.0))
    return optimum(problem.posed(objective), Goal.of(tol, max_iter, time_limit))


def optimum(problem: Problem, goal: Goal) -> Solution:
    """The optimum of rows of one class, with the plane in the scale of alpha."""
    found = nu_margin_optimum(problem, goal)
    w = combination(problem.X, dual_variables(found.certificate))
    rho, _ = problem.objective.best_margin(problem, scores(problem.X, w))
    return replace(found, model=Plane(w, -rho))
