"""The figures of the scores of one class: ROC, precision over recall, and the calibration of its probabilities."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from separatrix.errors import counted
from separatrix.report.charts.thresholds.calibration_chart import calibration_chart
from separatrix.report.charts.thresholds.precision_recall_chart import precision_recall_chart
from separatrix.report.charts.thresholds.roc_chart import roc_chart
from separatrix.report.page.figure import NARROW, figure
from separatrix.report.page.markup import legend, sentence, swatch
from separatrix.report.page.svg import blank, inline_svg
from separatrix.selection.conclusions.verdict import class_name
from separatrix.selection.measures.score_curves import calibration_points, score_counts

if TYPE_CHECKING:
    from separatrix.selection.study import Study

MIN_ROWS_CALIBRATED = 30  # fewer in a tenth of the probabilities say next to nothing
MAX_OFF_BY_CHANCE = 1  # of ten 95 % intervals, which one misses in four of ten such pictures
FIRST = swatch('<path d="M-8,0H8" stroke="var(--c1)" stroke-width="2"/>')
SECOND = swatch('<path d="M-8,0H8" stroke="var(--c2)" stroke-width="2" stroke-dasharray="4 3"/>')
BAND = swatch('<path d="M-7,-6H7V6H-7z" fill="var(--c1)" opacity="0.2"/>')
POINT = swatch('<circle r="4.5" fill="var(--ink)"/>')
DOTS = swatch('<path d="M-8,0H8" stroke="var(--faint)" stroke-width="1.4" stroke-dasharray="2 2"/>')


def score_pictures(study: "Study") -> Iterator[str]:
    """The figures, where there is a class to look for and the classifier has scores."""
    sets = scored_sets(study)
    if not sets:
        return
    yield curve(study, sets, "roc")
    yield curve(study, sets, "precision")
    yield from calibration(study, sets)


def scored_sets(study: "Study") -> dict[str, Any]:
    """The rows with scores of a fit that had not seen them, by name: those of the test first."""
    given = {"test rows": None if study.test is None else study.test.scored, "cross-validated rows": study.scored}
    known = {name: rows.tested for name, rows in given.items() if rows is not None}
    return {name: rows for name, rows in known.items() if rows.both_there}


def sizes(rows: Any) -> str:
    """How many rows of the class and others there are."""
    return f"{int(rows.own.sum()):,} of the class, {int((~rows.own).sum()):,} others"


def curve(study: "Study", sets: dict[str, Any], kind: str) -> str:
    """The ROC curve, or precision over recall."""
    pairs = {name: (rows.scores, rows.own) for name, rows in sets.items()}
    value = None if study.threshold is None else study.threshold.value
    counts = {name: score_counts(*pair) for name, pair in pairs.items()}
    first = next(iter(counts.values()))
    name = sentence(class_name(study, positive(study)), 40)
    marks = [(mark, f"{each}: {sizes(sets[each])}") for mark, each in zip((FIRST, SECOND), sets, strict=False)]
    marks += [(BAND, "95 % interval of the first, at each threshold"), (DOTS, "guessing")]
    marks += [] if value is None else [(POINT, "the threshold that is used")]
    if kind == "roc":
        ax = roc_chart(pairs, blank(*NARROW), threshold=value, title="", legend=False)
        figures = ", ".join(f"{part_words(own.area)} of {each}" for each, own in counts.items())
        heading = f"Scores rank {name} with an area of {part_words(first.area)}"
        words = (
            "Along the curve the threshold falls: more of the class is found (up), and more of the others are called "
            f"so (across). The area is the chance that a row of the class scores above another one: {figures}."
        )
        svg = inline_svg(ax, "roc", "ROC curve", f"Area under the curve: {figures}.")
        return figure("roc", svg, heading, words, legend(marks))
    ax = precision_recall_chart(pairs, blank(*NARROW), threshold=value, title="", legend=False)
    figures = ", ".join(f"{part_words(own.average_precision)} of {each}" for each, own in counts.items())
    words = (
        "How many of the rows that are called so are of the class (up), over how many of the class are found (across). "
        f"The dotted line is the part of the class among all rows. Average precision: {figures}."
    )
    svg = inline_svg(ax, "precision", "Precision over recall", f"Average precision: {figures}.")
    return figure("precision", svg, f"What it costs to find more of {name}", words, legend(marks))


def part_words(part: float) -> str:
    """A part with three digits that is not rounded to 1.

    >>> part_words(0.9876), part_words(0.99999), part_words(1.0)
    ('0.988', 'more than 0.999', '1')
    """
    return "1" if part == 1.0 else "more than 0.999" if part >= 0.9995 else f"{part:.3f}"


def calibration(study: "Study", sets: dict[str, Any]) -> Iterator[str]:
    """How often predicted probabilities came true, of the largest set of rows that has them."""
    known = {name: rows for name, rows in sets.items() if rows.probabilities is not None}
    if not known:
        return
    of, rows = max(known.items(), key=lambda pair: pair[1].own.size)
    if rows.own.size < MIN_ROWS_CALIBRATED:
        return
    points = calibration_points(rows.probabilities, rows.own)
    within = sum(point.low <= point.predicted <= point.high for point in points)
    ax = calibration_chart(rows.probabilities, rows.own, blank(*NARROW), title="")
    off = len(points) - within
    heading = "Its probabilities come true about as predicted, as far as these rows tell"
    if off > MAX_OFF_BY_CHANCE:
        heading = f"In {off} of {counted(len(points), 'tenth')}, its probabilities do not come true as predicted"
    words = (
        f"Of {of}, in tenths of the predicted probability of {sentence(class_name(study, positive(study)), 40)}: its "
        "mean (across), and how often it came true (up), with the 95 % interval. The numbers are rows: of few rows, "
        "the intervals are wide."
    )
    about = f"{within} of {len(points)} intervals hold the predicted probability, of {rows.own.size:,} {of}."
    svg = inline_svg(ax, "calibration", "Calibration of probabilities", about)
    yield figure("calibration", svg, heading, words, legend([(DOTS, "as predicted")]))


def positive(study: "Study") -> int:
    """The code of the class that is looked for."""
    assert study.positive is not None
    return study.positive
