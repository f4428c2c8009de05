"""What the charts of scores share: the counts of each set of rows, bands of intervals, and the marked threshold."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from separatrix.errors import DataError
from separatrix.report.charts import style
from separatrix.rows import Vector
from separatrix.selection.measures.score_curves import ScoreCounts, intervals, score_counts

DASHES = ("-", "--", ":", "-.")


def counts_of(curves: Mapping[str, Any]) -> dict[str, ScoreCounts]:
    """The counts of each set of rows, given as its scores and whether each row is of the class."""
    if not curves:
        raise DataError("There are no scores to draw. Give at least one set of rows, as its scores and classes.")
    found = {}
    for name, pair in curves.items():
        scores, own = np.asarray(pair[0], dtype=np.float64).ravel(), np.asarray(pair[1]).ravel()
        if scores.size != own.size or not set(np.unique(own).tolist()) <= {0, 1}:
            raise DataError(f"{name!r} must have as many scores as truth values: whether each row is of the class.")
        found[name] = score_counts(scores, own.astype(bool))
    return found


def draw_band(ax: Any, x: Vector, hits: Vector, totals: Vector) -> None:
    """The interval of a part at some points of the first curve, as a band."""
    low, high = intervals(hits, totals)
    ax.fill_between(x, low, high, color=style.colour(0), alpha=0.2, linewidth=0, zorder=1)


def mark_threshold(ax: Any, counts: ScoreCounts, x: Vector, y: Vector, threshold: float | None) -> None:
    """A point on a curve at a threshold, if one is given: that of the last score that it calls."""
    if threshold is None:
        return
    place = int(np.searchsorted(-counts.thresholds, -threshold, side="right")) - 1
    mark = {"color": style.INK, "markersize": 7, "markeredgecolor": "white", "zorder": 5}
    ax.plot([x[place]], [y[place]], "o", label="the threshold", **mark)


def frame(ax: Any, across: str, up: str) -> None:
    """Both axes from 0 to 1, with a grid."""
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel=across, ylabel=up)
    ax.set_xticks(np.linspace(0.0, 1.0, 6), [f"{part:g}" for part in np.linspace(0, 1, 6).round(1)])
    ax.set_yticks(np.linspace(0.0, 1.0, 6), [f"{part:g}" for part in np.linspace(0, 1, 6).round(1)])
    ax.grid(color=style.RULE, linewidth=0.6)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
