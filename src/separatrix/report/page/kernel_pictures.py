"""The figures of a classifier without planes: its decision surface, and the error over C and gamma."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from separatrix.errors import DataError, OptionError, counted
from separatrix.report.charts import style
from separatrix.report.charts.decision_surface import agreement, draw_slice, summary
from separatrix.report.charts.error_map import MAX_NUMBERED, at_edge, error_grid, error_map
from separatrix.report.charts.slice import Slice, cut
from separatrix.report.page.figure import CROSS, DASHES, FRAME, LINE, NARROW, RING, WIDE, class_marks, figure
from separatrix.report.page.markup import legend, percent, sentence
from separatrix.report.page.svg import blank, inline_svg

if TYPE_CHECKING:
    from separatrix.selection.study import Study

MAX_PART_RINGED = 0.5  # of the rows: more rings would hide what they mark
MAX_NARROW_CELLS = 7  # along an axis of a map


def surface(study: "Study") -> Iterator[str]:
    """Regions of the classes, support rows ringed; nothing for planes, or where two dimensions cannot be drawn."""
    if hasattr(study.classifier, "coef_"):
        return
    held = np.asarray(getattr(study.classifier, "support_", ()), dtype=np.intp)
    many = held.size > MAX_PART_RINGED * len(study.y)
    try:
        found = cut(study.classifier, study.X, study.y, names=study.feature_names, ringed=[] if many else None)
    except (DataError, OptionError):  # one feature, or hundreds; no scores: the view of the separation needs less
        return
    words = " ".join(how_to_read(found, held.size if many else 0))
    about = f"{summary(found)}. {words}"
    ax = draw_slice(found, blank(*WIDE), title="", legend=False)
    ax.set_aspect("auto")  # the whole width of the page
    ax.set(xlabel=style.plain(style.short(found.labels[0], 40)), ylabel=style.plain(style.short(found.labels[1], 40)))
    svg = inline_svg(ax, "surface", "Decision surface", about)
    yield figure("surface", svg, summary(found), sentence(words, 900), legend(surface_marks(found)), wide=True)


def how_to_read(found: Slice, n_support: int) -> Iterator[str]:
    """What is tinted, what a slice is, which rows are drawn; `n_support` of support rows that are not ringed."""
    deeper = ", deeper beyond the margin" if found.has_margin else ""
    yield f"Each point is a row; the tones are where each class is predicted{deeper}."
    if not found.whole:
        across, up = (words.removesuffix(", …") for words in found.made_of)
        yield (
            f"This is a slice through the means of all {found.n_features:,} columns, along the two directions in which "
            f"the scores vary most, in standard deviations: across mostly {across}; up mostly {up}. Rows lie before "
            f"and behind it: {agreement(found)} of them are seen in the "
            "tone of their predicted class."
        )
    if len(found.rows) < found.n_rows:
        yield f"{len(found.rows):,} of {found.n_rows:,} rows are drawn."
    if n_support:
        yield f"{n_support:,} of {counted(found.n_rows, 'row')} are support rows, too many to ring."
    yield "The classifier was fitted to these rows; the errors in the table above are of rows not seen in the fit."


def surface_marks(found: Slice) -> Iterator[tuple[str, str]]:
    """The legend of the surface."""
    yield from class_marks(found.classes.tolist())
    if found.scores.ndim == 2:
        yield LINE, "the boundary, g = 0"
    if found.has_margin:
        yield DASHES, "the margin, g = ±1"
    if found.ringed.any():
        shown, every = int(found.ringed.sum()), found.n_ringed
        yield RING, counted(every, "support row") if shown == every else f"{shown:,} of {every:,} support rows"
    if found.wrong.any():
        shown = int(found.wrong.sum())
        yield CROSS, f"on the wrong side, {shown if found.n_wrong is None else found.n_wrong:,}"


def error_over_grid(study: "Study") -> Iterator[str]:
    """The error over C and gamma, of a study whose classifier was tuned over both."""
    given = study.grid
    if given is None or tuple(given.options) != ("C", "gamma"):
        return
    deviations = given.standard_error if given.errors.shape[-1] > 1 else None
    values = given.options["C"], given.options["gamma"], given.mean, deviations
    found = error_grid(*values)
    wide = max(found.error.shape) > MAX_NARROW_CELLS
    ax = error_map(*values, blank(*(WIDE if wide else NARROW)), title="", legend=False)
    i, j = found.best
    place = f"C = {found.C[i]:.3g}, gamma = {found.gamma[j]:.3g}"
    heading = f"{percent(found.least)} error at {place}"
    numbered = max(found.error.shape) <= MAX_NUMBERED
    words = "Cross-validated error, in percent: " if numbered else "Cross-validated error: "
    words += f"the deeper the tone, the larger, from {percent(found.least)} to {percent(np.nanmax(found.error))}. "
    words += "A large gamma follows single rows, a small one makes the boundary flat."
    if at_edge(found):
        words += f" The least is at the edge of the grid: {at_edge(found)} may be better."
    marks = [(FRAME, "least error")]
    if found.within.any():
        marks.append((DASHES, f"{counted(int(found.within.sum()), 'pair')} within one standard error of it"))
    svg = inline_svg(ax, "grid", "Error over C and gamma", f"The least error is {percent(found.least)}, at {place}.")
    yield figure("grid", svg, heading, words, legend(marks), wide)
