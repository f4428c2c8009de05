"""Nearest points of two convex hulls
==================================

Three ways to the nearest points: which is fast, and where they slow down.

Two classes that a plane separates have hulls that do not meet. The plane halfway between their nearest points, at right
angles to the segment that joins them, is the one with the largest margin (left). Gilbert's algorithm (1966) and that of
Schlesinger and Kozinec mix a new row into the points at each step; all other rows lose weight, those that should have
none never lose all of it, and the error falls as 1/t. The algorithm of Mitchell, Dem'yanov and Malozemov (1974) takes
weight from one row and gives it to another, and gains digits at a steady rate (right).

Wolfe's method (1976) makes the last digits right whichever of them began: see the table.

Run it with ``python examples/nearest_points.py [PICTURE]``.
"""

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from scipy.spatial import ConvexHull

from separatrix import HullDistance, LinearSVM, NotCertifiedWarning, hull_distance
from separatrix.report import convergence, decision_line
from separatrix.report.charts import style

NAMES = {"gilbert": "Gilbert", "schlesinger_kozinec": "Schlesinger–Kozinec", "mdm": "MDM"}
STEPS = 100_000


def two_classes(n_rows: int, n_features: int, gap: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows on both sides of a random plane, none nearer to it than the gap."""
    random = np.random.default_rng(seed)
    normal = random.standard_normal(n_features)
    normal /= np.linalg.norm(normal)
    X = random.standard_normal((n_rows, n_features))
    y = np.where(X @ normal > 0, 1, -1)
    return X + gap * np.outer(y, normal), y


def alone(X: np.ndarray, y: np.ndarray, name: str) -> HullDistance:
    """What an algorithm does by itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)  # that is what the picture shows
        return hull_distance(X, y, name, polish=False, max_iter=STEPS, record=True)


def table_of_distances(X: np.ndarray, y: np.ndarray, runs: dict[str, HullDistance]) -> Table:
    """Distance and certified error of each algorithm by itself and polished, beside the largest margin."""
    n, d = X.shape
    table = Table("algorithm", box=SIMPLE_HEAD, title=f"distance of the hulls, {n} rows x {d} features")
    for heading in ("steps", "distance", "error", "steps", "polished", "error"):
        table.add_column(heading, justify="right")
    for name, run in runs.items():
        found = hull_distance(X, y, name)
        both = [(f"{each.n_iter:,}", f"{each:.12f}", f"{each.certificate.stated:.0e}") for each in (run, found)]
        table.add_row(NAMES[name], *both[0], *both[1])
    width = LinearSVM(C=np.inf).fit(X, y).margin_width_
    table.add_row("largest margin, twice", "", "", "", "", f"{width:.12f}", "", style="dim")
    return table


def draw_hulls(ax: Any, X: np.ndarray, y: np.ndarray) -> None:
    """Two hulls in the plane, their nearest points, and the line between."""
    decision_line(LinearSVM(C=np.inf).fit(X, y), X, y, ax=ax, title="Nearest points, and the line halfway")
    for number, side in enumerate((-1, 1)):
        own = X[y == side]
        corners = own[ConvexHull(own).vertices]
        ax.fill(*corners.T, facecolor=style.colour(number), edgecolor=style.colour(number), alpha=0.25, zorder=1)
    points = hull_distance(X, y).points
    ax.plot(*points.T, color=style.INK, linewidth=2.2, marker="o", markersize=6, zorder=6, label="nearest points")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)


def figure_of_runs(X: np.ndarray, y: np.ndarray, runs: dict[str, HullDistance]) -> Figure:
    """The hulls on the left, the errors on the right."""
    with style.styled():
        figure = Figure(figsize=(12.5, 5.6), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2, width_ratios=[1, 1.15])
        draw_hulls(left, *two_classes(60, 2, 0.35, seed=3))
        title = f"How fast they come near, {X.shape[0]} rows x {X.shape[1]} features"
        convergence({NAMES[name]: run for name, run in runs.items()}, ax=right, title=title)
    return figure


def main() -> None:
    """Run, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "nearest_points.png"))
    picture = parser.parse_args().picture
    console = Console()
    X, y = two_classes(500, 10, 0.3, seed=1)
    runs = {name: alone(X, y, name) for name in NAMES}
    console.print(table_of_distances(X, y, runs))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_runs(X, y, runs).savefig(picture)
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
