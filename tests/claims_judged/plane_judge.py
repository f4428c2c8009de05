"""Whether claims about planes and mixtures are true: Separator, WeakSeparator, Overlap, Unproved, in exact numbers."""

from math import inf

from flint import fmpq

from claims_judged.exact_numbers import float_of, fraction, fractions, inner, least
from claims_judged.posing import has_coefficients, plane_of, space_of

UNDERFLOW = fmpq(1, 2**1074)  # that a product may lose
ROUNDED = fmpq(1, 10**9)  # part of a violation that is stated that rounding may leave out: it is no proof


def scores_of(model, claim, part):
    """w.x + b of each row, a list of them for several planes."""
    w, b = plane_of(claim, len(part.X))
    rows = fractions(part.X)
    if isinstance(w[0], list):
        return [[inner(row, plane) + offset for plane, offset in zip(w, b, strict=True)] for row in rows]
    return space_of(model, claim, rows).scores(w, b)


def margins_of(model, claim, part):
    """y (w.x + b) of each row of two classes, or the least lead of the own class over the others."""
    scores = scores_of(model, claim, part)
    if not isinstance(scores[0], list):
        return [int(s) * g for s, g in zip(part.target, scores, strict=True)]
    return [
        least([g[own] - g[j] for j in range(len(g)) if j != own]) for g, own in zip(scores, part.target, strict=True)
    ]


def judged_separator(model, claim, part):
    """A proof needs every margin to be above 0; without one, what is stated is how far the worst row is off."""
    margins = margins_of(model, claim, part)
    worst = least(margins)
    if claim.proof:
        return [] if worst > 0 else [f"a margin is {float_of(worst)!r} although separation is proved"]
    if claim.stated == inf or has_coefficients(claim) or not worst < 0 or claim.w.ndim > 1:
        return []
    w = plane_of(claim, len(part.X))[0]
    if (fraction(claim.stated) * (1 + ROUNDED)) ** 2 * inner(w, w) < worst**2:
        return [f"the worst row is off by more than the {claim.stated!r} that is stated"]
    return []


def judged_errors(model, claim, part):
    """The training error that is stated without proof is a fact: a tie is predicted as the first of the classes."""
    if claim.w is None or claim.stated == inf or not hasattr(model, "classes_"):
        return []
    wrong = [int(own) != said for own, said in zip(part.target, predicted(model, claim, part), strict=True)]
    doubt = in_doubt(model, claim, part)
    least_number = sum(1 for each, unknown in zip(wrong, doubt, strict=True) if each and not unknown)
    if not least_number - 1e-6 <= claim.stated * len(part.X) <= least_number + sum(doubt) + 1e-6:
        return [f"{sum(wrong)} of {len(part.X)} rows are wrong, and {claim.stated!r} is stated"]
    return []


def in_doubt(model, claim, part):
    """Rows whose score rounding may turn: kernel values are no exact numbers, and products may be below all doubles."""
    if not has_coefficients(claim):
        scores = [g if isinstance(g, list) else [g] for g in scores_of(model, claim, part)]
        return [min(abs(each) for each in g) < len(part.X[0]) * UNDERFLOW for g in scores]
    w, b = plane_of(claim, len(part.X))
    space = space_of(model, claim, fractions(part.X))
    sizes = [inner([abs(v) for v in row], [abs(c) for c in w]) + abs(b) for row in space.rows]
    lost = len(part.X[0]) * UNDERFLOW * sum(abs(c) for c in w)
    return [not abs(g) > ROUNDED * size + lost for g, size in zip(space.scores(w, b), sizes, strict=True)]


def predicted(model, claim, part):
    """The side of each row, or the class with the largest score."""
    scores = scores_of(model, claim, part)
    if not isinstance(scores[0], list):
        return [1 if g > 0 else -1 for g in scores]
    return [max(range(len(g)), key=lambda j: (g[j], -j)) for g in scores]


def judged_overlap(claim, part, offset):
    """Weights of rows that cancel without rounding; of two classes."""
    if claim.rivals > 1 or not claim.proof:
        return []
    found = []
    for balance in (claim.hulls, claim.balance):
        if balance is None:
            continue
        weights, index = [int(u) for u in balance.weights], [int(i) for i in balance.index]
        rows = fractions(part.X[index])
        vectors = [[int(part.target[i]) * v for v in [*row, *([fmpq(1)] if offset else [])]]
                   for i, row in zip(index, rows, strict=True)]  # fmt: skip
        if min(weights) <= 0 or len(set(index)) < len(index):
            found.append("weights are not positive, or a row is named twice")
        if any(inner(weights, column) != 0 for column in zip(*vectors, strict=True)):
            found.append("weights do not cancel")
    return found


def judged_weak(claim, part, offset):
    """No row is on the wrong side, and just those named are on the plane."""
    if not claim.proof:
        return []
    v = [fmpq(int(each)) for each in claim.v]
    if len(v) != part.X.shape[1] + int(offset):
        return []  # several classes
    rows = [[*row, *([fmpq(1)] if offset else [])] for row in fractions(part.X)]
    values = [int(s) * inner(row, v) for s, row in zip(part.target, rows, strict=True)]
    on = [i for i, value in enumerate(values) if value == 0]
    found = [] if min(values) >= 0 else ["a row is on the wrong side of a weak separation"]
    if on != claim.on.tolist():
        found.append(f"rows {on} are on the plane, and {claim.on.tolist()} are stated")
    return found + ([] if claim.overlap is None else judged_overlap(claim.overlap, part, offset))
