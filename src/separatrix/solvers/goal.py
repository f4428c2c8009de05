"""What a fit is to reach, and with how much work: a relative gap, iterations and seconds."""

from typing import Any, NamedTuple

import numpy as np

from separatrix.problem import History, Plane, Solution, Status
from separatrix.solvers.budget import Budget
from separatrix.solvers.options import number, whole


class Goal(NamedTuple):
    """The relative gap that the certificate must reach, and the budget.

    Examples
    --------
    >>> from separatrix.solvers.goal import Goal
    >>> goal = Goal.of(1e-6, max_iter=100, time_limit=None)
    >>> goal.tol, goal.budget.left
    (1e-06, 100)
    """

    tol: float
    budget: Budget

    @classmethod
    def of(cls, tol: float, max_iter: int, time_limit: float | None) -> "Goal":
        """The options of a user, checked."""
        seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
        return cls(number("tol", tol, above=0.0, most=1.0), Budget(whole("max_iter", max_iter), seconds))

    def solution(self, claim: Any, model: Any = None) -> Solution:
        """The answer with a claim: its plane, or another model; the status says whether the goal was reached."""
        steps = max(self.budget.used, 1)
        missed = Status.STOPPED if self.budget.left <= 0 else Status.ROUNDED
        status = Status.SOLVED if claim.stated <= self.tol else missed
        plane = Plane(np.array(claim.w), claim.b) if model is None else model
        return Solution(plane, claim, status, History(steps, steps))
