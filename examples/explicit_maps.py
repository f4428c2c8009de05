"""Explicit maps
=============

Rows that no line separates, once they have another coordinate.

On a line, the rows between two others cannot be cut off by one threshold; with x^2 for a second coordinate they lie
below a line (above). Exclusive or needs the product x1 x2: with it for a third coordinate a plane is g = -x1 x2, and in
the square this is a pair of hyperbolas (below). The kernels (x.z)^2 and (x.z + c)^2 do this without the coordinates.
The table has their maps, which are finite, and how well inner products of mapped rows agree with the kernel.

Run it with ``python examples/explicit_maps.py [PICTURE]``.
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

from separatrix import KernelSVM, LinearSVM, separability
from separatrix.data import samples
from separatrix.kernels import Polynomial
from separatrix.report.charts import style
from separatrix.report.charts.geometry import segment, view_of

KERNELS = {"(x.z)^2": 0.0, "(x.z + 1)^2": 1.0, "(x.z + 3)^2": 3.0}
ALT = (
    "Four panels. Rows of two classes on a line, one class between the rows of the other; the same with x squared as "
    "a second coordinate, where a line separates them. The four points of exclusive or with noise in the square, with "
    "hyperbolas as the boundary; and the product x1 x2 of each row, which one threshold separates."
)


def rows_on_a_line() -> tuple[np.ndarray, np.ndarray]:
    """One class between the rows of the other."""
    random = np.random.default_rng(2)
    inner, outer = random.uniform(-1.0, 1.0, 12), random.uniform(1.4, 2.6, 14) * random.choice([-1, 1], 14)
    return np.append(inner, outer), np.repeat([0, 1], [12, 14])


def exclusive_or() -> tuple[np.ndarray, np.ndarray]:
    """The corners of XOR with noise."""
    gate, random = samples.logic_gate("XOR"), np.random.default_rng(4)
    X = np.repeat(gate.X, 12, axis=0) + 0.28 * random.standard_normal((48, 2))
    return X, np.repeat((gate.labels == gate.classes[1]).astype(int), 12)


def map_of(c: float, X: np.ndarray) -> np.ndarray:
    """Coordinates whose inner product is (x.z + c)^2, for rows of two features."""
    squares = np.column_stack([X**2, np.sqrt(2.0) * X[:, :1] * X[:, 1:]])
    return np.column_stack([squares, np.sqrt(2.0 * c) * X, np.full(len(X), c)]) if c else squares


def table_of_maps() -> Table:
    """The maps of three kernels, and whether XOR is separable by them."""
    X, y = exclusive_or()
    table = Table("kernel", "map", box=SIMPLE_HEAD)
    for heading in ("largest difference", "XOR is then"):
        table.add_column(heading, justify="right")
    for name, c in KERNELS.items():
        mapped = map_of(c, X)
        apart = np.abs(mapped @ mapped.T - Polynomial(degree=2, coef0=c, gamma=1.0).matrix(X)).max()
        text = "x1², x2², √2 x1 x2" + (f", √{2 * c:g} x1, √{2 * c:g} x2, {c:g}" if c else "")
        table.add_row(name, text, f"{apart:.0e}", separability(mapped, y).kind)
    table.add_row("x.z", "x1, x2", "", separability(X, y).kind, style="dim")
    return table


def draw_line(axes: Any) -> None:
    """On a line, and on the parabola."""
    x, y = rows_on_a_line()
    for ax, heights in ((axes[0], np.zeros_like(x)), (axes[1], x**2)):
        style.scatter(ax, np.column_stack([x, heights]), y, ["inner", "outer"])
        ax.set(xlim=(-3, 3), xlabel="x")
    axes[0].set(ylim=(-1, 1), yticks=[], title="On a line: no threshold cuts off the inner rows")
    axes[0].legend(loc="upper right")
    lifted = np.column_stack([x, x**2])
    model = LinearSVM(C=np.inf).fit(lifted, y)
    view = view_of(lifted)
    for level, dashes in ((0.0, "-"), (-1.0, ":"), (1.0, ":")):
        ax_line = segment(model.coef_[0], float(model.intercept_[0]) - level, view)
        axes[1].plot(*ax_line.T, color=style.INK, linestyle=dashes)
    curve = np.linspace(-2.7, 2.7, 200)
    axes[1].plot(curve, curve**2, color=style.RULE, zorder=0)
    axes[1].set(ylim=(-0.4, 7.5), ylabel="x²", title="With x² beside x: a line does")


def draw_square(axes: Any) -> None:
    """Exclusive or in the square, and by the product of the features."""
    X, y = exclusive_or()
    model, view = KernelSVM(Polynomial(degree=2, coef0=1.0, gamma=1.0), C=10.0).fit(X, y), view_of(X)
    style.scatter(axes[0], X, y, ["same", "different"])
    grid = np.meshgrid(np.linspace(view.left, view.right, 160), np.linspace(view.bottom, view.top, 160))
    g = model.decision_function(np.column_stack([each.ravel() for each in grid])).reshape(160, 160)
    axes[0].contour(*grid, g, levels=[0.0], colors=style.INK, linewidths=1.8)
    style.axes_for(axes[0], view, ("x1", "x2"))
    axes[0].set_title("Exclusive or: g of (x.z + 1)² is 0 on hyperbolas")
    product, spread = X[:, 0] * X[:, 1], np.random.default_rng(0).uniform(-0.5, 0.5, len(X))
    style.scatter(axes[1], np.column_stack([product, spread]), y, ["same", "different"])
    axes[1].axvline(0.0, color=style.INK)
    axes[1].set(ylim=(-1, 1), yticks=[], xlabel="x1 x2", title="Along x1 x2 one threshold is enough")
    axes[1].legend(loc="upper right")


def main() -> None:
    """Map, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "explicit_maps.png"))
    picture = parser.parse_args().picture
    console = Console()
    console.print(table_of_maps())
    with style.styled():
        figure = Figure(figsize=(11.0, 8.4), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        above, below = figure.subplots(2, 2)
        draw_line(above)
        draw_square(below)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
