"""Scores on a grid of points, for what has no plane in the space of the features."""

from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.report.charts.geometry import View
from separatrix.rows import Vector

CELLS = 48  # points of the grid in each direction: a page draws lines between them, which 48 make smooth
DIGITS = 6


def grid_points(view: View) -> Vector:
    """The points of the grid, row by row from below, each row from left to right.

    >>> grid_points(View(0.0, 47.0, 0.0, 1.0))[:2].tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    x, y = np.linspace(view.left, view.right, CELLS), np.linspace(view.bottom, view.top, CELLS)
    return np.column_stack([np.tile(x, CELLS), np.repeat(y, CELLS)])


def field_of(view: View, scores: Callable[[Vector], Vector]) -> dict[str, Any]:
    """Scores of all points of the grid: one list for two classes, or one for each class."""
    found = np.asarray(scores(grid_points(view)), dtype=float).reshape(CELLS * CELLS, -1).T
    return {"nx": CELLS, "ny": CELLS, "view": list(map(float, view)), "scores": [rounded(each) for each in found]}


def rounded(values: Vector) -> list[float]:
    """Numbers with 6 digits; an infinite one as the largest finite one."""
    finite = np.nan_to_num(values, nan=0.0)
    return [float(f"{value:.{DIGITS}g}") for value in finite.tolist()]
