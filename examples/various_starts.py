"""One experiment, various starts
==============================

Where a rule begins decides where the perceptron ends, but not where LMS does.

200 rows, half from N((-a, 0), I) and half from N((a, 0), I), for a = 5, 2 and 1, and as many new rows to test with.
Each rule starts from ten random lines. The perceptron stops at the first line that separates, which is another one for
each start; where the classes overlap it has no line to stop at, and ends wherever it is after 100 passes. LMS comes
near the line of least squares from every start, and least squares needs none. Thin lines are the ten answers, the thick
one is least squares, the best line of all is x1 = 0.

One run of the perceptron with a = 5 can be played, from a start that is quite wrong.

Run it with ``python examples/various_starts.py [PICTURE]``; the page that plays the run is written beside it, as .html.
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
from rich.table import Table
from scipy.stats import norm

from separatrix import LeastSquaresClassifier, LMSClassifier, NotCertifiedWarning, Perceptron
from separatrix.data import samples
from separatrix.report import replay
from separatrix.report.charts import style
from separatrix.report.charts.geometry import segment, view_of

OFFSETS, STARTS = (5, 2, 1), 10
RULES = {"perceptron": Perceptron, "LMS": LMSClassifier}
ALT = (
    "Six panels: for class means at distance 5, 2 and 1 from the middle, the lines of the perceptron (above) and of "
    "LMS (below) from ten random starts. The perceptron's lines differ from start to start, most so where the classes "
    "are far apart or overlap; those of LMS lie on the line of least squares."
)


def starts() -> np.ndarray:
    """Random [w1, w2, b]."""
    return 3.0 * np.random.default_rng(7).standard_normal((STARTS, 3))


def fitted(rule: str, data: Any) -> list[Any]:
    """A rule from every start, the rows in the same random order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)  # classes that overlap have no line to stop at
        return [RULES[rule](start=start, max_iter=100, random_state=0).fit(data.X, data.labels) for start in starts()]


def pairs(offset: float) -> tuple[Any, Any]:
    """Rows to learn from and to test with."""
    train, test = (samples.gaussian_pair(offset, n_rows=200, seed=(0, part)) for part in (0, 1))
    return train, test


def table_of_errors() -> Table:
    """Errors over all starts, and how far the directions are spread."""
    table = Table("rule", box=SIMPLE_HEAD, title=f"from {STARTS} starts: training and test error, spread of the angle")
    for offset in OFFSETS:
        table.add_column(f"a = {offset}, Bayes {norm.cdf(-offset):.1%}", justify="right")
    for rule in RULES:
        cells = []
        for offset in OFFSETS:
            train, test = pairs(offset)
            models = fitted(rule, train)
            errors = [np.mean([1 - model.score(part.X, part.labels) for model in models]) for part in (train, test)]
            angles = [np.degrees(np.arctan2(model.coef_[0, 1], model.coef_[0, 0])) for model in models]
            cells.append(f"{errors[0]:.1%}  {errors[1]:.1%}  {np.std(angles):5.2f}°")
        table.add_row(rule, *cells)
    cells = []
    for offset in OFFSETS:
        train, test = pairs(offset)
        model = LeastSquaresClassifier().fit(train.X, train.labels)
        cells.append("  ".join(f"{1 - model.score(part.X, part.labels):.1%}" for part in (train, test)) + "   none ")
    table.add_row("least squares", *cells)
    return table


def draw(ax: Any, rule: str, offset: float) -> None:
    """Rows, the ten lines of a rule, and least squares."""
    data, _ = pairs(offset)
    classes, codes = np.unique(data.labels, return_inverse=True)
    style.scatter(ax, data.X, codes, classes.tolist(), size=12)
    view = view_of(data.X)
    models = [(model, style.FAINT, 1.0) for model in fitted(rule, data)]
    models.append((LeastSquaresClassifier().fit(data.X, data.labels), style.INK, 2.2))
    for model, tone, width in models:
        line = segment(model.coef_[0], float(model.intercept_[0]), view)
        if line is not None:
            ax.plot(*line.T, color=tone, linewidth=width, zorder=4)
    style.axes_for(ax, view, ("x1", "x2"))
    ax.set_title(f"{rule}, a = {offset}")


def main() -> None:
    """Learn, print, draw, play."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "various_starts.png"))
    picture = parser.parse_args().picture
    console = Console()
    console.print(table_of_errors())
    with style.styled():
        figure = Figure(figsize=(11.5, 7.4), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        for row, rule in zip(figure.subplots(2, 3), RULES, strict=True):
            for ax, offset in zip(row, OFFSETS, strict=True):
                draw(ax, rule, offset)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Description": ALT})
    data, _ = pairs(OFFSETS[0])
    run = Perceptron(start=[-20.0, 30.0, 60.0], record=True, random_state=0).fit(data.X, data.labels)
    page = replay(run).save(picture.with_suffix(".html"))
    console.print(f"The picture is {picture}, and a run can be played in {page}.", highlight=False)


if __name__ == "__main__":
    main()
