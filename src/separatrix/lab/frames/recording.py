"""A recording of a fit: frames in order, each a dictionary that a page can draw.

A frame shows an iterate that the solver of the package passed through, and says in a sentence what was done and why.
Everything in it is plain JSON: no NaN, no infinity, no array.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, TypeAlias

import numpy as np

Frame: TypeAlias = dict[str, Any]
Unit: TypeAlias = Literal["update", "pass", "step", "iteration"]

MAX_ROWS_NAMED = 400  # rows that one frame points at; a batch may be for more, and then the text has their number


@dataclass(frozen=True, eq=False)
class Recording:
    """The frames of a fit, made as they are asked for, and the model that the fit ended with.

    Attributes
    ----------
    unit : str
        What a frame's number counts.
    total : int
        The number of the last frame: how many updates, passes, steps or iterations there were.
    frames : iterable of Frame
        In order, the start first and the end last; they can be gone through once.
    model : estimator
        Fitted; the last frame shows it, to the bit.
    note : str
        What a reader must know of all frames, such as that only some updates are shown; "" if there is nothing.
    warnings : list of str
        What the fit warned of.
    """

    unit: Unit
    total: int
    frames: Iterable[Frame]
    model: Any
    note: str = ""
    warnings: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.frames)


def frame(number: int, text: str, planes: Any = None, **parts: Any) -> Frame:
    """One frame; parts that are not given are empty, and of `values` those that are no finite numbers are left out.

    >>> frame(1, "A step.", np.array([[1.0, 0.0, -2.0]]), values={"wrong": 2, "bound": float("inf")})["values"]
    {'wrong': 2}
    """
    values = {name: plain_number(value) for name, value in parts.get("values", {}).items()}
    made: Frame = {
        "number": int(number),
        "text": text,
        "planes": None if planes is None else np.atleast_2d(planes).tolist(),
        "field": parts.get("field"),
        "rows": whole_numbers(parts.get("rows", ())),
        "rivals": whole_numbers(parts.get("rivals", ())),
        "alpha": parts.get("alpha"),
        "marks": list(parts.get("marks", ())),
        "values": {name: value for name, value in values.items() if value is not None},
    }
    if parts.get("pairs") is not None:
        made["pairs"] = [list(map(int, pair)) for pair in parts["pairs"]]
    return made


def plain_number(value: Any) -> int | float | None:
    """A number as JSON has it; None for what is none, or not finite."""
    if value is None or not isfinite(value):
        return None
    return int(value) if isinstance(value, (int, np.integer)) else float(value)


def whole_numbers(values: Any) -> list[int]:
    """The first of some numbers of rows or classes, as JSON has them."""
    return [int(value) for value in values[:MAX_ROWS_NAMED]]


def evenly(total: int, most: int) -> list[int]:
    """At most so many of the numbers 0 to total, the first and the last among them, evenly spaced.

    >>> evenly(3, 10), evenly(100, 5)
    ([0, 1, 2, 3], [0, 25, 50, 75, 100])
    """
    return np.unique(np.linspace(0, total, min(max(most, 2), total + 1)).round().astype(int)).tolist()


def thinned(shown: int, made: int, unit: str) -> str:
    """The note that says that not all is shown; "" if it is.

    >>> thinned(3, 10, "step"), thinned(3, 3, "step")
    ('3 of 10 frames are shown, evenly over all steps.', '')
    """
    return f"{shown:,} of {made:,} frames are shown, evenly over all {unit}s." if shown < made else ""


class Iterates:
    """Iterates of a run whose length is not known before: every one, or every 2nd, 4th, ... where they are many.

    >>> kept = Iterates(most=4)
    >>> for number in range(10):
    ...     kept.add(number, str(number))
    >>> [number for number, _ in kept.all()]
    [0, 4, 8, 9]
    """

    def __init__(self, most: int) -> None:
        self.most, self.stride, self.count = max(2, most), 1, 0
        self.kept: list[tuple[int, Any]] = []
        self.last: tuple[int, Any] | None = None

    def add(self, number: int, iterate: Any) -> None:
        """Keep an iterate, if its turn is; the last is always kept."""
        self.last = number, iterate
        if self.count % self.stride == 0:
            self.kept.append(self.last)
            if len(self.kept) > self.most - 1:
                self.kept, self.stride = self.kept[::2], 2 * self.stride
        self.count += 1

    def all(self) -> Sequence[tuple[int, Any]]:
        """What was kept, in order."""
        ends = [] if self.last is None or self.kept[-1] is self.last else [self.last]
        return [*self.kept, *ends]
