"""The points lifted out of the plane, where the boundary between two classes is a flat cut.

(x.z)^2    phi(x) = (x1^2, x2^2, sqrt2 x1 x2), of which (gamma x.z)^2 is gamma^2 times the inner product;
           g(x) = a x1^2 + b x2^2 + c sqrt2 x1 x2 + d is a plane there
others     (x1, x2, g(x)): the score is the height, and the cut is at the height 0
"""

from typing import Any

import numpy as np

from separatrix.errors import DataError
from separatrix.lab.drawing import page_order
from separatrix.lab.drawing.field import around, grid_on, rounded
from separatrix.lab.fitting import fitted
from separatrix.lab.question import Question
from separatrix.rows import Vector

SURFACE_POINTS = 40  # along each side of the surface of scores
ROOT = float(np.sqrt(2.0))


def lift(question: Question) -> dict[str, Any]:
    """The lifted points, and the plane that cuts them."""
    if len(question.classes) != 2 and not question.is_novelty:
        raise DataError(
            f"The lift is drawn of two classes, between which one surface runs, and there are {len(question.classes)}: "
            "remove the points of the others."
        )
    model = fitted(question).model
    found = of_squares(question, model) if is_square(question, model) else of_scores(question, model)
    return {"kind": "lift", "classes": question.points.codes.tolist(), **found}


def is_square(question: Question, model: Any) -> bool:
    """Whether the kernel is (gamma x.z)^2, whose space has three dimensions."""
    return getattr(model, "kernel", None) == "poly" and model.degree == 2 and model.coef0 == 0.0


def of_squares(question: Question, model: Any) -> dict[str, Any]:
    """Points at (x1^2, x2^2, sqrt2 x1 x2), and the plane g = 0 of the machine."""
    mapped = squares(np.asarray(model.support_vectors_, dtype=np.float64))
    sign, gamma = page_order.sign(question), float(model.kernel_.gamma)
    normal = sign * gamma**2 * (np.atleast_2d(model.dual_coef_)[0] @ mapped)
    return {
        "axes": ["x1^2", "x2^2", "sqrt2 x1 x2"],
        "points": squares(question.X).tolist(),
        "plane": [*normal.tolist(), sign * float(np.atleast_1d(model.intercept_)[0])],
        "text": "The kernel (x.z)^2 is an inner product of (x1^2, x2^2, sqrt2 x1 x2). Lifted there, the points lie on "
        "a cone, and the curve between the classes is where a plane cuts it.",
    }


def squares(X: Vector) -> Vector:
    """(x1^2, x2^2, sqrt2 x1 x2) of each row.

    >>> squares(np.array([[1.0, 2.0]])).round(3).tolist()
    [[1.0, 4.0, 2.828]]
    """
    return np.column_stack([X[:, 0] ** 2, X[:, 1] ** 2, ROOT * X[:, 0] * X[:, 1]])


def of_scores(question: Question, model: Any) -> dict[str, Any]:
    """Points at the height of their scores, the surface of all scores, and the cut at the height 0."""
    sign = page_order.sign(question)

    def height(points: Vector) -> Vector:
        return sign * np.asarray(model.decision_function(points), dtype=np.float64)

    view = question.view or around(question.X)
    grid = grid_on(view, SURFACE_POINTS)
    return {
        "axes": [*question.names, "g(x)"],
        "points": np.column_stack([question.X, height(question.X)]).tolist(),
        "plane": [0.0, 0.0, 1.0, 0.0],
        "surface": {
            "nx": grid.n,
            "ny": grid.n,
            "x": [view.left, view.right],
            "y": [view.bottom, view.top],
            "z": rounded(height(grid.points)),
        },
        "text": "Each point is at the height of its score g(x). The boundary between the classes is where the surface "
        "of all scores passes the height 0.",
    }
