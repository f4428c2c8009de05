"""Leave-one-out errors of least squares, without fitting again.

    e_i without row i  =  ((I - H) t)_i / (1 - H_ii),      H t: what is fitted to the targets t

With Z = U S V' the scaled and centred rows, H = 11'/n + U S^2 / (S^2 + ridge) U', so that one decomposition serves
every ridge (Allen, 1974; Golub, Heath and Wahba, 1979). A row that is fitted whatever its target has H_ii = 1; without
it the limit of ridge -> 0 is (U S^-2 U't)_i / (U S^-2 U')_ii. A row is left out with all of its weight.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh, solve_triangular, svd

from separatrix.certificates.claims.normal_equations import decision_planes, problem_mean
from separatrix.certificates.claims.normal_sums import CONSTANT, row_targets
from separatrix.problem import Moments, Problem
from separatrix.problem.moments import cached_blocks
from separatrix.products import chunks_of
from separatrix.rows import UNIT_ROUNDOFF, Vector, read_only
from separatrix.solvers.squares.least_squares import cholesky, normal_system
from separatrix.solvers.squares.minimum_norm import measured_columns
from separatrix.threads import parallel_map, threads_for


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOut:
    """What each row's residual would be if the row had not been there.

    Parameters
    ----------
    ridges : ndarray of shape (q,)
        The penalties.
    residuals : ndarray of shape (q, n) or (q, n, p)
        t - g of each row, by the planes that are fitted to all others; p targets.
    squares : ndarray of shape (q,)
        The sum of their squares, times the costs of the rows.
    errors : ndarray of shape (q,)
        The part of the rows, by cost, that the others predict wrong; of numbers, the root of the mean of `squares`.

    Examples
    --------
    >>> from separatrix import LeastSquaresClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [4.0]], [-1, -1, 1, 1]
    >>> found = LeastSquaresClassifier().leave_one_out(X, y, ridges=[0.0, 1.0, 100.0])
    >>> found.squares.round(3).tolist(), found.best, found.errors.tolist()
    ([4.804, 2.664, 6.667], 1.0, [0.25, 0.25, 1.0])
    """

    ridges: Vector
    residuals: Vector
    squares: Vector
    errors: Vector

    @property
    def best(self) -> float:
        """The ridge with the least sum of squares."""
        return float(self.ridges[int(np.argmin(self.squares))])

    def __repr__(self) -> str:
        return f"LeaveOneOut({self.ridges.size} ridges, best={self.best:g})"


class Factors(NamedTuple):
    """Chunks of rows, the row numbers in each with their U, U't, S^-2, and whether any targets can be fitted."""

    cuts: list[slice]
    left: Callable[[slice], Iterator[tuple[slice, Vector]]]
    right: Vector
    inverse: Vector
    full: bool


def leave_one_out(problem: Problem, targets: Vector, ridges: Vector) -> LeaveOneOut:
    """Residuals of every row under every ridge, from one decomposition."""
    with threads_for(0.0):
        factors = by_products(problem, targets, ridges)
        found = None if factors is None else residuals(problem, targets, ridges, factors)
        if found is None:
            found = residuals(problem, targets, ridges, by_rows(problem, targets))
    assert found is not None
    squares = np.array([problem.cost @ (residual**2).sum(axis=1) for residual in found])
    if problem.n_classes:
        errors = np.array([error_rate(problem, targets, residual) for residual in found])
    else:
        errors = np.sqrt(squares / problem.cost.sum())
    single = found[:, :, 0] if targets.shape[1] == 1 else found
    return LeaveOneOut(*map(read_only, (np.array(ridges), single, squares, errors)))


def error_rate(problem: Problem, targets: Vector, residual: Vector) -> float:
    """The part of the rows, by cost, whose nearest target is not that of their class."""
    scores = class_scores(problem, targets, residual)
    predicted = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    return float(problem.cost @ (predicted != problem.y) / problem.cost.sum())


def class_scores(problem: Problem, targets: Vector, residual: Vector) -> Vector:
    """The scores that choose the nearest target, of shape (n, 1) for two classes, else (n, n_classes)."""
    w, b = decision_planes(np.eye(targets.shape[1]), np.zeros(targets.shape[1]), targets)
    return (targets[problem.y] - residual) @ w.T + b


def by_products(problem: Problem, targets: Vector, ridges: Vector) -> Factors | None:
    """U from the products of columns, U = Z B with B'Z'Z B = I; None where these would lose digits."""
    if problem.n_rows <= problem.n_features:
        return None
    moments = Moments.of(problem)
    mean, matrix, right, _ = normal_system(problem, moments, targets)
    scale = np.sqrt(matrix.diagonal())
    used = scale > CONSTANT * np.sqrt(moments.total_weight) * np.abs(mean)
    if not used.any():
        return None
    scale = scale[used]
    factor, condition = cholesky(matrix[np.ix_(used, used)] / scale / scale[:, None])
    if condition < 1e-8:
        return None
    basis = solve_triangular(factor, np.diag(1.0 / scale), lower=True)  # B' before it is turned
    inverse = np.zeros(scale.size)
    if ridges.any():
        inverse, turned = eigh(basis @ basis.T)
        basis = turned.T @ basis
    spread = np.zeros((problem.n_features, scale.size))
    spread[used] = basis.T
    left = partial(turned_rows, problem, mean, spread)
    return Factors(chunks_of(problem.X), left, basis @ right[used], np.maximum(inverse, 0.0), False)


def turned_rows(problem: Problem, mean: Vector, basis: Vector, chunk: slice) -> Iterator[tuple[slice, Vector]]:
    """U of a chunk of rows, block by block."""
    for part, matrix in cached_blocks(problem.X, chunk=chunk):
        yield part, np.sqrt(problem.cost[part])[:, None] * ((matrix - mean) @ basis)


def by_rows(problem: Problem, targets: Vector) -> Factors:
    """U and S of the rows themselves."""
    columns = measured_columns(problem)
    root = np.sqrt(problem.cost)[:, None]
    Z = np.vstack([(matrix - columns.mean)[:, columns.used] for _, matrix in cached_blocks(problem.X)]) * root
    U, sizes, _ = svd(Z, full_matrices=False, lapack_driver="gesvd") if Z.size else (Z[:, :0], np.zeros(0), None)
    least = 4.0 * UNIT_ROUNDOFF * max(Z.shape) * sizes.max(initial=0.0)
    U, sizes = U[:, sizes > least], sizes[sizes > least]
    mean_target = problem_mean(problem, targets) if problem.fit_intercept else 0.0
    full = sizes.size + problem.fit_intercept == problem.n_rows
    right, everything = U.T @ (root * (row_targets(problem, targets) - mean_target)), slice(0, len(U))
    return Factors([everything], lambda part: iter([(part, U)]), right, sizes**-2.0, full)


def residuals(problem: Problem, targets: Vector, ridges: Vector, factors: Factors) -> Vector | None:
    """Leave-one-out residuals of shape (ridges, n, p); None where a row is determined and S is not known."""
    known = bool(factors.inverse.any())
    mean_target = problem_mean(problem, targets) if problem.fit_intercept else 0.0
    weight = problem.cost.sum() if problem.fit_intercept else np.inf
    found = np.empty((ridges.size, problem.n_rows, targets.shape[1]))

    def put(part: slice, U: Vector) -> bool:
        root, squares = np.sqrt(problem.cost[part])[:, None], U**2
        beyond = root * (row_targets(problem, targets, part) - mean_target) - U @ factors.right  # what no plane fits
        free = 1.0 - squares.sum(axis=1) - problem.cost[part] / weight
        determined = np.full(len(U), True) if factors.full else free < 1e-11
        if determined.any() and not known:
            return False
        beyond[determined], free[determined] = 0.0, 0.0
        for k, ridge in enumerate(ridges):
            slack = ridge * factors.inverse / (1.0 + ridge * factors.inverse)
            above, below = beyond + U @ (slack[:, None] * factors.right), free + squares @ slack
            if not ridge and determined.any():
                limit = U[determined] * factors.inverse
                above[determined] = limit @ factors.right
                below[determined] = np.sum(limit * U[determined], axis=1)
            found[k, part] = above / below[:, None] / root
        return True

    def job(chunk: slice) -> bool:
        return all(put(part, U) for part, U in factors.left(chunk))

    return found if all(parallel_map(job, factors.cuts)) else None
