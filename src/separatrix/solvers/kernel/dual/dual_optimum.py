"""The optimum of a dual of `grouped_dual` by a factor of low rank, by Newton rounds, or by a factor of any rank.

    min 1/2 sum_pq beta_p beta_q K(x_p, x_q) + 1/2 sum_p ridge_p alpha_p^2 - sum_p required_p alpha_p

Each way ends with a claim that is computed from the rows; the first that is within tol is the answer, or else the best.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.errors import OptionError
from separatrix.objectives.bounds.mercer import satisfies_mercer
from separatrix.problem import Expansion, History, Problem, Solution, Status
from separatrix.products import dense_rows
from separatrix.rows import Rows, n_columns
from separatrix.solvers.budget import Budget, TimeOverError
from separatrix.solvers.kernel.dual.factored_dual import factored_optimum
from separatrix.solvers.kernel.dual.grouped_dual import Answer, GroupedDual
from separatrix.solvers.kernel.dual.linear_twin import linear_twin
from separatrix.solvers.kernel.dual.stationary_point import stationary_point
from separatrix.solvers.kernel.gram import Gram
from separatrix.solvers.kernel.kernel_space import KernelSpace, kept_bytes
from separatrix.solvers.kernel.low_rank import MAX_WHOLE_ROWS, any_factor
from separatrix.solvers.kernel.newton_rounds import KernelMachine
from separatrix.solvers.options import number, whole
from separatrix.solvers.watching import tell
from separatrix.threads import threads_for

MAX_RANK = 3000  # of a factor whose program is solved
SMALL_TOL = 1e-9  # gap at which the search for a better way ends where rows are few

Way = Callable[[], DualityGap | None]
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


def dual_optimum(
    problem: Problem, dual_of: DualOf, limits: Limits, space: KernelSpace | None, start: DualityGap | None
) -> Solution:
    """Minimise the problem's objective to the limits; `dual_of` makes the dual of the distinct rows."""
    budget, tol = limits.budget(), limits.accuracy()
    space = space or KernelSpace(problem, kept_bytes(limits.cache_mb))
    distinct = space.merged(problem)
    machine = KernelMachine(distinct, space, budget, dual_of(distinct, space.gram))
    tell("problem", problem=problem, space=space)
    if not satisfies_mercer(problem):
        return stationary_point(problem, space, machine)
    goal = min(tol, SMALL_TOL) if space.gram.n <= MAX_WHOLE_ROWS else tol
    ways: list[Way] = [
        lambda: linear_twin(distinct, goal, budget),
        lambda: by_factor(machine, space.factor(budget.check_time)),
        lambda: from_start(machine, space, start, goal),
        lambda: machine.solve(goal),
        lambda: by_alternative(machine, space, goal),
        lambda: by_factor(machine, any_factor(space.gram, budget.check_time)),
    ]
    claim = best_claim(ways, machine, goal)
    claim = claim if space.distinct is None else shared_claim(problem, space, claim)
    steps = max(budget.used, 1)
    ended = Status.STOPPED if budget.left <= 0 else Status.ROUNDED
    used = np.flatnonzero(claim.w)
    model = Expansion(problem.kernel, problem.support_rows(claim.support[used]), claim.w[used], claim.b)
    return Solution(model, claim, Status.SOLVED if claim.stated <= tol else ended, History(steps, steps))


def best_claim(ways: Iterable[Way], machine: KernelMachine, tol: float) -> DualityGap:
    """The claim of the first way that is within tol, or the best of all that the budget allows."""
    best = None
    for way in ways:
        try:
            claim = way()
        except TimeOverError:
            break
        best = claim if best is None or (claim is not None and claim.stated < best.stated) else best
        if best is not None and (best.stated <= tol or machine.budget.left <= 0):
            break
    return best or machine.claim()


def by_factor(machine: KernelMachine, factor: Rows | None) -> DualityGap | None:
    """The claim by a factor of the kernel matrix, where there is one."""
    if factor is None or n_columns(factor) > MAX_RANK:
        return None
    L = dense_rows(factor, np.arange(machine.gram.n))
    with threads_for(0.0):
        return machine.grouped.claim(*factored_optimum(machine.grouped, L, machine.budget))


def from_start(machine: KernelMachine, space: KernelSpace, start: DualityGap | None, tol: float) -> DualityGap | None:
    """The claim by Newton rounds from the claim of another C, epsilon or nu about the same rows, where there is one."""
    if start is None:
        return None
    grouped, cost = machine.grouped, machine.problem.cost
    n = cost.size if space.distinct is None else space.distinct.group.size
    if start.n_rows != n:
        raise OptionError(f"The 'start' parameter must be a claim about these {n:,} rows. Got {start!r}.")
    warm = KernelMachine(machine.problem, space, machine.budget, grouped)
    upper = start.objective.upper(cost)[grouped.dual.row] / grouped.unit
    warm.start(grouped.variables(space.gathered(dual_variables(start))), warm.offsets, upper)
    return warm.solve(tol)


def by_alternative(machine: KernelMachine, space: KernelSpace, tol: float) -> DualityGap | None:
    """The claim by another dual that may have the optimum, or by the search that was given up for it."""
    other = machine.grouped.alternative()
    if other is None:
        return None
    claims = [KernelMachine(machine.problem, space, machine.budget, other).solve(tol)]
    if claims[0] is not None and claims[0].stated > tol and machine.budget.left > 0:
        machine.insistent, machine.alpha = True, machine.grouped.initial()
        claims.append(machine.solve(tol))
    return min((claim for claim in claims if claim is not None), key=lambda each: each.stated)


def shared_claim(problem: Problem, space: KernelSpace, claim: DualityGap) -> DualityGap:
    """The claim about all rows from that about the distinct ones."""
    answer = Answer.of(claim)
    dual, coefficients = (space.shared(problem, each) for each in (answer.dual, answer.coefficients))
    return Answer(dual, coefficients, answer.b).claim(problem)
