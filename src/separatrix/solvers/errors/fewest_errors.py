"""The fewest rows that a plane can get wrong, by implicit hitting sets (Chakravarti, 1994; Parker and Ryan, 1996).

    minimise over w, b    the number of rows i with  y_i (w.x_i + b) <= 0

A conflict is a set of rows, at most d + 2, that no plane separates: every plane gets one of them wrong at least. The
lightest set of rows that meets all conflicts found so far (`certificates.arithmetic.hitting_set`) is no heavier than
the rows that the best plane gets wrong. If a plane separates the rows outside of it, that plane is the best. If none
does, the rows outside hold a conflict that was not known (`solvers.separation.gordan`), and the search goes on.

Most of the work is done without the lightest set. Hitting sets lighter than the errors of the best plane, found by
local search, give new conflicts or a better plane. Each row that the best plane gets wrong is added to the rows that it
gets right, which gives a better plane or a conflict of that row with these. Conflicts that a fractional hitting set
violates are cutting planes that raise its bound.
"""

from dataclasses import replace

import numpy as np
from scipy.optimize import linprog

from separatrix.certificates.arithmetic.hitting_set import minimum_hitting_set
from separatrix.certificates.claims.minimum_errors import MinimumErrors, restrict
from separatrix.certificates.claims.overlap import Balance
from separatrix.errors import DataError, NotSeparableError
from separatrix.problem import Problem
from separatrix.problem.distinct import Distinct
from separatrix.problem.scaling import Scaling
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.errors.conflicts import ConflictSearch
from separatrix.solvers.errors.fractional_hitting_set import fractional_hitting_set, linprog_options
from separatrix.solvers.errors.heuristic_planes import heuristic_planes
from separatrix.solvers.errors.hitting_set_search import light_hitting_set
from separatrix.solvers.options import number
from separatrix.solvers.separation.gordan import MAX_EXACT_DIMENSION, exact_balance
from separatrix.solvers.separation.quotient_space import QuotientSpace
from separatrix.solvers.svm.linear_svm import linear_svm


def pack_conflicts(search: ConflictSearch) -> None:
    """Find disjoint conflicts: every plane gets at least one row of each wrong, which adds up to a lower bound."""
    remaining = search.all
    while search.budget.left > 0 and (conflict := search.find_conflict(remaining)) is not None:
        remaining = np.setdiff1d(remaining, conflict.index)
        search.lower += int(search.counts[conflict.index].min())
    search.stalled = not search.conflicts and search.upper > 0


def refute_or_improve(search: ConflictSearch, hit: np.ndarray) -> None:
    """Find disjoint conflicts among the rows that a hitting set leaves, until a plane separates the rest."""
    remaining, known, before = np.setdiff1d(search.all, hit), len(search.conflicts), search.upper
    while search.budget.left > 0 and (conflict := search.find_conflict(remaining)) is not None:
        remaining = np.setdiff1d(remaining, conflict.index)
    if search.upper < before:
        improve(search)
    unchanged = len(search.conflicts) == known and search.upper > search.weight(hit)
    search.stalled = unchanged and search.budget.left > 0


def improve(search: ConflictSearch) -> None:
    """Add each row that the incumbent gets wrong to those it gets right, where a plane separates them all."""
    right = np.setdiff1d(search.all, search.wrong)
    for row in search.wrong[np.argsort(-search.counts[search.wrong], kind="stable")].tolist():
        if search.finished:
            return
        enlarged = np.sort(np.append(right, row))
        if search.find_conflict(enlarged) is None:
            right = enlarged


MIN_VIOLATION = 1e-3  # by which the sum of e over a conflict is below 1
PROGRAMS_PER_ROUND = 8
LOG_SCALE_RANGE = 1.5  # of the random scales, which make these programs differ
MIN_COST = 1e-4  # added to e, as rows with e = 0 would be free
MIN_CONFLICT_WEIGHT = 1e-9  # u from which on a row is in the conflict


def separate(search: ConflictSearch, e: Vector) -> bool:
    """Separation oracle: add conflicts whose constraint a fractional hitting set e violates; whether there were any.

        minimise  sum_i e_i u_i   subject to   sum_i u_i s_i a_i = 0,   sum_i u_i = 1,   u >= 0

    at random scales s. This minimises not the sum of e over the conflict, but makes it small.
    """
    space, known = QuotientSpace(search.inequalities, search.all), len(search.conflicts)
    Z = space.float_vectors(search.all)
    Z = Z / np.maximum(np.linalg.norm(Z, axis=1), TINY)[:, None]
    for _ in range(PROGRAMS_PER_ROUND):
        if search.budget.left <= 0:
            break
        scale = np.exp(search.rng.uniform(-LOG_SCALE_RANGE, LOG_SCALE_RANGE, search.all.size))
        A = np.vstack([Z.T * scale, np.ones(search.all.size)])
        b = np.append(np.zeros(Z.shape[1]), 1.0)
        found = linprog(e + MIN_COST, A_eq=A, b_eq=b, options=linprog_options(search.budget.seconds))
        support = search.all[:0] if found.x is None else np.flatnonzero(found.x > MIN_CONFLICT_WEIGHT)
        if support.size and e[support].sum() < 1.0 - MIN_VIOLATION:
            balance = exact_balance(space, support, (found.x * scale)[support])
            if balance is not None:
                search.add_conflict(space, balance)
    return len(search.conflicts) > known


GROWTH_ROUNDS, MIN_GROWTH = 10, 1.01  # the bound must grow by this factor in so many rounds


def raise_lower_bound(search: ConflictSearch) -> np.ndarray:
    """Cutting planes: add violated conflicts while the fractional bound grows; returns the rows with e above 1/2."""
    values, e = [0.0], np.zeros(search.all.size)
    while not search.finished and values[-1] >= MIN_GROWTH * values[-GROWTH_ROUNDS:][0]:
        relaxed = fractional_hitting_set(search.sets, search.counts, search.budget.seconds)
        e, search.lower = relaxed.e, max(search.lower, relaxed.lower_bound)
        values.append(relaxed.value)
        if search.finished or not separate(search, e):
            break
    return np.flatnonzero(e > 0.5)


def try_light_hitting_sets(search: ConflictSearch, start: np.ndarray) -> None:
    """Test the lightest hitting sets that local search finds, by bisection between the bounds."""
    search.min_weight = max(search.min_weight, search.lower)
    while not search.finished and search.min_weight < search.upper:
        max_weight = (search.min_weight + search.upper - 1) // 2
        hit = light_hitting_set(search.sets, search.counts, max_weight, start, search.rng)
        if hit is None:
            search.min_weight = max_weight + 1  # none later either, as conflicts are only added
        else:
            refute_or_improve(search, hit)
            start = hit


FIRST_PROGRAM_SECONDS, MIN_PROGRAM_SECONDS = 10.0, 0.01  # time limit of the first integer program, and of any
SECONDS_GROWTH = 3.0  # factor of that limit after a program that did not finish
MIN_TIME_SHARE = 0.8  # of the time that is left, where it is limited: a program that is repeated begins anew


def minimise_errors(search: ConflictSearch) -> None:
    """Search until the incumbent is proved to be optimal, or the search cannot go on."""
    pack_conflicts(search)
    improve(search)
    seconds, start = FIRST_PROGRAM_SECONDS, raise_lower_bound(search)
    while not search.finished:
        known = len(search.conflicts)
        try_light_hitting_sets(search, start)
        start = raise_lower_bound(search)
        if search.finished or len(search.conflicts) > known:
            continue
        left = search.budget.seconds
        limit = max(min(seconds, left), MIN_TIME_SHARE * left if left < np.inf else 0.0, MIN_PROGRAM_SECONDS)
        hits = minimum_hitting_set(search.sets, search.counts, limit)
        search.lower = max(search.lower, min(hits.lower_bound, search.upper))
        if hits.rows is None or search.weight(hits.rows) > hits.lower_bound:
            seconds *= SECONDS_GROWTH
        if hits.rows is not None and search.weight(hits.rows) < search.upper:
            refute_or_improve(search, hits.rows)
            start, search.min_weight = hits.rows, search.weight(hits.rows)


def fewest_errors(problem: Problem, time_limit: float | None = None) -> MinimumErrors:
    """Find the plane that gets the fewest rows of two classes wrong, whatever their costs, and the proof of that.

    >>> problem = Problem(np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1]))
    >>> found = fewest_errors(problem)
    >>> int(found), found.conflicts  # exclusive or: the diagonals of a square meet
    (1, [[0, 1, 2, 3]])
    """
    if problem.n_classes != 2:
        raise DataError(f"Errors of one plane are counted for two classes. Got {problem.n_classes}.")
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    distinct, budget = Distinct.of(problem), Budget(1, seconds)
    different = restrict(problem, distinct.first)
    search = ConflictSearch(different, distinct.counts, budget)
    for plane in heuristic_planes(different, budget):
        search.consider(*plane)
        if search.upper == 0:
            break
    if search.upper > 0 and search.inequalities.dimension <= MAX_EXACT_DIMENSION:
        minimise_errors(search)
    widen_margin(search)
    conflicts = [Balance(distinct.first[each.index], each.weights) for each in sufficient_conflicts(search)]
    return MinimumErrors.issue(problem, (search.w, search.b), distinct.members(search.wrong), search.lower, conflicts)


def widen_margin(search: ConflictSearch) -> None:
    """Replace the best plane by the one with the largest margin on the rows that it gets right, if there is time.

    Planes of the search may have margins of the size of rounding errors, on which predictions are not reliable.
    """
    right = restrict(search.problem, np.setdiff1d(search.all, search.wrong))
    if search.budget.left <= 0 or np.unique(right.y).size < 2:
        return
    scaling = Scaling.of(right.X, np.ones(right.n_rows), right.fit_intercept)
    limit = search.budget.seconds if search.budget.seconds < np.inf else None
    try:
        solution = linear_svm(replace(right, X=scaling.scaled(right.X)), C=np.inf, time_limit=limit)
    except NotSeparableError:  # in doubles
        return
    search.consider(solution.w / scaling.unit, float(solution.b), as_good=True)


def sufficient_conflicts(search: ConflictSearch) -> list[Balance]:
    """Conflicts that prove the lower bound: those with a multiplier in the fractional program, if they suffice."""
    conflicts = list(search.conflicts.values())
    if search.lower == 0:
        return []
    relaxed = fractional_hitting_set(search.sets, search.counts)
    kept = [conflicts[k] for k in relaxed.binding]
    enough = kept and fractional_hitting_set([each.index for each in kept], search.counts).lower_bound >= search.lower
    return kept if enough else conflicts
