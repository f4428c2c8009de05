"""The validation curve: cross-validated error over C with its confidence band, and the chosen C."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from separatrix.errors import DataError
from separatrix.report.charts import style
from separatrix.rows import Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def error_curve(
    values: Any,
    mean: Any,
    low: Any,
    high: Any,
    best: float,
    ax: "Axes | None" = None,
    *,
    name: str = "C",
    unit: str | None = None,
    title: str | None = None,
    scale: Literal["log", "linear"] = "log",
) -> "Axes":
    """Draw a validation curve: the error over C with its confidence band.

    Parameters
    ----------
    values, mean, low, high : arrays of the same size
        Values of C, the error rate of each, and the ends of its interval. What the axis cannot show is left out.
    best : float
        The value that was chosen, which is marked.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    name : str
        Of the parameter.
    unit : str or None
        What errors are measured in, such as "mean absolute error of the price". None: they are rates, and drawn in
        percent.
    title : str or None
        None: the error at the chosen value.
    scale : {"log", "linear"}
        Of the axis of the values.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("path.png")`.

    Examples
    --------
    >>> from separatrix.report import error_curve
    >>> ax = error_curve([0.1, 1, 10], [0.3, 0.1, 0.2], [0.2, 0.0, 0.1], [0.4, 0.2, 0.3], best=1.0)
    >>> ax.get_title(loc="left"), ax.get_xscale()
    ('10.0% error at C = 1', 'log')
    """
    at, middle, lower, upper = sorted_columns(values, mean, low, high)
    log = scale == "log"
    shown = np.isfinite(at) & ((at > 0) | (not log))
    there = np.flatnonzero(shown & np.isclose(at, best, rtol=1e-6, atol=0.0))
    error = float(middle[there[0]]) if there.size else None
    with style.styled():
        ax = style.axes(ax)
        ax.set_xscale(scale)
        ax.xaxis.set_major_formatter(lambda value, place: f"{value:g}")
        ax.minorticks_off()
        factor = 100 if unit is None else 1
        low, high = factor * lower[shown], factor * upper[shown]
        ax.fill_between(at[shown], low, high, color=style.colour(0), alpha=0.2, linewidth=0, zorder=1)
        ax.plot(at[shown], factor * middle[shown], "-o", color=style.colour(0), linewidth=1.6, markersize=3.5, zorder=3)
        if np.isfinite(best) and (best > 0 or not log):
            mark_chosen(ax, best, None if error is None else factor * error, f"{name} = {best:.3g}")
        if unit is None or not (low < 0).any():
            ax.set_ylim(bottom=0.0)
        ax.set_xlabel(f"{style.plain(name)} (log scale)" if log else style.plain(name))
        ax.set_ylabel("error, %" if unit is None else style.plain(unit))
        open_frame(ax)
        size = "" if error is None else f"{error:.1%}" if unit is None else f"{error:.4g}"
        found = f"{size} error at {name} = {best:.3g}" if size else f"{name} = {best:.3g}"
        ax.set_title(found if title is None else title, loc="left")
    return ax


def open_frame(ax: Any) -> None:
    """Lines across for reading values, and no frame above and to the right."""
    ax.grid(axis="y", color=style.RULE, linewidth=0.6)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def sorted_columns(*columns: Any) -> list[Vector]:
    """Values, their errors and both ends of the intervals, by ascending value; refused where they are not as many."""
    given = [np.asarray(each, dtype=np.float64).ravel() for each in columns]
    if len({each.size for each in given}) != 1 or not given[0].size:
        raise DataError(
            f"The values, their errors and both ends of the intervals must be as many, and at least one. "
            f"Got {', '.join(str(each.size) for each in given)}."
        )
    order = np.argsort(given[0], kind="stable")
    return [each[order] for each in given]


def mark_chosen(ax: Any, x: float, error: float | None, words: str) -> None:
    """A line at the chosen value, a larger point if its error is known, and its name where there is room."""
    ax.axvline(x, color=style.INK, linewidth=1.0, linestyle="--", zorder=2)
    if error is not None:
        ax.plot([x], [error], "o", color=style.colour(1), markersize=7, markeredgecolor="white", zorder=4)
    late = ax.transAxes.inverted().transform(ax.transData.transform((x, 0.0)))[0] > 0.5
    ax.annotate(
        words, (x, 1.0), (-5 if late else 5, -4), xycoords=("data", "axes fraction"), textcoords="offset points",
        ha="right" if late else "left", va="top", fontsize=10, annotation_clip=False,
    )  # fmt: skip
