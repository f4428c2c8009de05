"""Least squares over blocks of rows: moments, a solution, and refinement with residuals from the rows.

    minimise  sum_i c_i ||t_i - W'x_i - b||^2 + ridge ||W||^2            b is not penalised

The equations are those of `squares.least_squares`. One pass sums up the moments of the classes, or of the numbers; each
further one computes what is left of the equations, from the rows: the first of a solution by Cholesky, the next after a
step of refinement. Where columns depend on each other, a pass makes the triangular factors of the blocks, which are
merged by one more factorisation of two at a time (Demmel, Grigori, Hoemmen and Langou, 2012). A last pass is the
certificate's.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.linalg import qr

from separatrix.certificates import Stationary
from separatrix.certificates.claims.normal_equations import NO_BOUND, NormalEquations, decision_planes
from separatrix.certificates.claims.normal_sums import CONSTANT, RowSums, row_sums
from separatrix.objectives.least_squares import checked_targets
from separatrix.problem import History, Moments, Plane, Problem, Solution, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold
from separatrix.problem.moments import SUM_OF_MOMENTS
from separatrix.rows import Vector
from separatrix.solvers.options import number
from separatrix.solvers.squares.least_squares import (
    Factored,
    Fitted,
    NormalSystem,
    factored_system,
    refined,
    system_of,
)
from separatrix.solvers.squares.minimum_norm import Columns, from_triangle, triangular
from separatrix.threads import threads_for


def least_squares(
    problem: BlockedProblem, *, ridge: float = 0.0, targets: Any = None, tol: float = 1e-8, **unused: Any
) -> Solution:
    """Fit planes to targets as `squares.least_squares` does, in four passes or some more.

    >>> from separatrix.data.blocks import read_blocks
    >>> blocks = read_blocks(np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1]), rows_per_block=2)
    >>> solution = least_squares(blocks.encoded().problem)
    >>> solution.w.round(6).tolist(), round(solution.b, 6), solution.certificate.stated < 1e-14
    ([0.714286], -1.285714, True)
    """
    number("ridge", ridge, at_least=0.0)
    number("tol", tol, above=0.0)
    wanted = checked_targets(targets, problem.n_classes)
    problem, passes = problem.counting()
    with threads_for(0.0):
        moments, sums = problem.over(fold_of_moments(problem))
        mean_target = mean_number(sums) if sums is not None else moments.weight @ wanted / moments.weight.sum()
        system = system_of(problem, moments, wanted, mean_target)
        system = system if sums is None else system.of_numbers(sums)
        mean, fitted, found = first_fit(problem, moments, system, wanted, float(ridge))
        fitted, _ = refined(problem, wanted, float(ridge), fitted, mean, found.correct, found.tol)
        equations = NormalEquations(wanted, float(ridge), (fitted.W, fitted.b))
        w, b = decision_planes(fitted.W, fitted.b, wanted)
        claim = Stationary.of(w, b, equations, NO_BOUND, problem.n_rows)
        claim = replace(problem.posed(equations.objective).over(claim.restating_fold()), tol=tol)
    status = Status.STATIONARY if claim.proof else Status.UNSOLVED
    return Solution(Plane(claim.w, claim.b), claim, status, History(1, passes.passes, rank=fitted.rank))


def fold_of_moments(problem: BlockedProblem) -> Fold:
    """Moments of all rows, and of numbers the sums for a plane that is 0 everywhere."""
    if problem.n_classes:
        return SUM_OF_MOMENTS.then(lambda moments: (moments, None))
    none, zero = np.empty((0, 1)), (np.zeros((problem.n_features, 1)), np.zeros(1))
    return Fold(
        lambda block, first: (Moments.of(block), row_sums(block, none, *zero)),
        lambda one, other: (one[0].merged(other[0]), one[1].merged(other[1])),
        lambda found: found,
    )


def mean_number(sums: RowSums) -> Vector:
    """The weighted mean of the numbers of all rows."""
    assert sums.numbers is not None
    return sums.numbers.centre + sums.numbers.linear.value / sums.total.value


def first_fit(
    problem: BlockedProblem, moments: Moments, system: NormalSystem, targets: Vector, ridge: float
) -> tuple[Vector, Fitted, Factored]:
    """The mean that rows are measured from, planes to be refined, and what refines them."""
    factored = factored_system(system, moments.total_weight, ridge)
    if factored is not None:
        return system.mean, Fitted(*system.planes(factored.correct), factored.rank, 1), factored
    root, lengths = float(np.sqrt(moments.total_weight)), np.sqrt(system.matrix.diagonal())
    columns = Columns(system.mean, lengths, lengths > CONSTANT * root * np.abs(system.mean))
    scale = np.sqrt(lengths[columns.used] ** 2 + ridge)
    triangle = problem.over(fold_of_triangles((targets, system.mean_target), columns, scale))
    if ridge:
        below = np.column_stack(
            [np.diag(np.sqrt(ridge) / scale), np.zeros((scale.size, triangle.shape[1] - scale.size))]
        )
        triangle = merged_triangles(triangle, below)
    factors = triangle[:, : scale.size], triangle[:, scale.size :]
    least = from_triangle(factors, (columns, scale, system.mean_target), root, ridge)
    return least.mean, Fitted(least.W, least.b, least.rank, 1), Factored(least.correct, least.rank, 0.0)


def fold_of_triangles(centred: tuple[Vector, Vector], columns: Columns, scale: Vector) -> Fold:
    """R and Q't side by side, of all scaled rows."""

    def tally(block: Problem, first: int) -> Vector:
        return np.hstack(triangular(block, centred, columns, scale, 0.0))

    return Fold(tally, merged_triangles, lambda triangle: triangle)


def merged_triangles(one: Vector, other: Vector) -> Vector:
    """R and Q't of the rows of two."""
    stacked = np.vstack([one, other])
    if len(stacked) <= stacked.shape[1]:
        return stacked
    return np.asarray(qr(stacked, mode="r", overwrite_a=True)[0][: stacked.shape[1]])
