"""Logistic discrimination: the objective of `objectives.log_loss`, solved to a stated duality gap.

Newton's method (`newton`) works in coordinates where rows are of moderate size. Few columns have their whole Hessian
factored; with many rows a sample of them gives a warm start, and a Hessian that is close to that of all. Steps of
several classes come from conjugate gradients, preconditioned by the block of each class (`preconditioners`). Of two
classes L-BFGS (`lbfgs`) goes first, for as many passes as a factored Hessian would cost; with more columns than can be
factored, conjugate gradients follow. The method is chosen by size and by progress, and does not change the answer.
"""

from typing import Literal

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import OptionError
from separatrix.objectives import LogLoss
from separatrix.objectives.log_loss_curvature import Factor, spanning_coordinates
from separatrix.problem import History, Plane, Problem, Solution, Status
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.scaled_rows import column_coordinates, orthogonal_coordinates
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.logistic.balanced_offsets import balancing_shift
from separatrix.solvers.logistic.design import Design, is_sparse
from separatrix.solvers.logistic.lbfgs import lbfgs
from separatrix.solvers.logistic.newton import exact_newton, newton_cg, solve_planes
from separatrix.solvers.logistic.preconditioners import (
    MakePreconditioner,
    Preconditioner,
    block_preconditioner,
    diagonal_preconditioner,
    scale_preconditioner,
)
from separatrix.solvers.logistic.sample import SAMPLE_ROWS_A_COLUMN, subsample
from separatrix.solvers.logistic.scaled_objective import Point, ScaledObjective
from separatrix.solvers.logistic.stopping import Stopping
from separatrix.solvers.options import number, positive, whole
from separatrix.solvers.watching import tell
from separatrix.threads import threads_for

Route = Literal["auto", "exact", "iterative", "matrix-free"]

MAX_FACTORED_COLUMNS = 1500  # of a Hessian, or of its block for a class, that is factored
MAX_EXACT_OPERATIONS = 3e6  # rows times columns squared, up to which factoring every Hessian is quickest
SAMPLE_TOL = 1e-4  # relative gap to which a sample is worth solving
SOLVER_TOL = 0.8  # part of tol that the solver aims at, as its estimate of the gap is not exact


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # what overflows is never the best point
def logistic(
    problem: Problem,
    *,
    C: float = 1.0,
    start: Plane | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
    time_limit: float | None = None,
    route: Route = "auto",
) -> Solution:
    """Minimise 1/2 ||W||^2 + C sum of log losses to a relative gap of tol; the options are those of the estimator.

    With C infinite nothing is penalised: then the classes must overlap. Planes to start from, such as those of another
    C, save passes over the rows where they are near the optimum. All starts and routes lead to the same answer.

    >>> problem = Problem(np.array([[-1.0], [1.0]]), np.array([0, 1]))
    >>> solution = logistic(problem, C=1.0)  # w = 2 / (1 + exp(w))
    >>> bool(abs(solution.w[0] * (1 + np.exp(solution.w[0])) - 2) < 1e-9), solution.certificate.error(problem) < 1e-9
    (True, True)
    """
    problem = problem.posed(LogLoss(positive("C", C), problem.n_classes))
    accuracy = number("tol", tol, above=0.0, most=1.0)
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    budget = Budget(whole("max_iter", max_iter), seconds)
    columns = problem.n_planes * problem.n_features
    with threads_for(min(problem.n_rows, 4096) * float(columns) ** 2 if columns <= MAX_FACTORED_COLUMNS else 0.0):
        check_size(problem)
        design = Design(problem, coordinates_of(problem))
        tell("problem", problem=problem)
        method = chosen_method(design, route)
        V = None if start is None else start_vector(design, start)
        stated = lambda point: answer(design, point, accuracy, budget).certificate.stated  # noqa: E731
        point = solve(design, method, Stopping(SOLVER_TOL * accuracy, budget, stated), V)
        solution = answer(design, point, accuracy, budget)
        if solution.status is Status.ROUNDED and method != "exact":  # poor offsets may have hidden some of the gap
            point = solve(design, method, Stopping(0.01 * accuracy, budget, stated), point.V)
            solution = answer(design, point, accuracy, budget)
        return solution


def coordinates_of(problem: Problem) -> Coordinates:
    """Coordinates by columns, or of what few rows span; sparse rows are not made dense for that."""
    if not problem.objective.penalised:
        return spanning_coordinates(problem)
    return column_coordinates(problem) if is_sparse(problem) else orthogonal_coordinates(problem)


def check_size(problem: Problem) -> None:
    """Refuse what the curvature could not certify."""
    most = 4000
    coefficients = problem.n_planes * (min(problem.n_features, problem.n_rows) + 1)
    if not problem.objective.penalised and coefficients > most:
        raise OptionError(
            f"Without a penalty (C=inf) at most {most:,} coefficients can be certified. Got {coefficients:,}. Use a "
            "large finite C."
        )


def chosen_method(design: Design, route: Route) -> str:
    """The method of a route; "auto" factors every Hessian where that is cheap or there is no penalty."""
    if route not in ("auto", "exact", "iterative", "matrix-free"):
        raise OptionError(
            f"The 'route' parameter must be 'auto', 'exact', 'iterative' or 'matrix-free'. Got {route!r}."
        )
    if route != "auto":
        return route
    n, columns = design.problem.n_rows, design.problem.n_planes * design.width
    if not design.problem.objective.penalised or n * float(columns) ** 2 <= MAX_EXACT_OPERATIONS:
        return "exact"
    return "iterative"


def start_vector(design: Design, start: Plane) -> Vector:
    """Planes in scaled coordinates; refuses those of another shape."""
    problem, W = design.problem, np.atleast_2d(start.w)
    if W.shape != (problem.n_planes, problem.n_features):
        raise OptionError(
            f"The 'start' parameter must have {problem.n_planes} x {problem.n_features} coefficients. Got "
            f"{W.shape[0]} x {W.shape[1]}. Start from planes for the same features and classes."
        )
    V = design.coordinates.vector(W, np.atleast_1d(start.b)).T
    return V if len(W) == 1 else V - V.mean(axis=1, keepdims=True)  # their mean changes no loss and costs a penalty


def solve(design: Design, method: str, stopping: Stopping, start: Vector | None = None) -> Point:
    """Planes in scaled coordinates, as near to the gap that is asked for as the method gets."""
    F = ScaledObjective.of(design)
    n, columns = design.problem.n_rows, F.columns
    zero, warm = np.zeros((design.width, F.n_planes)), None if start is None else Point(F, start)
    warm = better_than_zero(F, warm)
    sampled = n > 2 * SAMPLE_ROWS_A_COLUMN * columns
    few_columns = columns <= 64 and method != "matrix-free"  # a Hessian takes no longer than a pass over the rows
    if few_columns and sampled and method != "exact":
        return newton_after_sample(F, warm, stopping)
    if few_columns or method == "exact":
        asked = stopping._replace(tol=0.0) if method == "exact" else stopping
        return exact_newton(F, warm or Point(F, zero), asked)
    if F.n_planes > 1 and method != "matrix-free":
        if n > 4 * SAMPLE_ROWS_A_COLUMN * columns and warm is None:
            sample = subsample(F)
            by_blocks = block_preconditioner(sample, stopping.budget)
            zero = newton_cg(sample, Point(sample, zero), by_blocks, sample_stopping(stopping)).V
        return newton_cg(F, warm or Point(F, zero), block_preconditioner(F, stopping.budget), stopping)
    if sampled and warm is None:
        sample = subsample(F)
        zero = lbfgs(sample, Point(sample, zero), scale_preconditioner(sample), sample_stopping(stopping))[0].V
    point, converged = lbfgs(F, warm or Point(F, zero), scale_preconditioner(F), stopping, lbfgs_steps(columns, method))
    if converged or stopping.budget.left <= 0:
        return point
    if columns <= MAX_FACTORED_COLUMNS and method != "matrix-free":
        return exact_newton(F, point, stopping)
    free = method == "matrix-free"
    by = diagonal_preconditioner(F) if free else block_preconditioner(F, stopping.budget)
    return newton_cg(F, point, by, stopping)


def lbfgs_steps(columns: int, method: str) -> float:
    """Steps of L-BFGS after which a factored Hessian, or blocks of it, cost less than further passes over the rows."""
    if method == "matrix-free":
        return np.inf
    return 6 + columns / 15.0 if columns <= MAX_FACTORED_COLUMNS else 12


def better_than_zero(F: ScaledObjective, point: Point | None) -> Point | None:
    """The point, unless there is none or planes of zeros, for which all classes are equally probable, are no worse."""
    at_zero = np.log(F.design.problem.n_classes) * F.weights.sum()
    return point if point is not None and point.value < at_zero else None


def newton_after_sample(F: ScaledObjective, warm: Point | None, stopping: Stopping) -> Point:
    """Newton's method from planes to start from, or from a sample's optimum.

    Where the sample's Hessian there serves for all rows, theirs is never made.
    """
    zero, sample = np.zeros((F.design.width, F.n_planes)), subsample(F)
    initial = Point(sample, zero if warm is None else warm.V)
    if warm is None:
        initial = exact_newton(sample, initial, sample_stopping(stopping))
    factor = Factor(sample.hessian(initial))
    by_sample: MakePreconditioner = lambda _: Preconditioner(lambda R: solve_planes(factor, R))  # noqa: E731
    point, converged = lbfgs(F, warm or Point(F, initial.V), by_sample, stopping, max_steps=5, check_every=1)
    if converged or stopping.budget.left <= 0:
        return point
    return exact_newton(F, better_than_zero(F, point) or Point(F, zero), stopping)


def sample_stopping(stopping: Stopping) -> Stopping:
    """Thirty steps on a sample at most, which are not counted; their time is."""
    budget = stopping.budget
    return Stopping(SAMPLE_TOL, Budget(min(30, budget.left), budget.seconds))


def answer(design: Design, point: Point, tol: float, budget: Budget) -> Solution:
    """The solution with balanced offsets and its certificate."""
    problem = design.problem
    w, b = design.coordinates.plane(point.V.T)
    if problem.fit_intercept:
        b = b + balancing_shift(problem, point.log_odds, budget)
    if problem.n_planes > 1:
        w, b = w - w.mean(axis=0), b - b.mean()
    plane = Plane.of(w, b)
    certificate = DualityGap.issue(problem, plane.w, plane.b)
    solved, steps = certificate.stated <= tol, max(budget.used, 1)
    status = Status.SOLVED if solved else Status.STOPPED if budget.left <= 0 else Status.ROUNDED
    return Solution(plane, certificate, status, History(steps, steps))
