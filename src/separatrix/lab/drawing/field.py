"""Scores on a grid over the points: what a page draws of a model that is no plane."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from separatrix.lab.drawing import page_order
from separatrix.lab.question import Question
from separatrix.report.charts.geometry import View, view_of
from separatrix.rows import Vector

GRID_POINTS = 64  # along each side: contours between them look smooth, and all scores are 40 kB of text
DRAGGED_GRID_POINTS = 40  # while a point is dragged, and the next picture comes at once
MARGIN = 0.6  # of the width of the points, on each side: a page shows some room around them, and may be moved
DIGITS = 6  # of numbers that only serve drawing


class Grid(NamedTuple):
    """A rectangle and the points of a grid on it, row by row from the bottom."""

    view: View
    points: Vector
    n: int

    def message(self, question: Question, values: Vector) -> dict[str, Any]:
        """Scores of the points of the grid, as a page is sent them."""
        columns = page_order.scores(question, values)
        return {
            "nx": self.n,
            "ny": self.n,
            "view": list(self.view),
            "scores": [rounded(column) for column in columns],
        }


def grid_on(view: View, n: int = GRID_POINTS) -> Grid:
    """A grid on a rectangle, its edges included.

    >>> grid_on(View(0.0, 1.0, 0.0, 2.0), 2).points.tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 2.0]]
    """
    x, y = np.linspace(view.left, view.right, n), np.linspace(view.bottom, view.top, n)
    return Grid(view, np.column_stack([np.tile(x, n), np.repeat(y, n)]), n)


def around(X: Vector) -> View:
    """The rectangle around some points, with room on every side."""
    view = view_of(X)
    across, up = (MARGIN * size for size in view.size)
    return View(view.left - across, view.right + across, view.bottom - up, view.top + up)


def field(question: Question, score: Callable[[Vector], Vector]) -> dict[str, Any]:
    """The scores of a function over what the page shows, else over the points; coarser where no run is shown."""
    n = GRID_POINTS if question.max_frames else DRAGGED_GRID_POINTS
    grid = grid_on(question.view or around(question.X), n)
    return grid.message(question, np.asarray(score(grid.points), dtype=np.float64))


def rounded(values: Any) -> list[Any]:
    """Numbers with as many digits as drawing needs; what is not finite becomes None, as JSON has no such numbers.

    >>> rounded([1.0 / 3.0, np.inf])
    [0.333333, None]
    """
    found = np.asarray(values, dtype=np.float64).ravel()
    return [float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None for value in found.tolist()]
