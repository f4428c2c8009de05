"""Whether what functions claim is true: separability, robust_linear_program, hull_distance and minimum_errors.

Each judge takes data of two classes and a random generator, and returns the verdict with two lists of sentences: what
is false, and which containers disagree.
"""

from math import inf

import numpy as np
from flint import fmpq

import separatrix
from claims_judged.containers import containers
from claims_judged.exact_numbers import fraction, fraction_of_ball, fractions, least
from claims_judged.gap_judge import better_planes, judged_gap
from claims_judged.hull_judge import feasible, judged_distance, squared_distance
from claims_judged.interior_point import minimised
from claims_judged.margin_questions import MeanSlack, SoftMargin
from claims_judged.plane_judge import judged_overlap, judged_separator, judged_weak
from claims_judged.posing import Posed
from claims_judged.spaces import Features

N_TRIALS = 40  # planes at random against which a least number of errors is held


def two_sides(data, weights):
    """The data with signs for classes, and without rows of no weight."""
    kept = np.flatnonzero(np.ones(len(data.X)) if weights is None else weights)
    cost = [fmpq(1)] * kept.size if weights is None else fractions(weights[kept])
    return Posed(data.X[kept], 2 * data.y[kept] - 1, cost)


def judged_separability(data, rng):
    """The kind, its proof, and bounds on the largest margin."""
    offset = bool(rng.random() < 0.7)
    verdict = separatrix.separability(data.X, data.y, fit_intercept=offset)
    claim, part = verdict.certificate, two_sides(data, None)
    kind = type(claim).__name__
    false = {
        "Separator": lambda: judged_separator(None, claim, part),
        "Overlap": lambda: judged_overlap(claim, part, offset),
        "WeakSeparator": lambda: judged_weak(claim, part, offset),
    }.get(kind, list)()
    if verdict.kind == "complete" and verdict.margin_bounds is not None:
        false += judged_margin(verdict.margin_bounds, part, offset)
    first = separatrix.verify(verdict, data.X, data.y)
    checks = [] if first.holds or claim.stated == inf else [f"on its own data {tuple(first)}"]
    for name, X in containers(data.X).items():
        check = separatrix.verify(verdict, X, data.y)
        if (check.holds, check.proved) != (first.holds, first.proved):
            checks.append(f"{name}: {tuple(check)} in place of {tuple(first)}")
        other = separatrix.separability(X, data.y, fit_intercept=offset)
        if other.kind != verdict.kind:
            checks.append(f"{name}: {other.kind} in place of {verdict.kind}")
    return "proved" if verdict.proved else "unproved", false, checks


def judged_margin(bounds, part, offset):
    """A plane bounds the largest margin from below, two points of the hulls from above."""
    low, high = bounds
    signs = [int(s) for s in part.target]
    question = SoftMargin(Features(fractions(part.X)), signs, part.cost, offset, None, False)
    found = []
    values = [v for v in (question.value(*each) for each in better_planes(question)) if v is not None]
    if high < inf and any(fraction(high) ** 2 * 2 * value < 1 for value in values):
        found.append(f"the margin is stated to be at most {high!r}, and a plane has a larger one")
    if offset and low > 0.0:
        alpha = minimised(question.program()).alpha
        if all(a.is_finite() for a in alpha):
            mixed = feasible([abs(fraction_of_ball(a)) for a in alpha], signs, None)
            if 4 * fraction(low) ** 2 > squared_distance(question.space, signs, mixed):
                found.append(f"the margin is stated to be at least {low!r}, and points of the hulls are nearer")
    return found


def judged_robust_plane(data, rng):
    """Both values of the robust linear program, and that 0 is that of a plane that separates."""
    offset = bool(rng.random() < 0.7)
    plane = separatrix.robust_linear_program(data.X, data.y, sample_weight=data.weights, fit_intercept=offset)
    part, claim = two_sides(data, data.weights), plane.certificate
    signs = [int(s) for s in part.target]
    question = MeanSlack(Features(fractions(part.X)), signs, part.cost, offset)
    false = judged_gap(claim, question, better_planes(question))
    margins = [s * g for s, g in zip(signs, question.space.scores(fractions(plane.w), fraction(plane.b)), strict=True)]
    if plane.value == 0.0 and not least(margins) > 0:
        false.append("the value is 0, and the plane does not separate")
    if plane.errors != sum(1 for m in margins if not m > 0):
        false.append(f"{plane.errors} errors are stated")
    return "proved" if claim.stated <= 1e-6 else "wide" if claim.proof else "unproved", false, []


def judged_hulls(data, rng):
    """The distance of two hulls."""
    algorithm = ["gilbert", "mdm", "schlesinger_kozinec"][int(rng.integers(3))]
    found = separatrix.hull_distance(data.X, data.y, algorithm, max_iter=3000)
    claim = found.certificate
    part = two_sides(data, None)
    false = judged_distance(None, claim, part)
    return "proved" if claim.proof else "unproved", false, []


def judged_minimum(data, rng):
    """The least number of errors: that of the plane, and no plane with fewer."""
    found = separatrix.minimum_errors(data.X, data.y, time_limit=5)
    part = two_sides(data, None)
    rows, signs = fractions(part.X), [int(s) for s in part.target]
    space, false = Features(rows), []
    wrong = wrong_rows(space, signs, fractions(found.plane[0]), fraction(found.plane[1]))
    if len(wrong) != found.upper or wrong != found.rows.tolist():
        false.append(f"the plane gets rows {wrong} wrong, and {found.rows.tolist()} are stated")
    units = np.maximum(np.abs(data.X).max(axis=0), 1e-300)
    for _ in range(N_TRIALS):
        w = rng.standard_normal(units.size) / units
        w = fractions(np.where(np.isfinite(w), w, 0.0))
        scores = sorted(space.scores(w, fmpq(0)))
        place = int(rng.integers(len(scores)))
        b = -(scores[place] + scores[max(place - 1, 0)]) / 2
        errors = len(wrong_rows(space, signs, w, b))
        if errors < found.lower:
            false.append(f"a plane gets {errors} wrong, and at least {found.lower} are stated to be necessary")
            break
    return "proved" if found.proved else "wide", false, []


def wrong_rows(space, signs, w, b):
    """The rows that are not strictly on their own side."""
    return [i for i, (s, g) in enumerate(zip(signs, space.scores(w, b), strict=True)) if not s * g > 0]


JUDGES = {
    "separability": judged_separability,
    "robust-lp": judged_robust_plane,
    "hull-distance": judged_hulls,
    "minimum-errors": judged_minimum,
}
