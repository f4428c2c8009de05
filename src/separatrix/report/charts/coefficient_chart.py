"""The effects of features on the scores of a linear classifier, per standard deviation of the feature.

    effect of feature j   w_j s_j                     several classes:   (w_cj - mean over c) s_j

with s_j the standard deviation of column j over the rows. The mean is subtracted, as adding the same to the scores of
all classes changes no prediction.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from separatrix.data.encode import features
from separatrix.errors import DataError
from separatrix.report.charts import style
from separatrix.rows import Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_FEATURES, MAX_CLASSES = 20, 24  # beyond so many classes a bar shows the largest effect on any
MAX_SQUARE_AREA = 130.0  # square points
POSITIVE, NEGATIVE = style.COLOURS[1], style.COLOURS[0]  # towards classes_[1] and classes_[0], in their colours


class Effects(NamedTuple):
    """The largest effects, of shape (features, 1) or (features, classes), and the features that they belong to."""

    values: Vector
    columns: np.ndarray
    names: list[str]
    n_features: int


def effects(model: Any, X: Any, feature_names: Sequence[Any] | None = None, most: int = MAX_FEATURES) -> Effects:
    """The effect of one standard deviation of each feature on the scores, the largest first.

    >>> from separatrix import LinearSVM
    >>> X, y = np.array([[-1.0, 5], [-1, 7], [1, 5], [1, 7]]), [0, 0, 1, 1]
    >>> found = effects(LinearSVM().fit(X, y), X, ["height", "noise"])
    >>> found.names, float(found.values[0, 0].round(6))
    (['height', 'noise'], 1.0)
    """
    W = getattr(model, "coef_", None)
    matrix = features(X)
    W = W[None] if W is not None and np.ndim(W) == 1 else W  # a regressor has one plane
    if W is None or np.shape(W)[1] != matrix.shape[1]:
        has = "none" if W is None else np.shape(W)[1]
        raise DataError(
            f"The effects of features need one coefficient for each of the {matrix.shape[1]} columns of X, and "
            f"{type(model).__name__} has {has}. Use a linear classifier of these rows."
        )
    W = np.asarray(W.toarray() if sparse.issparse(W) else W, dtype=np.float64)
    W = W - W.mean(axis=0) if len(W) > 1 else W
    values = (W * deviations(matrix)).T
    order = np.argsort(-np.abs(values).max(axis=1), kind="stable")[:most]
    given = [f"x{j}" for j in range(len(values))] if feature_names is None else list(map(str, feature_names))
    return Effects(values[order], order, [given[j] for j in order], len(values))


def deviations(matrix: Any) -> Vector:
    """The standard deviation of each column; sparse rows stay sparse."""
    if not sparse.issparse(matrix):
        return np.array([column.std(dtype=np.float64) for column in matrix.T])  # all at once would copy the matrix
    mean = np.asarray(matrix.mean(axis=0, dtype=np.float64)).ravel()
    stored = np.bincount(matrix.indices, minlength=matrix.shape[1])
    deviation = (matrix.data - mean[matrix.indices]) ** 2
    squares = np.bincount(matrix.indices, deviation, minlength=matrix.shape[1]) + (matrix.shape[0] - stored) * mean**2
    return np.sqrt(squares / matrix.shape[0])


def coefficient_chart(
    model: Any,
    X: Any,
    ax: "Axes | None" = None,
    *,
    feature_names: Sequence[Any] | None = None,
    most: int = MAX_FEATURES,
    title: str | None = None,
) -> "Axes":
    """Draw the effect of one standard deviation of each feature on the scores, the largest first.

    Numbers: a bar for each feature, to the right where the prediction grows with it. Two classes: a bar for each
    feature, to the right where it speaks for `classes_[1]`. Several classes: a square for
    each feature and class, whose area is the size of the effect, filled where it speaks for the class and open where it
    speaks against it (Hinton's diagram). Very many classes: a bar for the largest effect on any of them.

    Parameters
    ----------
    model : fitted linear classifier or regressor
        With `coef_`.
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows whose standard deviations count.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    feature_names : names or None
        None: x0, x1 and so on.
    most : int
        Features at most.
    title : str or None
        None: how many features are shown.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("coefficients.png")`.

    Examples
    --------
    >>> from separatrix import LinearSVM
    >>> from separatrix.report import coefficient_chart
    >>> X, y = [[-1, 5], [-1, 7], [1, 5], [1, 7]], [0, 0, 1, 1]
    >>> ax = coefficient_chart(LinearSVM().fit(X, y), X)
    >>> [round(float(bar.get_width()), 6) + 0.0 for bar in ax.patches]  # x1 is the same in both classes
    [1.0, 0.0]
    """
    found = effects(model, X, feature_names, most)
    with style.styled():
        ax = style.axes(ax, height=1.0 + 0.2 * len(found.names))
        if found.values.shape[1] == 1:
            draw_bars(ax, found.values[:, 0], getattr(model, "classes_", None))
        elif found.values.shape[1] <= MAX_CLASSES and len(found.values[0]) == len(model.classes_):
            draw_squares(ax, found.values, model.classes_)
        else:
            draw_magnitudes(ax, np.abs(found.values).max(axis=1))
        ax.set_yticks(range(len(found.names)), list(map(style.plain, style.distinct(found.names, 24))))
        ax.set_ylim(len(found.names) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        shown = f"The {len(found.names)} largest of {found.n_features:,} effects"
        if len(found.names) == found.n_features:
            shown = "Effects of the features"
        ax.set_title(shown if title is None else title, loc="left")
    return ax


def draw_bars(ax: Any, values: Vector, classes: np.ndarray | None) -> None:
    """Bars to both sides of 0, with their sign at the end; without classes they are effects on a prediction."""
    ax.barh(range(len(values)), values, height=0.62, color=[POSITIVE if v > 0 else NEGATIVE for v in values], zorder=2)
    ax.axvline(0.0, color=style.INK, linewidth=0.8, zorder=3)
    largest = float(np.abs(values).max()) or 1.0
    for place, value in enumerate(values):
        if abs(value) > 1e-12 * largest:
            side = 1 if value > 0 else -1
            ax.annotate(
                "+" if value > 0 else "−", (value, place), (5 * side, 0), textcoords="offset points",
                ha="center", va="center_baseline", fontsize=9, annotation_clip=False,
            )  # fmt: skip
    left, right = min(0.0, float(values.min())), max(0.0, float(values.max()))
    ax.set_xlim(left - 0.08 * (right - left or 1), right + 0.08 * (right - left or 1))
    ax.locator_params(axis="x", nbins=5)
    if classes is None:
        ax.set_xlabel("effect on the prediction")
    else:
        names = [style.plain(style.short(label, 12)) for label in classes]
        ax.set_xlabel(f"effect on g\n← {names[0]}  ·  {names[1]} →")
    only_x_axis(ax)


def draw_magnitudes(ax: Any, values: Vector) -> None:
    """Bars without a sign."""
    ax.barh(range(len(values)), values, height=0.62, color=style.FAINT, zorder=2)
    ax.locator_params(axis="x", nbins=5)
    ax.set_xlabel("largest effect on the score of any class")
    only_x_axis(ax)


def draw_squares(ax: Any, values: Vector, classes: np.ndarray) -> None:
    """A square for each feature and class, its area the size of the effect; filled is +, open is −."""
    areas = MAX_SQUARE_AREA * np.abs(values) / (np.abs(values).max() or 1.0)
    for side, square in (
        (values > 0, {"facecolors": POSITIVE, "edgecolors": POSITIVE, "label": "+"}),
        (values < 0, {"facecolors": "white", "edgecolors": NEGATIVE, "label": "−"}),
    ):
        place, number = np.nonzero(side)
        ax.scatter(number, place, s=areas[side], marker="s", linewidths=1.1, zorder=2, **square)
    ax.set_xlim(-0.6, len(classes) - 0.4)
    longest = max(len(str(label)) for label in classes)
    turned = longest * len(classes) > 40
    names = [style.plain(style.short(label, 14)) for label in classes]
    ax.set_xticks(range(len(classes)), names, rotation=90 if turned else 0)
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", length=0)
    ax.grid(color=style.RULE, linewidth=0.6)
    for side in ax.spines.values():
        side.set_visible(False)


def only_x_axis(ax: Any) -> None:
    """Hide all spines but the lower one, and draw vertical grid lines."""
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.grid(axis="x", color=style.RULE, linewidth=0.6, zorder=0)
