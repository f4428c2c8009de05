"""The equations of discriminant analysis, from the moments of the classes.

    Gaussian    S w_c = m_c - m,                    b_c = log prior_c - w_c.(m + m_c)/2          S: pooled covariance
    Fisher      S_b v = J S_w v,     v'S v = 1      w, b: the class whose mean is nearest after projection on all v

Everything is measured in standard deviations within classes, so that no unit is left. Where S has no inverse the
equations hold on its range: what is left of them is multiplied by S once more, which is what a pseudoinverse leaves
(Fisher, 1936; Rao, 1948).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from separatrix.certificates.claims.normal_equations import CONSTANT
from separatrix.errors import DataError
from separatrix.problem import Moments
from separatrix.problem.fold import Fold
from separatrix.rows import TINY, Vector


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
        """What is left of the equations, from blocks of rows, whose moments add up."""
        return Fold(lambda block, first: Moments.of(block), Moments.merged, lambda moments: self.left(moments, w, b))

    def left(self, moments: Moments, w: Vector, b: Vector) -> float:
        """What is left of the equations."""
        spread = spread_of(moments, self.shrinkage)
        if not spread.used.any():
            return 0.0
        apart, offsets = gaussian_sides(moments, self.priors, w)
        u, e = w[:, spread.used] * spread.scale, apart[:, spread.used] / spread.scale
        size = np.linalg.norm(spread.matrix)
        left, terms = u @ spread.matrix - e, size * np.linalg.norm(u, axis=1) + np.linalg.norm(e, axis=1)
        if not self.full_rank:
            left, terms = left @ spread.matrix, size * terms
        return largest(np.linalg.norm(left, axis=1) / np.maximum(terms, TINY), of_offsets(moments, w, b, offsets))


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
        """What is left of the equations, from blocks of rows, whose moments add up."""
        return Fold(lambda block, first: Moments.of(block), Moments.merged, lambda moments: self.left(moments, w, b))

    def left(self, moments: Moments, w: Vector, b: Vector) -> float:
        """What is left of the equations."""
        spread = spread_of(moments)
        if not spread.used.any():
            return 0.0
        u = self.directions[spread.used] * spread.scale[:, None]
        lever = np.sqrt(moments.weight)[:, None] * moments.apart[:, spread.used] / spread.scale
        between, within = lever.T @ (lever @ u) / divisor(moments), spread.matrix @ u
        size = np.linalg.norm(spread.matrix)
        left = between - self.ratios * within
        terms = (np.linalg.norm(lever) ** 2 / divisor(moments) + self.ratios * size) * np.linalg.norm(u, axis=0)
        if not self.full_rank:
            left, terms = spread.matrix @ left, size * terms
        planes = fisher_planes(moments, self.directions)
        other = np.linalg.norm((w - planes[0])[:, spread.used] * spread.scale, axis=1)
        wide = 1.0 + np.linalg.norm(planes[0][:, spread.used] * spread.scale, axis=1)
        return largest(
            np.linalg.norm(left, axis=0) / np.maximum(terms, TINY),
            np.abs(np.sum(u * within, axis=0) - 1.0),
            other / wide,
            of_offsets(moments, w, b, planes[1]),
        )


def of_offsets(moments: Moments, w: Vector, b: Vector, wanted: Vector) -> Vector:
    """How far offsets are from what they should be, for the size of their terms; both may be infinite."""
    with np.errstate(invalid="ignore"):
        off = np.where(b == wanted, 0.0, np.abs(b - wanted))
    return off / (1.0 + np.abs(w) @ np.abs(moments.mean) + np.where(np.isfinite(wanted), np.abs(wanted), 0.0))


def largest(*errors: Vector) -> float:
    """The largest of all, infinite where one is no number."""
    worst = max(float(np.max(error, initial=0.0)) for error in errors)
    return worst if np.isfinite(worst) else np.inf


def divisor(moments: Moments) -> float:
    """n - k, the degrees of freedom that classes leave to the pooled covariance."""
    free = moments.total_weight - moments.n_seen
    if free > 0.0 or not moments.within.any():
        return max(free, 1.0)
    raise DataError(
        f"The weights of the rows add up to {moments.total_weight:g}, not more than the {moments.n_seen} classes, so "
        "that n - k leaves no covariance. Weights count rows: multiply them until they do."
    )


def spread_of(moments: Moments, shrinkage: float = 0.0) -> Spread:
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
