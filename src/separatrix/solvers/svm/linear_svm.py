"""The linear support vector machine: the objective of `objectives.soft_margin`, solved to a stated gap.

Few features, or few rows, go to interior points and Newton's methods, with as many rows as matter (`decomposition`);
many of both go to the augmented Lagrangian, and so do rows of which most entries are zeros. Where one way has stalled
the other is tried. The way does not change the answer.
"""

from typing import Any

import numpy as np

from separatrix.objectives.soft_margin import SoftMargin
from separatrix.problem import Problem, Solution, Status
from separatrix.problem.coordinates import Coordinates, far_from_origin, spread_out
from separatrix.products import dense_rows
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.options import first_planes, number, positive, whole
from separatrix.solvers.svm.decomposition import rows_at_once, solve_by_bands, solve_hinge, solve_squares
from separatrix.solvers.svm.finite_newton import Curvature
from separatrix.solvers.svm.lagrangian.augmented_lagrangian import augmented_lagrangian
from separatrix.solvers.svm.lagrangian.newton_system import NewtonSystems
from separatrix.solvers.svm.outcome import answer
from separatrix.solvers.svm.problem_program import ProblemProgram
from separatrix.solvers.svm.route import Route, chosen, fits_interior_point, without_zeros
from separatrix.solvers.svm.warm_start import WarmStart, continued_optimum, is_exact
from separatrix.solvers.watching import tell
from separatrix.threads import threads_for

COORDINATE_ROWS = 2000  # from which coordinates are computed
MAX_SECOND_STEPS = 1000  # of the augmented Lagrangian where interior points have stalled
INITIAL_C, C_GROWTH, MAX_C = 1e2, 10.0, 1e11  # for many features; the first and last times the mean square of the rows
ROUGH_GAP = 1e-3  # at which it shows whether a C is large enough
AT_BOUND, OVERLAP_RATIO = 0.99, 0.15  # part of its bound, and part of all alphas at it where classes overlap


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
    """Minimise 1/2 ||w||^2 + C sum of hinge losses, or of their squares, to a relative gap of tol, for two classes.

    `start` is [w..., b], or a WarmStart from another C, which this optimum then replaces. The options are those of
    `LinearSVM`; `route` is "auto", "interior" or "lagrangian", which lead to the same answer.

    >>> problem = Problem(np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]), np.array([1, 1, 0, 0]))
    >>> solution = linear_svm(problem, C=np.inf)
    >>> (solution.w.round(6) + 0.0).tolist(), solution.certificate.error(problem) < 1e-9
    ([1.0, 0.0], True)
    """
    objective = SoftMargin(positive("C", C), squared)
    problem = problem.posed(objective)
    tell("problem", problem=problem)
    accuracy = number("tol", tol, above=0.0, most=1.0)
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    budget = Budget(whole("max_iter", max_iter), seconds)
    warm = start if isinstance(start, WarmStart) else WarmStart()
    if start is not None and start is not warm:
        plane = first_planes(problem, start)[0]
        warm.w, warm.b = plane[:-1], float(plane[-1])
    n, d = problem.n_rows, problem.n_features
    interior = chosen(problem, route) == "interior"
    with threads_for(rows_at_once(n, d) * float(min(n, d)) ** 2 if interior else 0.0):
        found = (by_interior_point if interior else by_lagrangian)(problem, warm, accuracy, budget)
        stalled = found.status is Status.ROUNDED and not objective.hard and found.certificate.rounding < accuracy
        if route != "auto" or not stalled:
            return found
        if interior:  # rows far from all others may do that
            return min(found, by_lagrangian(problem, WarmStart(), accuracy, budget, MAX_SECOND_STEPS), key=stated)
        if fits_interior_point(problem):
            return min(found, by_interior_point(problem, WarmStart(), accuracy, budget), key=stated)
        return found


def stated(found: Solution) -> float:
    """The gap that is claimed."""
    return found.certificate.stated


def by_interior_point(problem: Problem, warm: WarmStart, tol: float, budget: Budget) -> Solution:
    """Few features or few rows; leaves its optimum in the warm start."""
    known = warm.is_about(problem)
    coordinates = warm.coordinates if known else None
    if coordinates is None:
        coordinates = problem.shared("coordinates", lambda: coordinates_for(problem))
    program = ProblemProgram(problem, coordinates)
    tell("program", program=program)
    found, curvature = from_start(program, warm, tol, budget, warm.curvature if known else None)
    warm.keep(WarmStart.of(found.certificate))
    warm.problem, warm.curvature = problem, curvature
    warm.coordinates = coordinates if coordinates.basis is None else None
    return found


def from_start(
    program: ProblemProgram, warm: WarmStart, tol: float, budget: Budget, curvature: Curvature | None
) -> tuple[Solution, Curvature | None]:
    """The answer from a warm start, and from nothing where that does not lead to the optimum."""
    problem, coordinates = program.problem, program.coordinates

    def answered(v: Vector, alpha: Vector) -> Solution:
        return answer(problem, *coordinates.plane(v), program.unit * alpha, tol, budget)

    near = continued_optimum(program, warm, budget)
    if near is not None:
        found = answered(*near)
        if is_exact(problem, coordinates, found.certificate):
            return found, None
    first = None if warm.w is None else coordinates.vector(warm.w, warm.b)
    v, alpha, curvature = solve(program, first, budget, curvature)
    found = answered(v, alpha)
    if first is None or problem.objective.hard or found.status is Status.SOLVED:
        return found, curvature
    scaled = warm.scaled_alpha(problem)
    answers = [found, answered(first, alpha if scaled is None else scaled / program.unit)]  # no worse than the start
    if budget.left > 0:
        answers.append(answered(*solve(program, None, budget, None)[:2]))
    return min(answers, key=lambda each: each.certificate.values.gap), None


def solve(
    program: ProblemProgram, v: Vector | None, budget: Budget, curvature: Curvature | None
) -> tuple[Vector, Vector, Curvature | None]:
    """v and alpha of all rows, and the curvature of squared hinges."""
    if program.objective.boxed:
        return *solve_hinge(program, v, budget), None
    if program.objective.hard:
        return *solve_by_bands(program, v, budget), None
    return solve_squares(program, v, budget, curvature)


def coordinates_for(problem: Problem) -> Coordinates:
    """Coordinates from some of the rows, or from all where they are fewer than features."""
    n = problem.n_rows
    some = np.arange(n) if problem.n_features > n else spread_out(n, COORDINATE_ROWS)
    X = dense_rows(problem.X, some)
    if not problem.fit_intercept and problem.n_features <= n and far_from_origin(X):
        return Coordinates.turned(X)
    return Coordinates.of(X, problem.fit_intercept)


def by_lagrangian(problem: Problem, warm: WarmStart, tol: float, budget: Budget, max_steps: float = np.inf) -> Solution:
    """Many features and many rows, or many zeros; leaves its optimum in the warm start."""
    start = None if warm.w is None else (warm.w, warm.b, warm.scaled_alpha(problem))
    own = Budget(int(min(budget.left, max_steps)), budget.seconds)
    plane = lagrangian_plane(problem, start, tol, own)
    budget.used += own.used
    found = answer(problem, *plane, tol, budget)
    if problem.objective.boxed and found.status is Status.ROUNDED:  # what is left of slack costs more at the whole C
        plane = lagrangian_plane(problem, plane, tol, budget)
        found = min(found, answer(problem, *plane, tol, budget), key=stated)
    warm.keep(WarmStart.of(found.certificate))
    return found


def lagrangian_plane(
    problem: Problem, start: tuple[Vector, float, Vector | None] | None, tol: float, budget: Budget
) -> tuple[Vector, float, Vector]:
    """w, b and alpha by the augmented Lagrangian.

    A bound that no alpha reaches does not bind: the optimum of such a C is that of all larger ones, and of the hard
    margin. A small C is soon solved, so it is tried first, to a rough gap until it proves to be one of these.
    """
    objective = problem.objective
    signs, typical = problem.signs.astype(np.float64), float(problem.squares.mean()) or 1.0
    hard, cost = objective.hard, np.ones(problem.n_rows) if objective.hard else problem.cost
    largest = min(objective.C, MAX_C / typical) if hard else objective.C
    X, known = without_zeros(problem), start is not None and start[2] is not None
    systems = problem.shared("systems", lambda: NewtonSystems(X))
    C = largest if known or (objective.squared and not hard) else min(INITIAL_C / typical, largest)
    rough = largest > C
    while True:
        gap = max(tol, ROUGH_GAP) if rough else tol * (0.1 if largest > C else 0.5)
        w, b, alpha, used = augmented_lagrangian(
            X, signs, C * cost, squared=objective.squared and not hard, fit_intercept=problem.fit_intercept,
            start=start, tol=gap, max_iter=max(1, budget.left), deadline=budget.deadline, shared=systems,
        )  # fmt: skip
        budget.used += used
        n_bounded = np.count_nonzero(alpha > AT_BOUND * C * cost)
        if (not rough and (largest <= C or not n_bounded)) or budget.left <= 0:
            return w, b, alpha
        start = w, b, alpha
        if n_bounded:  # where many are at once, classes overlap, and a smaller C says nothing
            overlap = n_bounded > OVERLAP_RATIO * np.count_nonzero(alpha) and not hard
            C = largest if overlap else min(C_GROWTH * C, largest)
        rough = bool(n_bounded) and largest > C
