"""The equations of discriminant analysis, from the moments of the classes.

    Gaussian    S w_c = m_c - m,                    b_c = log prior_c - w_c.(m + m_c)/2          S: pooled covariance
    Fisher      S_b v = J S_w v,     v'S v = 1      w, b: the class whose mean is nearest after projection on all v

Everything is measured in standard deviations within classes, so that no unit is left. Where S has no inverse the
equations hold on its range: what is left of them is multiplied by S once more, which is what a pseudoinverse leaves
(Fisher, 1936; Rao, 1948).

With R the correlations of the columns, u = D w and e = D^-1 (m_c - m) for their deviations D, what is left is

    ||R u - e|| / (||R|| ||u|| + ||e||)                   of a linear system, with Frobenius norms
    ||B u - J R u|| / ((trace B + J ||R||) ||u||)         of an eigenvector, with B = D^-1 S_b D^-1 / (n - k)
    |u'R u - 1|,     ||D (w - w_c)|| / (1 + ||D w_c||)    of its length, and of the planes w_c that are made of them
    |b - b_c| / (1 + |w|.|m| + |b_c|)                     of an offset

The error is the largest of these, in real numbers over the doubles as stored: rows, costs, w, b, priors, shrinkage,
directions and J.
A column whose deviation is at most 2^-46 of the largest mean of a class in it is constant, and left out.

The error is enclosed. Moments come with bounds on their rounding, and the rounding of all that is computed from them is
a small part of the same terms that the error is divided by. Where it is not certain which columns vary, nothing is.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from separatrix.certificates.claims.discriminant_bounds import (
    Rounded,
    enclosed_ratio,
    largest,
    linear_forms,
    logs_of_weights,
    roundings,
)
from separatrix.certificates.claims.enclosed_moments import EnclosedMoments, ExactMoments
from separatrix.certificates.claims.normal_sums import CONSTANT
from separatrix.enclosures import Enclosed, Interval
from separatrix.enclosures.elementwise import (
    INFLATED,
    added_up,
    difference,
    exactly,
    lower_end,
    multiplied,
    shifted,
    summed_with,
    upper_end,
)
from separatrix.errors import DataError
from separatrix.problem import Moments
from separatrix.problem.fold import Fold
from separatrix.rows import Vector, rounding_bound

NO_BOUND = Interval(0.0, np.inf)
MAX_EXACT_PRODUCTS = 2**20  # that are summed up in fractions, where rounding counts
MAX_ROUNDING = 1e-10  # that an error may be before it counts


class Spread(NamedTuple):
    """The covariance of columns scaled to a standard deviation of 1, these deviations, and which columns vary."""

    matrix: Vector
    scale: Vector
    used: np.ndarray


@dataclass(frozen=True, eq=False)
class GaussianEquations:
    """Linear discriminant analysis with these priors (None: the parts of the rows) and shrinkage."""

    priors: Vector | None
    shrinkage: float
    full_rank: bool

    @property
    def formula(self) -> str:
        """The equations."""
        return "S w = m_c - m, S the pooled covariance" + ("" if self.full_rank else ", on its range")

    def fold(self, w: Vector, b: Vector) -> Fold:
        """Enclose what is left of the equations, from blocks of rows, whose moments add up."""
        return fold_of(self, w, b)

    def left(self, moments: EnclosedMoments, w: Vector, b: Vector) -> Interval:
        """Enclose what is left of the equations."""
        spread = spread_of(moments, self.shrinkage)
        size = float(np.linalg.norm(spread.matrix))
        off = roundings(moments, spread.used, size, self.shrinkage, CONSTANT)
        if not off.known:
            return NO_BOUND
        if not spread.used.any():
            return Interval(0.0, 0.0)
        right, offsets = enclosed_sides(moments, self.priors, w)
        u, e = w[:, spread.used] * spread.scale, right.value[:, spread.used] / spread.scale
        of_right = 1.1 * np.linalg.norm(right.radius[:, spread.used] / spread.scale, axis=1)
        left = u @ spread.matrix - e
        terms = size * np.linalg.norm(u, axis=1) + np.linalg.norm(e, axis=1)
        equations = Relative(left, terms, off.image(len(spread.matrix)) * terms + of_right)
        return joined(
            equations.ratio(None if self.full_rank else spread.matrix, off), of_offsets(moments, w, b, offsets)
        )


@dataclass(frozen=True, eq=False)
class FisherEquations:
    """Fisher's directions, one a column, and the ratio J that each of them reaches."""

    directions: Vector
    ratios: Vector
    full_rank: bool

    @property
    def formula(self) -> str:
        """The equations."""
        return "S_b v = J S_w v" + ("" if self.full_rank else ", on the range of S_w")

    def fold(self, w: Vector, b: Vector) -> Fold:
        """Enclose what is left of the equations, from blocks of rows, whose moments add up."""
        return fold_of(self, w, b)

    def left(self, moments: EnclosedMoments, w: Vector, b: Vector) -> Interval:
        """Enclose what is left of the equations."""
        spread = spread_of(moments)
        size = float(np.linalg.norm(spread.matrix))
        off = roundings(moments, spread.used, size, 0.0, CONSTANT)
        if not off.known:
            return NO_BOUND
        if not spread.used.any():
            return Interval(0.0, 0.0)
        u, planes = self.directions[spread.used] * spread.scale[:, None], enclosed_planes(moments, self.directions)
        return joined(
            self.of_directions(moments, spread, u, off),
            of_planes(difference(exactly(w), planes[0]), planes[0], spread, off),
            of_offsets(moments, w, b, planes[1]),
        )

    def of_directions(self, moments: EnclosedMoments, spread: Spread, u: Vector, off: Rounded) -> Interval:
        """Enclose what is left of the eigenproblem, and how far directions, in deviations, are from unit variance."""
        lengths, d, n = np.linalg.norm(u, axis=0), len(u), divisor(moments)
        size = float(np.linalg.norm(spread.matrix))
        weight = np.sqrt(moments.weight)[:, None] / np.sqrt(n)
        lever = weight * moments.apart.value[:, spread.used] / spread.scale
        radius = 1.1 * np.linalg.norm(weight * moments.apart.radius[:, spread.used] / spread.scale)
        trace = float(np.linalg.norm(lever)) ** 2
        part = 1.1 * (off.scale + off.divisor + rounding_bound(d + len(lever) + 4))
        of_lever = part * float(np.linalg.norm(lever)) + radius
        of_between = 2.2 * float(np.linalg.norm(lever)) * of_lever + 1.1 * of_lever**2 + 2.0 * part * trace
        within = spread.matrix @ u
        left = lever.T @ (lever @ u) - self.ratios * within
        terms = (trace + self.ratios * size) * lengths
        missed = 1.1 * (of_between + self.ratios * size * off.image(d)) * lengths
        variance, apart = np.abs(np.sum(u * within, axis=0) - 1.0), off.of_form(spread.matrix, u)
        return joined(
            Relative(left.T, terms, missed).ratio(None if self.full_rank else spread.matrix, off),
            largest(np.maximum(variance - apart, 0.0), variance + apart + 1e-15),
        )


def fold_of(equations: "GaussianEquations | FisherEquations", w: Vector, b: Vector) -> Fold:
    """Enclose what is left of equations, from blocks of rows; few rows are gone through again for exact sums."""

    def settled(found: tuple[int, Moments]) -> Interval | Fold:
        n_products, moments = found
        plain = equations.left(EnclosedMoments.of(moments), w, b)
        if n_products > MAX_EXACT_PRODUCTS or plain.high - plain.low <= max(MAX_ROUNDING, 0.01 * plain.low):
            return plain
        return Fold(
            lambda block, first: ExactMoments.of(block),
            ExactMoments.merged,
            lambda sums: equations.left(sums.enclosed(), w, b),
        )

    return Fold(
        lambda block, first: (block.n_rows * block.n_features * (block.n_features + 3), Moments.of(block)),
        lambda one, other: (one[0] + other[0], one[1].merged(other[1])),
        settled,
    )


class Relative(NamedTuple):
    """What is left of equations, a row for each, the sizes of their terms, and how far off both may be."""

    left: Vector
    terms: Vector
    off: Vector

    def ratio(self, matrix: Vector | None, off: Rounded) -> Interval:
        """Enclose ||left|| / terms, both multiplied by a matrix of correlations first where one is given."""
        lengths, terms, missed = np.linalg.norm(self.left, axis=1), self.terms, self.off
        if matrix is not None:
            size = float(np.linalg.norm(matrix))
            missed = 1.2 * size * (missed + off.image(len(matrix)) * (lengths + terms))
            lengths, terms = np.linalg.norm(self.left @ matrix, axis=1), size * terms
        return enclosed_ratio(lengths, terms, missed + 4e-15 * terms)


def of_planes(apart: Enclosed, planes: Enclosed, spread: Spread, off: Rounded) -> Interval:
    """Enclose how far planes are from those of the directions, in deviations within classes."""
    distance, wide, radius = (
        np.linalg.norm(each[:, spread.used] * spread.scale, axis=1)
        for each in (apart.value, planes.value, apart.radius)
    )
    missed = 1.1 * radius + (2.0 * off.scale + 1e-14) * distance
    terms = (1.0 + wide) * (1.0 - 2.0 * off.scale - 1e-14) - 1.1 * radius
    with np.errstate(divide="ignore", invalid="ignore"):
        high = np.where(terms > 0.0, (distance + missed) / terms, np.inf)
        return largest(np.maximum(distance - missed, 0.0) / (1.1 * (1.0 + wide + radius)), high)


def of_offsets(moments: EnclosedMoments, w: Vector, b: Vector, wanted: Enclosed) -> Interval:
    """Enclose how far offsets are from what they should be, for the size of their terms; both may be infinite."""
    sizes = linear_forms(np.abs(w), absolute(moments.mean))
    finite = np.isfinite(wanted.value)
    with np.errstate(invalid="ignore"):
        apart = np.where(b == wanted.value, 0.0, np.abs(b - wanted.value))
    off = np.where(finite, wanted.radius + 4e-16 * apart, 0.0)
    size = np.where(finite, np.abs(wanted.value), 0.0)
    short = 1.0 + lower_end(sizes) + np.maximum(size - off, 0.0)
    long = 1.0 + upper_end(sizes) + size + off
    return largest(np.maximum(apart - off, 0.0) / (long * (1.0 + 1e-14)), (apart + off) / short * (1.0 + 1e-14))


def joined(*errors: Interval) -> Interval:
    """Enclose the largest of some errors."""
    return Interval(max(each.low for each in errors), max(each.high for each in errors))


def absolute(a: Enclosed) -> Enclosed:
    """Absolute values."""
    return Enclosed(np.abs(a.value), a.radius)


def enclosed_sides(moments: EnclosedMoments, priors: Vector | None, w: Vector) -> tuple[Enclosed, Enclosed]:
    """The right sides of the linear systems, and the offsets that belong to their solutions w; one row a plane."""
    logs, apart, mean = logs_of_weights(moments, priors), moments.apart, moments.mean
    if len(apart.value) == 2:
        one, other = (Enclosed(apart.value[k : k + 1], apart.radius[k : k + 1]) for k in range(2))
        level = difference(*(Enclosed(logs.value[k : k + 1], logs.radius[k : k + 1]) for k in (1, 0)))
        right, centre = difference(other, one), halved(summed_with(other, one))
    else:
        level, right, centre = logs, apart, halved(apart)
    inner = summed_with(linear_forms(w, Enclosed(mean.value[None], mean.radius[None])), linear_forms(w, centre))
    never = ~np.isfinite(level.value)
    offsets = difference(Enclosed(np.where(never, 0.0, level.value), level.radius), inner)
    return right, Enclosed(np.where(never, level.value, offsets.value), offsets.radius)


def enclosed_planes(moments: EnclosedMoments, directions: Vector) -> tuple[Enclosed, Enclosed]:
    """Planes of shape (planes, d) that choose the class whose mean is nearest, measured along the directions."""
    never, apart = np.where(moments.weight > 0.0, 0.0, -np.inf), moments.apart
    mean = Enclosed(*(each[None] for each in moments.mean))
    if len(apart.value) == 2:
        w = exactly(directions[:, :1].T)
        both = Enclosed(apart.value.sum(axis=0)[None], INFLATED * apart.radius.sum(axis=0)[None])
        both = shifted(halved(both), 0.0)
        squares, level = linear_forms(w.value, both), never[1:] - never[:1]
    else:
        along, w = along_directions(apart, directions)
        squares, level = halved(added_up(transposed(multiplied(along, along)))), never
    inner = summed_with(forms_of(w, mean), squares)
    return w, Enclosed(np.where(np.isfinite(level), -inner.value, level), inner.radius)


def along_directions(apart: Enclosed, directions: Vector) -> tuple[Enclosed, Enclosed]:
    """Means along the directions, and the planes that are made of the directions with these coefficients."""
    size, part = np.abs(directions), rounding_bound(len(directions) + 2)
    along = Enclosed(
        apart.value @ directions, INFLATED * (apart.radius @ size * (1.0 + part) + part * (np.abs(apart.value) @ size))
    )
    planes = INFLATED * (along.radius @ size.T * (1.0 + part) + part * (np.abs(along.value) @ size.T))
    return along, Enclosed(along.value @ directions.T, planes)


def forms_of(w: Enclosed, v: Enclosed) -> Enclosed:
    """The products of enclosed vectors of shape (planes, d) with one of shape (1, d)."""
    found = linear_forms(w.value, v)
    return Enclosed(found.value, INFLATED * (found.radius + w.radius @ (np.abs(v.value) + v.radius)[0] * (1.0 + 1e-9)))


def halved(a: Enclosed) -> Enclosed:
    """Half of each number."""
    return multiplied(a, exactly(np.array(0.5)))


def transposed(a: Enclosed) -> Enclosed:
    """The transpose of a matrix."""
    return Enclosed(a.value.T, a.radius.T)


def divisor(moments: Moments | EnclosedMoments) -> float:
    """n - k, the degrees of freedom that classes leave to the pooled covariance."""
    free = moments.total_weight - moments.n_seen
    if free > 0.0 or not moments.within.any():
        return max(free, 1.0)
    raise DataError(
        f"The weights of the rows add up to {moments.total_weight:g}, not more than the {moments.n_seen} classes, so "
        "that n - k leaves no covariance. Weights count rows: multiply them until they do."
    )


def spread_of(moments: Moments | EnclosedMoments, shrinkage: float = 0.0) -> Spread:
    """Pooled covariance, shrunk towards the mean variance times I, with columns scaled."""
    covariance = (1.0 - shrinkage) * moments.within / divisor(moments)
    if shrinkage:
        covariance[np.diag_indices_from(covariance)] += (
            shrinkage * np.trace(moments.within) / (divisor(moments) * len(covariance))
        )
    scale = np.sqrt(covariance.diagonal())
    used = scale > CONSTANT * np.abs(moments.means).max(axis=0)
    scale = scale[used]
    matrix = covariance[np.ix_(used, used)] / scale / scale[:, None]
    return Spread(matrix, scale, used)


def gaussian_sides(moments: Moments, priors: Vector | None, w: Vector) -> tuple[Vector, Vector]:
    """The right sides of the linear systems, and the offsets that belong to their solutions w; one row a plane."""
    with np.errstate(divide="ignore"):
        logs = np.log(moments.weight / moments.total_weight if priors is None else priors)
    apart = moments.apart
    if len(apart) == 2:
        between, half = apart[1:] - apart[:1], 0.5 * (apart[1] + apart[0])
        return between, -(w @ moments.mean) - w @ half + logs[1] - logs[0]
    return apart, logs - w @ moments.mean - 0.5 * np.sum(w * apart, axis=1)


def fisher_planes(moments: Moments, directions: Vector) -> tuple[Vector, Vector]:
    """Planes of shape (planes, d) that choose the class whose mean is nearest, measured along the directions.

    Of two classes it is the direction itself, half-way between the means. A class that was never seen is never chosen.
    """
    never = np.where(moments.weight > 0.0, 0.0, -np.inf)
    if len(moments.weight) == 2:
        w = directions[:, :1].T
        return w, -(w @ moments.mean) - 0.5 * w @ (moments.apart[0] + moments.apart[1]) + never[1] - never[0]
    along = moments.apart @ directions
    w = along @ directions.T
    return w, -(w @ moments.mean) - 0.5 * np.sum(along**2, axis=1) + never
