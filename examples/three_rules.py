"""Three rules on classes that come closer
=======================================

Two Gaussian classes that come closer, and what each rule makes of overlap.

200 rows, half from N((-a, 0), I) and half from N((a, 0), I), for a = 5, 2 and 1; as many new ones to test with. The
best rule of all is the side of x1 = 0 (dashed), and errs with probability Phi(-a): the Bayes error.

Far apart, all are right: the perceptron with whichever line came first, least squares and LMS with one near the middle.
With overlap the perceptron has no line to stop at, and its last one depends on the last rows that it met. Least squares
stays near the best rule, and LMS near least squares. The table has the logistic rule besides.

Large marks are the rows that were learned from, small ones the new rows; of the former, what a line gets wrong is
crossed out.

Run it with ``python examples/three_rules.py [PICTURE]``.
"""

import argparse
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from scipy.stats import norm

from separatrix import LeastSquaresClassifier, LMSClassifier, LogisticClassifier, NotCertifiedWarning, Perceptron
from separatrix.data import Table, samples
from separatrix.report import decision_line
from separatrix.report.charts import style

OFFSETS, SEED, REPEATS = (5, 2, 1), 0, 20


class Experiment(NamedTuple):
    """Rows to learn from, new rows of the same classes, and their offset a."""

    train: Table
    test: Table
    offset: float

    def errors(self, model: Any) -> tuple[float, float]:
        """The parts of the rows that a fitted model gets wrong."""
        train, test = (1 - model.score(table.X, table.labels) for table in (self.train, self.test))
        return train, test


def experiment(offset: float, seed: int) -> Experiment:
    train, test = (samples.gaussian_pair(offset, n_rows=200, seed=(seed, part)) for part in (0, 1))
    return Experiment(train, test, offset)


def rules(seed: int) -> dict[str, Any]:
    """The three rules, and a fourth to compare them with."""
    return {
        "perceptron": Perceptron(max_iter=100, random_state=seed),
        "least squares": LeastSquaresClassifier(),
        "LMS": LMSClassifier(max_iter=100, random_state=seed),
        "logistic": LogisticClassifier(),
    }


def fitted(data: Experiment, seed: int) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)  # the errors say it
        return {name: model.fit(data.train.X, data.train.labels) for name, model in rules(seed).items()}


def table_of_errors() -> RichTable:
    """Mean errors over repeated draws, beside the Bayes error."""
    table = RichTable("rule", box=SIMPLE_HEAD, title=f"training and test error, means of {REPEATS} draws")
    for offset in OFFSETS:
        table.add_column(f"a = {offset}", justify="right")
    columns = []
    for offset in OFFSETS:
        drawn = [(experiment(offset, seed), seed) for seed in range(REPEATS)]
        found = [[data.errors(model) for model in fitted(data, seed).values()] for data, seed in drawn]
        columns.append(np.mean(found, axis=0))
    for j, name in enumerate(rules(0)):
        table.add_row(name, *(f"{column[j, 0]:.2%}  {column[j, 1]:.2%}" for column in columns))
    table.add_row("best possible", *(f"{norm.cdf(-offset):.2%}" for offset in OFFSETS), style="dim")
    return table


def draw(ax: Any, model: Any, data: Experiment, title: str) -> None:
    """The rows, the line of a model, and the best line."""
    decision_line(model, data.train.X, data.train.labels, ax=ax, title=title)
    for line in [line for line in ax.lines if line.get_linestyle() == ":"]:
        line.remove()  # g = -1 and g = 1 mean something else for each rule
    for number, label in enumerate(model.classes_):
        new = data.test.X[data.test.labels == label]
        ax.scatter(*new.T, s=5, color=style.colour(number), marker=style.marker(number), alpha=0.5, linewidths=0)
    ax.axvline(0.0, color=style.colour(2), linewidth=1.8, linestyle="-.", label="best line, x1 = 0", zorder=2)
    ax.get_legend().remove()


def name_and_errors(name: str, data: Experiment, model: Any) -> str:
    train, test = data.errors(model)
    return f"{name}: {train:.1%} / {test:.1%}"


def legend_of(figure: Figure, grid: np.ndarray) -> None:
    """One for all pictures: what is in any of them, without the numbers that are of one only."""
    found = {}
    for ax in grid.ravel():
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label.split(" (")[0].split(", 1.")[0].split(", 2.")[0], handle)
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=len(found))


def figure_of_lines() -> Figure:
    """A row for each offset, a column for each rule."""
    with style.styled():
        figure = Figure(figsize=(11.5, 9.4), dpi=150, layout="compressed")
        FigureCanvasAgg(figure)
        grid = figure.subplots(3, 3, height_ratios=[2.0, 3.0, 3.6])
        for row, offset in zip(grid, OFFSETS, strict=True):
            data = experiment(offset, SEED)
            for ax, (name, model) in zip(row, fitted(data, SEED).items(), strict=False):
                draw(ax, model, data, name_and_errors(name, data, model))
                ax.set(xlabel="x1" if offset == OFFSETS[-1] else "", ylabel="x2" if ax is row[0] else "")
            bayes = norm.cdf(-offset)
            row[0].set_ylabel(f"a = {offset}\nBayes error {f'{bayes:.1%}' if bayes > 0.001 else '< 0.1%'}\n\nx2")
        figure.suptitle(
            "Classes with means (−a, 0) and (a, 0): training error / test error of three rules", fontsize=14
        )
        legend_of(figure, grid)
    return figure


def main() -> None:
    """Learn, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "three_rules.png"))
    picture = parser.parse_args().picture
    console = Console()
    with console.status("learning ..."):
        console.print(table_of_errors())
        picture.parent.mkdir(parents=True, exist_ok=True)
        figure_of_lines().savefig(picture)
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
