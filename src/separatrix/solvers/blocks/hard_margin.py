"""The hard margin over blocks, and the planes that separate: constraints are generated (Kelley, 1960).

    minimise over w, b    1/2 ||w||^2    with    y_i (w.x_i + b) >= 1  for every row i

The optimum of some rows is a lower bound for all, and rows that prove that no plane separates them prove it for all. A
pass gathers the rows of the smallest margins below 1, which join, until there are none.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from separatrix.certificates import Overlap, Separator
from separatrix.certificates.claims.overlap import Balance
from separatrix.errors import NotSeparableError
from separatrix.objectives import DualPoint, SoftMargin
from separatrix.problem import Problem, Solution
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold, as_it_is, joined
from separatrix.rows import Vector, read_only
from separatrix.solvers.blocks.gathered_rows import GatheredRows
from separatrix.solvers.blocks.hinge_claim import claimed, solution_of
from separatrix.solvers.blocks.side_by_side import Steps
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.svm.outcome import not_separable

MAX_VIOLATION = 1e-10  # of a margin of 1, above which a row joins
JOINING_RATIO = 8  # one part in so many of the rows that may be gathered joins in a pass
MAX_ROUNDS = 60


class Margin(NamedTuple):
    """A plane that separates the gathered rows, these rows, and what all rows say of the plane."""

    solution: Solution
    rows: GatheredRows
    violated: int


def hard_margin_steps(
    problem: BlockedProblem, rows: GatheredRows, most: int, tol: float, budget: Budget
) -> Steps[Solution]:
    """The hard margin of all rows, from some."""
    found = yield from margin_steps(problem, rows, most, tol, budget)
    claim = found.solution.certificate
    plane, dual = (claim.w, claim.b), DualPoint(found.rows.numbers[claim.support], claim.alpha)
    folds = problem.objective.fold(*plane, dual), Separator.examination(*plane)
    values, examined = yield joined(folds, [as_it_is] * 2)
    values = (yield values) if isinstance(values, Fold) else values
    separator = Separator(read_only(np.array(claim.w)), read_only(np.array(claim.b)), None, examined, problem.n_rows)
    return solution_of(claimed(problem, plane, dual, values, separator), tol, budget)


def margin_steps(problem: BlockedProblem, rows: GatheredRows, most: int, tol: float, budget: Budget) -> Steps[Margin]:
    """The plane with the largest margin from gathered rows that all other rows respect too."""
    for _ in range(MAX_ROUNDS):
        some = rows.problem(problem.fit_intercept, SoftMargin(np.inf))
        solution = hard_margin_of(problem, some, rows, tol, budget)
        w, b = reaching_one(some, solution)
        violated, joining = yield violated_fold((w, b), rows.numbers, max(1, most // JOINING_RATIO))
        if not violated or budget.spent():
            break
        if rows.size + joining.size > most:  # rows far beyond the margin may leave
            margins = some.margins(w, b)
            support = np.zeros(rows.size)
            support[solution.certificate.support] = 1.0
            value = np.where(support > 0.0, 0.0, margins)
            rows = rows._replace(value=value).smallest(max(1, most - joining.size))[0]
        rows = rows.merged(joining)
    return Margin(solution, rows, violated)


def hard_margin_of(problem: BlockedProblem, some: Problem, rows: GatheredRows, tol: float, budget: Budget) -> Solution:
    """The hard margin of some rows; rows that prove that there is none are named by their numbers among all."""
    seconds = None if budget.seconds == np.inf else max(budget.seconds, 1e-3)
    try:
        return linear_svm(some, C=np.inf, tol=tol, max_iter=max(1, budget.left), time_limit=seconds)
    except NotSeparableError as refusal:
        raise renamed(refusal, rows.numbers, problem.n_rows) from None


def renamed(refusal: NotSeparableError, numbers: np.ndarray, n_rows: int) -> NotSeparableError:
    """A refusal about gathered rows as one about all."""
    found = not_separable(refusal.overlap, numbers)
    found.overlap = overlap_of_all(refusal.overlap, numbers, n_rows)
    return found


def overlap_of_all(overlap: Overlap, numbers: np.ndarray, n_rows: int, spans: bool = False) -> Overlap:
    """An overlap of gathered rows as one of all rows; that they span all others has to be known of these."""
    balance = balance_of_all(overlap.balance, numbers, overlap.rivals) if spans and overlap.balance else None
    hulls = balance_of_all(overlap.hulls, numbers, overlap.rivals)
    return replace(overlap, hulls=hulls, balance=balance, n_rows=n_rows)


def balance_of_all(balance: Balance, numbers: np.ndarray, rivals: int) -> Balance:
    """Vectors of gathered rows that cancel, by their numbers among those of all rows."""
    index = numbers[balance.index // rivals] * rivals + balance.index % rivals
    return Balance(read_only(index), balance.weights)


def reaching_one(some: Problem, solution: Solution) -> tuple[Vector, float]:
    """The plane scaled so that the nearest of the gathered rows has a margin of 1."""
    least = float(some.margins(solution.w, solution.b).min())
    return (solution.w / least, solution.b / least) if least > 0.0 else (solution.w, solution.b)


def violated_fold(plane: tuple[Vector, float], numbers: np.ndarray, most: int) -> Fold:
    """A pass for how many other rows have a margin below 1, and those that violate it most."""

    def tally(block: Problem, first: int) -> tuple[int, GatheredRows]:
        violation = 1.0 - block.margins(*plane)
        inside = numbers[np.searchsorted(numbers, first) : np.searchsorted(numbers, first + block.n_rows)] - first
        violation[inside] = 0.0
        index = np.flatnonzero(violation > MAX_VIOLATION)
        return index.size, GatheredRows.of(block, first, index, violation[index]).largest(most)

    def merge(one: tuple[int, GatheredRows], other: tuple[int, GatheredRows]) -> tuple[int, GatheredRows]:
        return one[0] + other[0], one[1].merged(other[1]).largest(most)

    return Fold(tally, merge, lambda found: found)
