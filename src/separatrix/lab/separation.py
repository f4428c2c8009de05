"""Whether lines separate the classes, with the proof as a page draws it."""

from typing import Any

import numpy as np

from separatrix.analysis.separability import Separability, separability
from separatrix.errors import DataError
from separatrix.lab.limits import MAX_FIT_SECONDS
from separatrix.lab.points import Points


def separation(points: Points) -> dict[str, Any]:
    """The verdict on the classes, and on each two of them."""
    present = points.present.tolist()
    if len(present) < 2:
        raise DataError("Whether a line separates is asked of two classes or more: draw points of another class.")
    whole = separability(points.X, points.codes, time_limit=MAX_FIT_SECONDS)
    pairs = [pair(points, codes, verdict) for codes, verdict in whole.pairs.items()]
    return {"kind": "separation", "verdict": whole.kind, "text": str(whole), "pairs": pairs}


def pair(points: Points, codes: Any, verdict: Separability) -> dict[str, Any]:
    """The verdict on two classes: a plane, or rows whose mixtures meet in a point."""
    witness, weights = verdict.witness, verdict.weights
    return {
        "classes": [int(code) for code in codes],
        "verdict": verdict.kind,
        "text": str(verdict),
        "witness": {"rows": witness.tolist(), "weights": weights.tolist()},
        "meeting": meeting(points, verdict),
        "plane": None if verdict.planes is None else np.column_stack(verdict.planes)[0].tolist(),
        "margin": verdict.margin,
    }


def meeting(points: Points, verdict: Separability) -> list[float] | None:
    """The point where the mixtures of both classes meet."""
    if not verdict.witness.size or not verdict.weights.size:
        return None
    first = points.codes[verdict.witness] == verdict.classes[0]
    found = verdict.weights[first] @ points.X[verdict.witness[first]]
    return found.tolist()
