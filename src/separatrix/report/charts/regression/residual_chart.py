"""Residuals over predictions, with the medians of their tenths: a bend or a funnel is what the model misses."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.report.charts import style
from separatrix.report.charts.projection import MAX_POINTS
from separatrix.report.charts.regression.numbers import Numbers, numbers_of, plain_axes, point_size
from separatrix.rows import Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIN_ROWS_A_PART, MAX_PARTS = 8, 10
CLEAR_DEVIATIONS, MEDIAN_FACTOR = 3.0, 1.253  # sqrt(pi / 2): the standard error of a median in that of a mean


def residual_chart(
    truth: Any,
    predicted: Any,
    ax: "Axes | None" = None,
    *,
    target: str = "target",
    most: int = MAX_POINTS,
    title: str | None = None,
) -> "Axes":
    """Draw residuals (true minus predicted) over predictions, with the medians of up to ten parts of the rows.

    Parameters
    ----------
    truth, predicted : arrays of n numbers
        What is true, and what was predicted.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    target : str
        What the numbers are.
    most : int
        Points at most; of more rows a sample is drawn, with the largest residuals.
    title : str or None
        None: whether residuals lean to one side.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("residuals.png")`.

    Examples
    --------
    >>> from separatrix.report import residual_chart
    >>> ax = residual_chart([1.0, 2.0, 3.0], [1.5, 2.0, 2.5])
    >>> [round(float(up), 2) for _, up in ax.collections[0].get_offsets()]
    [-0.5, 0.0, 0.5]
    """
    found = numbers_of(truth, predicted, most)
    with style.styled():
        ax = style.axes(ax)
        ax.axhline(0.0, color=style.INK, linewidth=1.2, zorder=2)
        across, up = found.predicted[found.rows], found.residuals[found.rows]
        ax.scatter(
            across, up, s=point_size(across.size), c=style.colour(0), edgecolors="white", linewidths=0.4, zorder=3,
            label="row",
        )  # fmt: skip
        middle = running_medians(found)
        if len(middle) > 1:
            ax.plot(*middle.T, "-o", color=style.colour(1), linewidth=1.8, markersize=4, zorder=4, label="medians")
        ax.set_xlabel(style.plain(f"predicted {style.short(target, 32)}"))
        ax.set_ylabel("residual: true minus predicted")
        plain_axes(ax)
        median = float(np.median(found.residuals))
        ax.set_title(f"Median residual {median:.3g}" if title is None else title, loc="left")
    return ax


def running_medians(found: Numbers) -> Vector:
    """The medians of prediction and residual in parts of equally many rows, by ascending prediction.

    >>> running_medians(numbers_of(np.arange(32.0), np.zeros(32))).shape
    (1, 2)
    """
    pieces = parts_of(found)
    return np.array([[np.median(found.predicted[own]), np.median(found.residuals[own])] for own in pieces])


def parts_of(found: Numbers) -> list[np.ndarray]:
    """The rows of up to ten parts of equally many, by ascending prediction."""
    parts = int(np.clip(found.truth.size // MIN_ROWS_A_PART, 1, MAX_PARTS))
    if np.unique(found.predicted).size < 2 * parts:
        parts = 1
    return np.array_split(np.argsort(found.predicted, kind="stable"), parts)


def leans_clearly(found: Numbers) -> bool:
    """Whether the median of a part is farther from 0 than three of its standard errors, 1.253 s / sqrt(n) each.

    >>> x = np.linspace(-1, 1, 200)
    >>> noise = np.random.default_rng(0).standard_normal(200)
    >>> leans_clearly(numbers_of(x**2 + 0.1 * noise, x)), leans_clearly(numbers_of(x + noise, x))
    (True, False)
    """
    pieces = [found.residuals[own] for own in parts_of(found)]
    return len(pieces) > 1 and any(
        abs(float(np.median(own))) > CLEAR_DEVIATIONS * MEDIAN_FACTOR * float(own.std()) / np.sqrt(own.size)
        for own in pieces
    )
