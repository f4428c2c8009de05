"""Theorems of separation
======================

A point and a convex set, two convex sets, and two that no line keeps strictly apart.

Through a point on the boundary of a convex set passes a line that has all of the set on one side: a supporting line
(left). It need not be the only one, as at a corner. Two convex sets that do not meet can be separated by a line
(middle); if both are closed and one is bounded, strictly so, and the perpendicular bisector of the segment between
their nearest points does it, which is the line of the largest margin.

Without a bounded one they may be disjoint and yet come as near to each other as one likes (right): the set above the
hyperbola x2 = 1 / x1 and the half-plane below the axis. The axis separates them, but touches one; no line has both
strictly on its sides. Finite sets of rows are never like that, as their hulls are bounded: the table has rows of both
sets up to x1 = n, whose largest margin falls to 0 with growing n, and yet each has a proof.

Run it with ``python examples/separation_theorems.py [PICTURE]``.
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
from scipy.spatial import ConvexHull

from separatrix import hull_distance, separability
from separatrix.report.charts import style

SIZES = (2, 5, 10, 20, 50)
ALT = (
    "Three panels. Left: a convex polygon with a supporting line through one of its corners and all of it on one "
    "side. Middle: two disjoint polygons, their nearest points, and the perpendicular bisector that separates them. "
    "Right: the region above a hyperbola and the half-plane below the axis, disjoint, but separated only by the axis "
    "itself."
)


def polygon(centre: tuple[float, float], size: float, seed: int) -> np.ndarray:
    """Corners of a convex polygon."""
    random = np.random.default_rng(seed)
    points = np.array(centre) + size * random.standard_normal((14, 2))
    return points[ConvexHull(points).vertices]


def fill(ax: Any, corners: np.ndarray, number: int, name: str, place: tuple[float, float]) -> None:
    ax.fill(*corners.T, color=style.colour(number), alpha=0.22, linewidth=0)
    ax.plot(*np.vstack([corners, corners[:1]]).T, color=style.colour(number), linewidth=1.6)
    ax.text(*place, name, fontsize=13, color=style.colour(number), ha="center", va="center")


def draw_line(ax: Any, normal: np.ndarray, point: np.ndarray) -> None:
    along = np.array([-normal[1], normal[0]]) / np.linalg.norm(normal)
    ax.plot(*np.array([point - 9 * along, point + 9 * along]).T, color=style.INK, linewidth=1.8)


def draw_support(ax: Any) -> None:
    """A supporting line at the corner that is farthest in a direction."""
    corners, normal = polygon((-0.3, -0.5), 0.9, 8), np.array([0.6, 0.8])
    corner = corners[(corners @ normal).argmax()]
    fill(ax, corners, 0, "C", tuple(corners.mean(axis=0)))
    draw_line(ax, normal, corner)
    ax.annotate("", corner + normal, corner, arrowprops={"arrowstyle": "-|>", "color": style.INK})
    ax.plot(*corner, "o", color=style.INK)
    ax.text(corner[0] + 0.1, corner[1] - 0.35, "z")
    ax.text(*(corner + normal * 1.1), "w")
    ax.set(xlim=(-2.6, 2.9), ylim=(-2.6, 2.9), aspect="equal", title="A supporting line:\nc.w ≤ z.w for all c in C")


def draw_separation(ax: Any) -> None:
    """Two polygons, their nearest points and the line between."""
    one, other = polygon((-1.6, -0.7), 0.75, 5), polygon((1.6, 0.9), 0.75, 8)
    found = hull_distance(np.vstack([one, other]), np.repeat([0, 1], [len(one), len(other)]))
    q, p = found.points
    fill(ax, one, 0, "X", tuple(one.mean(axis=0)))
    fill(ax, other, 1, "Y", tuple(other.mean(axis=0)))
    draw_line(ax, p - q, (p + q) / 2)
    ax.plot(*np.array([p, q]).T, "o-", color=style.INK, linewidth=1.2, markersize=5)
    ax.set(xlim=(-3.4, 3.4), ylim=(-3.2, 3.6), aspect="equal")
    ax.set_title(f"A separating line, halfway between\nthe nearest points ({float(found):.2f} apart)")


def draw_hyperbola(ax: Any) -> None:
    """Disjoint sets of which neither is bounded."""
    x = np.linspace(0.12, 8.0, 400)
    ax.fill_between(x, 1 / x, 9.0, color=style.colour(1), alpha=0.22, linewidth=0)
    ax.plot(x, 1 / x, color=style.colour(1), linewidth=1.6)
    ax.axhspan(-3.0, 0.0, color=style.colour(0), alpha=0.22, linewidth=0)
    ax.axhline(0.0, color=style.INK, linewidth=1.8)
    ax.text(4.6, 2.6, "Y: x2 ≥ 1 / x1", fontsize=12, color=style.colour(1), ha="center")
    ax.text(4.0, -1.0, "X: x2 ≤ 0", fontsize=12, color=style.colour(0), ha="center")
    ax.set(xlim=(0, 8), ylim=(-2, 4.5), title="Disjoint, but no line keeps\nboth strictly apart")


def table_of_margins() -> Table:
    """Rows of both unbounded sets, cut off at x1 = n."""
    table = Table("n", box=SIMPLE_HEAD, title="rows on the hyperbola and on the axis, up to x1 = n")
    table.add_column("verdict", justify="right")
    table.add_column("distance of the hulls", justify="right")
    for n in SIZES:
        x = np.linspace(1.0 / n, n, 20 * n)
        X = np.vstack([np.column_stack([x, 1 / x]), np.column_stack([x, np.zeros_like(x)])])
        y = np.repeat([1, 0], x.size)
        table.add_row(str(n), separability(X, y).kind, f"{float(hull_distance(X, y)):.5f}")
    return table


def main() -> None:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "separation_theorems.png"))
    picture = parser.parse_args().picture
    console = Console()
    console.print(table_of_margins())
    with style.styled():
        figure = Figure(figsize=(12.0, 4.6), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        for ax, draw in zip(figure.subplots(1, 3), (draw_support, draw_separation, draw_hyperbola), strict=True):
            draw(ax)
            ax.set(xticks=[], yticks=[])
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
