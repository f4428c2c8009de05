"""The figures of a study, each with its finding as a heading, how to read it, and a legend."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.errors import DataError, OptionError, counted
from separatrix.report.charts.coefficient_chart import MAX_CLASSES, coefficient_chart, effects
from separatrix.report.charts.confusion_chart import MAX_CLASSES_NUMBERED, confusion_chart
from separatrix.report.charts.error_curve import error_curve
from separatrix.report.charts.margin_histogram import margin_histogram
from separatrix.report.charts.projection import Projection, project
from separatrix.report.charts.separation_view import draw_projection, shows_margin, summary
from separatrix.report.page.figure import CROSS, DASHES, LINE, NARROW, RING, WIDE, class_marks, figure
from separatrix.report.page.kernel_pictures import error_over_grid, surface
from separatrix.report.page.markup import legend, percent, swatch, text
from separatrix.report.page.score_pictures import score_pictures
from separatrix.report.page.svg import blank, inline_svg

if TYPE_CHECKING:
    from separatrix.selection.study import Study

MAX_ROWS_RINGED = 150


def pictures(study: "Study") -> str:
    """The figures of a study as HTML."""
    drawn = (boundary, path, error_over_grid, histogram, coefficients, confusion, score_pictures)
    return "".join(figure for draw in drawn for figure in draw(study))


def boundary(study: "Study") -> Iterator[str]:
    """The decision surface of a classifier without planes, else rows on both sides of the plane."""
    if hasattr(study.classifier, "decision_function"):
        yield from list(surface(study)) or separation(study)


def separation(study: "Study") -> Iterator[str]:
    """Rows on both sides of the plane."""
    found = project(study.classifier, study.X, study.y, ringed_rows(study))
    svg = inline_svg(
        draw_projection(found, blank(*WIDE), title="", legend=False), "view", "View of the separation",
        f"{found.n_wrong:,} of {found.n_rows:,} rows are on the wrong side. " + how_to_read(found),
    )  # fmt: skip
    yield figure("view", svg, summary(found), how_to_read(found), legend(view_marks(study, found)), wide=True)


def ringed_rows(study: "Study") -> Any:
    """Rows to ring: the support rows of two classes, if they are few; else those that prove an overlap."""
    held, proof = getattr(study.classifier, "support_", None), study.separability
    if len(study.classes) == 2 and held is not None and len(held) <= min(MAX_ROWS_RINGED, len(study.y) / 2):
        return held
    if proof.witness.size and proof.witness.max() < len(study.y):
        return proof.witness
    return None if held is None else []


def how_to_read(found: Projection) -> str:
    """What across and up are, and which rows are drawn."""
    several = len(found.classes) > 2
    words = [directions(found) if several else sides(found)]
    if len(found.rows) < found.n_rows:
        marked = found.wrong.sum() == found.n_wrong and found.ringed.sum() == found.n_ringed
        which = "all marked ones, others by chance" if marked else "by chance"
        words.append(f"{len(found.rows):,} of {found.n_rows:,} rows are drawn, {which}.")
    fitted = "The planes were" if several else "The plane was" if found.has_plane else "The boundary was"
    words.append(f"{fitted} fitted to these rows; the errors in the table above are of rows not seen in the fit.")
    return " ".join(words)


def sides(found: Projection) -> str:
    """Two classes on two sides."""
    across = "distance from the plane, which is the line at 0" if found.has_plane else "score, 0 at the boundary"
    up = "up only keeps points apart" if found.jittered else "up is the direction along it in which rows vary most"
    return f"Each point is a row. Across is its {across}; {up}."


def directions(found: Projection) -> str:
    """Several classes in two directions."""
    exact = "Nothing is lost in this view: the tinted regions are where each class is predicted."
    other = "Classes that cover each other here may be apart in other directions."
    words = "Each point is a row, seen along the two directions of the scores that tell the classes apart best."
    return f"{words} {exact if found.planes is not None else other}"


def view_marks(study: "Study", found: Projection) -> Iterator[tuple[str, str]]:
    """The legend of the view."""
    labels = found.classes.tolist()
    yield from class_marks(labels)
    if len(labels) == 2:
        yield LINE, "the plane" if found.has_plane else "the boundary"
        if shows_margin(found):
            yield DASHES, f"margin, {found.margin:.3g} from it"
    if found.ringed.any():
        yield RING, ring_words(study, found)
    if found.wrong.any():
        yield CROSS, f"on the wrong side, {found.n_wrong:,}"


def ring_words(study: "Study", found: Projection) -> str:
    """Which rows are ringed."""
    rows = ringed_rows(study)
    if rows is None:
        return counted(found.n_ringed, "nearest row")
    if rows is getattr(study.classifier, "support_", None):
        return counted(found.n_ringed, "support row")
    return f"{found.n_ringed:,} rows that no plane separates"


def path(study: "Study") -> Iterator[str]:
    """The error over C."""
    curve = study.path
    if curve is None:
        return
    used = getattr(study.classifier, "C", None)
    marked = float(curve.best if used is None else used)
    metric, loss = study.entry.metric, float(np.min(curve.mean))
    unit = None if metric.in_percent else metric.loss_title
    ax = error_curve(curve.values, curve.mean, curve.low, curve.high, marked, blank(*NARROW), unit=unit, title="")
    least = percent(loss) if metric.in_percent else f"{loss:.4g}"
    about = f"Error over {len(curve.values)} values of C; the least is {least}, at C = {curve.best:.3g}."
    svg = inline_svg(ax, "path", "Error over C", about)
    small = "holds the coefficients down" if hasattr(study.classifier, "coef_") else "makes the boundary smooth"
    words = (
        f"Small C {small}, large C follows the rows. The band is the interval of each error; "
        f"where the curve is flat, the choice hardly matters. The least error is {least}, at C = {curve.best:.3g}."
    )
    usual = "Logistic discrimination" if metric.name == "logloss" else "A linear SVM"
    heading = f"C = {marked:.3g} is used" if used is not None else f"{usual} errs least at C = {marked:.3g}"
    if used is not None and not np.isclose(curve.values, marked, rtol=1e-6).any():
        words += f" There was no time to try C = {marked:.3g}, which is used."
    yield figure("path", svg, heading, words)


def histogram(study: "Study") -> Iterator[str]:
    """How many rows are how far from the plane."""
    try:
        ax = margin_histogram(study.classifier, study.X, study.y, blank(*NARROW), title="")
    except (DataError, OptionError):  # no planes to measure from
        return
    ax.set_xlabel("distance from the boundary")
    entries = ax.get_legend_handles_labels()[1]
    ax.legend_ = None  # the page has it
    smallest = next((entry for entry in entries if entry.startswith("smallest")), "")
    svg = inline_svg(ax, "margins", "Distances of rows from the boundary", ", ".join(entries))
    marks = [(swatch('<path d="M-6,-6H6V6H-6z" fill="var(--c1)"/>'), "right side")]
    if "wrong side" in entries:
        marks.append((swatch('<path d="M-6,-6H6V6H-6z" fill="var(--c2)"/>'), "wrong side"))
    if smallest:
        marks.append((swatch('<path d="M0,-5L5.5,5H-5.5z" fill="var(--ink)"/>'), escape(smallest.replace("-", "−"))))
    words = "Rows by their distance from it. Those near 0 are doubtful: a small change of theirs turns the answer."
    yield figure("margins", svg, "How far rows are from the boundary", words, legend(marks))


def coefficients(study: "Study") -> Iterator[str]:
    """The effects of the features on the scores."""
    model, weights = study.classifier, getattr(study.classifier, "coef_", None)
    if weights is None or np.shape(weights)[1] != study.X.shape[1]:
        return
    names = study.feature_names
    found = effects(model, study.X, names)
    squares = 2 < len(model.classes_) <= MAX_CLASSES and len(found.values[0]) == len(model.classes_)
    wide = squares and len(model.classes_) > 6
    size = (WIDE if wide else NARROW)[0], 1.1 + 0.185 * len(found.names)
    ax = coefficient_chart(model, study.X, blank(*size), feature_names=names, title="")
    largest = ", ".join(found.names[:3])
    svg = inline_svg(ax, "effects", "Effects of the features", f"The largest effects are those of {largest}.")
    few = f"The {len(found.names)} largest of {found.n_features:,}. " if len(found.names) < found.n_features else ""
    words = "How much one standard deviation of a column moves the score. " + few
    marks: list[tuple[str, str]] = []
    if squares:
        words += "The larger the square, the larger the effect."
        marks = [
            (swatch('<path d="M-6,-6H6V6H-6z" fill="var(--c2)"/>'), "speaks for the class"),
            (swatch('<path d="M-5,-5H5V5H-5z" fill="none" stroke="var(--c1)" stroke-width="1.6"/>'), "against it"),
        ]
    elif len(model.classes_) == 2:
        words += (
            f"Bars to the right speak for {text(model.classes_[1], 24)}, to the left for {text(model.classes_[0], 24)}."
        )
    heading = f"Largest effect: {text(found.names[0], 90)}" if found.values.any() else "No column has an effect"
    yield figure("effects", svg, heading, words, legend(marks) if marks else "", wide)


def confusion(study: "Study") -> Iterator[str]:
    """Which classes are taken for which."""
    table = study.confusion
    k = len(study.classes)
    wide = 6 < k <= MAX_CLASSES_NUMBERED
    ax = confusion_chart(table, study.classes.tolist(), blank(*((6.2, 4.6) if wide else NARROW)), title="")
    right, total = int(np.trace(table)), int(table.sum())
    svg = inline_svg(ax, "confusion", "Confusion matrix", f"{right:,} of {total:,} rows were predicted right.")
    words = "Rows are the true classes, columns what was predicted for rows that the fit had not seen"
    words += (
        "; percentages are parts of the true class."
        if k <= MAX_CLASSES_NUMBERED
        else "; darker is more of the true class."
    )
    yield figure("confusion", svg, worst(table, study.classes), words, wide=wide)


def worst(table: np.ndarray, classes: np.ndarray) -> str:
    """The most frequent confusion, as a heading."""
    errors = table - np.diag(np.diag(table))
    if not errors.any():
        return "No row was taken for another class"
    i, j = np.unravel_index(errors.argmax(), errors.shape)
    names = text(classes[i], 24), text(classes[j], 24)
    return f"{counted(int(errors[i, j]), 'row')} of {names[0]} taken for {names[1]}"
