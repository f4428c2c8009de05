"""What primal and dual values are made of, enclosed, in the space of the features or in that of a kernel.

    g_i = <w, x_i> + b,     ||w||^2,     ||n||^2 for n = sum_i beta_i x_i with sum_i beta_i = 0

In the space of a kernel w = sum_j c_j phi(x_j) over the support rows, and all three come from one set of kernel values;
a linear kernel is that of the features, where more digits are left. Rounding leaves a sum s of beta instead of 0: the
point that is feasible has beta_k - s in place of the largest beta of the sign of s, and n less s x_k.
"""

from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.enclosures import (
    Enclosed,
    Interval,
    enclosed_combination,
    enclosed_dot,
    enclosed_scores,
    enclosed_square,
    enclosed_sum,
)
from separatrix.enclosures.exact_sums import exact_affine, exact_combination, exact_total
from separatrix.objectives.mercer import mercer_shift
from separatrix.objectives.soft_margin_sums import normal_of, squared_length
from separatrix.objectives.values import Values
from separatrix.problem import Problem
from separatrix.problem.distinct import row_bytes
from separatrix.problem.fold import centre_of
from separatrix.rows import CSR, UNIT_ROUNDOFF, Vector

MAX_ROUNDING = 1e-11  # part of an objective that may be rounding, before sums are computed with one rounding each
MAX_EXACT_ENTRIES = 2**22  # of rows for which that is done


class Correction(NamedTuple):
    """What beta adds up to instead of 0, and the place of the beta that it is taken from; none where it is 0."""

    s: Interval
    place: int

    @classmethod
    def of(cls, beta: Vector) -> "Correction | None":
        """That of a dual point; None where no beta is large enough."""
        high, low = exact_total(beta)
        if high == 0.0 or not beta.size:
            return cls(Interval(0.0, 0.0), 0)
        place = int(np.argmax(beta * np.sign(high)))
        s = Interval.of(high) + Interval.of(low, 4.0 * UNIT_ROUNDOFF * abs(low))
        return cls(s, place) if beta[place] * np.sign(high) >= abs(s).high else None


NO_CORRECTION = Correction(Interval(0.0, 0.0), 0)


class Measurement(NamedTuple):
    """Scores g of a plane, ||w||^2, and ||n||^2 of a feasible dual point.

    `vanishes` is known where w = 0: whether n is 0 in truth. `exact` tells whether sums were rounded once.
    """

    scores: Enclosed
    square: Interval
    dual_square: Interval
    vanishes: bool
    exact: bool


@np.errstate(over="ignore", invalid="ignore")
def measured(
    problem: Problem,
    plane: tuple[Vector, float],
    support: np.ndarray,
    beta: Vector,
    correction: Correction,
    exact: bool = False,
) -> Measurement | None:
    """Measure a plane w, b and the dual point beta over its support rows; with a kernel w are their coefficients.

    None where the dual bounds nothing, as Mercer's condition is not known to hold.
    """
    w, b = plane
    if problem.kernel is not None and problem.kernel.is_linear:
        return by_features(problem, (normal_of(problem, support, w), b), support, beta, correction, exact)
    if problem.kernel is None:
        return by_features(problem, plane, support, beta, correction, exact)
    shift = mercer_shift(problem)
    return None if shift is None else by_kernel(problem, plane, support, beta, correction, shift)


def by_kernel(
    problem: Problem,
    plane: tuple[Vector, float],
    support: np.ndarray,
    beta: Vector,
    correction: Correction,
    shift: float,
) -> Measurement:
    """Measure a plane in the space of a kernel, whose matrix has no eigenvalue below minus the shift."""
    (w, b), own = plane, problem.support_rows(support)
    found = problem.kernel.enclosed_expansion(own, np.column_stack([w, beta]), problem.X)
    value, radius = found.value[:, 0], found.radius[:, 0]
    total = value + b
    scores = Enclosed(total, radius + 2.0 * UNIT_ROUNDOFF * np.abs(total))
    square = enclosed_dot(w, value[support], np.abs(w) * radius[support]) + shift * enclosed_square(w).high
    f, of_f = found.value[support, 1], found.radius[support, 1]
    dual_square = enclosed_dot(beta, f, np.abs(beta) * of_f)
    if beta.size and correction.s != NO_CORRECTION.s:
        k = correction.place
        dual_square = dual_square - 2.0 * (correction.s * Interval.of(float(f[k]), float(of_f[k])))
        dual_square = dual_square + correction.s.square() * problem.kernel.largest_value(own, problem.X)
    dual_square = dual_square + Interval(0.0, (shift * enclosed_square(beta)).high)
    vanishes = not np.any(w) and cancels_in_equal_rows(problem, support, beta)
    return Measurement(scores, square.positive_part, dual_square.positive_part, vanishes, True)


def by_features(
    problem: Problem,
    plane: tuple[Vector, float],
    support: np.ndarray,
    beta: Vector,
    correction: Correction,
    exact: bool,
) -> Measurement:
    """Measure a plane w and a dual point in the space of the features."""
    normal = normal_vector(problem, support, beta, correction, exact)
    g = enclosed_scores(problem.X, *plane)
    if exact and rows.n_entries(problem.X) <= MAX_EXACT_ENTRIES:
        everything = np.arange(problem.n_rows)
        nothing, one = np.zeros(problem.n_rows), np.ones(problem.n_rows)
        g = exact_affine(problem.X, everything, plane, nothing, one)
    vanishes = not np.any(plane[0]) and cancels_in_equal_rows(problem, support, beta)
    square = squared_length(normal)
    return Measurement(g, enclosed_square(plane[0]), square, vanishes or not square.high > 0.0, exact)


def normal_vector(problem: Problem, support: np.ndarray, beta: Vector, correction: Correction, exact: bool) -> Enclosed:
    """n of the feasible dual point."""
    X = rows.take(problem.X, support)
    if not support.size:
        return Enclosed(*np.zeros((2, problem.n_features)))
    row, s = rows.dense_row(X, correction.place), correction.s
    if exact and rows.n_entries(X) <= MAX_EXACT_ENTRIES:
        more = np.array([row]), np.array([-s.middle])
        found = exact_combination(X, beta, more)
        return Enclosed(found.value, found.radius + 2.0 * s.radius * np.abs(row))
    centred = problem.fit_intercept and not isinstance(X, CSR)
    centre = centre_of(X, np.arange(support.size)) if centred else np.zeros(problem.n_features)
    found, off = enclosed_combination(X, beta, centre if centred else None), row - centre
    return found.plus(Enclosed(-s.middle * off, (2.0 * s.radius + 8.0 * UNIT_ROUNDOFF * abs(s.middle)) * np.abs(off)))


def is_uncertain(values: Values, found: Measurement) -> bool:
    """Whether rounding is a part of the objective that is worth sums with one rounding each."""
    return not found.exact and not values.rounding <= MAX_ROUNDING * abs(values.primal)


def cancels_in_equal_rows(problem: Problem, support: np.ndarray, beta: Vector) -> bool:
    """Whether beta of equal rows adds up to 0 exactly: then n is 0 in the space of any kernel."""
    known: dict[bytes, list[int]] = {}
    for place, row in enumerate(row_bytes(rows.take(problem.X, support))):
        known.setdefault(row, []).append(place)
    return all(exact_total(beta[places])[0] == 0.0 for places in known.values())


def balanced(beta: Vector) -> Vector:
    """Beta with a sum of 0 but for rounding: those of the sign that weighs more are scaled down."""
    sides = np.array([float(-beta[beta < 0.0].sum()), float(beta[beta > 0.0].sum())])
    factors = sides.min() / np.where(sides > 0.0, sides, 1.0)
    return beta * factors[(beta > 0.0).view(np.int8)]


def excess_sum(weights: Vector, excess: Enclosed, squared: bool = False) -> Interval:
    """Enclose sum_i weights_i max(0, excess_i), or of the squares; weights are rounded once."""
    size = np.maximum(excess.value, 0.0)
    radii = weights * excess.radius
    if squared:
        radii = radii * (2.0 * size + excess.radius)
        size = size * size
    radii = radii * (excess.value > -excess.radius)
    return enclosed_sum(size * weights, radii, roundings=3).positive_part
