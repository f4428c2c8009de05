"""Precision over recall at every threshold, with the interval of the precision: for classes that are rare."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from separatrix.report.charts import style
from separatrix.report.charts.thresholds.curves import DASHES, counts_of, draw_band, frame, mark_threshold
from separatrix.selection.measures.score_curves import some_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def precision_recall_chart(
    curves: Mapping[str, Any],
    ax: "Axes | None" = None,
    *,
    threshold: float | None = None,
    title: str | None = None,
    legend: bool = True,
) -> "Axes":
    """Draw which part of the called rows is of the class over the part of the class that is found.

    Parameters
    ----------
    curves : mapping of names to pairs of arrays
        For each set of rows the scores of the class and whether each row is of it; the first has a band, the 95 %
        interval of the precision at each threshold.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    threshold : float or None
        A threshold to mark on the first curve.
    title : str or None
        None: the average precision of the first curve.
    legend : bool
        Whether the curves are named.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("precision_recall.png")`.

    Examples
    --------
    >>> from separatrix.report import precision_recall_chart
    >>> ax = precision_recall_chart({"test rows": ([1.0, 2.0, 2.0, 3.0], [False, True, False, True])})
    >>> ax.get_title(loc="left"), ax.get_ylabel()
    ('Average precision 0.833', 'right when called (precision)')
    """
    found = counts_of(curves)
    with style.styled():
        ours = ax is None
        ax = style.axes(ax)
        for place, (name, counts) in enumerate(found.items()):
            x, y = counts.recall, counts.precision
            label = f"{style.plain(name)}, average {counts.average_precision:.3f}"
            # a recall between two thresholds is reached by the lower one, whose precision it has
            ax.plot(
                x, y, DASHES[place % 4], color=style.colour(place), linewidth=1.8, zorder=4 - place, label=label,
                drawstyle="steps-pre",
            )  # fmt: skip
        first = next(iter(found.values()))
        share = first.n_own / (first.n_own + first.n_others)
        ax.axhline(share, color=style.FAINT, linewidth=1.0, linestyle=":", zorder=1, label="guessing")
        some = some_points(first)[1:]
        draw_band(ax, first.recall[some], first.hits[some], (first.hits + first.alarms)[some])
        mark_threshold(ax, first, first.recall, first.precision, threshold)
        frame(ax, "found of the class (recall)", "right when called (precision)")
        if legend:
            style.legend(ax, beside=ours)
        ax.set_title(f"Average precision {first.average_precision:.3f}" if title is None else title, loc="left")
    return ax
