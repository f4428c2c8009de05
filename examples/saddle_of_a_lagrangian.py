"""The saddle of a Lagrangian
==========================

The least x^2 / 2 with x >= 2, seen from both sides of the Lagrangian.

Without the constraint the least is at 0, with it at the edge, x = 2 (left). The Lagrangian L(x, a) = x^2 / 2 - a (x -
2) is lowest in x at x = a, which leaves the dual 2 a - a^2 / 2; that is highest at a = 2 (middle). Primal and dual meet
at the value 2: x = a = 2 is a saddle of L, lowest along x and highest along a (right), and all conditions of Karush,
Kuhn and Tucker hold there.

A support vector machine is the same with more constraints. In fact this problem is one: the hard margin of two rows
+1/2 and -1/2 without an offset asks for the least w^2 / 2 with w / 2 >= 1. The table has what our solver finds. The
other rows of the table are its cousins: a constraint that costs nothing (x >= -1), and two of which only one binds.

Run it with ``python examples/saddle_of_a_lagrangian.py [PICTURE]``.
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

from separatrix import LinearSVM
from separatrix.report.charts import style

ALT = (
    "Three panels. Left: the parabola x squared over 2 with the region x at least 2 shaded and its least value at x = "
    "2. Middle: the dual 2 a minus a squared over 2, highest at a = 2 with the same value 2. Right: the surface of "
    "the Lagrangian over x and a with its saddle point at (2, 2)."
)


def lagrangian(x: Any, a: Any) -> Any:
    """x^2 / 2 - a (x - 2)."""
    return x**2 / 2 - a * (x - 2)


def nearest(bounds: tuple[float, ...]) -> tuple[float, np.ndarray]:
    """The least x^2 / 2 with x >= each bound, and the multipliers: only the largest positive bound binds."""
    x = max(0.0, *bounds)
    return x, np.where((np.array(bounds) == x) & (x > 0.0), x, 0.0)


def table_of_multipliers() -> Table:
    """Small problems with their multipliers, and the first as a support vector machine."""
    table = Table("minimise x²/2 with", box=SIMPLE_HEAD)
    for heading in ("x", "multipliers", "primal", "dual", "a (x − bound)"):
        table.add_column(heading, justify="right")
    for bounds in ((2.0,), (-1.0,), (1.0, 2.0)):
        x, a = nearest(bounds)
        dual = (a * np.array(bounds)).sum() - a.sum() ** 2 / 2  # x = sum a makes L least
        slack = ", ".join(f"{v:g}" for v in a * (x - np.array(bounds)) + 0.0)
        name = " and ".join(f"x ≥ {bound:g}" for bound in bounds)
        table.add_row(name, f"{x:g}", ", ".join(f"{v:g}" for v in a), f"{x**2 / 2:g}", f"{dual:g}", slack)
    machine = LinearSVM(C=np.inf, fit_intercept=False).fit([[0.5], [-0.5]], [1, -1])
    claim = machine.certificate_
    multiplier = np.abs(machine.dual_coef_).sum() / 2  # of w - 2 >= 0: the constraint w / 2 >= 1 has half the slope
    table.add_row(
        "hard margin of ±1/2",
        f"{machine.coef_[0, 0]:g}",
        f"{multiplier:g}",
        f"{claim.primal:g}",
        f"{claim.dual:g}",
        "0",
    )
    return table


def draw_primal(ax: Any) -> None:
    """The parabola and what is feasible."""
    x = np.linspace(-1.5, 4.0, 300)
    ax.plot(x, x**2 / 2, color=style.INK, linewidth=2.0)
    ax.axvspan(2.0, 4.0, color=style.colour(0), alpha=style.TINT, linewidth=0)
    ax.plot(2.0, 2.0, "o", color=style.colour(1), markersize=9, zorder=4)
    ax.text(2.12, 0.5, "x ≥ 2", color=style.colour(0), fontsize=12)
    ax.annotate("least: 2", (2.0, 2.0), (-0.6, 3.9), arrowprops={"arrowstyle": "-", "color": style.FAINT}, fontsize=11)
    ax.set(xlim=(-1.5, 4), ylim=(-0.3, 6), xlabel="x", title="Primal: x² / 2")


def draw_dual(ax: Any) -> None:
    """The dual, below the primal value everywhere."""
    a = np.linspace(0.0, 5.0, 300)
    ax.plot(a, 2 * a - a**2 / 2, color=style.INK, linewidth=2.0)
    ax.axhline(2.0, color=style.colour(1), linestyle="--", linewidth=1.4)
    ax.text(0.1, 2.12, "the least of the primal", color=style.colour(1))
    ax.plot(2.0, 2.0, "o", color=style.colour(1), markersize=9, zorder=4)
    ax.set(xlim=(0, 5), ylim=(-2.7, 3.2), xlabel="a", title="Dual: 2 a − a² / 2")


def draw_saddle(ax: Any) -> None:
    """The surface, with the curves through the saddle."""
    x, a = np.meshgrid(np.linspace(-0.5, 4.5, 60), np.linspace(0.0, 4.0, 60))
    ax.plot_surface(x, a, lagrangian(x, a), color=style.colour(0), alpha=0.35, linewidth=0, rstride=2, cstride=2)
    along = np.linspace(-0.5, 4.5, 80)
    ax.plot(
        along,
        np.full(80, 2.0),
        lagrangian(along, 2.0),
        color=style.colour(2),
        linewidth=2.4,
        label="a = 2: lowest at x = 2",
    )
    up = np.linspace(0.0, 4.0, 80)
    ax.plot(up, up, lagrangian(up, up), color=style.colour(1), linewidth=2.4, label="x = a: the dual, highest at 2")
    ax.scatter(2.0, 2.0, 2.0, color=style.INK, s=60, depthshade=False)
    ax.set(xlabel="x", ylabel="a", title="L(x, a), with its saddle at (2, 2)")
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("white")
    ax.locator_params(nbins=5)
    ax.view_init(elev=24, azim=-58)
    ax.legend(loc="upper right", fontsize=9)


def main() -> None:
    """Solve, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "saddle_of_a_lagrangian.png"))
    picture = parser.parse_args().picture
    console = Console()
    console.print(table_of_multipliers())
    with style.styled():
        figure = Figure(figsize=(12.5, 4.6), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        places = figure.add_gridspec(1, 3, width_ratios=[1, 1, 1.35])
        draw_primal(figure.add_subplot(places[0]))
        draw_dual(figure.add_subplot(places[1]))
        draw_saddle(figure.add_subplot(places[2], projection="3d"))
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Description": ALT})
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
