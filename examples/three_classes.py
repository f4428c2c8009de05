"""Three classes, three planes
===========================

Planes of each class against the rest leave points to nobody, and points to two classes.

Each of three classes has a line that tells it from the other two (left). Where a single line has a point on its own
side the class is clear. There are points which no line claims (white), and points that two claim (hatched); the largest
score decides for all of them (middle). Kesler's construction asks for just that from the beginning: the planes of all
classes are one long vector, and each row is right if its own class has the largest score (right). A perceptron finds
such a vector wherever there is one, also for classes of which one cannot be told from the rest by a line.

Run it with ``python examples/three_classes.py [PICTURE]``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from separatrix import LinearSVM, Perceptron, kesler_vectors, separability
from separatrix.report import decision_line
from separatrix.report.charts import style
from separatrix.report.charts.geometry import segment, view_of

CENTRES, ROWS, CELLS = np.array([[-2.0, -1.0], [2.0, -1.2], [0.1, 2.2]]), 14, 220
ALT = (
    "Three panels with three classes of points. Left: three lines, each telling one class from the rest, with a white "
    "triangle in the middle that no line claims and hatched wedges that two claim. Middle: the regions of the largest "
    "score of these lines. Right: the regions of a perceptron by Kesler's construction."
)


def three_clouds() -> tuple[np.ndarray, np.ndarray]:
    """Rows of three Gaussian classes, each of which a line tells from the rest."""
    y = np.repeat([0, 1, 2], ROWS)
    return CENTRES[y] + 0.6 * np.random.default_rng(3).standard_normal((3 * ROWS, 2)), y


def claims_of(model: Any, view: Any) -> tuple[list[np.ndarray], np.ndarray]:
    """A grid over the picture, and which classes claim each of its points."""
    grid = np.meshgrid(np.linspace(view.left, view.right, CELLS), np.linspace(view.bottom, view.top, CELLS))
    scores = model.decision_function(np.column_stack([each.ravel() for each in grid]))
    return grid, (scores > 0.0).reshape(CELLS, CELLS, 3)


def draw_claims(ax: Any, model: Any, X: np.ndarray, y: np.ndarray) -> None:
    """Regions that one class claims in its colour, those of two hatched, those of none white."""
    view = view_of(X)
    grid, claims = claims_of(model, view)
    count, own = claims.sum(axis=2), np.where(claims.sum(axis=2) == 1, claims.argmax(axis=2), -1)
    colours = ListedColormap(["white", *(style.colour(number) for number in range(3))])
    ax.pcolormesh(*grid, own, cmap=colours, vmin=-1, vmax=2, alpha=0.2, shading="nearest", linewidth=0, rasterized=True)
    ax.contourf(*grid, count, levels=[1.5, 3.5], colors="none", hatches=["////"])
    for number in range(3):
        line = segment(model.coef_[number], float(model.intercept_[number]), view)
        if line is not None:
            ax.plot(*line.T, color=style.colour(number), linewidth=2.0)
    style.scatter(ax, X, y, ["class 0", "class 1", "class 2"])
    style.axes_for(ax, view, ("x1", "x2"))
    ax.set_title("Each against the rest:\nwhite: no claim; hatched: two")


def table_of_claims(model: Any, kesler: Any, X: np.ndarray, y: np.ndarray) -> Table:
    """How much of the picture how many classes claim, and what both answers are worth."""
    count = claims_of(model, view_of(X))[1].sum(axis=2)
    table = Table("fact", box=SIMPLE_HEAD)
    table.add_column("found", justify="right")
    for number, name in enumerate(("no class", "one class", "two classes")):
        table.add_row(f"part of the picture claimed by {name}", f"{np.mean(count == number):.1%}")
    vectors = kesler_vectors(X, y)
    planes = np.column_stack([kesler.coef_, kesler.intercept_]).ravel()
    table.add_row("vectors of Kesler's construction", f"{len(vectors)} of length {vectors.shape[1]}")
    table.add_row("of these, on the right side", str(int((vectors @ planes > 0).sum())))
    table.add_row("the classes are", separability(X, y).kind)
    return table


def main() -> None:
    """Fit, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "three_classes.png"))
    picture = parser.parse_args().picture
    console, (X, y) = Console(), three_clouds()
    rest, kesler = LinearSVM(C=1.0).fit(X, y), Perceptron(random_state=0).fit(X, y)
    console.print(table_of_claims(rest, kesler, X, y))
    with style.styled():
        figure = Figure(figsize=(12.5, 4.9), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        left, middle, right = figure.subplots(1, 3)
        draw_claims(left, rest, X, y)
        decision_line(rest, X, y, ax=middle, title="The largest of these\nscores decides", legend=False)
        decision_line(kesler, X, y, ax=right, title="A perceptron by\nKesler's construction", legend=False)
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
