"""Logistic discrimination: the objective of `objectives.log_loss`, solved to a stated duality gap.

Newton's method (`newton`) works in coordinates where rows are of moderate size. With many rows, a sample of them gives
a warm start, and a Hessian that is close to that of all. With more columns L-BFGS (`lbfgs`) goes first, for as many
passes as a factored Hessian would cost; with more columns than can be factored, Newton's steps come from conjugate
gradients. The method is chosen by size and by progress, and does not change the answer.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import OptionError
from separatrix.objectives import LogLoss
from separatrix.objectives.log_loss import probabilities
from separatrix.objectives.log_loss_curvature import Factor, spanning_coordinates
from separatrix.problem import History, Plane, Problem, Solution, Status
from separatrix.problem.scaled_rows import moderate_coordinates
from separatrix.rows import TINY, Vector, take
from separatrix.solvers.budget import Budget
from separatrix.solvers.logistic.balanced_offsets import balancing_shift
from separatrix.solvers.logistic.design import Design
from separatrix.solvers.logistic.lbfgs import lbfgs
from separatrix.solvers.logistic.newton import (
    MakePreconditioner,
    Point,
    Preconditioner,
    ScaledObjective,
    exact_newton,
    newton_cg,
    solve_planes,
)
from separatrix.solvers.options import number, positive, whole
from separatrix.threads import threads_for

Route = Literal["auto", "exact", "iterative", "matrix-free"]

MAX_FACTORED_COLUMNS = 1500  # of a Hessian that is factored
MAX_EXACT_OPERATIONS = 3e6  # rows times columns squared, up to which factoring every Hessian is quickest
SAMPLE_ROWS_A_COLUMN = 20  # rows of a sample for each column at least; of fewer the Hessian is too far from that of all
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
        coordinates = moderate_coordinates if problem.objective.penalised else spanning_coordinates
        design = Design(problem, coordinates(problem))
        method = chosen_method(design, route)
        V = None if start is None else start_vector(design, start)
        point = solve(design, method, accuracy, budget, V)
        solution = answer(design, point, accuracy, budget)
        if solution.status is Status.ROUNDED and method != "exact":  # poor offsets may have hidden some of the gap
            point = solve(design, method, 0.01 * accuracy, budget, point.V)
            solution = answer(design, point, accuracy, budget)
        return solution


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


def scaled_objective(design: Design) -> ScaledObjective:
    """F in scaled coordinates."""
    problem, objective = design.problem, design.problem.objective
    penalty = design.coordinates.penalties if objective.penalised else np.zeros(design.width)
    return ScaledObjective(design, objective.unit * problem.cost, penalty, problem.n_planes)


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


def solve(design: Design, method: str, tol: float, budget: Budget, start: Vector | None = None) -> Point:
    """Planes in scaled coordinates, as near to a relative gap of tol as the method gets."""
    problem, columns = design.problem, design.problem.n_planes * design.width
    F, tol = scaled_objective(design), SOLVER_TOL * tol
    zero, warm = np.zeros((design.width, problem.n_planes)), None if start is None else Point(F, start)
    warm = better_than_zero(F, warm)
    sampled = problem.n_rows > 2 * SAMPLE_ROWS_A_COLUMN * columns
    few_columns = columns <= 64 and method != "matrix-free"  # a Hessian takes no longer than a pass over the rows
    if few_columns and sampled and method != "exact":
        return newton_after_sample(F, warm, tol, budget)
    if few_columns or method == "exact":
        return exact_newton(F, warm or Point(F, zero), budget, 0.0 if method == "exact" else tol)
    if sampled and warm is None:
        sample = subsample(F)
        by_scale = scale_preconditioner(sample)
        zero = lbfgs(sample, Point(sample, zero), by_scale, SAMPLE_TOL, sample_budget(budget))[0].V
    factored = columns <= MAX_FACTORED_COLUMNS and method != "matrix-free"
    max_steps = 6 + columns / 15.0 if factored else np.inf  # then a factored Hessian costs less than further passes
    point, converged = lbfgs(F, warm or Point(F, zero), scale_preconditioner(F), tol, budget, max_steps)
    if converged or budget.left <= 0:
        return point
    if factored:
        return exact_newton(F, point, budget, tol)
    return newton_cg(F, point, diagonal_preconditioner(F), tol, budget)


def better_than_zero(F: ScaledObjective, point: Point | None) -> Point | None:
    """The point, unless there is none or planes of zeros, for which all classes are equally probable, are no worse."""
    at_zero = np.log(F.design.problem.n_classes) * F.weights.sum()
    return point if point is not None and point.value < at_zero else None


def newton_after_sample(F: ScaledObjective, warm: Point | None, tol: float, budget: Budget) -> Point:
    """Newton's method from planes to start from, or from a sample's optimum.

    Where the sample's Hessian there serves for all rows, theirs is never made.
    """
    zero, sample = np.zeros((F.design.width, F.n_planes)), subsample(F)
    initial = Point(sample, zero if warm is None else warm.V)
    if warm is None:
        initial = exact_newton(sample, initial, sample_budget(budget), SAMPLE_TOL)
    factor = Factor(sample.hessian(initial))
    by_sample: MakePreconditioner = lambda _: lambda R: solve_planes(factor, R)  # noqa: E731
    point, converged = lbfgs(F, warm or Point(F, initial.V), by_sample, tol, budget, max_steps=5, check_every=1)
    if converged or budget.left <= 0:
        return point
    return exact_newton(F, better_than_zero(F, point) or Point(F, zero), budget, tol)


def subsample(F: ScaledObjective) -> ScaledObjective:
    """F on a stratified sample, in which each class keeps its total weight; of a rare class all rows are taken."""
    problem, columns = F.design.problem, F.n_planes * F.design.width
    n, k = problem.n_rows, problem.n_classes
    # a twentieth of the rows at least; 80 for each column, if these are a fifth of the rows at most
    size = min(n // 2, max(SAMPLE_ROWS_A_COLUMN * columns, n // 20, min(80 * columns, n // 5)))
    rng = np.random.default_rng(0)  # any sample leads to the same answer
    index, cost = [], []
    for c in range(k):
        own = np.flatnonzero(problem.y == c)
        count = min(own.size, max(size * own.size // n, size // (4 * k)))
        places = (np.arange(count) + rng.random(count)) * (own.size / max(count, 1))  # from all over the class
        taken = own[np.minimum(places.astype(np.int64), own.size - 1)]
        index.append(taken)
        cost.append(problem.cost[taken] * (problem.cost[own].sum() / max(problem.cost[taken].sum(), TINY)))
    rows, costs = np.concatenate(index), np.concatenate(cost)
    fewer = replace(problem, X=take(problem.X, rows), y=problem.y[rows], cost=costs)
    return scaled_objective(Design(fewer, F.design.coordinates))


def sample_budget(budget: Budget) -> Budget:
    """Thirty steps on a sample, which are not counted; their time is."""
    return Budget(30, budget.seconds)


def scale_preconditioner(F: ScaledObjective) -> MakePreconditioner:
    """Divide by what the diagonal of H would be if the mean square of every coordinate were 1.

    The divisors are those of the mean curvature of all planes, so that steps leave the mean of these at zero.
    """

    def make(point: Point) -> Preconditioner:
        diagonal = F.offset_curvature(point).mean() + F.penalty[:, None] + TINY
        return lambda R: R / diagonal

    return make


def diagonal_preconditioner(F: ScaledObjective) -> MakePreconditioner:
    """Divide by the diagonal of H (Jacobi)."""

    def make(point: Point) -> Preconditioner:
        p = point.rival_prob if F.n_planes == 1 else probabilities(point.rival_prob, F.y)
        sums = F.design.square_sums(F.weights[:, None] * p * (1.0 - p))
        diagonal = sums + F.penalty[:, None] + TINY
        return lambda R: R / diagonal

    return make


def answer(design: Design, point: Point, tol: float, budget: Budget) -> Solution:
    """The solution with balanced offsets and its certificate."""
    problem = design.problem
    w, b = design.coordinates.plane(point.V.T)
    if problem.fit_intercept:
        b = b + balancing_shift(problem, point.log_odds)
    if problem.n_planes > 1:
        w, b = w - w.mean(axis=0), b - b.mean()
    plane = Plane.of(w, b)
    certificate = DualityGap.issue(problem, plane.w, plane.b)
    solved, steps = certificate.stated <= tol, max(budget.used, 1)
    status = Status.SOLVED if solved else Status.STOPPED if budget.left <= 0 else Status.ROUNDED
    return Solution(plane, certificate, status, History(steps, steps))
