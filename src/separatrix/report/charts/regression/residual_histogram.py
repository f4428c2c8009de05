"""A histogram of residuals."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.report.charts import style
from separatrix.report.charts.regression.numbers import numbers_of, plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIN_BINS, MAX_MIN_BINS, MAX_BINS = 5, 15, 41  # at least 5, or 15 of many rows; at most 41


def residual_histogram(
    truth: Any, predicted: Any, ax: "Axes | None" = None, *, tube: float | None = None, title: str | None = None
) -> "Axes":
    """Draw how often residuals of each size are, with the half of them that are smallest in a deeper tone.

    Parameters
    ----------
    truth, predicted : arrays of n numbers
        What is true, and what was predicted.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    tube : float or None
        Half the width of the tube within which residuals cost nothing, to be marked.
    title : str or None
        None: within how much half of the rows are.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("residuals.png")`.

    Examples
    --------
    >>> from separatrix.report import residual_histogram
    >>> ax = residual_histogram([1.0, 2.0, 3.0, 9.0], [1.5, 2.0, 2.5, 8.5])
    >>> float(sum(bar.get_height() for bar in ax.patches)), ax.get_title(loc="left")
    (4.0, 'Half of the rows are within 0.5')
    """
    residuals = numbers_of(truth, predicted).residuals
    half = float(np.median(np.abs(residuals)))
    counts, edges = np.histogram(residuals, bins=bin_edges(residuals))
    with style.styled():
        ax = style.axes(ax)
        ax.bar(
            edges[:-1], counts, np.diff(edges), align="edge", color=style.colour(0), edgecolor="white", linewidth=0.8,
            zorder=2,
        )  # fmt: skip
        ax.axvline(0.0, color=style.INK, linewidth=1.2, zorder=3)
        for place in () if tube is None or tube > np.abs(edges).max() else (-tube, tube):
            ax.axvline(place, color=style.INK, linewidth=1.1, linestyle="--", zorder=3)
        ax.set_xlabel("residual: true minus predicted")
        ax.set_ylabel("rows")
        plain_axes(ax)
        ax.set_title(f"Half of the rows are within {half:.4g}" if title is None else title, loc="left")
    return ax


def bin_edges(residuals: np.ndarray) -> np.ndarray:
    """Edges of bins about 0 of the width of Freedman and Diaconis (1981), with all residuals in them.

    >>> bin_edges(np.array([-1.0, 1.0, 1.0, 3.0])).tolist()
    [-1.5, -0.5, 0.5, 1.5, 2.5, 3.5]
    """
    low, high = float(residuals.min()), float(residuals.max())
    span = high - low
    if span == 0.0:
        span = abs(low) or 1.0
    upper, lower = np.quantile(residuals, [0.75, 0.25])
    wanted = 2.0 * float(upper - lower) / residuals.size ** (1 / 3)
    fewest = float(np.clip(np.sqrt(residuals.size), MIN_BINS, MAX_MIN_BINS))
    width = float(np.clip(wanted, span / (MAX_BINS - 2), span / (fewest - 1)))
    first, last = np.floor(low / width + 0.5), np.ceil(high / width - 0.5)
    return (np.arange(first, max(last, first) + 2) - 0.5) * width
