"""Planes, scores and classes in the order of the page: classes by their codes there, which need not be that of labels.

A classifier sorts labels; a page numbers classes by their colours. Of two classes that are the other way round on the
page, scores change their sign, which is exact.
"""

from typing import Any

import numpy as np

from separatrix.lab.question import Question
from separatrix.rows import Vector


def codes(question: Question) -> list[int]:
    """The codes of the classes that have points, in the order in which planes and scores are sent."""
    return [] if question.is_novelty else sorted(question.codes.tolist())


def planes(question: Question, w: Any, b: Any) -> list[list[float]]:
    """Planes as rows [w1, w2, b]: one of two classes, positive where the second code is predicted, or one a class."""
    rows = np.column_stack([np.atleast_2d(w), np.atleast_1d(b)])
    if len(rows) == 1:
        return (sign(question) * rows + 0.0).tolist()
    return rows[np.argsort(question.codes)].tolist()


def scores(question: Question, values: Vector) -> list[Vector]:
    """Scores of points: one list of two classes, positive where the second code is predicted, or one a class."""
    if values.ndim == 1:
        return [values if question.is_novelty else sign(question) * values]
    return [values[:, place] for place in np.argsort(question.codes).tolist()]


def sign(question: Question) -> float:
    """-1 where two classes are the other way round on the page."""
    return 1.0 if question.is_novelty or question.codes[0] < question.codes[-1] else -1.0


def code_of(question: Question, place: int) -> int:
    """The code of a class on the page, by its place among the labels; -1 stays, for no class."""
    return int(question.codes[place]) if place >= 0 else -1


def pairs(question: Question, w: Vector, b: Vector) -> dict[str, Any]:
    """Planes of pairs of classes, each positive for the second of its pair, by their places among the codes."""
    k = question.codes.size
    place = np.argsort(np.argsort(question.codes)).tolist()  # of each label, among the codes in ascending order
    found = [[place[i], place[j]] for i in range(k) for j in range(i + 1, k)]
    return {"planes": np.column_stack([w, b]).tolist(), "pairs": found}
