"""Curved boundaries by kernels
============================

XOR and two rings by a quadratic kernel; a checkerboard by Gaussians of three widths.

Above, what no line separates. The kernel (x.z + 1)^2 has the product x1 x2 among its features, and XOR is the sign of
it: the machine without slack is g = -x1 x2, with all four rows on its margin. The kernel (x.z)^2 has the squares, of
which rings are made. Right, the cross-validated error on the checkerboard below, over C and gamma = 1 / (2 sigma^2).

Below, three Gaussian kernels on a checkerboard whose squares keep a distance. Where sigma is far below the distance of
the classes, the rows of a class are islands, and a new row that is near none of them gets the class that the constant
stands for. Where it is far above, the surface is too flat to follow the squares. With ``gamma="nearest"`` sigma is the
distance of the closest two rows of different classes. This rule needs no search, but classes that are apart: where they
overlap, the closest rows say nothing about the width of what is to be learned.

Support rows are ringed where they are less than half of the rows.

Run it with ``python examples/kernel_surfaces.py [PICTURE]``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from sklearn.model_selection import StratifiedKFold, cross_val_score

from separatrix import KernelSVM
from separatrix.data import Table, samples
from separatrix.kernels import RBF
from separatrix.report import decision_surface, error_map
from separatrix.report.charts import style

SEED, SQUARES, GAP, C, FOLDS = 0, 4, 0.3, 100.0, 4
WIDTHS = {"too small": 1 / 8, "nearest rows": 1.0, "too large": 16.0}  # sigma, in distances of the closest rows
GRID_C, GRID_GAMMA = np.logspace(-1, 3, 5), np.logspace(-2, 3, 6)


def rings(n_rows: int) -> Table:
    """Rows on two rings around the origin."""
    random = np.random.default_rng(SEED)
    labels = np.where(np.arange(n_rows) < n_rows // 2, "inner", "outer")
    radius = np.where(labels == "inner", 1.0, 2.4) + 0.18 * random.standard_normal(n_rows)
    angle = random.uniform(0.0, 2.0 * np.pi, n_rows)
    return Table(np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), labels, ("x1", "x2"))


def checkerboard(n_rows: int, seed: int) -> Table:
    """Rows within the squares of a board, which are GAP apart."""
    random = np.random.default_rng(seed)
    square = random.integers(0, SQUARES, (n_rows, 2))
    inside = random.uniform(GAP / 2, 1.0 - GAP / 2, (n_rows, 2))
    return Table(square + inside, np.where(square.sum(axis=1) % 2, "dark", "light"), ("x1", "x2"))


def machines(board: Table) -> dict[str, KernelSVM]:
    """One machine for each width."""
    nearest = RBF(gamma="nearest").resolved(board.X, board.labels).sigma
    made = {name: KernelSVM(RBF(sigma=part * nearest), C=C) for name, part in WIDTHS.items()}
    made["nearest rows"] = KernelSVM(gamma="nearest", C=C)
    return {name: model.fit(board.X, board.labels) for name, model in made.items()}


def table_of_widths(board: Table, new: Table) -> RichTable:
    """What each width gets wrong, of the rows of the fit and of new ones."""
    table = RichTable("sigma", box=SIMPLE_HEAD, title="Gaussian kernels on a checkerboard")
    for heading in ("value", "support rows", "training errors", "new rows wrong"):
        table.add_column(heading, justify="right")
    for name, model in machines(board).items():
        wrong = np.count_nonzero(model.predict(board.X) != board.labels)
        share = f"{1 - model.score(new.X, new.labels):.1%}"
        table.add_row(name, f"{model.kernel_.sigma:.3g}", f"{model.support_.size} of {board.n_rows}", str(wrong), share)
    return table


def xor_machine() -> tuple[KernelSVM, Table]:
    """The hard margin of XOR by (x.z + 1)^2, which is g = -x1 x2."""
    gate = samples.logic_gate("XOR")
    model = KernelSVM("poly", degree=2, coef0=1.0, gamma=1.0, C=np.inf, tol=1e-9).fit(gate.X, gate.labels)
    points = np.random.default_rng(SEED).uniform(-2.0, 2.0, (1000, 2))
    np.testing.assert_allclose(model.decision_function(points), -points[:, 0] * points[:, 1], atol=1e-4)
    return model, gate


def draw_map(ax: Any, board: Table) -> None:
    """The error over C and gamma, with the gamma of the nearest rows."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    errors = np.array(
        [
            [
                1 - cross_val_score(KernelSVM(C=c, gamma=g, tol=1e-3), board.X, board.labels, cv=folds)
                for g in GRID_GAMMA
            ]
            for c in GRID_C
        ]
    )
    error_map(GRID_C, GRID_GAMMA, errors.mean(axis=2), errors.std(axis=2, ddof=1) / np.sqrt(FOLDS), ax=ax, legend=False)
    nearest = RBF(gamma="nearest").resolved(board.X, board.labels).gamma
    ax.axvline(nearest, color=style.colour(0), linewidth=1.6, linestyle=":")
    ax.set_title(f"Error, %; dotted: gamma = {nearest:.3g},\nof the nearest rows", loc="left")


def draw(ax: Any, model: KernelSVM, data: Table, title: str) -> None:
    """The surface of a machine."""
    many = model.support_.size > data.n_rows / 2  # so many rings would hide the surface
    ringed = [] if many and data.n_rows > 4 else None
    decision_surface(model, data.X, data.labels, ax=ax, ringed=ringed, title=title, legend=False)
    ax.set(xlabel="x1", ylabel="x2" if ax.get_subplotspec().is_first_col() else "")


def figure_of_surfaces(board: Table, new: Table) -> Figure:
    """XOR, rings and the map of errors above, three widths below."""
    two = rings(120)
    quadratic = KernelSVM("poly", degree=2, gamma=1.0, C=C).fit(two.X, two.labels)
    with style.styled():
        figure = Figure(figsize=(12.5, 8.8), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        above, below = figure.subplots(2, 3)
        draw(above[0], *xor_machine(), "XOR by (x.z + 1)²:\nthe margin is g = −x1 x2 = ±1")
        draw(above[1], quadratic, two, f"Rings by (x.z)²:\n{quadratic.support_.size} of 120 rows are support rows")
        draw_map(above[2], board)
        for ax, (name, model) in zip(below, machines(board).items(), strict=True):
            sigma, error = model.kernel_.sigma, 1 - model.score(new.X, new.labels)
            draw(ax, model, board, f"sigma = {sigma:.2g}, {name}:\n{error:.1%} of new rows wrong")
        legend_of(figure, (above[1], below[2]), ("boundary", "margin", "support row", "wrong side"))
    return figure


def legend_of(figure: Figure, axes: Any, words: tuple[str, ...]) -> None:
    """One for all pictures, without the numbers that are of one only."""
    found: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            if label.startswith(words):
                found.setdefault(label.split(" (")[0], handle)
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=len(found))


def main() -> None:
    """Fit, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "kernel_surfaces.png"))
    picture = parser.parse_args().picture
    console = Console()
    board, new = checkerboard(320, SEED), checkerboard(20_000, SEED + 1)
    console.print(table_of_widths(board, new))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_surfaces(board, new).savefig(picture)
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
