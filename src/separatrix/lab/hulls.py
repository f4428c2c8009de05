"""The hulls of two classes that a machine keeps apart, and their nearest points, by its dual variables.

The plane of a support vector machine bisects the segment between the nearest points of two reduced hulls: those whose
weights are at most mu, the largest that alpha may be over the sum of alpha in a class (Crisp and Burges, 1999).
"""

from typing import Any

import numpy as np

from separatrix.analysis.reduced_hull import reduced_hull
from separatrix.errors import SeparatrixError
from separatrix.lab.question import Question
from separatrix.lab.support import bounds
from separatrix.rows import Vector


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
    points: Vector = question.X[question.y == side]
    whole = mu >= 1.0
    weights = question.weights[question.y == side] if question.weighted and question.weights is not None else None
    try:
        corners = reduced_hull(points, mu, None if whole else weights).outline()
    except SeparatrixError:  # mu below the smallest by rounding
        return []
    label = "convex hull" if whole else f"reduced hull, mu = {mu:.3g}"
    role = "hull" if whole else "reduced"
    kind = {1: "point", 2: "segment"}.get(len(corners), "polygon")
    code = int(question.codes[side])
    return [{"kind": kind, "at": corners.tolist(), "role": role, "label": label, "class": code}]
