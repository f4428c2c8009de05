"""The pocket, where no line separates
===================================

The last line of a perceptron, and the best one that it passed through.

Versicolor and virginica in the plane of the first two principal directions of iris overlap, so that the perceptron is
never done. Its training errors go up and down with each correction (right picture); whichever line it has when the
passes are over is its answer. The pocket keeps the best line so far, so that its errors only go down.

The table is over 20 random splits, 80 rows to learn from and 20 to test with, 5 passes. The pocket halves the training
error of the perceptron or nearly so; on 20 new rows it gains less, as its line was chosen for the training rows.

With `--heart FILE`, a CSV of the Cleveland heart disease data whose target column is named by `--target`, the same is
done for that: 238 rows to learn from, 59 to test with, 50 passes, all 13 features or three principal components.
Standardisation and components are computed from all rows, as in the book whose figures are shown beside ours.

Run it with ``python examples/pocket_or_perceptron.py [PICTURE] [--heart FILE [--target disease]]``.
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

from separatrix import NotCertifiedWarning, Perceptron, PocketPerceptron, read_table
from separatrix.data import samples
from separatrix.report.charts import style
from separatrix.report.charts.geometry import segment, view_of

SPLITS, SHOWN = 20, 9  # a split whose errors are near those of the book
RULES = {"perceptron": Perceptron, "pocket": PocketPerceptron}
LINES = {"perceptron": (style.FAINT, "--"), "pocket": (style.INK, "-")}
BOOK = {  # training and test error of one split
    ("iris, 2 components", "perceptron"): "16.3% / 20.0%",
    ("iris, 2 components", "pocket"): "10.0% / 10.0%",
    ("heart, 13 features", "perceptron"): "17.2% / 27.1%",
    ("heart, 13 features", "pocket"): "11.3% / 17%",
    ("heart, 3 components", "perceptron"): "20.6% / 33.9%",
    ("heart, 3 components", "pocket"): "13.5% / 22.0%",
}


def two_kinds_of_iris() -> tuple[np.ndarray, np.ndarray]:
    """Versicolor and virginica in the first two principal directions of all iris, standardised."""
    iris = samples.builtin("iris")
    plane, kept = PCA(2).fit_transform(scale(iris.X)), iris.labels != "setosa"
    return plane[kept], iris.labels[kept]


def split(n_rows: int, n_test: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(seed).permutation(n_rows)
    return order[n_test:], order[:n_test]


def fitted(rule: str, X: np.ndarray, y: np.ndarray, passes: int, seed: int, **options: Any) -> Any:
    """A model after so many passes; the pocket's patience is more than the corrections there can be."""
    if rule == "pocket":
        options["patience"] = passes * y.size + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)  # no line separates these classes
        return RULES[rule](max_iter=passes, random_state=seed, **options).fit(X, y)


def errors(rule: str, X: np.ndarray, y: np.ndarray, n_test: int, passes: int) -> np.ndarray:
    """Training and test error for each split."""
    found = []
    for seed in range(SPLITS):
        train, test = split(y.size, n_test, seed)
        model = fitted(rule, X[train], y[train], passes, seed)
        found.append([1 - model.score(X[rows], y[rows]) for rows in (train, test)])
    return np.array(found)


def add_rows(table: Table, name: str, X: np.ndarray, y: np.ndarray, n_test: int, passes: int) -> None:
    """What both rules do on some data."""
    table.add_row(name, style="bold cyan")
    for rule in RULES:
        found = errors(rule, X, y, n_test, passes)
        ours = [
            f"{mean:.1%} ± {spread:.1%}" for mean, spread in zip(found.mean(axis=0), found.std(axis=0), strict=True)
        ]
        table.add_row(f"  {rule}", *ours, BOOK[name, rule])


def draw_rows(ax: Any, what: str, X: np.ndarray, y: np.ndarray, models: dict[str, Any]) -> None:
    """Rows, with the line of each model; the title says how many of them it gets wrong."""
    classes, codes = np.unique(y, return_inverse=True)
    style.scatter(ax, X, codes, classes.tolist())
    view = view_of(two_kinds_of_iris()[0])
    for rule, model in models.items():
        line = segment(model.coef_[0], float(model.intercept_[0]), view)
        colour, dashes = LINES[rule]
        if line is not None:
            ax.plot(*line.T, color=colour, linestyle=dashes, linewidth=1.8, label=rule, zorder=2)
    style.axes_for(ax, view, ("first component", "second component"))
    wrong = (f"{rule}: {np.count_nonzero(model.predict(X) != y)} wrong" for rule, model in models.items())
    ax.set_title("\n".join([f"{y.size} {what} rows", *wrong]))


def draw_run(ax: Any, trace: Any, y: np.ndarray) -> None:
    """Training errors after each correction, and the fewest so far."""
    problem = trace.problem
    rows, signs = np.column_stack([problem.X, np.ones(y.size)]), np.where(problem.y == 1, 1, -1)
    wrong = np.array([np.count_nonzero(signs * (rows @ w) <= 0) for w in trace.iterates()])[1:]
    wrong, number = np.append(wrong, wrong[-1]), np.arange(1, wrong.size + 2)
    ax.step(number, wrong, where="post", color=style.FAINT, linewidth=1.1)
    ax.step(number, np.minimum.accumulate(wrong), where="post", color=style.INK, linewidth=2.0)
    ax.set(xlabel="correction", ylabel=f"wrong of {y.size} training rows", ylim=(0, None), xlim=(1, wrong.size))
    ax.set_title("Training errors along the run:\nthe perceptron's go up and down,\nthe pocket's only down")


def figure_of_a_split() -> Figure:
    """Both lines on the training rows and on the test rows of one split, and the run that led to them."""
    X, y = two_kinds_of_iris()
    train, test = split(y.size, 20, SHOWN)
    models = {rule: fitted(rule, X[train], y[train], 5, SHOWN, record=True) for rule in RULES}
    with style.styled():
        figure = Figure(figsize=(11.5, 5.0), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        left, middle, right = figure.subplots(1, 3, width_ratios=[1, 1, 1.4])
        draw_rows(left, "training", X[train], y[train], models)
        draw_rows(middle, "test", X[test], y[test], models)
        draw_run(right, models["pocket"].trace_, y[train])
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def main() -> None:
    """Compare, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "pocket_or_perceptron.png"))
    parser.add_argument("--heart", type=Path, metavar="FILE", help="Cleveland heart disease data as CSV")
    parser.add_argument("--target", default="disease", help="its column of labels")
    chosen = parser.parse_args()
    console = Console()
    table = Table("rule", box=SIMPLE_HEAD, title=f"errors, mean ± deviation over {SPLITS} splits")
    for heading in ("training", "test", "book's split"):
        table.add_column(heading, justify="right")
    add_rows(table, "iris, 2 components", *two_kinds_of_iris(), 20, 5)
    if chosen.heart:
        heart = read_table(chosen.heart, target=chosen.target)
        X = scale(heart.X)
        add_rows(table, "heart, 13 features", X, heart.labels, 59, 50)
        add_rows(table, "heart, 3 components", PCA(3).fit_transform(X), heart.labels, 59, 50)
    console.print(table)
    chosen.picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_a_split().savefig(chosen.picture)
    console.print(f"The picture is {chosen.picture}.", highlight=False)


if __name__ == "__main__":
    main()
