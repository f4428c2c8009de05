"""Least squares as a projection
=============================

The best linear estimate is an orthogonal projection, and samples lead to it step by step.

Left: three rows and two columns x1 and x2 are vectors in space. What least squares predicts, w.x, is the point of the
plane through both columns that is nearest to y, and so the error y - w.x is at right angles to the plane: the normal
equations.

Right: the same for random variables, whose inner product is E[xy]. From the moments R = E[xx'] and E[xy] of two
Gaussian classes the solution is R^-1 E[xy]. Without moments, each new sample moves w by rho_k x (y - w.x): with rates
that fall like 1/k w tends to the solution, with a constant rate it comes near quickly and then stays at a distance
(LMS). Least squares of all samples so far is the dashed line; its error falls with the root of their number.

Run it with ``python examples/least_squares_as_projection.py [PICTURE]``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from separatrix import Decay, LeastSquaresRegressor, mean_square_solution, robbins_monro
from separatrix.report.charts import style

COLUMNS, Y = np.array([[1.0, 0.15], [0.1, 1.0], [0.05, 0.2]]), np.array([0.75, 0.85, 1.0])
# [x1, x2, 1] of N((1, 1), 0.2 I) and N((0, 0), 0.2 I), half of the rows each, with the targets 1 and -1
MOMENTS, CROSS = np.array([[0.7, 0.5, 0.5], [0.5, 0.7, 0.5], [0.5, 0.5, 1.0]]), np.array([0.5, 0.5, 0.0])
SAMPLES, RUNS = 5_000, 8
RATES = {"falling, 1 / (1 + k / 5)": Decay(1.0, delay=5.0), "constant, 0.1": 0.1, "constant, 0.01": 0.01}
ALT = (
    "Left: in space, the vector y, its projection onto the plane through the columns x1 and x2, and the error between "
    "them at right angles to the plane. Right: distance from the mean-square solution over the number of samples, on "
    "logarithmic axes: a falling rate and least squares go on falling, constant rates level off."
)


def draw_projection(ax: Any) -> None:
    """y, the plane of the columns, and the error at right angles to it."""
    w = np.linalg.lstsq(COLUMNS, Y, rcond=None)[0]
    nearest = COLUMNS @ w
    corners = [COLUMNS @ pair for pair in ([-0.15, -0.15], [1.15, -0.15], [1.15, 1.15], [-0.15, 1.15])]
    ax.add_collection3d(Poly3DCollection([corners], facecolor=style.colour(0), edgecolor=style.RULE, alpha=0.15))
    for end, colour, name in (
        (COLUMNS[:, 0], style.colour(0), "x1"),
        (COLUMNS[:, 1], style.colour(0), "x2"),
        (Y, style.INK, "y"),
        (nearest, style.colour(2), "w.x"),
    ):
        ax.quiver(0, 0, 0, *end, color=colour, linewidth=2.0, arrow_length_ratio=0.07)
        ax.text(*(end * 1.05 + [0, 0, 0.03]), name, color=colour, fontsize=13)
    ax.plot(*np.array([nearest, Y]).T, color=style.colour(1), linewidth=2.2, linestyle="--")
    ax.text(*((nearest + Y) / 2 + [0.05, 0.05, 0.0]), "y − w.x", color=style.colour(1), fontsize=12)
    up, back = 0.09 * (Y - nearest) / np.linalg.norm(Y - nearest), -0.09 * nearest / np.linalg.norm(nearest)
    ax.plot(*np.array([nearest + up, nearest + up + back, nearest + back]).T, color=style.INK, linewidth=1.0)
    ax.set(xlim=(0, 1.1), ylim=(0, 1.1), zlim=(0, 1.05), xlabel="row 1", ylabel="row 2", zlabel="row 3")
    ax.set_title("The error is orthogonal to every column")
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("white")
    ax.locator_params(nbins=4)
    ax.view_init(elev=16, azim=-68)
    ax.set_box_aspect((1, 1, 0.95), zoom=1.05)


def rows(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples of both classes in random order: [x1, x2, 1] and the target."""
    random = np.random.default_rng(seed)
    y = random.choice([-1.0, 1.0], SAMPLES)
    return np.column_stack(
        [(y > 0)[:, None] + np.sqrt(0.2) * random.standard_normal((SAMPLES, 2)), np.ones(SAMPLES)]
    ), y


def distances() -> dict[str, np.ndarray]:
    """Distance from the solution of the moments after each sample, mean of some runs; least squares at a few sizes."""
    best, found = mean_square_solution(MOMENTS, CROSS), {}
    for name, rate in RATES.items():
        paths = []
        for seed in range(RUNS):
            pairs = zip(*rows(seed), strict=True)
            paths.append(robbins_monro(lms_step, pairs, np.zeros(3), learning_rate=rate))
        found[name] = np.linalg.norm(np.array(paths) - best, axis=2).mean(axis=0)
    return found


def lms_step(pair: tuple[np.ndarray, float], w: np.ndarray) -> np.ndarray:
    """x (y - w.x), whose mean is E[xy] - R w."""
    x, y = pair
    return x * (y - x @ w)


def squares(sizes: np.ndarray) -> np.ndarray:
    """The distance of least squares of so many samples, mean of some runs."""
    best, found = mean_square_solution(MOMENTS, CROSS), []
    for seed in range(RUNS):
        X, y = rows(seed)
        models = [LeastSquaresRegressor(fit_intercept=False).fit(X[:n], y[:n]) for n in sizes]
        found.append([np.linalg.norm(model.coef_ - best) for model in models])
    return np.mean(found, axis=0)


def draw_paths(ax: Any, found: dict[str, np.ndarray], sizes: np.ndarray, least: np.ndarray) -> None:
    """The distances, on logarithmic axes."""
    for number, (name, far) in enumerate(found.items()):
        some = np.unique(np.geomspace(1, SAMPLES, 200).astype(int))
        ax.plot(some, far[some], color=style.colour(number), linewidth=1.6, label=f"rate {name}")
    ax.plot(sizes, least, color=style.INK, linestyle="--", linewidth=1.8, label="least squares")
    ax.set(xscale="log", yscale="log", xlim=(1, SAMPLES), xlabel="samples", ylabel="||w − R⁻¹ E[xy]||")
    ax.set_title("Samples in place of moments")
    ax.legend(loc="lower left")


def table_of_solutions(found: dict[str, np.ndarray], least: np.ndarray) -> Table:
    """How far each is from the solution of the moments at the end."""
    w = mean_square_solution(MOMENTS, CROSS)
    table = Table("way", box=SIMPLE_HEAD, title=f"R^-1 E\\[xy] = ({', '.join(f'{number:.4f}' for number in w)})")
    table.add_column(f"distance after {SAMPLES:,} samples", justify="right")
    for name, far in found.items():
        table.add_row(f"LMS, rate {name}", f"{far[-1]:.4f}")
    table.add_row("least squares", f"{least[-1]:.4f}")
    return table


def main() -> None:
    """Project, approach, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "least_squares_as_projection.png"))
    picture = parser.parse_args().picture
    console = Console()
    sizes = np.unique(np.geomspace(10, SAMPLES, 12).astype(int))
    found, least = distances(), squares(sizes)
    console.print(table_of_solutions(found, least))
    with style.styled():
        figure = Figure(figsize=(11.0, 5.0), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        places = figure.add_gridspec(1, 2)
        draw_projection(figure.add_subplot(places[0], projection="3d"))
        draw_paths(figure.add_subplot(places[1]), found, sizes, least)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
