"""The decision function of any classifier over two dimensions: regions, boundary, margins, rows and support rows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.errors import counted
from separatrix.report.charts import style
from separatrix.report.charts.decision_line import names_of
from separatrix.report.charts.projection import MAX_POINTS
from separatrix.report.charts.separation_view import draw_points
from separatrix.report.charts.slice import Slice, cut
from separatrix.rows import Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEYOND_MARGIN = 0.24  # opacity of the region of a class where |g| > 1


def decision_surface(
    model: Any,
    X: Any,
    y: Any,
    ax: "Axes | None" = None,
    *,
    features: Sequence[Any] | None = None,
    feature_names: Sequence[Any] | None = None,
    ringed: Any = None,
    most: int = MAX_POINTS,
    title: str | None = None,
    legend: bool = True,
) -> "Axes":
    """Draw the regions that a classifier, such as a kernel machine, predicts its classes in.

    Two classes: the curve g = 0, and dashed g = -1 and g = 1 where the model has support rows; beyond these the tone is
    deeper. Several classes: the region of each. Wrong rows are crossed out, support rows ringed.

    Two features are drawn as they are. Of more features the picture is a slice: scores at points of a plane through the
    mean of the rows, on which the rows are projected. The plane is that of two `features`, the others at their means;
    or it has the two directions, in features divided by their standard deviations, in which the scores vary most. As a
    row is beside the slice, its class may be another one than that of the region it is seen in. The title says how
    often the slice shows what is predicted.

    Parameters
    ----------
    model : fitted classifier
        With `classes_` and `decision_function`; of a pipeline, the last step has the support rows.
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows.
    y : array of n labels
        Their classes.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    features : two names or numbers of columns, or None
        Draw the slice of these two, the others at their means. None: both of two features; of more, two directions.
    feature_names : d names or None
        None: those of the frame, or those that the model was fitted with.
    ringed : array of row numbers or None
        Rows to ring. None: the support rows, if X are the rows of the fit.
    most : int
        Points at most; of more rows a sample is drawn, wrong and ringed ones first if they are few.
    title, legend : str or None, bool
        None: how many rows are wrong, and what a slice shows; whether to say what the marks are.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("surface.png")`.

    Examples
    --------
    >>> from separatrix import KernelSVM
    >>> from separatrix.report import decision_surface
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]  # XOR
    >>> ax = decision_surface(KernelSVM("poly", degree=2, coef0=1.0, C=100.0).fit(X, y), X, y)
    >>> ax.get_title(loc="left")
    'Every row is on its own side'
    """
    names = names_of(model, X) if feature_names is None else feature_names
    found = cut(model, X, y, pair=features, names=names, ringed=ringed, most=most)
    return draw_slice(found, ax, title=title, legend=legend)


def draw_slice(found: Slice, ax: "Axes | None" = None, *, title: str | None = None, legend: bool = True) -> "Axes":
    """Draw a slice: the regions of the classes, their boundaries, the rows."""
    with style.styled():
        names = [f"{axis}\n{words}".strip() for axis, words in zip(found.labels, found.made_of, strict=True)]
        beside, ax = ax is None, style.axes_for(ax, found.view, (names[0], names[1]))
        if found.scores.ndim == 2:
            draw_two(ax, found)
        else:
            draw_several(ax, found)
        draw_points(ax, found, "support row")
        ax.set_title("\n".join([summary(found), *remarks(found)]) if title is None else title, loc="left")
        if legend:
            style.legend(ax, beside)
    return ax


def draw_two(ax: Any, found: Slice) -> None:
    """Two classes: the curve g = 0 and the margins, where they pass through the picture."""
    g = found.scores
    ends = [min(float(g.min()), -1.0) - 1.0, max(float(g.max()), 1.0) + 1.0]
    tones = [(style.colour(number), style.TINT) for number in (0, 1)]
    levels = [ends[0], 0.0, ends[1]]
    if found.has_margin:
        levels = [ends[0], -1.0, 0.0, 1.0, ends[1]]
        tones = [(style.colour(0), BEYOND_MARGIN), *tones, (style.colour(1), BEYOND_MARGIN)]
    ax.contourf(found.across, found.up, g, levels=levels, colors=tones, zorder=0)
    lines = [([0.0], "-", 1.8, "boundary, g = 0")]
    if found.has_margin:
        lines.append(([-1.0, 1.0], "--", 1.1, "margin, g = ±1"))
    for heights, dashes, width, words in lines:
        passing = [height for height in heights if g.min() < height < g.max()]
        if passing:
            outline(ax, found, g, passing, linestyles=dashes, linewidths=width)
            ax.plot([], [], color=style.INK, linestyle=dashes, linewidth=width, label=words)
    if not g.min() <= 0.0 <= g.max():
        style.note(ax, "the boundary is outside of the picture")


def draw_several(ax: Any, found: Slice) -> None:
    """Several classes: where each has the largest score, and the lines between them."""
    leads = leading(found.scores)
    for number in range(leads.shape[2]):
        lead = leads[:, :, number]
        if lead.max() <= 0:
            continue
        tone = (style.colour(number), style.TINT)
        ax.contourf(found.across, found.up, lead, levels=[0.0, float(lead.max()) + 1.0], colors=[tone], zorder=0)
        if lead.min() < 0:
            outline(ax, found, lead, [0.0], linewidths=1.4)


def leading(scores: Vector) -> Vector:
    """By how much the score of each class, along the last axis, exceeds the largest of the others.

    >>> leading(np.array([[3.0, 1.0, 2.0]])).tolist()
    [[1.0, -2.0, -1.0]]
    """
    *_, second, best = np.moveaxis(np.sort(scores, axis=-1), -1, 0)
    return np.where(scores == best[..., None], scores - second[..., None], scores - best[..., None])


def outline(ax: Any, found: Slice, heights: Vector, levels: list[float], **how: Any) -> None:
    """Contours of heights over the grid."""
    ax.contour(found.across, found.up, heights, levels=levels, colors=[style.INK], zorder=2, **how)


def summary(found: Slice) -> str:
    """The number of errors as a title; how many rows are drawn where there are too many to count them."""
    if found.n_wrong is None:
        return f"{len(found.rows):,} of {counted(found.n_rows, 'row')} drawn"
    if not found.n_wrong:
        return "Every row is on its own side"
    return f"{found.n_wrong:,} of {counted(found.n_rows, 'row')} on the wrong side"


def remarks(found: Slice) -> list[str]:
    """Further lines of the title: which rows are drawn, what is sliced, and how often it shows what is predicted."""
    lines = []
    if found.n_wrong is not None and len(found.rows) < found.n_rows:
        lines.append(f"{len(found.rows):,} of these rows are drawn")
    if not found.whole:
        lines.append(f"Slice through the means of {found.n_features} features, which shows")
        lines.append(f"the predicted class of {agreement(found)} of rows")
    return lines


def agreement(found: Slice) -> str:
    """The fraction of rows whose predicted class the slice shows, in percent; 100 % is all of them.

    >>> from types import SimpleNamespace
    >>> [agreement(SimpleNamespace(same_class=part)) for part in (0.874, 0.999, 1.0)]
    ['87%', '99%', '100%']
    """
    return f"{np.floor(100 * found.same_class + 1e-9):.0f}%"
