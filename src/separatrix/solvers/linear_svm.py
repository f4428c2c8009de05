"""The linear support vector machine: the objective of `losses.soft_margin`, solved to a stated gap.

Few features, or few rows, go to the interior-point method, with as many rows as matter (`decomposition`); many of
both go to the augmented Lagrangian. The way is chosen by size alone and does not change the answer.
"""

from typing import Any, Literal

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import NotSeparableError, OptionError
from separatrix.losses import SoftMargin
from separatrix.problem import Problem, Solution, Status
from separatrix.products import combination, dense_rows, scores
from separatrix.rows import UNIT_ROUNDOFF, Vector, length
from separatrix.solvers.augmented_lagrangian import augmented_lagrangian
from separatrix.solvers.budget import Budget
from separatrix.solvers.coordinates import Coordinates
from separatrix.solvers.decomposition import Decomposition, spread_out
from separatrix.solvers.offset import best_offset, widest_offset
from separatrix.solvers.options import first_planes, number, whole

Route = Literal["auto", "interior", "lagrangian"]

MOST_COLUMNS = 1500  # of the matrix that the interior-point method factors
MOST_ENTRIES = 2**26  # of the rows that it holds
ROWS_FOR_COORDINATES = 2000


def linear_svm(
    problem: Problem,
    *,
    C: float = 1.0,
    squared: bool = False,
    start: Any = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
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
    start : ndarray or None
        [w..., b] to start from.
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
    >>> from separatrix.solvers.linear_svm import linear_svm
    >>> problem = Problem(np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]), np.array([1, 1, 0, 0]))
    >>> solution = linear_svm(problem, C=np.inf)
    >>> (solution.w.round(6) + 0.0).tolist(), solution.certificate.error(problem) < 1e-9
    ([1.0, 0.0], True)
    """
    objective = SoftMargin(positive("C", C), squared)
    accuracy = number("tol", tol, above=0.0, most=1.0)
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    budget = Budget(whole("max_iter", max_iter), seconds)
    planes = None if start is None else first_planes(problem, start)[0]
    if chosen(problem, objective, route) == "interior":
        w, b, alpha = by_interior_point(problem, objective, planes, budget)
    else:
        w, b, alpha, used = augmented_lagrangian(
            problem.X, problem.signs.astype(np.float64), objective.C * problem.cost, squared=squared,
            fit_intercept=problem.fit_intercept, start=None if planes is None else (planes[:-1], planes[-1], None),
            tol=0.5 * accuracy, max_iter=budget.max_iter, deadline=budget.deadline,
        )  # fmt: skip
        budget.used += used
    return answer(problem, objective, w, b, alpha, accuracy, budget)


def positive(name: str, value: Any) -> float:
    """A number above 0, perhaps infinite."""
    if isinstance(value, (float, np.floating)) and value == np.inf:
        return np.inf
    return number(name, value, above=0.0)


def chosen(problem: Problem, objective: SoftMargin, route: Route) -> str:
    """Which way to go."""
    if route not in ("auto", "interior", "lagrangian"):
        raise OptionError(f"The 'route' parameter must be 'auto', 'interior' or 'lagrangian'. Got {route!r}.")
    if route != "auto":
        return route
    if objective.hard:
        return "interior"
    n, d = problem.n_rows, problem.n_features
    fits = min(n, d) <= MOST_COLUMNS and Decomposition.size(n, min(n, d)) * d <= MOST_ENTRIES
    return "interior" if fits else "lagrangian"


def by_interior_point(
    problem: Problem, objective: SoftMargin, planes: Vector | None, budget: Budget
) -> tuple[Vector, float, Vector]:
    """Few features or few rows."""
    n = problem.n_rows
    some = np.arange(n) if problem.n_features > n else spread_out(n, ROWS_FOR_COORDINATES)
    coordinates = Coordinates.of(dense_rows(problem.X, some), problem.fit_intercept)
    work = Decomposition(problem, objective, coordinates, budget)
    v, alpha = work.solve(None if planes is None else coordinates.vector(planes[:-1], planes[-1]))
    return *coordinates.plane(v), alpha


def answer(
    problem: Problem, objective: SoftMargin, w: Vector, b: float, alpha: Vector, tol: float, budget: Budget
) -> Solution:
    """The plane with its offset in place, and its certificate."""
    b = placed(problem, objective, w, b, alpha)
    certificate = DualityGap.issue(problem, w, b, alpha, objective)
    if objective.boxed and certificate.stated > 1e-3 * tol:
        cleared = clear_of_rounding(problem, objective, certificate, alpha)
        certificate = cleared if cleared.primal < certificate.primal else certificate
    if certificate.stated > tol and not objective.hard:
        w_dual = combination(problem.X, alpha * problem.signs)
        b_dual = placed(problem, objective, w_dual, b, 0.0 * alpha)
        other = DualityGap.issue(problem, w_dual, b_dual, alpha, objective)
        certificate = other if other.primal < certificate.primal else certificate
    solved = certificate.stated <= tol
    if objective.hard and not solved and not certificate.proof and budget.left > 0:
        raise NotSeparableError(overlap(problem, certificate))
    return Solution(
        w=np.array(certificate.w),
        b=certificate.b,
        status=Status.SOLVED if solved else Status.STOPPED if budget.left <= 0 else Status.ROUNDED,
        certificate=certificate,
        iterations=max(budget.used, 1),
        passes=max(budget.used, 1),
        alpha=alpha,
    )


def placed(problem: Problem, objective: SoftMargin, w: Vector, b: float, alpha: Vector) -> float:
    """The offset: as it is where rows on the margin decide it, else the middle of what is optimal."""
    if not problem.fit_intercept:
        return 0.0
    if objective.hard:
        return widest_offset(scores(problem.X, w), problem.signs)
    if objective.squared:
        return b
    upper = objective.upper(problem.cost)
    if np.any((alpha > 1e-9 * upper) & (alpha < (1.0 - 1e-9) * upper)):
        return b
    return best_offset(scores(problem.X, w), problem.signs, problem.cost)


def clear_of_rounding(problem: Problem, objective: SoftMargin, found: DualityGap, alpha: Vector) -> DualityGap:
    """The plane a hair larger: where C is large, what rounding takes from rows on the margin is not cheap."""
    inside = (alpha > 0.0) & (alpha < (1.0 - 1e-9) * objective.upper(problem.cost))
    margins = (problem.signs * (scores(problem.X, found.w) + found.b))[inside]
    short = 2.0 * max(0.0, 1.0 - float(margins.min(initial=1.0))) + UNIT_ROUNDOFF * (16.0 + 16.0 * abs(found.b))
    return DualityGap.issue(problem, (1.0 + short) * found.w, (1.0 + short) * found.b, alpha, objective)


def overlap(problem: Problem, certificate: DualityGap) -> str:
    """Why there is no hard margin, by the two mixtures of rows that come nearest."""
    signs, alpha = problem.signs[certificate.support], certificate.alpha
    n_wrong = certificate.separator.examined.n_wrong if certificate.separator else 0
    weights = np.zeros(problem.n_rows)
    weights[certificate.support] = alpha * signs / np.where(signs > 0, *(
        max(float(alpha[signs == side].sum()), np.finfo(float).tiny) for side in (1, -1)
    ))  # fmt: skip
    apart = length(combination(problem.X, weights))
    return (
        "No plane separates the classes, so there is no hard margin: two mixtures of rows, one of each class, are only "
        f"{apart:.2g} apart, where rows are up to {problem.radius:.2g} long, and the plane that came nearest leaves "
        f"{n_wrong:,} of {problem.n_rows:,} rows on the wrong side. Use a finite C."
    )
