"""The linear support vector machine: the objective of `losses.soft_margin`, solved to a stated gap.

Few features, or few rows, go to the interior-point method, with as many rows as matter (`decomposition`); many of
both go to the augmented Lagrangian. The way is chosen by size alone and does not change the answer.
"""

from typing import Any, Literal

import numpy as np

from separatrix.errors import OptionError
from separatrix.losses import SoftMargin
from separatrix.problem import Problem, Solution
from separatrix.products import dense_rows
from separatrix.rows import Vector
from separatrix.solvers.augmented_lagrangian import augmented_lagrangian
from separatrix.solvers.budget import Budget
from separatrix.solvers.coordinates import Coordinates
from separatrix.solvers.decomposition import Decomposition, spread_out
from separatrix.solvers.options import first_planes, number, whole
from separatrix.solvers.svm_answer import answer

Route = Literal["auto", "interior", "lagrangian"]

MOST_COLUMNS = 1500  # of the matrix that the interior-point method factors
MOST_ENTRIES = 2**26  # of the rows that it holds
ROWS_FOR_COORDINATES = 2000


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # what overflows is never the best point
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
    >>> solution.w.round(6).tolist(), solution.certificate.error(problem) < 1e-9
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
