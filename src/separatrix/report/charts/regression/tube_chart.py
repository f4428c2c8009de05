"""The tube of a regressor: the fit, the band of half-width epsilon around it, and the rows outside.

Of one feature the fit is drawn over it. Of more it is drawn along the prediction itself, which is the direction w of a
plane: there the fit is the diagonal, and the band is as wide everywhere.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from separatrix.errors import DataError, OptionError, counted
from separatrix.report.charts import style
from separatrix.report.charts.projection import MAX_POINTS
from separatrix.report.charts.regression.numbers import numbers_of, plain_axes, point_size
from separatrix.report.charts.scores import unnamed
from separatrix.rows import Vector
from separatrix.selection.regression.tube import half_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_CURVE = 400  # points of the fit over one feature
EDGE_RTOL = 1e-6  # of epsilon, within which a row is on the edge of the tube


class Tube(NamedTuple):
    """A fit with its tube, and rows: where they are across, which are outside, and the curve of the fit."""

    epsilon: float
    across: Vector
    truth: Vector
    outside: np.ndarray
    rows: np.ndarray  # to draw
    curve: tuple[Vector, Vector]
    over_feature: bool  # across is the only feature, not the prediction

    @property
    def n_outside(self) -> int:
        """How many rows are outside."""
        return int(self.outside.sum())


def tube_of(model: Any, X: Any, y: Any, *, centre: float = 0.0, scale: float = 1.0, most: int = MAX_POINTS) -> Tube:
    """The tube of a fitted regressor; one feature x is drawn as centre + scale x, its value before it was scaled.

    >>> from sklearn.svm import SVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 9.0]
    >>> found = tube_of(SVR(kernel="linear", C=0.5, epsilon=0.5).fit(X, y), X, y)
    >>> found.epsilon, found.outside.tolist(), found.over_feature
    (0.5, [False, False, False, True], True)
    """
    epsilon = half_width(model)
    if epsilon is None:
        raise OptionError(f"{type(model).__name__} has no tube: neither epsilon nor epsilon_.")
    with unnamed():
        found = numbers_of(y, model.predict(X), most)
    outside = np.abs(found.residuals) > epsilon * (1.0 + EDGE_RTOL)
    dense = X if hasattr(X, "shape") else np.asarray(X, dtype=np.float64)
    if dense.shape[1] != 1:
        ends = np.array([found.predicted.min(), found.predicted.max()])
        return Tube(epsilon, found.predicted, found.truth, outside, found.rows, (ends, ends), False)
    column = np.asarray(dense.toarray() if hasattr(dense, "toarray") else dense, dtype=np.float64)[:, 0]
    if not np.ptp(column) > 0:
        raise DataError("The only feature has one value in all rows, so that there is no curve to draw.")
    grid = np.linspace(column.min(), column.max(), N_CURVE)
    with unnamed():
        curve = np.asarray(model.predict(grid[:, None]), dtype=np.float64)
    across = centre + scale * column
    return Tube(epsilon, across, found.truth, outside, found.rows, (centre + scale * grid, curve), True)


def tube_chart(
    model: Any,
    X: Any,
    y: Any,
    ax: "Axes | None" = None,
    *,
    target: str = "target",
    feature: str = "x",
    most: int = MAX_POINTS,
    title: str | None = None,
) -> "Axes":
    """Draw the fit of a regressor, the tube of half-width epsilon around it, and the rows; those outside are marked.

    Parameters
    ----------
    model : fitted regressor
        With `epsilon_` or `epsilon`.
    X, y : as for fit
        The rows, of one feature or of several.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    target, feature : str
        What the numbers are, and the only feature where there is one.
    most : int
        Points at most; of more rows a sample is drawn, with the largest residuals.
    title : str or None
        None: how many rows are outside.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("tube.png")`.

    Examples
    --------
    >>> from sklearn.svm import SVR
    >>> from separatrix.report import tube_chart
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 9.0]
    >>> tube_chart(SVR(kernel="linear", C=0.5, epsilon=0.5).fit(X, y), X, y).get_title(loc="left")
    '1 of 4 rows outside the tube of ±0.5'
    """
    found = tube_of(model, X, y, most=most)
    return draw_tube(found, ax, target=target, feature=feature, title=title)


def draw_tube(
    found: Tube, ax: "Axes | None" = None, *, target: str = "target", feature: str = "x", title: str | None = None
) -> "Axes":
    """Draw a tube: the band, the fit, rows inside and outside."""
    with style.styled():
        ax = style.axes(ax)
        x, fit = found.curve
        ax.fill_between(
            x, fit - found.epsilon, fit + found.epsilon, color=style.colour(0), alpha=0.2, linewidth=0, zorder=1
        )
        for side in (-1, 1):
            ax.plot(x, fit + side * found.epsilon, color=style.INK, linewidth=1.0, linestyle="--", zorder=2)
        ax.plot(x, fit, color=style.INK, linewidth=1.6, zorder=2)
        drawn, outside = found.rows, found.outside[found.rows]
        size = point_size(drawn.size)
        for mask, number, label in ((~outside, 0, "inside"), (outside, 1, "outside")):
            rows = drawn[mask]
            ax.scatter(
                found.across[rows], found.truth[rows], s=size, c=style.colour(number), marker=style.marker(number),
                edgecolors="white", linewidths=0.4, zorder=3, label=label,
            )  # fmt: skip
        name = feature if found.over_feature else f"predicted {target}"
        ax.set_xlabel(style.plain(style.short(name, 40)))
        ax.set_ylabel(style.plain(style.short(target, 32)))
        plain_axes(ax)
        ax.set_title(summary(found) if title is None else title, loc="left")
    return ax


def summary(found: Tube) -> str:
    """How many rows are outside, as a title."""
    return f"{found.n_outside:,} of {counted(found.truth.size, 'row')} outside the tube of ±{found.epsilon:.4g}"
