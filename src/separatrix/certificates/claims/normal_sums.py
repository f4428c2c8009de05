"""Sums over rows that normal equations are made of, each with a proved bound on its rounding error.

    sum c r z,     sum c r,     sum c z,     sum c z^2          z = x - centre,     r = t - w.z - (b + w.centre)

No bound needs a pass of its own: by the inequality of Cauchy and Schwarz the sizes of all terms follow from sum c r^2
and sum c z^2, and what rounding does to the residuals of all rows together from the length of each column.

    |computed - sum c r z_j|  <=  (g_k R + P) Z_j                   R^2 = sum c r^2 as computed,   Z_j^2 = sum c z_j^2
    P  =  g_d (||t|| + sqrt(n) |b + w.centre| + sum_j |w_j| Z_j)    g_k = k u / (1 - k u),  k: additions of a term

Sums of two blocks of rows add up, with their bounds, so that rows may come in parts.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.enclosures import Enclosed, Interval, enclosed_dot
from separatrix.enclosures.elementwise import (
    INFLATED,
    added_up,
    column,
    difference,
    divided,
    exactly,
    lower_end,
    multiplied,
    roots,
    shifted,
    summed_with,
    upper_end,
)
from separatrix.enclosures.exact_sums import exact_affine
from separatrix.problem import Problem
from separatrix.problem.fused_sums import ROWS_PER_SUM, residual_sums, worth_looping
from separatrix.problem.moment_bounds import still_columns
from separatrix.problem.moments import (
    ALL_ROWS,
    UNCHANGED_CACHED_ENTRIES,
    cached_blocks,
    full_columns,
    group_codes,
    mostly_empty,
    n_groups,
    reference_point,
    rows_at_once,
)
from separatrix.products import chunks_of, combination, parts, product, scores
from separatrix.rows import CSR, SMALLEST, UNIT_ROUNDOFF, Vector, rounding_bound
from separatrix.threads import summed

CONSTANT = 128.0 * UNIT_ROUNDOFF  # a column that varies by no more than this part of its size does not vary


class Lengths(NamedTuple):
    """Bounds of squared lengths of columns, from their means or from 0, and which columns vary.

    `low` holds for columns that vary, which `varies` says for certain and `may_vary` as far as is known. `off` is how
    far the point that they are measured from is from the centre.
    """

    low: Vector
    high: Vector
    varies: np.ndarray
    may_vary: np.ndarray
    off: Enclosed


class Spread(NamedTuple):
    """The sums of c z and of c z^2 for the columns z = x - centre."""

    linear: Enclosed
    squares: Enclosed
    centre: Vector

    def merged(self, other: "Spread", total: Enclosed) -> "Spread":
        """The sums over the rows of both, from the centre of the first; the other's costs add up to a total."""
        shift = difference(exactly(other.centre), exactly(self.centre))
        moved = multiplied(total, shift)
        twice = summed_with(summed_with(other.linear, other.linear), moved)
        linear = summed_with(self.linear, summed_with(other.linear, moved))
        squares = summed_with(self.squares, summed_with(other.squares, multiplied(shift, twice)))
        return Spread(linear, squares, self.centre)

    def around_zero(self, total: Enclosed) -> Enclosed:
        """The sums of c x^2."""
        moved = multiplied(total, exactly(self.centre))
        twice = summed_with(summed_with(self.linear, self.linear), moved)
        return summed_with(self.squares, multiplied(exactly(self.centre), twice))

    def lengths(self, total: Enclosed, centred: bool) -> Lengths:
        """Squared lengths; a column that varies by no more than `CONSTANT` of its size around 0 does not vary."""
        if centred:
            off = divided(self.linear, total)
            square = difference(self.squares, multiplied(self.linear, off))
            mean = shifted(off, self.centre)
            least = multiplied(multiplied(total, exactly(np.array(CONSTANT**2))), multiplied(mean, mean))
        else:
            off, square = exactly(-self.centre), self.around_zero(total)
            least = exactly(np.zeros_like(self.centre))
        high, most = upper_end(square), upper_end(least)
        low = np.maximum(lower_end(square), lower_end(least))
        return Lengths(low, high, lower_end(square) > most, high > lower_end(least), off)


class RowSums(NamedTuple):
    """Sums over rows, c r z of shape (d, p) and c r of shape (p,), and those that depend on the rows alone.

    These are the spread of the columns, the costs of each class, the spread of numbers, where rows have no classes, and
    bounds of the lengths of the columns as they are stored and of 1 / c.
    """

    gradient: Enclosed
    residual: Enclosed
    columns: Spread
    weight: Enclosed
    numbers: Spread | None
    fit_intercept: bool

    @property
    def total(self) -> Enclosed:
        """The sum of all costs."""
        return added_up(self.weight)

    def merged(self, other: "RowSums") -> "RowSums":
        """The sums over the rows of both, from the centre of the first."""
        shift = difference(exactly(other.columns.centre), exactly(self.columns.centre))
        moved = multiplied(column(shift), Enclosed(*(each[None] for each in other.residual)))
        numbers = None
        if self.numbers is not None and other.numbers is not None:
            numbers = self.numbers.merged(other.numbers, other.total)
        return RowSums(
            summed_with(self.gradient, summed_with(other.gradient, moved)),
            summed_with(self.residual, other.residual),
            self.columns.merged(other.columns, other.total),
            summed_with(self.weight, other.weight),
            numbers,
            self.fit_intercept,
        )

    def spread_of_targets(self, targets: Vector) -> Spread:
        """The sums over all rows of their targets, of shape (p,): from those of the classes, or numbers."""
        return spread_of_classes(targets, self.weight) if self.numbers is None else self.numbers


class PlainSums(NamedTuple):
    """Sums as linear algebra or loops give them, the point that rows are measured from, and additions for each term.

    c r z, c r and c r^2; where they were asked for c z, c z^2 and c of each class.
    """

    gradient: Vector
    residual: Vector
    square: Vector
    columns: tuple[Vector, ...]
    centre: Vector
    n_terms: int


def spread_of_classes(targets: Vector, weight: Enclosed) -> Spread:
    """The spread of the targets of classes with these weights."""
    centre = targets[int(np.argmax(weight.value))]
    z = difference(exactly(targets), exactly(np.broadcast_to(centre, targets.shape)))
    terms = multiplied(column(weight), z)
    return Spread(added_up(terms), added_up(multiplied(terms, z)), centre)


def spread_of_numbers(problem: Problem) -> Spread | None:
    """The spread of the numbers of rows; None where they have classes."""
    if problem.n_classes:
        return None
    y, cost = problem.y, problem.cost
    centre = float(y[0]) if (y == y[0]).all() else float(np.average(y, weights=cost / cost.max()))
    z = y - centre
    if not z.any():
        nothing = exactly(np.zeros(1))
        return Spread(nothing, nothing, np.array([centre]))
    terms, lost = cost * z, y.size * SMALLEST * float(np.abs(z).max())
    linear, squares = enclosed_dot(cost, z, roundings=1), enclosed_dot(terms, z, lost, roundings=3)
    return Spread(enclosed(linear), enclosed(squares.positive_part), np.array([centre]))


def enclosed(value: Interval) -> Enclosed:
    """An interval as a vector of one number."""
    middle = value.middle
    return Enclosed(np.array([middle]), np.array([value.radius if np.isfinite(middle) else np.inf]))


@np.errstate(over="ignore", invalid="ignore")
def row_sums(problem: Problem, targets: Vector, W: Vector, b: Vector, known: RowSums | None = None) -> RowSums:
    """The sums over all rows; those of the rows alone are not computed again where they are known."""
    centre = known.columns.centre if known is not None else None
    found = (sparse_sums if mostly_empty(problem.X) else dense_sums)(problem, targets, W, b, centre, known is None)
    if known is None:
        nothing = Enclosed(*np.zeros((2, *W.shape))), Enclosed(*np.zeros((2, W.shape[1])))
        known = RowSums(*nothing, *spreads(problem, found), spread_of_numbers(problem), problem.fit_intercept)
    gradient, residual = bounded(problem, targets, (W, b), found, known)
    return known._replace(gradient=gradient, residual=residual)


def spreads(problem: Problem, found: PlainSums) -> tuple[Spread, Enclosed]:
    """The spread of the columns and the weights of the classes."""
    linear, squares, weight = found.columns
    n, lost = problem.n_rows, lost_by_costs(problem)
    relative = part_of_terms(found.n_terms)
    of_weight = part_of_terms(4 * found.n_terms)  # which loops add one by one, all else by four
    root = np.sqrt(n_costs := float(weight.sum()) * (1.0 + of_weight))
    reach = np.sqrt(squares) * (1.0 + relative)
    of_squares = relative * squares + 4.0 * SMALLEST * (n + n_costs + lost * reach)
    of_linear = relative * root * np.sqrt(squares + of_squares) + 2.0 * n * SMALLEST
    centre = np.broadcast_to(found.centre, (n_groups(problem), found.centre.size))
    still = still_columns(problem, centre, np.flatnonzero(squares == 0.0))
    of_linear[still], of_squares[still] = 0.0, 0.0
    spread = Spread(Enclosed(linear, INFLATED * of_linear), Enclosed(squares, INFLATED * of_squares), found.centre)
    return spread, Enclosed(weight, of_weight * weight)


def bounded(
    problem: Problem, targets: Vector, planes: tuple[Vector, Vector], found: PlainSums, known: RowSums
) -> tuple[Enclosed, Enclosed]:
    """Bounds of the sums of c r z and of c r."""
    (W, b), n, d = planes, problem.n_rows, problem.n_features
    total = known.total
    root = float(upper_end(roots(total)))
    reach, lost = upper_end(roots(known.columns.squares)), lost_by_costs(problem)
    base = exact_bases(W, b, found.centre)
    if mostly_empty(problem.X):  # rows are multiplied as they are stored, and the centre is subtracted from the sums
        reach, base = reach + 2.0 * root * np.abs(found.centre), Enclosed(b, np.zeros_like(b))
    of_targets = upper_end(roots(known.spread_of_targets(targets).around_zero(total)))
    sizes = of_targets + root * (np.abs(base.value) + base.radius) + reach @ np.abs(W)
    of_rows = part_of_terms(d + 6) * sizes + root * (d + 4) * SMALLEST
    relative = part_of_terms(found.n_terms)
    left = relative * np.sqrt(found.square * (1.0 + relative) + n * SMALLEST) + of_rows
    gradient = INFLATED * (np.outer(reach, left) + 2.0 * SMALLEST * (n + lost * reach)[:, None])
    residual = INFLATED * (root * left + 2.0 * n * SMALLEST)
    return Enclosed(found.gradient, gradient), Enclosed(found.residual, residual)


def part_of_terms(n_terms: int) -> float:
    """The part g of the true sizes of so many terms that their sum may be off; all else here is an upper bound."""
    return INFLATED * 0.5 * rounding_bound(n_terms)


def exact_bases(W: Vector, b: Vector, centre: Vector) -> Enclosed:
    """b + w.centre for each plane."""
    if not centre.any():
        return exactly(b)
    zero, one = np.zeros(1), np.ones(1)
    found = [
        exact_affine(centre[None], np.zeros(1, int), (w, float(c)), zero, one) for w, c in zip(W.T, b, strict=True)
    ]
    return Enclosed(*(np.array([each[k][0] for each in found]) for k in range(2)))


def lost_by_costs(problem: Problem) -> float:
    """A bound of sum |z| / sqrt(sum c z^2): what a product with c loses where it underflows is multiplied by z."""
    least = float(np.min(problem.cost, where=problem.cost > 0.0, initial=np.inf))
    return float(np.sqrt(problem.n_rows / least)) if least < np.inf else 0.0


def row_targets(problem: Problem, targets: Vector, part: slice = ALL_ROWS) -> Vector:
    """The targets of some rows, of shape (rows, p): those of their classes, or their numbers."""
    y = problem.y[part]
    return targets[y] if problem.n_classes else y[:, None]


def dense_sums(
    problem: Problem, targets: Vector, W: Vector, b: Vector, centre: Vector | None, columns: bool
) -> PlainSums:
    """The sums over dense rows, or over sparse ones that are made dense block by block."""
    centre = reference_point(problem) if centre is None else centre
    base, moved = exact_bases(W, b, centre).value, bool(centre.any())
    pieces = chunks_of(problem.X)
    if W.shape[1] == 1 and isinstance(problem.X, np.ndarray) and worth_looping(problem.X):
        plane = W[:, 0].copy(), float(base[0])
        gradient, rest, square, *found = residual_sums(
            problem, targets[:, 0].copy() if problem.n_classes else None, *plane, centre if moved else None, columns
        )
        return PlainSums(
            gradient[:, None], rest, square, tuple(found), centre, additions(problem, ROWS_PER_SUM // 4, ROWS_PER_SUM)
        )
    most = min(rows_at_once(len(W), UNCHANGED_CACHED_ENTRIES), ROWS_PER_SUM)

    def job(chunk: slice) -> tuple[Vector, ...]:
        found = [np.zeros(W.shape), np.zeros(W.shape[1]), np.zeros(W.shape[1])]
        found += [np.zeros(len(W)), np.zeros(len(W)), np.zeros(n_groups(problem))] if columns else []
        space = np.empty((min(most, chunk.stop - chunk.start), len(W)))
        for part, matrix in cached_blocks(problem.X, UNCHANGED_CACHED_ENTRIES, chunk, most):
            cost, room = problem.cost[part], space[: len(matrix)]
            Z = np.subtract(matrix, centre, out=room) if moved else matrix
            left = row_targets(problem, targets, part) - (Z @ W + base)
            weighted = left * cost[:, None]
            found[0] += product(Z.T, weighted)
            found[1] += weighted.sum(axis=0)
            found[2] += np.einsum("ij,ij->j", weighted, left)
            if columns:
                found[3] += product(cost, Z)  # by itself: thin products of one column are quicker than of two
                found[4] += product(cost, np.square(Z, out=room))
                found[5] += np.bincount(group_codes(problem, part), cost, n_groups(problem))
        return tuple(found)

    gradient, rest, square, *more = summed(job, pieces)
    return PlainSums(gradient, rest, square, tuple(more), centre, additions(problem, most, most))


def additions(problem: Problem, terms: int, n_rows: int) -> int:
    """How many additions a term goes through at most, in sums of so many rows that are added to each other."""
    n = problem.n_rows
    return min(n, terms) + n // n_rows + 2 * len(chunks_of(problem.X)) + 4


def sparse_sums(
    problem: Problem, targets: Vector, W: Vector, b: Vector, centre: Vector | None, columns: bool
) -> PlainSums:
    """The sums over sparse rows, measured from the origin but for columns that are stored in full."""
    X: Any = problem.X
    assert isinstance(X, CSR)
    centre = full_columns(X) if centre is None else centre
    left = row_targets(problem, targets) - (scores(X, W) + b)
    weighted = left * problem.cost[:, None]
    rest, square = weighted.sum(axis=0), np.sum(weighted * left, axis=0)
    gradient = combination(X, weighted) - np.outer(centre, rest)
    n_terms = rows.n_rows(X) + 8
    if not columns:
        return PlainSums(gradient, rest, square, (), centre, n_terms)
    linear, squares = np.zeros(len(W)), np.zeros(len(W))
    for part, matrix in parts(X):
        moved = matrix.copy()
        moved.data = matrix.data - centre[matrix.indices]
        linear += problem.cost[part] @ moved
        moved.data = moved.data**2
        squares += problem.cost[part] @ moved
    weight: Vector = np.bincount(group_codes(problem), problem.cost, n_groups(problem)).astype(np.float64)
    return PlainSums(gradient, rest, square, (linear, squares, weight), centre, n_terms)
