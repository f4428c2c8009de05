"""Least squares: planes that come nearest to a target for each class, or to a number for each row.

    minimise  sum_i c_i ||t_i - W'x_i - b||^2 + ridge ||W||^2            b is not penalised

    (S + ridge I) W = sum_c n_c (m_c - m)(t_c - t)',     b = t - W'm     S: the scatter of all rows around their mean m

The targets t_c of classes depend on the class alone, so that the moments of the classes are all that is needed: one
product Z'Z. The right side for numbers t_i is sum_i c_i (x_i - m)(t_i - t), one more pass over the rows.
Columns are scaled to length 1, the matrix is factored by Cholesky, and where that is not accurate by itself the answer
is refined with residuals from the rows. Where columns depend on each other the least W is taken, which is the limit for
ridge -> 0: see `minimum_norm`. Large sparse rows are left to `conjugate_gradients` (Legendre, 1805; Gauss, 1809;
Bjorck, 1996).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, lapack

from separatrix.certificates import Stationary
from separatrix.certificates.claims.normal_equations import (
    NormalEquations,
    Residual,
    decision_planes,
    problem_mean,
    residual,
)
from separatrix.certificates.claims.normal_sums import CONSTANT, RowSums, row_sums
from separatrix.objectives.least_squares import checked_targets
from separatrix.problem import History, Moments, Plane, Problem, Solution, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.moments import mostly_empty, sample_rows
from separatrix.rows import UNIT_ROUNDOFF, Vector, length
from separatrix.solvers.options import number, whole
from separatrix.solvers.squares.conjugate_gradients import conjugate_gradients
from separatrix.solvers.squares.minimum_norm import minimum_norm
from separatrix.solvers.squares.mixed_precision import (
    MAX_EIGENVALUE_VARIANCE,
    QuantizedRows,
    eigenvalue_variance,
    worth_quantizing,
)
from separatrix.threads import threads_for

MAX_DENSE_OPERATIONS = 2e12  # of a dense decomposition; beyond, about a minute, conjugate gradients are used
ROUNDED = 16 * UNIT_ROUNDOFF  # left of an equation, below which a step still mends coefficients that are small
MAX_SPARSE_COLUMNS = 3000  # of sparse rows whose Gram matrix, which is dense, is still quick


class Fitted(NamedTuple):
    """Planes W of shape (d, p) and b of shape (p,), the rank of their system (None: not known), and the iterations."""

    W: Vector
    b: Vector
    rank: int | None
    iterations: int


def least_squares(
    problem: Problem, *, ridge: float = 0.0, targets: Any = None, tol: float = 1e-8, max_iter: int = 10_000
) -> Solution:
    """Fit planes to targets, a number or p numbers for each class, and decide by the nearest target.

    Without targets these are -1 and +1, or for more classes 1 for the own class and 0 for the others; where the problem
    has numbers, one plane is fitted to these.

    >>> solution = least_squares(Problem(np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1])))
    >>> solution.w.round(6).tolist(), round(solution.b, 6), solution.certificate.error is not None
    ([0.714286], -1.285714, True)
    """
    number("ridge", ridge, at_least=0.0)
    number("tol", tol, above=0.0)
    whole("max_iter", max_iter)
    wanted = checked_targets(targets, problem.n_classes)
    with threads_for(0.0):
        fitted, left = solved(problem, wanted, float(ridge), tol, max_iter)
    equations = NormalEquations(wanted, float(ridge), (fitted.W, fitted.b))
    w, b = decision_planes(fitted.W, fitted.b, wanted)
    claim = Stationary.of(w, b, equations, equations.error(problem, left), problem.n_rows, tol)
    status = Status.STATIONARY if claim.proof else Status.UNSOLVED
    return Solution(Plane(claim.w, claim.b), claim, status, History(fitted.iterations, 1, rank=fitted.rank))


def solved(problem: Problem, targets: Vector, ridge: float, tol: float, max_iter: int) -> tuple[Fitted, Residual]:
    """Planes and the residual of their equations, by the method that suits the rows."""
    n, d = problem.n_rows, problem.n_features
    empty = mostly_empty(problem.X)
    if min(n, d) ** 2 * max(n, d) > MAX_DENSE_OPERATIONS or (empty and d > MAX_SPARSE_COLUMNS):
        W, b, iterations = conjugate_gradients(problem, targets, ridge, tol, max_iter)
        return Fitted(W, b, None, iterations), residual(problem, targets, W, b, ridge)
    if d < n:
        found = None if empty else by_mixed_precision(problem, targets, ridge, tol)
        found = found or by_cholesky(problem, Moments.of(problem), targets, ridge)
        if found is not None:
            return found
    least = minimum_norm(problem, targets, ridge)
    fitted = Fitted(least.W, least.b, least.rank, 1)
    return refined(problem, targets, ridge, fitted, least.mean, least.correct)


def by_mixed_precision(problem: Problem, targets: Vector, ridge: float, tol: float) -> tuple[Fitted, Residual] | None:
    """Planes by refinement with quantized rows; None where correlations make it slow, or it misses tol."""
    sample = sample_rows(problem) if worth_quantizing(problem) else None
    if sample is None or eigenvalue_variance(sample) > MAX_EIGENVALUE_VARIANCE:
        return None
    quantized = QuantizedRows.of(problem, targets, sample)
    if quantized is None:
        return None
    tol, passes = min(1e-12, 1e-4 * tol), 0

    def correct(residuals: Vector) -> Vector:
        nonlocal passes
        step, made = quantized.solve(ridge, tol, residuals)
        passes += made
        return step

    W, passes = quantized.solve(ridge, tol)
    fitted = Fitted(W, problem_mean(problem, targets) - quantized.mean @ W, problem.n_features, passes)
    fitted, left = refined(problem, targets, ridge, fitted, quantized.mean, correct, tol)
    return (fitted._replace(iterations=passes), left) if left.error.low <= 10.0 * tol else None


def by_cholesky(problem: Problem, moments: Moments, targets: Vector, ridge: float) -> tuple[Fitted, Residual] | None:
    """Solve the normal equations of scaled columns; None where these are dependent, or too nearly so to refine."""
    system = normal_system(problem, moments, targets)
    factored = factored_system(system, moments.total_weight, ridge)
    if factored is None:
        return None
    fitted = Fitted(*system.planes(factored.correct), factored.rank, 1)
    return refined(problem, targets, ridge, fitted, system.mean, factored.correct, factored.tol)


class Factored(NamedTuple):
    """What makes W of the right side of normal equations, the rank, and the residual up to which it is refined."""

    correct: Callable[[Vector], Vector]
    rank: int
    tol: float


class NormalSystem(NamedTuple):
    """The mean that is subtracted from rows, the scatter around it, the right side, and the mean of the targets."""

    mean: Vector
    matrix: Vector
    right: Vector
    mean_target: Vector

    def of_numbers(self, sums: RowSums) -> "NormalSystem":
        """The system with the right side for numbers, from the sums of a plane that is level."""
        return self._replace(right=sums.gradient.value - np.outer(self.mean - sums.columns.centre, sums.residual.value))

    def planes(self, correct: Callable[[Vector], Vector]) -> tuple[Vector, Vector]:
        """W and b."""
        W = correct(self.right)
        return W, self.mean_target - self.mean @ W


def factored_system(system: NormalSystem, total_weight: float, ridge: float) -> Factored | None:
    """Factor the normal equations of scaled columns; None where these are dependent, or too nearly so to refine."""
    squares = system.matrix.diagonal()
    used = np.sqrt(squares) > CONSTANT * np.sqrt(total_weight) * np.abs(system.mean)
    if not used.any():
        return None
    scale = np.sqrt(squares[used] + ridge)
    scaled = system.matrix[np.ix_(used, used)] / scale / scale[:, None]
    scaled[np.diag_indices_from(scaled)] = 1.0
    factor, condition = cholesky(scaled)
    if condition < 1e-11:
        return None

    def correct(left: Vector) -> Vector:
        W = np.zeros_like(left)
        W[used] = cho_solve((factor, True), left[used] / scale[:, None]) / scale[:, None]
        return W

    return Factored(correct, int(used.sum()), 1e-13 if condition >= 1e-3 else 0.0)


def normal_system(problem: Problem, moments: Moments, targets: Vector) -> NormalSystem:
    """The normal equations of rows with these moments."""
    system = system_of(problem, moments, targets, problem_mean(problem, targets, moments.weight))
    if problem.n_classes:
        return system
    return system.of_numbers(row_sums(problem, targets, np.zeros((problem.n_features, 1)), system.mean_target))


def system_of(
    problem: Problem | BlockedProblem, moments: Moments, targets: Vector, mean_target: Vector
) -> NormalSystem:
    """The normal equations from moments; those of numbers but for the right side, which needs sums over rows.

    Both means are 0 where there is no offset.
    """
    if problem.fit_intercept:
        mean, matrix = moments.mean, moments.total
    else:
        means = np.sqrt(moments.weight)[:, None] * moments.means
        mean, matrix = np.zeros_like(moments.mean), moments.within + means.T @ means
        mean_target = np.zeros(targets.shape[1])
    if not problem.n_classes:
        right = np.zeros((problem.n_features, 1))
    elif problem.fit_intercept:
        right = moments.apart.T @ (moments.weight[:, None] * (targets - mean_target))
    else:
        right = means.T @ (np.sqrt(moments.weight)[:, None] * targets)
    return NormalSystem(mean, matrix, right, mean_target)


def cholesky(matrix: Vector) -> tuple[Vector, float]:
    """The lower factor of a matrix, and its reciprocal condition, which is 0 where there is no factor."""
    size = float(np.abs(matrix).sum(axis=0).max())
    factor, failed = lapack.dpotrf(matrix, lower=1)
    return factor, 0.0 if failed else float(lapack.dpocon(factor, size, uplo="L")[0])


def refined(
    problem: Problem | BlockedProblem,
    targets: Vector,
    ridge: float,
    fitted: Fitted,
    mean: Vector,
    correct: Callable[[Vector], Vector],
    tol: float = 0.0,
) -> tuple[Fitted, Residual]:
    """Iterative refinement with residuals from the rows, to tol or while each step halves it; 5 steps at most."""
    left = residual(problem, targets, fitted.W, fitted.b, ridge)
    total = float(left.by.sums.total.value)
    for remaining in reversed(range(5)):
        if left.in_columns <= tol:
            break
        step = correct(left.columns.value)
        W = fitted.W + step
        b = fitted.b + (left.offset.value / total - mean @ step if problem.fit_intercept else 0.0)
        new = residual(problem, targets, W, b, ridge, left.by)
        pace = new.in_columns / left.in_columns
        if not pace < 1.0 and new.in_columns > ROUNDED:
            break
        fitted, left = fitted._replace(W=W, b=b), new
        if pace > 0.5 or new.in_columns * pace**remaining > tol > 0.0:
            break
        if length(step) <= 4.0 * UNIT_ROUNDOFF * length(W):
            break
    return fitted, left
