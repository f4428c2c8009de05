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

MAX_COLUMNS_LISTED, MAX_COLUMNS_UNFOLDED, MAX_CLASSES_LISTED = 200, 12, 12


def comparison(study: "Study") -> str:
    """Classifiers by their error, each with its interval as a bar; those that failed last, with the reason."""
    rows = list(study.comparison.rows)
    done = [row for row in rows if not row.failure]
    limit = axis_end(done)
    ticks = "".join(f'<i style="left:{100 * part:g}%">{100 * part * limit:g}%</i>' for part in (0, 0.5, 1))
    headings = (("", "classifier"), ("n", "error"), ("range", scale(ticks)), ("n", "fit"), ("", "certificate"))
    body = "".join(comparison_row(row, row.name == study.chosen, limit) for row in done)
    return comparison_table(headings, body + failed_rows(rows, len(headings))) + remarks(study)


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


def comparison_row(row: "Entry", chosen: bool, limit: float) -> str:
    """One classifier."""
    interval = f"{percent(row.low)} to {percent(row.high)}"
    cells = (
        ("n error", percent(row.mean)),
        ("range", f'{bar(row, limit)}<b class="unseen">{interval}</b>'),
        ("n time", duration(row.fit_seconds)),
        ("proof", sentence(row.proofs or "", 90)),
    )
    return method_row(row, chosen, cells)


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
    items = [*study.comparison.notes, *not_tried(study.comparison.left_out)]
    return '<ul class="remarks">' + "".join(f"<li>{sentence(item)}</li>" for item in items) + "</ul>" if items else ""


def witness(study: "Study") -> str:
    """The rows that prove an overlap or hold the plane, with their values."""
    rows = list(study.witness or ())
    if not rows:
        return ""
    weights = any(row.get("weight") is not None for row in rows)
    columns = list(dict.fromkeys(name for row in rows for name in values_of(row, study)))
    shown = columns[:40]
    headings = ["row", "class", *(["weight"] if weights else []), *map(sentence, distinct(shown))]
    codes = {str(label): code for code, label in enumerate(study.classes.tolist())}
    body = []
    for row in rows:
        label, values = str(row.get("class")), values_of(row, study)
        mark = class_mark(codes[label]) if label in codes else ""
        first = [number(row.get("row")), f'<span class="class">{mark}{text(label, 24)}</span>']
        middle = [number(row.get("weight"))] if weights else []
        body.append(first + middle + [number(values.get(name)) for name in shown])
    few = f"<p>The first {len(shown)} of {counted(len(columns), 'column')}.</p>" if len(shown) < len(columns) else ""
    counting = "<p>Rows are counted from 0; values are as they stand in the table.</p>"
    return table(headings, body, [0, *range(2, len(headings))], "Rows of the data") + counting + few


def values_of(row: Mapping[str, Any], study: "Study") -> Mapping[Any, Any]:
    """The values of a row by the names of their columns."""
    values = row.get("values")
    if values is None or isinstance(values, Mapping):
        return values or {}
    return dict(zip(study.feature_names, values, strict=False))


def class_sizes(study: "Study") -> str:
    """How many rows each class has, as bars."""
    total, largest = int(np.sum(study.counts)), int(np.max(study.counts))
    pairs = list(zip(study.classes.tolist(), np.asarray(study.counts).tolist(), strict=True))
    rows = "".join(
        f'<li><span class="class">{class_mark(code)}{text(label, 20)}</span>'
        f'<span class="track"><span class="fill" style="width:{100 * count / largest:.2f}%;'
        f'background:var(--c{code % 7 + 1})"></span></span>'
        f'<span class="n">{count:,} <small>{percent(count / total)}</small></span></li>'
        for code, (label, count) in enumerate(pairs[:MAX_CLASSES_LISTED])
    )
    more = f"<li>and {len(pairs) - MAX_CLASSES_LISTED:,} more classes</li>" if len(pairs) > MAX_CLASSES_LISTED else ""
    return f'<ul class="sizes">{rows}{more}</ul>'


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
