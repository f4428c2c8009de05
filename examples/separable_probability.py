"""How likely random labels are separable
======================================

Cover's curve for points in general position, beside random labels of random points and of the vertices of a cube.

With up to d + 1 points every dichotomy is separable, with 2 (d + 1) of them half of all are, and the step between
becomes sharper as the dimension d grows: 2 (d + 1) is the capacity of a plane. Lines are the exact probabilities, dots
the part of random labels of normal points that was found, by a proof, to be separable; bars are two standard errors.

The vertices of a cube are not in general position: too many of them are in common planes, and fewer labels are
separable. For many dimensions that no longer matters (Budinich, 1991): dots come close to the lines.

Run it with ``python examples/separable_probability.py [PICTURE] [--draws DRAWS]``.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from separatrix import capacity, separability, separable_probability
from separatrix.report.charts import style

RATIOS = np.array([1.0, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0, 3.5])

Points = Callable[[int, int, np.random.Generator], np.ndarray]


def normal_points(n: int, d: int, random: np.random.Generator) -> np.ndarray:
    """Points of a normal distribution, in general position with probability 1."""
    return random.standard_normal((n, d))


def cube_vertices(n: int, d: int, random: np.random.Generator) -> np.ndarray:
    """Different vertices of the cube {0, 1}^d."""
    chosen = random.choice(2**d, n, replace=False)
    return (chosen[:, None] >> np.arange(d) & 1).astype(float)


def measured(points: Points, n: int, d: int, draws: int, random: np.random.Generator) -> float:
    """The part of random labels of random points that a plane separates."""
    found = 0
    for _ in range(draws):
        X, y = points(n, d, random), random.integers(0, 2, n)
        found += y.min() == y.max() or separability(X, y).kind == "complete"
    return found / draws


def draw(ax: Any, points: Points, dimensions: tuple[int, ...], draws: int, title: str) -> None:
    """Curves of theory and dots of random labels, for some dimensions; prints the dots at the capacity."""
    random = np.random.default_rng(0)
    for number, d in enumerate(dimensions):
        counts = np.unique(np.round(RATIOS * (d + 1)).astype(int))
        counts = counts[counts <= 2**d] if points is cube_vertices else counts
        whole = np.arange(1, 4 * (d + 1) + 1)
        theory = [float(separable_probability(int(n), d)) for n in whole]
        ax.plot(whole / (d + 1), theory, color=style.colour(number), linewidth=1.4)
        parts = np.array([measured(points, int(n), d, draws, random) for n in counts])
        bars = 2.0 * np.sqrt(np.maximum(parts * (1.0 - parts), 0.25 / draws) / draws)
        ax.errorbar(
            counts / (d + 1), parts, bars, fmt=style.marker(number), color=style.colour(number), markersize=5.5,
            elinewidth=1.0, label=f"d = {d}",
        )  # fmt: skip
        at = dict(zip(counts.tolist(), parts.tolist(), strict=True))[capacity(d)]
        print(f"{title}, d = {d}: {at:.3f} of the labels of {capacity(d)} points are separable; theory: 0.500")
    ax.axvline(2.0, color=style.RULE, linewidth=0.9, zorder=0)
    ax.set(xlabel="points a weight, n / (d + 1)", ylim=(-0.03, 1.05), xlim=(0.0, 4.0), title=title)
    ax.legend(loc="upper right")


def main() -> None:
    """Draw labels, print, draw curves."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "separable_probability.png"))
    parser.add_argument("--draws", type=int, default=250, help="random labels for each dot")
    arguments = parser.parse_args()
    picture, draws = arguments.picture, arguments.draws
    with style.styled():
        figure = Figure(figsize=(10.5, 4.4), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2, sharey=True)
        draw(left, normal_points, (2, 5, 15), draws, "Normal points")
        draw(right, cube_vertices, (3, 5, 15), draws, "Vertices of a cube")
        left.set_ylabel("separable part of all labels")
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture)
    print(f"The picture is {picture}.")


if __name__ == "__main__":
    main()
