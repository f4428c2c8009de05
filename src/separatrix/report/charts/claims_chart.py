"""Rows of two features, the regions that one class claims, and those that none or several claim."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from separatrix.analysis.margins import class_codes
from separatrix.data.encode import features
from separatrix.errors import OptionError, counted
from separatrix.estimators.reduction.claims import Claims
from separatrix.estimators.reduction.one_vs_rest import OneVsRest
from separatrix.report.charts import style
from separatrix.report.charts.decision_line import names_of
from separatrix.report.charts.decision_surface import leading
from separatrix.report.charts.geometry import View, two_features, view_of
from separatrix.report.charts.scores import machine_of, scores_of
from separatrix.rows import Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GRID_POINTS = 400  # a side
HATCHES = ("....", "////")  # of what none and what several claim


class Grid(NamedTuple):
    """The points of a view and the scores of all classes there."""

    across: Vector
    up: Vector
    scores: Vector


def claims_chart(
    model: Any,
    X: Any,
    y: Any,
    ax: "Axes | None" = None,
    *,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
    legend: bool = True,
) -> "Axes":
    """Draw which regions one class claims, and which none or several claim, of classes each told from the rest.

    The boundary of each class against the rest is drawn in its colour; on its own side it is positive. Where one alone
    is positive the ground has its colour. Dots are on the ground where none is, strokes where several are; there the
    largest score decides, with thin lines between the classes.

    Parameters
    ----------
    model : fitted OneVsRest, or pipeline that ends with one
        Of two features and three classes or more.
    X : array, scipy.sparse matrix or frame of shape (n, 2)
        The rows.
    y : array of n labels
        Their classes.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    feature_names : two names or None
        For the axes; None: those of the frame, or those that the model was fitted with.
    title, legend : str or None, bool
        None: how many rows none or several claim; whether to say what the marks are.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("claims.png")`.

    Examples
    --------
    >>> from separatrix import LinearSVM, OneVsRest
    >>> from separatrix.report import claims_chart
    >>> X, y = [[0, 0], [0, 1], [5, 0], [5, 1], [2, 5], [3, 5]], ["a", "a", "b", "b", "c", "c"]
    >>> claims_chart(OneVsRest(LinearSVM(C=100.0)).fit(X, y), X, y).get_title(loc="left")
    'Every row is claimed by one class'
    """
    machine = machine_of(model)
    if not isinstance(machine, OneVsRest) or len(getattr(machine, "classes_", ())) < 3:
        raise OptionError(
            "claims_chart draws a fitted OneVsRest of three classes or more, each of which has a boundary of its own. "
            f"Got {machine!r}."
        )
    names = style.axis_names(feature_names, names_of(model, X))
    matrix = features(X)
    two_features(matrix, "claims_chart")
    points = np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float64)
    view = view_of(points)
    grid = grid_of(model, view)
    with style.styled():
        beside, ax = ax is None, style.axes_for(ax, view, names)
        style.scatter(ax, points, class_codes(model, y, len(points)), model.classes_.tolist())
        draw_regions(ax, grid)
        draw_boundaries(ax, grid)
        claims = Claims(scores_of(model, points) > 0, model.classes_)
        ax.set_title(summary(claims) if title is None else title, loc="left")
        if legend:
            style.legend(ax, beside)
    return ax


def grid_of(model: Any, view: View) -> Grid:
    """The scores on a grid of points over the view, its border included."""
    across, up = (
        np.linspace(low, high, GRID_POINTS) for low, high in ((view.left, view.right), (view.bottom, view.top))
    )
    points = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    return Grid(across, up, scores_of(model, points).reshape(GRID_POINTS, GRID_POINTS, -1))


def draw_regions(ax: Any, grid: Grid) -> None:
    """Tint what one class alone claims; hatch what none claims, and what several do."""
    ordered = np.sort(grid.scores, axis=2)
    largest, second = ordered[:, :, -1], ordered[:, :, -2]
    for number in range(grid.scores.shape[2]):
        own = grid.scores[:, :, number]
        others = np.where(own == largest, second, largest)
        fill(ax, grid, np.minimum(own, -others), colors=[(style.colour(number), style.TINT)])
    for heights, hatch, words in ((-largest, HATCHES[0], "none claims"), (second, HATCHES[1], "several claim")):
        if heights.max() > 0:
            filled = fill(ax, grid, heights, colors=["none"], hatches=[hatch])
            filled.set(edgecolor=style.FAINT, linewidth=0.0)
            ax.fill([], [], facecolor="none", edgecolor=style.FAINT, linewidth=0.0, hatch=hatch, label=words)


def fill(ax: Any, grid: Grid, heights: Vector, **how: Any) -> Any:
    """Fill where the heights over the grid are positive, if they are anywhere."""
    if heights.max() <= 0:
        return None
    return ax.contourf(grid.across, grid.up, heights, levels=[0.0, float(heights.max()) + 1.0], zorder=0, **how)


def draw_boundaries(ax: Any, grid: Grid) -> None:
    """The boundary of each class against the rest, and those between classes where the largest score decides."""
    leads = leading(grid.scores)
    for number in range(grid.scores.shape[2]):
        outline(ax, grid, leads[:, :, number], style.INK, 1.0)
        outline(ax, grid, grid.scores[:, :, number], style.colour(number), 1.8)
    ax.plot([], [], color=style.INK, linewidth=1.0, label="equal largest scores")


def outline(ax: Any, grid: Grid, heights: Vector, colour: str, width: float) -> None:
    """The curve where the heights over the grid are 0, if it passes through the picture."""
    if heights.min() < 0 < heights.max():
        ax.contour(grid.across, grid.up, heights, levels=[0.0], colors=[colour], linewidths=width, zorder=2)


def summary(claims: Claims) -> str:
    """How many rows are claimed by none or several, as a title."""
    none, several, n = claims.unclaimed.size, claims.contested.size, len(claims.claimed)
    if not none and not several:
        return "Every row is claimed by one class"
    return f"Of {counted(n, 'row')} {none:,} claimed by no class, {several:,} by several"
