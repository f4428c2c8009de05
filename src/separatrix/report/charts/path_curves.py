"""What an option does along its path: the error, the support rows, and the width of the margin or of the tube."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from separatrix.report.charts import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MIN_RATIO_FOR_LOG = 50.0  # of the largest value to the smallest


def path_curves(path: Any, X: Any, y: Any = None, figure: "Figure | None" = None, *, left_out: Any = None) -> "Figure":
    """Draw the error, the support rows and the width over the values of an option.

    Parameters
    ----------
    path : RegularizationPath
        What `regularization_path` returned, over C, nu, epsilon, mu or another option.
    X, y : as for fit
        The data whose error is shown; there is no y for novelty.
    figure : matplotlib Figure or None
        Where to draw; None makes a new one.
    left_out : tuple of three arrays, or None
        The error of each value on rows that fits had not seen, and the ends of its interval, which become a band.

    Returns
    -------
    Figure
        Save it with `figure.savefig("path.png")`.

    Examples
    --------
    >>> from separatrix import NuSVM, regularization_path
    >>> from separatrix.report import path_curves
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 1, 1]
    >>> figure = path_curves(regularization_path(NuSVM(), X, y, nu=[0.5, 0.7, 0.9]), X, y)
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['error, %', 'support rows', 'width of the margin']
    """
    order = np.argsort(path.values, kind="stable")
    at = path.values[order]
    curves = [(label, values[order]) for label, values in curves_of(path, X, y)]
    with style.styled():
        figure = new_figure(len(curves)) if figure is None else figure
        for place, (label, values) in enumerate(curves):
            ax = figure.add_subplot(1, len(curves), place + 1)
            if at.min() > 0.0 and at.max() > MIN_RATIO_FOR_LOG * at.min():
                ax.set_xscale("log")
                ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
                ax.minorticks_off()
            beside = left_out is not None and place == 0
            colour = style.FAINT if beside else style.colour(place)
            ax.plot(at, values, "-o", color=colour, linewidth=1.6, markersize=3.5, label="of the fit")
            ax.set_xlabel(path.option)
            ax.set_ylabel(label)
            ax.set_ylim(0.0, 1.08 * max(float(np.nanmax(values)), 1e-12))
            if beside:
                factor = 100.0 if label.endswith("%") else 1.0
                draw_left_out(ax, at, *(factor * np.asarray(each, dtype=np.float64)[order] for each in left_out))
            ax.grid(axis="y", color=style.RULE, linewidth=0.6)
            for side in ("top", "right"):
                ax.spines[side].set_visible(False)
    return figure


def draw_left_out(ax: Any, at: np.ndarray, mean: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """The error of rows that fits had not seen, with its band, beside that of the rows of the fit."""
    ax.fill_between(at, low, high, color=style.colour(0), alpha=0.2, linewidth=0, zorder=1)
    ax.plot(at, mean, "-o", color=style.colour(0), linewidth=1.6, markersize=3.5, label="left out", zorder=3)
    ax.set_ylim(0.0, 1.08 * max(float(np.nanmax(high)), ax.get_ylim()[1] / 1.08))
    ax.legend(loc="best")


def curves_of(path: Any, X: Any, y: Any) -> list[tuple[str, np.ndarray]]:
    """What there is to show of each model, with its name."""
    model, errors = path.models[0], path.errors(X, y)
    if is_classifier(model):
        curves = [("error, %", 100.0 * errors)]
    elif is_regressor(model):
        curves = [("mean absolute error", errors)]
    else:
        curves = [("novel rows, %", 100.0 * errors)]
    curves += [("support rows", path.support_rows), (width_name(model), path.widths)]
    return [(name, values) for name, values in curves if np.isfinite(values).any()]


def width_name(model: Any) -> str:
    """What the width of a model is that of."""
    if hasattr(model, "distance_"):
        return "distance of the hulls"
    return "width of the margin" if is_classifier(model) else "width of the tube"


def new_figure(n_axes: int) -> Any:
    """A figure for some axes side by side, that no global state knows of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.6 * n_axes, 3.2), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    return figure
