"""Rows with any number of features by their distance from the separating plane and a direction along it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.report.charts import style
from separatrix.report.charts.geometry import View, regions, view_of
from separatrix.report.charts.projection import MAX_POINTS, Projection, project

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_BOLD_MARKS = 60
MAX_MARGIN_RATIO = 1.25  # of a margin that is drawn to the largest distance of a row
RING_AREA, CROSS_AREA = 2.9, 1.9  # relative to a point


def separation_view(
    model: Any,
    X: Any,
    y: Any,
    ax: "Axes | None" = None,
    *,
    ringed: Any = None,
    most: int = MAX_POINTS,
    title: str | None = None,
    legend: bool = True,
) -> "Axes":
    """Draw how a classifier separates rows with any number of features.

    Two classes: each row at its signed distance from the plane, which is the line at 0. Upwards is the direction along
    the plane in which the rows are spread most. Several classes: the two directions of the scores in which the classes
    are furthest apart, with the region of each class where these two hold everything, as for three classes. Wrong rows
    are crossed out, support rows ringed.

    Parameters
    ----------
    model : fitted classifier
        With `classes_` and `decision_function`; distances need `coef_` and `intercept_`.
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows; sparse ones are not made dense.
    y : array of n labels
        Their classes.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    ringed : array of row numbers or None
        Rows to ring. None: the support rows, or the nearest ones if every row is right.
    most : int
        Points at most; of more rows a sample is drawn, wrong and ringed ones first.
    title, legend : str or None, bool
        None: how many rows are wrong; whether to say what the marks are.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("view.png")`.

    Examples
    --------
    >>> from separatrix import LinearSVM
    >>> from separatrix.report import separation_view
    >>> X, y = [[0, 0, 1], [0, 3, 0], [2, 0, 1], [2, 3, 0]], ["a", "a", "b", "b"]
    >>> ax = separation_view(LinearSVM(C=float("inf")).fit(X, y), X, y)
    >>> ax.get_title(loc="left")
    'Every row is on its own side'
    """
    return draw_projection(project(model, X, y, ringed, most), ax, title=title, legend=legend)


def draw_projection(
    found: Projection, ax: "Axes | None" = None, *, title: str | None = None, legend: bool = True
) -> "Axes":
    """Draw a projection of rows.

    >>> from separatrix import LinearSVM
    >>> X, y = [[0], [1], [4], [6]], ["a", "a", "b", "b"]
    >>> ax = draw_projection(project(LinearSVM(C=float("inf")).fit(X, y), X, y))
    >>> ax.get_xlabel(), ax.lines[0].get_xdata()
    ('signed distance from the plane', [0.0, 0.0])
    """
    with style.styled():
        beside, ax = ax is None, style.axes(ax)
        several = len(found.classes) > 2
        view = view_around(found)
        ax.set_xlim(view.left, view.right)
        ax.set_ylim(view.bottom, view.top)
        if several:
            draw_regions(ax, found, view)
        else:
            draw_plane(ax, found, view)
        draw_points(ax, found)
        label_axes(ax, found, several)
        ax.set_title(summary(found) if title is None else title, loc="left")
        if legend:
            style.legend(ax, beside)
    return ax


def view_around(found: Projection) -> View:
    """The rectangle to show: all points, the plane, and the margin where it is near."""
    points = found.points
    if len(found.classes) == 2:
        extra = [0.0, *(sign * found.margin for sign in (1, -1) if shows_margin(found))]  # type: ignore[operator]
        points = np.vstack([points, [[x, points[0, 1]] for x in extra]])
    return view_of(points)


def shows_margin(found: Projection) -> bool:
    """Whether the margin is within the range of the rows."""
    return found.margin is not None and found.margin <= MAX_MARGIN_RATIO * float(np.abs(found.points[:, 0]).max())


def draw_plane(ax: Any, found: Projection, view: View) -> None:
    """The plane at 0, its margin, and a tone of each class on its side."""
    for number, (low, high) in enumerate([(view.left, 0.0), (0.0, view.right)]):
        ax.axvspan(low, high, color=style.colour(number), alpha=style.TINT, linewidth=0, zorder=0)
    ax.axvline(
        0.0, color=style.INK, linewidth=1.6, zorder=2, label="plane, g = 0" if found.has_plane else "boundary, g = 0"
    )
    if shows_margin(found):
        label = f"margin, {found.margin:.3g}"
        for place in (found.margin, -found.margin):  # type: ignore[operator]
            ax.axvline(place, color=style.INK, linewidth=1.0, linestyle="--", zorder=2, label=label)
            label = "_"  # one entry in the legend is enough


def draw_regions(ax: Any, found: Projection, view: View) -> None:
    """Where each class is decided for, if the picture can hold it."""
    if found.planes is not None:
        polygons = regions(*found.planes, view)
        style.tint(ax, polygons)
        style.boundaries(ax, polygons, view)


def draw_points(ax: Any, found: Any, ringed: str = "ringed") -> None:
    """The rows of a projection or a slice, crosses on wrong ones, rings around those that hold the boundary."""
    size = float(np.clip(9000 / max(len(found.points), 1), 12, 42))
    style.scatter(ax, found.points, found.codes, list(map(style.short, found.classes.tolist())), size)
    wrong = int(found.wrong.sum()) if found.n_wrong is None else found.n_wrong
    rings = {"s": RING_AREA * size, "facecolors": "none", "edgecolors": style.INK, "label": ringed}
    crosses = {"s": CROSS_AREA * size, "marker": "x", "c": style.INK, "label": f"wrong side ({wrong:,})"}
    for mask, mark in ((found.ringed, rings), (found.wrong, crosses)):
        if mask.any():
            ax.scatter(*found.points[mask].T, linewidths=1.3 if mask.sum() <= MAX_BOLD_MARKS else 0.8, zorder=4, **mark)


def label_axes(ax: Any, found: Projection, several: bool) -> None:
    """Label the axes."""
    ax.locator_params(nbins=6)
    if several:
        ax.set_xlabel("first direction between the classes")
        ax.set_ylabel("second direction")
    else:
        ax.set_xlabel("signed distance from the plane" if found.has_plane else "score g")
        ax.set_ylabel("widest direction along the plane" if found.has_plane else "widest direction of the rows")
    if found.jittered:
        ax.set_ylabel("")
        ax.set_yticks(np.arange(len(found.classes)) + 0.5, [style.plain(style.short(c, 12)) for c in found.classes])


def summary(found: Projection) -> str:
    """The number of errors as a title."""
    if not found.n_wrong:
        return "Every row is on its own side"
    return f"{found.n_wrong:,} of {found.n_rows:,} rows on the wrong side"
