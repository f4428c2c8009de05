"""Heuristic planes with few errors, to begin the search for the fewest: support vector machines.

    minimise  1/2 ||w||^2 + C sum_i cost_i slack_i

for several C, with costs that make both classes or all rows equal. Columns are scaled to unit size, so that the same
values of C serve all data.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from separatrix.objectives.mean_slack.repair import shares
from separatrix.problem import Problem
from separatrix.problem.scaling import Scaling
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.linear_svm import linear_svm

SLACK_COSTS = 1e-1, 1e2, 1e5  # C, for costs with a sum of 2
TIME_SHARE_PER_PLANE = 0.1  # of the time that is left


def heuristic_planes(problem: Problem, budget: Budget) -> Iterator[tuple[Vector, float]]:
    """Yield planes w, b until all values of C have been tried or the time is over.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]]), np.array([1, 0, 0, 1, 1, 1])
    >>> errors = [sum(((X[:, 0] * w + b > 0) != y).tolist()) for w, b in heuristic_planes(Problem(X, y), Budget(1))]
    >>> min(errors)
    1
    """
    class_shares = shares(problem)
    scaling = Scaling.of(problem.X, class_shares, problem.fit_intercept)
    X = scaling.scaled(problem.X)
    for cost in (class_shares, np.full(problem.n_rows, 2.0 / problem.n_rows)):
        scaled = replace(problem, X=X, cost=cost)
        for C in SLACK_COSTS:
            if budget.left <= 0:
                return
            limit = max(TIME_SHARE_PER_PLANE * budget.seconds, 1e-3) if budget.seconds < np.inf else None
            solution = linear_svm(scaled, C=C, tol=1e-4, time_limit=limit)
            yield solution.w / scaling.unit, float(solution.b)
