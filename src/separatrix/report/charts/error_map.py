"""The cross-validated error over a grid of two parameters, such as C and gamma, as a heat map on logarithmic axes.

A cell is within one standard error if its error is at most that of the best cell plus its standard error (Breiman,
Friedman, Olshen and Stone, 1984): such cells cannot be told from the best, and the simplest of them is a good choice.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from separatrix.errors import DataError
from separatrix.report.charts import style
from separatrix.report.charts.confusion_chart import MAX_OPACITY, WRONG
from separatrix.rows import Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_NUMBERED, MAX_NAMED = 12, 14  # cells along an axis that have room for their number; for the name of their value
MIN_OPACITY = 0.03
SCALE_STEPS = (0.0, 0.25, 1.0)  # of the colours that a legend shows


class ErrorGrid(NamedTuple):
    """Errors by C (down) and gamma (across), in ascending order; NaN where none was measured."""

    C: Vector
    gamma: Vector
    error: Vector
    within: np.ndarray  # one standard error of the best
    best: tuple[int, int]

    @property
    def least(self) -> float:
        """The error of the best cell."""
        return float(self.error[self.best])

    def depth(self, error: float) -> float:
        """The opacity of a cell; its root is taken, so that small differences near the best can be seen."""
        span = float(np.nanmax(self.error)) - self.least
        part = np.sqrt((error - self.least) / span) if span > 0 else 0.0
        return MIN_OPACITY + (MAX_OPACITY - MIN_OPACITY) * float(part)


def error_map(
    C: Any,
    gamma: Any,
    error: Any,
    standard_error: Any = None,
    ax: "Axes | None" = None,
    *,
    names: tuple[str, str] = ("C", "gamma"),
    unit: str | None = None,
    title: str | None = None,
    legend: bool = True,
) -> "Axes":
    """Draw the error over a grid of C and gamma, the best cell framed, those within one standard error outlined.

    Parameters
    ----------
    C, gamma : arrays of n and m numbers
        The values that were tried, above 0, in any order.
    error : array of shape (n, m)
        The error rate of each pair, from 0 to 1, or its error in other units; NaN where none was measured.
    standard_error : array of shape (n, m) or None
        The standard errors of these. None: no outline.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    names : two names
        Of the parameters, upwards and across.
    unit : str or None
        What errors are measured in, such as "mean cost". None: they are rates, and shown in percent.
    title, legend : str or None, bool
        None: the least error and where it is; whether to say what the marks are.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("map.png")`. Of equal errors the smallest C, then the smallest gamma is framed.

    Examples
    --------
    >>> from separatrix.report import error_map
    >>> ax = error_map([1, 10, 100], [0.01, 0.1, 1], [[0.3, 0.2, 0.25], [0.2, 0.1, 0.15], [0.3, 0.2, 0.2]])
    >>> ax.get_title(loc="left"), ax.get_xscale()
    ('10.0% error at C = 10, gamma = 0.1', 'log')
    """
    found = error_grid(C, gamma, error, standard_error, names)
    if unit is None and np.nanmin(found.error) < 0:
        raise DataError("Error rates must be numbers from 0. Say by unit= what else they are.")
    with style.styled():
        beside, ax = ax is None, style.axes(ax)
        numbered = max(found.error.shape) <= MAX_NUMBERED
        draw_cells(ax, found, numbered, unit)
        label_axes(ax, found, names)
        ax.set_title(summary(found, names, unit) if title is None else title, loc="left")
        if legend:
            explain(ax, found, numbered, beside, unit)
    return ax


def error_grid(
    C: Any, gamma: Any, error: Any, standard_error: Any = None, names: tuple[str, str] = ("C", "gamma")
) -> ErrorGrid:
    """Check and sort a grid of errors; find the best cell and those within one standard error of it.

    >>> found = error_grid([1, 10], [0.1, 1], [[0.3, 0.2], [0.1, 0.15]], [[0.1, 0.1], [0.06, 0.1]])
    >>> found.best, found.within.tolist()
    ((1, 0), [[False, False], [True, True]])
    """
    values = [axis_values(each, name) for each, name in zip((C, gamma), names, strict=True)]
    shape = values[0].size, values[1].size
    tables = [np.asarray(each, dtype=np.float64) for each in (error, standard_error) if each is not None]
    for table in tables:
        if table.shape != shape:
            raise DataError(
                f"The errors of {shape[0]} values of {names[0]} and {shape[1]} of {names[1]} are a table of {shape}. "
                f"Got an array of {table.shape}."
            )
    order = [np.argsort(each) for each in values]
    tables = [table[np.ix_(*order)] for table in tables]
    errors = tables[0]
    if not np.isfinite(errors).any() or np.isinf(errors).any():
        raise DataError("Errors must be finite, or NaN where none was measured, and at least one a number.")
    best = np.unravel_index(int(np.nanargmin(errors)), shape)
    within = np.zeros(shape, dtype=bool)
    if len(tables) == 2:
        within = errors <= errors[best] + np.nan_to_num(tables[1][best])
    return ErrorGrid(np.sort(values[0]), np.sort(values[1]), errors, within, (int(best[0]), int(best[1])))


def axis_values(given: Any, name: str) -> Vector:
    """Values of a parameter for a logarithmic axis: positive, finite, each once."""
    values = np.asarray(given, dtype=np.float64).ravel()
    usable = values.size and np.isfinite(values).all() and (values > 0).all()
    if not usable or np.unique(values).size < values.size:
        raise DataError(
            f"The values of {name} must be different finite numbers above 0, for a logarithmic axis. Got {given!r}."
        )
    return values


def edges(values: Vector) -> Vector:
    """The borders of cells around ascending values, half way between them in logarithms.

    >>> edges(np.array([1.0, 100.0])).tolist()
    [0.1, 10.0, 1000.0]
    """
    log = np.log10(values)
    steps = np.diff(log) if log.size > 1 else np.ones(1)
    return 10 ** np.concatenate(
        [[log[0] - steps[0] / 2], log[1:] - steps[: log.size - 1] / 2, [log[-1] + steps[-1] / 2]]
    )


def draw_cells(ax: Any, found: ErrorGrid, numbered: bool, unit: str | None) -> None:
    """A tile for each cell, its number if there is room, a frame around the best, an outline of those as good."""
    from matplotlib.collections import LineCollection

    right, top = edges(found.gamma), edges(found.C)
    ax.set(xscale="log", yscale="log", xlim=(right[0], right[-1]), ylim=(top[0], top[-1]))
    for (i, j), error in np.ndenumerate(found.error):
        if np.isnan(error):
            tile(ax, found, (i, j), fill=False, hatch="///", edgecolor=style.RULE, linewidth=0)
        else:
            tile(ax, found, (i, j), facecolor=WRONG, alpha=found.depth(error), linewidth=0, zorder=1)
    if numbered:
        write_numbers(ax, found, unit)
    outline = [np.array([[right[a], top[b]], [right[c], top[e]]]) for a, b, c, e in outlined(found.within)]
    if outline:
        ax.add_collection(LineCollection(outline, colors=style.INK, linewidths=1.3, linestyles="--", zorder=3))
    tile(ax, found, found.best, fill=False, edgecolor=style.INK, linewidth=2.4, zorder=4)


def tile(ax: Any, found: ErrorGrid, cell: tuple[int, ...], **look: Any) -> None:
    """The rectangle of a cell."""
    from matplotlib.patches import Rectangle

    i, j = cell
    (left, right), (bottom, top) = edges(found.gamma)[j : j + 2].tolist(), edges(found.C)[i : i + 2].tolist()
    ax.add_patch(Rectangle((left, bottom), right - left, top - bottom, **look))


def write_numbers(ax: Any, found: ErrorGrid, unit: str | None) -> None:
    """The error of each cell, rates in percent, that of the best in bold."""
    decimals = 2 if np.nanmax(found.error) < 0.01 else 1
    size = 9 if max(found.error.shape) <= 8 else 7.5
    for (i, j), error in np.ndenumerate(found.error):
        if np.isfinite(error):
            weight = "bold" if (i, j) == found.best else "normal"
            place = float(found.gamma[j]), float(found.C[i])
            text = f"{100 * error:.{decimals}f}" if unit is None else f"{error:.3g}"
            ax.text(*place, text, ha="center", va="center", fontsize=size, fontweight=weight)


def outlined(within: np.ndarray) -> Iterator[tuple[int, int, int, int]]:
    """Edges between cells that are within and those that are not: numbers of columns and rows at both ends.

    >>> sorted(outlined(np.array([[True, False]])))
    [(0, 0, 0, 1), (0, 0, 1, 0), (0, 1, 1, 1), (1, 0, 1, 1)]
    """
    padded = np.pad(within, 1)
    for i, j in np.argwhere(padded[1:-1, 1:] != padded[1:-1, :-1]).tolist():
        yield j, i, j, i + 1
    for i, j in np.argwhere(padded[1:, 1:-1] != padded[:-1, 1:-1]).tolist():
        yield j, i, j + 1, i


def label_axes(ax: Any, found: ErrorGrid, names: tuple[str, str]) -> None:
    """Ticks at the values that were tried, all of them if there is room."""
    for axis, values, name in ((ax.xaxis, found.gamma, names[1]), (ax.yaxis, found.C, names[0])):
        shown = values[:: -(-values.size // MAX_NAMED)]
        words = [f"{value:,.0f}" if 1e3 <= value < 1e6 else f"{value:.3g}" for value in shown]
        axis.set_ticks(shown, words, minor=False, fontsize=10 if values.size <= 7 else 8)
        axis.set_ticks([], minor=True)
        axis.set_label_text(f"{style.plain(name)} (log scale)")
    if sum(len(label.get_text()) + 1 for label in ax.get_xticklabels()) > 44:
        ax.tick_params(axis="x", rotation=90)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_color(style.RULE)


def explain(ax: Any, found: ErrorGrid, numbered: bool, beside: bool, unit: str | None) -> None:
    """A legend: the best cell, the outline, and some colours where cells have no numbers."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    marks: list[Any] = [Patch(fill=False, edgecolor=style.INK, linewidth=2.4, label="least error")]
    if found.within.any():
        marks.append(Line2D([], [], color=style.INK, linewidth=1.3, linestyle="--", label="within 1 std. error"))
    largest = float(np.nanmax(found.error))
    if not numbered:
        for part in SCALE_STEPS:
            error = found.least + part * (largest - found.least)
            marks.append(Patch(facecolor=WRONG, alpha=found.depth(error), label=f"{amount(error, unit)} error"))
    if np.isnan(found.error).any():
        marks.append(Patch(fill=False, hatch="///", edgecolor=style.RULE, label="not measured"))
    where = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0} if beside else {}
    heading = "error, %" if unit is None else style.plain(unit)
    ax.legend(handles=marks, title=heading if numbered else None, **where)


def amount(error: float, unit: str | None) -> str:
    """An error as text: a rate in percent, or a number."""
    return f"{error:.1%}" if unit is None else f"{error:.4g}"


def summary(found: ErrorGrid, names: tuple[str, str], unit: str | None = None) -> str:
    """The least error and where it is, as a title."""
    i, j = found.best
    beyond = at_edge(found, names)
    words = f"{amount(found.least, unit)} error at {names[0]} = {found.C[i]:.3g}, {names[1]} = {found.gamma[j]:.3g}"
    return words + (f"\nat the edge of the grid: try {beyond}" if beyond else "")


def at_edge(found: ErrorGrid, names: tuple[str, str] = ("C", "gamma")) -> str:
    """Which values beyond the grid may be better still, where the best cell is at its edge.

    >>> at_edge(error_grid([1, 10, 100], [0.1, 1, 10], [[0.2, 0.2, 0.2], [0.1, 0.2, 0.2], [0.2, 0.2, 0.2]]))
    'smaller gamma'
    """
    sides = zip(found.best, found.error.shape, names, strict=True)
    ends = [f"{'larger' if place else 'smaller'} {name}" for place, n, name in sides if n > 1 and place in (0, n - 1)]
    return " and ".join(ends)
