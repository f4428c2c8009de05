"""A page that plays a recorded run: one file that needs neither network nor matplotlib.

The picture is an SVG. Everything is computed here; the script in player.html only puts a frame's lines in their place.
"""

import json
import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.analysis.margins import round_step
from separatrix.report.charts import style
from separatrix.report.charts.geometry import View
from separatrix.report.page import theme

if TYPE_CHECKING:
    from separatrix.report.animation.replay import Replay

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 720.0, 70.0, 12.0, 10.0, 52.0  # the page and its four margins, in pixels
MIN_HEIGHT, MAX_HEIGHT = 260.0, 520.0  # of the picture, in pixels
MAX_RINGS = 400  # a batch step may be for all rows, and a page holds hundreds of frames

SHAPES = {
    "o": "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",
    "s": "M-4.5,-4.5h9v9h-9z",
    "^": "M0,-5.5L5.2,4.2H-5.2z",
    "D": "M0,-5.8L5.8,0L0,5.8L-5.8,0z",
    "v": "M0,5.5L5.2,-4.2H-5.2z",
    "P": "M-2,-5.5h4v3.5h3.5v4h-3.5v3.5h-4v-3.5h-3.5v-4h3.5z",
    "X": "M-5.5,-3L-3,-5.5L0,-2.5L3,-5.5L5.5,-3L2.5,0L5.5,3L3,5.5L0,2.5L-3,5.5L-5.5,3L-2.5,0z",
    "p": "M0,-5.6L5.3,-1.7L3.3,4.5H-3.3L-5.3,-1.7z",
}


class Canvas:
    """The rectangle of the picture in pixels, and the map from data coordinates to it."""

    def __init__(self, view: View):
        self.view = view
        self.width = WIDTH - LEFT - RIGHT
        across, up = view.size
        height = self.width * up / across if view.to_scale else 0.7 * self.width
        self.height = min(MAX_HEIGHT, max(MIN_HEIGHT, height))
        if view.to_scale:
            self.width = min(self.width, self.height * across / up)

    def place(self, points: Any) -> np.ndarray:
        """Data coordinates in pixels with one decimal, the second axis downwards as in SVG."""
        across, up = self.view.size
        unit = (np.asarray(points, dtype=float).reshape(-1, 2) - [self.view.left, self.view.bottom]) / [across, up]
        return np.round([LEFT, TOP + self.height] + unit * [self.width, -self.height], 1)

    def ticks(self, low: float, high: float) -> list[tuple[float, str]]:
        """Round numbers between low and high, each with its label."""
        step = round_step((high - low) / 6)
        values = step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)
        return [(float(value), f"{value + 0.0:.10g}".replace("-", "−")) for value in values]


def page(run: "Replay") -> str:
    """The whole page for a replay."""
    canvas = Canvas(run.view)
    frames = [frame(run, k, canvas) for k in range(len(run))]
    data = json.dumps({"frames": frames, "pause": run.milliseconds}, separators=(",", ":"), ensure_ascii=False)
    parts = {
        "size": f"0 0 {LEFT + canvas.width + RIGHT:.0f} {TOP + canvas.height + BOTTOM:.0f}",
        "width": f"{LEFT + canvas.width + RIGHT:.0f}",
        "box": f'x="{LEFT}" y="{TOP}" width="{canvas.width:.1f}" height="{canvas.height:.1f}"',
        "symbols": symbols(run),
        "light": theme.declarations(theme.LIGHT),
        "dark": theme.declarations(theme.DARK),
        "regions": "".join(f'<polygon fill="{tone(c)}"/>' for c in range(len(run.classes))),
        "rows": points(run, canvas),
        "axes": axes(run, canvas),
        "legend": legend(run),
        "data": data.replace("<", "\\u003c"),
    }
    return re.sub(r"\[\[(\w+)\]\]", lambda found: parts[found[1]], template())


@cache
def template() -> str:
    """The page without its picture."""
    return files("separatrix.report.animation").joinpath("player.html").read_text(encoding="utf-8")


def frame(run: "Replay", k: int, canvas: Canvas) -> dict[str, Any]:
    """What belongs to frame k alone: caption, rings, regions, lines, and the lines before."""
    moment = run.moments[k]
    heading, sentence = run.caption(k)
    polygons = (canvas.place(polygon) for polygon in run.regions(moment.planes))
    return {
        "heading": heading,
        "sentence": sentence,
        "rings": canvas.place(run.points[moment.rows[:MAX_RINGS]]).tolist(),
        "regions": [" ".join(f"{x:g},{y:g}" for x, y in polygon) for polygon in polygons],
        "lines": [path(line, canvas) for line in run.lines(moment.planes)],
        "before": [path(line, canvas) for line in run.lines(moment.before)],
    }


def path(line: np.ndarray, canvas: Canvas) -> str:
    """A line as the `d` of an SVG path."""
    (x1, y1), (x2, y2) = canvas.place(line)
    return f"M{x1:g},{y1:g}L{x2:g},{y2:g}"


def symbols(run: "Replay") -> str:
    """The marker of each class, defined once."""
    return "".join(
        f'<path id="m{c}" d="{SHAPES[style.marker(c)]}" fill="{tone(c)}" stroke="var(--paper)" stroke-width="0.8"/>'
        for c in range(len(run.classes))
    )


def tone(code: int) -> str:
    """The colour of a class, which differs by day and by night."""
    return f"var(--c{code % len(style.COLOURS) + 1})"


def points(run: "Replay", canvas: Canvas) -> str:
    """The rows as uses of the marker of their class."""
    places = canvas.place(run.points[run.drawn])
    codes = run.codes[run.drawn]
    return "".join(f'<use href="#m{c}" x="{x:g}" y="{y:g}"/>' for c, (x, y) in zip(codes, places, strict=True))


def axes(run: "Replay", canvas: Canvas) -> str:
    """Ticks, their numbers, and the names of the features."""
    view, low = run.view, TOP + canvas.height
    found = []
    for value, text in canvas.ticks(view.left, view.right):
        x = canvas.place([[value, view.bottom]])[0, 0]
        found.append(f'<path d="M{x:g},{low:g}v5"/><text x="{x:g}" y="{low + 19:g}" class="low">{text}</text>')
    for value, text in canvas.ticks(view.bottom, view.top):
        y = canvas.place([[view.left, value]])[0, 1]
        found.append(f'<path d="M{LEFT:g},{y:g}h-5"/><text x="{LEFT - 9:g}" y="{y + 4:g}" class="side">{text}</text>')
    name, other = map(escape, run.names)
    middle = TOP + canvas.height / 2
    found.append(f'<text x="{LEFT + canvas.width / 2:g}" y="{low + 42:g}" class="low name">{name}</text>')
    found.append(f'<text transform="translate(16,{middle:g}) rotate(-90)" class="low name">{other}</text>')
    return "".join(found)


def legend(run: "Replay") -> str:
    """The entries of the legend: classes, lines, rings."""
    entries = [(f'<use href="#m{c}" x="12" y="8"/>', label) for c, label in enumerate(run.classes)]
    word = "line" if len(run.moments[0].planes) == 1 else "boundary"
    entries += [
        ('<path d="M0,8H24" class="now"/>', word),
        ('<path d="M0,8H24" class="before"/>', f"{word} before"),
        ('<circle cx="12" cy="8" r="7" class="ring"/>', "row it moved for" if not run.at_once else "rows it moved for"),
    ]
    if run.drawn.size < run.codes.size:
        entries.append(("", f"{run.drawn.size:,} of {run.codes.size:,} rows drawn"))
    return "".join(
        f'<span><svg width="24" height="16" aria-hidden="true">{drawing}</svg>{escape(text)}</span>'
        for drawing, text in entries
    )
