"""The optimum of any grouped dual in the space of a kernel: by a factor of low rank, by Newton rounds, or by any factor.

    min 1/2 sum_pq beta_p beta_q K(x_p, x_q) + 1/2 sum_p ridge_p alpha_p^2 - sum_p required_p alpha_p      (`grouped_dual`)

Each way ends with a claim that is computed from the rows; the first that is within tol is the answer, or else the best.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.problem import Expansion, History, Problem, Solution, Status
from separatrix.solvers.budget import Budget
from separatrix.solvers.kernel.factored_dual import factored_optimum
from separatrix.solvers.kernel.gram import Gram
from separatrix.solvers.kernel.grouped_dual import Answer, GroupedDual
from separatrix.solvers.kernel.kernel_space import KernelSpace, kept_bytes
from separatrix.solvers.kernel.low_rank import any_factor
from separatrix.solvers.options import number, whole
from separatrix.threads import threads_for

DualOf = Callable[[Problem, Gram], GroupedDual]


class Limits(NamedTuple):
    """How far and how long to go on."""

    tol: float = 1e-6
    max_iter: int = 100_000
    time_limit: float | None = None
    cache_mb: float | None = None

    def budget(self) -> Budget:
        """The iterations and the seconds, checked."""
        seconds = np.inf if self.time_limit is None else number("time_limit", self.time_limit, above=0.0)
        return Budget(whole("max_iter", self.max_iter), seconds)

    def accuracy(self) -> float:
        """The relative gap that is asked for, checked."""
        return number("tol", self.tol, above=0.0, most=1.0)


def dual_optimum(problem: Problem, dual_of: DualOf, limits: Limits, space: KernelSpace | None, start: Any) -> Solution:
    """Minimise the problem's objective to the limits; `dual_of` makes the dual of the distinct rows."""
    budget, tol = limits.budget(), limits.accuracy()
    space = space or KernelSpace(problem, kept_bytes(limits.cache_mb))
    grouped = dual_of(space.merged(problem), space.gram)
    answer, claim = best_answer(grouped, space, budget, tol)
    if space.distinct is not None:
        dual, coefficients = (space.shared(problem, each) for each in answer[:2])
        answer = Answer(dual, coefficients, *answer[2:])
        claim = answer.claim(problem)
    steps = max(budget.used, 1)
    ended = Status.STOPPED if budget.left <= 0 else Status.ROUNDED
    used = np.flatnonzero(claim.w)
    rows = problem.support_rows(claim.support[used])
    model = Expansion(problem.kernel, rows, claim.w[used], claim.b - answer.threshold)
    return Solution(model, claim, Status.SOLVED if claim.stated <= tol else ended, History(steps, steps))


def best_answer(grouped: GroupedDual, space: KernelSpace, budget: Budget, tol: float) -> tuple[Answer, DualityGap]:
    """The answer about the distinct rows with the smallest gap, and its claim."""
    with threads_for(0.0):
        L = any_factor(space.gram, budget.check_time)
        alpha, offsets = factored_optimum(grouped, L, budget)
    return claimed(grouped, alpha, offsets, tol)


def claimed(grouped: GroupedDual, alpha: np.ndarray, offsets: np.ndarray, tol: float) -> tuple[Answer, DualityGap]:
    """The first answer whose claim is within tol, or the best, with its claim; a value of 0 is that of w = 0."""
    found = []
    for answer in grouped.answers(alpha, offsets):
        claim = answer.claim(grouped.problem)
        found.insert(0, (answer, claim))
        if claim.stated <= tol and claim.primal != 0.0:
            break
    return min(found, key=lambda each: each[1].stated)
