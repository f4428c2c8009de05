"""A histogram of the geometric margins of rows."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.analysis.margins import Margins, margins
from separatrix.report.charts import style
from separatrix.report.charts.decision_line import summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def margin_histogram(
    model: Any, X: Any, y: Any, ax: "Axes | None" = None, *, bins: Any = None, title: str | None = None
) -> "Axes":
    """Draw a histogram of the geometric margins, the distances of rows from the decision boundary.

    Parameters
    ----------
    model : fitted classifier
        With `coef_` and `intercept_`.
    X, y : as for `separatrix.margins`
        The rows and their classes, with any number of features.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    bins : as for `Margins.histogram`
        None: between round numbers, one of them 0, so that each bar is all right or all wrong.
    title : str or None
        None: how many rows are wrong, or the margin.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("margins.png")`.

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> from separatrix.report import margin_histogram
    >>> X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], ["up", "up", "down", "down"]
    >>> ax = margin_histogram(Perceptron(shuffle=False).fit(X, y), X, y)
    >>> float(sum(bar.get_height() for bar in ax.patches))
    4.0
    """
    found = margins(model, X, y)
    counts, edges = found.histogram(bins)
    with style.styled():
        beside, ax = ax is None, style.axes(ax)
        wrong = edges[1:] <= 0
        for side, label, number, hatch in ((~wrong, "right side", 0, None), (wrong, "wrong side", 1, "///")):
            if counts[side].any():
                ax.bar(edges[:-1][side], counts[side], np.diff(edges)[side], align="edge", edgecolor="white",
                       linewidth=0.8, label=label, color=style.colour(number), hatch=hatch)  # fmt: skip
        if edges[0] < 0 or found.smallest_geometric.margin < 0.1 * edges[-1]:
            ax.axvline(0.0, color=style.INK, linewidth=1.2, zorder=3)
        mark_smallest(ax, found)
        ax.set_xlabel("distance from the boundary" + (" (negative on the wrong side)" if found.n_wrong else ""))
        ax.set_ylabel("rows")
        ax.locator_params(axis="y", integer=True)
        ax.set_title(summary(found, len(model.classes_)) if title is None else title, loc="left")
        style.legend(ax, beside)
    return ax


def mark_smallest(ax: Any, found: Margins) -> None:
    """A pointer on the axis below the smallest margin, whose value and row are in the legend."""
    margin, row = found.smallest_geometric
    if not np.isnan(margin):
        ax.plot([margin], [0.0], "^", color=style.INK, markersize=10, markeredgecolor="white", clip_on=False, zorder=5,
                label=f"smallest: {margin:.3g} (row {row})")  # fmt: skip
        ax.set_ylim(bottom=0.0, auto=True)  # a panel that shares the axis may be taller
