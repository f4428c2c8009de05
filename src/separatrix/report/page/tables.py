"""The tables of a study: classifiers with their intervals, rows that prove something, classes, columns."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.analysis.margins import round_step
from separatrix.errors import counted
from separatrix.report.charts.style import distinct
from separatrix.report.page.markup import class_mark, duration, listed, number, percent, sentence, table, text
from separatrix.selection.table import not_tried

if TYPE_CHECKING:
    from separatrix.selection.comparison import Entry
    from separatrix.selection.study import Study

PROVED = (
    "Proved: whether every fit of the cross-validation is proved to be what its method looks for, such as the least of "
    "an objective, or a plane that separates; the figure is the part of the objective that another could gain at most."
)
MAX_COLUMNS_LISTED, MAX_COLUMNS_UNFOLDED, MAX_VALUE_COLUMNS = 200, 12, 40
MAX_METHODS_UNFOLDED = 8


def comparison(study: "Study") -> str:
    """Classifiers by their error, each with its interval as a bar; those that failed last, with the reason."""
    rows = list(study.comparison.rows)
    done = [row for row in rows if not row.failure]
    metric = study.comparison.metric
    limit = axis_end(done, most=1.0 if metric.in_percent else np.inf)
    ticks = "".join(f'<i style="left:{100 * part:g}%">{tick(metric, part * limit)}</i>' for part in (0, 0.5, 1))
    other = "fit" if metric.name == "error" else "error"
    headings = (
        ("", "classifier"),
        ("n", sentence(metric.title, 24)),
        ("range", scale(ticks)),
        ("n", other),
        ("", "proved"),
    )
    kept, folded = first_methods(done, study.chosen)
    body = "".join(comparison_row(row, row.name == study.chosen, limit) for row in kept)
    rest = "".join(comparison_row(row, False, limit) for row in folded)
    failed = failed_rows(rows, len(headings))
    return (
        comparison_table(headings, body)
        + folded_methods(headings, rest, failed, len(rows) - len(kept))
        + remarks(study)
    )


def first_methods(done: Sequence[Any], chosen: str) -> tuple[list[Any], list[Any]]:
    """The methods that are shown at once, the best, the chosen one and the baselines; and the others."""
    kept = [row for place, row in enumerate(done) if place < MAX_METHODS_UNFOLDED or row.name == chosen or row.baseline]
    return (kept, [row for row in done if row not in kept]) if len(kept) + 1 < len(done) else (list(done), [])


def folded_methods(headings: Sequence[tuple[str, str]], rest: str, failed: str, count: int) -> str:
    """The methods that are folded away: those that err more, and those that failed, each with the reason."""
    if not (rest or failed):
        return ""
    table = comparison_table(headings, rest + failed)
    return f"<details><summary>{counted(count, 'other method')}</summary>{table}</details>"


def scale(ticks: str) -> str:
    """The heading of the column of bars: a scale."""
    return f'<b class="unseen">error and its interval</b><span class="ticks">{ticks}</span>'


def comparison_table(headings: Sequence[tuple[str, str]], body: str) -> str:
    """A table of methods; headings with the kinds of their columns, and rows of HTML."""
    head = "".join(f'<th scope="col" role="columnheader" class="{kind}">{words}</th>' for kind, words in headings)
    table = f'<thead role="rowgroup"><tr role="row">{head}</tr></thead><tbody role="rowgroup">{body}</tbody>'
    return f'<table class="comparison" role="table">{table}</table>'


def failed_rows(rows: Sequence[Any], width: int) -> str:
    """The methods that failed, each with the reason."""
    return "".join(
        f'<tr class="failed" role="row"><th scope="row" role="rowheader">{text(row.name)}</th>'
        f'<td role="cell" colspan="{width - 1}">{sentence(row.failure)}</td></tr>'
        for row in rows
        if row.failure
    )


def tick(metric: Any, loss: float) -> str:
    """A place on the scale: the best is on the left."""
    return f"{100 * metric.shown(loss):g}%" if metric.in_percent else f"{metric.shown(loss):.2g}"


def comparison_row(row: "Entry", chosen: bool, limit: float) -> str:
    """One classifier; the error rate takes the place of the time where another metric ranks."""
    metric = row.metric
    shown = percent(row.score) if metric.in_percent else metric.text(row.mean)
    interval = metric.interval(row.low, row.high) + (" %" if metric.in_percent else "")
    cells = (
        ("n error", shown),
        ("range", f'{bar(row, limit)}<b class="unseen">{interval}</b>'),
        ("n time", duration(row.fit_seconds) if metric.name == "error" else error_cell(row)),
        ("proof", proof_cell(row)),
    )
    return method_row(row, chosen, cells)


def error_cell(row: "Entry") -> str:
    """The error rate of a classifier where another metric ranks."""
    return f'<span class="only-narrow">error </span>{percent(row.error_rate)}'


def proof_cell(row: Any) -> str:
    """Whether the fits of a method are proved; a narrow page has no heading that says what it is."""
    if row.baseline:
        return ""
    return f'<span class="only-narrow">proved: </span>{sentence(row.proofs.answer if row.proofs else "no", 90)}'


def method_row(row: Any, chosen: bool, cells: Sequence[tuple[str, str]]) -> str:
    """One method: its name with a mark, and cells of HTML with the kinds of their columns."""
    mark = ' <b class="tag">chosen</b>' if chosen else ""
    if row.baseline:
        mark = ' <span class="tag plain">for comparison</span>'
    elif row.differs and not chosen:
        mark = ' <span class="tag plain">clearly worse</span>'
    return (  # roles, as a narrow page lays rows out as blocks
        f'<tr role="row" class="{"chosen" if chosen else "baseline" if row.baseline else "other"}">'
        f'<th scope="row" role="rowheader">{text(row.name)}{mark}</th>'
        + "".join(f'<td role="cell" class="{kind}">{cell}</td>' for kind, cell in cells)
        + "</tr>"
    )


def axis_end(rows: Sequence[Any], most: float = 1.0, least: float = 1e-4) -> float:
    """The end of the error axis: a round number that leaves out only methods far worse than the others."""
    ends = [row.high if np.isfinite(row.high) else row.mean for row in rows if not row.baseline]
    if not ends:
        return most
    far = max(2 * ends[0], 1.5 * float(np.median(ends)))
    return min(most, 2 * round_step(max(min(max(ends), far), least) / 2))


def bar(row: Any, limit: float) -> str:
    """The interval as a line and the error as a point, both in percent of the width of the cell."""
    low, middle, high = (
        100 * float(np.clip((each if np.isfinite(each) else row.mean) / limit, 0, 1))
        for each in (row.low, row.mean, row.high)
    )
    beyond = " beyond" if row.mean > limit else ""
    return (
        f'<span class="track{beyond}"><span class="interval" style="left:{low:.2f}%;width:{high - low:.2f}%"></span>'
        f'<span class="dot" style="left:{middle:.2f}%"></span></span>'
    )


def remarks(study: Any) -> str:
    """The notes of the comparison, and the methods that were not tried with the reasons."""
    items = [PROVED, *study.comparison.notes, *not_tried(study.comparison.left_out)]
    return '<ul class="remarks">' + "".join(f"<li>{sentence(item)}</li>" for item in items) + "</ul>" if items else ""


def witness(study: "Study") -> str:
    """The rows that prove an overlap or hold the plane, with the columns that matter most."""
    rows = list(study.witness or ())
    if not rows:
        return ""
    weights = any(row.get("weight") is not None for row in rows)
    lines = rows[0].get("line") is not None
    names = list(dict.fromkeys(name for row in rows for name in values_of(row, study)))[:MAX_VALUE_COLUMNS]
    headings = ["line" if lines else "row", "class", *(["weight"] if weights else []), *map(sentence, distinct(names))]
    codes = {str(label): code for code, label in enumerate(study.classes.tolist())}
    body = []
    for row in rows:
        label, values = str(row.get("class")), values_of(row, study)
        mark = class_mark(codes[label]) if label in codes else ""
        first = [number(row.get("line" if lines else "row")), f'<span class="class">{mark}{text(label, 24)}</span>']
        middle = [number(row.get("weight"))] if weights else []
        body.append(first + middle + [number(values.get(name)) for name in names])
    few = ""
    if len(names) < len(study.feature_names):
        few = (
            f" Shown are {len(names)} of {counted(len(study.feature_names), 'feature')}, those with the largest effect."
        )
    counting = f"<p>{sentence(study.counting)} Values are as they stand in the table.{few}</p>"
    return table(headings, body, [0, *range(2, len(headings))], "Rows of the data") + counting


def values_of(row: Mapping[str, Any], study: "Study") -> Mapping[Any, Any]:
    """The values of a row by the names of their columns."""
    values = row.get("values")
    if values is None or isinstance(values, Mapping):
        return values or {}
    return dict(zip(study.feature_names, values, strict=False))


def columns(study: Any) -> str:
    """The kind, range and preparation of each column; folded where they are many."""
    given = list(study.columns)
    rows = [
        (
            text(column.name), text(column.kind), number(column.missing) if column.missing else "–",
            number(column.low), number(column.median), number(column.high), number(len(column.categories) or None),
            sentence(column.done, 160),
        )
        for column in given[:MAX_COLUMNS_LISTED]
    ]  # fmt: skip
    headings = ("column", "kind", "missing", "least", "median", "largest", "categories", "what was done")
    kept = [j for j in range(len(headings)) if j < 2 or any(row[j] not in ("–", "") for row in rows)]
    found = table(
        [headings[j] for j in kept],
        [[row[j] for j in kept] for row in rows],
        [kept.index(j) for j in kept if 2 <= j < 7],
        "Columns of the data",
    )
    if len(given) > MAX_COLUMNS_LISTED:
        found += f"<p>The first {MAX_COLUMNS_LISTED} of {len(given):,} columns.</p>"
    if len(given) <= MAX_COLUMNS_UNFOLDED:
        return found
    kinds = [column.kind for column in given]
    tally = ", ".join(f"{kinds.count(kind):,} {sentence(kind)}" for kind in dict.fromkeys(kinds))
    return f"<details><summary>All {len(given):,} columns <small>{tally}</small></summary>{found}</details>"


def preparation(study: Any) -> str:
    """Sentences on how the columns were prepared, and the warnings of the fit."""
    return listed([*study.notes, *study.warnings])
