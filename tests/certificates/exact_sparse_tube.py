"""The objective of sparse support vector regression and the value of a feasible dual point, in exact fractions."""

from fractions import Fraction
from math import isqrt

from separatrix.objectives import DualPoint


def exact_primal(problem, claim):
    """l1 ||w||_1 + the mean of max(0, r^2 - epsilon)."""
    l1, epsilon = Fraction(claim.objective.l1), Fraction(claim.objective.epsilon)
    w, b = [Fraction(v) for v in claim.w.tolist()], Fraction(claim.b)
    cost = [Fraction(c) for c in problem.cost.tolist()]
    losses = Fraction(0)
    for row, y, c in zip(problem.X.tolist(), problem.y.tolist(), cost, strict=True):
        r = Fraction(y) - b - sum(p * Fraction(v) for p, v in zip(w, row, strict=True))
        losses += c * max(Fraction(0), r * r - epsilon)
    return l1 * sum(abs(v) for v in w) + losses / sum(cost)


def root_below(value, bits=400):
    """A fraction that is at most the square root, and nearly it."""
    return Fraction(isqrt((value.numerator << (2 * bits)) // value.denominator), 1 << bits)


def dual_values(problem, claim):
    """The values of the feasible points that the claim may be about, which are asserted to be feasible."""
    return [dual_value(problem, claim, exact) for exact in (False, True)]


def dual_value(problem, claim, exact):
    """The value of a point whose sum of beta is made 0 by one entry, but for 1e-100 of it."""
    l1, epsilon = Fraction(claim.objective.l1), Fraction(claim.objective.epsilon)
    point, _ = claim.objective.feasible(problem, DualPoint(claim.support, claim.alpha), exact)
    X, beta = problem.X.tolist(), [Fraction(0)] * problem.n_rows
    for i, value in zip(point.support.tolist(), point.beta.tolist(), strict=True):
        beta[i] = Fraction(value)
    if problem.fit_intercept and point.support.size:
        beta[int(point.support[point.place])] -= sum(beta)
    for column in zip(*X, strict=True):
        assert abs(sum(a * Fraction(v) for a, v in zip(beta, column, strict=True))) <= l1
    cost = [Fraction(c) for c in problem.cost.tolist()]
    W, half, value = sum(cost), root_below(epsilon), Fraction(0)
    for a, y, c in zip(beta, problem.y.tolist(), cost, strict=True):
        size = abs(W * a / c)
        value += a * Fraction(y) - c * (half * size if size <= 2 * half else size * size / 4 + epsilon) / W
    return value
