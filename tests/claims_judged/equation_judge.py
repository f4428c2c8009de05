"""Whether what is left of the normal equations of least squares is at most what a claim states, in fractions.

    |sum_i c_i r_i (x_ij - m_j) - ridge w_j| / (L_j T)          L_j^2 = sum_i c_i (x_ij - m_j)^2 + ridge
    |sum_i c_i r_i| / (sqrt(sum_i c_i) T)                       T^2 = sum_i c_i (t_i - t)^2

Nothing is said of the equation of a column that varies by at most 2^-46 of its size; of such targets T^2 is the sum of
their squares, or 1 where that is 0. Without an offset the means m and t are 0.
"""

from decimal import Decimal
from math import inf

from flint import fmpq

from certificates.exact_squares import exact_error
from claims_judged.exact_numbers import float_of, fraction, fractions, inner

VARIES = fmpq(1, 2**92)  # part of the squared size of a column by which one varies that is not constant
ZERO, ONE = fmpq(0), fmpq(1)


def judged_equations(model, claim, part):
    """What is false about a claim of least squares with targets of -1 and 1, of 1 for the own class, or numbers."""
    if not claim.stated < inf:
        return []
    w = fractions(claim.w if claim.w.ndim > 1 else claim.w[None])
    b = fractions([claim.b] if claim.w.ndim == 1 else claim.b)
    worst = max(left_of(part, target, plane, offset, model)
                for target, plane, offset in zip(targets_of(part, len(w)), w, b, strict=True))  # fmt: skip
    if worst <= fraction(claim.stated) ** 2:
        return []
    return [f"{float_of(worst) ** 0.5!r} is left of the equations, and {claim.stated!r} is stated"]


def judged_discriminant(model, claim, data):
    """What is false about a claim of a Gaussian or Fisher discriminant, whose equations are put into fractions."""
    if not claim.stated < inf:
        return []
    worst = exact_error(model._problem(data.X, data.y, data.weights).problem, claim)
    if worst <= Decimal(claim.stated):
        return []
    return [f"{float(worst)!r} is left of the equations, and {claim.stated!r} is stated"]


def targets_of(part, n_planes):
    """The numbers that each plane is fitted to."""
    if n_planes == 1:
        return [fractions(part.target)]
    return [[ONE if own == k else ZERO for own in part.target] for k in range(n_planes)]


def left_of(part, target, w, b, model):
    """The square of the largest part that is left of an equation."""
    rows, cost, ridge = fractions(part.X), part.cost, fraction(model.ridge)
    total, offset = sum(cost, ZERO), model.fit_intercept
    residual = [t - inner(row, w) - b for t, row in zip(target, rows, strict=True)]
    weighted = [c * r for c, r in zip(cost, residual, strict=True)]
    size = spread(target, cost, offset) or inner(cost, [t * t for t in target]) or ONE
    found = [sum(weighted, ZERO) ** 2 / (total * size)] if offset else []
    for j, column in enumerate(zip(*rows, strict=True)):
        square = spread(column, cost, offset)
        if square:
            mean = inner(cost, column) / total if offset else ZERO
            left = inner(weighted, [v - mean for v in column]) - ridge * w[j]
            found.append(left**2 / ((square + ridge) * size))
    return max(found, default=ZERO)


def spread(values, cost, centred):
    """The sum of c (v - mean)^2, or 0 where that is nothing against the mean."""
    total = sum(cost, ZERO)
    mean = inner(cost, values) / total if centred else ZERO
    square = inner(cost, [(v - mean) ** 2 for v in values])
    return square if square > VARIES * mean**2 * total else ZERO
