"""Planes that get few rows wrong, without a claim to get the fewest wrong.

Support vector machines with several prices of slack, with both classes or all rows alike. Columns are in units of their
own size, so that the same prices serve all data.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from separatrix.objectives.mean_slack import shares
from separatrix.problem import Problem
from separatrix.problem.scaling import Scaling
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.linear_svm import linear_svm

PRICES = 1e-1, 1e2, 1e5  # of slack, as the mean over each class, or over all rows
PART = 0.1  # of the time that is left, for each plane


def good_planes(problem: Problem, budget: Budget) -> Iterator[tuple[Vector, float]]:
    """Planes w, b one after the other, as long as there is time.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.budget import Budget
    >>> from separatrix.solvers.errors.good_planes import good_planes
    >>> X, y = np.array([[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]]), np.array([1, 0, 0, 1, 1, 1])
    >>> errors = [sum(((X[:, 0] * w + b > 0) != y).tolist()) for w, b in good_planes(Problem(X, y), Budget(1))]
    >>> min(errors)
    1
    """
    both = shares(problem)
    scaling = Scaling.of(problem.X, both, problem.fit_intercept)
    X = scaling.scaled(problem.X)
    for cost in (both, np.full(problem.n_rows, 2.0 / problem.n_rows)):
        scaled = replace(problem, X=X, cost=cost)
        for C in PRICES:
            if budget.left <= 0:
                return
            limit = max(PART * budget.seconds, 1e-3) if budget.seconds < np.inf else None
            solution = linear_svm(scaled, C=C, tol=1e-4, time_limit=limit)
            yield solution.w / scaling.unit, float(solution.b)
