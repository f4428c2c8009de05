"""Bias and variance
=================

A line that ignores the data, a polynomial through every point, and what lies between.

Eleven fixed places x, and numbers y = f(x) + noise that are drawn anew for each training set. A line that was chosen
before any data came is the same for all sets: its variance is 0, and its bias is whatever it is (left). A polynomial of
degree 10 passes through all eleven points (middle): at these x it is right on average, and its variance is that of the
noise; between them, near the ends, the variance is much larger. Degrees between both have the smallest error (right).

Run it with ``python examples/bias_and_variance.py [PICTURE]``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.polynomial import Polynomial
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from sklearn.base import BaseEstimator, RegressorMixin

from separatrix import bias_variance
from separatrix.report.charts import style

NOISE, SETS, SHOWN = 0.15, 400, 6
AT = np.linspace(0.0, 1.0, 11)[:, None]  # the places of all training sets
DENSE = np.linspace(0.0, 1.0, 201)[:, None]
DEGREES = range(11)
ALT = (
    "Three panels. Left: a curve f, eleven noisy points, and a fixed line that is far from f. Middle: six polynomials "
    "of degree 10, each through its own eleven points, that swing about f. Right: squared bias, variance and their "
    "sum over the degree of the polynomial; the sum is smallest at degree 3."
)


def truth(x: np.ndarray) -> np.ndarray:
    """f."""
    return 0.5 + 0.4 * np.sin(5.0 * x[:, 0])


def training_set(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return AT, truth(AT) + NOISE * random.standard_normal(len(AT))


class FixedLine(RegressorMixin, BaseEstimator):
    """A line that no data change: y = 0.8 - 0.5 x."""

    def fit(self, X: Any, y: Any) -> "FixedLine":
        """Look at nothing."""
        self.n_features_in_ = 1
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The line."""
        return 0.8 - 0.5 * np.asarray(X)[:, 0]


class PolynomialFit(RegressorMixin, BaseEstimator):
    """The polynomial of a degree with the least squares."""

    def __init__(self, degree: int = 1):
        self.degree = degree

    def fit(self, X: Any, y: Any) -> "PolynomialFit":
        """Find the coefficients."""
        self.polynomial_ = Polynomial.fit(np.asarray(X)[:, 0], y, self.degree, domain=[0.0, 1.0])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The polynomial."""
        return self.polynomial_(np.asarray(X)[:, 0])


def parts_by_degree(points: np.ndarray) -> np.ndarray:
    """Squared bias and variance for each degree, means over points."""
    found = [
        bias_variance(PolynomialFit(degree), training_set, points, truth, n_sets=SETS, random_state=0)
        for degree in DEGREES
    ]
    return np.array([[each.bias.mean(), each.variance.mean()] for each in found])


def table_of_parts(by_degree: np.ndarray) -> Table:
    """The two extremes at the training places, and the best degree."""
    table = Table("estimate", box=SIMPLE_HEAD, title=f"at the 11 places; the variance of the noise is {NOISE**2:.4f}")
    for heading in ("bias²", "variance", "their sum"):
        table.add_column(heading, justify="right")
    fixed = bias_variance(FixedLine(), training_set, AT, truth, n_sets=SETS, random_state=0)
    rows = {"a fixed line": (fixed.bias.mean(), fixed.variance.mean())}
    rows |= {f"degree {degree}": tuple(by_degree[degree]) for degree in (1, 3, 10)}
    for name, (bias, variance) in rows.items():
        table.add_row(name, f"{bias:.4f}", f"{variance:.4f}", f"{bias + variance:.4f}")
    return table


def draw_estimates(ax: Any, estimates: list[Any], title: str, colour: str) -> None:
    """f, one training set, and estimates."""
    x, (_, y) = DENSE[:, 0], training_set(np.random.default_rng(0))
    for estimate in estimates:
        ax.plot(x, estimate.predict(DENSE), color=colour, linewidth=1.0 if len(estimates) > 1 else 2.0, alpha=0.75)
    ax.plot(x, truth(DENSE), color=style.INK, linewidth=2.2, label="f(x)")
    ax.plot(AT[:, 0], y, "o", color=style.colour(1), markeredgecolor="white", label="a training set")
    ax.set(ylim=(-0.6, 1.6), xlabel="x", title=title)
    ax.legend(loc="lower left")


def draw_parts(ax: Any, by_degree: np.ndarray) -> None:
    """Bias, variance and their sum over the degree."""
    degrees = list(DEGREES)
    ax.plot(degrees, by_degree[:, 0], "o-", color=style.colour(0), label="bias²")
    ax.plot(degrees, by_degree[:, 1], "s-", color=style.colour(1), label="variance")
    ax.plot(degrees, by_degree.sum(axis=1), "-", color=style.INK, linewidth=2.2, label="their sum")
    ax.axhline(NOISE**2, color=style.FAINT, linestyle=":", label="variance of the noise")
    ax.set(xlabel="degree of the polynomial", ylim=(0.0, 0.09), xticks=degrees[::2])
    ax.set_title("At the eleven places,\nover 400 training sets")
    ax.legend(loc="upper center")


def figure_of_estimates(by_degree: np.ndarray) -> Figure:
    """The two extremes, and what lies between."""
    random = np.random.default_rng(0)
    curves = [PolynomialFit(10).fit(*training_set(random)) for _ in range(SHOWN)]
    with style.styled():
        figure = Figure(figsize=(12.0, 4.4), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        left, middle, right = figure.subplots(1, 3)
        draw_estimates(left, [FixedLine()], "A line that no data change:\nall bias, no variance", style.colour(0))
        draw_estimates(
            middle, curves, f"Through every point, {SHOWN} sets:\nno bias there, much variance", style.colour(2)
        )
        draw_parts(right, by_degree)
    return figure


def main() -> None:
    """Simulate, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "bias_and_variance.png"))
    picture = parser.parse_args().picture
    console = Console()
    by_degree = parts_by_degree(AT)
    console.print(table_of_parts(by_degree))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_estimates(by_degree).savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
