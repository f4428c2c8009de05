"""Choose a penalty by cross-validation
====================================

The penalty and the learning rate of a logistic rule, for two kinds of iris.

Two kinds of iris, versicolor and virginica, in the plane of the first two principal directions. 20 of the 100 rows are
set aside for a test, and each setting is judged by ten folds of the others, with 100 passes of stochastic gradient
descent on::

    l2 ||w||^2 + mean log(1 + exp(-y (w.x + b)))

The left picture shows the error over l2: the smallest wins, and l2 = 1 doubles the error already, since the loss is a
mean and not a sum. With a large l2 the weights vanish, what is left is the bias, and its guess is no better than a
coin's. The right picture shows the error over the learning rate with l2 = 5: no rate makes up for such a penalty. What
looks like a gain at the largest rates is none: of the rows that were set aside, the chosen rate gets as many wrong as a
coin, as the table says.

Run it with ``python examples/choose_regularization.py [PICTURE] [--splits 20]``.
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
from sklearn.model_selection import KFold
from sklearn.preprocessing import scale

from separatrix import Choice, StochasticClassifier, choose
from separatrix.data import samples
from separatrix.report.charts import style

FOLDS, PASSES = 10, 100
PENALTIES, USUAL_RATE = np.arange(0.0, 21.0), 0.01
RATES, USUAL_PENALTY = np.arange(0.001, 0.1, 0.005), 5.0


def two_kinds_of_iris() -> tuple[np.ndarray, np.ndarray]:
    """Versicolor and virginica in the first two principal directions of all iris, standardised."""
    iris = samples.builtin("iris")
    plane, kept = PCA(2).fit_transform(scale(iris.X)), iris.labels != "setosa"
    return plane[kept], iris.labels[kept]


def choices(grid: dict[str, np.ndarray], n_splits: int, **options: float) -> list[Choice]:
    """What is chosen for each choice of the test rows."""
    X, y = two_kinds_of_iris()
    model = StochasticClassifier(loss="logistic", max_iter=PASSES, random_state=0, **options)
    folds = [KFold(FOLDS, shuffle=True, random_state=split) for split in range(n_splits)]
    return [choose(model, X, y, grid, folds=each, test=0.2, random_state=k) for k, each in enumerate(folds)]


def curves_of(found: list[Choice]) -> np.ndarray:
    """The error of each setting in each split: n_splits x settings."""
    return np.array([each.grid.mean for each in found])


def draw_curve(ax: Any, name: str, values: np.ndarray, curves: np.ndarray, colour: str) -> None:
    """The mean over the splits, a band of one standard deviation, and the best setting."""
    mean, spread = curves.mean(axis=0), curves.std(axis=0)
    best = int(mean.argmin())
    ax.fill_between(values, mean - spread, mean + spread, color=colour, alpha=0.2, linewidth=0, label="± one deviation")
    ax.plot(values, mean, "o-", color=colour, markersize=4, linewidth=1.6, label=f"mean of {len(curves)} splits")
    text = f"best: {name} {values[best]:.3g}, error {mean[best]:.0%}"
    ax.plot(
        values[best], mean[best], "*", color=style.INK, markersize=15, markeredgecolor="white", label=text, zorder=4
    )
    ax.axhline(0.5, color=style.FAINT, linewidth=1.0, linestyle="--", label="a coin", zorder=0)
    ax.legend(loc="lower right")


def figure_of(over_penalties: np.ndarray, over_rates: np.ndarray) -> Figure:
    """Both curves, to one scale."""
    from matplotlib.ticker import PercentFormatter

    with style.styled():
        figure = Figure(figsize=(10, 4.2), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2, sharey=True)
        draw_curve(left, "l2 =", PENALTIES, over_penalties, style.colour(0))
        draw_curve(right, "rate", RATES, over_rates, style.colour(1))
        left.set(xlabel="penalty l2", ylabel="cross-validated error", ylim=(0.0, 0.64))
        right.set(xlabel="learning rate")
        left.locator_params(axis="x", integer=True)
        left.set_title(f"Small penalties win (rate {USUAL_RATE:g})")
        right.set_title(f"No rate mends a large one (l2 = {USUAL_PENALTY:g})")
        left.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    return figure


def table_of(by_penalty: list[Choice], by_rate: list[Choice]) -> Table:
    """Some of the figures, and the test errors of what was chosen."""
    over_penalties, over_rates = curves_of(by_penalty), curves_of(by_rate)
    table = Table("setting", box=SIMPLE_HEAD, title="error, mean and deviation over the splits")
    table.add_column("mean", justify="right")
    table.add_column("deviation", justify="right")
    for j in (0, 1, 2, 5, 10, 20):
        curve = over_penalties[:, j]
        table.add_row(f"l2 = {PENALTIES[j]:g}, rate {USUAL_RATE:g}", f"{curve.mean():.1%}", f"{curve.std():.1%}")
    for j in (0, 10, len(RATES) - 1):
        curve = over_rates[:, j]
        table.add_row(f"l2 = {USUAL_PENALTY:g}, rate {RATES[j]:.3f}", f"{curve.mean():.1%}", f"{curve.std():.1%}")
    for name, found in (("l2", by_penalty), ("rate", by_rate)):
        tested = np.array([each.test_error for each in found])
        table.add_row(f"chosen {name}, on 20 test rows", f"{tested.mean():.1%}", f"{tested.std():.1%}")
    return table


def main() -> None:
    """Cross-validate, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "choose_regularization.png"))
    parser.add_argument("--splits", type=int, default=5, help="choices of the training rows, a second or two each")
    chosen = parser.parse_args()
    console = Console()
    with console.status("cross-validating ..."):
        by_penalty = choices({"l2": PENALTIES}, chosen.splits, learning_rate=USUAL_RATE)
        by_rate = choices({"learning_rate": RATES}, chosen.splits, l2=USUAL_PENALTY)
    console.print(table_of(by_penalty, by_rate))
    chosen.picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of(curves_of(by_penalty), curves_of(by_rate)).savefig(chosen.picture)
    console.print(f"The picture is {chosen.picture}.", highlight=False)


if __name__ == "__main__":
    main()
