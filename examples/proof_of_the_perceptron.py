"""Why a perceptron ends
=====================

The length of w between two bounds that must cross.

Each correction adds a row that was on the wrong side. So the part of w along the best plane grows by the margin gamma
at least, and the square of its length by R^2 at most: after t corrections from zero, t gamma <= ||w|| <= sqrt(t) R. The
first bound is a straight line and the second is not, so that they cross, at t = (R / gamma)^2: there the perceptron
must have ended (left, where it ends long before). The smaller the margin, the later they cross (right): corrections of
the perceptron over (R / gamma)^2 for classes with planted margins, in random order, all below the diagonal.

The table is for the batch perceptron, which corrects for all wrong rows at once: its bound is beta^2 / (gamma^2 rho (2
- rho)) with beta the length of the longest sum of rows, and it is seldom near what happens.

Run it with ``python examples/proof_of_the_perceptron.py [PICTURE]``.
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

from separatrix import Perceptron, batch_bound, mistake_bound, weight_norms
from separatrix.data import samples
from separatrix.report.charts import style

RATIOS = (0.3, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01)
ALT = (
    "Left: the length of w after each correction lies between the line t gamma and the curve root t times R, which "
    "cross at some 70 corrections; the run ends well before. Right: corrections against the bound for planted "
    "margins, on logarithmic axes, all points below the diagonal."
)


def draw_norms(ax: Any) -> None:
    """The lengths along a run, and both bounds until they cross."""
    data, _ = samples.planted_margin(150, 10, ratio=0.12, seed=9)
    found = weight_norms(Perceptron(record=True, random_state=3).fit(data.X, data.labels))
    crossing = (found.radius / found.gamma) ** 2
    t = np.linspace(0.0, 1.08 * crossing, 200)
    ax.plot(t, np.sqrt(t) * found.radius, color=style.colour(1), linewidth=1.8, label="√t R, at most")
    ax.plot(t, t * found.gamma, color=style.colour(0), linewidth=1.8, label="t γ, at least")
    ax.plot(found.norms, "o-", color=style.INK, markersize=3.5, linewidth=1.2, label="||w|| along the run")
    ax.axvline(crossing, color=style.FAINT, linestyle=":")
    ax.text(0.98 * crossing, 0.06 * t[-1] * found.gamma, f"(R / γ)² = {crossing:.0f}", ha="right", color=style.FAINT)
    ax.set(xlabel="corrections t", ylabel="||[w, b]||", xlim=(0, t[-1]), ylim=(0, None))
    ax.set_title(f"A run of {found.norms.size - 1} corrections")
    ax.legend(loc="upper left")


def draw_mistakes(ax: Any) -> None:
    """Corrections over the bound, for several margins and orders."""
    for number, d in enumerate((2, 10)):
        points = []
        for ratio in RATIOS:
            for seed in range(5):
                data, _ = samples.planted_margin(200, d, ratio=ratio, seed=seed)
                model = Perceptron(random_state=seed, max_iter=100_000).fit(data.X, data.labels)
                points.append([mistake_bound(data.X, data.labels), model.n_updates_])
        look = {"color": style.colour(number), "marker": style.marker(number), "edgecolors": "white", "linewidths": 0.4}
        ax.scatter(*np.array(points).T, s=26, label=f"{d} features", **look)
    ends = np.array([3.0, 3e4])
    ax.plot(ends, ends, color=style.INK, linewidth=1.2)
    ax.text(300.0, 420.0, "as many as the bound", rotation=37, ha="center")
    ax.set(xscale="log", yscale="log", xlabel="(R / γ)²", ylabel="corrections", title="Corrections and their bound")
    ax.legend(loc="lower right")


def table_of_batches() -> Table:
    """Steps of the batch perceptron and their bound."""
    table = Table("margin / R", box=SIMPLE_HEAD, title="batch perceptron, 15 rows, rate 1")
    for heading in ("gamma", "beta", "steps at most", "steps made"):
        table.add_column(heading, justify="right")
    for ratio in RATIOS[:5]:
        data, _ = samples.planted_margin(15, 2, ratio=ratio, seed=0)
        bound = batch_bound(data.X, data.labels)
        made = Perceptron(update="batch", max_iter=100_000).fit(data.X, data.labels).n_iter_ - 1
        table.add_row(f"{ratio:g}", f"{bound.gamma:.3f}", f"{bound.beta:.2f}", f"{bound.steps:,.0f}", str(made))
    return table


def main() -> None:
    """Run, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "proof_of_the_perceptron.png"))
    picture = parser.parse_args().picture
    console = Console()
    console.print(table_of_batches())
    with style.styled():
        figure = Figure(figsize=(11.0, 4.8), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2)
        draw_norms(left)
        draw_mistakes(right)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
