"""Every C is a radius
===================

Structural risk minimisation: what a penalty chooses from, and what leaving each row out says of it.

The plane of a support vector machine with price C has the least loss of all planes with ``||w|| <= ||w(C)||``. So a
larger C looks for the plane in a larger ball, which contains all smaller ones. The left picture shows the sum of
squared slacks over w, each with the best offset, for two kinds of iris: every circle touches the contour of its loss
where the plane of its C is.

A larger ball has a plane with less loss on the rows that are known, but not always one that is better for others. The
right picture is of 100 rows with 30 features, 3 of which tell the classes apart: the loss of the rows falls on and on,
while the error on each row by the machine of all other rows stops falling. With the smallest C the larger class takes
all rows, and without a row that is always the other class. These errors are exact, for the cost of a few fits in place
of 100. The part of the support rows bounds them, and is known from one fit.

Run it with ``python examples/structural_risk.py [PICTURE]``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy.optimize import minimize_scalar
from sklearn.preprocessing import scale

from separatrix import LinearSVM, RegularizationPath, leave_one_out, regularization_path
from separatrix.data import samples
from separatrix.report.charts import style

VALUES = np.logspace(-4, 0, 17)
SHOWN = (2, 5, 8, 11, 16)  # of the values, with a circle
GRID = 61
N_ROWS, N_FEATURES, N_TELLING = 100, 30, 3


def two_kinds_of_iris() -> tuple[np.ndarray, np.ndarray]:
    """Versicolor and virginica by their sepals, standardised; y is -1 or 1."""
    iris = samples.builtin("iris")
    kept = iris.labels != "setosa"
    return scale(iris.X[kept][:, :2]), np.where(iris.labels[kept] == "virginica", 1, -1)


def mostly_noise() -> tuple[np.ndarray, np.ndarray]:
    """Two round classes that differ in some of many features."""
    random, y = np.random.default_rng(0), np.arange(N_ROWS) % 2
    return random.standard_normal((N_ROWS, N_FEATURES)) + 1.2 * np.outer(y, np.arange(N_FEATURES) < N_TELLING), y


def least_loss(scores: np.ndarray, y: np.ndarray) -> float:
    """The sum of squared slacks of scores w.x, with the best offset."""

    def loss(b: float) -> float:
        return float(np.sum(np.maximum(0.0, 1.0 - y * (scores + b)) ** 2))

    return float(minimize_scalar(loss).fun)


def losses(path: RegularizationPath, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The sum of squared slacks of each model."""
    return np.array([least_loss(X @ w[0], y) for w in path.coef_])


def draw_balls(ax: Any, path: RegularizationPath, X: np.ndarray, y: np.ndarray) -> None:
    """The contours of the loss, the way of w, and the circles in which it is the best."""
    reach = 1.12 * path.radii.max()
    across, up = np.linspace(-0.35 * reach, reach, GRID), np.linspace(-0.55 * reach, 0.55 * reach, GRID)
    values = np.array([[least_loss(X @ [a, b], y) for a in across] for b in up])
    known = losses(path, X, y)
    ax.contourf(across, up, values, levels=24, cmap="Greys", alpha=0.35)
    turn = np.linspace(0.0, 2.0 * np.pi, 400)
    for place, shown in enumerate(SHOWN):
        radius, colour = path.radii[shown], style.colour(place)
        ax.contour(
            across, up, values, levels=[known[shown] * (1.0 + 1e-9)], colors=[colour], linewidths=0.9, linestyles=":"
        )
        ax.plot(
            radius * np.cos(turn),
            radius * np.sin(turn),
            color=colour,
            linewidth=1.4,
            label=f"C = {path.values[shown]:.3g}",
        )
        ax.plot(*path.coef_[shown, 0], "o", color=colour, markeredgecolor="white", markersize=7, zorder=5)
    ax.plot(*path.coef_[:, 0].T, color=style.INK, linewidth=1.0, zorder=4)
    ax.set(
        xlim=(across[0], across[-1]),
        ylim=(up[0], up[-1]),
        xlabel="w of the sepal length",
        ylabel="w of its width",
        aspect="equal",
    )
    ax.set_title("Each plane is the best within its radius")
    ax.legend(loc="upper left")


def draw_errors(ax: Any, path: RegularizationPath, found: list[Any]) -> None:
    """Mean slack, exact leave-one-out error and its bound over the radius."""
    from matplotlib.ticker import PercentFormatter

    slack = [float(np.mean(model.slacks_)) for model in path]
    error, bound = np.array([each.error for each in found]), np.array([each.bounds[0].error for each in found])
    low, high = np.array([each.interval for each in found]).T
    ax.fill_between(path.radii, low, high, color=style.colour(0), alpha=0.18, linewidth=0)
    ax.plot(path.radii, error, "o-", color=style.colour(0), markersize=4, label="wrong when left out, with interval")
    ax.plot(path.radii, bound, "s--", color=style.colour(1), markersize=3.5, label="its bound: support rows")
    ax.plot(path.radii, slack, "-", color=style.INK, linewidth=1.4, label="mean slack")
    ax.set(xlabel="radius ||w(C)||", ylabel="part of the rows", ylim=(0.0, 1.35), xscale="log")
    ax.set_yticks(np.arange(0.0, 1.01, 0.2))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.set_title("A larger ball has less loss, but not fewer errors")
    ax.legend(loc="upper right", ncols=1)


def printed(path: RegularizationPath, found: list[Any]) -> None:
    """Print some of the figures."""
    print("        C    radius  mean slack  wrong when left out  support rows")
    for C, radius, model, each in zip(path.values, path.radii, path, found, strict=True):
        slack, support = float(np.mean(model.slacks_)), each.bounds[0].n_rows
        print(f"{C:>9.4g}  {radius:>8.4f}  {slack:>10.4f}  {each.n_wrong:>19}  {support:>12}")
    print(f"Every machine meets its conditions to {max(each.violation for each in found):.0e}.")


def main() -> None:
    """Fit the paths, leave rows out, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "structural_risk.png"))
    chosen = parser.parse_args()
    (X, y), (rows, known) = two_kinds_of_iris(), mostly_noise()
    smooth = regularization_path(LinearSVM(loss="squared_hinge", tol=1e-9), X, y, C=VALUES)
    path = regularization_path(LinearSVM(tol=1e-9), rows, known, C=VALUES)
    found = [leave_one_out(model, rows, known) for model in path]
    printed(path, found)
    with style.styled():
        figure = Figure(figsize=(11, 4.6), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2, width_ratios=[1.25, 1.0])
        draw_balls(left, smooth, X, y)
        draw_errors(right, path, found)
    chosen.picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(chosen.picture)
    print(f"The picture is {chosen.picture}.")


if __name__ == "__main__":
    main()
