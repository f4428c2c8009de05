"""Rows of two features and the decision boundary of a classifier, with its margin."""

import warnings
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from separatrix.analysis.margins import Margins, class_codes, margins, planes_behind
from separatrix.data.encode import features
from separatrix.data.prepare.frames import frame_values, is_frame
from separatrix.errors import OptionError, counted
from separatrix.estimators.reduction.reduction import Reduction
from separatrix.report.charts import style
from separatrix.report.charts.geometry import View, regions, segment, two_features, view_of
from separatrix.rows import Vector, length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GRID_POINTS = 400  # a side, for regions that are found by votes
DISTANCE_RTOL = 1e-6  # rows whose distances differ by less are equally near


def decision_line(
    model: Any,
    X: Any,
    y: Any,
    ax: "Axes | None" = None,
    *,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
    legend: bool = True,
) -> "Axes":
    """Draw rows of two features and the decision boundary of a classifier.

    Two classes: the line g = 0. If every row is on its own side, dashed lines run on both sides of it at the distance
    of the nearest row. Otherwise wrong rows are crossed out, and the dotted lines are g = -1 and g = 1, where both pass
    through the picture. Several classes: the region of each, wrong rows crossed out. The support rows are ringed; of a
    classifier without any, the nearest rows if all are right.

    Parameters
    ----------
    model : fitted classifier, or pipeline that ends with one
        With `coef_` and `intercept_`, for two features; the steps before it may shift, scale and mix them.
    X : array, scipy.sparse matrix or frame of shape (n, 2)
        The rows.
    y : array of n labels
        Their classes.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    feature_names : two names or None
        For the axes; None: those of the frame, or those that the model was fitted with.
    title, legend : str or None, bool
        None: how many rows are wrong, or the margin; whether to say what the marks are.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("line.png")`.

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> from separatrix.report import decision_line
    >>> X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], ["up", "up", "down", "down"]
    >>> ax = decision_line(Perceptron(shuffle=False).fit(X, y), X, y)
    >>> ax.get_title(loc="left")
    'Every row is right, the nearest 0.707 from the line'
    """
    names = style.axis_names(feature_names, names_of(model, X))
    model, X = in_own_columns(model, X)
    found = margins(model, X, y)
    points = features(X)
    two_features(points, "decision_line")
    points = points.toarray() if sparse.issparse(points) else points
    planes = planes_behind(model, X, model.decision_function(X))
    view = view_of(points)
    with style.styled():
        beside, ax = ax is None, style.axes_for(ax, view, names)
        style.scatter(ax, points, class_codes(model, y, len(points)), model.classes_.tolist())
        if planes is None:
            draw_decoded(ax, model, view)
        elif len(planes[0]) == 1:
            draw_line(ax, planes[0][0], float(planes[1][0]), view, found)
        else:
            polygons = regions(*planes, view)
            style.tint(ax, polygons)
            style.boundaries(ax, polygons, view)
        mark_rows(ax, points, found, support_rows(model, len(points)))
        ax.set_title(summary(found, len(model.classes_)) if title is None else title, loc="left")
        if legend:
            style.legend(ax, beside)
    return ax


def names_of(model: Any, X: Any) -> Any:
    """The names of the features: those of the frame, else those that the model was fitted with, else None."""
    return frame_values(X)[1] if is_frame(X) else getattr(model, "feature_names_in_", None)


def summary(found: Margins, n_classes: int) -> str:
    """The number of errors, or the smallest margin, as a title."""
    n = found.functional.size
    if found.n_wrong:
        return f"{found.n_wrong:,} of {counted(n, 'row')} on the wrong side"
    nearest = found.smallest_geometric.margin
    line = "the line" if n_classes == 2 else "a boundary"
    return "Every row is right" + ("" if np.isnan(nearest) else f", the nearest {nearest:.3g} from {line}")


def draw_line(ax: Any, w: Vector, b: float, view: View, found: Margins) -> None:
    """The line g = 0, the halves on its sides, and the lines that show its margin."""
    style.tint(ax, regions(w[None], np.array([b]), view))
    line = segment(w, b, view)
    if line is None:
        why = "w = 0: there is no line" if not w.any() else "the line is outside of the picture"
        style.note(ax, why)
        return
    ax.plot(*line.T, color=style.INK, linewidth=1.8, label="line, g = 0", zorder=2)
    separated = not found.n_wrong
    height = found.smallest_geometric.margin * length(w) if separated else 1.0
    beside = [segment(w, b - side * height, view) for side in (1, -1)]
    if not separated and (beside[0] is None or beside[1] is None):
        return
    label = f"margin, {found.smallest_geometric.margin:.3g}" if separated else "g = −1 and g = 1"
    for ends in beside:
        if ends is not None:
            ax.plot(
                *ends.T, color=style.INK, linewidth=1.1, linestyle="--" if separated else ":", label=label, zorder=2
            )
            label = "_"  # one entry in the legend is enough


def draw_decoded(ax: Any, model: Any, view: View) -> None:
    """Draw the regions of classes that are found by decoding the scores of planes, on a grid of points."""
    if not isinstance(model, Reduction) or not hasattr(model, "coef_"):
        raise OptionError(
            f"decision_line draws classifiers with planes, and the scores of {type(model).__name__} are not those of "
            "its coef_ and intercept_. decision_surface draws any boundary."
        )
    across, up = (
        low + (np.arange(GRID_POINTS) + 0.5) * size / GRID_POINTS
        for low, size in zip((view.left, view.bottom), view.size, strict=True)
    )
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    scores = grid @ model.coef_.T + model.intercept_
    winners = model._decode(scores).argmax(axis=1).reshape(GRID_POINTS, GRID_POINTS)
    for number in np.unique(winners):
        inside = (winners == number).astype(float)
        ax.contourf(across, up, inside, levels=[0.5, 1.5], colors=[style.colour(number)], alpha=style.TINT, zorder=0)
        ax.contour(across, up, inside, levels=[0.5], colors=[style.INK], linewidths=1.2, zorder=2)


def in_own_columns(model: Any, X: Any) -> tuple[Any, Any]:
    """The last step of a pipeline with its planes in the columns of X, as an array; another model as it is.

    The steps before it make A x + c of a row x, so that w.(A x + c) + b has the normal A'w.
    """
    if not isinstance(model, Pipeline):
        return model, X
    points = features(X)
    two_features(points, "decision_line")
    points = points.toarray() if sparse.issparse(points) else points
    last, before = model.steps[-1][1], model[:-1]
    if not (hasattr(last, "coef_") and len(model.steps) > 1):
        return last, X
    centre, spread = points.mean(axis=0), np.where(np.ptp(points, axis=0) > 0, np.ptp(points, axis=0), 1.0)
    corners = centre + np.array([[0.0, 0.0], [spread[0], 0.0], [0.0, spread[1]]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that names of columns are missing
        made, seen = (features(before.transform(rows)) for rows in (corners, points))
    made, seen = (rows.toarray() if sparse.issparse(rows) else rows for rows in (made, seen))
    A = (made[1:] - made[0]).T / spread
    c = made[0] - A @ centre
    if not np.allclose(points @ A.T + c, seen, rtol=1e-6, atol=1e-6 * np.abs(seen).max()):
        raise OptionError(
            "decision_line draws lines, and the steps of this pipeline before the classifier bend them. "
            "decision_surface draws any boundary."
        )
    return with_planes_of(last, A, c), points


def with_planes_of(model: Any, A: Vector, c: Vector) -> Any:
    """A copy of a model of rows A x + c whose planes are those of rows x; of a reduction, copies of its parts."""
    drawn = copy(model)
    if isinstance(model, Reduction):
        drawn.estimators_ = [with_planes_of(part, A, c) for part in model.estimators_]
    else:
        W = np.atleast_2d(model.coef_)
        drawn.coef_, drawn.intercept_ = W @ A, np.atleast_1d(model.intercept_) + W @ c
    drawn.n_features_in_ = 2
    if hasattr(drawn, "feature_names_in_"):
        del drawn.feature_names_in_
    return drawn


def support_rows(model: Any, n: int) -> np.ndarray | None:
    """The support rows of a model that was fitted to n rows; None where it has none, or was fitted to others."""
    held = getattr(model, "support_", None)
    if held is None or not len(held) or int(np.max(held)) >= n:
        return None
    claim: Any = getattr(model, "certificate_", None)
    fitted = [part.n_rows for part in getattr(claim, "parts", (claim,)) if hasattr(part, "n_rows")]
    return np.asarray(held) if not fitted or max(fitted) == n else None


def mark_rows(ax: Any, points: np.ndarray, found: Margins, held: np.ndarray | None) -> None:
    """Cross out wrong rows; ring the support rows, or else the nearest ones if none is wrong."""
    if held is not None:
        style.ring(ax, points[held], f"support row ({held.size:,})")
    wrong = ~(found.functional > 0)
    if wrong.any():
        x, y = points[wrong].T
        label = f"wrong side ({found.n_wrong:,})"
        ax.scatter(x, y, s=60, marker="x", c=style.INK, linewidths=1.3, zorder=4, label=label)
    if wrong.any() or held is not None:
        return
    nearest = found.smallest_geometric.margin
    if nearest > 0:
        style.ring(ax, points[found.geometric <= nearest * (1 + DISTANCE_RTOL)], "nearest row")
