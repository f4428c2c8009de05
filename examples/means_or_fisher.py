"""The line of the means, or Fisher's
==================================

Two long classes side by side: projected on the line between their means they overlap, on Fisher's they do not.

The direction from one mean to the other keeps the projected means as far apart as can be, but looks at nothing else
(left, with the histogram of the projections below). Fisher's direction S_w^-1 (m_1 - m_0) gives up some of that
distance for a small spread within the classes (right). His criterion J is the squared distance of the projected means
over the scatter within; it is never larger for the means than for Fisher's direction, whatever the data.

The table also has the barycentric correction procedure, which begins with the line of the means and then gives more
weight to rows on the wrong side, so that the means move until they separate the classes.

Run it with ``python examples/means_or_fisher.py [PICTURE]``.
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

from separatrix import BarycentricClassifier, FisherDiscriminant, Hyperplane, fisher_ratio
from separatrix.report.charts import style
from separatrix.report.charts.geometry import view_of

ROWS, SEED = 60, 1
ALT = (
    "Two columns. Above, two long, slanted classes side by side with the line that they are projected on: the line "
    "through their means on the left, Fisher's direction on the right. Below, histograms of the projections: on the "
    "left they overlap widely, on the right they are apart."
)


def long_classes() -> tuple[np.ndarray, np.ndarray]:
    """Two Gaussian classes with one slanted covariance."""
    random, y = np.random.default_rng(SEED), np.repeat([0, 1], ROWS)
    factor = np.linalg.cholesky([[2.2, 2.05], [2.05, 2.0]])
    return random.standard_normal((2 * ROWS, 2)) @ factor.T + np.outer(y, [2.2, 0.4]), y


def directions(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Unit vectors of both."""
    means = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    fisher = FisherDiscriminant().fit(X, y).coef_[0]
    return {"the means": means / np.linalg.norm(means), "Fisher": fisher / np.linalg.norm(fisher)}


def table_of_ratios(X: np.ndarray, y: np.ndarray) -> Table:
    """J and errors of each direction."""
    table = Table("direction", box=SIMPLE_HEAD)
    for heading in ("J", "distance of the means", "wrong, best threshold"):
        table.add_column(heading, justify="right")
    rows = directions(X, y)
    for steps in (1, 5, 1000):
        w = BarycentricClassifier(max_iter=steps).fit(X, y).coef_[0]
        rows[f"barycentric, {steps} step{'s' * (steps > 1)}"] = w / np.linalg.norm(w)
    for name, w in rows.items():
        z = X @ w
        wrong = min(np.count_nonzero((z > cut) != y) for cut in z)
        apart = abs(z[y == 1].mean() - z[y == 0].mean())
        table.add_row(name, f"{fisher_ratio(X, y, w):.4f}", f"{apart:.2f}", str(wrong))
    return table


def draw(above: Any, below: Any, name: str, w: np.ndarray, X: np.ndarray, y: np.ndarray) -> None:
    """Rows with the line that they are projected on, and the histogram of what comes out."""
    style.scatter(above, X, y, ["class 0", "class 1"], size=22)
    view, middle = view_of(X), X.mean(axis=0)
    ends = np.array([middle - 8 * w, middle + 8 * w])
    above.plot(*ends.T, color=style.INK, linewidth=1.8)
    along = Hyperplane([-w[1], w[0]], float(w[1] * middle[0] - w[0] * middle[1]))
    for x, foot in zip(X[::6], along.feet(X[::6]), strict=True):
        above.plot(*np.array([x, foot]).T, color=style.RULE, linewidth=0.8, zorder=0)
    centres = np.array([X[y == c].mean(axis=0) for c in (0, 1)])
    above.plot(*centres.T, "P", color=style.INK, markersize=9, markeredgecolor="white", zorder=5)
    style.axes_for(above, view, ("x1", "x2"))
    above.set_title(f"Direction: {name}, J = {fisher_ratio(X, y, w):.3f}")
    z = (X - middle) @ w
    bins = np.linspace(z.min(), z.max(), 25)
    for number in (0, 1):
        below.hist(
            z[y == number], bins, color=style.colour(number), alpha=0.6, edgecolor="white", label=f"class {number}"
        )
    below.set(xlabel="projection w.x", ylabel="rows")


def main() -> None:
    """Project, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "means_or_fisher.png"))
    picture = parser.parse_args().picture
    console, (X, y) = Console(), long_classes()
    console.print(table_of_ratios(X, y))
    with style.styled():
        figure = Figure(figsize=(10.5, 8.2), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(2, 2, height_ratios=[2.0, 1.0])
        for column, (name, w) in zip(grid.T, directions(X, y).items(), strict=True):
            draw(*column, name, w, X, y)
        handles, labels = grid[1, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
