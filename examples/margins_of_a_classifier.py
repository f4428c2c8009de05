"""Margins of lines that make no error
===================================

How good is a line that makes no error? Look at its margins.

Setosa and the other kinds of iris, in the plane of the first two principal directions, are separated by many lines.
Above, the lines that three rules end with; the dashed ones run through the nearest rows. Below, how far all rows are
from each line. A classifier is as safe as its smallest margin, and the whole histogram shows how many rows are near it.

The perceptron stops at the first line that separates, however near to a row. The relaxation method asks each row for
y (w.x + b) >= 1 and mends by just so much, which tends to leave more room. A support vector machine without slack has
the largest margin of all lines, which its certificate proves. What the first two find depends on the order of the
rows, so the table has twenty orders; the average of all lines that the perceptron passed through is in it too,
which need not even separate: a margin below 0 is an error.

Run it with ``python examples/margins_of_a_classifier.py [PICTURE]``.
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
from sklearn.decomposition import PCA
from sklearn.preprocessing import scale

from separatrix import LinearSVM, Perceptron, RelaxationClassifier, margins
from separatrix.data import samples
from separatrix.report import decision_line, margin_histogram
from separatrix.report.charts import style

SEED, ORDERS = 1, 20


def rules(seed: int) -> dict[str, Any]:
    """What is compared."""
    return {
        "perceptron": Perceptron(random_state=seed),
        "averaged perceptron": Perceptron(averaged=True, random_state=seed),
        "relaxation": RelaxationClassifier(random_state=seed),
        "largest margin": LinearSVM(C=np.inf),
    }


def setosa_or_not() -> tuple[np.ndarray, np.ndarray]:
    """Iris in its first two principal directions, standardised; setosa against the rest."""
    iris = samples.builtin("iris")
    return PCA(2).fit_transform(scale(iris.X)), np.where(iris.labels == "setosa", "setosa", "other")


def table_of_margins(X: np.ndarray, y: np.ndarray) -> Table:
    """The smallest margins that each rule ends with."""
    table = Table("rule", box=SIMPLE_HEAD, title=f"smallest margin, over {ORDERS} orders of the rows")
    for heading in ("least", "median", "most"):
        table.add_column(heading, justify="right")
    for name in rules(0):
        fitted = (rules(seed)[name].fit(X, y) for seed in range(ORDERS))
        smallest = [margins(model, X, y).smallest_geometric.margin for model in fitted]
        table.add_row(name, *(f"{value:.3f}" for value in np.quantile(smallest, [0.0, 0.5, 1.0])))
    return table


def draw_column(line: Any, bars: Any, name: str, model: Any, X: np.ndarray, y: np.ndarray) -> None:
    """The line of a model above, its margins below."""
    nearest = margins(model, X, y).smallest_geometric.margin
    decision_line(model, X, y, ax=line, feature_names=("first component", "second component"), title=name)
    margin_histogram(model, X, y, ax=bars, bins=np.arange(0.0, 4.51, 0.25), title=f"smallest margin {nearest:.2f}")
    bars.axvline(0.0, color=style.INK, linewidth=1.2)
    for bar in bars.patches:
        bar.set_facecolor(style.FAINT)  # rows of both classes; above, colours are classes
    for ax in (line, bars):
        ax.get_legend().remove()


def figure_of_margins(X: np.ndarray, y: np.ndarray) -> Figure:
    """Lines above, histograms below, all to one scale."""
    models = {name: model.fit(X, y) for name, model in rules(SEED).items() if name != "averaged perceptron"}
    with style.styled():
        figure = Figure(figsize=(12.5, 7.8), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(h_pad=0.12)
        above, below = figure.subplots(2, 3, sharey="row", height_ratios=[1.35, 1])
        for line, bars, (name, model) in zip(above, below, models.items(), strict=True):
            draw_column(line, bars, name, model, X, y)
        below[0].set_ylim(0, 1.06 * max(bar.get_height() for ax in below for bar in ax.patches))
        for ax in (*above[1:], *below[1:]):
            ax.set_ylabel("")
        handles, labels = above[0].get_legend_handles_labels()
        labels = ["line" if label.startswith("line") else label.split(",")[0] for label in labels]
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def main() -> None:
    """Fit, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "margins_of_a_classifier.png"))
    picture = parser.parse_args().picture
    console = Console()
    X, y = setosa_or_not()
    console.print(table_of_margins(X, y))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_margins(X, y).savefig(picture)
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
