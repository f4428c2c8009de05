"""The error of a choice on pure noise
===================================

Labels that are dealt out at random, and a kernel machine with ten settings to choose from.

No classifier can do better than one error in two here. Yet of ten settings the one that erred least in cross-validation
erred less: it was chosen for it. Rows that were set aside before, and used once, know nothing of the choice, and their
error is that of a coin on average. `choose` sets them aside by itself.

Every draw has 80 rows of noise with labels by coin, half of which are set aside. The left picture shows both errors of
all draws, the right one how the error that was chosen by falls as more settings are tried.

Run it with ``python examples/choose_on_noise.py [PICTURE] [--draws 200]``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from rich.console import Console

from separatrix import KernelSVM, choose
from separatrix.report.charts import style

ROWS, COLUMNS = 80, 3
GRID = {"C": [1.0, 30.0], "gamma": [0.1, 0.3, 1.0, 3.0, 10.0]}


def noise(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that say nothing about their labels."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((ROWS, COLUMNS)), rng.integers(0, 2, ROWS)


def drawn(n_draws: int) -> tuple[np.ndarray, np.ndarray]:
    """The cross-validated error of every setting, and the test error of the chosen one, in each draw."""
    found = [choose(KernelSVM(), *noise(seed), GRID, test=0.5, random_state=seed) for seed in range(n_draws)]
    return np.array([each.grid.mean.ravel() for each in found]), np.array([each.test_error for each in found])


def interval(values: np.ndarray) -> str:
    """A mean with its standard error, as text."""
    return f"{values.mean():.1%} ± {values.std(ddof=1) / np.sqrt(values.size):.1%}"


def draw_histograms(ax: Any, chosen: np.ndarray, tested: np.ndarray) -> None:
    """Both errors of all draws."""
    edges = np.arange(0.1625, 0.85, 0.025)
    names = (f"chosen by: {interval(chosen)}", f"tested once: {interval(tested)}")
    for values, name, colour in zip((chosen, tested), names, (style.colour(1), style.colour(0)), strict=True):
        ax.hist(values, edges, color=colour, alpha=0.6, label=name, edgecolor="white", linewidth=0.5)
        ax.axvline(values.mean(), ymax=0.75, color=colour, linewidth=2.0)
    ax.axvline(0.5, ymax=0.75, color=style.INK, linewidth=1.0, linestyle="--", label="the truth")
    ax.set(xlabel="error of the chosen setting", ylabel=f"of {chosen.size} draws")
    ax.legend(loc="upper right")
    ax.set_ylim(top=1.45 * ax.get_ylim()[1])
    ax.set_title("The error that was chosen by is too small", loc="left")


def draw_growth(ax: Any, errors: np.ndarray, tested: np.ndarray) -> None:
    """The least error of the first settings, by their number, in an order that is drawn for each draw."""
    orders = np.random.default_rng(0).permuted(errors, axis=1)
    least = np.minimum.accumulate(orders, axis=1)
    counts = np.arange(1, errors.shape[1] + 1)
    spread = least.std(axis=0, ddof=1) / np.sqrt(len(least))
    ax.fill_between(counts, least.mean(0) - spread, least.mean(0) + spread, color=style.colour(1), alpha=0.2, lw=0)
    ax.plot(counts, least.mean(axis=0), "o-", color=style.colour(1), label="least of so many settings")
    ax.axhline(tested.mean(), color=style.colour(0), linewidth=2.0, label="test rows")
    ax.axhline(0.5, color=style.INK, linewidth=1.0, linestyle="--", label="the truth")
    ax.set(xlabel="settings that are tried", ylabel="error", xticks=counts, yticks=np.arange(0.36, 0.55, 0.02))
    ax.set_ylim(0.36, 0.54)
    ax.legend(loc="lower left")
    ax.set_title("The more settings, the more so", loc="left")


def figure_of(errors: np.ndarray, tested: np.ndarray) -> Figure:
    """Both pictures."""
    from matplotlib.ticker import PercentFormatter

    with style.styled():
        figure = Figure(figsize=(10, 4.2), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2)
        draw_histograms(left, errors.min(axis=1), tested)
        draw_growth(right, errors, tested)
        left.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        right.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    return figure


def main() -> None:
    """Draw noise, choose, test, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "choose_on_noise.png"))
    parser.add_argument("--draws", type=int, default=200, help="about ten a second")
    chosen = parser.parse_args()
    console = Console()
    with console.status("choosing ..."):
        errors, tested = drawn(chosen.draws)
    console.print(f"cross-validated error of the chosen setting: {interval(errors.min(axis=1))}")
    console.print(f"its error on rows that were set aside: {interval(tested)}")
    chosen.picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of(errors, tested).savefig(chosen.picture)
    console.print(f"The picture is {chosen.picture}.", highlight=False)


if __name__ == "__main__":
    main()
