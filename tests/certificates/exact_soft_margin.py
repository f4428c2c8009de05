"""The primal value of a plane and the dual value of a feasible point of a soft margin, in exact fractions."""

from fractions import Fraction

from separatrix.enclosures import Interval
from separatrix.objectives.soft_margin_sums import Known, margins_of, primal_sums, scaled_alpha
from separatrix.objectives.values import DualPoint


def exact_values(problem, claim):
    """Both values; alpha is that of the repaired dual point, from whose heavier class what is out of balance is taken.

    Whether that is feasible is asserted in fractions.
    """
    objective, X = claim.objective, problem.X.tolist()
    signs, cost = problem.signs.tolist(), [Fraction(c) for c in problem.cost.tolist()]
    rows = [[Fraction(v) for v in row] for row in X]
    w, b = [Fraction(v) for v in claim.w.tolist()], Fraction(claim.b)
    margins = [s * (sum(p * v for p, v in zip(w, row, strict=True)) + b) for s, row in zip(signs, rows, strict=True)]
    penalty = sum(v * v for v in w) / 2
    alpha = feasible_alpha(problem, claim, signs, cost)
    normal = [sum(a * s * row[j] for a, s, row in zip(alpha, signs, rows, strict=True)) for j in range(len(w))]
    square, total = sum(v * v for v in normal), sum(alpha)
    if objective.hard:
        least = min(margins)
        return (penalty / least**2 if least > 0 else None), (total * total / square / 2 if square else None)
    slacks = [max(Fraction(0), 1 - m) for m in margins]
    C = Fraction(objective.C)
    losses = sum(C * c * (s * s if objective.squared else s) for c, s in zip(cost, slacks, strict=True))
    given = sum(a * a / (2 * C * c) for a, c in zip(alpha, cost, strict=True)) if objective.squared else 0
    quadratic = given + square
    t = min(Fraction(1), total / quadratic) if quadratic else Fraction(1)
    return penalty + losses, t * total - t * t * quadratic / 2


def feasible_alpha(problem, claim, signs, cost):
    """Alpha of each row, feasible in fractions."""
    objective, dual = claim.objective, DualPoint(claim.support, claim.alpha)
    posed = problem.posed(objective)
    known = Known(
        objective, Interval.of(0.0), primal_sums(objective, posed, margins_of(posed, (claim.w, claim.b)), dual)
    )
    alpha = [Fraction(0)] * len(signs)
    for i, a in zip(claim.support.tolist(), scaled_alpha(known, posed, dual).tolist(), strict=True):
        alpha[i] = Fraction(a)
        assert alpha[i] >= 0
        assert not objective.boxed or alpha[i] <= Fraction(objective.C) * cost[i]
    off = sum(a * s for a, s in zip(alpha, signs, strict=True)) if problem.fit_intercept else 0
    if off:
        k = max((i for i, s in enumerate(signs) if s * off > 0), key=lambda i: alpha[i])
        alpha[k] -= abs(off)
        if alpha[k] < 0:
            return [Fraction(0)] * len(signs)
    return alpha
