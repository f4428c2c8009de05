"""The ROC curve: recall over false alarms at every threshold, with the interval of the recall."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.report.charts import style
from separatrix.report.charts.thresholds.curves import DASHES, counts_of, draw_band, frame, mark_threshold
from separatrix.selection.measures.score_curves import some_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def roc_chart(
    curves: Mapping[str, Any],
    ax: "Axes | None" = None,
    *,
    threshold: float | None = None,
    title: str | None = None,
    legend: bool = True,
) -> "Axes":
    """Draw ROC curves: which part of a class is found, and which part of the others is called so, at every threshold.

    Parameters
    ----------
    curves : mapping of names to pairs of arrays
        For each set of rows the scores of the class and whether each row is of it; the first has a band, the 95 %
        interval of the recall at each threshold.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    threshold : float or None
        A threshold to mark on the first curve.
    title : str or None
        None: the area under the first curve.
    legend : bool
        Whether the curves are named.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("roc.png")`.

    Examples
    --------
    >>> from separatrix.report import roc_chart
    >>> ax = roc_chart({"test rows": ([1.0, 2.0, 2.0, 3.0], [False, True, False, True])})
    >>> ax.get_title(loc="left"), ax.get_ylabel()
    ('Area under the curve 0.875', 'found of the class (recall)')
    """
    found = counts_of(curves)
    with style.styled():
        ours = ax is None
        ax = style.axes(ax)
        ax.plot([0, 1], [0, 1], color=style.FAINT, linewidth=1.0, linestyle=":", zorder=1, label="guessing")
        for place, (name, counts) in enumerate(found.items()):
            x, y = counts.false_alarm_rate, counts.recall
            label = f"{style.plain(name)}, area {counts.area:.3f}"
            ax.plot(x, y, DASHES[place % 4], color=style.colour(place), linewidth=1.8, zorder=4 - place, label=label)
        first = next(iter(found.values()))
        some = some_points(first)
        draw_band(ax, first.false_alarm_rate[some], first.hits[some], np.full(some.size, first.n_own))
        mark_threshold(ax, first, first.false_alarm_rate, first.recall, threshold)
        frame(ax, "called of the others (false alarms)", "found of the class (recall)")
        if legend:
            style.legend(ax, beside=ours)
        ax.set_title(f"Area under the curve {first.area:.3f}" if title is None else title, loc="left")
    return ax
