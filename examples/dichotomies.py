"""Which dichotomies a plane can make
==================================

All ways to give points two labels, and those that a line can tell apart.

A line makes all 8 dichotomies of three points, and 14 of the 16 of four (tinted: the two it cannot make). Cover's
formula says so for any points in general position: no three of them on a line (below, left). A new point doubles the
dichotomies whose line can pass through it, as the line can then be turned a little either way; these are as many as in
one dimension less, so that S(d, n + 1) = S(d, n) + S(d - 1, n) (below, middle). The vertices of a cube are not in
general position, and the functions that a plane computes on them have to be counted otherwise: 104 of 256 in three
dimensions, the majority of three inputs among them (below, right).

Run it with ``python examples/dichotomies.py [PICTURE]``.
"""

import argparse
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from separatrix import (
    LinearSVM,
    count_threshold_functions,
    cover_count,
    in_general_position,
    is_threshold_function,
    separable_dichotomies,
)
from separatrix.report.charts import style

THREE = np.array([[0.0, 0.0], [1.0, 0.1], [0.45, 0.9]])
FOUR = np.array([[0.0, 0.1], [1.0, 0.0], [0.9, 0.95], [0.1, 0.85]])
FIVE = np.array([[0.0, 0.0], [2.0, 1.0], [4.0, 2.0], [0.5, 2.2], [3.4, 0.2]])
NEW = np.array([0.5, 0.42])


def line_between(points: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, float]:
    """The line that is furthest from both labels; beside the points where all have the same."""
    if len(set(labels.tolist())) == 1:
        return np.array([1.0, 0.0]), 0.22 - points[:, 0].min()
    model = LinearSVM(C=np.inf).fit(points, labels)
    return model.coef_[0], float(model.intercept_[0])


def draw_line(ax: Any, w: np.ndarray, b: float, **look: Any) -> None:
    """The line w.x + b = 0, as far as the axes reach."""
    foot, along = -b * w / (w @ w), np.array([-w[1], w[0]]) / np.linalg.norm(w)
    ax.plot(*(foot + np.outer([-9.0, 9.0], along)).T, **{"color": style.INK, "linewidth": 1.3, **look})


def draw_points(ax: Any, points: np.ndarray, labels: np.ndarray, size: float = 46.0) -> None:
    """Points with a colour and a marker for each label."""
    for label, number in ((1, 0), (-1, 1)):
        own = points[labels == label]
        ax.scatter(*own.T, s=size, c=style.colour(number), marker=style.marker(number), zorder=3, linewidths=0.0)


def box(ax: Any, low: float, high: float) -> None:
    """Square axes without numbers."""
    ax.set(xlim=(low, high), ylim=(low, high), xticks=[], yticks=[], aspect="equal")
    for spine in ax.spines.values():
        spine.set_color(style.RULE)


def draw_dichotomies(figure: Any, points: np.ndarray, n_rows: int) -> int:
    """A box for each way to give the points labels, with a line where there is one; returns how many have one."""
    separable = {tuple(labels.tolist()) for labels in separable_dichotomies(points)}
    every = [np.array(labels) for labels in product((1, -1), repeat=len(points))]
    for ax, labels in zip(figure.subplots(n_rows, 8).ravel(), every, strict=True):
        box(ax, -0.4, 1.4)
        draw_points(ax, points, labels)
        if tuple(labels.tolist()) in separable:
            draw_line(ax, *line_between(points, labels))
        else:
            ax.set_facecolor("#F6E3D7")
    return len(separable)


def draw_general_position(ax: Any) -> str:
    """Five points, three of which are on one line; returns the verdict on them."""
    found = in_general_position(FIVE)
    box(ax, -0.6, 4.6)
    ax.set_ylim(-1.4, 3.8)
    row, other = FIVE[found.rows[0]], FIVE[found.rows[-1]]
    normal = np.array([other[1] - row[1], row[0] - other[0]])
    draw_line(ax, normal, -float(normal @ row), linestyle=(0, (4, 3)))
    ax.scatter(*FIVE.T, s=60, c=style.INK, zorder=3)
    for number, point in enumerate(FIVE):
        ax.annotate(f"{number}", point, xytext=(6, -13), textcoords="offset points")
    ax.set_title("Rows " + ", ".join(map(str, found.rows)) + " are on one line")
    return str(found)


def draw_new_point(ax: Any) -> None:
    """A line through a fifth point that divides four, and the two dichotomies that it becomes."""
    labels = np.array([-1, 1, 1, -1])
    box(ax, -0.4, 1.4)
    for turn, look in ((0.0, {}), (-0.16, {"linestyle": ":"}), (0.16, {"linestyle": ":"})):
        w = np.array([np.cos(0.3 + turn), -np.sin(0.3 + turn)])
        draw_line(ax, w, -float(w @ NEW) - 0.35 * turn, **look)
    draw_points(ax, FOUR, labels, size=60)
    ax.scatter(*NEW, s=130, c="white", edgecolors=style.INK, marker="*", zorder=4)
    ax.set_title(f"{cover_count(5, 2)} = {cover_count(4, 2)} + {cover_count(4, 1)} for a fifth point")


def cut_of_cube(w: np.ndarray, t: float) -> np.ndarray:
    """Corners, in order, of the part of the plane w.x = t within the unit cube."""
    cube = np.array(list(product((0.0, 1.0), repeat=3)))
    edges = [(one, other) for one, other in combinations(cube, 2) if np.abs(one - other).sum() == 1]
    heights = [(one @ w - t, other @ w - t, one, other) for one, other in edges]
    corners = np.array([(a * y - b * x) / (a - b) for a, b, x, y in heights if a * b < 0])
    middle = corners.mean(axis=0)
    first = corners[0] - middle
    second = np.cross(w, first)
    turns = np.arctan2((corners - middle) @ second / np.linalg.norm(second), (corners - middle) @ first)
    return corners[np.argsort(turns)]


def draw_cube(ax: Any) -> str:
    """A threshold function on the vertices of the cube, and a plane that computes it; returns the verdict."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    cube = np.array(list(product((0, 1), repeat=3)))
    table = cube.sum(axis=1) >= 2
    found = is_threshold_function(table)
    corners = cut_of_cube(np.array(found.weights, dtype=float), found.threshold - 0.5)
    ax.add_collection3d(Poly3DCollection([corners], facecolor=style.FAINT, alpha=0.3, edgecolor=style.INK))
    for one, other in combinations(cube, 2):
        if np.abs(one - other).sum() == 1:
            ax.plot(*np.array([one, other]).T, color=style.FAINT, linewidth=0.9)
    for number, value in enumerate((True, False)):
        own = cube[table == value].T
        ax.scatter(*own, s=60, c=style.colour(number), marker=style.marker(number), depthshade=False)
    for place, name in (((0.5, -0.14, 0), "x1"), ((1.12, 0.5, 0), "x2"), ((0, -0.12, 0.5), "x3")):
        ax.text(*place, name, ha="center", va="center")
    for vertex in cube:
        ax.text(*(vertex * 1.0 + (0.0, 0.0, 0.09)), "".join(map(str, vertex)), ha="center", color=style.FAINT)
    ax.set_axis_off()
    ax.view_init(elev=20, azim=-28)
    ax.set_box_aspect((1, 1, 1), zoom=1.1)
    ax.set_title(f"One of {count_threshold_functions(3)} that a plane computes")
    return str(found)


def main() -> None:
    """Count, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "dichotomies.png"))
    picture = parser.parse_args().picture
    with style.styled():
        figure = Figure(figsize=(10.5, 9.6), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        first, second, third = figure.subfigures(3, 1, height_ratios=[1.0, 1.9, 2.5])
        for part, points, n_rows in ((first, THREE, 1), (second, FOUR, 2)):
            n, found = len(points), draw_dichotomies(part, points, n_rows)
            words = f"{n} points: a line makes {found} of {2**n} dichotomies, and S(2, {n}) = {cover_count(n, 2)}"
            part.suptitle(words, x=0.01, ha="left", fontsize=12)
            print(words)
        print(draw_general_position(third.add_subplot(1, 3, 1)))
        draw_new_point(third.add_subplot(1, 3, 2))
        print(draw_cube(third.add_subplot(1, 3, 3, projection="3d")))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture)
    print(f"The picture is {picture}.")


if __name__ == "__main__":
    main()
