"""How far rounding may have moved what is left of the equations of discriminants.

Moments are right but for their bounds: entries of S_w are off by at most e_j e_k. With f_j = e_j / D_j the correlations
R are then off by f_j f_k and a part of themselves, so that ||R - computed|| is at most a multiple of sum f_j^2, and
every term of the equations is off by a small part of its own size.
"""

from typing import NamedTuple

import numpy as np

from separatrix.certificates.claims.enclosed_moments import EnclosedMoments
from separatrix.enclosures import Enclosed, Interval
from separatrix.enclosures.elementwise import INFLATED, divided, lower_end, upper_end
from separatrix.rows import SMALLEST, UNIT_ROUNDOFF, Vector, rounding_bound

MAX_PART = 1e-2  # up to which the bounds here hold: squares of parts count nothing then
LOG_ROUNDINGS = 8.0  # units of roundoff that a logarithm may be off; the tests show less


class Rounded(NamedTuple):
    """The parts by which rounding may have moved R, each deviation in D, and every entry of S besides."""

    matrix: float
    scale: float
    divisor: float
    squares: Vector = np.zeros(0)  # f_j^2

    @property
    def known(self) -> bool:
        """Whether these are bounds at all."""
        return bool(max(self[:3]) <= MAX_PART)

    def of_form(self, matrix: Vector, u: Vector) -> Vector:
        """How far u'R u may be off for each column u: sum_jk |u_j u_k| f_j f_k, and its parts of the terms."""
        sizes = np.abs(u)
        part = 2.2 * self.scale + 2.0 * rounding_bound(2 * len(u) + 4)
        coherent = (np.sqrt(self.squares) @ sizes) ** 2
        return 1.1 * coherent + (part + 1.1 * float(self.squares.max(initial=0.0))) * np.sum(
            sizes * (np.abs(matrix) @ sizes), axis=0
        )

    def image(self, n_terms: int) -> float:
        """The part of ||R|| ||u|| that R u may be off, of so many terms."""
        return 1.1 * (self.matrix + self.scale + rounding_bound(n_terms + 4))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def roundings(moments: EnclosedMoments, used: np.ndarray, size: float, shrinkage: float, constant: float) -> Rounded:
    """The roundings of the spread of moments whose correlations have a size; infinite where `used` is in doubt."""
    of_divisor = float(moments.total.radius)
    divisor = max(moments.total_weight - moments.n_seen, 1.0)
    relative = of_divisor / (divisor - of_divisor) + 4.0 * UNIT_ROUNDOFF if divisor > 2.0 * of_divisor else np.inf
    diagonal, squares, d = moments.within.diagonal(), moments.squares, len(moments.within)
    diagonal = ((1.0 - shrinkage) * diagonal + shrinkage * np.trace(moments.within) / d) / divisor
    off = (squares + shrinkage * squares.sum() / d) / divisor
    lost = 8.0 * SMALLEST * (squares + shrinkage * squares.sum() > 0.0)  # also where the quotients were rounded to 0
    off = INFLATED * (off * (1.0 + 2.0 * relative) + lost + (relative + 1e-15) * diagonal)
    means = Enclosed(np.abs(moments.class_means.value), moments.class_means.radius)
    least = (constant * lower_end(means).max(axis=0)) ** 2 * (1.0 - 1e-15)
    most = (constant * upper_end(means).max(axis=0)) ** 2 * (1.0 + 1e-15)
    certain = np.where(used, diagonal - off > most, diagonal + off <= least)
    if not certain.all():
        return Rounded(np.inf, np.inf, np.inf)
    parts = off[used] / diagonal[used]
    most, eps = float(parts.max(initial=0.0)), 8.0 * UNIT_ROUNDOFF
    matrix = 1.05 * float(parts.sum()) / max(size, 1.0) + 1.05 * most + eps
    return Rounded(matrix, 0.52 * most + eps, relative, parts)


def enclosed_ratio(left: Vector, terms: Vector, off: Vector) -> Interval:
    """Enclose the largest ratio of sizes to those of their terms, both of which may be so far off; 0 of 0 is 0."""
    low, high = np.maximum(left - off, 0.0), left + off
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = high / np.maximum(terms - off, 0.0)
        least = np.where(low > 0.0, low / (terms + off), 0.0)
    ratios = np.where(high == 0.0, 0.0, ratios)
    return largest(least, ratios)


def largest(low: Vector, high: Vector) -> Interval:
    """Enclose the largest of some numbers with these bounds."""
    most = float(np.max(high, initial=0.0)) * INFLATED
    least = float(np.max(np.nan_to_num(low), initial=0.0)) / INFLATED
    return Interval(least, most) if np.isfinite(most) else Interval(0.0, np.inf)


def linear_forms(w: Vector, v: Enclosed) -> Enclosed:
    """The products of vectors, w of shape (planes, d), with v of shape (d,) or with one v for each, (planes, d)."""
    size, radius = (np.sum(np.abs(w) * each, axis=1) for each in (np.abs(v.value), v.radius))
    lost = 2.0 * w.shape[1] * SMALLEST
    return Enclosed(
        np.sum(w * v.value, axis=1), INFLATED * (radius * (1 + 1e-9) + rounding_bound(w.shape[1]) * size + lost)
    )


def logs_of_weights(moments: EnclosedMoments, priors: Vector | None) -> Enclosed:
    """Logarithms of the parts of the classes, or of other priors; minus infinity for a class without rows."""
    if priors is None:
        parts = divided(moments.weights, moments.total)
    else:
        parts = Enclosed(priors, np.zeros_like(priors))
    seen = parts.value > 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(parts.value)
        radius = 2.0 * parts.radius / parts.value + LOG_ROUNDINGS * UNIT_ROUNDOFF * np.abs(logs)
    return Enclosed(logs, np.where(seen, radius, 0.0))
