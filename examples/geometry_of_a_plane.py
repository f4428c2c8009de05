"""The geometry of a plane
=======================

Distances, intercepts and the foot of a perpendicular, for a line and for a plane.

The line w.x + b = 0 has w for its normal. It is ``|b| / ||w||`` away from the origin and cuts axis j at -b / w_j. A
point x is g(x) / ||w|| away from it, with the sign of its side, and the foot of its perpendicular is x - g(x) / ||w||^2
w. The same holds in any number of dimensions: right, a plane in space with its three intercepts.

Run it with ``python examples/geometry_of_a_plane.py [PICTURE]``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from separatrix import Hyperplane
from separatrix.report.charts import style

LINE, POINT = Hyperplane([3.0, 4.0], -12.0), np.array([3.6, 3.55])
PLANE, ABOVE = Hyperplane([2.0, 1.0, 2.0], -4.0), np.array([1.6, 2.6, 1.7])
ALT = (
    "Left: the line 3 x1 + 4 x2 = 12 with its intercepts 4 and 3, its distance 2.4 from the origin, its normal w, and "
    "a point with the foot of its perpendicular. Right: a plane in space as the triangle between its three "
    "intercepts, with a point above it and the foot of its perpendicular."
)


def table_of_distances() -> Table:
    """What both pictures show, in numbers."""
    table = Table("w", "b", box=SIMPLE_HEAD)
    for heading in ("from the origin", "intercepts", "point", "its distance", "its foot"):
        table.add_column(heading, justify="right")
    for plane, point in ((LINE, POINT), (PLANE, ABOVE)):
        w, cuts, x, foot = (
            ", ".join(f"{number:g}" for number in np.round(each, 3))
            for each in (plane.w, plane.intercepts, point, plane.feet([point])[0])
        )
        distance = plane.distances([point])[0]
        table.add_row(w, f"{plane.b:g}", f"{plane.distance_from_origin:.3f}", cuts, x, f"{distance:.3f}", foot)
    return table


def arrow(ax: Any, start: np.ndarray, end: np.ndarray, colour: str, both: bool = False) -> None:
    look = {"arrowstyle": "<|-|>" if both else "-|>", "color": colour, "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=look, zorder=4)


def draw_line(ax: Any) -> None:
    """The line, its distance from the origin, and the perpendicular of a point."""
    (a, b), origin = LINE.intercepts, np.zeros(2)
    ends = np.array([[-0.9, b + 0.9 * b / a], [a + 0.7, -0.7 * b / a]])
    ax.plot(*ends.T, color=style.INK, linewidth=2.0)
    foot, nearest = LINE.feet([POINT, origin])
    arrow(ax, foot, POINT, style.colour(1), both=True)
    arrow(ax, origin, nearest, style.colour(2), both=True)
    normal = np.array([1.0, 3.0 - 0.75])
    arrow(ax, normal, normal + 1.1 * LINE.unit_normal, style.colour(0))
    ax.text(*(normal + 1.2 * LINE.unit_normal), "w", color=style.colour(0), fontsize=13)
    ax.plot(*POINT, "o", color=style.colour(1), markersize=7)
    ax.plot(*foot, "o", color=style.INK, markersize=5)
    ax.text(POINT[0] + 0.12, POINT[1] + 0.08, "x", fontsize=13)
    ax.text(foot[0] - 0.5, foot[1] - 0.32, "foot", fontsize=11)
    middle = (POINT + foot) / 2 + [0.12, -0.12]
    ax.text(*middle, f"g(x) / ||w|| = {LINE.distances([POINT])[0]:.2f}", color=style.colour(1))
    ax.text(*(nearest / 2 + [0.12, -0.12]), "|b| / ||w|| = 2.4", color=style.colour(2))
    for spot, name, place in (((a, 0.0), "−b / w1 = 4", (4.08, 0.14)), ((0.0, b), "−b / w2 = 3", (0.12, 3.22))):
        ax.plot(*spot, "D", color=style.INK, markersize=6)
        ax.text(*place, name)
    ax.text(4.3, 1.7, "+", fontsize=22, color=style.FAINT)
    ax.text(0.35, 1.05, "−", fontsize=22, color=style.FAINT)
    ax.axhline(0.0, color=style.RULE, linewidth=1.0, zorder=0)
    ax.axvline(0.0, color=style.RULE, linewidth=1.0, zorder=0)
    ax.set(xlim=(-0.9, 5.6), ylim=(-0.8, 4.3), aspect="equal", xlabel="x1", ylabel="x2")
    ax.set_title("The line 3 x1 + 4 x2 − 12 = 0")


def draw_plane(ax: Any) -> None:
    """A plane between its intercepts, and the perpendicular of a point."""
    corners = np.diag(PLANE.intercepts)
    face = Poly3DCollection([corners], facecolor=style.colour(0), edgecolor=style.INK, alpha=0.22)
    ax.add_collection3d(face)
    foot, nearest = PLANE.feet([ABOVE, np.zeros(3)])
    for one, other, colour in ((foot, ABOVE, 1), (np.zeros(3), nearest, 2)):
        ax.plot(*np.array([one, other]).T, color=style.colour(colour), linewidth=2.2)
    ax.scatter(*ABOVE, color=style.colour(1), s=50, depthshade=False)
    ax.scatter(*np.array([foot, nearest]).T, color=style.INK, s=22, depthshade=False)
    ax.scatter(*corners.T, color=style.INK, marker="D", s=30, depthshade=False)
    ax.text(*(1.05 * ABOVE), "x", fontsize=13)
    ax.text(foot[0], foot[1] + 0.2, foot[2], "foot", fontsize=11)
    for corner, cut in zip(corners, PLANE.intercepts, strict=True):
        ax.text(*(corner * 1.06 + [0.1, 0.0, 0.14]), f"{cut:g}", fontsize=11)
    ax.set(xlim=(0, 2.4), ylim=(0, 4.2), zlim=(0, 2.4), xlabel="x1", ylabel="x2", zlabel="x3")
    ax.set_title("The plane 2 x1 + x2 + 2 x3 − 4 = 0", y=0.97)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("white")
    ax.locator_params(nbins=5)
    ax.view_init(elev=20, azim=28)
    ax.set_box_aspect((2.4, 4.2, 2.4), zoom=0.93)
    ax.zaxis.labelpad = -2.0


def figure_of_planes() -> Figure:
    """A line and a plane."""
    with style.styled():
        figure = Figure(figsize=(11.0, 5.0), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        places = figure.add_gridspec(1, 2, width_ratios=[1.15, 1])
        draw_line(figure.add_subplot(places[0]))
        draw_plane(figure.add_subplot(places[1], projection="3d"))
    return figure


def main() -> None:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "geometry_of_a_plane.png"))
    picture = parser.parse_args().picture
    console = Console()
    console.print(table_of_distances())
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_planes().savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
