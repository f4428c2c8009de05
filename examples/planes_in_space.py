"""Planes in space
===============

The last plane of a perceptron and the best one that it passed through, in three dimensions.

Versicolor and virginica in three principal components of iris, which no plane separates: 80 rows to learn from, 20 to
test with. Left the plane where 50 passes of the perceptron end, right the plane in the pocket; both are seen nearly
from their edge, so that one sees on which side rows are. Rows on the wrong side are crossed out. The table has the
fewest errors that any plane can make on the training rows, which is proved.

With ``--heart FILE``, a CSV of the Cleveland heart disease data whose target column is named by ``--target``, the same
is drawn for three components of that, 238 rows to learn from and 59 to test with.

Run it with ``python examples/planes_in_space.py [PICTURE] [--heart FILE [--target disease]]``.
"""

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from sklearn.decomposition import PCA
from sklearn.preprocessing import scale

from separatrix import NotCertifiedWarning, Perceptron, PocketPerceptron, minimum_errors, read_table
from separatrix.data import samples
from separatrix.report.charts import style

PASSES, SEED = 50, 3
ALT = (
    "Two views of rows in three dimensions with a plane each. Left, the last plane of a perceptron, with many "
    "crossed-out rows on its wrong side; right, the plane in the pocket, with few."
)


def two_kinds_of_iris() -> tuple[np.ndarray, np.ndarray]:
    """Versicolor and virginica in the first three principal directions of all iris, standardised."""
    iris = samples.builtin("iris")
    space, kept = PCA(3).fit_transform(scale(iris.X)), iris.labels != "setosa"
    return space[kept], iris.labels[kept]


def split(n_rows: int, n_test: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(SEED).permutation(n_rows)
    return order[n_test:], order[:n_test]


def fitted(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Both rules, after as many passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)  # no plane separates these classes
        last = Perceptron(max_iter=PASSES, random_state=SEED).fit(X, y)
        best = PocketPerceptron(max_iter=PASSES, patience=PASSES * y.size + 1, random_state=SEED).fit(X, y)
    return {"perceptron": last, "pocket": best}


def patch(w: np.ndarray, b: float, X: np.ndarray) -> np.ndarray:
    """Corners of the square of the plane around the middle of the rows."""
    unit, middle = w / np.linalg.norm(w), X.mean(axis=0)
    middle = middle - (middle @ w + b) / np.linalg.norm(w) * unit
    across = np.linalg.svd(unit[None])[2][1:]  # two directions in the plane
    reach = 0.75 * np.abs((X - middle) @ across.T).max(axis=0)
    return np.array([middle + sides * reach @ across for sides in ([-1, -1], [-1, 1], [1, 1], [1, -1])])


def draw(ax: Any, name: str, model: Any, X: np.ndarray, y: np.ndarray) -> None:
    """Rows, a plane, and what is wrong, seen nearly along the plane."""
    w, b = model.coef_[0], float(model.intercept_[0])
    corners, wrong = patch(w, b, X), model.predict(X) != y
    ax.add_collection3d(Poly3DCollection([corners], facecolor=style.INK, edgecolor=style.INK, alpha=0.16))
    for number, label in enumerate(model.classes_):
        own = X[y == label]
        look = {"color": style.colour(number), "marker": style.marker(number), "edgecolors": "white", "linewidths": 0.4}
        ax.scatter(*own.T, s=26, depthshade=False, label=style.plain(label), **look)
    ax.scatter(*X[wrong].T, s=70, marker="x", color=style.INK, linewidths=1.5, depthshade=False, label="wrong")
    ax.view_init(elev=14, azim=float(np.degrees(np.arctan2(w[1], w[0]))) + 74)
    ax.set(xlabel="first", ylabel="second", zlabel="third component")
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("white")
    ax.locator_params(nbins=4)
    ax.set_box_aspect((1, 1, 0.9), zoom=1.0)
    ax.set_title(f"{name}: {np.count_nonzero(wrong)} of {y.size} training rows wrong", y=1.0)


def table_of_errors(models: dict[str, Any], parts: dict[str, tuple[np.ndarray, np.ndarray]]) -> Table:
    """Training and test errors of both planes, and the fewest that any plane makes."""
    table = Table("plane", box=SIMPLE_HEAD)
    for name, (_, y) in parts.items():
        table.add_column(f"wrong of {y.size} {name} rows", justify="right")
    for name, model in models.items():
        table.add_row(name, *(str(np.count_nonzero(model.predict(X) != y)) for X, y in parts.values()))
    if parts["training"][1].size <= 100:  # more take long
        table.add_row("fewest of any plane, proved", str(int(minimum_errors(*parts["training"]))), "", style="dim")
    return table


def main() -> None:
    """Learn, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "planes_in_space.png"))
    parser.add_argument("--heart", type=Path, metavar="FILE", help="Cleveland heart disease data as CSV")
    parser.add_argument("--target", default="disease", help="its column of labels")
    chosen = parser.parse_args()
    X, y = two_kinds_of_iris()
    if chosen.heart:
        heart = read_table(chosen.heart, target=chosen.target)
        X, y = PCA(3).fit_transform(scale(heart.X)), heart.labels
    train, test = split(y.size, y.size // 5)
    models = fitted(X[train], y[train])
    console = Console()
    console.print(table_of_errors(models, {"training": (X[train], y[train]), "test": (X[test], y[test])}))
    with style.styled():
        figure = Figure(figsize=(11.0, 5.4), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        for place, (name, model) in enumerate(models.items(), start=1):
            draw(figure.add_subplot(1, 2, place, projection="3d"), name, model, X[train], y[train])
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    chosen.picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(chosen.picture, metadata={"Description": ALT})
    console.print(f"The picture is {chosen.picture}.", highlight=False)


if __name__ == "__main__":
    main()
