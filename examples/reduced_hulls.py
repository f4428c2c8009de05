"""Reduced convex hulls
====================

Classes that overlap have hulls that meet, and no points of these are nearest. Smaller hulls need not meet.

Where a plane separates two classes, the one with the largest margin bisects the segment between the nearest points of
their convex hulls (first picture). Hulls of classes that overlap meet (second picture). A reduced hull R(X, mu) leaves
out what a few rows reach: its points are mixtures in which no row has a weight above mu, so that a corner of it is the
mean of some 1/mu rows (third picture). With mu small enough the reduced hulls are apart, and the line between them is
that of the support vector machine with nu = 2 / (mu N) (last picture).

The table has the distance for several mu: from the smallest, at which the hull of the smaller class is its mean, until
the hulls meet. ``ReducedHullClassifier`` fits such lines, also in the space of a kernel.

Run it with ``python examples/reduced_hulls.py [PICTURE]``.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from separatrix import NotCertifiedWarning, ReducedHullClassifier
from separatrix.report import hull_chart
from separatrix.report.charts import style

ROWS = 25  # of each class
MUS = (0.04, 0.05, 0.07, 0.1, 0.2, 0.4, 1.0)


def two_clouds(apart: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two Gaussian classes whose means are so far apart."""
    random = np.random.default_rng(seed)
    y = np.repeat([0, 1], ROWS)
    return random.standard_normal((2 * ROWS, 2)) + apart * np.column_stack([y, 0.4 * y]), y


def table_of_distances(X: np.ndarray, y: np.ndarray) -> Table:
    """Distance, nu, support rows and training errors for several mu."""
    table = Table("mu", box=SIMPLE_HEAD, title=f"reduced hulls of two classes, {ROWS} rows each")
    for heading in ("nu", "distance", "relative error", "rows with weight", "wrong"):
        table.add_column(heading, justify="right")
    for mu in MUS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotCertifiedWarning)  # that hulls meet is what the table shows
            model = ReducedHullClassifier(mu).fit(X, y)
        apart = model.distance_ > 0.0
        facts = [f"{model.certificate_.stated:.0e}", str(model.support_.size), str(int((model.predict(X) != y).sum()))]
        table.add_row(f"{mu:g}", f"{model.nu_:.3f}", *([f"{model.distance_:.6f}", *facts] if apart else ["they meet"]))
    return table


def figure_of_hulls(separable: tuple[np.ndarray, np.ndarray], overlapping: tuple[np.ndarray, np.ndarray]) -> Figure:
    """Hulls that are apart, hulls that meet, reduced ones, and the line between the smallest."""
    with style.styled():
        figure = Figure(figsize=(12.5, 10.4), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        first, second, third, last = figure.subplots(2, 2).flat
        hull_chart(*separable, ax=first, title="Hulls apart: nearest points, largest margin")
        hull_chart(*overlapping, ax=second, line=False, title="Classes that overlap: the hulls meet")
        hull_chart(*overlapping, (0.4, 0.1), ax=third, line=False, title="Hulls, and reduced ones")
        hull_chart(*overlapping, 0.1, ax=last, title="The line between the reduced hulls, mu = 0.1")
    return figure


def main() -> None:
    """Fit, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "reduced_hulls.png"))
    picture = parser.parse_args().picture
    separable, overlapping = two_clouds(5.5, seed=4), two_clouds(2.2, seed=2)
    console = Console()
    console.print(table_of_distances(*overlapping))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_hulls(separable, overlapping).savefig(picture)
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
