"""What primal and dual values are made of, in the space of the features or in that of a kernel.

    g_i = <w, x_i> + b,     ||w||^2,     ||n||^2 for n = sum_i beta_i x_i

In the space of a kernel w = sum_j c_j phi(x_j) over the support rows, and all three come from one set of kernel values;
a linear kernel is that of the features, where more digits are left.
"""

from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.objectives.kernel_margin import satisfies_mercer
from separatrix.objectives.soft_margin_sums import normal_of
from separatrix.objectives.values import ROUNDING
from separatrix.problem import Problem
from separatrix.problem.distinct import row_bytes
from separatrix.problem.fold import centre_of
from separatrix.products import parts, score_size, scores
from separatrix.rows import CSR, TINY, Vector

CENTRE_SHARE = 1.0 / 16.0  # of a centre: what is left of it is rounded by four units, sums by 64
SAMPLE_ROWS = 2000  # from which the rounding error of a sum over all is estimated


class Measurement(NamedTuple):
    """Scores g of a plane, ||w||^2, ||n||^2 of a dual point, and how far rounding may move each of them.

    `vanishes` is known where w = 0: whether n is 0 but for rounding. `bounds` tells whether the dual value bounds
    anything: in the space of a kernel, whether Mercer's condition holds.
    """

    scores: Vector
    square: float
    dual_square: float
    of_scores: float
    of_square: float
    of_dual_square: float
    vanishes: bool
    bounds: bool


@np.errstate(over="ignore", invalid="ignore")
def measured(problem: Problem, w: Vector, b: float, support: np.ndarray, beta: Vector) -> Measurement:
    """Measure a plane and the dual point beta over its support rows; with a kernel w are their coefficients."""
    if problem.kernel is None:
        return by_features(problem, w, b, support, beta)
    if problem.kernel.is_linear:
        return by_features(problem, normal_of(problem, support, w), b, support, beta)
    both = np.column_stack([w, beta])
    found = problem.kernel.expansion(problem.support_rows(support), both, problem.X)
    largest = float(np.sqrt(problem.kernel.diagonal(problem.X).max(initial=0.0)))
    squares = [max(float(both[:, k] @ found[support, k]), 0.0) for k in range(2)]
    sizes = [float(np.abs(both[:, k]).sum()) * largest for k in range(2)]
    return Measurement(
        scores=found[:, 0] + b,
        square=squares[0],
        dual_square=squares[1],
        of_scores=ROUNDING * (abs(b) + largest * sizes[0]),
        of_square=ROUNDING * sizes[0] ** 2,
        of_dual_square=ROUNDING * sizes[1] ** 2,
        vanishes=not np.any(w) and cancels_in_equal_rows(problem, support, beta),
        bounds=satisfies_mercer(problem),
    )


def by_features(problem: Problem, w: Vector, b: float, support: np.ndarray, beta: Vector) -> Measurement:
    """Measure a plane w and a dual point in the space of the features."""
    g = scores(problem.X, w)
    g += b
    normal, nothing = normal_of(problem, support, beta), not np.any(w)
    some = slice(None) if nothing else slice(None, None, max(1, support.size // SAMPLE_ROWS))  # a zero wants them all
    one_in = max(1.0, float(np.abs(beta).sum()) / max(float(np.abs(beta[some]).sum()), TINY))
    square, of_normal = float(normal @ normal), ROUNDING * one_in * normal_terms(problem, support[some], beta[some])
    return Measurement(
        g,
        float(w @ w),
        square,
        of_scores=ROUNDING * (abs(b) + score_size(problem.X, w)),
        of_square=ROUNDING * float(w @ w),
        of_dual_square=float(2.0 * np.abs(normal) @ of_normal + of_normal @ of_normal),
        vanishes=nothing and bool((np.abs(normal) <= of_normal).all()),
        bounds=True,
    )


def normal_terms(problem: Problem, support: np.ndarray, beta: Vector) -> Vector:
    """sum_i |beta_i (x_ij - centre_j)| of each column, which rounding errors of n are a part of.

    Beta adds up to 0 but for rounding, so that some of the centre is left.
    """
    if not support.size:
        return np.zeros(problem.n_features)
    X, size = rows.take(problem.X, support), np.abs(beta)
    centre = centre_of(problem.X, support) if problem.fit_intercept else np.zeros(problem.n_features)
    if isinstance(X, CSR):
        total = sum(abs(matrix).T @ size[part] for part, matrix in parts(X))
        return total + np.abs(centre) * float(size.sum())
    rest = CENTRE_SHARE * float(size.sum()) * np.abs(centre)
    return sum((np.abs(matrix - centre).T @ size[part] for part, matrix in parts(X)), rest)


def cancels_in_equal_rows(problem: Problem, support: np.ndarray, beta: Vector) -> bool:
    """Whether beta of equal rows adds up to 0, but for rounding: then n is 0 in the space of any kernel."""
    known: dict[bytes, int] = {}
    some = rows.take(problem.X, support)
    group = np.fromiter((known.setdefault(row, len(known)) for row in row_bytes(some)), np.int64, support.size)
    sums, sizes = np.bincount(group, beta, len(known)), np.bincount(group, np.abs(beta), len(known))
    return bool((np.abs(sums) <= ROUNDING * sizes).all())


def balanced(beta: Vector) -> Vector:
    """Beta with a sum of 0: those of the sign that weighs more are scaled down."""
    sides = np.array([float(-beta[beta < 0.0].sum()), float(beta[beta > 0.0].sum())])
    factors = sides.min() / np.where(sides > 0.0, sides, 1.0)
    return beta * factors[(beta > 0.0).view(np.int8)]
