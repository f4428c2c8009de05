"""Several classes, one against the rest, for solvers of two classes."""

from collections.abc import Callable
from dataclasses import is_dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from separatrix.certificates import Collected
from separatrix.estimators.reduction.codes import one_vs_rest
from separatrix.estimators.reduction.columns import solve_columns
from separatrix.problem import History, Plane, Problem, Solution, Status
from separatrix.solvers.options import first_planes


def each_against_the_rest(
    problem: Problem, start: Any, solve: Callable[[Problem, Any], Solution], parallel: bool = False
) -> Solution:
    """Solve a problem of any number of classes, by one plane for each where there are more than two.

    In parallel each class has one core.
    """
    if problem.n_classes == 2:
        return solve(problem, start)
    starts = start_of_each(problem, start)
    parts, certificate = solve_columns(
        one_vs_rest(problem.n_classes),
        lambda number, side: solve(problem.dichotomy(side), starts[number]),
        attrgetter("certificate"),
        parallel,
    )
    return joined(parts, certificate)


def start_of_each(problem: Problem, start: Any) -> list[Any]:
    """One start for each class, out of one array that is checked as a whole, or of a solver's own kind."""
    if start is None:
        return [None] * problem.n_classes
    if isinstance(start, list) and len(start) == problem.n_classes and is_dataclass(start[0]):
        return start
    return list(first_planes(problem, start)[:, : problem.n_features + problem.fit_intercept])


def joined(parts: list[Solution], certificate: Collected) -> Solution:
    """The solutions of several two-class problems as one; its status is the first that is no success, if any is."""
    planes = Plane(np.array([part.w for part in parts]), np.array([part.b for part in parts]))
    return Solution(planes, certificate, joined_status(parts), joined_history([part.history for part in parts]))


def joined_status(parts: list[Solution]) -> Status:
    """The first status that is no success, if any is, else the first."""
    successes = Status.SEPARATED, Status.SOLVED, Status.OVERLAPPING
    statuses = [part.status for part in parts]
    return next((status for status in statuses if status not in successes), statuses[0])


def joined_history(runs: list[History]) -> History:
    """The runs of several solvers as one: the longest, all mistakes, and arrays with a row for each."""
    curves = [run.curve for run in runs if run.curve is not None]
    return History(
        iterations=max(run.iterations for run in runs),
        passes=max(run.passes for run in runs),
        mistakes=sum(run.mistakes for run in runs),
        last_mistakes=sum(run.last_mistakes for run in runs),
        curve=np.mean(curves, axis=0) if curves else None,
        last=None if runs[0].last is None else np.array([run.last for run in runs]),
        residuals=None if runs[0].residuals is None else np.array([run.residuals for run in runs]),
    )
