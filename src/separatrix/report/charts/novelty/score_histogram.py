"""A histogram of the scores of rows without a target, with the threshold below which they are outside."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.errors import DataError, counted
from separatrix.report.charts import style
from separatrix.report.charts.regression.numbers import plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_BINS = 40


def score_histogram(
    scores: Any, outside: Any, ax: "Axes | None" = None, *, threshold: float = 0.0, title: str | None = None
) -> "Axes":
    """Draw how many rows have which score; those outside in the other colour.

    Parameters
    ----------
    scores : array of n numbers
        Of the decision function.
    outside : array of n booleans
        Which rows are outside.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    threshold : float
        The score of the boundary.
    title : str or None
        None: how many rows are outside.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("scores.png")`.

    Examples
    --------
    >>> from separatrix.report import score_histogram
    >>> score_histogram([-1.0, 0.5, 0.6, 0.7], [True, False, False, False]).get_title(loc="left")
    '1 of 4 rows outside'
    """
    values, out = np.asarray(scores, dtype=np.float64).ravel(), np.asarray(outside, dtype=bool).ravel()
    if values.size != out.size or not values.size or not np.isfinite(values).all():
        raise DataError(
            f"There must be a finite score for each row, and at least one. Got {values.size} for {out.size}."
        )
    edges = bin_edges(values, threshold)
    with style.styled():
        ax = style.axes(ax)
        for mask, number, label, hatch in ((~out, 0, "inside", None), (out, 1, "outside", "///")):
            counts = np.histogram(values[mask], edges)[0]
            below = np.histogram(values[~out], edges)[0] if number else np.zeros_like(counts)
            ax.bar(
                edges[:-1], counts, np.diff(edges), bottom=below, align="edge", color=style.colour(number),
                edgecolor="white", linewidth=0.6, hatch=hatch, label=label, zorder=2,
            )  # fmt: skip
        ax.axvline(threshold, color=style.INK, linewidth=1.4, zorder=3)
        ax.set_xlabel("score: less is more unusual")
        ax.set_ylabel("rows")
        plain_axes(ax)
        words = f"{int(out.sum()):,} of {counted(values.size, 'row')} outside"
        ax.set_title(words if title is None else title, loc="left")
    return ax


def bin_edges(values: np.ndarray, threshold: float) -> np.ndarray:
    """Edges of bins with the threshold among them, so that each bar is on one side of it."""
    low, high = min(float(values.min()), threshold), max(float(values.max()), threshold)
    width = (high - low or 1.0) / N_BINS
    first, last = np.floor((low - threshold) / width), np.ceil((high - threshold) / width)
    return threshold + width * np.arange(first, max(last, first + 1) + 1)
