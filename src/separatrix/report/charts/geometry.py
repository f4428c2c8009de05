"""Lines and regions within a rectangle, for figures of two features."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from separatrix.errors import DataError
from separatrix.rows import Vector

PADDING = 0.08  # fraction of the width, on each side
RESOLUTION = 1e-6  # fraction of the view; corners that are nearer count as one
MAX_ASPECT_RATIO = 4.0  # of a view that is drawn to one scale, so that right angles look right


class View(NamedTuple):
    """The rectangle of the two features that a figure shows."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def corners(self) -> Vector:
        """The four corners, in order around the rectangle."""
        return np.array(
            [[self.left, self.bottom], [self.right, self.bottom], [self.right, self.top], [self.left, self.top]]
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        return self.right - self.left, self.top - self.bottom

    @property
    def to_scale(self) -> bool:
        """Whether both features can be drawn to one scale."""
        width, height = self.size
        return 1 / MAX_ASPECT_RATIO <= width / height <= MAX_ASPECT_RATIO


def view_of(points: Vector) -> View:
    """A rectangle around points, with some room on every side.

    >>> view_of(np.array([[0.0, 0.0], [100.0, 50.0]])).size
    (116.0, 58.0)
    """
    low, high = points.min(axis=0).astype(float), points.max(axis=0).astype(float)
    span = high - low
    # one value only: as wide as the other feature, and wide enough for floats to tell left from right
    span = np.where(span > 0, span, np.maximum(span.max(), 1e-3 * np.abs(low)))
    span = np.where(span > 0, span, 1.0)
    middle, half = low / 2 + high / 2, span * (0.5 + PADDING)
    left, bottom = (middle - half).tolist()
    right, top = (middle + half).tolist()
    return View(left, right, bottom, top)


def two_features(X: np.ndarray, what: str) -> None:
    """Refuse rows that are not points of the plane."""
    if X.shape[1] != 2:
        raise DataError(
            f"{what} draws two features, one along each axis, but the rows have {X.shape[1]}. Choose two of them, fit "
            "a model to these, and draw that."
        )


def clip(polygon: Vector, w: Vector, b: float) -> Vector:
    """The part of a convex polygon where w.x + b >= 0 (Sutherland and Hodgman, 1974).

    >>> clip(View(0, 2, 0, 1).corners, np.array([1.0, 0.0]), -1.5).tolist()  # where x1 >= 1.5
    [[1.5, 0.0], [2.0, 0.0], [2.0, 1.0], [1.5, 1.0]]
    """
    heights = polygon @ w + b
    kept: list[Vector] = []
    for here, point in enumerate(polygon):
        if heights[here] * heights[here - 1] < 0:
            kept.append(crossing(polygon[here - 1], point, heights[here - 1], heights[here]))
        if heights[here] >= 0:
            kept.append(point)
    return np.array(kept).reshape(-1, 2)


def crossing(one: Vector, other: Vector, height: float, other_height: float) -> Vector:
    """The point between two others where the height, positive at one and negative at the other, is 0."""
    part = height / (height - other_height)
    return one * (1 - part) + other * part


def segment(w: Vector, b: float, view: View) -> Vector | None:
    """Both ends of the line w.x + b = 0 within a view, or None if it does not pass through.

    >>> segment(np.array([1.0, 1.0]), -1.0, View(0, 2, 0, 2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> segment(np.array([1.0, 1.0]), 9.0, View(0, 2, 0, 2)) is None
    True
    """
    corners = view.corners
    heights = corners @ w + b
    ends = []
    for here in range(4):
        after = (here + 1) % 4
        if heights[here] == 0 and not heights.all() and np.any(w):
            ends.append(corners[here])
        elif heights[here] * heights[after] < 0:
            ends.append(crossing(corners[here], corners[after], heights[here], heights[after]))
    return np.array(ends[:2]) if len(ends) >= 2 else None


def regions(W: Vector, b: Vector, view: View) -> list[Vector]:
    """The polygon of each class in a view: where its score is the largest; without corners if it is nowhere.

    One plane stands for two classes: the first where w.x + b < 0, the second where it is positive. Where all scores
    are the same there are no regions.

    >>> left, right = regions(np.array([[1.0, 0.0]]), np.array([-0.5]), View(0, 2, 0, 1))
    >>> float(left[:, 0].max()), float(right[:, 0].min())
    (0.5, 0.5)
    """
    planes = np.column_stack([W, b])
    if len(planes) == 1:
        planes = np.concatenate([np.zeros_like(planes), planes])
    return [region(planes, own, view) for own in range(len(planes))]


def region(planes: Vector, own: int, view: View) -> Vector:
    """Where the score [w, b] of one plane is the largest; the first of several equal ones has it."""
    polygon = np.empty((0, 2)) if (planes == planes[0]).all() else view.corners
    for other in range(len(planes)):
        apart = planes[own] - planes[other]
        if not apart.any() and other < own:
            return np.empty((0, 2))
        if apart.any() and len(polygon):
            polygon = clip(polygon, apart[:2], float(apart[2]))
    return polygon if len(polygon) > 2 else np.empty((0, 2))


def borders(polygons: Sequence[Vector], view: View) -> list[Vector]:
    """The edges between polygons, each once; those on the border of the view are none.

    >>> view = View(0, 2, 0, 1)
    >>> halves = regions(np.array([[1.0, 0.0]]), np.array([-0.5]), view)
    >>> [edge.tolist() for edge in borders(halves, view)]
    [[[0.5, 0.0], [0.5, 1.0]]]
    """
    found: dict[tuple, Vector] = {}
    for polygon in polygons:
        unit = (polygon - view.corners[0]) / view.size
        sides = np.abs(np.stack([unit[:, 0], unit[:, 0] - 1, unit[:, 1], unit[:, 1] - 1])) < RESOLUTION
        outer = (sides & np.roll(sides, 1, axis=1)).any(axis=0)
        for here in np.flatnonzero(~outer):
            ends = sorted(np.round(unit[[here - 1, here]] / RESOLUTION).tolist())
            found.setdefault(tuple(map(tuple, ends)), polygon[[here - 1, here]])
    return list(found.values())
