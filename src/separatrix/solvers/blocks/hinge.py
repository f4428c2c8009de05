"""The hinge machine over blocks: the objective of `objectives.soft_margin`, exact, in a few passes over all rows.

    minimise over w, b    1/2 ||w||^2 + sum_i c_i max(0, 1 - y_i (w.x_i + b))

A sample is solved in memory. Where rows are so many that its optimum leaves too many of them undecided, steps of
Newton's method on a smoothed hinge follow, one pass each. Then the rows in a band around the margin are gathered, with
sums over the violators beyond it; the program of both is solved in memory, and a pass finds rows that its optimum has
on the other side of the margin. They join the band, until there are none: the optimum of the band is then that of all
rows (`svm.working_set`), and its certificate names alpha of the band, and gives that of all others by a rule.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.certificates import Collected
from separatrix.errors import DataError
from separatrix.problem import History, Plane, Problem, Solution
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold
from separatrix.solvers.blocks.gathered_rows import GatheredRows
from separatrix.solvers.blocks.hard_margin import hard_margin_steps
from separatrix.solvers.blocks.hinge_bands import band_steps
from separatrix.solvers.blocks.hinge_claim import claim_steps
from separatrix.solvers.blocks.hinge_flat import flat_steps, may_be_flat
from separatrix.solvers.blocks.hinge_start import near_steps
from separatrix.solvers.blocks.plane_in_view import PlaneInView
from separatrix.solvers.blocks.sample_of_rows import sample_fold
from separatrix.solvers.blocks.side_by_side import Finished, Steps, against_the_rest, questions_of, work_through
from separatrix.solvers.budget import Budget
from separatrix.solvers.options import number, whole
from separatrix.solvers.svm.linear_svm import coordinates_for, linear_svm
from separatrix.solvers.svm.route import MAX_COLUMNS


class Limits(NamedTuple):
    """How many rows, and how many bytes of them in float64, may be brought together at a time; and rows of a sample."""

    rows: int = 2**17
    bytes: int = 2**26
    sample: int = 2**15

    def most(self, n_features: int) -> int:
        """How many dense rows may be brought together."""
        return max(1, min(self.rows, self.bytes // (8 * max(1, n_features))))


LIMITS = Limits()


def solve(
    problem: BlockedProblem,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    limits: Limits = LIMITS,
    seed: int = 0,
) -> Solution:
    """Minimise a hinge, or find the hard margin, over blocks; of several classes each against the rest.

    The problem's objective is a SoftMargin without squares. Of few rows the answer is that of all of them in memory.

    >>> from separatrix.data.blocks import read_blocks
    >>> from separatrix.objectives import SoftMargin
    >>> blocks = read_blocks(np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]), np.array([1, 1, 0, 0]), rows_per_block=3)
    >>> solution = solve(blocks.encoded().problem.posed(SoftMargin(C=10.0)))
    >>> (solution.w.round(6) + 0.0).tolist(), solution.certificate.stated < 1e-9
    ([1.0, 0.0], True)
    """
    accuracy = number("tol", tol, above=0.0, most=1.0)
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    how = Goals(accuracy, whole("max_iter", max_iter), seconds, limits, seed)
    if problem.n_classes == 2:
        return with_passes(work_through(problem, [steps(problem, how)])[0])
    code = against_the_rest(problem.n_classes)
    found = work_through(problem, [steps(problem.dichotomy(side), how) for side in code.T], questions_of(problem))
    parts = [with_passes(each) for each in found]
    planes = Plane(np.array([part.w for part in parts]), np.array([part.b for part in parts]))
    worst = max(parts, key=lambda part: part.certificate.stated)
    passes = max(part.history.passes for part in parts)
    claim = Collected(code, tuple(part.certificate for part in parts))
    return Solution(planes, claim, worst.status, History(passes, passes))


class Goals(NamedTuple):
    """What each plane is to reach, and with how much."""

    tol: float
    max_iter: int
    seconds: float
    limits: Limits
    seed: int

    @property
    def budget(self) -> Budget:
        """A budget of its own for each plane, whose time begins now."""
        return Budget(self.max_iter, self.seconds)


def with_passes(found: Finished) -> Solution:
    """A solution with the number of passes that were made."""
    solution: Solution = found.answer
    return replace(solution, history=replace(solution.history, passes=found.passes))


def steps(problem: BlockedProblem, how: Goals) -> Steps[Solution]:
    """The passes for one plane; the problem is asked for its census and its objective only."""
    n, d = problem.n_rows, problem.n_features
    budget, most = how.budget, how.limits.most(d)
    if n <= how.limits.rows:
        everything = yield all_rows_fold(how.limits)
        if everything is not None:
            whole_problem = everything.problem(problem.fit_intercept, problem.objective)
            return linear_svm(whole_problem, C=problem.objective.C, tol=how.tol, max_iter=how.max_iter,
                              time_limit=None if how.seconds == np.inf else how.seconds)  # fmt: skip
    if d > MAX_COLUMNS:
        raise DataError(
            f"Hinges over blocks are solved with a matrix of the features, for at most {MAX_COLUMNS:,} of them. Got "
            f"{d:,}. Use loss='squared_hinge' or LogisticClassifier, or choose features."
        )
    sample = yield sample_fold(problem, min(how.limits.sample, max(most // 2, 4 * d)), how.seed)
    if problem.objective.hard:
        return (yield from hard_margin_steps(problem, sample, most, how.tol, budget))
    some = sample.problem(problem.fit_intercept, problem.objective)
    view, least = sample_optimum(some, how.tol, budget)
    if may_be_flat(some, least):
        flat = yield from flat_steps(problem, some, how.tol, budget)
        if flat is not None:
            return flat
    view, width = yield from near_steps(view, (some, sample.value), n, most, budget)
    found, values = yield from band_steps(view, width, most, budget)
    return (yield from claim_steps(problem, found, values, how.tol, budget))


def sample_optimum(some: Problem, tol: float, budget: Budget) -> tuple[PlaneInView, float]:
    """The optimal plane of some rows, and its objective."""
    coordinates = coordinates_for(some)
    found = linear_svm(some, C=some.objective.C, tol=tol, max_iter=max(1, budget.left))
    view = PlaneInView(coordinates, some.objective, coordinates.vector(found.w, found.b))
    return view, found.certificate.primal


def all_rows_fold(limits: Limits) -> Fold:
    """A pass that gathers all rows, if they are few enough; else its answer is None."""

    def limited(found: GatheredRows | None) -> GatheredRows | None:
        return found if found is None or 8 * rows.n_entries(found.X) <= limits.bytes else None

    def merge(one: GatheredRows | None, other: GatheredRows | None) -> GatheredRows | None:
        return None if one is None or other is None else limited(one.merged(other))

    return Fold(
        lambda block, first: limited(GatheredRows.of(block, first, np.arange(block.n_rows), np.zeros(block.n_rows))),
        merge,
        lambda found: found,
    )
