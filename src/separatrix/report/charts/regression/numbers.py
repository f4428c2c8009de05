"""Pairs of true and predicted numbers, checked, and which of them to draw."""

from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import DataError
from separatrix.report.charts.projection import MAX_POINTS
from separatrix.rows import Vector

MIN_IN_FULL, MAX_IN_FULL = 1e4, 1e7  # numbers along an axis that are written with commas, not as powers of ten
N_LARGEST_KEPT = 60  # of the residuals, where only some of the rows are drawn


class Numbers(NamedTuple):
    """True numbers, what was predicted for them, and the rows to draw, ascending."""

    truth: Vector
    predicted: Vector
    rows: np.ndarray

    @property
    def residuals(self) -> Vector:
        """Truth minus prediction."""
        return self.truth - self.predicted


def numbers_of(truth: Any, predicted: Any, most: int = MAX_POINTS) -> Numbers:
    """Check true and predicted numbers; of more rows than `most`, a sample and the largest residuals are drawn.

    >>> found = numbers_of([1.0, 2.0], [1.5, 2.0])
    >>> found.residuals.tolist(), found.rows.tolist()
    ([-0.5, 0.0], [0, 1])
    """
    one, two = (np.asarray(each, dtype=np.float64).ravel() for each in (truth, predicted))
    if one.size != two.size or not one.size:
        raise DataError(
            f"There must be one prediction for each number, and at least one. Got {two.size} for {one.size}."
        )
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        raise DataError("Numbers and predictions must be finite to be drawn. Leave out rows with NaN or infinities.")
    if one.size <= most:
        return Numbers(one, two, np.arange(one.size))
    largest = np.argsort(-np.abs(one - two), kind="stable")[: min(N_LARGEST_KEPT, most)]
    others = np.setdiff1d(np.random.default_rng(0).permutation(one.size)[:most], largest)[: most - largest.size]
    return Numbers(one, two, np.union1d(largest, others))


def point_size(n: int) -> float:
    """The area of a point, in square points, that suits their number."""
    return float(np.clip(7000 / max(n, 1), 9, 40))


def plain_axes(ax: Any) -> None:
    """Hide the upper and right spines, keep ticks few, and write their numbers in full where that is readable."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.locator_params(nbins=6)
    for axis in (ax.xaxis, ax.yaxis):
        in_full(axis)


def in_full(axis: Any) -> None:
    """Write the numbers along an axis with commas, not as powers of ten, where they are neither small nor huge."""
    if MIN_IN_FULL <= max(map(abs, axis.get_view_interval())) < MAX_IN_FULL:
        axis.set_major_formatter(lambda value, place: f"{value:,.0f}".replace("-", "−"))
