"""Values as HTML: escaped and shortened, with the full text as a tooltip."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from separatrix.report.animation.player import SHAPES
from separatrix.report.charts import style

MAX_NAME, MAX_TOOLTIP = 48, 300  # characters
MAX_LEGEND_COLUMN = 7  # entries
CHECK = (  # a tick that every font has
    '<svg class="tick" viewBox="0 0 12 12" aria-hidden="true"><path d="M1.5,6.5L4.5,9.5L10.5,2.5" fill="none" '
    'stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>'
)


def text(value: Any, most: int = MAX_NAME) -> str:
    """A value from the data as HTML, shortened to `most` characters with the full text as a tooltip.

    >>> text("<b>&"), text("x" * 60, 9)
    ('&lt;b&gt;&amp;', '<span title="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx">xxxx…xxxx</span>')
    """
    whole, cut = style.short(value, MAX_TOOLTIP), style.short(value, most)
    return escape(cut) if cut == whole else f'<span title="{escape(whole)}">{escape(cut)}</span>'


def sentence(value: Any, most: int = 600) -> str:
    """Running text that may name what is in the data."""
    return escape(style.short(value, most))


def number(value: Any) -> str:
    """A number in four digits, text as it is, a dash for nothing.

    >>> number(1234567.0), number(-0.00012345), number(3), number(None)
    ('1.235e+06', '−0.0001234', '3', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, (float, np.floating)):
        return "–" if np.isnan(value) else f"{value + 0.0:.4g}".replace("-", "−")
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return f"{value:,}".replace("-", "−")
    return text(value)


def percent(part: Any) -> str:
    r"""A fraction in percent, with two decimals below 1 % and one above.

    >>> [percent(part).replace("\u00a0", " ") for part in (0.0213, 0.00351, 0.0, 1.0, None)]
    ['2.1 %', '0.35 %', '0 %', '100 %', '–']
    """
    if part is None or not np.isfinite(part):
        return "–"
    digits = 0 if part in (0, 1) else 2 if part < 0.01 else 1
    return f"{100 * part:.{digits}f}\u00a0%"


def duration(seconds: Any) -> str:
    """A time in its unit.

    >>> duration(0.0123), duration(2.34), duration(125)
    ('12 ms', '2.3 s', '2 min 5 s')
    """
    if seconds is None or not np.isfinite(seconds):
        return "–"
    if seconds < 0.95:
        return f"{1000 * seconds:.{1 if seconds < 0.00995 else 0}f} ms" if seconds >= 0.001 else "<1 ms"
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 20 else f"{seconds:.0f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], numeric: Iterable[int], label: str) -> str:
    """A table in a box that scrolls by itself; the cells are HTML."""
    right = set(numeric)
    kinds = [' class="n"' if j in right else "" for j in range(len(headings))]
    head = "".join(f'<th scope="col"{kind}>{heading}</th>' for heading, kind in zip(headings, kinds, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True)) + "</tr>"
        for row in rows
    )
    box = f'<div class="box" tabindex="0" role="region" aria-label="{label}">'
    return f"{box}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def class_mark(code: int) -> str:
    """The marker of a class, as in the pictures."""
    return swatch(f'<path d="{SHAPES[style.marker(code)]}" fill="var(--c{code % len(style.COLOURS) + 1})"/>')


def swatch(drawing: str) -> str:
    """A small picture before a word of a legend."""
    return f'<svg class="swatch" viewBox="-8 -8 16 16" aria-hidden="true">{drawing}</svg>'


def legend(entries: Iterable[tuple[str, str]]) -> str:
    """The legend of a figure, in two columns if it has many entries."""
    items = [f"<li>{mark}{words}</li>" for mark, words in entries]
    return f'<ul class="legend{" many" if len(items) > MAX_LEGEND_COLUMN else ""}">{"".join(items)}</ul>'


def listed(sentences: Iterable[Any]) -> str:
    """Sentences as a list of HTML."""
    found = [sentence(each) for each in sentences]
    return "<ul>" + "".join(f"<li>{each}</li>" for each in found) + "</ul>" if found else ""
