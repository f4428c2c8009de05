"""The linear support vector machine: the objective of `losses.soft_margin`, solved to a stated gap.

Few features, or few rows, go to the interior-point method, with as many rows as matter (`decomposition`); many of
both go to the augmented Lagrangian, and so do few where the other way is stuck. The way does not change the answer.
"""

from typing import Any, Literal

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import OptionError
from separatrix.objectives.soft_margin import SoftMargin
from separatrix.objectives.soft_margin_sums import normal_of
from separatrix.problem import Problem, Solution, Status
from separatrix.problem.coordinates import Coordinates
from separatrix.products import dense_rows
from separatrix.rows import Vector, length
from separatrix.solvers.budget import Budget
from separatrix.solvers.options import first_planes, number, whole
from separatrix.solvers.svm.augmented_lagrangian import augmented_lagrangian
from separatrix.solvers.svm.finite_newton import Bend
from separatrix.solvers.svm.outcome import answer
from separatrix.solvers.svm.path.continuation import continued, remembered
from separatrix.solvers.svm.working_set import Decomposition, spread_out
from separatrix.threads import threads_for

Route = Literal["auto", "interior", "lagrangian"]

MOST_COLUMNS = 1500  # of the matrix that the interior-point method factors
MOST_ENTRIES = 2**26  # of the rows that it holds
ROWS_FOR_COORDINATES = 2000
MOST_STEPS = 1000  # of the augmented Lagrangian, where interior points are stuck
FAR = 100.0  # times its spread that the mean of a column is from 0
EXACT = 1e-13  # gap that an optimum for another C leads to
ALIKE = 1e-6  # part of the largest alpha that one may be off, from the same costs
SAME = 1e-9  # part of w that what alpha makes of it may be off
ROUNDED = 1e-14  # part of the terms of a sum that rounding may move it by
FIRST_C, NEXT_C, LAST_C = 1e2, 10.0, 1e11  # for many features; the first and last times the mean square of the rows
ROUGH = 1e-3  # gap at which it shows whether a C is large enough
REACHED, OVERLAP = (
    0.99,
    0.15,
)  # part of its bound that an alpha has reached, part of all that have where classes overlap


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # what overflows is never the best point
def linear_svm(
    problem: Problem,
    *,
    C: float = 1.0,
    squared: bool = False,
    start: Any = None,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    route: Route = "auto",
) -> Solution:
    """Minimise 1/2 ||w||^2 + C sum of hinge losses, or of their squares, to a relative gap of tol.

    Parameters
    ----------
    problem : Problem
        Two classes.
    C : float
        What a unit of slack costs; infinite: no slack is allowed.
    squared : bool
        Whether slacks are squared.
    start : ndarray, DualityGap or None
        [w..., b] to start from, or the certificate of the optimum for another C.
    tol : float
        Relative gap to reach.
    max_iter : int
        Iterations of the solver at most.
    time_limit : float or None
        Seconds at most.
    route : {"auto", "interior", "lagrangian"}
        Which way to go; all lead to the same answer.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.svm.linear_svm import linear_svm
    >>> problem = Problem(np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]), np.array([1, 1, 0, 0]))
    >>> solution = linear_svm(problem, C=np.inf)
    >>> (solution.w.round(6) + 0.0).tolist(), solution.certificate.error(problem) < 1e-9
    ([1.0, 0.0], True)
    """
    objective = SoftMargin(positive("C", C), squared)
    problem = problem.posed(objective)
    accuracy = number("tol", tol, above=0.0, most=1.0)
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    budget = Budget(whole("max_iter", max_iter), seconds)
    known = start if isinstance(start, DualityGap) else None
    start = start if known is None else np.append(known.w, [known.b] * problem.fit_intercept)
    planes = None if start is None else first_planes(problem, start)[0]
    n, d = problem.n_rows, problem.n_features
    interior = chosen(problem, route) == "interior"
    with threads_for(Decomposition.size(n, d) * float(min(n, d)) ** 2 if interior else 0.0):
        if interior:
            found = by_interior_point(problem, planes if known is None else known, accuracy, budget)
        else:
            first = None if planes is None else (planes[:-1], float(planes[-1]), carried(problem, known))
            plane = by_lagrangian(problem, first, accuracy, budget)
            found = answer(problem, *plane, accuracy, budget)
            if objective.boxed and found.status is Status.ROUNDED:  # what is left of slack costs more at the whole C
                plane = by_lagrangian(problem, plane, accuracy, budget)
                found = min(found, answer(problem, *plane, accuracy, budget), key=stated)
        if interior and route == "auto" and stuck(found, objective, accuracy):
            found = another_way(problem, found, accuracy, budget)
        return found


def stuck(found: Solution, objective: SoftMargin, tol: float) -> bool:
    """Whether steps became too short, though rounding is not to blame: rows far from all others may do that."""
    return found.status is Status.ROUNDED and not objective.hard and found.certificate.rounding < tol


def another_way(problem: Problem, found: Solution, tol: float, budget: Budget) -> Solution:
    """The better of what was found and of what the augmented Lagrangian finds."""
    more = Budget(min(budget.left, MOST_STEPS), budget.seconds)
    plane = by_lagrangian(problem, None, tol, more)
    budget.used += more.used
    return min(found, answer(problem, *plane, tol, budget), key=stated)


def stated(found: Solution) -> float:
    """The gap that is claimed."""
    return found.certificate.stated


def positive(name: str, value: Any) -> float:
    """A number above 0, perhaps infinite."""
    if isinstance(value, (float, np.floating)) and value == np.inf:
        return np.inf
    return number(name, value, above=0.0)


def chosen(problem: Problem, route: Route) -> str:
    """Which way to go."""
    if route not in ("auto", "interior", "lagrangian"):
        raise OptionError(f"The 'route' parameter must be 'auto', 'interior' or 'lagrangian'. Got {route!r}.")
    if route != "auto":
        return route
    n, d = problem.n_rows, problem.n_features
    fits = min(n, d) <= MOST_COLUMNS and Decomposition.size(n, min(n, d)) * d <= MOST_ENTRIES
    return "interior" if fits else "lagrangian"


def by_interior_point(problem: Problem, start: Vector | DualityGap | None, tol: float, budget: Budget) -> Solution:
    """Few features or few rows."""
    if isinstance(start, DualityGap):
        work, margins = reused(problem, start, budget)
        found = from_another(work, start, margins, tol)
        if found is not None:
            return found
    else:
        work = Decomposition(problem, coordinates_for(problem), budget)
    plane = (start.w, start.b) if isinstance(start, DualityGap) else None if start is None else (start[:-1], start[-1])
    first = None if plane is None else work.coordinates.vector(*plane)
    v, alpha = work.solve(first)
    found = answered(work, v, alpha, tol)
    if first is None or problem.objective.hard or found.status is Status.SOLVED:
        return found
    known = carried(problem, start) if isinstance(start, DualityGap) else None
    ends = [found, answered(work, first, alpha if known is None else known, tol)]  # it is never worse than the start
    if budget.left > 0:  # which may have led astray
        ends.append(answered(work, *work.solve(), tol))
    return min(ends, key=lambda each: each.certificate.values.gap)


def reused(problem: Problem, start: DualityGap, budget: Budget) -> tuple[Decomposition, Vector | None]:
    """What a start remembers of the same rows, and their margins; None if they are not, or not known to be."""
    bend, coordinates, margins = start.bend, start.coordinates, remembered(problem, start)
    if margins is None or coordinates is None or coordinates.offset != problem.fit_intercept:
        return Decomposition(problem, coordinates_for(problem), budget), margins
    known = Bend(*bend) if bend and same_costs(problem, start, margins) else None
    return Decomposition(problem, coordinates, budget, known), margins


def same_costs(problem: Problem, start: DualityGap, margins: Vector) -> bool:
    """Whether rows cost what they did: alpha of a squared hinge is 2 c times the slack."""
    slope = 2.0 * start.objective.C * problem.cost[start.support] * (1.0 - margins[start.support])
    return bool((np.abs(slope - start.alpha) <= ALIKE * start.alpha.max(initial=0.0)).all())


def from_another(work: Decomposition, start: DualityGap, margins: Vector | None, tol: float) -> Solution | None:
    """From the optimum for another C; None if the start was no optimum of these rows."""
    v, alpha = continued(work, start, margins)
    if alpha is None:
        return None
    found = answered(work, v, alpha, tol)
    return found if exact(work.problem, work.coordinates, found.certificate) else None


def coordinates_for(problem: Problem) -> Coordinates:
    """Coordinates from some of the rows, or from all where they are fewer than features."""
    n = problem.n_rows
    some = np.arange(n) if problem.n_features > n else spread_out(n, ROWS_FOR_COORDINATES)
    X = dense_rows(problem.X, some)
    if not problem.fit_intercept and problem.n_features <= n and far_from_origin(X):
        return Coordinates.turned(X)
    return Coordinates.of(X, problem.fit_intercept)


def far_from_origin(X: Vector) -> bool:
    """Whether columns are so far from 0 that without an offset they are nearly the same, or nearly constant."""
    mean = X.mean(axis=0)
    return bool((np.abs(mean) > FAR * (X - mean).std(axis=0)).sum() > 1)


def answered(work: Decomposition, v: Vector, alpha: Vector, tol: float) -> Solution:
    """The plane with its certificate, which remembers the coordinates, unless they are for just these rows."""
    found = answer(work.problem, *work.coordinates.plane(v), alpha, tol, work.budget)
    if work.coordinates.basis is None:
        found.certificate.remember(work.coordinates, work.known)
    return found


def exact(problem: Problem, coordinates: Coordinates, claim: DualityGap) -> bool:
    """Whether only rounding keeps a plane from the optimum: the gap shows it, and how nearly alpha makes w.

    A gap is nearly the square of what w is wrong by, and next to many slacks ||w||^2 is nothing.
    """
    if claim.stated > max(EXACT, claim.rounding):
        return False
    normal = normal_of(problem, claim.support, claim.alpha * problem.signs[claim.support])
    size = np.abs(coordinates.centre) + (coordinates.scale if coordinates.basis is None else coordinates.scale.max())
    rounding = ROUNDED * float(claim.alpha.sum()) * size
    return bool((np.abs(normal - claim.w) <= SAME * length(claim.w) + rounding).all())


def carried(problem: Problem, claim: DualityGap | None) -> Vector | None:
    """The alpha of an optimum for another C, where rows at their bound stay at it; None where it says nothing here."""
    objective = problem.objective
    if claim is None or claim.n_rows != problem.n_rows or not (objective.boxed and claim.objective.boxed):
        return None
    cost, alpha = problem.cost[claim.support], np.zeros(problem.n_rows)
    at_bound = claim.alpha >= (1.0 - SAME) * claim.objective.upper(cost)
    alpha[claim.support] = np.where(at_bound, objective.upper(cost), claim.alpha)
    return alpha


def by_lagrangian(
    problem: Problem,
    start: tuple[Vector, float, Vector | None] | None,
    tol: float,
    budget: Budget,
) -> tuple[Vector, float, Vector]:
    """Many features and many rows.

    What no alpha reaches does not bind: the optimum of such a C is that of all larger ones, and of the hard margin. A
    small C is soon solved, so it is tried first, roughly until it proves to be one of these.
    """
    objective = problem.objective
    signs, typical = problem.signs.astype(np.float64), float(problem.squares.mean()) or 1.0
    hard, cost = objective.hard, np.ones(problem.n_rows) if objective.hard else problem.cost
    largest = min(objective.C, LAST_C / typical) if hard else objective.C
    known = start is not None and start[2] is not None
    C = largest if known or (objective.squared and not hard) else min(FIRST_C / typical, largest)
    rough = largest > C
    while True:
        gap = max(tol, ROUGH) if rough else tol * (0.1 if largest > C else 0.5)
        w, b, alpha, used = augmented_lagrangian(
            problem.X, signs, C * cost, squared=objective.squared and not hard, fit_intercept=problem.fit_intercept,
            start=start, tol=gap, max_iter=max(1, budget.left), deadline=budget.deadline,
        )  # fmt: skip
        budget.used += used
        bound = np.count_nonzero(alpha > REACHED * C * cost)
        if (not rough and (largest <= C or not bound)) or budget.left <= 0:
            return w, b, alpha
        start = w, b, alpha
        if bound:  # where many are at once, classes overlap, and a smaller C says nothing
            C = largest if bound > OVERLAP * np.count_nonzero(alpha) and not hard else min(NEXT_C * C, largest)
        rough = bool(bound) and largest > C
