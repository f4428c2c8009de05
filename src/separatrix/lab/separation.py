"""Whether lines separate the classes, with the proof as a page draws it."""

from typing import Any

import numpy as np

from separatrix.analysis.separability import Separability, separability
from separatrix.errors import DataError
from separatrix.lab.limits import MAX_FIT_SECONDS
from separatrix.lab.points import Points


def separation(points: Points) -> dict[str, Any]:
    """The verdict on the classes, and on each two of them."""
    if points.present.size < 2:
        raise DataError("Whether a line separates is asked of two classes or more: draw points of another class.")
    labels = np.array(points.class_names)[points.codes]
    whole = separability(points.X, labels, time_limit=MAX_FIT_SECONDS)
    code_of = {name: code for code, name in enumerate(points.class_names)}
    pairs = [pair(points, [code_of[name] for name in names], verdict) for names, verdict in whole.pairs.items()]
    pairs.sort(key=lambda each: each["classes"])
    return {"kind": "separation", "verdict": whole.kind, "text": str(whole), "pairs": pairs}


def pair(points: Points, codes: list[int], verdict: Separability) -> dict[str, Any]:
    """The verdict on two classes: a plane, positive for the larger code, or rows whose mixtures meet in a point."""
    sign = 1.0 if codes[0] < codes[1] else -1.0
    return {
        "classes": sorted(codes),
        "verdict": verdict.kind,
        "text": str(verdict),
        "witness": {"rows": verdict.witness.tolist(), "weights": verdict.weights.tolist()},
        "meeting": meeting(points, codes[0], verdict),
        "plane": None if verdict.planes is None else (sign * np.column_stack(verdict.planes)[0] + 0.0).tolist(),
        "margin": verdict.margin,
    }


def meeting(points: Points, first: int, verdict: Separability) -> list[float] | None:
    """The point where the mixtures of both classes meet, by that of the first."""
    if not verdict.witness.size or not verdict.weights.size:
        return None
    own = points.codes[verdict.witness] == first
    found = verdict.weights[own] @ points.X[verdict.witness[own]]
    return found.tolist()
