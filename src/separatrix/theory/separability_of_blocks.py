"""Complete, quasi-complete or no separation of rows in blocks, from the verdict on few of them (`theory.separability`).

Rows of a subset that prove that no plane separates them prove it for all. A plane that separates a subset is held
against all rows in a pass, and those that it has on the wrong side join the subset, until there are none. The same
holds of weak planes, and of the space that an overlap spans.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.certificates import InteriorOverlap, Overlap, Separator, Unproved, WeakSeparator
from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold
from separatrix.rows import read_only
from separatrix.solvers.blocks.gathered_rows import GatheredRows
from separatrix.solvers.blocks.hard_margin import hard_margin_steps, overlap_of_all
from separatrix.solvers.blocks.hinge import LIMITS, Limits, all_rows_fold
from separatrix.solvers.blocks.sample_of_rows import sample_fold
from separatrix.solvers.blocks.side_by_side import Steps, work_through
from separatrix.solvers.budget import Budget
from separatrix.theory.separability import Verdict, separability_verdict

MIN_SAMPLE, SAMPLE_ROWS_PER_COLUMN = 1000, 30  # rows to begin with
JOINING_RATIO = 4  # one part in so many of the rows at the beginning joins in a pass
MAX_ROUNDS = 60
MAX_ON_PLANE = 2**24  # numbers of rows on a weakly separating plane that its certificate can name
MARGIN_TOL = 1e-6  # of the largest margin


def separability_of_blocks(
    problem: BlockedProblem,
    time_limit: float | None = None,
    limits: Limits = LIMITS,
    seed: int = 0,
) -> Verdict:
    """Decide whether planes separate classes whose rows come in blocks.

    >>> from separatrix.data.blocks import read_blocks
    >>> blocks = [(np.array([[0.0], [1.0]]), [0, 0]), (np.array([[2.0], [3.0]]), [1, 0])]
    >>> separability_of_blocks(read_blocks(blocks).encoded().problem).kind
    'overlap'
    """
    budget = Budget(MAX_ROUNDS, np.inf if time_limit is None else time_limit)
    return work_through(problem, [verdict_steps(problem, budget, limits, seed)])[0].answer


def verdict_steps(problem: BlockedProblem, budget: Budget, limits: Limits, seed: int) -> Steps[Verdict]:
    """Verdicts on more and more rows, until one holds for all."""
    if problem.n_rows <= limits.rows:
        everything = yield all_rows_fold(limits)
        if everything is not None:
            return separability_verdict(posed(problem, everything), seconds_of(budget))
    size = min(limits.most(problem.n_features), max(MIN_SAMPLE, SAMPLE_ROWS_PER_COLUMN * problem.n_features))
    rows: GatheredRows = yield sample_fold(problem, min(size, limits.sample), seed)
    most, settled = max(1, rows.size // JOINING_RATIO), None
    while not budget.spent():
        verdict = separability_verdict(posed(problem, rows), seconds_of(budget))
        if verdict.kind == "undecided":
            return of_all(verdict, rows, problem)
        settled, joining = yield from {
            "complete": complete_steps, "quasi-complete": weak_steps, "overlap": overlap_steps,
        }[verdict.kind](problem, rows, verdict, most)  # fmt: skip
        if settled is not None:
            break
        rows = rows.merged(joining)  # type: ignore[arg-type]
    if settled is None:
        return Verdict("undecided", Unproved("the time or the passes were over before planes were found for all rows"))
    if settled.kind == "complete" and problem.n_classes == 2 and budget.left > 0:
        posed_hard = problem.posed(SoftMargin(np.inf))
        steps = hard_margin_steps(
            posed_hard, rows, limits.most(problem.n_features), MARGIN_TOL, Budget(10_000, budget.seconds)
        )
        machine = (yield from steps).certificate
        return Verdict("complete", machine.separator, machine) if machine.separator.proof else settled
    return settled


def posed(problem: BlockedProblem, rows: GatheredRows) -> Problem:
    """The question that gathered rows make."""
    return rows.problem(problem.fit_intercept, None, problem.n_classes)


def seconds_of(budget: Budget) -> float | None:
    """The seconds that are left; None where there is no limit."""
    return None if budget.seconds == np.inf else budget.seconds


def of_all(verdict: Verdict, rows: GatheredRows, problem: BlockedProblem, spans: bool = False) -> Verdict:
    """A verdict of gathered rows, with a proof that names them among all."""
    claim: Any = verdict.certificate
    if isinstance(claim, Overlap):
        claim = overlap_of_all(claim, rows.numbers, problem.n_rows, spans)
    elif isinstance(claim, InteriorOverlap):
        claim = replace(claim, index=read_only(rows.numbers[claim.index]), n_rows=problem.n_rows)
    else:
        claim = Unproved("neither planes that separate the classes were found, nor a proof that there are none")
    return Verdict(verdict.kind, claim)


Found = tuple[Verdict | None, GatheredRows | None]


def complete_steps(problem: BlockedProblem, rows: GatheredRows, verdict: Verdict, most: int) -> Steps[Found]:
    """Whether planes that separate gathered rows separate all, and rows that they have on the wrong side."""
    claim: Any = verdict.certificate
    weak = isinstance(claim, WeakSeparator)
    planes = claim.planes(posed(problem, rows)) if weak else Planes.of(claim.w, claim.b)

    def violation(block: Problem) -> np.ndarray:
        margins, rounding, lengths = planes.margins(block)
        return ((rounding - margins) / lengths).max(axis=1)

    joining = yield joining_fold(violation, rows.numbers, most)
    if joining.size:
        return None, joining
    if weak:  # the strict plane is one in integers, which doubles cannot hold
        return (yield from weak_steps(problem, rows, verdict, most))
    examined = yield Separator.examination(claim.w, claim.b)
    separator = replace(claim, mistakes=None, examined=examined, n_rows=problem.n_rows)
    return Verdict("complete" if separator.proof else "undecided", separator), None


def weak_steps(problem: BlockedProblem, rows: GatheredRows, verdict: Verdict, most: int) -> Steps[Found]:
    """Whether a plane that separates gathered rows weakly has no other row on the wrong side, and those that it has."""
    claim: Any = verdict.certificate

    def violation(block: Problem) -> np.ndarray:
        inequalities = Inequalities(block)
        values = inequalities.values(claim.v, np.arange(inequalities.n))
        return -values.reshape(block.n_rows, -1).min(axis=1)

    joining = yield joining_fold(violation, rows.numbers, most)
    if joining.size:
        return None, joining
    on = yield Fold(lambda block, first: first + np.flatnonzero(violation(block) == 0.0), joined_numbers, np.asarray)
    if on.size > MAX_ON_PLANE:
        return Verdict(
            "undecided", Unproved(f"a plane that no row is on the wrong side of has {on.size:,} on itself")
        ), None
    overlap = None if claim.overlap is None else overlap_of_all(claim.overlap, rows.numbers, problem.n_rows)
    settled = replace(claim, on=read_only(on), overlap=overlap, n_rows=problem.n_rows)
    return Verdict(verdict.kind, settled, recession_basis=verdict.recession_basis), None


def overlap_steps(problem: BlockedProblem, rows: GatheredRows, verdict: Verdict, most: int) -> Steps[Found]:
    """Whether the rows of an overlap span all rows, and some that they do not."""
    claim: Any = verdict.certificate
    if not isinstance(claim, Overlap) or claim.balance is None:
        return of_all(verdict, rows, problem), None
    vectors = Inequalities(posed(problem, rows)).vectors(claim.balance.index)
    if exact.rank_lower_bound(exact.scaled_integers(vectors)[0]) < vectors.shape[1]:
        basis = exact.null_space(vectors)

        def outside(block: Problem) -> np.ndarray:
            inequalities, found = Inequalities(block), np.zeros(block.n_rows)
            numbers = inequalities.not_orthogonal(np.arange(inequalities.n), basis)
            found[inequalities.row_of(numbers)] = 1.0
            return found

        joining = yield joining_fold(outside, rows.numbers, most)
        if joining.size:
            return None, joining
    return of_all(verdict, rows, problem, spans=True), None


def joining_fold(violation: Any, numbers: np.ndarray, most: int) -> Fold:
    """A pass that gathers rows whose violation is above 0, the largest, of those that are not gathered yet."""

    def tally(block: Problem, first: int) -> GatheredRows:
        found = violation(block)
        named = numbers[np.searchsorted(numbers, first) : np.searchsorted(numbers, first + block.n_rows)] - first
        found[named] = 0.0
        index = np.flatnonzero(found > 0.0)
        return GatheredRows.of(block, first, index, found[index]).largest(most)

    return Fold(tally, lambda one, other: one.merged(other).largest(most), lambda found: found)


def joined_numbers(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The numbers of both, in order."""
    return np.sort(np.concatenate([one, other]))
