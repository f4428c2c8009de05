"""Setosa and the rest, by two rules
=================================

Five passes of the perceptron, five passes down the hinge loss, and the exact machine.

Iris in the plane of its first two principal directions, 120 rows to learn from and 30 to test with. A line separates
setosa from the rest, and the perceptron finds one within five passes; it stops as soon as it has one, wherever that is.
Stochastic steps down the regularised hinge loss (rate 0.1, l2 = 0.01) go on until every row has a margin, and come near
the soft-margin machine, which solves the same problem exactly: its line is beside theirs, with its band.

The table is over 20 random splits. A perceptron's line may be so near to the training rows that it cuts off a new one.

Run it with ``python examples/iris_by_two_rules.py [PICTURE]``.
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
from sklearn.decomposition import PCA
from sklearn.preprocessing import scale

from separatrix import LinearSVM, NotCertifiedWarning, Perceptron, StochasticClassifier, margins
from separatrix.data import samples
from separatrix.report.charts import style
from separatrix.report.charts.geometry import segment, view_of

SPLITS, SHOWN, L2 = 20, 3, 0.01
LINES = {"perceptron": ("--", 1), "five passes down the hinge": ("-.", 0), "exact soft margin": ("-", None)}
ALT = (
    "Two panels, 120 training rows and 30 test rows of iris in two principal components. The lines of the perceptron, "
    "of five passes down the hinge loss and of the exact soft margin all pass between setosa on the left and the "
    "rest; that of the perceptron runs nearest to the rows of one class, the exact one in the middle of its dotted "
    "band."
)


def setosa_or_not() -> tuple[np.ndarray, np.ndarray]:
    """Iris in its first two principal directions, standardised."""
    iris = samples.builtin("iris")
    return PCA(2).fit_transform(scale(iris.X)), np.where(iris.labels == "setosa", "setosa", "other")


def split(n_rows: int, n_test: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(seed).permutation(n_rows)
    return order[n_test:], order[:n_test]


def fitted(X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, Any]:
    """The three models; l2 ||w||^2 beside a mean is C = 1 / (2 l2 N) beside a sum."""
    stochastic = StochasticClassifier(loss="hinge", l2=L2, learning_rate=0.1, max_iter=5, random_state=seed)
    models = (Perceptron(max_iter=5, random_state=seed), stochastic, LinearSVM(C=1 / (2 * L2 * y.size)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)  # five passes are what the example is about
        return {name: model.fit(X, y) for name, model in zip(LINES, models, strict=True)}


def table_of_errors(X: np.ndarray, y: np.ndarray) -> Table:
    """Errors and the smallest margin over all splits."""
    table = Table("rule", box=SIMPLE_HEAD, title=f"120 rows to learn from, 30 to test with, {SPLITS} splits")
    for heading in ("training error", "test error", "worst split", "distance of the nearest row"):
        table.add_column(heading, justify="right")
    found: dict[str, list[Any]] = {name: [] for name in LINES}
    for seed in range(SPLITS):
        train, test = split(y.size, 30, seed)
        for name, model in fitted(X[train], y[train], seed).items():
            near = margins(model, X[train], y[train]).smallest_geometric.margin
            found[name].append([1 - model.score(X[train], y[train]), 1 - model.score(X[test], y[test]), near])
    for name, values in found.items():
        train_error, test_error, near = np.array(values).T
        cells = f"{train_error.mean():.2%}", f"{test_error.mean():.2%}", f"{test_error.max():.1%}"
        table.add_row(name, *cells, f"{near.mean():.3f}")
    return table


def draw(ax: Any, what: str, X: np.ndarray, y: np.ndarray, models: dict[str, Any], view: Any) -> None:
    """Rows and the lines of all models, with the band of the last."""
    classes, codes = np.unique(y, return_inverse=True)
    style.scatter(ax, X, codes, classes.tolist())
    for name, model in models.items():
        dashes, number = LINES[name]
        line = segment(model.coef_[0], float(model.intercept_[0]), view)
        tone = style.INK if number is None else style.COLOURS[3 - number]
        ax.plot(*line.T, linestyle=dashes, color=tone, linewidth=1.8, label=name, zorder=2)
    machine = models["exact soft margin"]
    for level in (-1.0, 1.0):
        line = segment(machine.coef_[0], float(machine.intercept_[0]) - level, view)
        ax.plot(*line.T, linestyle=":", color=style.INK, linewidth=1.1, zorder=1)
    style.axes_for(ax, view, ("first component", "second component"))
    wrong = ", ".join(str(np.count_nonzero(model.predict(X) != y)) for model in models.values())
    ax.set_title(f"{y.size} {what} rows; wrong: {wrong}")


def figure_of_a_split(X: np.ndarray, y: np.ndarray) -> Figure:
    """Training and test rows of one split."""
    train, test = split(y.size, 30, SHOWN)
    models, view = fitted(X[train], y[train], SHOWN), view_of(X)
    with style.styled():
        figure = Figure(figsize=(11.0, 5.6), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2)
        draw(left, "training", X[train], y[train], models, view)
        draw(right, "test", X[test], y[test], models, view)
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def main() -> None:
    """Learn, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "iris_by_two_rules.png"))
    picture = parser.parse_args().picture
    console, (X, y) = Console(), setosa_or_not()
    console.print(table_of_errors(X, y))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_a_split(X, y).savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
