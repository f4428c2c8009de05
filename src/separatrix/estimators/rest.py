"""Several classes, each against the rest, where a solver knows two."""

from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.certificates import Collected
from separatrix.estimators.codes import one_vs_rest
from separatrix.problem import Problem, Solution, Status
from separatrix.solvers.options import first_planes

FINE = Status.SEPARATED, Status.SOLVED, Status.OVERLAPPING  # ends that need no more words


def each_against_the_rest(problem: Problem, start: Any, solve: Callable[[Problem, Any], Solution]) -> Solution:
    """Solve a problem of any number of classes, by one plane for each where there are more than two."""
    if problem.n_classes == 2:
        return solve(problem, start)
    code = one_vs_rest(problem.n_classes)
    sides = zip(code.T, start_rows(problem, start), strict=True)
    return together(code, [solve(problem.dichotomy(side), plane) for side, plane in sides])


def start_rows(problem: Problem, start: Any) -> list[Any]:
    """One start for each class, out of one array that is checked as a whole, or of collected certificates."""
    if start is None:
        return [None] * problem.n_classes
    if isinstance(start, Collected):
        return list(start.parts)
    return list(first_planes(problem, start)[:, : problem.n_features + problem.fit_intercept])


def together(code: np.ndarray, parts: list[Solution]) -> Solution:
    """The answers to the two-class problems of a code as one."""
    status = [part.status for part in parts]
    curves = [part.curve for part in parts if part.curve is not None]
    return Solution(
        w=np.array([part.w for part in parts]),
        b=np.array([part.b for part in parts]),
        status=next((one for one in status if one not in FINE), status[0]),
        certificate=Collected(code, tuple(part.certificate for part in parts)),
        iterations=max(part.iterations for part in parts),
        passes=max(part.passes for part in parts),
        mistakes=sum(part.mistakes for part in parts),
        last_mistakes=sum(part.last_mistakes for part in parts),
        curve=np.mean(curves, axis=0) if curves else None,
        alpha=None if parts[0].alpha is None else np.array([part.alpha for part in parts]),
        last=None if parts[0].last is None else np.array([part.last for part in parts]),
    )
