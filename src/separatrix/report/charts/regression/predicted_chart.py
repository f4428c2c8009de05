"""Predicted against true numbers: points on the diagonal are right."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.report.charts import style
from separatrix.report.charts.projection import MAX_POINTS
from separatrix.report.charts.regression.numbers import numbers_of, plain_axes, point_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def predicted_chart(
    truth: Any,
    predicted: Any,
    ax: "Axes | None" = None,
    *,
    target: str = "target",
    most: int = MAX_POINTS,
    title: str | None = None,
) -> "Axes":
    """Draw predictions (across) and what is true (up), with the diagonal on which both are the same.

    Parameters
    ----------
    truth, predicted : arrays of n numbers
        What is true, and what was predicted; of rows that the fit had not seen, if errors are to be judged.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    target : str
        What the numbers are.
    most : int
        Points at most; of more rows a sample is drawn, with the largest errors.
    title : str or None
        None: the mean absolute error.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("predicted.png")`.

    Examples
    --------
    >>> from separatrix.report import predicted_chart
    >>> predicted_chart([1.0, 2.0, 3.0], [1.5, 2.0, 2.5]).get_title(loc="left")
    'Off by 0.3333 on average'
    """
    found = numbers_of(truth, predicted, most)
    with style.styled():
        ax = style.axes(ax)
        across, up = found.predicted[found.rows], found.truth[found.rows]
        low, high = float(min(across.min(), up.min())), float(max(across.max(), up.max()))
        room = 0.04 * (high - low or 1.0)
        ends = [low - room, high + room]
        ax.plot(ends, ends, color=style.INK, linewidth=1.4, zorder=2, label="prediction = truth")
        ax.scatter(
            across, up, s=point_size(across.size), c=style.colour(0), edgecolors="white", linewidths=0.4, zorder=3,
            label="row",
        )  # fmt: skip
        ax.set_xlim(*ends)
        ax.set_ylim(*ends)
        ax.set_xlabel(style.plain(f"predicted {style.short(target, 32)}"))
        ax.set_ylabel(style.plain(f"true {style.short(target, 32)}"))
        plain_axes(ax)
        off = float(np.mean(np.abs(found.residuals)))
        ax.set_title(f"Off by {off:.4g} on average" if title is None else title, loc="left")
    return ax
