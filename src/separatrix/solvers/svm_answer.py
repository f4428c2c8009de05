"""How a support vector machine's plane and dual variables become a Solution.

The offset is put where it is best. Where the search ended early, other planes that cost nothing to try may be better
than the one it ended with: the one that alpha makes, and none at all.
"""

import numpy as np

from separatrix.certificates import DualityGap, Overlap
from separatrix.certificates.exact import direction
from separatrix.certificates.inequalities import Inequalities
from separatrix.certificates.overlap import Balance
from separatrix.errors import NotSeparableError, counted
from separatrix.losses import SoftMargin
from separatrix.problem import Problem, Solution, Status
from separatrix.products import combination, scores
from separatrix.rows import UNIT_ROUNDOFF, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.gordan import MOST_EXACT, alternative
from separatrix.solvers.offset import best_offset, widest_offset
from separatrix.solvers.quotient import Quotient

INSIDE = 1e-9  # how far inside of its bounds an alpha must be, as part of them, to decide the offset
SAME_PLACE = 1e-8  # distance of two mixtures of rows, as part of the longest row
SHOWN = 8  # rows named in a message
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
    if objective.hard and not certificate.proof and budget.left > 0:
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
    """Say that there is no hard margin, with the rows that prove it, if two mixtures of rows are in the same place."""
    inequalities = Inequalities(problem)
    if inequalities.dimension <= MOST_EXACT:
        found = alternative(Quotient(inequalities, np.arange(problem.n_rows)))
        if isinstance(found, Balance):
            raise not_separable(Overlap.issue(problem, found), np.arange(problem.n_rows))
        return  # there is a plane, with a margin too small for doubles to be sure of
    signs, alpha = problem.signs[certificate.support], certificate.alpha
    sides = np.array([alpha[signs == side].sum() for side in (1, -1)])
    sides = sides if problem.fit_intercept else np.full(2, sides.sum())  # else both sides need not weigh the same
    weights = alpha / np.where(signs > 0, *np.maximum(sides, np.finfo(float).tiny))
    overlap = Overlap.issue(problem, Balance(certificate.support, direction(weights)))
    if certificate.support.size and overlap.stated <= SAME_PLACE * problem.radius:
        raise not_separable(overlap, np.arange(problem.n_rows))


def not_separable(overlap: Overlap, numbers: np.ndarray) -> NotSeparableError:
    """The refusal, with rows by the numbers that users know."""
    rows = numbers[overlap.rows]
    shown = ", ".join(f"{row:,}" for row in rows[:SHOWN]) + (", ..." if rows.size > SHOWN else "")
    if overlap.proof:
        why = f"{counted(rows.size, 'row')} prove it, as mixtures of them, one of each class, are the same point"
    else:
        why = f"mixtures of {counted(rows.size, 'row')}, one of each class, are only {overlap.stated:.2g} apart"
    message = f"No plane separates the classes, so there is no hard margin: {why} (rows {shown}). Use a finite C."
    return NotSeparableError(message, overlap, rows)
