"""The calibration of probabilities: how often what is predicted with each probability comes true, with intervals."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.errors import DataError
from separatrix.report.charts import style
from separatrix.report.charts.thresholds.curves import frame
from separatrix.selection.measures.score_curves import calibration_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def calibration_chart(
    probabilities: Any, own: Any, ax: "Axes | None" = None, *, title: str | None = None, counts: bool = True
) -> "Axes":
    """Draw how often a class came true over the probability that was predicted for it, in tenths.

    Parameters
    ----------
    probabilities, own : arrays of n numbers and of n truth values
        The predicted probability of the class, and whether each row is of it.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    title : str or None
        None: how many of the tenths have an interval that holds the predicted probability.
    counts : bool
        Whether the number of rows is written beside each point.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("calibration.png")`.

    Examples
    --------
    >>> from separatrix.report import calibration_chart
    >>> ax = calibration_chart([0.1, 0.1, 0.1, 0.9, 0.9], [False, False, True, True, True])
    >>> ax.get_title(loc="left")
    '2 of 2 intervals hold the predicted probability'
    """
    said, truth = np.asarray(probabilities, dtype=np.float64).ravel(), np.asarray(own).ravel().astype(bool)
    if said.size != truth.size or not said.size or not ((said >= 0.0) & (said <= 1.0)).all():
        raise DataError("A calibration needs a probability from 0 to 1 and a truth value for each row.")
    points = calibration_points(said, truth)
    within = sum(point.low <= point.predicted <= point.high for point in points)
    with style.styled():
        ax = style.axes(ax)
        ax.plot([0, 1], [0, 1], color=style.FAINT, linewidth=1.0, linestyle=":", zorder=1, label="as predicted")
        x, y = np.array([(point.predicted, point.observed) for point in points]).T
        ends = np.array([(point.observed - point.low, point.high - point.observed) for point in points]).T
        ax.errorbar(
            x, y, np.maximum(ends, 0.0), fmt="o-", color=style.colour(0), linewidth=1.4, markersize=5, elinewidth=1.4,
            capsize=3, zorder=3, label="came true",
        )  # fmt: skip
        for point in points if counts else ():
            below = point.observed > 0.5
            ax.annotate(
                f"{point.rows:,}", (point.predicted, point.low if below else point.high), (0, -3 if below else 3),
                textcoords="offset points", ha="center", va="top" if below else "bottom", fontsize=8, color=style.INK,
            )  # fmt: skip
        frame(ax, "predicted probability", "came true")
        words = f"{within} of {len(points)} intervals hold the predicted probability"
        ax.set_title(words if title is None else title, loc="left")
    return ax
