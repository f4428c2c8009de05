"""Logistic discrimination: the objective of `losses.logistic_loss`, solved to a stated gap.

Newton's method (`newton`) in coordinates where rows are of moderate size. The matrix of second derivatives is factored
where it is not too large for the rows that it is a sum over. Beyond that, some of the rows give a start that is nearly right
and a matrix that is nearly the one of all, which conjugate gradients correct; with many columns they make do with its
diagonal. The way is chosen by size alone and does not change the answer.
"""

from typing import Any, Literal

import numpy as np

from separatrix.certificates import LogisticGap
from separatrix.certificates.curvature import MOST_COLUMNS, Design, Factor
from separatrix.certificates.logistic_gap import spanning
from separatrix.errors import OptionError
from separatrix.losses import LogLoss
from separatrix.losses.logistic_loss import losses_and_wrong, probabilities, rivalry, slopes
from separatrix.problem import Problem, Solution, Status
from separatrix.products import scores
from separatrix.rows import Vector, take
from separatrix.solvers.budget import Budget
from separatrix.solvers.linear_svm import positive
from separatrix.solvers.newton import Point, Precondition, Prepare, Task, exact_newton, newton_cg
from separatrix.solvers.options import number, whole
from separatrix.solvers.threads import threads_for

Route = Literal["auto", "exact", "sampled", "diagonal"]

OFFSET_STEPS = 30
MOST_WORK = 1e8  # rows times columns squared, from which on some rows are tried first
SAMPLE = 20  # rows for each column of the matrix, at least, in such a sample
SHARE = 0.3  # of tol that the solver aims at
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
    route : {"auto", "exact", "sampled", "diagonal"}
        Which way to go; all lead to the same answer.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.logistic import logistic
    >>> problem = Problem(np.array([[-1.0], [1.0]]), np.array([0, 1]))
    >>> solution = logistic(problem, C=1.0)  # w = 2 / (1 + exp(w))
    >>> bool(abs(solution.w[0] * (1 + np.exp(solution.w[0])) - 2) < 1e-9), solution.certificate.error(problem) < 1e-9
    (True, True)
    """
    objective = LogLoss(positive("C", C), problem.n_classes)
    accuracy = number("tol", tol, above=0.0, most=1.0)
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    budget = Budget(whole("max_iter", max_iter), seconds)
    with threads_for(min(problem.n_rows, 4096) * float(problem.n_planes * problem.n_features) ** 2):
        check_size(problem, objective)
        design = Design.of(problem) if objective.penalised else spanning(problem)
        V = solved(design, objective, chosen(design, route, objective), accuracy, budget)
        return answer(design, objective, V, accuracy, budget)


def check_size(problem: Problem, objective: LogLoss) -> None:
    """Refuse what the curvature could not certify."""
    coefficients = problem.n_planes * (min(problem.n_features, problem.n_rows) + 1)
    if not objective.penalised and coefficients > MOST_COEFFICIENTS:
        raise OptionError(
            f"Without a penalty (C=inf) at most {MOST_COEFFICIENTS:,} coefficients can be certified. Got "
            f"{coefficients:,}. Use a large finite C."
        )


def chosen(design: Design, route: Route, objective: LogLoss) -> str:
    """Which way to go."""
    if route not in ("auto", "exact", "sampled", "diagonal"):
        raise OptionError(f"The 'route' parameter must be 'auto', 'exact', 'sampled' or 'diagonal'. Got {route!r}.")
    if route != "auto":
        return route
    n, columns = design.problem.n_rows, design.problem.n_planes * design.width
    if not objective.penalised:
        return "exact"
    if columns > MOST_COLUMNS:
        return "diagonal"
    return "sampled" if n * float(columns) ** 2 > MOST_WORK and n > 2 * SAMPLE * columns else "exact"


def task_of(design: Design, objective: LogLoss, weights: Vector) -> Task:
    """F in coordinates."""
    scale, offset = design.coordinates.scale, design.coordinates.offset
    penalty = scale**-2.0 if objective.penalised else np.zeros(scale.size)
    return Task(design, weights, np.append(penalty, np.zeros(int(offset))), design.problem.n_planes)


def solved(design: Design, objective: LogLoss, way: str, tol: float, budget: Budget) -> Vector:
    """Planes in coordinates."""
    problem = design.problem
    task = task_of(design, objective, objective.unit * problem.cost)
    start = np.zeros((design.width, problem.n_planes))
    if way == "exact":
        return exact_newton(task, start, budget)[0]
    if way == "diagonal":
        return newton_cg(task, start, by_diagonal(task), SHARE * tol, budget)[0]
    start, factor = from_sample(task, objective, budget)
    V, left = newton_cg(task, start, by_factor(factor), SHARE * tol, budget)
    if left > tol * Point(task, V).value and budget.left > 0:  # the sample was not like the rest
        V = exact_newton(task, V, budget)[0]
    return V


def from_sample(task: Task, objective: LogLoss, budget: Budget) -> tuple[Vector, Factor]:
    """The planes that are best for some of the rows, which count for the others too, and their matrix."""
    problem, columns = task.design.problem, task.n_planes * task.design.width
    size = min(problem.n_rows // 2, max(SAMPLE * columns, int(MOST_WORK / columns**2 / 4), problem.n_rows // 50))
    rng = np.random.default_rng(0)  # any sample leads to the same answer
    some = np.sort(rng.choice(problem.n_rows, size, replace=False))
    cost = problem.cost[some] * (problem.cost.sum() / problem.cost[some].sum())
    part = Problem(take(problem.X, some), problem.y[some], problem.n_classes, cost, problem.fit_intercept)
    small = task_of(Design(part, task.design.coordinates), objective, objective.unit * cost)
    start = np.zeros((task.design.width, task.n_planes))
    V = newton_roughly(small, start, budget)
    return V, Factor(small.hessian(Point(small, V)))


def newton_roughly(task: Task, V: Vector, budget: Budget) -> Vector:
    """A few exact steps, as no sample says more than roughly where the best planes are."""
    return exact_newton(task, V, Budget(min(12, max(1, budget.left)), budget.deadline - Budget(1).deadline))[0]


def by_factor(factor: Factor) -> Prepare:
    """Divide by a matrix that was factored."""
    return lambda point: lambda R: factor.solve(R.T.ravel()).reshape(R.shape[1], -1).T


def by_diagonal(task: Task) -> Prepare:
    """Divide by the diagonal of H."""

    def prepare(point: Point) -> Precondition:
        p = point.wrong if task.n_planes == 1 else probabilities(point.wrong, task.y)
        sums = task.design.square_sums(task.weights[:, None] * p * (1.0 - p))
        diagonal = np.maximum(sums + task.penalty[:, None], np.finfo(float).tiny)
        return lambda R: R / diagonal

    return prepare


def answer(design: Design, objective: LogLoss, V: Vector, tol: float, budget: Budget) -> Solution:
    """The planes with their offsets in place, and their certificate."""
    problem = design.problem
    w, b = design.planes(V)
    if problem.fit_intercept:
        b = placed(problem, w, b)
    if problem.n_planes > 1:
        w, b = w - w.mean(axis=0), b - b.mean()
    planes: Any = (w[0], float(b[0])) if problem.n_planes == 1 else (w, b)
    certificate = LogisticGap.issue(problem, *planes, objective)
    solved = certificate.stated <= tol
    return Solution(
        w=np.array(certificate.w),
        b=certificate.b if problem.n_planes == 1 else np.array(certificate.b),
        status=Status.SOLVED if solved else Status.STOPPED if budget.left <= 0 else Status.ROUNDED,
        certificate=certificate,
        iterations=max(budget.used, 1),
        passes=max(budget.used, 1),
    )


def placed(problem: Problem, w: Vector, b: Vector) -> Vector:
    """The best offsets for given normals, by Newton's method: then probabilities are in balance."""
    weights, scored = problem.cost / problem.cost.max(), scores(problem.X, np.ascontiguousarray(w.T))
    best, least = b, np.inf
    for _ in range(OFFSET_STEPS):
        _, wrong = losses_and_wrong(rivalry(scored + b, problem.y))
        slope = weights @ slopes(wrong, problem.y)
        size = float(np.abs(slope).sum())
        if not size < 0.5 * least:
            return best if not size < least else b
        best, least = b, size
        if len(b) == 1:
            step = -slope / max(float(weights @ (wrong * (1.0 - wrong))[:, 0]), np.finfo(float).tiny)
        else:
            p = probabilities(wrong, problem.y)
            step = -np.linalg.lstsq(np.diag(weights @ p) - (weights * p.T) @ p, slope, rcond=1e-14)[0]
        b = b + np.clip(step, -1.0, 1.0)
    return best
