"""The band of a soft margin, and an outlier
=========================================

What slack is, and how little of it keeps one row from moving the line.

The line with the largest margin is held by the rows on its margin (first picture). One more row, on its own side but
far from the others, turns it and leaves a narrow margin, as the hard margin must obey every row (second picture; the
line without the outlier is dashed). A soft margin pays for the outlier instead: with C = 1 the line is nearly the one
without it (third picture).

Where classes overlap, rows are of three kinds (last picture): outside of the band, or on its edge, with no slack;
inside of the band but on their own side, with a slack between 0 and 1; on the wrong side, with a slack above 1. The
lines from these rows to the edge of their class have the length of the slack, in units of the margin. The table has the
margin and the slack for several C: both shrink as C grows.

Run it with ``python examples/band_and_outlier.py [PICTURE]``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from separatrix import Hyperplane, LinearSVM
from separatrix.data import samples
from separatrix.report.charts import style
from separatrix.report.charts.geometry import segment, view_of

OUTLIER, PRICES = np.array([[0.9, 0.15]]), (0.2, 1.0, 10.0, 1000.0)
ALT = (
    "Four panels. A line with the largest margin between two classes; the same with one outlier, whose line is turned "
    "and has a narrow margin; a soft margin that nearly keeps the first line; and two overlapping classes with the "
    "band of a soft margin, where rows inside the band and on the wrong side are marked and joined to the edge by "
    "their slack."
)


def two_classes() -> tuple[np.ndarray, np.ndarray]:
    """Rows of two classes that are well apart."""
    random = np.random.default_rng(5)
    y = np.repeat([0, 1], 12)
    return np.where(y[:, None] == 1, [1.9, 2.0], [0.0, 0.0]) + 0.38 * random.standard_normal((24, 2)), y


def draw_margin(ax: Any, model: Any, X: np.ndarray, y: np.ndarray, view: Any) -> None:
    """Rows, the line and the edges of its band."""
    style.scatter(ax, X, y, ["class 0", "class 1"])
    w, b = model.coef_[0], float(model.intercept_[0])
    for level, dashes, width in ((0.0, "-", 2.0), (1.0, ":", 1.3), (-1.0, ":", 1.3)):
        line = segment(w, b - level, view)
        if line is not None:
            ax.plot(*line.T, color=style.INK, linestyle=dashes, linewidth=width, zorder=2)
    style.axes_for(ax, view, ("x1", "x2"))


def draw_outlier(axes: Any) -> None:
    """The line without an outlier, with it, and with slack."""
    X, y = two_classes()
    more, labels = np.vstack([X, OUTLIER]), np.append(y, 1)
    view = view_of(more)
    before, hard, soft = (
        LinearSVM(C=C).fit(rows, codes)
        for C, rows, codes in ((np.inf, X, y), (np.inf, more, labels), (1.0, more, labels))
    )
    draw_margin(axes[0], before, X, y, view)
    axes[0].set_title(f"The largest margin, {1 / np.linalg.norm(before.coef_):.2f}")
    for ax, model, title in ((axes[1], hard, "An outlier, C infinite"), (axes[2], soft, "The outlier, C = 1")):
        draw_margin(ax, model, more, labels, view)
        ax.plot(*segment(before.coef_[0], float(before.intercept_[0]), view).T, color=style.colour(2), linestyle="--")
        style.ring(ax, OUTLIER, "outlier")
        ax.set_title(f"{title}: margin {1 / np.linalg.norm(model.coef_):.2f}")


def overlapping() -> tuple[np.ndarray, np.ndarray]:
    """Rows of two classes that no line separates."""
    data = samples.overlapping_pair(30, seed=3)
    return data.X, (data.labels == data.classes[1]).astype(int)


def draw_band(ax: Any) -> None:
    """The three kinds of rows, and the slack of those that have some."""
    X, y = overlapping()
    model, view = LinearSVM(C=1.0).fit(X, y), view_of(X)
    draw_margin(ax, model, X, y, view)
    w, b, sign = model.coef_[0], float(model.intercept_[0]), 2 * y - 1
    slack = np.maximum(0.0, 1.0 - sign * (X @ w + b))
    edges = {side: Hyperplane(w, b - side) for side in (-1, 1)}
    for i in np.flatnonzero(slack > 1e-6):
        foot = edges[sign[i]].feet(X[i : i + 1])[0]
        ax.plot(*np.array([X[i], foot]).T, color=style.FAINT, linewidth=1.0, zorder=1)
    inside, wrong = (slack > 1e-6) & (slack <= 1.0), slack > 1.0
    style.ring(ax, X[inside], "inside of the band, 0 < slack ≤ 1")
    ax.scatter(*X[wrong].T, s=110, marker="x", color=style.INK, linewidths=1.6, zorder=4, label="wrong side, slack > 1")
    ax.set_title(f"The band at C = 1: {inside.sum()} inside, {wrong.sum()} wrong")


def table_of_prices() -> Table:
    """Margin and slack for several C."""
    X, y = overlapping()
    table = Table("C", box=SIMPLE_HEAD, title="classes that overlap")
    for heading in ("width of the band", "sum of slacks", "support rows", "wrong"):
        table.add_column(heading, justify="right")
    for C in PRICES:
        model = LinearSVM(C=C).fit(X, y)
        slack = np.maximum(0.0, 1.0 - (2 * y - 1) * model.decision_function(X)).sum()
        wrong = int((model.predict(X) != y).sum())
        width = 2 / np.linalg.norm(model.coef_)
        table.add_row(f"{C:g}", f"{width:.3f}", f"{slack:.3f}", str(model.support_.size), str(wrong))
    return table


def figure_of_margins() -> Figure:
    """An outlier three times, and a band."""
    with style.styled():
        figure = Figure(figsize=(10.5, 9.4), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(2, 2).ravel()
        draw_outlier(axes)
        draw_band(axes[3])
        named = [pair for ax in axes[2:] for pair in zip(*ax.get_legend_handles_labels(), strict=True)]
        found = {label: handle for handle, label in named}
        figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=3)
    return figure


def main() -> None:
    """Fit, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "band_and_outlier.png"))
    picture = parser.parse_args().picture
    console = Console()
    console.print(table_of_prices())
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_margins().savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
