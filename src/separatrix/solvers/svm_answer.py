"""How a support vector machine's plane and dual variables become a Solution.

The offset is put where it is best. Where the search ended early, other planes that cost nothing to try may be better
than the one it ended with: the one that alpha makes, and none at all.
"""

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import NotSeparableError
from separatrix.losses import SoftMargin
from separatrix.problem import Problem, Solution, Status
from separatrix.products import combination, scores
from separatrix.rows import UNIT_ROUNDOFF, Vector, length
from separatrix.solvers.budget import Budget
from separatrix.solvers.offset import best_offset, widest_offset

INSIDE = 1e-9  # how far inside of its bounds an alpha must be, as part of them, to decide the offset
SAME_PLACE = 1e-8  # distance of two mixtures of rows, as part of the longest row
STRETCH = 1e-6  # slack of rows on the margin that is rounding


def answer(
    problem: Problem, objective: SoftMargin, w: Vector, b: float, alpha: Vector, tol: float, budget: Budget
) -> Solution:
    """The plane with its offset in place, and its certificate."""
    plane = w, placed(problem, objective, w, b, alpha)
    certificate = DualityGap.issue(problem, *plane, alpha, objective)
    if objective.boxed and certificate.stated > certificate.doubt:
        stretched = DualityGap.issue(problem, *stretch(problem, objective, *plane, alpha), alpha, objective)
        certificate = stretched if stretched.primal < certificate.primal else certificate
    if certificate.stated > tol and not objective.hard:
        certificate, alpha = improved(problem, objective, certificate, alpha)
    solved = certificate.stated <= tol
    if objective.hard and not certificate.proof:
        refuse_overlap(problem, certificate)
    return Solution(
        w=np.array(certificate.w),
        b=certificate.b,
        status=Status.SOLVED if solved else Status.STOPPED if budget.left <= 0 else Status.ROUNDED,
        certificate=certificate,
        iterations=max(budget.used, 1),
        passes=max(budget.used, 1),
        alpha=alpha,
    )


def placed(problem: Problem, objective: SoftMargin, w: Vector, b: float, alpha: Vector) -> float:
    """The offset: as it is where rows on the margin decide it, else the middle of what is optimal."""
    if not problem.fit_intercept:
        return 0.0
    if objective.hard:
        return widest_offset(scores(problem.X, w), problem.signs)
    upper = objective.upper(problem.cost)
    if objective.squared or np.any((alpha > INSIDE * upper) & (alpha < (1.0 - INSIDE) * upper)):
        return b
    return best_offset(scores(problem.X, w), problem.signs, problem.cost)


def improved(
    problem: Problem, objective: SoftMargin, certificate: DualityGap, alpha: Vector
) -> tuple[DualityGap, Vector]:
    """The best of what costs nothing to try: the plane, that of alpha, and none; alpha as long as is best for it."""
    normal = combination(problem.X, alpha * problem.signs)
    square = float(normal @ normal + np.sum(objective.give(problem.cost) * alpha**2))
    alpha = alpha * min(1.0, float(alpha.sum()) / square) if square > 0.0 else alpha
    claims = [DualityGap.issue(problem, certificate.w, certificate.b, alpha, objective)]
    for w in (certificate.w, normal, np.zeros(normal.shape)):
        b = 0.0
        if problem.fit_intercept:
            b = best_offset(scores(problem.X, w), problem.signs, problem.cost, objective.squared)
        claims.append(DualityGap.issue(problem, w, b, alpha, objective))
    return min(claims, key=lambda claim: claim.primal), alpha


def stretch(problem: Problem, objective: SoftMargin, w: Vector, b: float, alpha: Vector) -> tuple[Vector, float]:
    """The plane a little steeper, so that rows on the margin reach it: for a large C their rounding is dear."""
    margins = problem.signs * (scores(problem.X, w) + b)
    least = float(margins[alpha < (1.0 - INSIDE) * objective.upper(problem.cost)].min(initial=1.0))
    more = 2.0 * (1.0 - least) + 16.0 * UNIT_ROUNDOFF * (1.0 + abs(b))
    factor = 1.0 + more if more < STRETCH else 1.0
    return factor * w, factor * b


def refuse_overlap(problem: Problem, certificate: DualityGap) -> None:
    """Say that there is no hard margin, if two mixtures of rows, one of each class, are in the same place."""
    signs, alpha = problem.signs[certificate.support], certificate.alpha
    sides = np.array([alpha[signs == side].sum() for side in (1, -1)])
    sides = sides if problem.fit_intercept else np.full(2, sides.sum())  # else both sides need not weigh the same
    weights = np.zeros(problem.n_rows)
    weights[certificate.support] = alpha * signs / np.where(signs > 0, *np.maximum(sides, np.finfo(float).tiny))
    apart = length(combination(problem.X, weights))
    if certificate.support.size and apart <= SAME_PLACE * problem.radius:
        n_wrong = certificate.separator.examined.n_wrong if certificate.separator else 0
        raise NotSeparableError(
            "No plane separates the classes, so there is no hard margin: two mixtures of rows, one of each class, are "
            f"only {apart:.2g} apart, where rows are up to {problem.radius:.2g} long, and the plane that came nearest "
            f"leaves {n_wrong:,} of {problem.n_rows:,} rows on the wrong side. Use a finite C."
        )
