"""Loss functions
==============

What a score costs: by its margin for classes, by its residual for numbers.

For classes, y = -1 or +1, every loss is a function of the margin m = y g(x) (left). The number of errors is a step,
which no gradient leads down from. The perceptron's loss is 0 as soon as a row is on its own side; the hinge asks for a
margin of 1; its square, the logistic and the exponential loss are smooth. The hinge and its square, the exponential
loss and the logistic one over log 2 lie above the step, so that a small risk means few errors.

For numbers, a loss is a function of the residual r = y - g(x) (right). The epsilon-insensitive loss of support vector
regression is 0 within a tube, so that rows in the tube support nothing; its squared form is r^2 - epsilon.

The table has the empirical risk of three classifiers by each of these losses: each is best by the one that it
minimises.

Run it with ``python examples/loss_functions.py [PICTURE]``.
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

from separatrix import LeastSquaresClassifier, LinearSVM, LogisticClassifier, empirical_risk
from separatrix.analysis.empirical_risk import OF_MARGIN
from separatrix.data import samples
from separatrix.objectives import Kind, Loss, value
from separatrix.report.charts import style

EPSILON = 1.0
LOSSES = ("zero_one", "hinge", "logistic", "squared")
DASHES = ("-", "-", "--", "-.", ":")
ALT = (
    "Left: six losses over the margin from -2 to 3: the step of the errors, and the perceptron, hinge, squared hinge, "
    "logistic and exponential losses, all but the perceptron's positive at margin 0. Right: losses over the residual "
    "from -3 to 3: the epsilon-insensitive loss, flat at 0 between -1 and 1, its squared form, the absolute and the "
    "squared loss."
)


def draw_margins(ax: Any) -> None:
    """Losses of the margin."""
    m = np.linspace(-2.0, 3.0, 501)
    ax.step([-2.0, 0.0, 3.0], [1.0, 1.0, 0.0], where="pre", color=style.INK, linewidth=2.4, label="errors")
    for number, (name, loss) in enumerate(OF_MARGIN.items()):
        label = name.replace("_", " ") + (" / log 2" if name == "logistic" else "")
        scale = np.log(2.0) if name == "logistic" else 1.0
        ax.plot(m, loss(m) / scale, color=style.colour(number), linestyle=DASHES[number], linewidth=1.8, label=label)
    ax.set(xlim=(-2, 3), ylim=(-0.1, 4.2), xlabel="margin y g(x)", ylabel="loss", title="Classes")
    ax.legend(loc="upper right")


def draw_residuals(ax: Any) -> None:
    """Losses of the residual."""
    r = np.linspace(-3.0, 3.0, 601)
    tubes = {f"max(0, |r| − {EPSILON:g})": Kind.EPSILON, f"max(0, r² − {EPSILON:g})": Kind.SQUARED_EPSILON}
    for number, (label, kind) in enumerate(tubes.items()):
        costs = [value(Loss(kind, EPSILON), 0.0, residual) for residual in r]
        ax.plot(r, costs, color=style.colour(number), linewidth=2.4, label=label)
    ax.plot(r, np.abs(r), color=style.FAINT, linestyle="--", label="|r|")
    ax.plot(r, r**2, color=style.FAINT, linestyle=":", label="r²")
    ax.axvspan(-EPSILON, EPSILON, color=style.colour(0), alpha=0.08, linewidth=0)
    ax.text(0.0, 1.5, "the tube:\nno loss", ha="center")
    ax.set(xlim=(-3, 3), ylim=(-0.1, 4.2), xlabel="residual y − g(x)", title="Numbers")
    ax.legend(loc="upper center", ncols=2)


def table_of_risks() -> Table:
    """Three classifiers that minimise three losses, by all of them."""
    data = samples.overlapping_pair(200, seed=1)
    table = Table("classifier", box=SIMPLE_HEAD, title="empirical risk on 400 training rows; the least in bold")
    for loss in LOSSES:
        table.add_column(loss.replace("_", " "), justify="right")
    models = {"SVM, C = 1e4": LinearSVM(C=1e4), "logistic, C = 1e4": LogisticClassifier(C=1e4)}
    models |= {"least squares": LeastSquaresClassifier()}
    risks = np.array(
        [
            [empirical_risk(model.fit(data.X, data.labels), data.X, data.labels, loss) for loss in LOSSES]
            for model in models.values()
        ]
    )
    for name, row in zip(models, risks, strict=True):
        cells = (
            f"[bold]{risk:.4f}[/]" if risk <= least else f"{risk:.4f}"
            for risk, least in zip(row, risks.min(0), strict=True)
        )
        table.add_row(name, *cells)
    return table


def figure_of_losses() -> Figure:
    """Both kinds."""
    with style.styled():
        figure = Figure(figsize=(11.0, 4.6), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2)
        draw_margins(left)
        draw_residuals(right)
    return figure


def main() -> None:
    """Fit, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "loss_functions.png"))
    picture = parser.parse_args().picture
    console = Console()
    console.print(table_of_risks())
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_losses().savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
