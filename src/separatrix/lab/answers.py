"""Answers to the messages of a page: the one entry of the server, and of whoever wants the lab without a page.

`answers(message)` yields dictionaries of plain values, ready for JSON. It is pure: it writes no file and changes
nothing that a later call sees, so that it may run in a process of its own, and be killed at any time.
"""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from separatrix.data.table import shortened
from separatrix.errors import OptionError, SeparatrixError
from separatrix.estimators.progress_line import no_progress_lines
from separatrix.lab import lessons, limits, menu, snippets, toys, upload
from separatrix.lab.drawing import page_order
from separatrix.lab.drawing.lift import lift
from separatrix.lab.error_curve import error_curve
from separatrix.lab.fitting import fitted
from separatrix.lab.player import replay
from separatrix.lab.points import points_of
from separatrix.lab.question import question_of
from separatrix.lab.recording import recorded
from separatrix.lab.result import note, result
from separatrix.lab.separation import separation
from separatrix.version import __version__

Answers = Iterator[dict[str, Any]]
PARAMETER = re.compile(r"The '(\w+)' parameter|^'(\w+)' ")


def answers(message: Mapping[str, Any]) -> Answers:
    """Answer a message of a page, step by step.

    Parameters
    ----------
    message : dict
        With `do`, `id`, perhaps `slot`, and what the request needs.

    Yields
    ------
    dict
        Each with `kind`, and `id` and `slot` of the message. Whatever is wrong with the message is the last answer,
        of kind "error", with a sentence.

    Examples
    --------
    >>> data = {"x": [0, 1, 4, 5], "y": [0, 0, 4, 4], "class": [0, 0, 1, 1]}
    >>> ask = {"id": 1, "slot": 0, "do": "fit", "data": data, "method": "linear SVM", "options": {"C": "inf"}}
    >>> begin, *frames, result = answers(ask)
    >>> result["status"]
    'All 4 points are on their own side. Proved.'
    >>> [answer["message"] for answer in answers({"id": 2, "do": "dance"})]
    ["The lab cannot do 'dance'. It can: hello, fit, ..."]
    """
    about = {name: message[name] for name in ("id", "slot") if name in message} if isinstance(message, Mapping) else {}
    try:
        for answer in answer_of(message):
            yield {**answer, **about}
    except SeparatrixError as problem:
        yield {"kind": "error", "message": str(problem), "option": option_in(str(problem)), **about}
    except RecursionError:
        yield {
            "kind": "error",
            "message": "The message is nested too deeply: send plain lists.",
            "option": None,
            **about,
        }


def answer_of(message: Any) -> Answers:
    """The answers of whatever the message asks for."""
    if not isinstance(message, Mapping):
        raise OptionError(f"A message must be an object with 'do' and 'id'. Got {shortened(message)}.")
    asked = message.get("do")
    if not isinstance(asked, str) or asked not in REQUESTS:
        raise OptionError(f"The lab cannot do {shortened(asked)}. It can: {', '.join(REQUESTS)}.")
    yield from REQUESTS[asked](message)


def option_in(sentence: str) -> str | None:
    """The option that an error is about, if it names one."""
    found = PARAMETER.search(sentence)
    return None if found is None else found[1] or found[2]


def hello(message: Mapping[str, Any]) -> Answers:
    """The menu."""
    yield {
        "kind": "menu",
        "version": __version__,
        "start": None,
        "limits": {
            "points": limits.MAX_POINTS,
            "classes": limits.MAX_CLASSES,
            "frames": limits.MAX_FRAMES,
            "seconds": limits.MAX_FIT_SECONDS,
            "bytes": limits.MAX_MESSAGE_BYTES,
        },
        "methods": menu.methods(),
        "toys": toys.menu(),
        "lessons": lessons.menu(),
    }


def fit(message: Mapping[str, Any]) -> Answers:
    """The fit: how it begins, its frames if they are asked for, and its result."""
    question = question_of(message)
    if message.get("record", True) and question.max_frames:
        yield from recorded(question)
        return
    codes = page_order.codes(question)
    yield {
        "kind": "begin",
        "call": question.call,
        "unit": "step",
        "total": None,
        "classes": codes,
        "note": note(question),
    }
    yield result(question, fitted(question))


def separable(message: Mapping[str, Any]) -> Answers:
    """Whether lines separate the classes."""
    yield separation(points_of(message.get("data")))


def toy(message: Mapping[str, Any]) -> Answers:
    """The points of a toy set."""
    found = toys.toy_points(*(message.get(name) for name in ("name", "seed", "n", "noise")))
    yield {"kind": "points", "data": found.to_message(), "text": toys.TOYS[message["name"]].text}


def model(message: Mapping[str, Any]) -> Answers:
    """The model file and the points, to be taken along."""
    yield snippets.model_file(question_of(message))


def curve(message: Mapping[str, Any]) -> Answers:
    """The error over an option, as far as it is known."""
    yield from error_curve(question_of(message), message.get("parameter"))


def read(message: Mapping[str, Any]) -> Answers:
    """The columns of a file, and the points of two of them."""
    found = upload.uploaded(message)
    table = upload.table(found)
    yield table
    yield upload.points_of_columns(found, table["x"], table["y"], table["target"])


def columns(message: Mapping[str, Any]) -> Answers:
    """The points of two columns of a file."""
    yield upload.points_of_columns(upload.uploaded(message), *(message.get(name) for name in ("x", "y", "target")))


def project(message: Mapping[str, Any]) -> Answers:
    """The projection of a file."""
    with warnings.catch_warnings(), no_progress_lines():
        warnings.simplefilter("ignore")
        yield upload.points_of_projection(upload.uploaded(message), message.get("target"))


def lifted(message: Mapping[str, Any]) -> Answers:
    """The points lifted out of the plane."""
    yield lift(question_of(message))


def replayed(message: Mapping[str, Any]) -> Answers:
    """The run as a page of its own."""
    yield replay(question_of(message), message.get("theme"))


def cancel(message: Mapping[str, Any]) -> Answers:
    """What is said where nothing is left to be cancelled."""
    yield {"kind": "cancelled"}


REQUESTS: Mapping[str, Callable[[Mapping[str, Any]], Answers]] = {
    "hello": hello,
    "fit": fit,
    "separable": separable,
    "toy": toy,
    "read": read,
    "columns": columns,
    "project": project,
    "curve": curve,
    "lift": lifted,
    "replay": replayed,
    "model": model,
    "cancel": cancel,
}
