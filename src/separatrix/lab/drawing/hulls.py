"""The hulls of two classes that a machine keeps apart, and their nearest points, by its dual variables.

The plane of a support vector machine bisects the segment between the nearest points of two reduced hulls: those whose
weights are at most mu, the largest that alpha may be over the sum of alpha in a class (Crisp and Burges, 1999).
"""

from typing import Any

import numpy as np

from separatrix.lab.drawing.support import bounds
from separatrix.lab.question import Question
from separatrix.rows import Vector

DIRECTIONS = 128  # in which a reduced hull is outlined: its edges are shorter than the eye sees them turn
CORNER_RTOL = 1e-9  # of the largest coordinate: extreme points that are nearer are one corner


def hulls(question: Question, model: Any) -> list[dict[str, Any]]:
    """Marks of the convex hulls, the reduced ones and the nearest points; empty where the method has none of them."""
    if question.is_novelty or len(question.classes) != 2 or not hasattr(model, "coef_"):
        return []
    if getattr(model, "dual_coef_", None) is None or getattr(model, "loss", "hinge") != "hinge":
        return []
    rows, alpha = np.asarray(model.support_), np.abs(np.atleast_2d(model.dual_coef_)[0])
    sums = [float(alpha[question.y[rows] == side].sum()) for side in (0, 1)]
    if min(sums) <= 0.0:
        return [mark for side in (0, 1) for mark in outline(question, side, 1.0)]
    upper = bounds(question, model, rows)
    weights = question.weights if question.weighted and question.weights is not None else np.ones(len(question.X))
    limit = 1.0 if upper is None else float((upper[0] / weights[rows]).max())
    found, nearest = [], []
    for side in (0, 1):
        own = question.y[rows] == side
        mu = 1.0 if upper is None else limit / sums[side]
        nearest.append((alpha[own] @ question.X[rows[own]] / sums[side]).tolist())
        found += outline(question, side, 1.0)
        if upper is not None and mu < 1.0:
            found += outline(question, side, mu)
    return [*found, {"kind": "segment", "at": nearest, "role": "nearest", "label": "nearest points"}]


def outline(question: Question, side: int, mu: float) -> list[dict[str, Any]]:
    """The outline of the hull of a class, or of its reduced one."""
    own, whole = question.y == side, mu >= 1.0
    weights = question.weights[own] if question.weighted and question.weights is not None else np.ones(own.sum())
    corners = hull_corners(question.X[own]) if whole else reduced_corners(question.X[own], mu * weights)
    label = "convex hull" if whole else f"reduced hull, mu = {mu:.3g}"
    kind = {1: "point", 2: "segment"}.get(len(corners), "polygon")
    code = int(question.codes[side])
    role = "hull" if whole else "reduced"
    return [{"kind": kind, "at": corners.tolist(), "role": role, "label": label, "class": code}]


def hull_corners(points: Vector) -> Vector:
    """The corners of the convex hull, counter-clockwise (Andrew, 1979).

    >>> hull_corners(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [0.0, 2.0]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]
    """
    ordered = np.unique(points, axis=0)
    if len(ordered) < 3:
        return ordered
    return np.array([*chain(ordered.tolist())[:-1], *chain(ordered[::-1].tolist())[:-1]])


def chain(points: list[list[float]]) -> list[list[float]]:
    """The corners along one side of points in order: those at which the way turns left."""
    found: list[list[float]] = []
    for x, y in points:
        while len(found) > 1 and turn(found[-2], found[-1], x, y) <= 0.0:
            found.pop()
        found.append([x, y])
    return found


def turn(start: list[float], middle: list[float], x: float, y: float) -> float:
    """Twice the area of a triangle, positive where its corners go counter-clockwise."""
    return (middle[0] - start[0]) * (y - start[1]) - (middle[1] - start[1]) * (x - start[0])


def reduced_corners(points: Vector, upper: Vector) -> Vector:
    """Extreme points of the reduced hull in evenly spaced directions, all of them at once: an outline for the eye.

    In a direction the extreme point is the mixture of the furthest rows, each with all the weight that it may have.

    >>> reduced_corners(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.full(4, 0.5)).tolist()
    [[0.5, 1.0], [0.0, 0.5], [0.5, 0.0], [1.0, 0.5]]
    """
    angle = 2.0 * np.pi * (np.arange(DIRECTIONS) + 0.25) / DIRECTIONS
    order = np.argsort(points @ -np.array([np.cos(angle), np.sin(angle)]), axis=0, kind="stable")
    filled = np.minimum(np.cumsum(upper[order], axis=0), 1.0)
    weights = np.diff(filled, axis=0, prepend=0.0)
    corners = np.column_stack([(weights * points[order, axis]).sum(axis=0) for axis in (0, 1)])
    moved = np.abs(corners - np.roll(corners, 1, axis=0)).max(axis=1) > CORNER_RTOL * np.abs(points).max()
    return corners[moved] if moved.any() else corners[:1]
