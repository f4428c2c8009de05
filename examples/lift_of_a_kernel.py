"""The lift of a kernel
====================

Two rings that no line separates are separated by a plane, once they are lifted to three dimensions.

The map phi(x) = (x1^2, sqrt(2) x1 x2, x2^2) takes rows of the plane to a cone. As x1^2 + x2^2 is the sum of the first
and the last coordinate, circles become cuts of the cone by planes, and so do all ellipses and hyperbolas around the
origin. The inner ring is near the tip, the outer one further up, and a plane passes between them.

The dot product phi(x).phi(z) is (x.z)^2, which needs no third dimension to be computed. So the kernel machine of
(x.z)^2 in the plane and the linear machine of the lifted rows are one classifier: their decision functions agree, and
so do the margins, which are distances in the space of the map.

Run it with ``python examples/lift_of_a_kernel.py [PICTURE]``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from separatrix import KernelSVM, LinearSVM, separability
from separatrix.kernels import Polynomial
from separatrix.report import decision_surface
from separatrix.report.charts import style

SEED, ROWS = 3, 50  # rows of each ring
SQUARE = Polynomial(degree=2, coef0=0.0, gamma=1.0)  # (x.z)^2


def rings() -> tuple[np.ndarray, np.ndarray]:
    """Rows on two rings around the origin."""
    random = np.random.default_rng(SEED)
    y = np.repeat(["inner", "outer"], ROWS)
    radius = np.where(y == "inner", 0.8, 1.6) + 0.12 * random.standard_normal(2 * ROWS)
    angle = random.uniform(0.0, 2.0 * np.pi, 2 * ROWS)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def lift(X: np.ndarray) -> np.ndarray:
    """(x1^2, sqrt(2) x1 x2, x2^2) of each row."""
    return np.column_stack([X[:, 0] ** 2, np.sqrt(2.0) * X[:, 0] * X[:, 1], X[:, 1] ** 2])


def machines(X: np.ndarray, y: np.ndarray) -> tuple[KernelSVM, LinearSVM]:
    """The widest margin by the kernel, and in the lifted rows."""
    return KernelSVM(SQUARE, C=np.inf).fit(X, y), LinearSVM(C=np.inf).fit(lift(X), y)


def table_of_facts(X: np.ndarray, y: np.ndarray) -> Table:
    """What is the same, and to how many digits."""
    kernel, plane = machines(X, y)
    points = np.random.default_rng(SEED).uniform(-2.0, 2.0, (1000, 2))
    products = lift(X) @ lift(X).T
    np.testing.assert_allclose(products, (X @ X.T) ** 2, atol=1e-12)
    np.testing.assert_allclose(products, SQUARE.matrix(X), atol=1e-12)
    apart = np.abs(kernel.decision_function(points) - plane.decision_function(lift(points))).max()
    assert apart < 1e-4, "one classifier"
    table = Table("two rings", box=SIMPLE_HEAD)
    table.add_column("found", justify="right")
    table.add_row("in the plane, the classes are", separability(X, y).kind)
    table.add_row("lifted to three dimensions, they are", separability(lift(X), y).kind)
    table.add_row("largest difference of (x.z)^2 and phi(x).phi(z)", f"{np.abs(products - (X @ X.T) ** 2).max():.0e}")
    table.add_row("largest difference of both decision functions", f"{apart:.0e}")
    table.add_row("margin, in the space of the map", f"{1 / np.linalg.norm(plane.coef_):.4f}")
    return table


def draw_cone(ax: Any, X: np.ndarray, y: np.ndarray, plane: LinearSVM) -> None:
    """The cone, the lifted rows, and the plane between them, seen from the side of the outer ring."""
    (u, v, w), b = plane.coef_[0], float(plane.intercept_[0])
    turn = np.linspace(0.0, np.pi, 200)  # x and -x have one image
    unit = np.column_stack([np.cos(turn), np.sin(turn)])
    for size in np.sqrt(np.arange(0.5, 3.6, 0.5)):
        ax.plot(*lift(size * unit).T, color=style.RULE, linewidth=0.8, zorder=1)
    for ray in unit[::11]:
        ax.plot(*lift(np.outer([0.0, np.sqrt(3.5)], ray)).T, color=style.RULE, linewidth=0.8, zorder=1)
    corners = [(-(v * at + b) / u, at, 0.0) for at in (-1.9, 1.9)] + [
        (0.0, at, -(v * at + b) / w) for at in (1.9, -1.9)
    ]
    ax.add_collection3d(Poly3DCollection([corners], facecolor=style.INK, edgecolor=style.INK, alpha=0.13, zorder=3))
    size = np.sqrt(-b / (lift(unit) @ plane.coef_[0]))  # along each direction, where g is 0
    ax.plot(*lift(unit * size[:, None]).T, color=style.INK, linewidth=2.0, zorder=4)
    for number, label in enumerate(plane.classes_):
        own = lift(X[y == label])
        look = {"color": style.colour(number), "marker": style.marker(number), "edgecolors": "white"}
        ax.scatter(*own.T, s=32, linewidths=0.5, depthshade=False, zorder=2 + 3 * number, **look)
    ax.set(xlabel="x1²", ylabel="√2 x1 x2", zlabel="x2²", xlim=(0, 3.2), ylim=(-2, 2), zlim=(0, 3.2))
    ax.set_title("Lifted by (x1², √2 x1 x2, x2²) to a cone:\na plane separates them", loc="left")
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("white")
        axis.set_major_locator(MultipleLocator(1.0))
    ax.set_yticks([-2.0, 0.0, 2.0])
    ax.yaxis.labelpad = 9.0
    ax.grid(False)
    ax.view_init(elev=9, azim=-78)
    ax.set_box_aspect((1, 1.15, 1), zoom=1.16)


def figure_of_the_lift(X: np.ndarray, y: np.ndarray) -> Figure:
    """The rows in the plane, and on the cone."""
    kernel, plane = machines(X, y)
    with style.styled():
        figure = Figure(figsize=(12.0, 6.0), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        places = figure.add_gridspec(1, 2, width_ratios=[1, 1.2])
        flat = figure.add_subplot(places[0])
        decision_surface(kernel, X, y, ax=flat, title="In the plane:\nthe kernel (x.z)² draws an ellipse", legend=False)
        draw_cone(figure.add_subplot(places[1], projection="3d", computed_zorder=False), X, y, plane)
        handles, labels = flat.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def main() -> None:
    """Lift, check, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "lift_of_a_kernel.png"))
    picture = parser.parse_args().picture
    console = Console()
    X, y = rings()
    console.print(table_of_facts(X, y))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_the_lift(X, y).savefig(picture)
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
