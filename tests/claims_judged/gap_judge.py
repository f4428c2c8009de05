"""Whether primal and dual values that a claim states are true: held against the plane itself and a better one."""

from dataclasses import replace
from math import inf, isnan

import numpy as np

from claims_judged.exact_numbers import float_of, fraction, fraction_of_ball
from claims_judged.interior_point import minimised
from claims_judged.posing import plane_of
from claims_judged.spaces import KernelSpace

MAX_PRODUCTS = 100_000  # of a step of the search for a better plane; beyond, a plane is held against itself alone
TINY = 2.0**-1022  # smaller objectives count as this where a gap is a part of them


def judged_gap(claim, question, planes=()):
    """What is false about a claim of a duality gap: a list of sentences, empty where nothing is."""
    figures = (claim.primal, claim.dual, claim.stated)
    if any(isnan(figure) for figure in figures):
        return [f"not a number: {figures}"]
    found, plane = [], plane_of(claim, len(question.cost))
    value = question.value(*plane)
    if claim.primal < inf and (value is None or fraction(claim.primal) < value):
        found.append(f"primal {claim.primal!r} is below the objective {shown(value)}")
    if claim.dual > -inf:
        values = [v for v in (value, *(question.value(*each) for each in planes)) if v is not None]
        over = [v for v in values if v < fraction(claim.dual)]
        if over:
            low = min(over, key=float_of)
            found.append(f"dual {claim.dual!r} is above the objective {shown(low)} of a plane")
    if claim.primal < inf and claim.dual > -inf and claim.stated < inf:
        gap, size = fraction(claim.primal) - fraction(claim.dual), max(abs(claim.primal), abs(claim.dual), TINY)
        if gap > 0 and fraction(claim.stated) * fraction(size) < gap:
            found.append(f"stated {claim.stated!r} is below the gap of {claim.primal!r} and {claim.dual!r}")
    return found


def shown(value):
    """An objective for people."""
    return "infinity" if value is None else repr(float_of(value))


def better_planes(question):
    """The optimum, but for 1e-30 of it where the search succeeds."""
    program = question.program() if hasattr(question, "program") else None
    if program is None or len(program.q) ** 2 * len(program.h) > MAX_PRODUCTS:
        return []
    x = minimised(program).x
    if not all(v.is_finite() for v in x):
        return []
    if not isinstance(question.space, KernelSpace):
        x = [fraction_of_ball(v) for v in x]
    return [question.plane(x)]


def spoiled(claim, rng):
    """The claim about other planes and another dual point, which must be no less true once it is restated."""
    alpha, w = np.array(claim.alpha), np.array(claim.w)
    way = rng.integers(4)
    if way == 0:
        alpha = 2.0 * alpha
    elif way == 1:
        alpha = alpha * (1.0 + rng.standard_normal(alpha.shape))
    elif way == 2:
        w = w * (1.0 + 1e-6 * rng.standard_normal(w.shape))
    else:
        alpha, w = alpha * (1.0 + 1e-9 * rng.standard_normal(alpha.shape)), w * 1.5
    return replace(claim, alpha=alpha, w=w)
