"""What the page of a study without a target holds: how many rows are outside, pictures, unusual rows, certificate."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from separatrix.errors import DataError, OptionError, counted
from separatrix.report.charts import style
from separatrix.report.charts.decision_surface import agreement, draw_slice
from separatrix.report.charts.novelty.boundary import boundary_slice
from separatrix.report.charts.novelty.score_histogram import score_histogram
from separatrix.report.page.certificates import claim_card, recheck
from separatrix.report.page.figure import LINE, RING, WIDE, figure
from separatrix.report.page.markup import class_mark, legend, number, percent, sentence, swatch, table, text
from separatrix.report.page.sections import Parts, data_section, key_figures, section
from separatrix.report.page.svg import blank, inline_svg

if TYPE_CHECKING:
    from separatrix.report.charts.slice import Slice
    from separatrix.selection.novelty.study import NoveltyStudy

N_RINGED = 10  # of the most unusual rows


def novelty_parts(study: "NoveltyStudy") -> Parts:
    """The key figures and the sections of a study without a target."""
    card = claim_card(f"Is the {text(study.chosen)} fit the best of its kind?", study.fitted, "machine")
    first = f"<p>{sentence(f'{study.why[:1].upper()}{study.why[1:]}')}</p>\n  {promise(study)}"
    drawn = "".join([*boundary(study), *histogram(study)])
    return Parts(
        keys(study),
        [
            ("Outside", section("outside", "How many rows are outside", first)),
            ("Pictures", section("pictures", "What it looks like", f'<div class="figures">{drawn}</div>')),
            ("Rows", section("rows", "The most unusual rows", unusual(study))),
            ("Certificate", section("certificates", "Why to believe it", f"{card}\n  {recheck(study)}")),
            ("Data", data_section(study, "")),
        ],
    )


def keys(study: "NoveltyStudy") -> str:
    """The key figures: rows outside, among unseen rows too, the most unusual, and data, each with a note."""
    outside, n, first = int(study.outside.sum()), study.n_rows, study.unusual[0]
    folds = f"of the rows, in {counted(study.n_folds, 'fold')}"
    return key_figures(
        ("Outside when left out", percent(study.part_outside_unseen), folds),
        (
            "Outside in the fit",
            f"{outside:,}",
            f"{percent(outside / n)} of the rows, where nu allows {percent(study.nu)}",
        ),
        ("Most unusual", study.row_name(first.row), sentence(first.why, 80)),
        ("Rows", f"{n:,}", counted(study.X.shape[1], "feature")),
    )


def promise(study: "NoveltyStudy") -> str:
    """What nu bounds, and what was counted."""
    n, outside = study.n_rows, int(study.outside.sum())
    rows = [["nu", percent(study.nu), number(study.nu * n), "the part that was asked for"]]
    rows.append(["rows outside", percent(outside / n), number(outside), "at most nu"])
    if study.support_rows is not None:
        held = study.support_rows
        rows.append(["support rows", percent(held / n), number(held), "at least nu: on the boundary, or outside"])
    unseen = int((study.unseen < 0).sum())
    rows.append(["outside when left out", percent(unseen / n), number(unseen), "what to expect of new rows like these"])
    return table(["", "part", "rows", "what holds"], rows, (1, 2), "Rows outside")


def unusual(study: "NoveltyStudy") -> str:
    """The rows with the least scores, with their values."""
    names = list(dict.fromkeys(name for row in study.unusual for name in row.values))
    headings = [
        "row" if study.lines is None else "line",
        "score when left out",
        *map(sentence, style.distinct(names)),
        "unusual in it",
    ]
    rows = [
        [
            number(study.line_of(row.row) or row.row),
            number(row.score),
            *(number(row.values.get(name)) for name in names),
            sentence(row.why, 120),
        ]
        for row in study.unusual
    ]
    numeric = range(len(headings) - 1)
    note = (
        f"<p>{sentence(study.counting)} Values are as they stand in the table. A deviation is 1.48 times the median "
        "distance of a column from its median.</p>"
    )
    return table(headings, rows, numeric, "Unusual rows") + note


def boundary(study: "NoveltyStudy") -> Iterator[str]:
    """The region that rows are inside of, with the most unusual ringed."""
    ringed = np.array([row.row for row in study.unusual[:N_RINGED]], dtype=np.intp)
    try:
        found = boundary_slice(study.fitted, study.X, study.feature_names, ringed)
    except (DataError, OptionError):  # one feature, or hundreds
        return
    ax = draw_slice(found, blank(*WIDE), title="", legend=False)
    ax.set_aspect("auto")  # the whole width of the page
    ax.set(xlabel=style.plain(style.short(found.labels[0], 40)), ylabel=style.plain(style.short(found.labels[1], 40)))
    outside = int(study.outside.sum())
    heading = f"{outside:,} of {counted(study.n_rows, 'row')} are outside in the fit to all"
    words = " ".join(how_to_read(found))
    svg = inline_svg(ax, "surface", "The boundary", f"{heading}. {words}")
    marks = [
        (class_mark(0), f"inside, {study.n_rows - outside:,}"),
        (class_mark(1), f"outside, {outside:,}"),
        (LINE, "the boundary"),
        (RING, f"the {counted(ringed.size, 'most unusual row')}"),
    ]
    yield figure("surface", svg, heading, sentence(words, 900), legend(marks), wide=True)


def how_to_read(found: "Slice") -> Iterator[str]:
    """What is tinted, what a slice is, and which rows are drawn."""
    yield "Each point is a row; the tones are what is inside and outside of the boundary."
    if not found.whole:
        across, up = (words.removesuffix(", …") for words in found.made_of)
        yield (
            f"This is a slice through the means of all {found.n_features:,} columns, along the two directions in which "
            f"the scores vary most: across mostly {across}; up mostly {up}. Rows lie before and behind it: "
            f"{agreement(found)} of them are seen in the tone that they belong to."
        )
    else:
        yield "Columns are in standard deviations from their means."
    if len(found.rows) < found.n_rows:
        yield f"{len(found.rows):,} of {found.n_rows:,} rows are drawn."


def histogram(study: "NoveltyStudy") -> Iterator[str]:
    """How many rows have which score when they are left out."""
    outside = study.unseen < 0
    ax = score_histogram(study.unseen, outside, blank(*WIDE), title="")
    ax.set_xlabel("score when left out: less is more unusual")
    least = study.unusual[0].score
    about = f"{int(outside.sum()):,} rows are below the threshold; the least score is {least:.3g}."
    svg = inline_svg(ax, "scores", "Scores of the rows when they are left out", about)
    words = (
        "Each row is scored by a machine that was fitted without it, relative to the threshold: 0 at the boundary, −1 "
        "where no other row is near. Rows far to the left of the others are unusual; a smooth end is the usual rim of "
        "the data."
    )
    marks = [
        (swatch('<path d="M-6,-6H6V6H-6z" fill="var(--c1)"/>'), f"inside, {int((~outside).sum()):,}"),
        (swatch('<path d="M-6,-6H6V6H-6z" fill="var(--c2)"/>'), f"outside, {int(outside.sum()):,}"),
        (LINE, "the threshold"),
    ]
    heading = f"{percent(study.part_outside_unseen)} are outside when left out"
    yield figure("scores", svg, heading, words, legend(marks), wide=True)
