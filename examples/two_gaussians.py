"""Two Gaussian classes, three ways to a line
==========================================

The perceptron, least mean squares and least squares on rows of two Gaussians.

The classes are N((1, 1), 0.2 I) and N((0, 0), 0.2 I). The best rule is the side of x1 + x2 = 1 (dash-dotted), and errs
with probability Phi(-sqrt(2.5)) = 5.69%.

Left: 50 rows a class that are on their own side of that line, so that a line separates them. The perceptron finds one,
not that one. Middle: 100 rows a class that overlap. LMS with the rate 0.01, which sees each row once, is on its way;
with more passes it goes on to the line of least squares, around which it then stays. Right: least squares goes there at
once, and its certificate says that nothing but rounding is left of the normal equations.

How often a line errs on new rows is computed from the two Gaussians, not counted.

Run it with:  python examples/two_gaussians.py [PICTURE]
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
from rich.table import Table as RichTable
from scipy.stats import norm

from separatrix import LeastSquaresClassifier, LMSClassifier, NotCertifiedWarning, Perceptron
from separatrix.data import Table, samples
from separatrix.report import decision_line
from separatrix.report.charts import style
from separatrix.report.charts.geometry import segment, view_of

SEED, RATE, PASSES = 0, 0.01, (1, 2, 5, 20)
BAYES = float(norm.cdf(-np.sqrt(2.5)))


def perceptron(table: Table) -> Perceptron:
    """A line that separates classes which can be separated: rows come in order, again and again."""
    return Perceptron(shuffle=False, max_iter=100_000).fit(table.X, table.labels)


def lms(table: Table, passes: int) -> LMSClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)  # it ends before it is done, as is shown here
        return LMSClassifier(learning_rate=RATE, max_iter=passes, random_state=SEED).fit(table.X, table.labels)


def true_error(model: Any) -> float:
    """How often w.x + b errs on new rows: Gaussian on either side."""
    w, b = model.coef_[0], float(model.intercept_[0])
    depths = np.array([w.sum() + b, -b]) / (np.sqrt(0.2) * np.linalg.norm(w))
    return float(norm.cdf(-depths).mean())


def table_of_errors(cut: Table, overlapping: Table) -> RichTable:
    """What each line gets wrong, and how far LMS is from least squares."""
    best = LeastSquaresClassifier().fit(overlapping.X, overlapping.labels)
    table = RichTable("rule", box=SIMPLE_HEAD, title="two Gaussian classes")
    for heading in ("rows", "wrong", "true error", "from least squares", "certificate"):
        table.add_column(heading, justify="right")
    models = {"perceptron": (perceptron(cut), cut)}
    models |= {f"LMS, passes: {passes}": (lms(overlapping, passes), overlapping) for passes in PASSES}
    models["least squares"] = best, overlapping
    for name, (model, data) in models.items():
        wrong = np.count_nonzero(model.predict(data.X) != data.labels)
        off = np.linalg.norm(extended(model) - extended(best)) / np.linalg.norm(extended(best))
        apart = "" if data is cut else f"{off:.1%}"
        proof = type(model.certificate_).__name__
        table.add_row(name, str(len(data.X)), str(wrong), f"{true_error(model):.2%}", apart, proof)
    table.add_row("best possible", "", "", f"{BAYES:.2%}", style="dim")
    return table


def extended(model: Any) -> np.ndarray:
    return np.append(model.coef_, model.intercept_)


def draw(ax: Any, model: Any, data: Table, title: str) -> None:
    """The rows, the line of a model, and the best line."""
    decision_line(model, data.X, data.labels, ax=ax, title=title)
    for line in [line for line in ax.lines if line.get_linestyle() == ":"]:
        line.remove()  # g = -1 and g = 1 are targets here, no margins
    ax.axline((0.0, 1.0), slope=-1.0, color=style.colour(2), linewidth=1.8, linestyle="-.", label="best line", zorder=2)
    ax.get_legend().remove()
    ax.set(xlabel="x1", ylabel="x2" if ax.get_subplotspec().is_first_col() else "")


def figure_of_lines(cut: Table, overlapping: Table) -> Figure:
    """One picture for each rule."""
    separating, once, often = perceptron(cut), lms(overlapping, 1), lms(overlapping, PASSES[-1])
    best = LeastSquaresClassifier().fit(overlapping.X, overlapping.labels)
    left = best.certificate_.stated
    with style.styled():
        figure = Figure(figsize=(12.0, 5.2), dpi=150, layout="compressed")
        FigureCanvasAgg(figure)
        axes = figure.subplots(1, 3)
        error = f"true error {true_error(separating):.1%}"
        draw(axes[0], separating, cut, f"Perceptron: {separating.n_updates_} corrections,\nall rows right, {error}")
        title = f"LMS, each row once, rate {RATE:g}:\ntrue error {true_error(once):.1%}, Bayes error {BAYES:.1%}"
        draw(axes[1], once, overlapping, title)
        ends = segment(often.coef_[0], float(often.intercept_[0]), view_of(overlapping.X))
        label = f"LMS after {PASSES[-1]} passes"
        axes[1].plot(*ends.T, color=style.colour(3), linewidth=1.8, linestyle="--", label=label, zorder=2)
        title = f"Least squares: true error {true_error(best):.1%},\nleft of its equations: {left:.0e}"
        draw(axes[2], best, overlapping, title)
        legend_of(figure, axes)
    return figure


def legend_of(figure: Figure, axes: np.ndarray) -> None:
    """One for all pictures: what is in any of them, without the numbers that are of one only."""
    found: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label.split(" (")[0].split(", 0.")[0], handle)
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=len(found))


def main() -> None:
    """Learn, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "two_gaussians.png"))
    picture = parser.parse_args().picture
    console = Console()
    cut, overlapping = samples.separable_pair(50, seed=SEED), samples.overlapping_pair(100, seed=SEED)
    console.print(table_of_errors(cut, overlapping))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_lines(cut, overlapping).savefig(picture)
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
