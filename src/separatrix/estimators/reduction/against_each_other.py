"""Several classes in pairs, for solvers of two classes in the space of a kernel."""

from collections.abc import Callable
from operator import attrgetter

import numpy as np

from separatrix.estimators.reduction.against_the_rest import joined_history, joined_status
from separatrix.estimators.reduction.codes import one_vs_one, solve_columns
from separatrix.estimators.support import placed
from separatrix.problem import Expansion, Problem, Solution


def each_against_each(problem: Problem, solve: Callable[[Problem], Solution]) -> Solution:
    """Solve a problem of any number of classes, by one expansion for each pair where there are more than two.

    The expansions are over the support rows of all pairs, in the order of their classes.
    """
    if problem.n_classes == 2:
        return solve(problem)
    code = one_vs_one(problem.n_classes)
    parts, certificate = solve_columns(code, lambda _, side: solve(problem.dichotomy(side)), attrgetter("certificate"))
    found, offsets = placed(certificate.parts, problem, code), np.array([float(part.b) for part in parts])
    model = Expansion(problem.kernel, problem.support_rows(found.rows), found.coefficients, offsets)
    return Solution(model, certificate, joined_status(parts), joined_history([part.history for part in parts]))
