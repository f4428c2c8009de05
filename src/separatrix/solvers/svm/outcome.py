"""How a support vector machine's plane and dual variables become a Solution.

The offset is put where it is best. Where the budget ended the search, planes that cost nothing to try may be better
than the last one: the one that alpha makes, and w = 0.
"""

import numpy as np

from separatrix.certificates import DualityGap, Overlap
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.enclosures.exact_sums import slacks
from separatrix.errors import NotSeparableError, counted
from separatrix.problem import History, Plane, Problem, Solution, Status
from separatrix.products import combination, score_size, scores
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.hulls.mdm import mdm
from separatrix.solvers.separation.plane_or_overlap import plane_or_overlap
from separatrix.solvers.svm.best_offset import best_offset, widest_offset

FREE_RTOL = 1e-9  # relative distance of alpha from its bounds from which on its row is free, and decides the offset
ROUNDED_ALPHA = 1e-13  # and part of the largest alpha: rounding of their sum may be put on one that is far smaller
COINCIDENT_RTOL = 1e-8  # distance of two mixtures of rows, relative to the longest row, that are the same point
NEGLIGIBLE_ALPHA = 1e-14  # part of the largest alpha below which one is rounding, and its row supports nothing
MAX_ROWS_NAMED = 8  # in a message
MAX_ROUNDED_SLACK = 1e-3  # of rows on the margin


def answer(problem: Problem, w: Vector, b: float, alpha: Vector, tol: float, budget: Budget) -> Solution:
    """The plane with its offset in place, and its certificate."""
    objective, (alpha, support, inner) = problem.objective, without_negligible(alpha)
    plane = w, final_offset(problem, w, b, support, inner)
    certificate = DualityGap.issue(problem, *plane, inner, support, again=False)
    if objective.boxed and certificate.stated > certificate.rounding:
        clear = DualityGap.issue(problem, *clear_of_rounding(problem, *plane, alpha), alpha)
        certificate = clear if clear.primal < certificate.primal else certificate
    if certificate.stated > tol and not objective.hard:
        certificate = improved(problem, certificate, alpha)
    if objective.hard and not certificate.proof and budget.left > 0:
        certificate = by_nearest_points(problem, certificate, alpha, plane_or_refusal(problem, certificate))
    solved, steps = certificate.stated <= tol, max(budget.used, 1)
    status = Status.SOLVED if solved else Status.STOPPED if budget.left <= 0 else Status.ROUNDED
    return Solution(Plane(np.array(certificate.w), certificate.b), certificate, status, History(steps, steps))


def without_negligible(alpha: Vector) -> tuple[Vector, np.ndarray, Vector]:
    """alpha without entries that are rounding, the rows that keep one, and their alpha."""
    support = np.flatnonzero(alpha != 0.0)
    inner = alpha[support]
    large = inner > NEGLIGIBLE_ALPHA * inner.max(initial=0.0)
    if not large.all():
        alpha = alpha.copy()
        alpha[support[~large]] = 0.0
        support, inner = support[large], inner[large]
    return alpha, support, inner


def final_offset(problem: Problem, w: Vector, b: float, support: np.ndarray, alpha: Vector) -> float:
    """The offset: as it is where rows on the margin decide it, else the middle of what is optimal."""
    objective = problem.objective
    if not problem.fit_intercept:
        return 0.0
    if objective.hard:
        return widest_offset(scores(problem.X, w), problem.signs)
    if objective.squared:
        return b
    upper = objective.upper(problem.cost[support])
    some, largest = np.flatnonzero(alpha != upper), alpha.max(initial=0.0)
    alpha, upper = alpha[some], upper[some]
    if (np.minimum(alpha, upper - alpha) > np.maximum(FREE_RTOL * upper, ROUNDED_ALPHA * largest)).any():
        return b
    return best_offset(scores(problem.X, w), problem.signs, problem.cost)


def improved(problem: Problem, certificate: DualityGap, alpha: Vector) -> DualityGap:
    """The best of the plane, that of alpha, and w = 0; alpha is scaled to its best length."""
    normal = combination(problem.X, alpha * problem.signs)
    objective = problem.objective
    square = float(normal @ normal + np.sum(objective.dual_ridge(problem.cost) * alpha**2))
    alpha = alpha * min(1.0, float(alpha.sum()) / square) if square > 0.0 else alpha
    claims = [DualityGap.issue(problem, certificate.w, certificate.b, alpha)]
    for w in (certificate.w, normal, np.zeros(normal.shape)):
        b = 0.0
        if problem.fit_intercept:
            b = best_offset(scores(problem.X, w), problem.signs, problem.cost, objective.squared)
        claims.append(DualityGap.issue(problem, w, b, alpha))
    return min(claims, key=lambda claim: claim.primal)


def clear_of_rounding(problem: Problem, w: Vector, b: float, alpha: Vector) -> tuple[Vector, float]:
    """The plane scaled up a little, so that rows on the margin have no slack: for a large C rounding is dear."""
    margins, rounding = problem.margins(w, b), 4.0 * UNIT_ROUNDOFF * (1.0 + abs(b) + score_size(problem.X, w))
    inner = np.flatnonzero(alpha < (1.0 - FREE_RTOL) * problem.objective.upper(problem.cost))
    near = inner[margins[inner] <= float(margins[inner].min(initial=1.0)) + 8.0 * rounding]
    more = 1.5 * float(slacks(problem.X, problem.signs, near, w, b).max(initial=0.0)) + rounding
    factor = 1.0 + more if more < MAX_ROUNDED_SLACK else 1.0
    return factor * w, factor * b


def by_nearest_points(problem: Problem, certificate: DualityGap, alpha: Vector, plane: Planes | None) -> DualityGap:
    """A hard margin that the search missed, by the nearest points of the hulls; at least a plane that separates."""
    claims = [certificate]
    if plane is not None:
        claims.append(DualityGap.issue(problem, *reaching_one(problem, plane.w[0], plane.b[0]), alpha))
    if plane is not None and problem.fit_intercept:
        near = mdm(problem).certificate
        w, b = reaching_one(problem, near.w, near.b)
        weights = near.weights * 0.5 * float(w @ w)  # w = 2 d / ||d||^2, where d is the mixture of rows
        claims.append(DualityGap.issue(problem, w, b, weights, near.support))
    return min(claims, key=lambda claim: (not claim.proof, claim.stated))


def reaching_one(problem: Problem, w: Vector, b: float) -> tuple[Vector, float]:
    """The plane scaled so that the nearest row has a margin of 1, if all rows are on their own side."""
    least = float(problem.margins(w, b).min())
    return (w / least, b / least) if least > 0.0 else (w, b)


def plane_or_refusal(problem: Problem, certificate: DualityGap) -> Planes | None:
    """A plane that separates; or say that there is none, with the rows that prove it, or seem to."""
    signs, alpha, weights = problem.signs[certificate.support], certificate.alpha, np.zeros(problem.n_rows)
    sides = np.array([alpha[signs == side].sum() for side in (1, -1)])
    sides = sides if problem.fit_intercept else np.full(2, sides.sum())  # else both sides need not weigh the same
    weights[certificate.support] = alpha / np.where(signs > 0, *np.maximum(sides, TINY))
    found = plane_or_overlap(problem, weights)
    if not isinstance(found, Overlap):
        return found
    if found.proof or found.stated <= COINCIDENT_RTOL * float(np.sqrt(problem.squares.max())):
        raise not_separable(found, np.arange(problem.n_rows))
    return None


def not_separable(overlap: Overlap, numbers: np.ndarray) -> NotSeparableError:
    """The refusal, with rows by the numbers that users know."""
    rows = numbers[overlap.rows]
    shown = ", ".join(f"{row:,}" for row in rows[:MAX_ROWS_NAMED]) + (", ..." if rows.size > MAX_ROWS_NAMED else "")
    if overlap.proof:
        why = f"{counted(rows.size, 'row')} prove it, as mixtures of them, one of each class, are the same point"
    else:
        why = f"mixtures of {counted(rows.size, 'row')}, one of each class, are only {overlap.stated:.2g} apart"
    message = f"No plane separates the classes, so there is no hard margin: {why} (rows {shown}). Use a finite C."
    return NotSeparableError(message, overlap, rows)
