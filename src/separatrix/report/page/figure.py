"""A figure of a page: its SVG, a heading that states the finding, how to read it, and the marks of its legend."""

from collections.abc import Iterator, Sequence
from typing import Any

from separatrix.report.page.markup import class_mark, swatch, text

WIDE, NARROW = (6.2, 3.9), (4.8, 3.3)  # inches
MAX_CLASSES_IN_LEGEND = 16
RING = swatch('<circle r="6" fill="none" stroke="var(--ink)" stroke-width="1.4"/>')
CROSS = swatch('<path d="M-5,-5L5,5M-5,5L5,-5" stroke="var(--ink)" stroke-width="1.6"/>')
LINE = swatch('<path d="M0,-8V8" stroke="var(--ink)" stroke-width="2"/>')
DASHES = swatch('<path d="M0,-8V8" stroke="var(--ink)" stroke-width="1.4" stroke-dasharray="3 2"/>')
FRAME = swatch('<path d="M-6,-6H6V6H-6z" fill="none" stroke="var(--ink)" stroke-width="2.4"/>')


def figure(name: str, svg: str, heading: str, words: str, marks: str = "", wide: bool = False) -> str:
    """A figure of HTML."""
    kind = "wide" if wide else "narrow"
    caption = f"<figcaption><h3>{heading}</h3><p>{words}</p>{marks}</figcaption>"
    return f'<figure class="{kind}" id="picture-{name}"><div class="plot">{svg}</div>{caption}</figure>'


def class_marks(labels: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """The marks of the classes, for a legend."""
    yield from ((class_mark(code), text(label, 24)) for code, label in enumerate(labels[:MAX_CLASSES_IN_LEGEND]))
    if len(labels) > MAX_CLASSES_IN_LEGEND:
        yield "", f"and {len(labels) - MAX_CLASSES_IN_LEGEND} more classes"
