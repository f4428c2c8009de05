"""Several classes, one against the rest, for solvers of two classes."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

from separatrix.certificates import Collected
from separatrix.estimators.reduction.codes import one_vs_rest, solve_columns
from separatrix.problem import Problem, Solution, Status
from separatrix.solvers.options import first_planes


def each_against_the_rest(problem: Problem, start: Any, solve: Callable[[Problem, Any], Solution]) -> Solution:
    """Solve a problem of any number of classes, by one plane for each where there are more than two."""
    if problem.n_classes == 2:
        return solve(problem, start)
    starts = start_of_each(problem, start)
    parts, certificate = solve_columns(
        one_vs_rest(problem.n_classes),
        lambda number, side: solve(problem.dichotomy(side), starts[number]),
        attrgetter("certificate"),
    )
    return joined(parts, certificate)


def start_of_each(problem: Problem, start: Any) -> list[Any]:
    """One start for each class, out of one array that is checked as a whole, or of collected certificates."""
    if start is None:
        return [None] * problem.n_classes
    if isinstance(start, Collected):
        return list(start.parts)
    return list(first_planes(problem, start)[:, : problem.n_features + problem.fit_intercept])


def joined(parts: list[Solution], certificate: Collected) -> Solution:
    """The solutions of several two-class problems as one; its status is the first that is no success, if any is."""
    successes = Status.SEPARATED, Status.SOLVED, Status.OVERLAPPING
    statuses = [part.status for part in parts]
    curves = [part.curve for part in parts if part.curve is not None]
    return Solution(
        w=np.array([part.w for part in parts]),
        b=np.array([part.b for part in parts]),
        status=next((status for status in statuses if status not in successes), statuses[0]),
        certificate=certificate,
        iterations=max(part.iterations for part in parts),
        passes=max(part.passes for part in parts),
        mistakes=sum(part.mistakes for part in parts),
        last_mistakes=sum(part.last_mistakes for part in parts),
        curve=np.mean(curves, axis=0) if curves else None,
        alpha=None if parts[0].alpha is None else np.array([part.alpha for part in parts]),
        last=None if parts[0].last is None else np.array([part.last for part in parts]),
    )
