"""The frames of a fit as a page is sent them: in batches, their classes in the order of the page."""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from separatrix.estimators.progress_line import no_progress_lines
from separatrix.lab.drawing import page_order
from separatrix.lab.fitting import Fit, fitted
from separatrix.lab.frames import frames_of
from separatrix.lab.question import Question
from separatrix.lab.result import result

BATCH_SECONDS = 0.05  # that frames are gathered before they are sent: a page draws no more than 60 times a second
MAX_BATCH = 40  # frames in one message, each of up to 40 kB


def recorded(question: Question) -> Iterator[dict[str, Any]]:
    """How a fit begins, its frames in batches, the first one alone, and its result."""
    start = perf_counter()
    with no_progress_lines():
        recording = frames_of(question)
    seconds = perf_counter() - start
    yield {
        "kind": "begin",
        "call": question.call,
        "unit": recording.unit,
        "total": recording.total,
        "classes": page_order.codes(question),
        "note": recording.note or None,
    }
    yield from batches(in_page_order(question, frame) for frame in recording.frames)
    yield result(question, answered(question, recording, seconds))


def answered(question: Question, recording: Any, seconds: float) -> Fit:
    """The fit that the frames end with, which need not be made again where it learnt the labels themselves."""
    known: Any = getattr(recording.model, "classes_", None)
    if not question.is_novelty and not np.array_equal(known, np.unique(question.labels)):
        return fitted(question)
    return Fit(recording.model, seconds, list(recording.warnings))


def batches(frames: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Messages of frames: the first frame alone, as soon as it exists, then as many as a short time gives."""
    number, waiting, since = 0, [], 0.0
    for frame in frames:
        waiting.append(frame)
        if number == 0 or len(waiting) >= MAX_BATCH or perf_counter() - since > BATCH_SECONDS:
            yield {"kind": "frames", "first": number, "frames": waiting}
            number, waiting, since = number + len(waiting), [], perf_counter()
    if waiting:
        yield {"kind": "frames", "first": number, "frames": waiting}


def in_page_order(question: Question, frame: dict[str, Any]) -> dict[str, Any]:
    """A frame with planes, scores and rivals in the order of the page's classes."""
    if question.is_novelty:
        return {**frame, "classes": []}
    codes, changes = page_order.codes(question), {"classes": page_order.codes(question)}
    if question.codes.tolist() != codes:
        changes |= turned(question, frame)
    changes["rivals"] = [page_order.code_of(question, place) for place in frame.get("rivals", [])]
    return {**frame, **changes}


def turned(question: Question, frame: dict[str, Any]) -> dict[str, Any]:
    """Planes and scores of a frame, sorted by the codes of the page."""
    found: dict[str, Any] = {}
    rows, pairs, field = frame.get("planes"), frame.get("pairs"), frame.get("field")
    if rows is not None and pairs is None:
        array = np.array(rows)
        found["planes"] = page_order.planes(question, array[:, :2], array[:, 2])
    if pairs is not None:
        place = np.argsort(np.argsort(question.codes)).tolist()
        found["pairs"] = [[place[i], place[j]] for i, j in pairs]
    if field is not None:
        found["field"] = {**field, "scores": turned_scores(question, field["scores"])}
    return found


def turned_scores(question: Question, columns: list[list[float | None]]) -> list[list[float | None]]:
    """Scores of points, sorted by the codes of the page; those of one plane change their sign."""
    if len(columns) > 1:
        return [columns[place] for place in np.argsort(question.codes).tolist()]
    return [[None if value is None else page_order.sign(question) * value for value in columns[0]]]
