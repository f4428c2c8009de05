"""A recorded run, played again: how the line of a perceptron moved, update by update."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.certificates.claims.separator import examine
from separatrix.errors import OptionError, counted
from separatrix.report.animation import gif, player
from separatrix.report.charts import style
from separatrix.report.charts.geometry import View, borders, regions, segment, two_features, view_of
from separatrix.rows import Vector
from separatrix.solvers.online.trace import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_ROWS_DRAWN = 2000  # more would neither be seen nor load quickly
RUN_MS, MIN_FRAME_MS, MAX_FRAME_MS = 15_000, 80, 900


class Moment(NamedTuple):
    """The planes after some updates, those before the last of them, the rows that it was for, and how many are wrong.

    `planes` has a row [w, b] for the one plane of two classes, or for each class.
    """

    number: int
    planes: Vector
    before: Vector | None
    rows: np.ndarray
    rivals: np.ndarray
    n_wrong: int


@dataclass(frozen=True, eq=False, repr=False)
class Replay:
    """A run to be watched: `save` it as .html (with buttons, to be opened in any browser) or as .gif.

    In a notebook it shows itself. `draw(k)` gives one frame as a figure; `moments[k]` holds its numbers.

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> from separatrix.report import replay
    >>> X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], ["up", "up", "down", "down"]
    >>> run = replay(Perceptron(shuffle=False, record=True).fit(X, y))
    >>> run  # the start and two updates
    Replay(3 frames of 2 updates)
    >>> print(*run.caption(2), sep=": ")
    Update 2 of 2: row 2 of down was taken for up; now every row is on its own side
    """

    points: Vector
    codes: np.ndarray
    classes: tuple[str, ...]
    names: tuple[str, str]
    view: View
    moments: tuple[Moment, ...]
    n_updates: int
    at_once: bool

    def __repr__(self) -> str:
        return f"Replay({counted(len(self), 'frame')} of {counted(self.n_updates, self.unit)})"

    def __len__(self) -> int:
        return len(self.moments)

    @property
    def unit(self) -> str:
        """What moves the line: an update by one row, or a step for many rows together."""
        return "step" if self.at_once else "update"

    @property
    def milliseconds(self) -> int:
        """How long a frame is shown: a quarter of a minute for all of them, unless that is too fast or too slow."""
        return int(np.clip(RUN_MS / len(self), MIN_FRAME_MS, MAX_FRAME_MS))

    def caption(self, k: int) -> tuple[str, str]:
        """What frame k shows: a heading and a sentence."""
        moment = self.moments[k]
        heading = f"{self.unit.capitalize()} {moment.number:,} of {self.n_updates:,}"
        if moment.number == 0:
            heading = f"Start, before {counted(self.n_updates, self.unit)}"
        if len(self) <= self.n_updates:
            heading += f" ({len(self) - 1:,} of them shown)"
        return heading, cause(self, moment) + outcome(self, moment)

    def lines(self, planes: Vector | None) -> list[Vector]:
        """The line, or the lines between the classes, each by its two ends within the view."""
        if planes is None:
            return []
        if len(planes) == 1:
            line = segment(planes[0, :2], float(planes[0, 2]), self.view)
            return [] if line is None else [line]
        return borders(self.regions(planes), self.view)

    def regions(self, planes: Vector) -> list[Vector]:
        """The polygon of each class within the view."""
        return regions(planes[:, :2], planes[:, 2], self.view)

    @property
    def drawn(self) -> np.ndarray:
        """Numbers of the rows that are drawn: all, or evenly spaced ones where they are too many."""
        n = self.codes.size
        return np.unique(np.linspace(0, n - 1, min(n, MAX_ROWS_DRAWN)).round().astype(int))

    def draw(self, k: int = -1, ax: "Axes | None" = None) -> "Axes":
        """Draw one frame, the last unless another is named."""
        with style.styled():
            beside, ax = ax is None, style.axes_for(ax, self.view, self.names)
            gif.draw_rows(ax, self, beside)
            gif.draw_moment(ax, self, k)
        return ax

    def save(self, path: Any) -> Path:
        """Write the run to a file.

        Parameters
        ----------
        path : str or Path
            Ends in .html, a page of its own with buttons and a slider, or in .gif.

        Returns
        -------
        Path
            Where it was written.
        """
        path = Path(path)
        kind = path.suffix.lower()
        if kind not in (".html", ".gif"):
            raise OptionError(f"A replay is saved as .html or as .gif. Got {str(path)!r}.")
        if kind == ".html":
            path.write_text(self.html(), encoding="utf-8")
        else:
            style.need_matplotlib()
            gif.save(self, path)
        return path

    def html(self) -> str:
        """The page that plays the run; it needs nothing from elsewhere."""
        return player.page(self)

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html())}" width="820" height="720" style="border:0"></iframe>'


def replay(
    trace: Any,
    *,
    classes: Sequence[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    max_frames: int = 200,
) -> Replay:
    """Make a recorded run of two features watchable.

    Parameters
    ----------
    trace : Trace, or a fitted model with a `trace_`
        What `Perceptron(record=True)` keeps.
    classes : sequence of labels or None
        Names of the classes; None: those of the model, or their numbers.
    feature_names : two names or None
        For the axes; None: those that the model was fitted with, or x1 and x2.
    max_frames : int
        Longer runs are thinned evenly to so many frames, with the start and the end among them; the caption says so.

    Returns
    -------
    Replay
        With `save(path)` for .html and .gif.

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> from separatrix.data import samples
    >>> from separatrix.report import replay
    >>> table = samples.separable_pair(seed=0)
    >>> model = Perceptron(record=True, random_state=0).fit(table.X, table.labels)
    >>> run = replay(model.trace_, max_frames=50)
    >>> run.moments[0].n_wrong, run.moments[-1].n_wrong  # w = 0 has nobody on its own side
    (100, 0)
    """
    model = trace if not isinstance(trace, Trace) else None
    trace = getattr(model, "trace_", None) if model is not None else trace
    if trace is None:
        advice = "Fit it with record=True, and give the model or its trace_."
        if hasattr(model, "learning_curve_"):
            advice = "It records a learning curve only; perceptrons and relaxation record their runs."
        raise OptionError(f"{type(model).__name__} holds no recorded run. {advice}")
    if not isinstance(max_frames, (int, np.integer)) or isinstance(max_frames, bool) or max_frames < 2:
        raise OptionError(f"The 'max_frames' parameter must be a whole number of at least 2. Got {max_frames!r}.")
    problem = trace.problem
    two_features(np.empty((0, problem.n_features)), "replay")
    labels = classes if classes is not None else getattr(model, "classes_", range(problem.n_classes))
    if len(labels) != problem.n_classes:
        raise OptionError(f"The 'classes' parameter must name {problem.n_classes} classes. Got {list(labels)}.")
    points = np.array([rows.dense_row(problem.X, i) for i in range(problem.n_rows)])
    return Replay(
        points=points,
        codes=problem.y,
        classes=tuple(map(str, labels)),
        names=style.axis_names(feature_names, getattr(model, "feature_names_in_", None)),
        view=view_of(points),
        moments=tuple(moments(trace, int(max_frames))),
        n_updates=trace.edges().size - 1,
        at_once=trace.at_once,
    )


def cause(run: Replay, moment: Moment) -> str:
    """The rows that the last update was for, as the beginning of a sentence."""
    if moment.rows.size == 0:
        return ""
    if moment.rows.size > 1:
        return f"moved by the sum of {counted(moment.rows.size, 'wrong row')}; now "
    own, rival = (run.classes[c] for c in (run.codes[moment.rows[0]], moment.rivals[0]))
    return f"row {moment.rows[0]} of {own} was taken for {rival}; now "


def outcome(run: Replay, moment: Moment) -> str:
    """How many rows are on the wrong side of the line, as the end of a sentence."""
    if not moment.n_wrong:
        return "every row is on its own side"
    missing = "" if run.lines(moment.planes) else "the line is outside of the picture, "
    missing = missing if moment.planes.any() else "w = 0 makes no line, "
    return f"{missing}{moment.n_wrong:,} of {counted(run.codes.size, 'row')} wrong"


def moments(trace: Trace, most: int) -> Iterator[Moment]:
    """The planes at the start, at the end, and after at most `most` - 2 evenly spaced updates between them."""
    edges = trace.edges()
    total, planes = edges.size - 1, np.atleast_2d(trace.start).copy()
    before, done, one = None, 0, trace.start.ndim == 1
    for number in np.unique(np.linspace(0, total, min(most, total + 1)).round().astype(int)).tolist():
        if number:
            trace.advance(planes, done, edges[number - 1])
            before, done = planes.copy(), edges[number]
            trace.advance(planes, edges[number - 1], done)
        updates = np.arange(edges[max(number - 1, 0)], edges[number])
        held = Planes.of(planes[0, :-1], planes[0, -1]) if one else Planes.of(planes[:, :-1], planes[:, -1])
        n_wrong = examine(trace.problem, held).n_wrong
        yield Moment(number, planes.copy(), before, trace.row[updates], trace.rival[updates], n_wrong)
