"""The frames of a replay, drawn with matplotlib and saved as a moving picture."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.report.charts import style

if TYPE_CHECKING:
    from separatrix.report.animation.replay import Replay

CAPTION_WIDTH = 60  # characters of a line


def draw_rows(ax: Any, run: "Replay", beside: bool) -> None:
    """Draw what all frames share: the rows and the legend."""
    style.scatter(ax, run.points[run.drawn], run.codes[run.drawn], run.classes)
    line = "line" if len(run.moments[0].planes) == 1 else "boundary"
    ax.plot([], [], color=style.INK, linewidth=1.8, label=line)
    ax.plot([], [], color=style.FAINT, linewidth=1.2, linestyle="--", label=f"{line} before")
    style.ring(ax, np.empty((0, 2)), "row it moved for" if not run.at_once else "rows it moved for")
    style.legend(ax, beside)


def draw_moment(ax: Any, run: "Replay", k: int) -> list[Any]:
    """Draw what belongs to frame k alone; returns the artists to remove before the next frame."""
    moment = run.moments[k]
    drawn = style.tint(ax, run.regions(moment.planes))
    for line in run.lines(moment.before):
        drawn += ax.plot(*line.T, color=style.FAINT, linewidth=1.2, linestyle="--", zorder=1)
    for line in run.lines(moment.planes):
        drawn += ax.plot(*line.T, color=style.INK, linewidth=1.8, zorder=2)
    if moment.rows.size:
        drawn.append(style.ring(ax, run.points[moment.rows], "_"))
    heading, sentence = run.caption(k)
    ax.set_title(style.plain("\n".join([heading, *wrap(sentence, CAPTION_WIDTH)])), loc="left")
    return drawn


def save(run: "Replay", path: Path, last_frame_ms: int = 2_500) -> None:
    """Write all frames to a .gif file, the last shown longer than the others."""
    from PIL import Image

    palette = Image.new("P", (1, 1))
    palette.putpalette(style.palette(len(run.classes)))  # one for all frames, or colours would flicker
    flat = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images(run)]
    durations = [run.milliseconds] * (len(flat) - 1) + [last_frame_ms]
    flat[0].save(path, save_all=True, append_images=flat[1:], duration=durations, loop=0, optimize=False)


def images(run: "Replay") -> Iterator[Any]:
    """Render the frames one by one on a single figure, whose axes keep their place."""
    with style.styled():
        from PIL import Image

        ax = style.axes_for(None, run.view, run.names)
        figure = ax.figure
        figure.set_dpi(80)
        draw_rows(ax, run, beside=True)
        most_lines = max(len(wrap(run.caption(k)[1], CAPTION_WIDTH)) for k in range(len(run)))
        ax.set_title("\n" * most_lines, loc="left")
        figure.canvas.draw()
        figure.set_layout_engine("none")
        for k in range(len(run)):
            drawn = draw_moment(ax, run, k)
            figure.canvas.draw()
            yield Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3].copy())
            for artist in drawn:
                artist.remove()
