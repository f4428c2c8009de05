"""Whether the distance of two hulls, or reduced hulls, and its lower bound are true."""

from flint import fmpq

from claims_judged.exact_numbers import float_of, fraction, fraction_of_ball, fractions, inner
from claims_judged.interior_point import minimised
from claims_judged.margin_questions import NuMargin, SoftMargin
from claims_judged.posing import space_of
from claims_judged.spaces import KernelSpace

ZERO, ONE = fmpq(0), fmpq(1)


def judged_distance(model, claim, part):
    """What is false: a lower bound above the distance of two points of the hulls, or a distance below a true one."""
    if not claim.distance > 0.0:
        return []
    space = space_of(model, claim, fractions(part.X))
    signs = [int(s) for s in part.target]
    if claim.mu is None:
        question, upper = SoftMargin(space, signs, part.cost, True, None, False), None
    else:
        upper = [fraction(claim.mu) * c for c in part.cost]
        question = NuMargin(space, signs, upper, True, ONE)
        question.total = fmpq(2)
    alpha = minimised(question.program()).alpha[: len(signs)]
    if not all(a.is_finite() for a in alpha):
        return []
    square = squared_distance(space, signs, feasible([abs(fraction_of_ball(a)) for a in alpha], signs, upper))
    found = []
    if claim.bound > 0.0 and fraction(claim.bound) ** 2 > square:
        found.append(f"lower bound {claim.bound!r} is above the distance {root(square)!r} of two points")
    least = (1 - fraction(claim.stated)) * fraction(claim.distance) if claim.stated < 1.0 else ZERO
    if least > 0 and least**2 > square:
        found.append(f"stated {claim.stated!r} of {claim.distance!r}, and there are points at {root(square)!r}")
    return found


def feasible(alpha, signs, upper):
    """Weights of at most so much that add up to 1 in each class."""
    found = list(alpha)
    for side in (1, -1):
        own = [i for i, s in enumerate(signs) if s == side]
        total = sum((alpha[i] for i in own), ZERO)
        share = ONE / len(own) if upper is None else ONE / sum((upper[i] for i in own), ZERO)
        even = {i: share * (ONE if upper is None else upper[i]) for i in own}
        for i in own:
            found[i] = alpha[i] / total if total else even[i]
        if upper is not None:
            over = [
                (found[i] - upper[i]) / (found[i] - even[i]) for i in own if found[i] > upper[i] and found[i] != even[i]
            ]
            t = max(over, default=ZERO)
            for i in own:
                found[i] = (1 - t) * found[i] + t * even[i]
    return found


def squared_distance(space, signs, weights):
    """||p - q||^2 of the two mixtures."""
    beta = [s * a for s, a in zip(signs, weights, strict=True)]
    if isinstance(space, KernelSpace):
        return space.square(beta)
    between = [inner(beta, column) for column in zip(*space.rows, strict=True)]
    return inner(between, between)


def root(square):
    """A distance for people."""
    return float_of(square) ** 0.5
