"""Linear support vector regression: the objective of `objectives.epsilon_insensitive`, solved to a stated gap.

Targets are measured from a centre, where there is an offset, and in units of their spread, so that raw ones converge:

    y = centre + unit y',     w = unit w',     b = centre + unit b',     epsilon = unit epsilon',     beta = unit beta'

with C = unit C' where losses are not squared. Two dual variables for each row make the program of `bordered_program`,
which is solved as that of a classifier is.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.objectives import EpsilonInsensitive
from separatrix.problem import Problem, Solution
from separatrix.products import combination, scores
from separatrix.rows import CSR, Rows, Vector
from separatrix.solvers.goal import Goal
from separatrix.solvers.options import number
from separatrix.solvers.svm.best_offset import least_offset
from separatrix.solvers.svm.bordered_program import BorderedProgram
from separatrix.solvers.svm.decomposition import rows_at_once, solve_hinge, solve_squares
from separatrix.solvers.svm.lagrangian.augmented_lagrangian import augmented_lagrangian
from separatrix.solvers.svm.linear_svm import coordinates_for
from separatrix.solvers.svm.route import chosen, without_zeros
from separatrix.threads import threads_for

NEGLIGIBLE_BETA = 1e-14  # part of the largest, below which one is rounding
LAGRANGIAN_TOL = 0.5  # part of the gap that is asked for, to which many features are solved
FREE_RTOL = 1e-9  # relative distance of |beta| from its bounds from which on its row is on the border of the tube


class Scale(NamedTuple):
    """Where targets are measured from, and in what unit."""

    centre: float
    unit: float

    @classmethod
    def of(cls, problem: Problem) -> "Scale":
        """The median, or 0 without an offset, and a typical distance from it."""
        y = problem.y
        centre = float(np.median(y)) if problem.fit_intercept else 0.0
        distance = np.abs(y - centre)
        typical = float(np.median(distance)) or float(distance.mean())
        unit = typical or float(distance.max(initial=0.0)) or 1.0
        return cls(centre, float(2.0 ** np.round(np.log2(unit))))

    def problem(self, problem: Problem) -> Problem:
        """The problem in these units."""
        y = (problem.y - self.centre) / self.unit
        return replace(problem, y=y, objective=problem.objective.in_units(self.unit))


def linear_svr(
    problem: Problem,
    *,
    C: float = 1.0,
    epsilon: float = 0.1,
    squared: bool = False,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    time_limit: float | None = None,
) -> Solution:
    """Minimise 1/2 ||w||^2 + C sum of what residuals exceed epsilon by, or of its squares, to a relative gap of tol.

    >>> problem = Problem.of_numbers(np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 2.0, 4.0]))
    >>> solution = linear_svr(problem, C=10.0, epsilon=0.5)
    >>> solution.w.round(6).tolist(), round(solution.b, 6)  # the flattest line within 0.5 of all rows
    ([1.5], 0.5)
    """
    objective = EpsilonInsensitive(number("C", C, above=0.0), number("epsilon", epsilon, at_least=0.0), squared)
    return optimum(problem.posed(objective), Goal.of(tol, max_iter, time_limit))


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # what overflows is never the best point
def optimum(problem: Problem, goal: Goal) -> Solution:
    """The optimum of a problem with this objective."""
    objective = problem.objective
    flat = flat_tube(problem)
    if flat is not None:
        return answer(problem, np.zeros(problem.n_features), flat, np.zeros(problem.n_rows), goal)
    scale = Scale.of(problem)
    inner = scale.problem(problem)
    if is_wide(problem):
        return by_lagrangian(problem, inner, scale, goal)
    program = BorderedProgram(inner, coordinates_for(inner))
    with threads_for(rows_at_once(program.n_rows, program.n_columns) * float(len(program.H)) ** 2):
        if objective.squared:
            v, alpha, _ = solve_squares(program, None, goal.budget)
        else:
            v, alpha = solve_hinge(program, None, goal.budget)
    w, b, _ = program.plane(v)
    beta = scale.unit * program.unit * program.beta(alpha)
    return answer(problem, scale.unit * w, scale.centre + scale.unit * b, beta, goal)


def is_wide(problem: Problem) -> bool:
    """Whether there are many features and rows, or many zeros, so that rows stay as they are stored."""
    return chosen(problem, "auto") == "lagrangian"


def by_lagrangian(problem: Problem, inner: Problem, scale: Scale, goal: Goal) -> Solution:
    """Many features and many rows; `inner` is the problem in units of the scale."""
    form, tol = inner.objective.form(inner), LAGRANGIAN_TOL * goal.tol
    w, b, alpha, used = augmented_lagrangian(
        stacked(without_zeros(inner)), form.signs, inner.objective.C * np.tile(inner.cost, 2), required=form.required,
        squared=inner.objective.squared, fit_intercept=inner.fit_intercept, tol=tol,
        max_iter=max(1, goal.budget.left), deadline=goal.budget.deadline,
    )  # fmt: skip
    goal.budget.used += used
    beta = form.signs * alpha
    beta = scale.unit * (beta[: problem.n_rows] + beta[problem.n_rows :])
    return answer(problem, scale.unit * w, scale.centre + scale.unit * b, beta, goal)


def stacked(X: Rows) -> Rows:
    """The rows, and all of them once more."""
    if not isinstance(X, CSR):
        return np.vstack([X, X])
    twice = np.concatenate([X.indptr, X.indptr[1:] + X.indptr[-1]])
    return CSR(np.tile(X.data, 2), np.tile(X.indices, 2), twice, X.n_columns)


def flat_tube(problem: Problem) -> float | None:
    """The middle of all targets, or 0 without an offset, where a tube of w = 0 around it holds every row; else None."""
    y, epsilon = problem.y, problem.objective.epsilon
    middle = 0.5 * float(y.min()) + 0.5 * float(y.max()) if problem.fit_intercept else 0.0
    return middle if float(np.abs(y - middle).max()) <= epsilon else None


def answer(problem: Problem, w: Vector, b: float, beta: Vector, goal: Goal) -> Solution:
    """The plane with its offset in place, and its certificate."""
    beta = np.where(np.abs(beta) > NEGLIGIBLE_BETA * np.abs(beta).max(initial=0.0), beta, 0.0)
    claim = DualityGap.issue(problem, w, final_offset(problem, w, b, beta), beta)
    return goal.solution(improved(problem, claim, beta) if claim.stated > goal.tol else claim)


def final_offset(problem: Problem, w: Vector, b: float, beta: Vector) -> float:
    """The offset: as it is where rows on the border of the tube decide it, else the middle of what is optimal."""
    objective = problem.objective
    if not problem.fit_intercept:
        return 0.0
    upper, size = objective.upper(problem.cost), np.abs(beta)
    free = np.minimum(size, upper - size) > FREE_RTOL * np.minimum(upper, size.max(initial=0.0))
    return b if free.any() else best_tube_offset(problem, w)


def best_tube_offset(problem: Problem, w: Vector) -> float:
    """The b with the least loss for a given w, or the middle of all of them."""
    objective = problem.objective
    off = problem.y - scores(problem.X, w)
    turns = np.concatenate([off - objective.epsilon, off + objective.epsilon])
    ahead = np.repeat([True, False], off.size)
    return least_offset(turns, ahead, np.tile(problem.cost, 2), objective.squared)


def improved(problem: Problem, claim: DualityGap, beta: Vector) -> DualityGap:
    """The best of the plane, that of beta, and w = 0, each with its best offset."""
    claims = [claim]
    for w in (claim.w, combination(problem.X, beta), np.zeros(problem.n_features)):
        b = best_tube_offset(problem, w) if problem.fit_intercept else 0.0
        claims.append(DualityGap.issue(problem, w, b, beta))
    return min(claims, key=lambda each: each.primal)
