"""Whether mixtures of two classes meet in one point, so that no plane tells the reduced hulls apart: w = 0.

    sum_i alpha_i y_i x_i = 0,      0 <= alpha_i <= c_i,      sum_i alpha_i >= nu W

Doubles leave a small sum r in place of 0. An alpha that makes it vanish in real numbers is next to the one that is
known: on some rows that are inside of their bounds it differs by d, where

    M'd = -r,     M: the rows [x_i, 1, y_i]

With a matrix R for which ||I - M'R|| <= e < 1, d = R (M'R)^-1 (-r) is a solution, no entry of which is larger than that
row of |R| makes of ||r|| / (1 - e). Where all fit into their bounds, the mixtures meet (Krawczyk, 1969). Small systems
are solved in fractions.
"""

import numpy as np

from separatrix import rows
from separatrix.enclosures import Interval, enclosed_sum
from separatrix.enclosures.elementwise import INFLATED
from separatrix.enclosures.exact_equations import exact_row_sums, exact_solution, fractions
from separatrix.objectives.bounds.feasible_point import FeasiblePoint
from separatrix.objectives.bounds.measurement import MAX_EXACT_ENTRIES, enclosed_normal, exact_normal
from separatrix.problem import Problem
from separatrix.problem.distinct import row_bytes
from separatrix.products import dense_rows
from separatrix.rows import CSR, Vector, rounding_bound

ROWS_PER_EQUATION = 4  # rows with room that share what is left
MAX_EQUATIONS = 1000  # of a system that is solved
MAX_EXACT_PRODUCTS = 2**14  # of an elimination in fractions


def mixtures_meet(problem: Problem, point: FeasiblePoint, total: Interval) -> bool:
    """Whether the mixtures of a feasible point, or others next to it, are one point for certain."""
    if problem.kernel is not None and not problem.kernel.is_linear:
        return equal_rows_suffice(problem, total)
    return has_correction(problem, point) or equal_rows_suffice(problem, total)


def equal_rows_suffice(problem: Problem, total: Interval) -> bool:
    """Whether weights of equal rows of both classes cancel in the space of any kernel, up to a total."""
    places: dict[bytes, int] = {}
    group = np.fromiter((places.setdefault(row, len(places)) for row in row_bytes(problem.X)), np.int64, problem.n_rows)
    weights = np.bincount(2 * group + (problem.y == 1), problem.cost, 2 * len(places)).reshape(-1, 2)
    whole = bool((problem.cost == np.rint(problem.cost)).all()) and float(problem.cost.sum()) < 2.0**52
    lost = 0.0 if whole else rounding_bound(problem.n_rows)
    return 2.0 * enclosed_sum(weights.min(axis=1) * (1.0 - lost)).low >= total.high


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def has_correction(problem: Problem, point: FeasiblePoint) -> bool:
    """Whether some alpha inside of their bounds can make up for what rounding leaves of the sums."""
    room = np.minimum(np.abs(point.beta), problem.cost[point.support] - np.abs(point.beta)) - abs(point.excess).high
    used = filled_columns(problem, point.support)
    n_equations = int(used.sum()) + 1 + problem.fit_intercept
    chosen = np.argsort(-room, kind="stable")[: ROWS_PER_EQUATION * n_equations]
    chosen = chosen[room[chosen] > 0.0]
    if n_equations > MAX_EQUATIONS:
        return False
    if n_equations**2 * chosen.size <= MAX_EXACT_PRODUCTS:
        return has_exact_correction(problem, point, chosen, room[chosen])
    if chosen.size < n_equations:
        return False
    exact = rows.n_entries(problem.X) <= MAX_EXACT_ENTRIES
    normal = exact_normal(problem, point) if exact else enclosed_normal(problem, point)
    left = np.abs(normal.value) + normal.radius
    M, unit = equations(problem, point.support[chosen], used)
    if problem.fit_intercept and np.ptp(problem.signs[point.support[chosen]]) == 0:
        M = M[:, :-1]  # in one class, what beta adds up to says what alpha does
    return bounded_solution(M, np.append(left[used] / unit, np.zeros(M.shape[1] - unit.size)), room[chosen])


def has_exact_correction(problem: Problem, point: FeasiblePoint, chosen: np.ndarray, room: Vector) -> bool:
    """Whether the equations have a solution within bounds, in fractions: also where columns depend on each other."""
    signs, beta = problem.signs[point.support].astype(np.float64), fractions(point.beta)
    X = dense_rows(problem.X, point.support)
    if problem.fit_intercept:
        X, beta[point.place] = np.column_stack([X, np.ones(signs.size)]), beta[point.place] - sum(beta)
    missing = [-value for value in exact_row_sums(X, beta)]
    X, missing = np.column_stack([X, signs]), [*missing, 0 * beta[0]]  # what alpha adds up to stays as it is
    found = exact_solution(X[chosen], missing)
    if found is None:
        return False
    return all(abs(change) <= most for change, most in zip(found, fractions(room), strict=True))


def equations(problem: Problem, index: np.ndarray, used: np.ndarray) -> tuple[Vector, Vector]:
    """The matrix [x, 1, y] of some rows, its columns divided by powers of two, and these powers."""
    X = dense_rows(problem.X, index)[:, used]
    X = X - X[0] if problem.fit_intercept else X
    unit = np.exp2(np.ceil(np.log2(np.maximum(np.abs(X).max(axis=0), np.finfo(float).tiny))))
    ones = [np.ones((index.size, 1))] if problem.fit_intercept else []
    return np.hstack([X / unit, *ones, problem.signs[index][:, None].astype(np.float64)]), unit


def filled_columns(problem: Problem, support: np.ndarray) -> np.ndarray:
    """Which columns are not 0 in the rows of a dual point, or not constant where all beta add up to 0."""
    X = rows.take(problem.X, support)
    if isinstance(X, CSR):
        return np.bincount(X.indices, minlength=X.n_columns) > 0
    return (X[0] != X).any(axis=0) if problem.fit_intercept else (X != 0.0).any(axis=0)


def bounded_solution(M: Vector, left: Vector, room: Vector) -> bool:
    """Whether M'd = r has a solution within +-room, for every r of entries at most those of `left`.

    >>> M = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 0.5]])
    >>> bounded_solution(M, np.full(2, 1e-3), np.full(3, 1e-2)), bounded_solution(M, np.ones(2), np.full(3, 1e-2))
    (True, False)
    """
    needed = solution_bounds(M, left)
    return needed is not None and bool((needed <= room).all())


def solution_bounds(M: Vector, left: Vector) -> Vector | None:
    """What no entry of some solution of M'd = r exceeds, for every r of entries at most those of `left`; or None.

    >>> solution_bounds(np.array([[1.0, 1.0], [1.0, -1.0]]), np.full(2, 0.5)).round(6).tolist()
    [0.5, 0.5]
    """
    try:
        R = np.linalg.pinv(M).T
    except np.linalg.LinAlgError:
        return None
    rounding = rounding_bound(len(M) + 4) * (np.abs(M).T @ np.abs(R))
    e = float((np.abs(np.eye(M.shape[1]) - M.T @ R) + rounding).sum(axis=1).max()) * INFLATED
    if not e < 0.5:
        return None
    return np.abs(R).sum(axis=1) * (float(left.max(initial=0.0)) / (1.0 - e)) * (1.0 + 1e-10)
