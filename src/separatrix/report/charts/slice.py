"""A slice of the space of the features by a plane: scores of a classifier on it, and rows projected to it.

A slice is not a projection: the score of a row depends also on the coordinates that are 0 on the slice. How often the
slice shows the class that is predicted for a row is counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.analysis.margins import class_codes
from separatrix.data.encode import features
from separatrix.report.charts.geometry import View, view_of
from separatrix.report.charts.projection import MAX_POINTS, drawn_rows, row_mask
from separatrix.report.charts.scores import (
    MAX_KERNEL_VALUES,
    check_model,
    dense,
    machine_of,
    predicted,
    scores_of,
    support,
)
from separatrix.report.charts.section import feature_names, section_of
from separatrix.rows import Vector

MIN_GRID, MAX_GRID = 60, 240  # points a side
MAX_GRID_OF_VOTES = 480  # scores of several classes may jump, so that contours are no finer than the grid


@dataclass(frozen=True, eq=False)
class Slice:
    """Scores on a grid of the plane, and some rows as points of it; counts are of all rows."""

    view: View
    across: Vector
    up: Vector
    scores: Vector  # of shape (up, across), or (up, across, classes)
    points: Vector
    rows: np.ndarray
    codes: np.ndarray
    wrong: np.ndarray
    ringed: np.ndarray
    labels: tuple[str, str]
    made_of: tuple[str, str]  # the main features of directions; empty where axes are features
    whole: bool  # there are only these two features
    has_margin: bool  # g = -1 and g = 1 are margins
    same_class: float  # the fraction of drawn rows at whose points the slice shows the class predicted for them
    n_features: int
    n_rows: int
    n_wrong: int | None  # None: too many rows to be scored
    n_ringed: int
    classes: np.ndarray


def cut(
    model: Any,
    X: Any,
    y: Any,
    *,
    pair: Sequence[Any] | None = None,
    names: Sequence[Any] | None = None,
    ringed: Any = None,
    most: int = MAX_POINTS,
) -> Slice:
    """Cut the space of the features by a plane; the options are those of `decision_surface`.

    >>> from separatrix import KernelSVM
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> found = cut(KernelSVM("poly", degree=2, coef0=1.0, C=100.0).fit(X, y), X, y)
    >>> found.labels, found.whole, found.n_wrong, found.ringed.tolist()
    (('x1', 'x2'), True, 0, [True, True, True, True])
    """
    check_model(model, X)
    matrix = features(X)
    n, d = matrix.shape
    codes = class_codes(model, y, n)
    marked = support(model, matrix) if ringed is None else row_mask(ringed, n)
    n_support = max(1, len(getattr(machine_of(model), "support_", ())))
    wrong = np.zeros(n, dtype=bool)
    all_scored = n * n_support <= MAX_KERNEL_VALUES
    if all_scored:
        wrong = predicted(scores_of(model, matrix)) != codes
    rows = drawn_rows(codes, wrong | marked, most)
    drawn = dense(matrix[rows])
    theirs = predicted(scores_of(model, drawn))
    wrong[rows] = theirs != codes[rows]
    section = section_of(model, matrix, drawn, pair, feature_names(names, d), n_support)
    points = (drawn - section.origin) @ section.dual
    view = view_of(points)
    shown = predicted(scores_of(model, points, section))
    finest = MAX_GRID if len(model.classes_) == 2 else MAX_GRID_OF_VOTES
    side = int(np.clip(np.sqrt(MAX_KERNEL_VALUES / n_support), MIN_GRID, finest))
    across, up = np.linspace(view.left, view.right, side), np.linspace(view.bottom, view.top, side)
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    scores = scores_of(model, grid, section)
    return Slice(
        view=view,
        across=across,
        up=up,
        scores=scores.reshape(side, side, *scores.shape[1:]),
        points=points,
        rows=rows,
        codes=codes[rows],
        wrong=wrong[rows],
        ringed=marked[rows],
        labels=section.labels,
        made_of=section.made_of,
        whole=d == 2,
        has_margin=scores.ndim == 1 and hasattr(machine_of(model), "support_"),
        same_class=float(np.mean(shown == theirs)),
        n_features=d,
        n_rows=n,
        n_wrong=int(wrong.sum()) if all_scored else None,
        n_ringed=int(marked.sum()),
        classes=model.classes_,
    )
