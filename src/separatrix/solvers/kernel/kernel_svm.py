"""The support vector machine in the space of a kernel, solved to a duality gap from the rows in float64.

    min 1/2 ||w||^2 + C sum_i c_i max(0, 1 - y_i (<w, phi(x_i)> + b))^p,       w = sum_i alpha_i y_i phi(x_i)

Float32 finds the sets of free and bounded rows (`block_smo`), float64 gives the answer (`newton_rounds`). A kernel
matrix of low rank is factored instead, and its rows go to the linear machine.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.errors import NotSeparableError
from separatrix.objectives import SoftMargin
from separatrix.objectives.bounds.mercer import satisfies_mercer
from separatrix.problem import Expansion, History, Problem, Solution, Status
from separatrix.problem.distinct import row_bytes
from separatrix.rows import TINY, Rows, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.kernel.dual.dual_optimum import best_claim, shared_claim
from separatrix.solvers.kernel.dual.grouped_dual import Answer
from separatrix.solvers.kernel.dual.stationary_point import stationary_point
from separatrix.solvers.kernel.kernel_space import KernelSpace, kept_bytes
from separatrix.solvers.kernel.low_rank import any_factor, nystroem
from separatrix.solvers.kernel.newton_rounds import KernelMachine
from separatrix.solvers.options import number, positive, whole
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.watching import tell

LINEAR_TOL = 1e-10  # gap of the linear machine of a factor
MIN_SECONDS = 1e-3  # that a linear machine is given
HARD_C = 1e9  # in place of an infinite C, in units of the mean of K_ii


class Start(NamedTuple):
    """Alpha of each row, b, and the C that bounded them."""

    alpha: Vector
    b: float
    C: float

    @classmethod
    def of(cls, claim: DualityGap) -> "Start":
        """The start that a claim about another C gives."""
        return cls(dual_variables(claim), float(claim.b), claim.objective.C)


def kernel_svm(
    problem: Problem,
    *,
    C: float = 1.0,
    squared: bool = False,
    tol: float = 1e-6,
    max_iter: int = 100_000,
    time_limit: float | None = None,
    cache_mb: float | None = None,
    low_rank: int | None = None,
    space: KernelSpace | None = None,
    start: Start | None = None,
) -> Solution:
    """Minimise the objective of two classes in the space of the problem's kernel to a relative gap of tol.

    `space` is what an earlier fit of the same rows found out about them, and `start` its answer for another C. With
    `low_rank` the plane is one in the span of so many rows, and its gap to the optimum is measured.

    >>> from separatrix.kernels import Polynomial
    >>> gate = Problem(np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0]), kernel=Polynomial(2, 1.0))
    >>> solution = kernel_svm(gate, C=100.0)  # XOR
    >>> solution.model.scores(gate.X).round(6).tolist(), solution.certificate.error(gate) < 1e-6
    ([-1.0, 1.0, 1.0, -1.0], True)
    """
    problem = problem.posed(SoftMargin(positive("C", C), squared))
    accuracy = number("tol", tol, above=0.0, most=1.0)
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    budget = Budget(whole("max_iter", max_iter), seconds)
    space = space or KernelSpace(problem, kept_bytes(cache_mb))
    if np.inf == C:
        refuse_equal_rows(problem)
    machine = KernelMachine(space.merged(problem), space, budget)
    tell("problem", problem=problem, space=space)
    if not satisfies_mercer(problem):
        return stationary_point(problem, space, machine)
    if low_rank is not None:
        claim = in_the_span_of_pivots(problem, space, machine, whole("low_rank", low_rank))
    else:
        claim = optimum(space, machine, accuracy, start)
        if start is not None and claim.stated > accuracy and budget.left > 0:  # without the start, then
            cold = optimum(space, KernelMachine(machine.problem, space, budget), accuracy, None)
            claim = min(claim, cold, key=lambda each: each.stated)
        if space.distinct is not None:
            claim = shared_claim(problem, space, claim)
    solved, steps = claim.stated <= accuracy, max(budget.used, 1)
    ended = Status.ROUNDED if low_rank is None else Status.SPANNED
    status = Status.SOLVED if solved else Status.STOPPED if budget.left <= 0 else ended
    used = np.flatnonzero(claim.w)
    model = Expansion(problem.kernel, problem.support_rows(claim.support[used]), claim.w[used], claim.b)
    return Solution(model, claim, status, History(steps, steps))


def refuse_equal_rows(problem: Problem, numbers: np.ndarray | None = None) -> None:
    """Refuse a hard margin between equal rows of different classes: no function of the rows tells them apart.

    `numbers` are those by which the user knows the rows.
    """
    known = np.arange(problem.n_rows) if numbers is None else numbers
    classes: dict[bytes, tuple[int, int]] = {}
    for place, (row, label) in enumerate(zip(row_bytes(problem.X), problem.y.tolist(), strict=True)):
        other, before = classes.setdefault(row, (label, place))
        if other != label:
            raise NotSeparableError(
                "No plane separates the classes in the space of any kernel, so there is no hard margin: rows "
                f"{known[before]:,} and {known[place]:,} are equal and of different classes. Use a finite C."
            )


def optimum(space: KernelSpace, machine: KernelMachine, tol: float, start: Start | None) -> DualityGap:
    """The best claim about the distinct rows: by a factor of low rank, from a start, or by a factor of any rank."""
    if start is not None:
        objective: Any = machine.problem.objective
        upper = replace(objective, C=start.C).upper(machine.problem.cost)
        machine.start(space.gathered(start.alpha), np.full(machine.offsets.size, start.b), upper)
    ways = (
        lambda: by_factor(machine, space.factor(machine.budget.check_time)),
        lambda: machine.solve(tol),
        lambda: by_factor(machine, any_factor(space.gram, machine.budget.check_time)),
    )
    return best_claim(ways, machine, tol)


def by_factor(machine: KernelMachine, factor: Rows | None) -> DualityGap | None:
    """The claim by a factor of the kernel matrix, whose rows are a linear problem with the same dual."""
    if factor is None:
        return None
    found = linear_optimum(machine, factor)
    alpha = np.zeros(machine.alpha.size)
    alpha[found.certificate.support] = found.certificate.alpha
    return Answer(alpha, machine.dual.y * alpha, float(found.b)).claim(machine.problem)


def linear_optimum(machine: KernelMachine, rows: Rows) -> Solution:
    """The linear machine of rows in place of the kernel; rows that are rounded have no hard margin worth a proof."""
    problem = machine.problem
    linear = Problem(rows, problem.y, 2, problem.cost, problem.fit_intercept)
    objective: Any = problem.objective
    C, squared = objective.C, objective.squared
    if objective.hard and rows is not problem.X:
        C, squared = HARD_C / max(float(machine.gram.diagonal.mean()), TINY), False
    left = None if machine.budget.seconds == np.inf else max(machine.budget.seconds, MIN_SECONDS)
    found = linear_svm(linear, C=C, squared=squared, tol=LINEAR_TOL, time_limit=left)
    machine.budget.used += found.history.iterations
    return found


def in_the_span_of_pivots(problem: Problem, space: KernelSpace, machine: KernelMachine, rank: int) -> DualityGap:
    """The claim of the best plane in the span of some rows: its objective, and a bound of the whole space below it."""
    half = 0.5 * machine.budget.seconds  # the rest is for the plane
    found = nystroem(space.gram, rank, lambda: None, lambda: machine.budget.seconds < half)
    linear = linear_optimum(machine, found.L)
    machine.alpha[linear.certificate.support] = linear.certificate.alpha
    alpha = space.shared(problem, machine.alpha)
    coefficients = np.zeros(problem.n_rows)
    first = np.arange(problem.n_rows) if space.distinct is None else space.distinct.first
    coefficients[first[found.pivots]] = found.expansion(linear.w)
    support = np.flatnonzero((coefficients != 0.0) | (alpha > 0.0))
    return DualityGap.issue(problem, coefficients[support], float(linear.b), alpha[support], support)
