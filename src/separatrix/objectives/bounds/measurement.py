"""What primal and dual values are made of, in the space of the features or in that of a kernel, each enclosed.

    g_i = <w, x_i> + b,     ||w||^2,     ||n||^2 for n = sum_i beta_i x_i

In the space of a kernel w = sum_j c_j phi(x_j) over the support rows, and all three come from one set of kernel values;
a linear kernel is that of the features, where more digits are left.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.enclosures import Enclosed, Interval, enclosed_scores
from separatrix.enclosures.elementwise import INFLATED, dot, exactly, shifted, summed_with
from separatrix.enclosures.exact_sums import exact_affine, exact_combination, exact_total
from separatrix.objectives.bounds.feasible_point import FeasiblePoint
from separatrix.objectives.bounds.mercer import checked_matrix, satisfies_mercer
from separatrix.objectives.soft_margin_sums import (
    MAX_ROUNDING,
    MAX_ROUNDING_OF_GAP,
    is_uncertain,
    squared_length,
    support_combination,
)
from separatrix.objectives.values import Values
from separatrix.problem import Problem
from separatrix.problem.fold import centre_of
from separatrix.products import scores
from separatrix.rows import CSR, UNIT_ROUNDOFF, Rows, Vector

MAX_EXACT_ENTRIES = 2**18  # of rows all of whose scores are rounded once, where rounding counts
MAX_ROWS_IN_BALLS = 2**9  # of a kernel whose values may be so few that they are computed as balls


class Measurement(NamedTuple):
    """Scores g of a plane, ||w||^2, and ||n||^2 of a feasible dual point."""

    scores: Enclosed
    square: Interval
    dual_square: Interval


@np.errstate(over="ignore", invalid="ignore")
def measured(
    problem: Problem, plane: tuple[Vector, float], point: FeasiblePoint, exact: bool = False
) -> Measurement | None:
    """Measure a plane and a dual point over the same support rows; with a kernel, w are coefficients of these.

    With `exact`, sums over features are rounded once, and those over a kernel come from balls. None where nothing is
    bounded, as Mercer's condition does not hold.
    """
    w, b = plane
    if problem.kernel is None:
        return by_features(problem, exactly(w), b, point, exact)
    if problem.kernel.is_linear:
        own = exact_combination(rows.take(problem.X, point.support), w) if exact else spanned(problem, point.support, w)
        return by_features(problem, own, b, point, exact)
    return by_kernel(problem, w, b, point, exact) if satisfies_mercer(problem) else None


def refined(problem: Problem, attempt: Callable[[bool], Values]) -> Values:
    """Values by plain sums, or by sums that are rounded once where rounding counts and rows are few."""
    values = attempt(False)
    if problem.kernel is None or problem.kernel.is_linear:
        n_entries = rows.n_entries(problem.X)
        uncertain = not values.primal < np.inf or is_uncertain(values, values.rounding, n_entries)
        worth = n_entries <= MAX_EXACT_ENTRIES and uncertain
    else:
        part = max(MAX_ROUNDING * abs(values.primal), MAX_ROUNDING_OF_GAP * (values.gap - values.rounding))
        worth = problem.n_rows <= MAX_ROWS_IN_BALLS and not values.rounding <= part
    return min(attempt(True), values, key=lambda each: each.gap) if worth else values


def by_features(problem: Problem, w: Enclosed, b: float, point: FeasiblePoint, exact: bool) -> Measurement:
    """Measure a plane w and a dual point in the space of the features."""
    if exact:
        every, one = np.arange(problem.n_rows), np.ones(problem.n_rows)
        g = exact_affine(problem.X, every, (w.value, b), np.zeros(problem.n_rows), one)
    else:
        g = enclosed_scores(problem.X, w.value, b)
    if w.radius.any():
        g = Enclosed(g.value, INFLATED * (g.radius + (1.0 + 1e-10) * scores(absolute(problem.X), w.radius)))
    normal = exact_normal(problem, point) if exact else enclosed_normal(problem, point)
    return Measurement(g, squared_length(w), squared_length(normal))


def spanned(problem: Problem, support: np.ndarray, coefficients: Vector) -> Enclosed:
    """sum_j c_j x_j over the support rows."""
    return support_combination(problem, support, coefficients, None)


def enclosed_normal(problem: Problem, point: FeasiblePoint) -> Enclosed:
    """n of a dual point, from a centre where its beta add up to 0."""
    if not point.support.size:
        return exactly(np.zeros(problem.n_features))
    centred = problem.fit_intercept and not isinstance(problem.X, CSR)
    centre = centre_of(problem.X, point.support) if centred else None
    found = support_combination(problem, point.support, point.beta, centre)
    if point.excess.high == point.excess.low == 0.0:
        return found
    row = rows.dense_row(problem.X, int(point.support[point.place])) - (0.0 if centre is None else centre)
    return Enclosed(found.value, INFLATED * (found.radius + abs(point.excess).high * np.abs(row)))


def exact_normal(problem: Problem, point: FeasiblePoint) -> Enclosed:
    """n of a dual point, each column rounded once; the excess is known as the sum of two doubles."""
    if not point.support.size:
        return exactly(np.zeros(problem.n_features))
    X = rows.take(problem.X, point.support)
    if not problem.fit_intercept:
        return exact_combination(X, point.beta)
    row = rows.dense_row(X, point.place)
    high, low = exact_total(point.beta)
    found = exact_combination(X, point.beta, (np.array([row, row]), np.array([-high, -low])))
    return Enclosed(found.value, INFLATED * (found.radius + 4.0 * UNIT_ROUNDOFF * abs(low) * np.abs(row)))


def by_kernel(problem: Problem, w: Vector, b: float, point: FeasiblePoint, exact: bool) -> Measurement:
    """Measure an expansion and a dual point in the space of a kernel.

    Where Mercer's condition is known by a factor of the matrix, what was added to its diagonal for that is part of the
    radii: the figures are those of a matrix for which the condition holds.
    """
    both = np.column_stack([w, point.beta])
    found = expansions(problem, point.support, both, exact)
    own = Enclosed(found.value[point.support], found.radius[point.support])
    squares = [dot(both[:, k], Enclosed(own.value[:, k], own.radius[:, k])).positive_part for k in range(2)]
    if point.support.size and (point.excess.low or point.excess.high):
        score = Interval.of(float(own.value[point.place, 1]), float(own.radius[point.place, 1]))
        length = diagonal_of(problem, point.support[point.place : point.place + 1])
        moved = point.excess * (-2.0 * score + point.excess * length)
        squares[1] = (squares[1] + moved).positive_part
    return Measurement(shifted(Enclosed(found.value[:, 0], found.radius[:, 0]), b), *squares)


def expansions(problem: Problem, support: np.ndarray, coefficients: Vector, exact: bool) -> Enclosed:
    """sum_j c_j K(x, x_j) over the support rows, for each row x and each column of coefficients."""
    if problem.kernel.positive_definite:
        in_balls = problem.kernel.expansion_in_balls(problem.X, support, coefficients) if exact else None
        if in_balls is not None:
            return in_balls
        return problem.kernel.enclosed_expansion(problem.X, support, coefficients)
    matrix = checked_matrix(problem)
    assert matrix is not None
    found = enclosed_scores(np.ascontiguousarray(matrix.values[:, support]), coefficients, 0.0)
    size = np.abs(coefficients)
    more = np.tile(matrix.asymmetry * size.sum(axis=0), (problem.n_rows, 1))
    more[support] += matrix.shift * size
    return summed_with(found, Enclosed(np.zeros_like(more), INFLATED * more))


def diagonal_of(problem: Problem, index: np.ndarray) -> Interval:
    """K(x, x) of one row, what was added to the diagonal included."""
    found = diagonals(problem, index)
    return Interval.of(float(found.value[0]), float(found.radius[0]))


def diagonals(problem: Problem, index: np.ndarray) -> Enclosed:
    """K(x, x) of some rows, what was added to the diagonal included."""
    if not problem.kernel.positive_definite:
        matrix = checked_matrix(problem)
        assert matrix is not None
        values = matrix.values[index, index]
        return Enclosed(values, np.full(values.shape, matrix.shift))
    if problem.kernel.rows_are_values:
        return exactly(np.asarray(problem.X, dtype=np.float64)[index, index])
    return problem.kernel.enclosed_diagonal(rows.take(problem.X, index))


def absolute(X: Rows) -> Rows:
    """|x| of each entry."""
    return X._replace(data=np.abs(X.data)) if isinstance(X, CSR) else np.abs(X)
