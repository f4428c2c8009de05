"""Least squares where columns are nearly uncorrelated: conjugate gradients, one look at the rows for each step.

    (S + ridge I) W = right,     S V = sum_i c_i (x_i - m)((x_i - m)'V)

The matrix S is never made. With columns scaled to length 1 it is near I, so that every step gains a digit; S itself
costs as much as many looks at the rows where there are hundreds of columns. Whether steps will be few is seen in a
sample of the rows, and again after some of them; where not, nothing is returned (Hestenes and Stiefel, 1952).
"""

from typing import NamedTuple

import numpy as np

from separatrix.certificates.normal_equations import dense_sums, problem_mean
from separatrix.problem import Problem
from separatrix.problem.looks import looped, normal_product
from separatrix.problem.moments import UNCOPIED, Sample, cached_parts, measured_from, sampled
from separatrix.products import stretches_of
from separatrix.rows import Vector
from separatrix.threads import summed

FEWEST_COLUMNS, ROWS_A_COLUMN = 250, 50  # from which on S costs more than some looks at the rows
COLUMNS_A_LOOK = 30.0  # for which S costs as much as a look
SPREAD = 0.05  # variance of the eigenvalues of correlations, up to which steps are few
EVERY = 4  # rows of the sample, of which one is enough for that
FIRST = 3  # steps from which the rest is foreseen


class Sums(NamedTuple):
    """n_c of the classes, the mean of the rows, the squared lengths of their columns, and the right side."""

    weight: Vector
    mean: Vector
    squares: Vector
    right: Vector


def uncorrelated(problem: Problem, targets: Vector, ridge: float, enough: float) -> tuple[Vector, Vector, int] | None:
    """W, b and the steps made until no more than `enough` is left of any equation; None where that would take long.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.uncorrelated import uncorrelated
    >>> X = np.random.default_rng(0).standard_normal((15_000, 300))
    >>> W, b, steps = uncorrelated(Problem(X, X[:, 0] > 0.0), np.array([[-1.0], [1.0]]), 0.0, 1e-8)
    >>> steps <= 10, int(np.abs(W[:, 0]).argmax())
    (True, 0)
    """
    n, d = problem.n_rows, problem.n_features
    if d < FEWEST_COLUMNS or n < ROWS_A_COLUMN * d or not problem.fit_intercept:
        return None
    sample = sampled(problem)
    if measured_from(problem, sample).any() or spread_in_sample(problem, sample) > SPREAD:
        return None
    sums = sums_of(problem, targets)
    if not (sums.squares > 0.0).all():
        return None
    found = steps(problem, sums, targets, ridge, enough, int(d / COLUMNS_A_LOOK))
    if found is None:
        return None
    return found[0], sums.weight @ targets / sums.weight.sum() - sums.mean @ found[0], found[1]


def spread_in_sample(problem: Problem, sample: Sample | None = None) -> float:
    """Variance of the eigenvalues of the correlations, less what the smallness of the sample adds to it."""
    Z = (sampled(problem) if sample is None else sample).X[::EVERY]
    Z = Z - Z.mean(axis=0)
    lengths = np.linalg.norm(Z, axis=0)
    if not (lengths > 0.0).all():
        return np.inf
    Z /= lengths
    m, d = Z.shape
    return float(np.sum((Z.T @ Z) ** 2) / d - 1.0 - d / m)


def sums_of(problem: Problem, targets: Vector) -> Sums:
    """One look at the rows: what the planes 0 leave of the equations is their right side."""
    d, middle = problem.n_features, problem_mean(problem, targets)
    nothing, origin = np.zeros((d, targets.shape[1])), np.zeros(d)
    right, _, linear, squares, weight, _ = dense_sums(problem, targets, nothing, middle, origin)
    mean = linear / weight.sum()
    return Sums(weight, mean, np.maximum(squares - weight.sum() * mean**2, 0.0), right)


def steps(
    problem: Problem, sums: Sums, targets: Vector, ridge: float, enough: float, most: int
) -> tuple[Vector, int] | None:
    """W and the steps made, or None where there would be more than `most`."""
    scale = (sums.squares + ridge)[:, None]
    apart = targets - sums.weight @ targets / sums.weight.sum()
    lengths = np.sqrt(scale * (sums.weight @ apart**2))
    W, left = np.zeros_like(sums.right), sums.right
    step, square = left / scale, np.sum(left**2 / scale, axis=0)
    for made in range(1, most + 1):
        image = product(problem, sums.mean, step) + ridge * step
        rate = square / np.maximum(np.sum(step * image, axis=0), np.finfo(float).tiny)
        W, left = W + rate * step, left - rate * image
        error = float((np.abs(left) / np.where(lengths > 0.0, lengths, 1.0)).max())
        if error <= enough:
            return W, made
        if made >= FIRST and made * np.log(enough) < most * np.log(error):
            return None
        before, square = square, np.sum(left**2 / scale, axis=0)
        step = left / scale + square / np.maximum(before, np.finfo(float).tiny) * step
    return None


def product(problem: Problem, mean: Vector, V: Vector) -> Vector:
    """S V, from the rows."""
    X, base = problem.X, mean @ V
    if V.shape[1] == 1 and isinstance(X, np.ndarray) and looped(X):
        one, left = normal_product(X, problem.cost, V[:, 0].copy(), float(base[0]))
        return (one - mean * left)[:, None]

    def job(stretch: slice) -> tuple[Vector, Vector]:
        total, rest = np.zeros_like(V), np.zeros(V.shape[1])
        for part, matrix in cached_parts(X, UNCOPIED, stretch):
            image = problem.cost[part, None] * (matrix @ V - base)
            rest += image.sum(axis=0)
            total += matrix.T @ image
        return total, rest

    total, rest = summed(job, stretches_of(X))
    return total - np.outer(mean, rest)
