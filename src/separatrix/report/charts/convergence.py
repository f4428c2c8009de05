"""Convergence of recorded runs: the certified relative error after each step, on logarithmic axes.

An error of order 1/t is a straight line there; linear convergence curves downwards.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.errors import OptionError
from separatrix.report.charts import style
from separatrix.rows import Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_POINTS = 2000  # of a line, evenly spaced on the axis of steps
MIN_ERROR = 1e-16  # smaller errors are rounding
MIN_LABEL_DISTANCE = 0.06  # fraction of the height
REFERENCE_FACTOR = 3.0  # by which the line of 1/t is above the slowest run


def convergence(runs: Mapping[str, Any], ax: "Axes | None" = None, *, title: str | None = None) -> "Axes":
    """Draw the relative error of recorded runs against their steps, a labelled line each.

    Parameters
    ----------
    runs : mapping of names to what `hull_distance` returned with `record=True`
        Or to their traces.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    title : str or None
        None: which run reached the smallest error.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("convergence.png")`.

    Examples
    --------
    >>> from separatrix import hull_distance
    >>> from separatrix.report import convergence
    >>> X, y = [[0, 0, 0], [3, 1, 0], [2, 1, 2], [2, -2, 1], [2, 1, -3]], [0, 1, 1, 1, 1]
    >>> runs = {name: hull_distance(X, y, name, record=True) for name in ("gilbert", "mdm")}
    >>> [line.get_label() for line in convergence(runs).lines]
    ['gilbert', 'mdm', '1/t']
    """
    curves = {str(name): curve(name, run) for name, run in runs.items()}
    if not curves:
        raise OptionError("The 'runs' parameter must hold at least one recorded run. Got none.")
    nearest = min(curves, key=lambda name: curves[name][1][-1])
    steps, errors = curves[nearest]
    words = f"{nearest} ended nearest, within {errors[-1]:.0e} after {steps[-1]:,.0f} steps"
    with style.styled():
        ax = style.axes(ax)
        set_axes(ax, curves)
        for number, (name, (t, error)) in enumerate(curves.items()):
            ax.plot(t, error, color=style.colour(number), label=style.plain(name), linewidth=1.9, zorder=3,
                    marker="o", markevery=[-1], markersize=5, solid_joinstyle="round", clip_on=False)  # fmt: skip
        draw_reference(ax, curves)
        label_ends(ax, curves)
        ax.set_title(style.plain(words if title is None else title), loc="left")
    return ax


def curve(name: Any, run: Any) -> tuple[Vector, Vector]:
    """Steps and errors of a run, at no more steps than MAX_POINTS."""
    trace = getattr(run, "trace", run)
    if not hasattr(trace, "error"):
        raise OptionError(f"The run {name!r} has no trace. Record it: hull_distance(X, y, record=True).")
    n = trace.error.size
    shown = np.unique(np.geomspace(1, n, MAX_POINTS).astype(int))
    return shown.astype(np.float64), np.maximum(trace.error[shown - 1], MIN_ERROR)


def set_axes(ax: Any, curves: Mapping[str, tuple[Vector, Vector]]) -> None:
    """Logarithmic axes that hold all curves."""
    last = max(float(t[-1]) for t, _ in curves.values())
    least = min(float(error.min()) for _, error in curves.values())
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(1.0, max(last, 10.0))
    ax.set_ylim(10.0 ** np.floor(np.log10(least) - 0.2), 2.0)
    ax.set_xlabel("steps")
    ax.set_ylabel("relative error of the distance")
    ax.grid(which="major", color="#E3E3E3", linewidth=0.7)
    ax.minorticks_off()
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def draw_reference(ax: Any, curves: Mapping[str, tuple[Vector, Vector]]) -> None:
    """A line of errors that fall as 1/t, somewhat above the slowest run."""
    height = REFERENCE_FACTOR * max(float(t[-1] * error[-1]) for t, error in curves.values())
    last = ax.get_xlim()[1]
    if not 1.0 < height < last:
        return
    ends = np.array([height, last])
    ax.plot(ends, height / ends, color=style.FAINT, linewidth=1.2, linestyle=(0, (4, 3)), label="1/t", zorder=2)
    middle = float(np.sqrt(height * last))
    ax.annotate("1/t", (middle, height / middle), (4, 4), textcoords="offset points", color=style.FAINT)


def label_ends(ax: Any, curves: Mapping[str, tuple[Vector, Vector]]) -> None:
    """The name of each run at its end, in its colour; those that would overlap are moved apart."""
    low, high = np.log10(ax.get_ylim())
    heights = np.array([(np.log10(error[-1]) - low) / (high - low) for _, error in curves.values()])
    order = np.argsort(-heights)
    for above, below in pairwise(order):
        heights[below] = min(heights[below], heights[above] - MIN_LABEL_DISTANCE)
    for number, (name, (t, _)) in enumerate(curves.items()):
        y = 10.0 ** (low + heights[number] * (high - low))
        ax.annotate(style.plain(name), (t[-1], y), (9, 0), textcoords="offset points", color=style.colour(number),
                    va="center", fontweight="bold", annotation_clip=False)  # fmt: skip
