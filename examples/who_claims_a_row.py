"""Claims of one against the rest
==============================

Three classes, three planes, seven regions: some that no plane claims, some that two claim.

Each of three classes can be separated from the other two by a line, and every training row is on the positive side of
the line of its own class alone. The lines divide the plane into more than three regions all the same. In the middle all
three are negative, and beyond the crossings two are positive. No row of the fit is there, but new rows may be.
``OneVsRest.indeterminate`` says which these are, and the largest score decides about them, along the thin lines.

With a Gaussian kernel (right) a class claims what is near its own rows, and no class claims what is far from all: rows
of a kind that was never seen may be told by that. The table counts the new rows that one class claims, none, or
several. Errors are many times as frequent among the last two.

Run it with ``python examples/who_claims_a_row.py [PICTURE]``.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from separatrix import KernelSVM, LinearSVM, OneVsRest
from separatrix.report import claims_chart
from separatrix.report.charts import style

CENTRES = np.array([[0.0, 3.2], [-2.8, -1.6], [2.8, -1.6]])
MACHINES = {"lines": LinearSVM(C=1000.0), "a Gaussian kernel": KernelSVM(gamma=0.3, C=1000.0)}


def three_classes(n_rows: int, spread: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows around three centres."""
    y = np.arange(n_rows) % 3
    return CENTRES[y] + spread * np.random.default_rng(seed).standard_normal((n_rows, 2)), np.array(list("abc"))[y]


def table_of_claims(models: dict[str, OneVsRest]) -> Table:
    """How many new rows one class claims, none, or several, and how many of each are wrong."""
    table = Table("classes told apart by", "claimed by", box=SIMPLE_HEAD, title="new rows, scattered twice as far")
    for heading in ("rows", "wrong"):
        table.add_column(heading, justify="right")
    X, y = three_classes(3000, 1.4, seed=2)
    for name, model in models.items():
        count, wrong = model.indeterminate(X).count, model.predict(X) != y
        for words, these in (("one class", count == 1), ("none", count == 0), ("several", count > 1)):
            share = f"{wrong[these].mean():.1%}" if these.any() else ""
            table.add_row(name, words, str(np.count_nonzero(these)), share)
    return table


def figure_of_claims(models: dict[str, OneVsRest], X: np.ndarray, y: np.ndarray) -> Figure:
    """The regions of all machines."""
    with style.styled():
        figure = Figure(figsize=(12.5, 6.4), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(1, 2)
        for ax, (name, model) in zip(axes, models.items(), strict=True):
            claims_chart(model, X, y, ax=ax, title=f"Each class told from the rest by {name}", legend=False)
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    return figure


def main() -> None:
    """Fit, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "who_claims_a_row.png"))
    picture = parser.parse_args().picture
    console = Console()
    X, y = three_classes(45, 0.7, seed=1)
    models = {name: OneVsRest(machine).fit(X, y) for name, machine in MACHINES.items()}
    console.print(table_of_claims(models))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_claims(models, X, y).savefig(picture)
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
