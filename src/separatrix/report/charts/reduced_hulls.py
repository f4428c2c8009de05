"""Rows of two features with the hulls of two classes, reduced ones, their nearest points and the line between."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from separatrix.analysis.reduced_hull import reduced_hull
from separatrix.data.encode import encode, features
from separatrix.errors import DataError
from separatrix.report.charts import style
from separatrix.report.charts.decision_line import names_of
from separatrix.report.charts.geometry import View, segment, two_features, view_of
from separatrix.rows import Vector
from separatrix.solvers.hulls.mdm import mdm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHES = ("--", ":", "-.")  # of reduced hulls, in the order of mu
HULL_TINT = 0.16  # opacity of the smallest hull


def hull_chart(
    X: Any,
    y: Any,
    mu: float | Sequence[float] = 1.0,
    ax: "Axes | None" = None,
    *,
    line: bool = True,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
    legend: bool = True,
) -> "Axes":
    """Draw the convex hulls of two classes, reduced ones within them, and the line between the nearest points.

    The whole hulls have full lines, reduced ones broken lines. The line bisects the segment between the nearest points
    of the smallest hulls that are drawn; hulls that meet have none.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, 2)
        The rows.
    y : array of n labels
        Their classes, two of them.
    mu : float or sequence of floats
        The largest weight of a row in a point of a hull, for each pair of hulls; 1 is the whole hull.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    line : bool
        Whether to draw the nearest points and the line that bisects their segment.
    feature_names : two names or None
        For the axes; None: those of the frame.
    title, legend : str or None, bool
        None: the distance of the nearest points; whether to say what the marks are.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("hulls.png")`.

    Examples
    --------
    >>> from separatrix.report import hull_chart
    >>> X, y = [[0, 0], [0, 2], [1, 1], [3, 1], [4, 0], [4, 2]], ["a", "a", "a", "b", "b", "b"]
    >>> hull_chart(X, y).get_title(loc="left")
    'The hulls are 2 apart'
    >>> hull_chart(X, y, mu=(0.5, 0.4)).get_title(loc="left")  # the nearest points are (0.4, 1) and (3.6, 1)
    'The hulls with mu = 0.4 are 3.2 apart'
    """
    names = style.axis_names(feature_names, names_of(None, X))
    matrix = features(X)
    two_features(matrix, "hull_chart")
    points = np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float64)
    encoded = encode(points, y)
    if encoded.classes.size != 2:
        raise DataError(f"hull_chart draws the hulls of two classes, and y has {encoded.classes.size}. Take two.")
    sizes = sorted({float(value) for value in np.atleast_1d(np.asarray(mu, dtype=np.float64))}, reverse=True)
    found = mdm(encoded.problem, mu=sizes[-1]).certificate
    view = view_of(points)
    with style.styled():
        beside, ax = ax is None, style.axes_for(ax, view, names)
        style.scatter(ax, points, encoded.problem.y, encoded.classes.tolist())
        for side in (0, 1):
            draw_hulls(ax, points[encoded.problem.y == side], side, sizes)
        if line:
            draw_bisector(ax, found, encoded.problem, view)
        which = "The hulls" if sizes[-1] >= 1.0 else f"The hulls with mu = {sizes[-1]:g}"
        apart = f"{which} are {found.distance:.4g} apart" if found.distance > 0.0 else f"{which} meet"
        ax.set_title(apart if title is None else title, loc="left")
        if legend:
            style.legend(ax, beside)
    return ax


def draw_hulls(ax: Any, points: Vector, side: int, sizes: Sequence[float]) -> None:
    """The whole hull of a class, and reduced ones; the smallest is filled."""
    for place, mu in enumerate(dict.fromkeys([1.0, *sizes])):
        outline = reduced_hull(points, mu).outline()
        closed, smallest = np.vstack([outline, outline[:1]]), mu == sizes[-1]
        dash = "-" if mu >= 1.0 else DASHES[(place - 1) % len(DASHES)]
        label = ("convex hulls" if mu >= 1.0 else f"reduced, mu = {mu:g}") if side == 0 else "_"
        marker = "o" if len(outline) == 1 else None
        ax.plot(
            *closed.T, color=style.colour(side), linewidth=1.5, linestyle=dash, marker=marker, label=label, zorder=2
        )
        if smallest and len(outline) > 2:
            ax.fill(*outline.T, facecolor=style.colour(side), alpha=HULL_TINT, linewidth=0, zorder=1)


def draw_bisector(ax: Any, claim: Any, problem: Any, view: View) -> None:
    """The nearest points, the segment between them and the line that bisects it; a note where hulls meet."""
    if claim.distance == 0.0:
        style.note(ax, "the hulls meet: no line bisects them")
        return
    nearest = claim.points(problem)
    ends = segment(claim.w, claim.b, view)
    if ends is not None:
        ax.plot(*ends.T, color=style.INK, linewidth=1.8, label="bisecting line", zorder=4)
    ax.plot(*nearest.T, color=style.INK, linewidth=1.4, marker="o", markersize=6, label="nearest points", zorder=5)
