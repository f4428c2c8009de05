"""Scores on a grid of points, for what has no plane in the space of the features."""

from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.lab.drawing.field import grid_on, rounded
from separatrix.report.charts.geometry import View
from separatrix.rows import Vector

CELLS = 48  # points of the grid in each direction: fewer than for a result, as every frame has a grid


def grid_points(view: View) -> Vector:
    """The points of the grid, row by row from below, each row from left to right.

    >>> grid_points(View(0.0, 47.0, 0.0, 1.0))[:2].tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    return grid_on(view, CELLS).points


def field_of(view: View, scores: Callable[[Vector], Vector]) -> dict[str, Any]:
    """Scores of all points of the grid: one list for two classes, or one for each class."""
    found = np.asarray(scores(grid_points(view)), dtype=float).reshape(CELLS * CELLS, -1).T
    return {"nx": CELLS, "ny": CELLS, "view": list(map(float, view)), "scores": [rounded(each) for each in found]}
