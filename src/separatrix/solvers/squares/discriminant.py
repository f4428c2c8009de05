"""Discriminant analysis from the moments of the classes: Fisher's directions, and Gaussian classes of one covariance.

    Fisher      maximise J(v) = v'S_b v / v'S_w v,  again and again, each v uncorrelated with those before it
    Gaussian    log p(c | x) = w_c.x + b_c + ...,   w_c = S^-1 (m_c - m),   b_c = log prior_c - w_c.(m + m_c)/2

With T'S T = I (whitening) the directions are T times the right singular vectors of the class means times T, and
w_c = T T'(m_c - m). T is triangular where S has an inverse. Otherwise it has as many columns as S has rank, and what
the classes differ by where none of them varies is left out of account (Fisher, 1936; Rao, 1948).
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh, solve_triangular

from separatrix.certificates import Stationary
from separatrix.certificates.claims.discriminant_equations import (
    MAX_EXACT_PRODUCTS,
    MAX_ROUNDING,
    FisherEquations,
    GaussianEquations,
    Spread,
    divisor,
    fisher_planes,
    gaussian_sides,
    spread_of,
)
from separatrix.certificates.claims.enclosed_moments import EnclosedMoments
from separatrix.errors import OptionError
from separatrix.problem import History, Moments, Plane, Problem, Solution, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector
from separatrix.solvers.options import number, whole
from separatrix.solvers.squares.least_squares import cholesky
from separatrix.threads import threads_for


class Whitening(NamedTuple):
    """T of shape (d, rank) with T'S T = I, and whether S has an inverse."""

    turn: Vector
    rank: int
    full: bool


def fisher(problem: Problem, *, n_components: int | None = None, max_iter: int = 1) -> Solution:
    """Fisher's discriminant of a problem; nothing is repeated, whatever `max_iter`.

    >>> X, y = np.array([[-1.0], [1.0], [3.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> solution = fisher(Problem(X, y))  # means 0 and 4, variance 2
    >>> solution.w.round(6).tolist(), round(float(solution.b / solution.w[0]), 9)
    ([0.707107], -2.0)
    """
    with threads_for(0.0):
        moments = moments_of(problem, max_iter)
        return settled(fisher_from(moments, problem.n_rows, n_components), problem)


def gaussian(problem: Problem, *, priors: Any = None, shrinkage: float = 0.0, max_iter: int = 1) -> Solution:
    """Linear discriminant analysis of a problem; nothing is repeated, whatever `max_iter`.

    >>> X, y = np.array([[-1.0], [1.0], [3.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> solution = gaussian(Problem(X, y))  # means 0 and 4, variance 2
    >>> solution.w.round(9).tolist(), round(solution.b, 9)
    ([2.0], -4.0)
    """
    with threads_for(0.0):
        moments = moments_of(problem, max_iter)
        return settled(gaussian_from(moments, problem.n_rows, priors, shrinkage), problem)


def moments_of(problem: Problem, max_iter: int) -> Moments:
    """The moments of a problem, after a check of its options."""
    whole("max_iter", max_iter)
    if not problem.fit_intercept:
        raise OptionError(
            "The 'fit_intercept' parameter must be True for discriminant analysis, which measures from means. Got "
            "False."
        )
    return Moments.of(problem)


def fisher_from(moments: Moments, n_rows: int, n_components: int | None = None) -> Solution:
    """Directions of the largest J, and planes half-way between the means."""
    white = whitened(moments, spread_of(moments))
    most = max(1, min(len(moments.weight) - 1, white.turn.shape[1]))
    count = most if n_components is None else min(whole("n_components", n_components), most)
    means = np.sqrt(moments.weight)[:, None] * (moments.apart @ white.turn)
    _, sizes, turned = np.linalg.svd(means, full_matrices=False)
    directions = signed(white.turn @ turned[:count].T, moments)
    ratios = sizes[:count] ** 2 / divisor(moments) if white.rank else np.full(count, np.inf)
    equations = FisherEquations(directions, ratios, white.full)
    return answer(moments, *fisher_planes(moments, directions), equations, n_rows, white.rank)


def gaussian_from(moments: Moments, n_rows: int, priors: Any = None, shrinkage: float = 0.0) -> Solution:
    """The planes of log-odds."""
    shrinkage = number("shrinkage", shrinkage, at_least=0.0, most=1.0)
    priors = checked_priors(priors, len(moments.weight))
    spread = spread_of(moments, shrinkage)
    white = whitened(moments, spread)
    planes = 1 if len(moments.weight) == 2 else len(moments.weight)
    right, _ = gaussian_sides(moments, priors, np.zeros((planes, moments.origin.size)))
    w = right @ white.turn @ white.turn.T
    if white.rank:  # one step of refinement, in columns of one unit
        left = np.zeros_like(w)
        scaled = right[:, spread.used] / spread.scale - (w[:, spread.used] * spread.scale) @ spread.matrix
        left[:, spread.used] = scaled * spread.scale
        w = w + left @ white.turn @ white.turn.T
    _, b = gaussian_sides(moments, priors, w)
    return answer(moments, w, b, GaussianEquations(priors, shrinkage, white.full), n_rows, white.rank)


def answer(moments: Moments, w: Vector, b: Vector, equations: Any, n_rows: int, rank: int) -> Solution:
    """The solution with its certificate, whose error comes from the moments that the planes were made of."""
    claim = Stationary.of(w, b, equations, equations.left(EnclosedMoments.of(moments), w, b), n_rows)
    return Solution(Plane(claim.w, claim.b), claim, status_of(claim), History(1, 1, rank=rank))


def settled(solution: Solution, problem: Problem | BlockedProblem) -> Solution:
    """The solution with a certificate from the rows, where that of their moments leaves room for rounding."""
    certain = solution.certificate.stated < np.inf and solution.certificate.rounding <= MAX_ROUNDING
    d = problem.n_features
    if certain or problem.n_rows * d * (d + 3) > MAX_EXACT_PRODUCTS:  # of which the rows give no better one
        return solution
    claim = problem.over(solution.certificate.restating_fold())
    return replace(solution, certificate=claim, status=status_of(claim))


def status_of(claim: Stationary) -> Status:
    """What a claim says of the solution."""
    return Status.STATIONARY if claim.proof else Status.UNSOLVED


def whitened(moments: Moments, spread: Spread) -> Whitening:
    """T by Cholesky, or by eigenvectors where columns depend on each other; of no variance at all, a unit for all."""
    d = moments.origin.size
    if not spread.used.any():
        size = np.abs(moments.apart).max()
        return Whitening(np.eye(d) / (size if size > TINY else 1.0), 0, False)
    least = 16.0 * UNIT_ROUNDOFF * (d + np.sqrt(moments.total_weight))
    factor, condition = cholesky(spread.matrix)
    if condition > least * d:
        inner = solve_triangular(factor, np.eye(len(factor)), lower=True).T
    else:
        values, vectors = eigh(spread.matrix)
        kept = values > least * values[-1]
        inner = vectors[:, kept] / np.sqrt(values[kept])
    turn = np.zeros((d, inner.shape[1]))
    turn[spread.used] = inner / spread.scale[:, None]
    return Whitening(turn, inner.shape[1], inner.shape[1] == d)


def ignored(moments: Moments) -> int:
    """In how many directions classes differ while none of them varies: J is infinite there, and they are left out.

    >>> X = np.array([[0.0, 1.0], [2.0, 1.0], [1.0, 3.0], [5.0, 3.0]])  # the second feature is that of the class
    >>> ignored(Moments.of(Problem(X, np.array([0, 0, 1, 1]))))
    1
    """
    same_mean = 1e-7  # part of the size of means that is rounding
    spread = spread_of(moments)
    white = whitened(moments, spread)
    if white.full or not white.rank:
        return 0
    basis = np.linalg.qr(white.turn[spread.used] * spread.scale[:, None])[0]
    inside = moments.apart[:, spread.used] / spread.scale
    outside = (inside - inside @ basis @ basis.T) / (same_mean * max(1.0, float(np.abs(inside).max())))
    size = np.abs(moments.means[:, ~spread.used]).max(axis=0)
    still = moments.apart[:, ~spread.used] / np.maximum(same_mean * size, TINY)
    return int(np.count_nonzero(np.linalg.svd(np.hstack([outside, still]), compute_uv=False) > 1.0))


def signed(directions: Vector, moments: Moments) -> Vector:
    """Each direction so that the second of two classes, or the class farthest out of more, is on its positive side."""
    along = moments.apart @ directions
    if len(along) == 2:
        side = along[1] - along[0]
    else:
        far = np.abs(along) > (1.0 - 1e-9) * np.abs(along).max(axis=0)
        side = along[far.argmax(axis=0), np.arange(along.shape[1])]
    return directions * np.where(side < 0.0, -1.0, 1.0)


def checked_priors(priors: Any, k: int) -> Vector | None:
    """Positive numbers that add up to 1, or None for the parts of the rows."""
    if priors is None:
        return None
    if isinstance(priors, str) and priors == "equal":
        return np.full(k, 1.0 / k)
    try:
        given = np.array(priors, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape != (k,) or not (given > 0.0).all() or not abs(given.sum() - 1.0) <= 1e-6:
        raise OptionError(
            f"The 'priors' parameter must be None, 'equal', or hold a positive number for each of the {k} classes, 1 "
            f"in all. Got {priors!r}."
        )
    return given / given.sum()
