"""The dual value of the robust linear program, enclosed: that of an alpha which is feasible in real numbers.

    maximise  sum_i alpha_i     subject to     0 <= alpha_i <= c_i,     sum_i alpha_i y_i [x_i, 1] = 0

Doubles leave a small sum r in place of 0, and without a penalty nothing makes up for it. An alpha whose sums vanish is
next to the one that is known: on rows that are inside of their bounds it differs by d. Two ways show that it exists and
what it is worth, the second one where data are few:

- all such d of a well-conditioned system are bounded (Krawczyk, 1969), and the value differs by sum_i |d_i| at most;
- d is computed in fractions. An alpha within rounding of its upper bound is then taken to be that bound.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix import rows
from separatrix.enclosures import Enclosed, Interval, enclosed_combination, enclosed_sum
from separatrix.enclosures.elementwise import INFLATED
from separatrix.enclosures.exact_equations import exact_row_sums, exact_solution, fractions, nearest_interval
from separatrix.enclosures.exact_sums import exact_combination, exact_total
from separatrix.objectives.bounds.feasible_point import compensated_sum
from separatrix.objectives.bounds.meeting_mixtures import (
    MAX_EQUATIONS,
    ROWS_PER_EQUATION,
    equations,
    filled_columns,
    solution_bounds,
)
from separatrix.objectives.mean_slack.repair import balanced
from separatrix.objectives.soft_margin_sums import MAX_CHEAP_ENTRIES, MAX_ROUNDING
from separatrix.problem import Problem
from separatrix.products import dense_rows
from separatrix.rows import CSR, UNIT_ROUNDOFF, Vector

MAX_EXACT_ENTRIES = 2**16  # of the support rows, up to which sums over them are fractions
MAX_EXACT_PRODUCTS = 2**20  # of an elimination in fractions
ROOM = 2.0**-40  # part of alpha that is given up for room below its bounds
AT_BOUND = 2.0**-48  # relative distance from an upper bound that is rounding


def dual_value(problem: Problem, alpha: Vector, upper: Vector) -> Interval:
    """Enclose the value of a feasible alpha next to this one; 0, which is that of no alpha at all, where none is known.

    `upper` are doubles that no bound c_i is below.
    """
    for candidate in candidates(problem, np.clip(np.nan_to_num(alpha, nan=0.0), 0.0, upper), upper):
        found = feasible_value(problem, candidate, upper)
        if found is not None:
            return found.positive_part
    return Interval(0.0, 0.0)


def candidates(problem: Problem, alpha: Vector, upper: Vector) -> Iterator[Vector]:
    """Yield alpha, one whose sums are smaller, and one that has room below every bound."""
    yield alpha
    moved = np.clip(balanced(problem, alpha), 0.0, upper)
    if not np.array_equal(moved, alpha):
        yield moved
    yield (1.0 - ROOM) * moved


def feasible_value(problem: Problem, alpha: Vector, upper: Vector) -> Interval | None:
    """Enclose the value of an alpha whose sums vanish, next to one that is within bounds; None where none is known."""
    support = np.flatnonzero(alpha)
    if not support.size:
        return Interval(0.0, 0.0)
    total = enclosed_sum(alpha[support])
    lost = corrected_by(problem, support, alpha[support], upper[support])
    if lost <= MAX_ROUNDING * total.low:
        return total + Interval(-lost, lost)
    exact = exact_value(problem, support, alpha[support], upper[support])
    if exact is not None:
        return exact
    return total + Interval(-lost, lost) if lost < np.inf else None


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def corrected_by(problem: Problem, support: np.ndarray, alpha: Vector, upper: Vector) -> float:
    """An upper bound of sum_i |d_i| of some d that makes the sums vanish; infinite where none is known."""
    room, centred = np.minimum(alpha, upper - alpha), problem.fit_intercept and not isinstance(problem.X, CSR)
    used = filled_columns(problem, support)
    n_equations = int(used.sum()) + problem.fit_intercept
    chosen = np.argsort(-room, kind="stable")[: ROWS_PER_EQUATION * n_equations]
    chosen = chosen[room[chosen] > 0.0]
    if n_equations > MAX_EQUATIONS or chosen.size < n_equations or not n_equations:
        return np.inf if n_equations else 0.0
    M, unit = equations(problem, support[chosen], used)
    M = np.delete(M, M.shape[1] - 1, axis=1)  # sum_i alpha_i is free
    beta = alpha * problem.signs[support]
    centre = rows.dense_row(problem.X, int(support[chosen[0]])) if centred else None
    normal, total = sums_of(problem, support, beta, centre), abs(compensated_sum(beta)).high
    left = np.abs(normal.value) + normal.radius
    if problem.fit_intercept:
        first = rows.dense_row(problem.X, int(support[chosen[0]])) if centre is None else np.zeros(left.size)
        left = np.append((left + np.abs(first) * total)[used] / unit, total)  # as sums over x - first
    else:
        left = left[used] / unit
    needed = solution_bounds(M, left)
    if needed is None or not (needed <= room[chosen]).all():
        return np.inf
    return float(needed.sum()) * (1.0 + 1e-10)


def sums_of(problem: Problem, support: np.ndarray, beta: Vector, centre: Vector | None) -> Enclosed:
    """sum_i beta_i (x_i - centre), each entry rounded once where rows are few."""
    X = rows.take(problem.X, support)
    if rows.n_entries(X) > MAX_CHEAP_ENTRIES:
        return enclosed_combination(X, beta, centre)
    if centre is None:
        return exact_combination(X, beta)
    high, low = exact_total(beta)
    found = exact_combination(X, beta, (np.array([centre, centre]), np.array([-high, -low])))
    return Enclosed(found.value, INFLATED * (found.radius + 4.0 * UNIT_ROUNDOFF * abs(low) * np.abs(centre)))


def exact_value(problem: Problem, support: np.ndarray, alpha: Vector, upper: Vector) -> Interval | None:
    """The value of an alpha whose sums vanish in fractions; None where there is none next to this, or data are many."""
    if support.size * (problem.n_features + 1) > MAX_EXACT_ENTRIES:
        return None
    X, signs = dense_rows(problem.X, support), problem.signs[support].astype(np.float64)
    A = np.hstack([X * signs[:, None], signs[:, None]]) if problem.fit_intercept else X * signs[:, None]
    A = A[:, (A != 0.0).any(axis=0)]
    bounds = exact_shares(problem, support)
    at_bound = alpha >= upper * (1.0 - AT_BOUND)
    exact = [bound if at else a for a, bound, at in zip(fractions(alpha), bounds, at_bound.tolist(), strict=True)]
    left = exact_row_sums(A, exact)
    if any(left):
        room = np.where(at_bound, 0.0, np.minimum(alpha, upper - alpha))
        inside = np.argsort(-room, kind="stable")[: ROWS_PER_EQUATION * A.shape[1]]
        inside = inside[room[inside] > 0.0]
        if not inside.size or inside.size * A.shape[1] * min(A.shape[1], inside.size) > MAX_EXACT_PRODUCTS:
            return None
        change: Any = exact_solution(A[inside], [-value for value in left])
        if change is None:
            return None
        for i, d in zip(inside.tolist(), change, strict=True):
            exact[i] += d
    within = all(0 <= a <= bound for a, bound in zip(exact, bounds, strict=True))
    return nearest_interval(sum(exact, exact[0] * 0)) if within else None


def exact_shares(problem: Problem, index: np.ndarray) -> list[Any]:
    """c_i of some rows, as fractions."""
    totals: list[Any] = []
    for side in (0, 1):
        cost = problem.cost[problem.y == side]
        equal = cost.size == 0 or bool((cost == cost[0]).all())
        totals.append(fractions(cost[:1])[0] * cost.size if equal else sum(fractions(cost)))
    pairs = zip(fractions(problem.cost[index]), problem.y[index].tolist(), strict=True)
    return [cost / totals[side] for cost, side in pairs]


def class_weights(problem: Problem, side: int) -> tuple[Vector, Interval]:
    """The weight of each row, and those of a class added up: its number of rows where all weigh the same."""
    cost = problem.cost[problem.y == side]
    if (cost == cost[0]).all():
        return np.ones(problem.n_rows), Interval.of(float(cost.size))
    return problem.cost, enclosed_sum(cost)
