"""Logistic discrimination: the objective of `losses.logistic_loss`, solved to a stated gap.

Newton's method (`newton`) in coordinates where rows are of moderate size. With many rows, some of them give a start
that is nearly right, and a matrix of second derivatives that is nearly that of all. With more columns L-BFGS
(`limited_memory`) goes first, as far as a factored matrix of second derivatives would cost too; with more columns than
can be factored Newton's steps come from conjugate gradients. The way is chosen by size and by what it cost so far, and
does not change the answer.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import OptionError
from separatrix.objectives import LogLoss
from separatrix.objectives.log_loss import probabilities
from separatrix.objectives.log_loss_curvature import MOST_COLUMNS, Design, Factor
from separatrix.objectives.logistic import spanning
from separatrix.problem import Problem, Solution, Status
from separatrix.rows import TINY, Vector, take
from separatrix.solvers.budget import Budget
from separatrix.solvers.logistic.balanced_offsets import shift
from separatrix.solvers.logistic.lbfgs import limited_memory
from separatrix.solvers.logistic.newton import Point, Precondition, Prepare, Task, exact_newton, newton_cg, solve_planes
from separatrix.solvers.options import number, whole
from separatrix.solvers.svm.linear_svm import positive
from separatrix.threads import threads_for

Route = Literal["auto", "exact", "iterative", "matrix-free"]

MOST_WORK = 3e6  # rows times columns squared, beyond which the matrix is not factored at each step
FEW_COLUMNS = 64  # up to which that is as quick as a look at all rows
SAMPLE, PART = 20, 20  # rows for each column in a sample, and part of all rows, at least
AMPLE, LARGEST_PART = 80, 5  # rows for each column, unless they are a larger part of all
RARE = 4  # part of what would be a class's share of a sample, which it gets at least
SAMPLE_STEPS = 30
ROUGH = 1e-4  # part of the objective to which a sample is worth solving
FIRST_LOOKS = 6  # at all rows before matrices are factored
LOOKS_A_MATRIX = 15.0  # columns for which there is one more of them
LOOKS_A_SAMPLE = 5  # at all rows with the matrix of some of them
SHARE, FURTHER = 0.8, 0.01  # of tol that the solver aims at, and after it was missed
MOST_COEFFICIENTS = 4000  # without a penalty


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # what overflows is never the best point
def logistic(
    problem: Problem,
    *,
    C: float = 1.0,
    tol: float = 1e-8,
    max_iter: int = 1000,
    time_limit: float | None = None,
    route: Route = "auto",
) -> Solution:
    """Minimise 1/2 ||W||^2 + C sum of log losses to a relative gap of tol.

    Parameters
    ----------
    problem : Problem
        Two classes or more.
    C : float
        What a unit of loss costs; infinite: nothing is penalised. Then the classes must overlap.
    tol : float
        Relative gap to reach.
    max_iter : int
        Steps of Newton's method at most.
    time_limit : float or None
        Seconds at most.
    route : {"auto", "exact", "iterative", "matrix-free"}
        Which way to go; all lead to the same answer.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.logistic.logistic import logistic
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
    with threads_for(min(problem.n_rows, 4096) * float(columns) ** 2 if columns <= MOST_COLUMNS else 0.0):
        check_size(problem)
        design = Design.of(problem) if problem.objective.penalised else spanning(problem)
        way = chosen(design, route)
        point = solved(design, way, accuracy, budget)
        solution = answer(design, point, accuracy, budget)
        if (
            solution.status is Status.ROUNDED and way != "exact"
        ):  # offsets that were off may have hidden some of the gap
            point = solved(design, way, FURTHER * accuracy, budget, point.V)
            solution = answer(design, point, accuracy, budget)
        return solution


def check_size(problem: Problem) -> None:
    """Refuse what the curvature could not certify."""
    coefficients = problem.n_planes * (min(problem.n_features, problem.n_rows) + 1)
    if not problem.objective.penalised and coefficients > MOST_COEFFICIENTS:
        raise OptionError(
            f"Without a penalty (C=inf) at most {MOST_COEFFICIENTS:,} coefficients can be certified. Got "
            f"{coefficients:,}. Use a large finite C."
        )


def chosen(design: Design, route: Route) -> str:
    """Which way to go."""
    if route not in ("auto", "exact", "iterative", "matrix-free"):
        raise OptionError(
            f"The 'route' parameter must be 'auto', 'exact', 'iterative' or 'matrix-free'. Got {route!r}."
        )
    if route != "auto":
        return route
    n, columns = design.problem.n_rows, design.problem.n_planes * design.width
    if not design.problem.objective.penalised or n * float(columns) ** 2 <= MOST_WORK:
        return "exact"
    return "iterative"


def task_of(design: Design) -> Task:
    """F in coordinates."""
    problem, objective = design.problem, design.problem.objective
    penalty = design.penalty() if objective.penalised else np.zeros(design.width)
    return Task(design, objective.unit * problem.cost, penalty, problem.n_planes)


def solved(design: Design, way: str, tol: float, budget: Budget, start: Vector | None = None) -> Point:
    """Planes in coordinates."""
    problem, columns = design.problem, design.problem.n_planes * design.width
    task = task_of(design)
    many = start is None and problem.n_rows > 2 * SAMPLE * columns
    start = np.zeros((design.width, problem.n_planes)) if start is None else start
    if way == "exact":
        return exact_newton(task, Point(task, start), budget)
    if columns <= FEW_COLUMNS and way != "matrix-free":
        if many:
            point, enough = by_sample(task, start, SHARE * tol, budget)
            if enough or budget.left <= 0:
                return point
            if point.value < np.log(problem.n_classes) * task.weights.sum():  # better than no planes at all
                return exact_newton(task, point, budget, SHARE * tol)
        return exact_newton(task, Point(task, start), budget, SHARE * tol)
    if many:
        small = some_of(task)
        start = limited_memory(small, start, by_scale(small), ROUGH, one_more(budget))[0].V
    factored = columns <= MOST_COLUMNS and way != "matrix-free"
    patience = FIRST_LOOKS + columns / LOOKS_A_MATRIX if factored else np.inf
    point, enough = limited_memory(task, start, by_scale(task), SHARE * tol, budget, patience)
    if enough or budget.left <= 0:
        return point
    if factored:
        return exact_newton(task, point, budget, SHARE * tol)
    return newton_cg(task, point, by_diagonal(task), SHARE * tol, budget)[0]


def by_sample(task: Task, V: Vector, enough: float, budget: Budget) -> tuple[Point, bool]:
    """Planes by steps with the matrix of some rows, and whether they are good.

    Where it is nearly the matrix of all rows, a few looks at these are enough, and theirs is never made.
    """
    small = some_of(task)
    rough = exact_newton(small, Point(small, V), one_more(budget), ROUGH)
    return limited_memory(task, rough.V, by_matrix(small, rough), enough, budget, LOOKS_A_SAMPLE, stretch=1)


def some_of(task: Task) -> Task:
    """F on some of the rows, which count for the others of their class too; of a rare class all are taken."""
    problem, columns = task.design.problem, task.n_planes * task.design.width
    ample = min(AMPLE * columns, problem.n_rows // LARGEST_PART)
    size = min(problem.n_rows // 2, max(SAMPLE * columns, problem.n_rows // PART, ample))
    rng = np.random.default_rng(0)  # any sample leads to the same answer
    some, cost = [], []
    for c in range(problem.n_classes):
        own = np.flatnonzero(problem.y == c)
        count = min(own.size, max(size * own.size // problem.n_rows, size // (RARE * problem.n_classes)))
        places = (np.arange(count) + rng.random(count)) * (own.size / max(count, 1))  # one of each stretch of them
        taken = own[np.minimum(places.astype(np.int64), own.size - 1)]
        some.append(taken)
        cost.append(problem.cost[taken] * (problem.cost[own].sum() / max(problem.cost[taken].sum(), TINY)))
    rows, costs = np.concatenate(some), np.concatenate(cost)
    fewer = replace(problem, X=take(problem.X, rows), y=problem.y[rows], cost=costs)
    return task_of(Design(fewer, task.design.coordinates))


def one_more(budget: Budget) -> Budget:
    """Steps on a sample, which are not counted; the time is."""
    return Budget(SAMPLE_STEPS, budget.seconds)


def by_matrix(task: Task, point: Point) -> Prepare:
    """Multiply with the inverse of H as a sample of the rows has it, which is nearly that of all of them."""
    factor = Factor(task.hessian(point))
    return lambda _: lambda R: solve_planes(factor, R)


def by_scale(task: Task) -> Prepare:
    """Divide by what the diagonal of H would be if every coordinate were as long as it is meant to be."""

    def prepare(point: Point) -> Precondition:
        diagonal = task.bends(point) + task.penalty[:, None] + TINY
        return lambda R: R / diagonal

    return prepare


def by_diagonal(task: Task) -> Prepare:
    """Divide by the diagonal of H."""

    def prepare(point: Point) -> Precondition:
        p = point.wrong if task.n_planes == 1 else probabilities(point.wrong, task.y)
        sums = task.design.square_sums(task.weights[:, None] * p * (1.0 - p))
        diagonal = sums + task.penalty[:, None] + TINY
        return lambda R: R / diagonal

    return prepare


def answer(design: Design, point: Point, tol: float, budget: Budget) -> Solution:
    """The planes with their offsets in place, and their certificate."""
    problem = design.problem
    w, b = design.planes(point.V)
    if problem.fit_intercept:
        b = b + shift(problem, point.ahead)
    if problem.n_planes > 1:
        w, b = w - w.mean(axis=0), b - b.mean()
    normal, offset = (w[0], float(b[0])) if problem.n_planes == 1 else (w, b)
    certificate = DualityGap.issue(problem, normal, offset)
    solved = certificate.stated <= tol
    return Solution(
        w=np.array(certificate.w),
        b=certificate.b if problem.n_planes == 1 else np.array(certificate.b),
        status=Status.SOLVED if solved else Status.STOPPED if budget.left <= 0 else Status.ROUNDED,
        certificate=certificate,
        iterations=max(budget.used, 1),
        passes=max(budget.used, 1),
    )
